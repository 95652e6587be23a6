"""Finds text that was decoded with the wrong encoding, and characters that were lost.

Two ways, which complete each other. Windows-1252 turns every character of UTF-8 into two to four of its own, and the
first is one that hardly any language puts before the second: single places of such pairs are found anywhere. For every
other encoding whole texts are tried: written in that encoding again, text that was misread becomes valid UTF-8 nearly
everywhere, and no text of a language does. So no word of any language has to be known.

Source: https://encoding.spec.whatwg.org/#legacy-single-byte-encodings
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

MAX_FOUND: Final = 1_000
NEAR_CHARS: Final = 30
"""Shown on either side."""
_CONTINUATIONS: Final = re.escape(
    "".join(bytes([octet]).decode("cp1252", "ignore") or chr(octet) for octet in range(0x80, 0xC0))
)
"""The bytes 80 to BF as browsers decode them: those without a character of their own stay control characters."""
ENCODINGS: Final = (
    *("cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
    *("iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-10"),
    *("iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("cp437", "cp850", "cp866"),
)
"""Encodings of one byte, of the Encoding standard and of DOS, in which UTF-8 is misread."""
WIDE_ENCODINGS: Final = ("gb18030", "cp932", "cp949")
"""The same of more bytes; they turn everything into Chinese, Japanese or Korean characters."""
_WIDE: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff61-\uff9f]")
MIN_SEQUENCES: Final = 6
"""Different characters that have to be found in a text before it counts as misread as a whole."""
_MIN_SHARE: Final = 0.9
"""Share of the bytes beyond ASCII that form valid UTF-8; texts of every language stay far below."""
_MIN_WORDS: Final = 3
_SAMPLE: Final = 400
_FIRST: Final = 60
_MIN_FIRST_SHARE: Final = 0.7
"""Share in the first characters of a sample from which on the whole is tried: most encodings end here."""
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+ ?")
_SEQUENCE: Final = re.compile(rb"[\xc2-\xdf][\x80-\xbf ]|[\xe0-\xef][\x80-\xbf ]{2}|[\xf0-\xf4][\x80-\xbf ]{3}")
"""One character of UTF-8. Browsers and authors turn the byte A0 into a blank, so a blank may stand for a byte."""
_LETTER: Final = re.compile(r"[^\W\d_]|[\u0591-\u05c7\u064b-\u0655\u0e31-\u0e4e]")
_MAX_LETTERS: Final = 0.93
"""Share of letters and vowel signs above which a text was not misread in an encoding of one byte: these have
signs where UTF-8 begins or continues a character."""
_ONE_BYTE: Final = re.compile("[\x80-\u06ff\u0e00-\u0e7f\u1e00-\u1fff\u2000-\u2bff\uf8ff\ufb01\ufb02\ufffd ]")
"""Characters that those encodings have characters for."""
_MISPLACED: Final = {
    "letters with accents": (re.compile("[À-ÖØ-öø-ÿ]{4,}"), 0.35, "cp1252", "cp1251"),
    "capitals inside of words": (
        re.compile("(?<![а-яё])[а-яё][А-ЯЁ]{2,}"),  # noqa: RUF001 - Cyrillic letters
        0.05,
        "cp1251",
        "koi8-r",
    ),
}
"""Signs that letters of one alphabet were read as those of another -> (what is there, its least share of the
sample, the encoding in which it was read, a likely one in which it was written). No language has words of four letters
with accents in a row, or whose first letter is their only small one."""
_ASCII: Final = bytes(range(0x80))
_LOST: Final = re.compile("[\x80-\x9f\N{REPLACEMENT CHARACTER}]")
"""Signs that a browser shows for a byte without a character, and what others leave of it."""
_CONTINUING: Final = {
    encoding: next(one for octet in range(0xB1, 0xC0) if (one := bytes([octet]).decode(encoding, "ignore")))
    for encoding in ENCODINGS
}
"""A character of each encoding that stands for a byte inside of a character of UTF-8."""
_MARKS: Final = "ÂÃâð\N{REPLACEMENT CHARACTER}"
_SYMBOLS: Final = "¡-ª¬®-º¼-¿"
"""The bytes A1 to BF without the quotation marks, which may follow a word in capitals."""
_QUOTES: Final = "€‚ƒ„…†‡ˆ‰Š‹Œ\u008d\u008eŽ\u008f\u0090‘’“”•–—˜™š›œ\u009dž\u009eŸ\u00a0«»"  # noqa: RUF001 - bytes of Windows-1252
_LOWER: Final = "a-zß-öø-ÿ"
_GARBLED: Final = re.compile(
    # Every alternative begins with its mark, what stands before it is looked at behind it: so the search can skip to
    # the next mark.
    # Both at once: encoded twice.
    rf"Ãƒ[ÂÅ][{_CONTINUATIONS}]|Ã¢â‚¬[{_CONTINUATIONS}]{{0,2}}"  # noqa: RUF001 - as above
    # Two bytes: letters with accents (C3). Languages with words that end in this letter write them in capitals.
    rf"|Ã[{_SYMBOLS}]|Ã(?<=[{_LOWER}]Ã)[{_QUOTES}]|Ã(?<![A-ZÀ-Þ]Ã)[{_QUOTES}](?=[{_LOWER}])"
    # Two bytes: the signs of Latin-1 (C2).
    rf"|Â(?<![A-ZÀ-Þ]Â)[{_SYMBOLS}«»]"
    # Three bytes: quotation marks, dashes, the trade mark, signs (E2).
    rf"|â(?:€[{_CONTINUATIONS}]|‚¬|„¢|[†œ][{_CONTINUATIONS}])"  # noqa: RUF001 - as above
    # Four bytes: emoji (F0 9F).
    rf"|ðŸ[{_CONTINUATIONS}]{{1,2}}"
    # Characters that were lost: at least two together, or one inside a word.
    "|\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}+"
    r"|\N{REPLACEMENT CHARACTER}(?<=[^\W\d_]\N{REPLACEMENT CHARACTER})(?=[^\W\d_])"
)


class Garbled(msgspec.Struct, frozen=True, gc=False):
    """One place."""

    text: str
    """The characters as they stand there."""
    context: str
    """The same with what stands around them."""
    meant: str
    """Text that was probably meant; "" where characters are lost."""


def find_mojibake(text: str) -> Iterator[Garbled]:
    """The places in a text, in order, at most ``MAX_FOUND``. Never raises; linear in the text."""
    if not any(mark in text for mark in _MARKS):
        return
    for number, match in enumerate(_GARBLED.finditer(text)):
        if number >= MAX_FOUND:
            return
        start, end = match.span()
        context = text[max(0, start - NEAR_CHARS) : end + NEAR_CHARS]
        yield Garbled(text=match[0], context=context.strip(), meant=_undo(match[0]))


def misread_as(text: str) -> str | None:
    """Return the encoding in which UTF-8 was misread to give most of the text beyond ASCII; ``None`` for other texts.

    Only the beginning and the end of what is beyond ASCII are tried, so that the time does not depend on the text.
    """
    if text.isascii():
        return None
    sample = _sample(text)
    for name, (pattern, least, _, _) in _MISPLACED.items():
        found_in = pattern.findall(sample)
        if len(found_in) >= _MIN_WORDS and sum(map(len, found_in)) > least * len(sample):
            return name
    size = len(sample)
    is_wide = 2 * len(_WIDE.findall(sample)) > size
    if not is_wide and (
        size < 2 * MIN_SEQUENCES
        or len(_LETTER.findall(sample)) > _MAX_LETTERS * (size - sample.count(" "))
        or len(_ONE_BYTE.findall(sample)) < _MIN_SHARE * size
    ):
        return None
    best, found = _MIN_SHARE, None
    for encoding in WIDE_ENCODINGS if is_wide else ENCODINGS:
        if _valid_share(sample[:_FIRST], encoding, least=_MIN_FIRST_SHARE)[1] < _MIN_FIRST_SHARE:
            continue
        count, share = _valid_share(sample, encoding)
        if count >= MIN_SEQUENCES and share > best:
            best, found = share, encoding
    return found


def find_misread(text: str, encoding: str) -> Iterator[Garbled]:
    """The words of a text that are UTF-8 misread in an encoding (see ``misread_as``), at most ``MAX_FOUND``."""
    if text.isascii():
        return
    number = 0
    misplaced = _MISPLACED.get(encoding)
    for match in (_BEYOND_ASCII if misplaced is None else misplaced[0]).finditer(text):
        count, share = _valid_share(match[0], encoding) if misplaced is None else (1, 1.0)
        if not count or share < _MIN_SHARE:
            continue
        number += 1
        if number > MAX_FOUND:
            return
        start, end = match.span()
        context = text[max(0, start - NEAR_CHARS) : end + NEAR_CHARS]
        yield Garbled(text=match[0].strip(), context=context.strip(), meant=_meant(match[0].rstrip(), encoding))


def _sample(text: str) -> str:
    """Some of the characters beyond ASCII, with the blanks behind them."""
    parts: list[str] = []
    size = 0
    for piece in (text[:20_000], text[-20_000:] if len(text) > 20_000 else ""):
        size = 0
        for match in _BEYOND_ASCII.finditer(piece):
            parts.append(match[0])
            size += len(match[0])
            if size >= _SAMPLE:
                break
    return "".join(parts)


def _valid_share(text: str, encoding: str, *, least: float = 0.0) -> tuple[int, float]:
    """(different characters of UTF-8 in the text's bytes, share of the bytes beyond ASCII that they take).

    Both may be 0 where that share is smaller than ``least``.
    """
    if encoding in _CONTINUING and _LOST.search(text) is not None:
        text = _LOST.sub(_CONTINUING[encoding], text)
    octets = text.encode(encoding, "replace")
    # There was no question mark before: each stands for a character that the encoding does not have.
    kept = len(octets.translate(None, _ASCII))
    beyond = kept + octets.count(b"?")
    if not beyond or kept < least * beyond:
        return 0, 0.0
    sequences = _SEQUENCE.findall(octets)
    # A sign before a blank that comes again and again, such as that of a currency, is one.
    different = {one for one in sequences if b" " not in one}
    return len(different), len(b"".join(sequences).translate(None, _ASCII)) / beyond


def _meant(text: str, encoding: str) -> str:
    """The text that was misread; "" where bytes of it are lost."""
    written, meant = _MISPLACED[encoding][2:] if encoding in _MISPLACED else (encoding, "utf-8")
    try:
        return text.encode(written).decode(meant)
    except UnicodeError:
        return _undo(text) if encoding == "cp1252" else ""


def _undo(text: str) -> str:
    """The text whose UTF-8 was read as Windows-1252; "" when there is none."""
    octets = bytearray()
    for character in text:
        try:
            octets += character.encode("cp1252")
        except UnicodeEncodeError:
            point = ord(character)
            if point > 0xFF:
                return ""
            octets.append(point)
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return ""
