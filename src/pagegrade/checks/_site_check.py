"""The shape of a site check: a query over the relations of a crawl, and what its rows mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pagegrade.checks._check import Documented, ordered
from pagegrade.checks._check import State as State  # noqa: PLC0414 - what a check declares comes from one module
from pagegrade.model.outcome import Severity

Need = Literal["complete", "sitemap", "assets", "external", "probes", "headers", "traps", "rendered"]
NEEDS: Final[Mapping[Need, str]] = {
    "complete": "The crawl did not reach the whole site.",
    "sitemap": "No sitemap was read.",
    "assets": "The files of the pages were not requested.",
    "external": "Links to other sites were not requested.",
    "probes": "The answer to a URL that does not exist is not known.",
    "headers": "The headers of the answers were not kept.",
    "rendered": "No page was drawn in a browser.",
    "traps": "Which URLs were left out, and why, was not kept.",
}
"""Things a check cannot do without -> the reason why it is not evaluated."""
Share = Literal["pages", "links", "rows", "site"]


@dataclass(frozen=True, slots=True)
class SiteCheck(Documented):
    """One site check: what it is called, what it can say, what it needs, and the query that finds it."""

    id: str
    title: str
    severity: Severity
    since: str
    states: tuple[State, ...]
    sources: tuple[str, ...]
    over: str
    """The rows that it examines, as what follows ``FROM``; where that is empty the check does not apply."""
    share: Share
    """The whole that a share is taken of: ``pages`` (of their weight), ``links`` (between pages), ``rows`` (of what
    ``over`` names, or of all URLs of the site where these are more), or ``site`` (one fault is all of it)."""
    function: Callable[[], str]
    """Returns SQL whose rows are ``page_id``, ``state``, ``target_id`` and ``value``; the last two may be NULL."""
    needs: tuple[Need, ...] = ()
    cause: str | None = None
    """Of the checks that name one cause the most expensive is charged."""
    _states: Mapping[str, State] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """File the states by their names."""
        object.__setattr__(self, "_states", {state.name: state for state in self.states})


def site_check(
    *,
    id: str,  # noqa: A002 - the word everyone uses for it
    title: str,
    severity: Severity,
    since: str,
    states: tuple[State, ...],
    sources: tuple[str, ...],
    over: str = "indexable",
    share: Share = "pages",
    needs: tuple[Need, ...] = (),
    cause: str | None = None,
) -> Callable[[Callable[[], str]], SiteCheck]:
    """Make a site check of a function that returns its query; see ``SiteCheck`` for what is declared.

    Raises:
        TypeError: The states are not in order.
    """
    ordered(id, states)

    def wrap(function: Callable[[], str]) -> SiteCheck:
        return SiteCheck(
            id=id,
            title=title,
            severity=severity,
            since=since,
            states=states,
            sources=sources,
            over=over,
            share=share,
            function=function,
            needs=needs,
            cause=cause,
        )

    return wrap
