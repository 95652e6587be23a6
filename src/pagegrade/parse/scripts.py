"""Scripts of a text, and the scripts in which languages are written.

Source: https://www.unicode.org/Public/UCD/latest/ucd/Blocks.txt, and ``Suppress-Script`` in the IANA Language Subtag
Registry, which names the script that nearly all texts of a language use.
"""

from __future__ import annotations

import re
from typing import Final

MAX_TEXT: Final = 6_000
"""Characters of a text that are looked at."""
_RANGES: Final = {
    "Latn": "A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff",
    "Grek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrl": "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f",
    "Armn": "\u0531-\u058a",
    "Hebr": "\u05d0-\u05f4",
    "Arab": "\u0620-\u065f\u0670-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "Thaa": "\u0780-\u07bf",
    "Deva": "\u0900-\u0963\u0970-\u097f",
    "Beng": "\u0980-\u09e5\u09f0-\u09ff",
    "Guru": "\u0a00-\u0a65\u0a70-\u0a7f",
    "Gujr": "\u0a80-\u0ae5",
    "Orya": "\u0b00-\u0b65",
    "Taml": "\u0b80-\u0be5",
    "Telu": "\u0c00-\u0c65",
    "Knda": "\u0c80-\u0ce5",
    "Mlym": "\u0d00-\u0d65",
    "Sinh": "\u0d80-\u0de5",
    "Thai": "\u0e01-\u0e4e",
    "Laoo": "\u0e81-\u0ecd",
    "Tibt": "\u0f00-\u0f1f\u0f40-\u0fff",
    "Mymr": "\u1000-\u103f\u1050-\u109f",
    "Geor": "\u10a0-\u10ff\u1c90-\u1cbf",
    "Ethi": "\u1200-\u139f",
    "Khmr": "\u1780-\u17d3",
    "Hang": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",
    "Kana": "\u3040-\u30ff\uff66-\uff9f",
    "Hani": "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
}
_LETTERS: Final = {script: re.compile(f"[{ranges}]+") for script, ranges in _RANGES.items()}
_ANY: Final = re.compile(f"[{''.join(_RANGES.values())}]+")
_TOGETHER: Final = {
    "jpan": ("Kana", "Hani", "Latn"),
    "kore": ("Hang", "Hani"),
    "hans": ("Hani",),
    "hant": ("Hani",),
    "hanb": ("Hani",),
}
"""Scripts that are several of the above."""
_LANGUAGES: Final = {
    "Latn": "af ay bs ca ch cs cy da de dsb en eo es et eu fi fj fo fr frr frs fy ga gl gn gsw gv hr hsb ht hu id in "
    "is it kl la lb ln lt lv men mg mh mo ms mt na nb nd nds niu nl nn no nr nso ny om pl pt qu rm rn ro rw sg sk sl "
    "sm so sq ss st sv sw tem tkl tl tmh tn to tpi tr ts tvl ve vi xh zu",
    "Cyrl": "ab be bg kk mk ru uk",
    "Arab": "ar fa ps ur",
    "Deva": "hi kok mai mr ne",
    "Beng": "as bn",
    "Hebr": "he iw yi",
    "Ethi": "am ti",
    "Grek": "el",
    "Armn": "hy",
    "Geor": "ka",
    "Thaa": "dv",
    "Tibt": "dz",
    "Gujr": "gu",
    "Guru": "pa",
    "Orya": "or",
    "Taml": "ta",
    "Telu": "te",
    "Knda": "kn",
    "Mlym": "ml",
    "Sinh": "si",
    "Thai": "th",
    "Laoo": "lo",
    "Mymr": "my",
    "Khmr": "km",
    "Jpan": "ja",
    "Kore": "ko",
    "Hans": "zh",
}
_SCRIPT_OF: Final = {language: script for script, languages in _LANGUAGES.items() for language in languages.split()}


def count_letters(text: str, *scripts: str) -> int:
    """Count the letters of some scripts, or of all, in the beginning of a text; a syllable or an ideograph is one."""
    text = text[:MAX_TEXT]
    patterns = [_LETTERS[script] for script in scripts] or [_ANY]
    return sum(len(run) for pattern in patterns for run in pattern.findall(text))


def main_script(text: str) -> str | None:
    """Return the script of most of the letters of a text; Japanese counts as ``Hani`` with or without kana."""
    scripts = ("Latn",) if text.isascii() else _LETTERS
    counts = {script: count_letters(text, script) for script in scripts}
    counts["Hani"] = counts.get("Hani", 0) + counts.pop("Kana", 0)
    script = max(counts, key=lambda name: counts[name])
    return script if counts[script] else None


def scripts_of_language(tag: str) -> tuple[str, ...]:
    """The scripts of ``count_letters`` in which a language is written; empty where there are several ways or none.

    Args:
        tag: A language tag; a script that it names counts more than its language.
    """
    language, *others = tag.lower().split("-")
    named = next((part for part in others if len(part) == 4 and part.isalpha()), None)
    script = named or _SCRIPT_OF.get(language, "").lower()
    if script in _TOGETHER:
        return _TOGETHER[script]
    return (script.title(),) if script.title() in _RANGES else ()
