"""Figures and facts for people, as lines with a name: sizes, times, metrics with their limits, what is stored, TLS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import floor
from typing import Final, Literal

import msgspec

from pagegrade.model.outcome import Detail
from pagegrade.model.rendering import RenderedPage, StorageKind
from pagegrade.model.report import Report, Result
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible

_BYTES_PER_KB: Final = 1000
_MS_PER_S: Final = 1000
PHASES: Final[Mapping[str, str]] = {
    "first_byte_ms": N_("first byte"),
    "load_delay_ms": N_("load delay"),
    "load_time_ms": N_("load time"),
    "render_delay_ms": N_("render delay"),
}
"""Field of ``LargestPaint`` -> name of the phase, in their order."""
_STORED: Final[Mapping[StorageKind, str]] = {
    "cookie": N_("cookies"),
    "local_storage": N_("local storage"),
    "session_storage": N_("session storage"),
    "indexed_db": N_("databases"),
    "cache": N_("caches"),
}
_NAMED: Final = 5
"""Stored entries of a kind that are named."""


def format_bytes(number: int, words: Words = ENGLISH) -> str:
    """``512 bytes``, ``48.2 kB``, ``3.1 MB`` (powers of 1000)."""
    if number < _BYTES_PER_KB:
        return words.ngettext("%(num)s byte", "%(num)s bytes", number)
    if number < _BYTES_PER_KB**2:
        return f"{words.number(number / _BYTES_PER_KB, digits=1)} kB"
    return f"{words.number(number / _BYTES_PER_KB**2, digits=1)} MB"


def format_ms(milliseconds: float, words: Words = ENGLISH) -> str:
    """``0.4 ms``, ``41 ms``, ``1.8 s``."""
    if milliseconds >= _MS_PER_S:
        return f"{words.number(milliseconds / _MS_PER_S, digits=1)} s"
    return f"{words.number(milliseconds, digits=0 if milliseconds >= 1 else 1)} ms"


Rating = Literal["good", "decent", "bad", ""]
LCP_MS: Final = (2_500, 4_000)
"""Good up to the first, bad above the second (web.dev/articles/lcp); so the next ones."""
CLS: Final = (0.1, 0.25)
TBT_MS: Final = (200, 600)
FIRST_BYTE_MS: Final = (800, 1_800)


class KeyFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure with its name."""

    name: str
    """Short."""
    meaning: str
    """The name in full."""
    value: str
    rating: Rating
    """Empty: the figure has no thresholds."""


def key_figures(report: Report, words: Words = ENGLISH) -> tuple[KeyFigure, ...]:
    """At most three figures; empty where neither a browser nor the requests were seen."""
    rendered, page = report.rendered, report.page
    if rendered is not None:
        metrics = rendered.metrics
        cls = "–" if metrics.cls is None else words.number(metrics.cls, digits=3)
        return (
            _timed("LCP", N_("Largest Contentful Paint"), metrics.lcp_ms, LCP_MS, words),
            _figure("CLS", N_("Cumulative Layout Shift"), cls, rate(metrics.cls, CLS), words),
            _timed("TBT", N_("Total Blocking Time"), metrics.tbt_ms, TBT_MS, words),
        )
    if page is None:
        return ()
    first_byte = page.timing_ms.get("first_byte")
    figures = []
    if first_byte is not None:
        figures.append(_timed("TTFB", N_("Time to first byte"), first_byte, FIRST_BYTE_MS, words))
    if page.resources:
        fetched = sum(total.transfer_bytes for total in page.resources)
        count = sum(total.count for total in page.resources)
        size = format_bytes(loaded_bytes(report) or fetched, words)
        figures.append(_figure(N_("Weight"), N_("Page weight, as transferred"), size, "", words))
        named = _evaluated(report, "http-requests")
        # The check counts what the document names; the document itself is a request as well, as in the table of all.
        shown = words.number(count if named is None else named + 1)
        figures.append(_figure(N_("Requests"), N_("The document and the files it needs"), shown, "", words))
    return tuple(figures)


def loaded_bytes(report: Report) -> int | None:
    """Bytes on the wire of what a browser loads at once, as the check of the weight counts them.

    ``None`` where it was not evaluated. What is fetched can be more: files that a rule of a stylesheet may load, and
    candidates of which a browser takes one.
    """
    return _evaluated(report, "total-byte-weight")


def _evaluated(report: Report, check: str) -> int | None:
    values = (result.value for result in report.results if result.check == check)
    value = next(values, None)
    return value if isinstance(value, int) else None


def rate(value: float | None, limits: tuple[float, float]) -> Rating:
    """Rate a value by its two thresholds; an unknown one has no rating."""
    if value is None:
        return ""
    return "good" if value <= limits[0] else "decent" if value <= limits[1] else "bad"


def _timed(name: str, meaning: str, value_ms: float | None, limits: tuple[float, float], words: Words) -> KeyFigure:
    shown = "–" if value_ms is None else format_ms(value_ms, words)
    return _figure(name, meaning, shown, rate(value_ms, limits), words)


