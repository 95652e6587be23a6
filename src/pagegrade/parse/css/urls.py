"""URLs that a stylesheet makes a browser fetch: imports, images and fonts.

One pass over the tokens that matter (comments, strings, escapes, blocks, ``url()``), skipping everything else, in time
linear in the text. It is not a CSS parser: declarations are not validated and media conditions not evaluated, so the
answer is what the sheet may load at most.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from pagegrade.parse.url import is_http, join_url, strip_fragment

MAX_REFERENCES: Final = 1_000
"""URLs reported per stylesheet; the rest is not looked at."""
_MAX_URL_CHARACTERS: Final = 8_192
_MAX_NESTING: Final = 512
"""Blocks and functions open at once; deeper ones are counted but remembered no more."""

# Every repeated alternative begins with a character that no other can, and sets are repeated possessively, so there is
# one way to match and every search is linear. Groups are repeated greedily: before Python 3.11.5 a possessive repeat
# of a group loses its place.
_ESCAPE: Final = r"\\(?:[0-9A-Fa-f]{1,6}+(?:\r\n|[ \t\r\n\f])?|[^0-9A-Fa-f\r\n\f])"
_NAME: Final = rf"(?:[-\w\u0080-\U0010ffff]|{_ESCAPE})+"
_TOKEN: Final = re.compile(rf"(?P<comment>/\*)|(?P<quote>[\"'])|(?P<name>[@#]?+{_NAME})|(?P<mark>[{{}}()\[\];])")
_STRING: Final = {quote: re.compile(rf"(?:[^{quote}\\\r\n\f]++|\\(?:\r\n|[\s\S]))*") for quote in ('"', "'")}
_SPACE: Final = re.compile(r"[ \t\r\n\f]*+")
_BARE_URL: Final = re.compile(rf"(?:[^\"'()\\ \t\r\n\f\x00-\x08\x0b\x0e-\x1f\x7f]++|{_ESCAPE})*")
_BAD_URL: Final = re.compile(r"(?:[^)\\]++|\\[\s\S])*")
_PLAIN: Final = (
    r"(?:[^{}\"'/\\(@]++|/(?!\*)|(?<![uU][rR][lL])(?<![sS][eE][tT])(?<![mM][aA][tT])\("
    r"|\"(?:[^\"\\\r\n\f]|\\[^\r\n\f])*\"|'(?:[^'\\\r\n\f]|\\[^\r\n\f])*'|\\[^\w\r\n\f])*"
)
"""Selectors or declarations that name no URL: no comment, at-rule, escaped name, ``url(``, ``image-set(`` or
``format(``."""
# Both cases are written out: an expression that ignores case looks at characters one by one, three times as slowly.
_PLAIN_RULES: Final = re.compile(rf"(?:{_PLAIN}\{{{_PLAIN}\}})*")
_AROUND_RULES: Final = re.compile(r"[ \t\r\n\f]*+(?:\}|@media(?:[^{}\"'/;\\@(]|(?<![lL])\()*\{)")
"""The end of a block of rules, or the beginning of one for certain media."""
# lint: allow nested-repeat - each begins with another character
_PLAIN_PART: Final = re.compile(r"(?:[^{}\"'/(@]++|/(?!\*)|\"[^\"\r\n\f]*+\"|'[^'\r\n\f]*+')*")
"""The same without any function, in a text without escapes."""
_FUNCTION: Final = re.compile(r"#?[-\w\u0080-\U0010ffff]*\Z")
"""The name before a parenthesis."""
_MAX_FUNCTION: Final = 60
"""Characters of a name that matter."""
_ESCAPED: Final = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\r\n\f])|([\s\S]))")
_CHARSET_RULE: Final = re.compile(rb'@charset "([!#-~]{1,40})";')
_CHARSET_PARAMETER: Final = re.compile(r"(?i)charset\s{0,20}=\s{0,20}[\"']?([\w.:-]{1,40})")
_LATIN1_LABELS: Final = frozenset({"iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252"})
_FONT_RANKS: Final = (("woff2", 3), ("woff", 2), ("ttf", 1), ("otf", 1), ("truetype", 1), ("opentype", 1))


class StylesheetURL(msgspec.Struct, frozen=True, kw_only=True):
    """A URL in a fetching position of a stylesheet."""

    url: str
    """Absolute, http or https, without fragment."""
    kind: Literal["stylesheet", "image", "font"]
    alternative: bool
    """One of several candidates (font formats, ``image-set()``) of which a browser prefers another."""


def find_stylesheet_references(body: bytes, *, url: str, content_type: str | None = None) -> tuple[StylesheetURL, ...]:
    """List what the stylesheet ``body`` refers to.

    Args:
        body: As served, without content coding.
        url: Its own address, the base of relative URLs (CSS Values 4, 4.5.1).
        content_type: The ``Content-Type`` header's value, for its charset.

    Returns:
        At most ``MAX_REFERENCES`` entries in order of first mention, one for each URL and kind. ``data:`` and other
        schemes, fragments of the document and unreadable URLs are left out.
    """
    return find_css_urls(decode_stylesheet(body, content_type), base_url=url)


def decode_stylesheet(body: bytes, content_type: str | None) -> str:
    """Turn bytes into text: byte order mark, then header, then ``@charset``, else UTF-8 (CSS Syntax 3, 3.2).

    Encodings other than UTF-8, UTF-16 with a mark and Windows-1252 are read as UTF-8: URLs are ASCII as good as always.
    """
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")):
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    declared = _CHARSET_PARAMETER.search((content_type or "")[:1_000])
    rule = _CHARSET_RULE.match(body)
    label = declared[1] if declared else rule[1].decode("ascii") if rule else ""
    return body.decode("cp1252" if label.lower() in _LATIN1_LABELS else "utf-8", "replace")


def find_css_urls(text: str, *, base_url: str, declarations: bool = False) -> tuple[StylesheetURL, ...]:
    """List the URLs in the text of a stylesheet, a ``<style>`` element or a ``style`` attribute.

    Args:
        text: Decoded CSS.
        base_url: What relative URLs resolve against.
        declarations: The text is a declaration list (a ``style`` attribute), so no rule surrounds it.
    """
    if "\\" not in text:
        # Without escapes every name is written out, and a text without these three names no file.
        folded = text.lower()
        if "url(" not in folded and "image-set(" not in folded and "@import" not in folded:
            return ()
    return _Scanner(text, base_url, declarations=declarations).run()


class _Scanner:
    """State of one pass."""

    def __init__(self, text: str, base_url: str, *, declarations: bool) -> None:
        self._text = text
        self._has_escapes = "\\" in text
        self._base_url = base_url
        self._found: dict[tuple[str, str], StylesheetURL] = {}
        self._blocks = ["style"] if declarations else []
        """Kind of every open ``{}`` block: ``font-face``, ``style`` or the at-rule's name."""
        self._functions: list[str] = []
        """Name of every open ``()``; "" for a plain parenthesis."""
        self._overflow = 0
        self._prelude = ""
        """Name of the at-rule whose prelude we are in."""
        self._imports_allowed = not declarations
        self._imported = False
        """An import was read."""
        self._image_set_filled = False
        self._faces: list[tuple[str, int]] = []
        """Candidates of the font face that is open: (URL, rank by format)."""

    def run(self) -> tuple[StylesheetURL, ...]:
        """Scan to the end or to the limit."""
        text, position, stepping = self._text, self._skip_plain_rules(0), not self._has_escapes
        while len(self._found) < MAX_REFERENCES:
            token = _TOKEN.search(text, position)
            if token is None:
                break
            position = token.end()
            match token.lastgroup:
                case "comment":
                    end = text.find("*/", position)
                    position = self._skip_plain_rules(len(text) if end < 0 else end + 2)
                case "quote":
                    value, position = self._string(token[0], position)
                    self._on_string(value)
                case "name":
                    position = self._on_name(token[0], position)
                    if stepping and text.startswith(")", position - 1):
                        position = self._skip_plain_rules(position)
                case _:
                    self._on_mark(token[0])
                    if token[0] in "{}" or (stepping and token[0] == ")"):
                        position = self._skip_plain_rules(position)
        self._close_face()
        return tuple(self._found.values())[:MAX_REFERENCES]

    def _skip_plain_rules(self, position: int) -> int:
        """Step over whole rules that name no URL, which most do not, and up to the first function of the next one.

        Tried only behind a brace, a comment or a function, so that no stretch of text is looked at more than a few
        times. It is forty times faster than token by token.
        """
        if self._imports_allowed or self._prelude or self._functions or self._blocks[-1:] == ["font-face"]:
            return position
        text = self._text
        while (rules := _PLAIN_RULES.match(text, position)) is not None:
            position = rules.end()
            around = _AROUND_RULES.match(text, position)
            if around is None:
                break
            position = around.end()
            if around[0].endswith("{"):
                self._open(self._blocks, "media")
                continue
            self._close_block()
            if self._blocks[-1:] == ["font-face"]:
                return position
        part = None if self._has_escapes else _PLAIN_PART.match(text, position)
        if part is None:
            return position
        end = part.end()
        if not text.startswith("(", end):
            return end
        # Back to the beginning of the name of the function.
        name = _FUNCTION.search(text, max(position, end - _MAX_FUNCTION), end)
        return end if name is None else max(position, name.start())

    def _string(self, quote: str, position: int) -> tuple[str, int]:
        """Contents of a string and where it ends; an unescaped line break ends it too (CSS Syntax 3, 4.3.5)."""
        body = _STRING[quote].match(self._text, position)
        if body is None:
            return "", position
        end = body.end()
        closed = self._text.startswith(quote, end)
        return _unescape(body[0][:_MAX_URL_CHARACTERS]), end + 1 if closed else end

    def _on_string(self, value: str) -> None:
        if self._prelude == "import" and not self._functions:
            self._add_import(value)
        elif self._functions and self._functions[-1] in ("image-set", "-webkit-image-set"):
            self._on_url(value)
        elif self._functions and self._functions[-1] == "format" and self._faces:
            self._faces[-1] = (self._faces[-1][0], _font_rank(value.lower()))

    def _on_name(self, raw: str, position: int) -> int:
        """An identifier, function name, hash or at-keyword; gives the position behind what it consumes."""
        if raw.startswith("@"):
            self._on_at_keyword(_unescape(raw[1:60]).lower())
            return position
        if not self._text.startswith("(", position):
            # "--" is what is left of <!-- and -->, which may stand between rules (CSS Syntax 3, 5.4.1).
            if not self._blocks and not self._prelude and raw != "--":
                self._imports_allowed = False
            return position
        position += 1
        name = _unescape(raw[:60]).lower()
        if name != "url":
            if name in ("image-set", "-webkit-image-set"):
                self._image_set_filled = False
            self._open(self._functions, name)
            return position
        position = self._skip_space(position)
        if self._text[position : position + 1] in ('"', "'"):
            value, position = self._string(self._text[position], position + 1)
            self._open(self._functions, "url")
        else:
            bare = _BARE_URL.match(self._text, position)
            end = position if bare is None else bare.end()
            value, close = self._text[position:end], self._skip_space(end)
            if close < len(self._text) and self._text[close] != ")":
                bad = _BAD_URL.match(self._text, close)
                return len(self._text) if bad is None else bad.end() + 1
            value, position = _unescape(value[:_MAX_URL_CHARACTERS]), close + 1
        self._on_url(value)
        return position

    def _skip_space(self, position: int) -> int:
        space = _SPACE.match(self._text, position)
        return position if space is None else space.end()

    def _on_at_keyword(self, name: str) -> None:
        # Names of layers may stand before the imports, not between them (CSS Cascade 5, 2).
        if not self._blocks and (name not in ("import", "charset", "layer") or (name == "layer" and self._imported)):
            self._imports_allowed = False
        self._prelude = name or "?"

    def _on_mark(self, mark: str) -> None:
        match mark:
            case "(":
                self._open(self._functions, "")
            case ")":
                if self._functions:
                    self._functions.pop()
            case "{":
                self._imports_allowed = False
                self._functions.clear()
                self._open(self._blocks, self._prelude or "style")
                self._prelude = ""
            case "}":
                self._functions.clear()
                self._prelude = ""
                self._close_block()
            case ";" if not self._functions:
                self._prelude = ""

    def _open(self, stack: list[str], name: str) -> None:
        if len(stack) < _MAX_NESTING:
            stack.append(name)
        elif stack is self._blocks:
            self._overflow += 1

    def _close_block(self) -> None:
        if self._overflow:
            self._overflow -= 1
        elif self._blocks and self._blocks.pop() == "font-face":
            self._close_face()

    def _on_url(self, value: str) -> None:
        """A ``url()`` or an image-set string in any position."""
        if self._prelude == "import" and "supports" not in self._functions:
            self._add_import(value)
        elif self._prelude or not self._blocks:
            return  # @namespace, @document and the like name things, they fetch nothing.
        elif self._blocks[-1] == "font-face":
            url = self._resolve(value)
            if url is not None and len(self._faces) < MAX_REFERENCES:
                self._faces.append((url, _font_rank(url.partition("?")[0].rpartition(".")[2].lower())))
        else:
            in_set = "image-set" in self._functions[-2:] or "-webkit-image-set" in self._functions[-2:]
            self._add(self._resolve(value), "image", alternative=in_set and self._image_set_filled)
            self._image_set_filled = self._image_set_filled or in_set

    def _add_import(self, value: str) -> None:
        """Only the first URL of an import counts, and only before other rules (CSS Cascade 5, 2)."""
        if self._imports_allowed and not self._blocks:
            self._imported = True
            self._add(self._resolve(value), "stylesheet")
        self._prelude = "import-conditions"

    def _close_face(self) -> None:
        """Prefer the best compressed format among the candidates of a face, as its ``src`` list intends."""
        if self._faces:
            best = max(self._faces, key=lambda face: face[1])
            for face in self._faces:
                self._add(face[0], "font", alternative=face[0] != best[0])
        self._faces = []

    def _resolve(self, value: str) -> str | None:
        value = value.strip(" \t\r\n\f")
        if not value or value.startswith("#") or value[:5].lower() == "data:":
            return None
        url = join_url(self._base_url, value)
        return strip_fragment(url) if url is not None and is_http(url) else None

    def _add(self, url: str | None, kind: Literal["stylesheet", "image", "font"], *, alternative: bool = False) -> None:
        if url is None:
            return
        known = self._found.get((url, kind))
        if known is None or (known.alternative and not alternative):
            self._found[url, kind] = StylesheetURL(url=url, kind=kind, alternative=alternative)


def _font_rank(label: str) -> int:
    """Rank a font format named in ``format()`` or by an extension; 0 for an unknown one."""
    return next((rank for name, rank in _FONT_RANKS if label.startswith(name)), 0)


def _unescape(text: str) -> str:
    """Resolve escapes (CSS Syntax 3, 4.3.7); an escaped line break in a string is nothing."""
    return _ESCAPED.sub(_unescape_one, text) if "\\" in text else text


def _unescape_one(match: re.Match[str]) -> str:
    if match[1]:
        point = int(match[1], 16)
        valid = 0 < point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF
        return chr(point) if valid else "\N{REPLACEMENT CHARACTER}"
    return match[3] or ""
