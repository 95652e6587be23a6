"""The comparison of two runs of a report, and the form that selects them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from pagegrade.model.stored import StoredRun
from pagegrade.render.brand import NO_BRAND
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.reports.history import Choice
from pagegrade.service.reports.views import Compared
from pagegrade.web.http.response import Response
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View
from pagegrade.web.pages.reports.report_context import (
    ReportURLs,
    about,
    draw_comparison,
    point_of,
    timezone_of,
)
from pagegrade.web.request import Request

SENTENCES: Final[dict[tuple[str, str], str]] = {
    ("from", "unreadable"): N_("Choose the older run."),
    ("to", "unreadable"): N_("Choose the newer run."),
    ("from", "unknown_run"): N_("There is no such older run, or none any more. Choose another one."),
    ("to", "unknown_run"): N_("There is no such newer run, or none any more. Choose another one."),
    ("from", "not_comparable"): N_("The older run has no results. Choose one that succeeded."),
    ("to", "not_comparable"): N_("The newer run has no results. Choose one that succeeded."),
    ("to", "same"): N_("These are one and the same run. Choose two."),
}
"""(Field, code) -> message about the selection."""
NOTHING_YET: Final = "no_run"
"""Code for a report without two runs to compare; the selection itself is valid."""
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")


def read_choice(request: Request) -> Choice:
    """Read the two runs selected by the query; by default the two newest."""
    sent = read_query(request)
    errors: dict[str, str] = {}
    before = _number(sent, "from", errors)
    after = _number(sent, "to", errors)
    if before is not None and after is not None:
        if before == after:
            errors["to"] = "same"
        # The older run comes first, in whatever order they were selected.
        before, after = min(before, after), max(before, after)
    return Choice(before=before, after=after, errors=errors)


async def compare_page(view: View, found: Compared, urls: ReportURLs, *, own: bool) -> Response:
    """Return the comparison with its form; only the form with its errors if the selection is not valid."""
    texts = view.texts
    article: Markup | None = None
    if found.two is not None:
        article = await draw_comparison(view, found.viewed, found.two, urls)
    wrong = {field: code for field, code in found.choice.errors.items() if code != NOTHING_YET}
    options = _options(view, texts, found.viewed.runs)
    numbers = [number for number, _ in options]
    # Values that are not valid are dropped: the form then proposes the two newest runs.
    before, after = (number if number in numbers else None for number in (found.choice.before, found.choice.after))
    return view.page(
        "report_compare.html.jinja",
        status=422 if wrong else 200,
        article=article,
        own=own,
        brand=NO_BRAND if own else view.brand(found.viewed.brand),
        options=options,
        before=before or next(iter(numbers[1:2]), ""),
        after=after or next(iter(numbers[:1]), ""),
        errors={field: texts.gettext(SENTENCES[field, code]) for field, code in wrong.items()},
        **about(view, found.viewed, urls),
    )


def _number(sent: Mapping[str, str], field: str, errors: dict[str, str]) -> int | None:
    text = sent.get(field, "").strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        errors[field] = "unreadable"
        return None
    return int(text)


def _options(view: View, texts: Texts, runs: tuple[StoredRun, ...]) -> list[tuple[int, str]]:
    """Return (number, label) of every run that can be selected, newest first."""
    timezone = timezone_of(view)
    options = []
    for run in runs:
        if run.state != "completed":
            continue
        words = texts.gettext(
            "Run %(number)s, score %(score)s, %(when)s",
            number=texts.number(run.number),
            when=texts.moment(point_of(run).at_ms, timezone),
            score="–" if run.score is None else texts.number(run.score),
        )
        options.append((run.number, words))
    return options
