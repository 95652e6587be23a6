from collections.abc import Mapping
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document, StyleAttribute
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.html.single_elements import own_text

_LEAST: Final = {"letter-spacing": 0.12, "word-spacing": 0.16, "line-height": 1.5}
"""Shares of the size of the font: WCAG 2.2, success criterion 1.4.12."""
_MANY_CHARACTERS: Final = 30
"""About a line on a narrow phone."""
_PIXELS_PER_CHARACTER: Final = 10
"""Of text in the usual size, generously."""
_FAR: Final = -900
"""In any unit: far outside of the screen."""


@check(
    id="inline-text-spacing",
    title="Text spacing",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("free", "No style attribute prevents visitors from adjusting text spacing."),
        State(
            "fixed",
            "Style attributes prevent visitors from adjusting text spacing.",
            title="Style attributes that fix text spacing",
            why="People with dyslexia or low vision cannot increase the spacing as they need it.",
            fix="Remove `!important` from these style attributes, or move the rule into a stylesheet.",
            counted=True,
        ),
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
    with `!important`, on elements that hold text themselves and are neither hidden nor moved far off the screen:
    nothing overrides that. `aria-hidden` does not excuse them, since it hides text from no one who sees. The height of
    lines counts only where the text may need more than one line. Values in units other than `em` and percent count only
    if they are zero or less, or where the same attribute, or the only rule of the page about fonts, gives the size of
    the font in the same unit. It is informative and costs nothing.

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
    marked = [one for one in document.style_attributes if "!" in one.value and not one.hidden]
    sizes = _sizes_by_sheet(document) if marked else {}
    found = [Offender(one.node, reason, one.value) for one in marked if (reason := _too_tight(one, sizes))]
    return counted(
        document,
        found,
        "free",
        "fixed",
        "One style attribute prevents visitors from adjusting text spacing.",
        "{count} style attributes prevent visitors from adjusting text spacing.",
        low=0,
        high=0,
    )


def _sizes_by_sheet(document: Document) -> dict[str, str]:
    """Name of an element -> its font size, where the only rule of the page about fonts says so; else nothing."""
    sheets = "".join(style.text for style in document.styles).lower()
    if sheets.count("font") != 1 or "@" in sheets or any("stylesheet" in link.rel for link in document.links):
        return {}
    before, _, after = sheets.partition("font-size")
    selector = before.rpartition("}")[2].partition("{")[0].strip()
    return {selector: after.partition(":")[2].partition(";")[0].partition("}")[0].strip()}


def _too_tight(one: StyleAttribute, sizes: Mapping[str, str]) -> str:
    """The property that is fixed below the least spacing; "" when none is."""
    declared = _declared(one.value)
    size = declared.get("font-size", (sizes.get(one.node.tag, ""), False))[0]
    for name, least in _LEAST.items():
        value, fixed = declared.get(name, ("", False))
        share = _share_of_font(value, size, name) if fixed else None
        if share is None or share >= least or _is_far_off(declared):
            continue
        text = own_text(one.node)
        if text and (name != "line-height" or _wraps(text, declared)):
            return f"{name} of {value[:40]} is fixed"
    return ""


def _wraps(text: str, declared: dict[str, tuple[str, bool]]) -> bool:
    """Return whether the text is likely to need a second line somewhere, such as on a phone."""
    if declared.get("white-space", ("", False))[0] in {"nowrap", "pre"}:
        return False
    width, unit = _split(declared.get("width", ("", False))[0])
    fixed = width if width is not None and unit == "px" else 0
    return len(text) >= max(_MANY_CHARACTERS, fixed / _PIXELS_PER_CHARACTER)


def _declared(style: str) -> dict[str, tuple[str, bool]]:
    """Property -> its value, and whether it is important."""
    declared: dict[str, tuple[str, bool]] = {}
    for declaration in style.lower().split(";"):
        name, _, value = declaration.partition(":")
        value, mark, important = value.partition("!")
        fixed = bool(mark) and important.strip() == "important"
        name = name.strip()
        if name and (fixed or not declared.get(name, ("", False))[1]):
            # A later declaration wins, unless only the earlier one is important.
            declared[name] = (value.strip(), fixed)
    return declared


def _is_far_off(declared: dict[str, tuple[str, bool]]) -> bool:
    """Return whether the element is moved so far that no one sees it."""
    if declared.get("position", ("", False))[0] not in {"absolute", "fixed"}:
        return False
    values = (_split(declared[side][0])[0] for side in ("top", "left", "right", "bottom") if side in declared)
    return any(number is not None and number <= _FAR for number in values)


def _share_of_font(value: str, size: str, name: str) -> float | None:
    """The spacing as a share of the size of the font; ``None`` when it cannot be known from the attribute."""
    if value in {"normal", "initial"}:
        # The least a browser takes: nothing between letters and words, and about 1.2 between lines.
        return 1.2 if name == "line-height" else 0.0
    number, unit = _split(value)
    if number is None:
        return None
    if number <= 0 or unit == "em" or (not unit and name == "line-height"):
        return number
    if unit == "%":
        return number / 100
    font, font_unit = _split(size)
    return number / font if unit and font and unit == font_unit else None


def _split(value: str) -> tuple[float | None, str]:
    """(number, unit) of a CSS dimension."""
    unit = value.lstrip("+-.0123456789")
    text = value[: len(value) - len(unit)]
    digits = text.lstrip("+-").replace(".", "", 1)
    known = digits.isascii() and digits.isdecimal() and len(text) < 20 and len(text) - len(text.lstrip("+-")) < 2
    return float(text) if known else None, unit
