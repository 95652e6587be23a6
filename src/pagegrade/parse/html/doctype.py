"""Rendering mode that a document type declaration selects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal

from pagegrade.model.document import Doctype
from pagegrade.parse.html.markup import Fault

_FORCING: Final = frozenset(
    {
        "abrupt-doctype-public-identifier",
        "abrupt-doctype-system-identifier",
        "eof-in-doctype",
        "invalid-character-sequence-after-doctype-name",
        "missing-doctype-name",
        "missing-doctype-public-identifier",
        "missing-doctype-system-identifier",
        "missing-quote-before-doctype-public-identifier",
        "missing-quote-before-doctype-system-identifier",
    }
)
"""Mistakes that set the force-quirks flag."""
Mode = Literal["no-quirks", "limited-quirks", "quirks"]

_QUIRKS_PUBLIC: Final = frozenset(
    {"-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"},
)
_QUIRKS_SYSTEM: Final = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_QUIRKS_PREFIXES: Final = tuple(
    f"{owner.lower()}//dtd {name.lower()}"
    for owner, names in {
        "+//silmaril": ("html pro v0r11 19970101//",),
        "-//as": ("html 3.0 aswedit + extensions//",),
        "-//advasoft ltd": ("html 3.0 aswedit + extensions//",),
        "-//ietf": (
            *(f"html 2.0 {word}//" for word in ("level 1", "level 2", "strict level 1", "strict level 2", "strict")),
            *(f"html {word}//" for word in ("2.0", "2.1e", "3.0", "3.2 final", "3.2", "3", "level 0", "level 1")),
            *(f"html {word}//" for word in ("level 2", "level 3", "strict level 0", "strict level 1")),
            *(f"html {word}//" for word in ("strict level 2", "strict level 3", "strict")),
            "html//",
        ),
        "-//metrius": ("metrius presentational//",),
        "-//microsoft": tuple(
            f"internet explorer {version} {kind}//"
            for version in ("2.0", "3.0")
            for kind in ("html strict", "html", "tables")
        ),
        "-//netscape comm. corp.": ("html//", "strict html//"),
        "-//o'reilly and associates": ("html 2.0//", "html extended 1.0//", "html extended relaxed 1.0//"),
        "-//sq": ("html 2.0 hotmetal + extensions//",),
        "-//softquad software": ("hotmetal pro 6.0::19990601::extensions to html 4.0//",),
        "-//softquad": ("hotmetal pro 4.0::19971010::extensions to html 4.0//",),
        "-//spyglass": ("html 2.0 extended//",),
        "-//sun microsystems corp.": ("hotjava html//", "hotjava strict html//"),
        "-//w3c": (
            "html 3 1995-03-24//",
            *(f"html {word}//" for word in ("3.2 draft", "3.2 final", "3.2", "3.2s draft", "4.0 frameset")),
            *(f"html {word}//" for word in ("4.0 transitional", "experimental 19960712", "experimental 970421")),
            "w3 html//",
        ),
        "-//w3o": ("w3 html 3.0//",),
        "-//webtechs": ("mozilla html 2.0//", "mozilla html//"),
    }.items()
    for name in names
)
_LIMITED_XHTML: Final = ("-//w3c//dtd xhtml 1.0 frameset//", "-//w3c//dtd xhtml 1.0 transitional//")
_HTML401: Final = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def is_malformed(errors: Sequence[Fault], codes: Collection[str]) -> bool:
    """Return whether the declaration is broken in a way that gives quirks mode, whatever else it says.

    Args:
        errors: What the parser had to repair, in order.
        codes: The codes among them.

    Source: https://html.spec.whatwg.org/multipage/parsing.html#doctype-state and the states after it
    """
    if _FORCING.isdisjoint(codes):
        return False
    for error in errors:
        if error.code == "unexpected-doctype":
            # From here on they belong to a second declaration, which browsers ignore.
            return False
        if error.code in _FORCING:
            return not any(
                other.code == "unexpected-doctype" and (other.line, other.col) <= (error.line, error.col)
                for other in errors
            )
    return False


def rendering_mode(doctype: Doctype | None, *, malformed: bool = False) -> Mode:
    """The mode a browser renders in.

    Source: https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode
    """
    if doctype is None or malformed or doctype.name != "html":
        return "quirks"
    public = (doctype.public_id or "").lower()
    system = doctype.system_id
    if public in _QUIRKS_PUBLIC or (system or "").lower() == _QUIRKS_SYSTEM or public.startswith(_QUIRKS_PREFIXES):
        return "quirks"
    if public.startswith(_HTML401):
        return "quirks" if system is None else "limited-quirks"
    return "limited-quirks" if public.startswith(_LIMITED_XHTML) else "no-quirks"
