from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._facts import NOT_OPEN
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Artifacts, NotGathered, Response
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.http.robots_directives import (
    ALL_BOTS,
    PRODUCT_BOTS,
    RobotsDirective,
    parse_robots_meta,
    parse_unavailable_after,
    parse_x_robots_tag,
)

_MAIN_BOT: Final = "googlebot"
"""Crawler of the engine that most visitors use: without it, the page is found as little as without all of them."""
SOON: Final = timedelta(days=30)
_ORDER: Final = ("noindex", "expired", "one_bot", "in_body", "expires_soon", "one_product")
"""Worst first: the worst that was found is the state."""


class _Found(msgspec.Struct, frozen=True):
    """One rule against indexing."""

    state: str
    directive: RobotsDirective
    source: Meta | str
    """The tag, or the value of the header."""


@check(
    id="noindex",
    title="Indexing (noindex)",
    severity=Severity.CRITICAL,
    since="0.1.0",
    cause="noindex",
    states=(
        State("indexable", "Search engines may index the page."),
        State(
            "not_for_visitors",
            "The page has a rule against indexing, which only those get whom the access lets in.",
            title="Rule noindex that search engines do not get",
            why="Without the access there is no such rule. Once everybody gets this page, search engines leave it out.",
            fix="Remove the rule before the page becomes public, if it is to be found then.",
        ),
        State(
            "one_product",
            "The page is excluded from one service of a search engine, not from its web search.",
            title="Page is excluded from one service of a search engine",
            why="Google News, for example, obeys the rule for its own crawler. Web search is not affected.",
            fix="Remove the rule for that crawler, unless it is intended.",
        ),
        State(
            "expires_soon",
            "An unavailable_after rule removes the page from search results within 30 days.",
            loss=0.5,
            title="Page will leave search results within 30 days",
            why="After that date the page can no longer be found through search engines.",
            fix=(
                "Remove or extend the `unavailable_after` rule if the page is to stay. Leave it for an offer "
                "that ends then."
            ),
        ),
        State(
            "in_body",
            "A noindex rule is in the body, where some search engines obey it.",
            loss=0.5,
            title="Rule noindex in the body",
            why=(
                "Some search engines obey the rule there, so the page may be dropped from their results "
                "although the rule looks ineffective."
            ),
            fix="Remove the rule, or move it into the head if the page is not to be indexed.",
        ),
        State(
            "one_bot",
            "The page blocks one search engine from indexing it.",
            loss=0.5,
            loss_max=1.0,
            title="A search engine is blocked from indexing the page",
            why="The page does not appear in the results of that search engine.",
            fix="Remove the robots meta tag or `X-Robots-Tag` rule for that crawler, unless it is intended.",
        ),
        State(
            "expired",
            "The date of the page's unavailable_after rule has passed.",
            loss=1.0,
            title="Page has expired for search engines",
            why="Search engines remove the page from their results after that date.",
            fix="Remove or extend the `unavailable_after` rule if the page is still to be found.",
        ),
        State(
            "scripted",
            "Scripts exclude the page from search results.",
            loss=1.0,
            title="Scripts exclude the page from search results (noindex)",
            why="Google runs the scripts of a page, and removes it from its results when they add `noindex`.",
            fix=(
                "Find the script that adds the robots `<meta>` element, often a plugin or a setting for test "
                "environments, and turn that off."
            ),
        ),
        State(
            "noindex",
            "The page asks all search engines not to index it.",
            loss=1.0,
            title="Page is excluded from search results (noindex)",
            why=(
                "The page does not appear in search results at all. Rules left over from a test site are a "
                "common cause."
            ),
            fix=(
                "Remove `noindex` from the robots meta tag and the `X-Robots-Tag` header, and look for a "
                '"discourage search engines" setting. Leave it if the page is not meant to be found.'
            ),
        ),
        State(
            "for_visitors",
            "Without the access, the page asks all search engines not to index it.",
            loss=1.0,
            title="Page is excluded from search results for visitors without the access (noindex)",
            why=(
                "Search engines get the page as visitors do, and leave it out of their results. Those whom the access "
                "lets in do not see the rule."
            ),
            fix=(
                "Remove `noindex` from what everybody gets at this URL: the robots meta tag and the `X-Robots-Tag` "
                "header. Leave it if the page is not meant to be found."
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",),
    cap=Cap(59, category_max_score=30),
)
def noindex(
    document: Document,
    response: Response,
    artifacts: Artifacts,
    robots: Robots | NotGathered,
    drawn_document: Document | NotGathered,
) -> Verdict:
    """A `noindex` rule keeps a page out of search results completely.

    ## What it checks

    The robots meta tags (`robots`, and those with the name of a search engine's crawler) and every `X-Robots-Tag`
    header of the page's own answer; those of redirects and of images do not count. `noindex` and `none` for everyone
    fail, and so does an `unavailable_after` date that is past. A rule for the crawler of one search engine only is a
    warning (for Google's it costs as much as one for all), and so is a date within the next 30 days. A rule for one
    service of Google (`googlebot-news`, `googlebot-image`, `googlebot-video`) has no effect on web search and is listed
    only. If robots.txt forbids the page, the message says so: crawlers then never see the rule. Where a browser drew
    the page, rules for everyone that scripts add fail as well.

    Where an access lets the analysis in, what visitors get without it decides: their `noindex` fails, and one that only
    those get who are let in costs nothing. If visitors do not get the page at all, there is nothing to index.

    While this fails, the score cannot exceed 59, and that of the category 30.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="noindex, follow">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="index, follow, max-image-preview:large">
    ```
    """
    found = list(_rules_of(document, artifacts))
    for value in response.header_values("x-robots-tag"):
        for directive in parse_x_robots_tag(value).directives:
            state = _state_of(directive, artifacts)
            if state is not None:
                found.append(_Found(state, directive, value))
    view = artifacts.visitor_view
    if isinstance(view, VisitorView):
        verdict = _for_visitors(found, view, document)
        if verdict is not None:
            return verdict
    if not found and isinstance(drawn_document, Document):
        added = [entry for entry in _rules_of(drawn_document, artifacts) if entry.state == "noindex"]
        if added:
            return Outcome(
                "scripted",
                value=_text(added[0].directive)[:200],
                evidence=tuple(_evidence(entry, drawn_document, "") for entry in added[:MAX_EVIDENCE]),
                total=len(added),
            )
    if not found:
        return Outcome("indexable")
    state = next(name for name in _ORDER if any(name == entry.state for entry in found))
    message, loss = "", None
    if state == "one_bot":
        is_main = any(entry.directive.bot == _MAIN_BOT for entry in found if entry.state == "one_bot")
        loss = 1.0 if is_main else 0.5
        bots = sorted({entry.directive.bot for entry in found if entry.state == "one_bot"})
        message = f"The page blocks {', '.join(bots[:5])} from indexing it."
    if isinstance(robots, Robots) and not robots.decide("Googlebot", response.url).allowed:
        unseen = "As robots.txt forbids to fetch it, crawlers do not even see this rule."
        message = f"{message or noindex.state(state).message} {unseen}"
    return Outcome(
        state,
        value=", ".join(dict.fromkeys(_text(entry.directive) for entry in found))[:200],
        evidence=tuple(
            _evidence(entry, document, "" if entry.state == state else entry.state) for entry in found[:MAX_EVIDENCE]
        ),
        total=len(found),
        loss=loss,
        message=message,
    )


def _for_visitors(found: Sequence[_Found], view: VisitorView, document: Document) -> Verdict | None:
    """The verdict where visitors without the access get other rules than the analysis; ``None``: the same ones."""
    excludes = any(entry.state == "noindex" for entry in found)
    if view.is_closed and not found:
        return NotApplicable(NOT_OPEN.detail)
    if view.is_closed or (view.indexable and excludes):
        evidence = tuple(_evidence(entry, document, "") for entry in found[:MAX_EVIDENCE])
        value = ", ".join(dict.fromkeys(_text(entry.directive) for entry in found))[:200]
        return Outcome("not_for_visitors", value=value, evidence=evidence, total=len(found))
    if not view.indexable and not excludes:
        return Outcome("for_visitors", evidence=(Evidence(url=view.url),))
    return None


def _rules_of(document: Document, artifacts: Artifacts) -> Iterator[_Found]:
    """Rules of the robots meta tags of a document."""
    for meta in document.metas:
        for directive in parse_robots_meta(meta.name, meta.content).directives if meta.name else ():
            state = _state_of(directive, artifacts)
            if state is not None and (meta.in_head or directive.name == "noindex"):
                yield _Found(state if meta.in_head or state == "one_product" else "in_body", directive, meta)


def _evidence(found: _Found, document: Document, state: str) -> Evidence:
    who = "all search engines" if found.directive.bot == ALL_BOTS else found.directive.bot
    reason = f"Declares {found.directive.name} to {who}."
    if isinstance(found.source, Meta):
        return document.evidence(found.source, reason=reason, state=state)
    return Evidence(header="X-Robots-Tag", snippet=found.source[:200], reason=reason, state=state)


def _state_of(directive: RobotsDirective, artifacts: Artifacts) -> str | None:
    barred = "one_product" if directive.bot in PRODUCT_BOTS else "one_bot"
    if directive.name == "noindex":
        return "noindex" if directive.bot == ALL_BOTS else barred
    if directive.name == "unavailable_after":
        end = parse_unavailable_after(directive.value)
        if end is None or end > artifacts.gathered_at + SOON:
            return None
        if end > artifacts.gathered_at:
            return "one_product" if directive.bot in PRODUCT_BOTS else "expires_soon"
        return "expired" if directive.bot == ALL_BOTS else barred
    return None


def _text(directive: RobotsDirective) -> str:
    rule = f"{directive.name}: {directive.value}" if directive.value else directive.name
    return rule if directive.bot == ALL_BOTS else f"{directive.bot}: {rule}"
