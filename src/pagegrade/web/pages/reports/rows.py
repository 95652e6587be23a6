"""A report as a row of a list, with texts; the polling API of the page returns the same texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from pagegrade.model.outcome import Importance
from pagegrade.model.stored import UNFINISHED, Privacy, State, StoredReport
from pagegrade.render.english import N_
from pagegrade.render.escape import unicode_host, visible
from pagegrade.render.finding_list import SEVERITY_NAMES
from pagegrade.render.history import spark_points
from pagegrade.render.i18n import Texts

STATES: Final[dict[str, str]] = {
    "queued": N_("Waiting"),
    "running": N_("Being analyzed"),
    "completed": N_("Analyzed"),
    "failed": N_("Failed"),
}
GONE: Final = N_("Deleted")
RESULTS: Final = {"good": N_("Good"), "decent": N_("Decent"), "bad": N_("Bad")}
NO_RESULT: Final = N_("No grade")
NO_RESULT_YET: Final = N_("Not yet")
PRIVACIES: Final = {
    Privacy.PUBLIC: N_("Anyone with the link"),
    Privacy.PRIVATE: N_("Only the workspace"),
    Privacy.PASSWORD: N_("Anyone with the link and the password"),
}
MEANINGS: Final = {
    Privacy.PUBLIC: N_("Search engines do not list it, and the link cannot be guessed."),
    Privacy.PRIVATE: N_("The link leads others to nothing."),
    Privacy.PASSWORD: N_("The link asks for the password that you set."),
}
FAILURES: Final = {
    "dns": N_("The name of the site was not found."),
    "connect": N_("The site could not be reached."),
    "tls": N_("No secure connection could be made."),
    "timeout": N_("The site did not answer in time."),
    "blocked": N_("The site blocked the analysis."),
    "http_error": N_("The site answered with an error."),
    "too_large": N_("The page is too large."),
    "not_html": N_("There is no web page at the URL."),
    "redirect_loop": N_("The redirects never end."),
    "address_not_allowed": N_("The URL must not be contacted."),
    "internal": N_("Something went wrong here."),
}
"""Code of a failed analysis -> short message."""
MAX_URL_CHARS: Final = 140
"""Maximum length of a URL in a row."""
MAX_TITLE: Final = 110
MAX_CRUMB: Final = 60
"""Maximum length of a URL in the breadcrumbs of its report."""


class _Error(msgspec.Struct):
    code: str = "internal"


class _Summary(msgspec.Struct):
    counts: dict[str, int] | None = None


_read_error: Final = msgspec.json.Decoder(_Error).decode
_read_summary: Final = msgspec.json.Decoder(_Summary).decode


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a report for its row of a list."""

    id: int
    url: str
    """Shortened URL with unsafe characters replaced, without ``https://``."""
    host: str
    """Host in its own script, if that differs from the URL as shown."""
    title: str
    project: str
    state: State
    state_words: str
    failure: str
    """Message about the failure of the last analysis; empty if it did not fail."""
    grade: str
    """``good``, ``decent``, ``bad`` or ``none``, used as a CSS class."""
    grade_words: str
    score: int | None
    score_words: str
    """Such as "82 of 100"; empty without a score."""
    privacy_words: str
    at_ms: int
    """Time of the results, or of the creation of a report without results."""
    is_live: bool
    """True while an analysis is queued or running."""
    is_pending: bool
    """A run in a browser follows the shown one."""
    is_public: bool
    severities: tuple[tuple[Importance, str, int], ...]
    """(severity, its name, number of findings) for severities with findings."""
    spark: str
    """Points of the sparkline of its last scores; empty with fewer than two."""
    change: int | None
    """Points gained this week; ``None`` where there is nothing to compare with."""


def row_of(
    report: StoredReport,
    texts: Texts,
    titles: Mapping[int, str],
    scores: Sequence[int] = (),
    change: int | None = None,
) -> Row:
    """Return the row of a report.

    Args:
        titles: Report id -> title of its page.
        scores: Of its last runs that compare, oldest first.
        change: Points gained this week; ``None``: unknown.
    """
    return Row(
        id=report.id,
        url=short_url(report.url),
        host=unicode_host(report.url),
        title=visible(titles.get(report.id, ""), MAX_TITLE),
        project=report.project,
        state=report.state,
        state_words=texts.gettext(STATES[report.state]),
        failure=_failure(report, texts),
        grade=report.result or "none",
        grade_words=texts.gettext(_grade_words(report)),
        score=report.score,
        score_words="" if report.score is None else texts.gettext("%(score)s of 100", score=texts.number(report.score)),
        privacy_words=texts.gettext(PRIVACIES[Privacy(report.privacy)]),
        at_ms=report.created_at_ms if report.generated_at_ms is None else report.generated_at_ms,
        is_live=report.state in UNFINISHED,
        is_pending=report.pending_run is not None,
        is_public=report.privacy == Privacy.PUBLIC,
        severities=_severities(report, texts),
        spark=spark_points(scores),
        change=change,
    )


def _severities(report: StoredReport, texts: Texts) -> tuple[tuple[Importance, str, int], ...]:
    if report.summary is None:
        return ()
    counts = _read_summary(report.summary).counts or {}
    return tuple(
        (name, texts.gettext(words), number)
        for name, words in SEVERITY_NAMES.items()
        if (number := counts.get(name, 0))
    )


def short_url(url: str, limit: int = MAX_URL_CHARS) -> str:
    """Shorten a URL: drop ``https://`` and the last slash."""
    bare = url.removeprefix("https://")
    if bare.count("/") == 1 and bare.endswith("/"):
        bare = bare[:-1]
    return visible(bare, limit)


def state_object(report: StoredReport, texts: Texts, now_ms: int) -> dict[str, Any]:
    """Return the state of a report for the script of a page, with texts to show as they are."""
    row = row_of(report, texts, {})
    return {
        "id": row.id,
        "state": row.state,
        "finished": not row.is_live,
        "result": report.result,
        "score": row.score,
        "state_words": row.state_words,
        "score_words": row.score_words,
        "ago": texts.ago(row.at_ms, now_ms),
        "result_words": row.grade_words,
        "failure": row.failure,
        "said": _said(row, texts),
    }


def _grade_words(report: StoredReport) -> str:
    if report.result is not None:
        return RESULTS[report.result]
    return NO_RESULT_YET if report.state in UNFINISHED else NO_RESULT


def _failure(report: StoredReport, texts: Texts) -> str:
    if report.error is None or report.state != "failed":
        return ""
    try:
        code = _read_error(report.error).code
    except msgspec.DecodeError:
        code = "internal"
    return texts.gettext(FAILURES.get(code, FAILURES["internal"]))


def _said(row: Row, texts: Texts) -> str:
    """Return the screen reader announcement of a finished analysis; empty while it is under way."""
    if row.is_live:
        return ""
    if row.state == "failed":
        return texts.gettext("The analysis of %(url)s failed. %(failure)s", url=row.url, failure=row.failure)
    if row.score is None:
        return texts.gettext("%(url)s is analyzed.", url=row.url)
    return texts.gettext(
        "%(url)s is analyzed: %(score)s, %(grade)s.",
        url=row.url,
        score=row.score_words,
        grade=row.grade_words,
    )
