"""What a check measured against what it allows, from the details a result keeps for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pagegrade.model.outcome import Detail
from pagegrade.model.report import Result
from pagegrade.render import view
from pagegrade.render.english import ENGLISH, Words
from pagegrade.render.escape import visible

MAX_SHOWN: Final = 4
_NOT_A_LIMIT: Final = frozenset({"status"})
"""Numbers that are to be met, not kept below or above."""
_SAVINGS: Final = frozenset({"largest_saving_bytes", "saving_bytes", "wasted_bytes"})
"""What the headline says as a saving; its limit is where the check begins, not what an owner has to reach."""
_AT_LEAST: Final = frozenset(
    {
        "body_bytes",
        "days_left",
        "height_px",
        "max_age_s",
        "reading_ease",
        "rsa_key_bits",
        "share_percent",
        "side_px",
        "text_ratio",
        "title_words_in_headings",
        "title_words_in_text",
        "words",
        "og-image.width_px",
        "meta-description.characters",
    }
)
"""Codes, or checks and codes, of what may not be less than its limit; everything else may not be more."""
_EITHER: Final = frozenset(
    {
        "canonical_addresses",
        "descriptions",
        "main_headings",
        "maximum_scale",
        "titles",
        "meta-description-length.characters",
    }
)
"""The same of what has to be its limit, or whose limit the check chooses by the side it is on."""
_NAMES: Final = {
    "wire_bytes": "on the wire",
    "decoded_bytes": "unpacked",
    "width_px": "wide",
    "side_px": "side",
    "max_age_s": "max-age",
}
"""Code -> words, where the code's own words say too little."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure of a finding."""

    name: str
    """In English, as checks say it; empty where the figure says it all."""
    found: str
    limit: str
    """``at most 70 ...``; empty where nothing is expected."""


def measured(result: Result, words: Words = ENGLISH) -> tuple[Measured, ...]:
    """The figures that are not as expected, as the check lists them."""
    told = [detail for detail in result.errors if detail.code not in _SAVINGS and not _is_kept(detail, result.check)]
    return tuple(_measured(detail, words) for detail in told[:MAX_SHOWN])


def _is_kept(detail: Detail, check: str) -> bool:
    """Whether the figure is within its limit, or has none; what is as it should be explains no finding."""
    actual, limit = detail.actual, detail.limit
    if actual is None or limit is None:
        return True
    names = {detail.code, f"{check}.{detail.code}"}
    if not isinstance(actual, int | float) or not isinstance(limit, int | float) or not names.isdisjoint(_EITHER):
        return actual == limit
    if detail.code in _NOT_A_LIMIT:
        return actual == limit
    return actual >= limit if not names.isdisjoint(_AT_LEAST) else actual <= limit


def _measured(detail: Detail, words: Words) -> Measured:
    name, unit = _name_and_unit(detail.code)
    actual, limit = detail.actual, detail.limit
    found, wanted = _figure(actual, unit, words), _figure(limit, unit, words)
    # "At most none" is how nobody says it.
    comparable = isinstance(actual, int | float) and isinstance(limit, int | float) and limit != 0
    comparable = comparable and detail.code not in _NOT_A_LIMIT
    if comparable and actual > limit:  # type: ignore[operator]
        sentence = words.gettext("should be at most %(limit)s", limit=wanted)
    elif comparable and actual < limit:  # type: ignore[operator]
        sentence = words.gettext("should be at least %(limit)s", limit=wanted)
    else:
        sentence = words.gettext("expected %(limit)s", limit=wanted)
    return Measured(name, found, sentence)


def _name_and_unit(code: str) -> tuple[str, str]:
    name, _, unit = code.rpartition("_")
    known = unit if unit in {"bytes", "ms", "px", "s", "days"} or code == "bytes" else ""
    stem = name if known else code
    return _NAMES.get(code, visible(stem, 60).replace("_", " ")), known


def _figure(value: str | float | None, unit: str, words: Words) -> str:
    if not isinstance(value, int | float):
        return visible(value, 100)
    match unit:
        case "bytes":
            return view.format_bytes(round(value), words)
        case "ms":
            return view.format_ms(value, words)
        case "px":
            return f"{words.number(value)} px"
        case "s":
            return words.ngettext("%(num)s second", "%(num)s seconds", round(value))
        case "days":
            return words.ngettext("%(num)s day", "%(num)s days", round(value))
        case _:
            return words.number(value, digits=3)