def _figure(name: str, meaning: str, value: str, rating: Rating, words: Words) -> KeyFigure:
    return KeyFigure(name=words.gettext(name), meaning=words.gettext(meaning), value=value, rating=rating)


MAX_SHOWN: Final = 4
_DAY_S: Final = 86_400
_SHOWN_IN_DAYS_S: Final = 2 * _DAY_S
_SHOWN_IN_WHOLE_DAYS_S: Final = 10 * _DAY_S
_NOT_A_LIMIT: Final = frozenset({"status"})
"""Numbers that are to be met, not kept below or above."""
_SAVINGS: Final = frozenset({"largest_saving_bytes", "saving_bytes", "wasted_bytes"})
"""Codes that the headline shows as a saving; their limit is where the check starts, not a goal for the owner."""
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
    "blocking_bytes": "render-blocking CSS",
    "blocking_stylesheets": "render-blocking stylesheets",
    "bytes": "size",
    "canonical_addresses": "canonical URLs",
    "decoded_bytes": "uncompressed",
    "deepest_nesting": "nesting depth",
    "descriptions": "meta descriptions",
    "eager_images": "images loaded at once",
    "encoding_used": "encoding",
    "first_byte_ms": "time to first byte",
    "folders": "folders in the path",
    "height_px": "height",
    "lifetime_s": "cache lifetime",
    "max_age_s": "max-age",
    "mode": "rendering mode",
    "most_children": "children of one element",
    "offset_bytes": "position in the file",
    "percent": "percent of all words",
    "right_to_left_percent": "percent of all letters",
    "reading_ease": "Flesch reading ease",
    "rsa_key_bits": "RSA key length in bits",
    "share_percent": "percent of main content",
    "short_lived_bytes": "files with a short cache lifetime",
    "side_px": "shortest side",
    "undecided_elements": "undecided elements",
    "uncached_bytes": "files without a cache lifetime",
    "width_px": "width",
    "wire_bytes": "transferred",
}
"""Code -> words, where the code's own words say too little."""


class Measured(msgspec.Struct, frozen=True):
    """One figure of a finding."""

    name: str
    """In English, as checks say it; empty where the figure says it all."""
    found: str
    limit: str
    """``at most 70 ...``; empty where nothing is expected."""


def measured(result: Result, words: Words = ENGLISH) -> tuple[Measured, ...]:
    """The figures that are not as expected, as the check lists them."""
    shown = [detail for detail in result.errors if detail.code not in _SAVINGS and not _is_kept(detail, result.check)]
    return tuple(_measured(detail, words) for detail in shown[:MAX_SHOWN])


def _is_kept(detail: Detail, check: str) -> bool:
    """Return whether the figure is within its limit, or has none; what is as it should be explains no finding."""
    actual, limit = detail.actual, detail.limit
    # A limit of none at all is what the headline counts against, and one that is missing is what it names.
    if actual is None or limit is None or limit == 0 or (actual == 0 and limit == 1):
        return True
    names = {detail.code, f"{check}.{detail.code}"}
    if not isinstance(actual, int | float) or not isinstance(limit, int | float) or not names.isdisjoint(_EITHER):
        return actual == limit
    if detail.code in _NOT_A_LIMIT:
        return actual == limit
    return actual >= limit if not names.isdisjoint(_AT_LEAST) else actual <= limit


def _measured(detail: Detail, words: Words) -> Measured:
    name, unit = name_and_unit(detail.code)
    actual, limit = detail.actual, detail.limit
    found, wanted = _with_unit(actual, unit, words), _with_unit(limit, unit, words)
    comparable = isinstance(actual, int | float) and isinstance(limit, int | float)
    comparable = comparable and detail.code not in _NOT_A_LIMIT
    if comparable and actual > limit:  # type: ignore[operator]
        sentence = words.gettext("should be at most %(limit)s", limit=wanted)
    elif comparable and actual < limit:  # type: ignore[operator]
        sentence = words.gettext("should be at least %(limit)s", limit=wanted)
    else:
        sentence = words.gettext("expected %(limit)s", limit=wanted)
    return Measured(name, found, sentence)


def name_and_unit(code: str) -> tuple[str, str]:
    """Return the English name of what a detail measures, and its unit; empty for a number of things."""
    name, _, unit = code.rpartition("_")
    known = unit if unit in {"bytes", "ms", "px", "s", "days"} or code == "bytes" else ""
    stem = name if known else code
    return _NAMES.get(code, visible(stem, 60).replace("_", " ")), known


def _with_unit(value: str | float | None, unit: str, words: Words) -> str:
    if not isinstance(value, int | float):
        return visible(value, 100)
    match unit:
        case "bytes":
            return format_bytes(round(value), words)
        case "ms":
            return format_ms(value, words)
        case "px":
            return f"{words.number(value)} px"
        case "s":
            if value >= _SHOWN_IN_DAYS_S:
                digits = 1 if value < _SHOWN_IN_WHOLE_DAYS_S else 0
                days = words.number(floor(value / _DAY_S * 10**digits + 0.5) / 10**digits, digits=digits)
                return words.ngettext("%(num)s day", "%(num)s days", 2, num=days)
            return words.ngettext("%(num)s second", "%(num)s seconds", round(value))
        case "days":
            return words.ngettext("%(num)s day", "%(num)s days", round(value))
        case _:
            return words.number(value, digits=3)


