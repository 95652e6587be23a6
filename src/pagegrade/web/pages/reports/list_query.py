"""The query of the list of reports, and the URLs of its other pages and sort orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.web.http.fields import read_fields
from pagegrade.web.pages.field_messages import problems_of
from pagegrade.web.parameters import PER_PAGE, ReportListQuery

PATH: Final = "/reports"
FILTERS: Final = ("search", "project", "result", "state")
DEFAULTS: Final[Mapping[str, object]] = {"sort_by": "id", "sort": "desc", "per_page": PER_PAGE, "page": 1}
SORTS: Final = {
    "id": N_("When the report was created"),
    "generated_at": N_("When the page was analyzed"),
    "url": N_("URL"),
    "result": N_("Result"),
}
DIRECTIONS: Final = {
    "desc": N_("Down: newest, best or Z first"),
    "asc": N_("Up: oldest, worst or A first"),
}
FIRST_CLICK: Final = {"generated_at": "desc", "url": "asc", "result": "asc"}
"""Sort key of a column heading -> direction of the first click."""
PAGE_SIZES: Final = (10, 25, 50, 100)


class Asked(msgspec.Struct, frozen=True):
    """The valid part of a query for the list, and messages about the rest."""

    query: ReportListQuery
    problems: Mapping[str, str]
    """Field -> message."""

    @property
    def is_filtered(self) -> bool:
        """True if filters are set, so that the list may leave reports out."""
        return any(getattr(self.query, name) for name in FILTERS)

    def without_search(self, problems: Mapping[str, str]) -> Asked:
        """Return the query without its search term, with messages about the term."""
        return replace(
            self, query=self.query.model_copy(update={"search": None}), problems={**self.problems, **problems}
        )

    def url(self, path: str = PATH, **changes: object) -> str:
        """Return the URL of the list with some values changed; ``None`` removes one.

        Default values are left out, and so is the page number when the filter or order changes.
        """
        values: dict[str, object] = {name: getattr(self.query, name) for name in (*FILTERS, *DEFAULTS)}
        if changes and "page" not in changes:
            values["page"] = 1
        values.update(changes)
        said = {
            name: str(value)
            for name, value in values.items()
            if value is not None and value != "" and value != DEFAULTS.get(name)
        }
        return f"{path}?{urlencode(said, quote_via=quote)}" if said else path

    def page_url(self, number: int) -> str:
        """Return the URL of another page of the list."""
        return self.url(page=number)

    def project_url(self, project: str) -> str:
        """Return the URL of the reports of a project."""
        return self.url(project=project, search=None, result=None, state=None)

    def following(self) -> str:
        """Return the URL of the list that reloads itself, for browsers without scripts."""
        url = self.page_url(self.query.page)
        return f"{url}{'&' if '?' in url else '?'}follow=1"

    def sort_url(self, sort_by: str) -> str:
        """Return the URL of a column heading: sorted by the column, or in the opposite direction."""
        return self.url(sort_by=sort_by, sort=self._next_sort(sort_by))

    def aria_sort(self, sort_by: str) -> str:
        """Return the value of ``aria-sort``; empty if the list is sorted by another column."""
        if self.query.sort_by != sort_by:
            return ""
        return "descending" if self.query.sort == "desc" else "ascending"

    def _next_sort(self, sort_by: str) -> str:
        if self.query.sort_by != sort_by:
            return FIRST_CLICK[sort_by]
        return "asc" if self.query.sort == "desc" else "desc"


def read_asked(sent: Mapping[str, str], texts: Texts) -> Asked:
    """Parse and validate a query.

    Args:
        sent: Query parameters by name.
        texts: Texts in the language of the messages.
    """
    values = {name: value.strip() for name, value in sent.items()}
    query, violations = read_fields(ReportListQuery, values, "query")
    problems = problems_of(texts, violations)
    # The page number has no form field that its message could link to.
    return Asked(query, {"" if name == "page" else name: problem for name, problem in problems.items()})


def choices(texts: Texts, options: Mapping[str, str], *, any_of: bool = False) -> list[tuple[str, str]]:
    """Return (value, label) of the options of a drop-down list, with an empty value for "Any" first if requested."""
    first = [("", texts.gettext("Any"))] if any_of else []
    return [*first, *((value, texts.gettext(words)) for value, words in options.items())]
