"""Size of a script without white space and comments, and its source map: a scanner, not a parser.

The scanner separates comments, strings, templates and regular expressions from code in linear time. Where JavaScript
needs a whole parser to distinguish a division from a regular expression (after ``)`` and ``}``), it assumes a division;
an error ends with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from operator import methodcaller
from typing import Final

import msgspec

from pagegrade.parse.byte_search import ByteSearch

MIN_SPACE_SHARE: Final = 0.08
"""A script with less white space than this was minified already; scripts as people write them have 20 % and more."""
MAX_VERSIONS: Final = 5
MAX_STOPS: Final = 60_000
"""Comments, strings and slashes looked at in one script; what comes after them is taken as it is."""
MAX_REGEX: Final = 2_000
"""Characters of a regular expression."""
MAX_FAILURES: Final = 200
"""Slashes that might begin a regular expression and do not; after so many, every slash is a division."""
_FUNCTION: Final = (
    r"(?:async\s{1,3})?(?:function\s{0,3}\w{0,40}\s{0,3}\([^()]{0,80}\)|(?:\([^()]{0,80}\)|\w{1,40})\s{0,3}=>)\s{0,9}\{"
)
_AT_LOAD: Final = re.compile(
    rf"\s*(?:[\"']use strict[\"'];?\s*)?(?:[!+;(]{{1,2}}|(?:window\.|document\.body\.)?onload\s{{0,3}}=\s{{0,3}}|"
    r"(?:(?:window|document)\.)?addEventListener\(\s{0,3}[\"'](?:load|DOMContentLoaded|pageshow)[\"']\s{0,3},\s{0,3}|"
    rf"(?:window\.)?setTimeout\(\s{{0,3}}){_FUNCTION}"
)
_UNLESS: Final = re.compile(r"(?<![\w$.])(?:if|for|while|switch|catch|await)(?![\w$])|[?&|]")
_MAX_WRAPPERS: Final = 4
_HANDLER: Final = (
    r"\s{0,3}(?:function\s{0,3}\w{0,40}\s{0,3}\([^()]{0,40}\)|(?:\(\w{0,20}\)|\w{1,20})\s{0,3}=>)\s{0,9}"
    r"\{([^{}]{0,300})\}"
)
_MAX_BEFORE: Final = 100
_MAX_DONE: Final = 500
MAX_HANDLERS: Final = 200
"""Places of the name of an event that are looked at in one script."""
_PAGE: Final = r"(?:document(?:\.body|\.documentElement)?|window|self)"
_OF_PAGE: Final = {
    event: re.compile(
        rf"(?:(?:\b{_PAGE}\s{{0,3}}\.\s{{0,3}}|(?<![\w$.\])]))addEventListener"
        rf"\(\s{{0,3}}[\"'`]{event}[\"'`]\s{{0,3}},|\b{_PAGE}\s{{0,3}}\.\s{{0,3}}on{event}\s{{0,3}}=){_HANDLER}"
    )
    for event in ("beforeunload", "click", "keydown", "keypress", "popstate")
}
"""Name of an event -> a function that a script runs for it, wherever it happens in the page."""
_CANCELS: Final = re.compile(r"\.preventDefault\(\)|\breturn\s{1,3}(?:false|!1)\b")
_RETURN: Final = re.compile(r"\breturn\b")
_DEPENDS: Final = re.compile(r"\bif\b|\bswitch\b|[?&|]|\.(?:key|code|which)\b|\.keyCode\b")
_STRING: Final = re.compile(r"\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'|`[^`]{0,2000}`")
_CURLY: Final = re.compile(r"([{}])")
MAX_AT_LOAD: Final = 4_000
"""Characters of a script that are looked at for what it does to every visitor."""
_SPACE: Final = re.compile(r"[ \t\r\n\f\v]{2,}+|[\t\r\n\f\v]")
"""White space that is not one blank."""
_NEEDLESS: Final = re.compile(r" (?:(?=[^\w$ \u0080-\u00ff])|(?<=[^\w$ \u0080-\u00ff] ))")
"""A blank beside a mark."""
MARKS: Final = (
    *("String.fromCharCode", "atob", "document.write", "getElementById", "uery", "unescape"),  # typos: allow
    *("(p,a,c,k,e,", "\\x", "\\u00", "_0x", "decodeURIComponent", "new Worker", "window.open"),
    *(
        "oinhive",
        "oinHive",
        "oinimp",
        "oinImp",
        "ryptonight",
        "ryptoNight",
        "ryptoloot",
        "stratum+",
        "jsecoin",
        "eepMiner",
    ),
    *("alert(", "clipboard", "confirm(", "eth_requestAccounts", "execCommand", "geolocation", "getUserMedia"),
    *("keydown", "keypress", "keyup", "popstate", "prompt(", "referrer", "requestPermission", "setData("),
    *("beforeunload", "keyboard", "pushState", "requestFullscreen"),
    *(".click()", "location", "ubmit("),
)
"""Parts of code that checks search all inline scripts for; most pages contain few of them."""
_LONGER_MARKS: Final = tuple(mark for mark in MARKS if len(mark) > 2)
_MARK_SEARCH: Final = ByteSearch([mark.encode() for mark in _LONGER_MARKS])
"""One mark of two bytes among them would make the search three times as slow."""
_WITHIN: Final = [
    [
        (at, mark, mark.encode())
        for at in range(len(first))
        for mark in _LONGER_MARKS
        if mark != first and (mark.startswith(first[at:]) or first.startswith(mark, at))
    ]
    for first in _LONGER_MARKS
]
"""Of each mark, where within it others may begin, which the search does not find there."""
_PLAIN_STRING: Final = r"\"(?:[^\"\\\r\n]*+\")?|'(?:[^'\\\r\n]*+')?"
"""A string without escapes, or the quote that another one begins with."""
_STOP: Final = re.compile(rf"{_PLAIN_STRING}|[`/]")
_STOP_IN_TEMPLATE: Final = re.compile(rf"{_PLAIN_STRING}|[`/{{}}]")
_RUNS: Final = {mark: re.compile(rf"[^{mark}\\\r\n]*+") for mark in ('"', "'")}
_TEMPLATE_STOP: Final = re.compile(r"[`\\]|\$\{")
_REGEX_RUN: Final = re.compile(r"[^/\\\[\]\r\n]*+")
_LINE: Final = re.compile(r"[^\r\n]*+")
_LAST_WORD: Final = re.compile(r"(?:^|[^\w$.])(return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await)$")
_BEFORE_REGEX: Final = frozenset("(,=:[!&|?{;+-*%~^<>")
_KEPT_COMMENT: Final = re.compile(r"!|[\s\S]{0,300}?@(?:license|preserve|cc_on)")
_WRITE: Final = re.compile(r"document\.write(?:ln)?\(")
_BEFORE_WRITE: Final = re.compile(r"(?<![\w$.])(?:(?:window|self|top)\.)?\Z")
"""Before a call, in code without needless white space."""
_WRITTEN: Final = "document.write"
_BEFORE_WRITTEN: Final = re.compile(r"(?<![\w$.])(?:(?:window|self|top)\s{0,9}\.\s{0,9})?\Z")
"""Before a possible call, while comments and strings are not recognized."""
_MAX_BEFORE_WRITTEN: Final = 25
_MAP_MARK: Final = b"sourceMappingURL="
_MAP_COMMENT: Final = re.compile(rb"//[#@][ \t]?$|/\*[#@][ \t]?$")
_MAP_URL: Final = re.compile(rb"[^\s'\"`\\*<>]{1,2000}(?=\s|\*/|$)")
_START: Final = methodcaller("start")
_FALLBACK_WRITE: Final = re.compile(r"\|\|(?:(?:window|self|top)\.)?document\.write(?:ln)?\(")
_JQUERY_BANNER: Final = re.compile(r"/\*!?[\s*]{0,40}jQuery (?:JavaScript Library )?v([0-9]{1,3}(?:\.[0-9]{1,3}){1,2})")
_JQUERY_FIELD: Final = re.compile(
    r"\.prototype\s?=\s?\{\s{0,80}jquery\s?:\s?(?:[\"']([0-9.]{3,11})[\"']|([A-Za-z_$][\w$]{0,8}))"
)


class ScriptText(msgspec.Struct, frozen=True, gc=False):
    """A script taken apart."""

    code: str
    """Without comments, strings and templates empty, white space as far as it matters."""
    characters: int
    """As many would be left by a tool that removes comments and white space and renames nothing."""


def minified_script_bytes(body: bytes) -> int:
    """Size of a script without comments and white space; its own size where there is little of them.

    Comments that ask to be kept (``/*!``, ``@license``) are. Never more than ``len(body)``.
    """
    spaces = sum(map(body.count, (b" ", b"\n", b"\t", b"\r")))
    if spaces <= MIN_SPACE_SHARE * len(body):
        return len(body)
    return min(len(body), read_script(body.decode("latin-1")).characters)


def marks_of_script(text: str) -> frozenset[str]:
    """Return which of ``MARKS`` a script contains: one search for all of them. Linear in the text."""
    octets = text.encode("utf-8", "replace")
    found = {"\\x"} if "\\x" in text else set()
    for index, at in _MARK_SEARCH.places(octets, len(octets) + 1):
        found.add(_LONGER_MARKS[index])
        found.update(mark for start, mark, form in _WITHIN[index] if octets.startswith(form, at + start))
    return frozenset(found)


def count_document_writes(text: str) -> int:
    """Calls of ``document.write`` and ``writeln`` in the code of a script.

    Not counted: what stands in comments and strings, other windows' documents, and the customary fallback
    ``window.jQuery || document.write(...)``, which runs only when a file did not arrive.
    """
    last = text.rfind(_WRITTEN)
    while last >= 0 and _BEFORE_WRITTEN.search(text, max(0, last - _MAX_BEFORE_WRITTEN), last) is None:
        last = text.rfind(_WRITTEN, 0, last)
    if last < 0:
        return 0
    # Reading stops behind the last place, in the next parenthesis at best.
    code = read_script(text[: last + len(_WRITTEN) + 60]).code
    calls = sum(_BEFORE_WRITE.search(code, max(0, at - 7), at) is not None for at in map(_START, _WRITE.finditer(code)))
    return max(0, calls - len(_FALLBACK_WRITE.findall(code)))


def find_jquery_versions(text: str) -> tuple[str, ...]:
    """Versions of the copies of jQuery that the text of a script contains, by their own marks; plugins do not count."""
    # "uery" is in both spellings: one search instead of two.  # typos: allow
    if "uery" not in text:  # typos: allow
        return ()
    banners = list(dict.fromkeys(_JQUERY_BANNER.findall(text)))
    if banners:
        return tuple(banners[:MAX_VERSIONS])
    found: dict[str, None] = {}
    for match in islice(_JQUERY_FIELD.finditer(text), 4 * MAX_VERSIONS):
        version = match[1]
        if version is None:
            # A minifier moved the number into a variable.
            named = re.compile(
                rf"(?<![\w$]){re.escape(match[2])}\s?=\s?[\"']([0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{1,2}})[\"']"
            )
            value = named.search(text, max(0, match.start() - 20_000), match.start())
            version = value[1] if value else ""
        if version:
            found.setdefault(version)
        if len(found) >= MAX_VERSIONS:
            break
    return tuple(found)


def find_source_map(body: bytes) -> str:
    """Return the target of the last ``sourceMappingURL`` comment of a script, as written; "" if there is none.

    ``data:`` stands for a map inside the script, however long. Addresses of more than 2,000 characters are none.

    Source: ECMA-426, section "Linking generated code to source maps"
    """
    at = body.rfind(_MAP_MARK)
    if at < 0 or not _MAP_COMMENT.search(body, max(0, at - 8), at):
        return ""
    start = at + len(_MAP_MARK)
    if body.startswith(b"data:", start):
        return "data:"
    found = _MAP_URL.match(body, start)
    return "" if found is None else found[0].decode("utf-8", "replace")


def read_script(text: str) -> ScriptText:
    """Take a script apart. Never raises; linear in the text."""
    pieces: list[str] = []
    kept = 0
    """Characters of literals and kept comments, which no tool may shorten."""
    braces: list[int] = []
    """Open braces inside each open ``${}``."""
    failures = 0
    at = start = 0
    for _ in range(MAX_STOPS):
        stop = (_STOP_IN_TEMPLATE if braces else _STOP).search(text, at)
        if stop is None:
            break
        mark, here = stop[0], stop.start()
        end = here
        literal = '""'
        match mark:
            case "{":
                braces[-1] += 1
                at = here + 1
                continue
            case "}" if braces[-1]:
                braces[-1] -= 1
                at = here + 1
                continue
            case "}":
                braces.pop()
                end = _end_of_template(text, here + 1, braces)
            case "`":
                end = _end_of_template(text, here + 1, braces)
            case "/":
                end, literal = _end_of_slash(text, here, may_be_regex=failures < MAX_FAILURES)
                if not end:
                    failures += literal == "failed"
                    at = here + 1
                    continue
            case '"' | "'":
                end = _end_of_string(text, here + 1, mark)
            case _:
                end = stop.end()
        pieces.append(text[start:here])
        pieces.append(literal)
        if literal != " ":
            kept += end - here - len(literal)
        at = start = end
    else:
        kept += len(text) - start
        start = len(text)
    pieces.append(text[start:])
    code = _NEEDLESS.sub("", _SPACE.sub(" ", "".join(pieces)))
    return ScriptText(code=code, characters=max(0, len(code) + kept))


def _end_of_string(text: str, at: int, mark: str) -> int:
    """Behind the closing quote, or at the line break that ends a broken string."""
    run = _RUNS[mark]
    while True:
        match = run.match(text, at)
        at = len(text) if match is None else match.end()
        if at >= len(text):
            return len(text)
        if text[at] != "\\":
            return at + 1 if text[at] == mark else at
        at += 2


def _end_of_template(text: str, at: int, braces: list[int]) -> int:
    """Behind the closing backtick, or behind the ``${`` that opens code (and is then noted in ``braces``)."""
    while True:
        stop = _TEMPLATE_STOP.search(text, at)
        if stop is None:
            return len(text)
        if stop[0] == "\\":
            at = stop.end() + 1
            continue
        if stop[0] == "${":
            braces.append(0)
        return stop.end()


def _end_of_slash(text: str, here: int, *, may_be_regex: bool) -> tuple[int, str]:
    """(end, what stands for it in the code) of a comment or regular expression; end 0 for a division."""
    if text.startswith("//", here):
        line = _LINE.match(text, here)
        return (len(text) if line is None else line.end()), " "
    if text.startswith("/*", here):
        end = text.find("*/", here + 2)
        stop = len(text) if end < 0 else end + 2
        return stop, '""' if _KEPT_COMMENT.match(text, here + 2, min(stop, here + 300)) else " "
    before = text[max(0, here - 60) : here].rstrip()
    if before and before[-1] not in _BEFORE_REGEX and not _LAST_WORD.search(before):
        return 0, ""
    if not may_be_regex:
        return 0, ""
    at, in_class = here + 1, False
    while True:
        match = _REGEX_RUN.match(text, at, here + MAX_REGEX)
        at = len(text) if match is None else match.end()
        if at >= here + MAX_REGEX:
            return 0, "failed"
        mark = text[at : at + 1]
        if mark in ("", "\r", "\n"):
            return 0, "failed"
        if mark == "/" and not in_class:
            return at + 1, '""'
        in_class = mark == "[" or (in_class and mark != "]")
        at += 2 if mark == "\\" else 1


def done_at_load(text: str) -> str:
    """Return the statements of a script that run for every visitor when the page loads, without those in blocks.

    Functions that run at once, when the page has loaded or after a time are opened; where anything depends on a
    condition, or on what an event brings, nothing is certain, and the answer is empty.
    """
    inside = _without_wrappers(text[:MAX_AT_LOAD])
    kept: list[str] = []
    depth = 0
    for piece in _CURLY.split(inside):
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth -= 1
            if depth < 0:
                break
        elif not depth:
            kept.append(piece)
    certain = "".join(kept)
    return "" if _UNLESS.search(_STRING.sub("", certain)) is not None else certain


def _without_wrappers(text: str) -> str:
    """Return a script without the functions around it that run at once, when the page has loaded or after a time."""
    for _ in range(_MAX_WRAPPERS):
        match = _AT_LOAD.match(text)
        if match is None:
            break
        text = text[match.end() :]
    return text


def handlers_of(text: str, event: str) -> Iterator[str]:
    """Yield what the functions do that a script sets at load for an event of the whole page, each on no condition.

    What a listener returns has no effect, and is left out. Linear.

    Args:
        text: The script.
        event: Name of the event, one of ``beforeunload``, ``click``, ``keydown``, ``keypress`` and ``popstate``.
    """
    text = _without_wrappers(text) if event in text else ""
    at = text.find(event)
    for _ in range(MAX_HANDLERS):
        if at < 0:
            return
        # Around its name, because a search of a whole script takes long.
        match = _OF_PAGE[event].search(text, max(0, at - _MAX_BEFORE), at + _MAX_BEFORE + _MAX_DONE)
        # One that is set in a function holds only while something else does.
        if (
            match is not None
            and _DEPENDS.search(match[1]) is None
            and text.count("{", 0, match.start()) == text.count("}", 0, match.start())
        ):
            yield _RETURN.sub("", match[1]) if "addEventListener" in match[0] else match[1]
        at = text.find(event, at + len(event) if match is None else max(at + len(event), match.end()))


def cancels_all_keys(text: str) -> bool:
    """Return whether a script takes every key that is pressed on a page, whichever it is, and does not let it act."""
    return any(
        _CANCELS.search(done) is not None for event in ("keydown", "keypress") for done in handlers_of(text, event)
    )
