"""The query of the list of reports: what a form asked for, and the addresses of its other pages and orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, urlencode

from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.web.http.fields import read_fields
from pagegrade.web.pages.field_messages import problems_of
from pagegrade.web.parameters import PER_PAGE, ReportListQuery

PATH: Final = "/reports"
FILTERS: Final = ("search", "project", "result", "state")
DEFAULTS: Final[Mapping[str, object]] = {"sort_by": "id", "sort": "desc", "per_page": PER_PAGE, "page": 1}
SORTS: Final = {
    "id": N_("When the report was made"),
    "generated_at": N_("When the page was analyzed"),
    "url": N_("Address"),
    "result": N_("Result"),
}
DIRECTIONS: Final = {
    "desc": N_("Down: newest, best or Z first"),
    "asc": N_("Up: oldest, worst or A first"),
}
FIRST_CLICK: Final = {"generated_at": "desc", "url": "asc", "result": "asc"}
"""What a column's heading sorts by -> the direction people want first."""
PAGE_SIZES: Final = (10, 25, 50, 100)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a list was asked for, as far as it can be used, and what is wrong with the rest."""

    query: ReportListQuery
    problems: Mapping[str, str]
    """Field -> sentence."""

    @property
    def is_filtered(self) -> bool:
        """Whether the list may leave reports out."""
        return any(getattr(self.query, name) for name in FILTERS)

    def without_search(self, problems: Mapping[str, str]) -> Asked:
        """Return the same without what is searched for, and with what is wrong with that."""
        return replace(
            self, query=self.query.model_copy(update={"search": None}), problems={**self.problems, **problems}
        )

    def address(self, path: str = PATH, **changes: object) -> str:
        """The address of the list with some of its values changed; ``None`` takes one out.

        What a value's default says anyway is left out, and another page is left when the list becomes another one.
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

    def page_address(self, number: int) -> str:
        """Where another page of the list is."""
        return self.address(page=number)

    def project_address(self, project: str) -> str:
        """Where the reports of a project are."""
        return self.address(project=project, search=None, result=None, state=None)

    def following(self) -> str:
        """Where the list loads again by itself, for browsers without scripts."""
        address = self.page_address(self.query.page)
        return f"{address}{'&' if '?' in address else '?'}follow=1"

    def sort_address(self, sort_by: str) -> str:
        """Where the heading of a column leads: to its order, or to the opposite one."""
        return self.address(sort_by=sort_by, sort=self._next_sort(sort_by))

    def aria_sort(self, sort_by: str) -> str:
        """Value of ``aria-sort``; empty where the list is sorted by something else."""
        if self.query.sort_by != sort_by:
            return ""
        return "descending" if self.query.sort == "desc" else "ascending"

    def _next_sort(self, sort_by: str) -> str:
        if self.query.sort_by != sort_by:
            return FIRST_CLICK[sort_by]
        return "asc" if self.query.sort == "desc" else "desc"


def read_asked(sent: Mapping[str, str], texts: Texts) -> Asked:
    """What a query asks for.

    Args:
        sent: Its values by their names.
        texts: In whose words problems are told.
    """
    values = {name: value.strip() for name, value in sent.items()}
    query, violations = read_fields(ReportListQuery, values, "query")
    problems = problems_of(texts, violations)
    # There is no field for the page, to which its sentence could lead.
    return Asked(query, {"" if name == "page" else name: problem for name, problem in problems.items()})


def choices(texts: Texts, options: Mapping[str, str], *, any_of: bool = False) -> list[tuple[str, str]]:
    """(value, words) of what a drop-down list offers, with an empty value for any of them in front where wanted."""
    first = [("", texts.gettext("Any"))] if any_of else []
    return [*first, *((value, texts.gettext(words)) for value, words in options.items())]
