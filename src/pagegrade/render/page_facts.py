"""Facts about a page, as lines with a name: metrics of a browser, the largest paint, what is stored, and encryption.

And sentences about what the limits of a rendering left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from pagegrade.model.rendering import RenderedPage, StorageKind
from pagegrade.model.report import Report, Result
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.figures import format_ms

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
