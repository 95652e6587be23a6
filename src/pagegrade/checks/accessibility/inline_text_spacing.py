from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity

_LEAST: Final = {"letter-spacing": 0.12, "word-spacing": 0.16, "line-height": 1.5}
"""Shares of the size of the font: WCAG 2.2, success criterion 1.4.12."""


@check(
    id="inline-text-spacing",
    title="Fixed spacing of text",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("free", "No style attribute keeps visitors from spacing text."),
        State("fixed", "Style attributes keep visitors from spacing text."),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/text-spacing.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/24afc2/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/9e45ec/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/78fd32/",
    ),
)
def inline_text_spacing(document: Document) -> Outcome:
    """Some people read better with more space between letters, words and lines, and set it in their browser.

    ## What it checks

    Style attributes that set `letter-spacing` under 0.12 em, `word-spacing` under 0.16 em or `line-height` under 1.5
    with `!important`, on elements that are not hidden: nothing overrules that. Values in other units than `em` and
    percent count only where the same attribute gives the size of the font in pixels. It is shown and costs nothing.

    ## Why it matters

    Space that is fixed this way cannot be widened by the visitor.

    ## How to fix

    Remove `!important`, or move the rule into a stylesheet.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <p style="letter-spacing: 0.05em !important">Small print</p>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <p style="letter-spacing: 0.05em">Small print</p>
    ```
    """
    found = [
        Offender(one.node, reason, one.value)
        for one in document.style_attributes
        if "!" in one.value and not one.hidden and (reason := _too_tight(one.value))
    ]
    return counted(
        document,
        found,
        "free",
        "fixed",
        "One style attribute keeps visitors from spacing text.",
        "{count} style attributes keep visitors from spacing text.",
        low=0,
        high=0,
    )


def _too_tight(style: str) -> str:
    """The property that is fixed below the least spacing; "" when none is."""
    declared: dict[str, tuple[str, bool]] = {}
    for declaration in style.lower().split(";"):
        name, _, value = declaration.partition(":")
        value, mark, important = value.partition("!")
        fixed = bool(mark) and important.strip() == "important"
        name = name.strip()
        if name and (fixed or not declared.get(name, ("", False))[1]):
            # A later declaration wins, unless only the earlier one is important.
            declared[name] = (value.strip(), fixed)
    size, _ = declared.get("font-size", ("", False))
    for name, least in _LEAST.items():
        value, fixed = declared.get(name, ("", False))
        share = _share_of_font(value, size, name) if fixed else None
        if share is not None and share < least:
            return f"{name} of {value[:40]} is fixed"
    return ""


def _share_of_font(value: str, size: str, name: str) -> float | None:
    """The spacing as a share of the size of the font; ``None`` when it cannot be known from the attribute."""
    if value == "normal":
        # The least a browser takes: nothing between letters and words, and about 1.2 between lines.
        return 1.2 if name == "line-height" else 0.0
    if value.endswith("px") and size.endswith("px"):
        pixels, font = _number(value[:-2]), _number(size[:-2])
        return None if pixels is None or not font else pixels / font
    if value.endswith("em") and not value.endswith("rem"):
        return _number(value[:-2])
    if value.endswith("%"):
        percent = _number(value[:-1])
        return None if percent is None else percent / 100
    number = _number(value)
    return number if name == "line-height" or number == 0 else None


def _number(text: str) -> float | None:
    text = text.strip()
    digits = text.lstrip("+-").replace(".", "", 1)
    return float(text) if digits.isascii() and digits.isdecimal() and len(text) < 20 else None
