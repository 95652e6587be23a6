"""Write ``parse/data/baseline.py`` from the npm package ``web-features``.

Only what can be recognized by a token is taken: at-rules, properties, pseudo-classes, functions and
long values of CSS, elements and attributes of HTML.
"""

from __future__ import annotations

import json
import pprint
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from devtools.data_sources import npm_package

NAME_OF_TABLE: Final = "baseline"
PACKAGE: Final = "web-features"
SOURCE: Final = "https://github.com/web-platform-dx/web-features"
NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
PROGRESSIVE: Final = frozenset(
    """
    accent-color active-view-transition alignment-baseline autofill baseline-shift baseline-source blocking-render
    box-decoration-break caret-shape column-breaks content-visibility controls-list corner-shape crisp-edges
    cross-document-view-transitions cursor datalist details-name display-ruby dynamic-range-limit fetch-priority
    font-family-ui font-language-override font-size-adjust font-synthesis-position font-variant-emoji font-width
    fullscreen gap-decorations hanging-punctuation highlight html-media-capture hyphenate-limit-chars initial-letter
    input-color-alpha interpolate-size loading-lazy-media marker media-pseudos overflow-anchor overscroll-behavior
    page-selectors page-setup picture-in-picture ping print-color-adjust private-click-measurement remote-playback
    ruby-align ruby-overhang ruby-position scroll-driven-animations scroll-initial-target scrollbar-color
    scrollbar-gutter scrollbar-width selection speak-as spelling-grammar-error starting-style target-text
    text-autospace text-box text-decoration-spelling-grammar text-indent-each-line text-justify text-size-adjust
    text-spacing-trim text-wrap time-relative-selectors transition-behavior url-cross-origin url-integrity
    url-referrer-policy user-select view-transition-class view-transitions view-transitions-element-scoped window-drag
    word-break-auto-phrase writingsuggestions autocapitalize autocorrect virtual-keyboard contenteditable-plaintextonly
    """.split()
)
"""Features whose absence changes a detail of the looks and nothing else: browsers without them skip them."""
FUNCTIONS: Final = frozenset(
    """
    abs anchor anchor-size calc-size contrast-color cross-fade if light-dark mod progress random rem round
    sibling-count sibling-index sign
    """.split()
)
"""Functions among the keys of types; the others are parts of a function, or words."""
MIN_NAME: Final = 8
"""Characters of a property or value without a dash that is no word of other texts."""
MIN_ATTRIBUTE: Final = 7
BROWSERS: Final = (("chrome", "Chrome"), ("edge", "Edge"), ("firefox", "Firefox"), ("safari", "Safari"))


def load(folder: Path) -> tuple[str, Mapping[str, Any]]:
    """Version and data of an unpacked package."""
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    return str(version), json.loads((folder / "data.json").read_text("utf-8"))


def tables(data: Mapping[str, Any]) -> dict[str, dict[Any, Any]]:
    """Name of a table of the module -> the table."""
    found: dict[str, dict[Any, Any]] = {
        name: {}
        for name in ("FEATURES", "AT_RULES", "PROPERTIES", "VALUES", "PSEUDOS", "FUNCTIONS", "ELEMENTS", "ATTRIBUTES")
    }
    for name, feature in sorted(data["features"].items()):
        status = feature.get("status") or {}
        kept = feature.get("kind") == "feature" and not feature.get("discouraged") and name not in PROGRESSIVE
        if not kept or status.get("baseline") == "high":
            continue
        for key, own in sorted((status.get("by_compat_key") or {}).items()):
            place = _place(key.split("."))
            if place is not None and own["baseline"] != "high":
                table, entry = place
                found[table].setdefault(entry, name)
                found["FEATURES"][name] = (feature["name"], _since(status), _lacking(status))
    # Where the property is new, its values say nothing more.
    found["VALUES"] = {entry: name for entry, name in found["VALUES"].items() if entry[0] not in found["PROPERTIES"]}
    return found