def browser_facts(report: Report, words: Words = ENGLISH) -> tuple[tuple[str, str], ...]:
    """(name, value) of what a browser measured; empty where none was used."""
    rendered = report.rendered
    if rendered is None:
        return ()
    metrics = rendered.metrics
    times = [
        (label, getattr(metrics, name))
        for label, name in (("FCP", "fcp_ms"), ("LCP", "lcp_ms"), ("TBT", "tbt_ms"), ("Speed Index", "si_ms"))
    ]
    shown = [f"{label} {format_ms(value, words)}" for label, value in times if value is not None]
    if metrics.cls is not None:
        shown.append(f"CLS {words.number(metrics.cls, digits=3)}")
    device = words.gettext("phone") if rendered.device == "mobile" else words.gettext("desktop")
    loads = words.ngettext("%(num)s load", "%(num)s loads", rendered.load_count)
    return (
        (words.gettext("Browser"), f"{visible(rendered.browser, 60)}, {device}, {loads}"),
        (words.gettext("Metrics"), ", ".join(shown)),
        *_largest_paint(rendered, words),
        (words.gettext("Stored"), _stored(rendered, words)),
        (words.gettext("Limits"), drawing_limits(rendered, words)),
    )


def paint_phases(rendered: RenderedPage, words: Words = ENGLISH) -> tuple[tuple[str, float], ...]:
    """(name, ms) of each phase of the largest paint; those that it does not have are left out."""
    paint = rendered.largest_paint
    if paint is None:
        return ()
    return tuple(
        (words.gettext(name), value) for field, name in PHASES.items() if (value := getattr(paint, field)) is not None
    )


def _largest_paint(rendered: RenderedPage, words: Words) -> tuple[tuple[str, str], ...]:
    """The element of the largest paint, its phases in the last load, and its cause."""
    paint, element = rendered.largest_paint, rendered.lcp_element
    if paint is None:
        return ()
    phases = ", ".join(f"{name} {format_ms(value, words)}" for name, value in paint_phases(rendered, words))
    return (
        (words.gettext("LCP element"), "" if element is None else visible(element.selector)),
        (words.gettext("LCP phases"), phases),
        (words.gettext("LCP cause"), " ".join(filter(None, (visible(paint.message), visible(paint.cause_url))))),
    )


def _stored(rendered: RenderedPage, words: Words) -> str:
    """Count what the page keeps in the browser, by kind, with the names of the first."""
    counts = Counter(one.kind for one in rendered.storage)
    return "; ".join(
        f"{words.gettext(name)} ({words.number(counts[kind])}): "
        + ", ".join([visible(one.name, 40) for one in rendered.storage if one.kind == kind][:_NAMED])
        + (", …" if counts[kind] > _NAMED else "")
        for kind, name in _STORED.items()
        if counts[kind]
    )


_SENTENCES: Final = {
    "loads_cut": N_("There was no time for further loads."),
    "load_timeout": N_("Scripts kept the page busy; its load was cut off."),
    "unfinished": N_("The page did not finish loading; its load was cut off."),
    "requests_open": N_("The page kept waiting for answers; its load was cut off."),
    "nothing_painted": N_("The browser painted nothing of the page."),
    "look_timeout": N_("There was no time to record everything of the drawn page."),
    "axe_timeout": N_("The accessibility rules did not finish."),
    "frames_not_checked": N_("The contents of embedded frames were not checked."),
    "trace_cut": N_("The page did more than is recorded of a load."),
}
"""Note of a rendering -> its sentence; what other notes left out is said where it is missing."""


def drawing_limits(rendered: RenderedPage, words: Words) -> str:
    """Return the sentences for the notes of a rendering, in one line; empty when nothing was left out."""
    return " ".join(words.gettext(sentence) for note, sentence in _SENTENCES.items() if note in rendered.notes)


_UNKNOWN: Final = frozenset({"not_applicable", "not_evaluated"})


def tls_facts(report: Report, words: Words = ENGLISH) -> tuple[tuple[str, str], ...]:
    """(name, value) of the accepted TLS versions and of the certificate; empty where neither was evaluated."""
    found = {result.check: result for result in report.results if result.outcome not in _UNKNOWN}
    facts = []
    if (versions := found.get("tls-version")) is not None and isinstance(versions.value, str):
        facts.append((words.gettext("TLS versions"), visible(versions.value, 80)))
    if (certificate := found.get("tls-certificate")) is not None:
        facts.append((words.gettext("Certificate"), _described(certificate, words)))
    return tuple(facts)


def _described(certificate: Result, words: Words) -> str:
    days = certificate.value
    if isinstance(days, int) and certificate.passed:
        return words.ngettext("valid, expires in %(num)s day", "valid, expires in %(num)s days", days)
    return visible(certificate.message, 200)
