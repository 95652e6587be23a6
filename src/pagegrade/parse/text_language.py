"""Detects the language of a text, where it is beyond doubt, and how much is written from right to left."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

import gcld3

from pagegrade.parse.scripts import main_script, scripts_of_language

WINDOW: Final = 700
"""Characters that are examined at a time; the detector looks at a thousand bytes or fewer and gains little by more."""
MIN_LETTERS: Final = 200
"""In shorter texts, names, labels and loan words decide."""
MIN_LATIN_LETTERS: Final = 500
"""The same for languages in Latin letters, in which every page has some words of English."""
MIN_DIFFERENT: Final = 70
"""Characters of the different words of such a text: a few labels that are repeated are none."""
_MIN_PROBABILITY: Final = 0.97
_MAX_DIFFERENT: Final = 50_000

_DETECTED: Final = frozenset(
    "af am ar az be bg bn bs ca ceb co cs cy da de el en eo es et eu fa fi fil fr fy ga gd gl gu ha haw he hi hmn hr "
    "ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt "
    "ro ru sd si sk sl sm sn so sq sr st su sv sw ta te tg th tr uk ur uz vi xh yi yo zh zu".split()
)
"""The languages that the detector knows: a text in another one is taken for that which looks most like it."""
_LATIN: Final = frozenset(
    "af az bs ca ceb co cs cy da de en eo es et eu fi fil fr fy ga gd gl ha haw hmn hr ht hu id ig is it jv ku lb lt "
    "lv mg mi ms mt nl no ny pl pt ro sk sl sm sn so sq st su sv sw tr uz vi xh yo zu".split()
)
"""Languages of these that are written in Latin letters."""
_FILLER: Final = "la"
"""Filler text has the words of Latin, and is no text in that language."""
_SAME: Final = {"iw": "he", "nb": "no", "nn": "no", "tl": "fil", "ji": "yi", "in": "id", "mo": "ro", "jw": "jv"}
_CHINESE: Final = frozenset({"zh", "cmn", "yue", "wuu", "hak", "nan", "gan", "hsn", "lzh", "cdo"})
_ALIKE: Final = tuple(
    frozenset(group.split())
    for group in (
        "no da sv",
        "hr bs sr sl",
        "be bg mk ru sr uk",
        "cs sk",
        "es gl ca pt",
        "it co es la ro",
        "nl af fy",
        "de lb",
        "id ms jv su",
        "hi mr ne",
        "fa ps ur sd ku",
        "kk ky tg mn uz",
        "tr az uz",
        "fi et",
        "ga gd",
        "zu xh st sn ny",
        "haw sm mi",
        "fil ceb",
        "ht fr co",
    )
)
"""Languages that share most of their short words, so that a detector exchanges them."""

_RIGHT_TO_LEFT: Final = re.compile(
    "["
    "\u05d0-\u05f2\u0620-\u064a\u066e-\u06d3\u06d5\u06fa-\u06ff"  # Hebrew, Arabic
    # Syriac to Mandaic
    "\u0710-\u072f\u074d-\u07a5\u07b1\u07ca-\u07ea\u0800-\u0815\u0840-\u0858\u0860-\u086a\u08a0-\u08c9"
    "\ufb1d-\ufdfb\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff"  # presentation forms, historic, Adlam
    "]",
)
"""Letters with the bidirectional classes R and AL, without marks and digits; Unicode Standard Annex #9."""
_OTHER_LEADS: Final = bytes(set(range(256)) - {*range(0xD7, 0xE1), 0xEF, 0xF0})
"""Bytes that start none of them in UTF-8."""


def detect_language(text: str, *, unless: Collection[str] = ()) -> str:
    """Return the language subtag of ``text``; empty where it is short, mixed or not certain, or as expected.

    Three windows of it are examined (beginning, middle, end), and all of them have to be in one language; the first one
    is enough where it may be in one of ``unless`` (``is_same_language``).
    """
    if len(text) < MIN_LETTERS:
        return ""
    starts = sorted({0, max(0, len(text) // 2 - WINDOW // 2), max(0, len(text) - WINDOW)})
    windows = [text[start : start + WINDOW] for start in starts]
    if sum(map(str.isalpha, windows[0])) < min(MIN_LETTERS, len(windows[0])) // 2:
        return ""
    language = _detect(windows[0])
    if not language or (language in _LATIN and len(text) < MIN_LATIN_LETTERS):
        return ""
    if language in _LATIN and not _is_various(text):
        return ""
    if any(is_same_language(one, language) for one in unless) or not _is_written_in(windows[0], language):
        return ""
    if all(_detect(window) == language for window in windows[1:]):
        return language
    # Words that are repeated over and over do not make a text one of several languages.
    text = text[:_MAX_DIFFERENT]
    different = " ".join(dict.fromkeys(text.split()))
    is_repeated = 2 * len(different) < len(text)
    parts = (different[:WINDOW], different[-WINDOW:])
    return language if is_repeated and all(_detect(one) == language for one in parts) else ""


def _is_various(text: str) -> bool:
    """Return whether the different words of a text are more than a few labels."""
    # The beginning is enough for nearly all texts, without the word that its end cuts.
    beginning = text[: 2 * WINDOW].rpartition(" ")[0]
    return any(
        len(" ".join(dict.fromkeys(part.split()))) >= MIN_DIFFERENT for part in (beginning, text[:_MAX_DIFFERENT])
    )


def _is_written_in(text: str, language: str) -> bool:
    """Return whether most letters of a text are of a script of the language; the detector mistakes rarer scripts."""
    scripts = scripts_of_language(language)
    return not scripts or main_script(text) in {*scripts, *(["Hani"] if "Kana" in scripts else [])}


def is_same_language(declared: str, detected: str) -> bool:
    """Return whether a text of ``detected`` may be what the primary subtag ``declared`` names.

    True also where the two are hardly distinguishable, and where the detector does not know the declared language.
    """
    declared = _SAME.get(declared, declared)
    if declared in _CHINESE:
        declared = "zh"
    if declared == detected or declared not in _DETECTED:
        return True
    return any(declared in group and detected in group for group in _ALIKE)


def right_to_left_ratio(text: str) -> float:
    """Return the share of the letters of ``text`` that are written from right to left, 0 to 1."""
    # Deleting all other bytes costs a tenth of a search with the expression, and most pages end here.
    if text.isascii() or not text.encode("utf-8", "replace").translate(None, _OTHER_LEADS):
        return 0.0
    right = len(_RIGHT_TO_LEFT.findall(text))
    return right / max(1, sum(map(str.isalpha, text))) if right else 0.0


def _detect(text: str) -> str:
    """The language of one window; empty where the detector is not certain."""
    found = _detector().FindLanguage(text=text.encode("utf-8", "replace").decode())
    if not found.is_reliable or found.probability < _MIN_PROBABILITY:
        return ""
    language = str(found.language)
    if language == _FILLER or "-" in language:  # With a script: transliterated, which it hardly knows.
        return ""
    return _SAME.get(language, language)


@cache
def _detector() -> gcld3.NNetLanguageIdentifier:
    return gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * WINDOW)
