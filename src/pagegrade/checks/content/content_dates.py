from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Artifacts, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity

SLACK: Final = timedelta(days=1)
"""Dates without a time of day, and zones, make a day of difference."""
MAX_VALUES: Final = 2_000
"""Values of one block of structured data that are looked at."""
_METAS: Final = {
    "article:modified_time": "modified",
    "og:updated_time": "modified",
    "article:published_time": "published",
}
_KEYS: Final = {"dateModified": "modified", "datePublished": "published"}
_Found = tuple[str, datetime, Evidence]
"""(``modified`` or ``published``, when, where it stands)."""


@check(
    id="content-dates",
    title="Publication and modification dates",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("agree", "The dates that the page states agree."),
        State(
            "future",
            "The page states a date in the future.",
            title="Date lies in the future",
            why="Search engines may ignore the date or choose another one.",
            fix="Correct the date in the structured data or meta elements, including the time zone.",
        ),
        State(
            "stale_header",
            "The Last-Modified header is older than the last change that the page states.",
            title="Last-Modified is older than the page",
            why="Crawlers and browsers get the answer that the page has not changed.",
            fix="Send the date of the last change as `Last-Modified`, or leave the header out and send an `ETag`.",
        ),
        State(
            "disagree",
            "The dates that the page states contradict each other.",
            title="Dates contradict each other",
            why=(
                "Search engines show a date beside the result, and choose one themselves where the page's own "
                "dates disagree."
            ),
            fix="Fill all places from the same field of the content management system, with the time zone.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/publication-dates",),
)
def content_dates(document: Document, response: Response, artifacts: Artifacts) -> Verdict:
    """A page states in several places when it was published and changed, and they should agree.

    ## What it checks

    The dates of publication and of the last change in structured data (JSON-LD), in the metas of Open Graph, and the
    `Last-Modified` header. They contradict each other if a change lies before the publication, or if two places name
    changes more than a day apart. A change more than a day after `Last-Modified` means that the header is wrong; a
    later `Last-Modified` is usual. Dates in the text are not read. It is informative and costs nothing.

    Where structured data describes several things, the dates of the first one count.

    ## Fails on

    ```html
    <!doctype html>
    <title>News</title>
    <meta property="article:published_time" content="2025-11-20T10:00:00Z">
    <meta property="article:modified_time" content="2025-11-02T10:00:00Z">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>News</title>
    <meta property="article:published_time" content="2025-11-02T10:00:00Z">
    <meta property="article:modified_time" content="2025-11-20T10:00:00Z">
    ```
    """
    found = [*_of_metas(document), *_of_items(document)]
    if not found:
        return NotApplicable("The page states no date.")
    last_modified = _header_date(response)
    changes = [when for kind, when, _ in found if kind == "modified"]
    published = [when for kind, when, _ in found if kind == "published"]
    evidence = tuple(entry for _, _, entry in found)
    if last_modified is not None:
        text = last_modified.date().isoformat()
        evidence = (*evidence, Evidence(header="Last-Modified", value=text, reason="Response header."))
    details = tuple(Detail(code=kind, actual=when.date().isoformat()) for kind, when, _ in found)
    state = "agree"
    if (changes and max(changes) - min(changes) > SLACK) or (
        changes and published and min(published) - min(changes) > SLACK
    ):
        state = "disagree"
    elif changes and last_modified is not None and max(changes) - last_modified > SLACK:
        state = "stale_header"
    elif any(when - artifacts.gathered_at > SLACK for when in (*changes, *published)):
        state = "future"
    return Outcome(state, value=max(changes or published).date().isoformat(), evidence=evidence, details=details)


def _of_metas(document: Document) -> Iterator[_Found]:
    seen: set[str] = set()
    for meta in document.metas:
        name = meta.property or meta.name
        if name in _METAS and name not in seen and (when := _read(meta.content)) is not None:
            seen.add(name)
            yield _METAS[name], when, document.evidence(meta, reason=name)


def _of_items(document: Document) -> Iterator[_Found]:
    """The dates of the first thing in JSON-LD that has any."""
    for item in document.structured_items:
        if item.data is None:
            continue
        waiting = [item.data]
        for looked_at, value in enumerate(waiting):
            if looked_at >= MAX_VALUES:
                break
            if isinstance(value, list):
                waiting.extend(value[:MAX_VALUES])
            elif isinstance(value, dict):
                dates = [
                    (kind, when, document.evidence_at(item.node, reason=key))
                    for key, kind in _KEYS.items()
                    if isinstance(value.get(key), str) and (when := _read(value[key])) is not None
                ]
                if dates:
                    yield from dates
                    return
                waiting.extend(inner for inner in value.values() if isinstance(inner, dict | list))


def _read(text: str) -> datetime | None:
    """A date of ISO 8601 with or without time and zone (then UTC); ``None`` for anything else."""
    try:
        when = datetime.fromisoformat(text.strip()[:40])
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _header_date(response: Response) -> datetime | None:
    values = response.header_values("last-modified")
    if not values:
        return None
    try:
        when = parsedate_to_datetime(values[0][:60])
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