def _place(parts: list[str]) -> tuple[str, Any] | None:
    """Table and entry of a compat key; ``None`` for what no token shows."""
    if not all(NAME.fullmatch(part) for part in (part.replace("_", "-") for part in parts[:2])):
        return None
    names = parts[2:]
    if not names or not all(NAME.fullmatch(part) for part in names):
        return None
    match parts[0], parts[1], names:
        case "css", "at-rules", [name]:
            return "AT_RULES", name
        case "css", "properties", [name] if "-" in name or len(name) >= MIN_NAME:
            return "PROPERTIES", name
        case "css", "properties", [name, value] if "-" in value or len(value) > MIN_NAME:
            return "VALUES", (name, value)
        case "css", "selectors", [name]:
            return "PSEUDOS", name
        case "css", "types", [*_, name] if name in FUNCTIONS:
            return "FUNCTIONS", name
        case "html", "elements", [name] if len(name) > MIN_NAME:
            return "ELEMENTS", name
        case "html", "elements", [name, attribute] if len(attribute) >= MIN_ATTRIBUTE:
            return "ATTRIBUTES", (name, attribute)
        case "html", "global_attributes", [attribute] if len(attribute) >= MIN_ATTRIBUTE:
            return "ATTRIBUTES", ("*", attribute)
    return None


def _since(status: Mapping[str, Any]) -> str:
    """Month from which all browsers have it; "" while one lacks it."""
    return str(status.get("baseline_low_date") or "").lstrip("≤")[:7] if status["baseline"] == "low" else ""


def _lacking(status: Mapping[str, Any]) -> str:
    """The browsers that lack it."""
    support = status.get("support") or {}
    lacking = [
        title for key, title in BROWSERS if key not in support or (key == "safari" and "safari_ios" not in support)
    ]
    return ", ".join(lacking)


def module(version: str, data: Mapping[str, Any], day: str = "") -> str:
    """Return the text of the module.

    Args:
        version: Of the package.
        data: Of the package.
        day: On which it was read, ``YYYY-MM-DD``; "": today.
    """
    day = day or time.strftime("%Y-%m-%d", time.gmtime())
    kinds = {
        "FEATURES": (
            "dict[str, tuple[str, str, str]]",
            'Id -> (name, month since when all browsers have it or "", browsers that lack it).',
        ),
        "AT_RULES": ("dict[str, str]", "Name -> feature; likewise below."),
        "PROPERTIES": ("dict[str, str]", ""),
        "VALUES": ("dict[tuple[str, str], str]", "(property, keyword) -> feature."),
        "PSEUDOS": ("dict[str, str]", "Pseudo-classes and pseudo-elements without their colons."),
        "FUNCTIONS": ("dict[str, str]", ""),
        "ELEMENTS": ("dict[str, str]", ""),
        "ATTRIBUTES": ("dict[tuple[str, str], str]", "(element or ``*``, attribute) -> feature."),
    }  # fmt: skip
    parts = [
        '"""Features of CSS and HTML that are not Baseline widely available.\n\n'
        f"From the npm package ``{PACKAGE}`` {version}.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n',
        f'SOURCE: Final = "{SOURCE}"',
        'LICENSE: Final = "Apache-2.0"',
        f'DATE: Final = "{day}"',
        f'VERSION: Final = "{version}"',
    ]
    for name, table in tables(data).items():
        kind, text = kinds[name]
        parts.append(
            f"{name}: Final[{kind}] = {pprint.pformat(table, width=110)}" + (f'\n"""{text}"""' if text else "")
        )
    return "\n".join(parts) + "\n"


def fetch(folder: Path) -> tuple[str, Mapping[str, Any]]:
    """Return version and data of the newest package.

    Args:
        folder: Empty; the package is unpacked there.

    Raises:
        Unreachable: The package cannot be read.
    """
    return load(npm_package(PACKAGE, folder))
