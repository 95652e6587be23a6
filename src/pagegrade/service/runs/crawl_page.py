"""Artifacts of one page of a crawl -> what is kept of it: a task for ``Children``, which makes no report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from pagegrade.checks import Check, Evaluated, Facts
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Artifacts, NotGathered, Response
from pagegrade.model.audit import (
    KEPT_HEADERS,
    MAX_ANCHOR,
    MAX_ASSETS,
    MAX_EXAMPLE,
    MAX_EXAMPLES,
    MAX_HEADER,
    MAX_LINKS,
    MAX_SIGNATURES,
    MAX_TEXT,
    META_NAME,
    PANE,
    DrawnOutcome,
    FoundSignature,
    Link,
    LinkKind,
    PageRecord,
)
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, NotRun, Outcome
from pagegrade.parse.html.regions import Regions
from pagegrade.parse.http.robots_directives import ALL_BOTS, parse_robots_meta, parse_x_robots_tag
from pagegrade.parse.likeness import digest_of, hash64, simhash_of
from pagegrade.parse.page_links import canonical_links, language_alternates
from pagegrade.parse.refreshes import next_page
from pagegrade.parse.templates import template_of
from pagegrade.parse.url import is_http, strip_fragment
from pagegrade.parse.urls.identity import has_session, identity, is_storable, seems_to_act
from pagegrade.report.sanitize import clean
from pagegrade.scoring import Scores
from pagegrade.service.runs.evaluation import refusal_of, run_on_page, score_of

_POSITION: Final = re.compile(r":nth-[a-z-]+\([^)]*\)")
_GENERATED: Final = re.compile(r"[#.][A-Za-z_-]*[0-9][\w-]*")
"""An id or class with a digit: counted, hashed or generated."""
_SECTION: Final = re.compile(r"#(?:[^\s>.:\\]|\\.)+$")
"""The id of the element itself."""
_REOPENED: Final = re.compile(r"(?<=> )(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u) > (?=[^>]+>)")
"""An element around others that browsers open again wherever its end is missing."""
_HEADING: Final = re.compile(r"<h[1-6]\b")
_NAMES: Final = re.compile(r"<([A-Za-z][\w-]*)|\s([A-Za-z_:][\w:.-]*)(?==|\s|/?>|$)")
_MAY_BE_HIDDEN: Final = NotRun("skipped", "A style sheet that could not be read decides whether people see it.")
_OF_FILES: Final = NotGathered(code="skipped", detail="A crawl does not measure the files that a page loads.")
_PAGES: Final = frozenset({"frame", "object"})
"""Kinds of references that may be pages of their own."""
_MIN_PANE_LINKS: Final = 3
_PANE_SHARE: Final = 0.8
"""Of its links, those that open in the same frame."""
_PANE_TEXT: Final = 0.6
"""Of the text of a page, that of its links."""
METRICS: Final = ("largest-contentful-paint", "cumulative-layout-shift", "total-blocking-time")
DRAWN_CHECKS: Final = (*METRICS, "color-contrast", "metadata-by-scripts", "js-dependent-content")
"""Checks of a page whose outcome is kept of those that a browser has drawn."""
_MAX_UNREAD: Final = 40
_MAX_TYPES: Final = 20
_MAX_SHOWN_URL: Final = 2_100
"""Characters of an address that is too long; more than are stored, so that it stays one."""


def read_crawl_page(artifacts: Artifacts, drop: tuple[str, ...], evaluates: bool) -> PageRecord:  # noqa: FBT001 - a task
    """Read one page of a crawl.

    Args:
        artifacts: The answer; what a crawl does not gather for each page is not evaluated.
        drop: Names of parameters that its links are known without.
        evaluates: Whether to run the checks; otherwise only what the page says is read.
    """
    refusal = refusal_of(artifacts) if evaluates else None
    if refusal is not None:
        return PageRecord(refusal=refusal.reason or refusal.code)
    facts = Facts(artifacts)
    # The style sheets say what people see; they are not all that a page loads, so nothing is said about its files.
    facts.made |= dict.fromkeys(("resources", "assets", "font_faces"), _OF_FILES)
    page = facts.document
    response = artifacts.navigation.response
    robots = set(_robots_of(page, response))
    view = artifacts.visitor_view
    canonical = next((link.url for link in canonical_links(page.links, response) if link.counts and link.url), None)
    links = dict.fromkeys(_links_of(page, response, drop, canonical))
    evaluated, not_the_page = run_on_page(facts) if evaluates else ({}, None)
    evaluated = {name: _if_certain(one) for name, one in evaluated.items()}
    scores = score_of(evaluated) if evaluates and not_the_page is None else None
    return PageRecord(
        title=_text(next((title.text for title in page.titles if title.in_head), "")),
        h1=_text(next((one.text for one in page.headings if one.level == 1 and not one.hidden), "")),
        description=_text(meta.content if (meta := page.meta("description")) is not None else ""),
        # No rule of a site that only an access lets in keeps it out of search results: search engines do not get it.
        noindex="noindex" in robots and not (isinstance(view, VisitorView) and view.is_closed),
        nofollow="nofollow" in robots,
        canonical=_known(canonical, drop) or "",
        lang=_text(page.html.attrs.get("lang", "") if page.html is not None else "", 35),
        next=_first(page, "next", drop),
        prev=_first(page, "prev", drop),
        words=page.main_word_count,
        digest=digest_of(page),
        simhash=simhash_of(page),
        template=template_of(page),
        types=tuple(sorted({clean(each, 80) for item in page.structured_items for each in item.types}))[:_MAX_TYPES],
        verification=_text(meta.content, 100) if (meta := page.meta(META_NAME)) is not None else "",
        score=None if scores is None else scores.score,
        kind=PANE if _is_pane(page) else "" if not_the_page is None else not_the_page.kind,
        headers={
            name: clean(value, MAX_HEADER) for name in KEPT_HEADERS if (value := response.header(name)) is not None
        },
        links=tuple(links)[:MAX_LINKS],
        links_cut=len(links) > MAX_LINKS or "anchors" in page.limits_hit,
        found=() if scores is None else tuple(_found(evaluated, scores)),
        unread_sheets=tuple(dict.fromkeys(url for url in page.visibility.unknown_sheets if is_storable(url)))[
            :_MAX_UNREAD
        ],
    )


def read_drawn_page(artifacts: Artifacts) -> tuple[DrawnOutcome, ...]:
    """Evaluate what only a browser shows of a page; nothing where it is not the page that was asked for."""
    if refusal_of(artifacts) is not None:
        return ()
    evaluated, not_the_page = run_on_page(Facts(artifacts))
    if not_the_page is not None:
        return ()
    found = []
    for name in DRAWN_CHECKS:
        one = evaluated[name]
        if isinstance(one.verdict, Outcome):
            found.append(DrawnOutcome(name, one.verdict.state, one.loss or 0.0, _measured(one.check, one.verdict)))
    return tuple(found)


def _measured(check: Check, verdict: Outcome) -> str:
    """The value of a metric, or the first place of another finding with what was measured there."""
    if check.id in METRICS:
        return _text(f"{check.title} {verdict.value}", MAX_EXAMPLE)
    if not verdict.evidence:
        return _text(check.state(verdict.state).message, MAX_EXAMPLE)
    first = verdict.evidence[0]
    return _text(" ".join(dict.fromkeys(filter(None, (first.value, _example(first))))), MAX_EXAMPLE)


def _text(text: str, limit: int = MAX_TEXT) -> str:
    return clean(" ".join(text[: 4 * limit].split()), limit)


def _known(url: str | None, drop: Sequence[str]) -> str | None:
    """The identity of an address; ``None`` for what is no page, or too long."""
    if url is None or not is_http(url):
        return None
    found = identity(url, drop)
    return found if is_storable(found) else None


def _target(url: str, drop: Sequence[str]) -> str:
    """The target of a link; one that is too long is cut to be shown."""
    return _known(url, drop) or strip_fragment(url)[:_MAX_SHOWN_URL]


def _first(page: Document, rel: str, drop: Sequence[str]) -> str:
    return next((_known(link.url, drop) or "" for link in page.links if rel in link.rel and link.url), "")


def _robots_of(page: Document, response: Response) -> Iterator[str]:
    """The rules for all crawlers."""
    declared = [parse_robots_meta(meta.name, meta.content) for meta in page.metas if meta.name]
    declared += [parse_x_robots_tag(value) for value in response.header_values("x-robots-tag")]
    return (rule.name for rules in declared for rule in rules.directives if rule.bot == ALL_BOTS)


def _links_of(page: Document, response: Response, drop: Sequence[str], canonical: str | None) -> Iterator[Link]:
    """Every link, those of the head first, so that none of them is cut off behind a thousand others."""
    if canonical is not None:
        yield Link(_target(canonical, drop), "canonical")
    for alternate in language_alternates(page.links, response):
        if alternate.url is not None and alternate.counts:
            yield Link(_target(alternate.url, drop), "hreflang", hreflang=_text(alternate.hreflang, 35))
    kinds: tuple[LinkKind, LinkKind] = ("next", "prev")
    for kind in kinds:
        if target := _first(page, kind, drop):
            yield Link(target, kind)
    yield from _pages_shown(page, response, drop)
    yield from _assets_of(page)
    regions = Regions()
    for anchor in page.anchors:
        url = anchor.url
        if url is None or not is_http(url):
            continue
        target = _target(url, drop)
        nofollow = "nofollow" in anchor.rel
        text = _text(anchor.name, MAX_ANCHOR)
        place, hidden = regions.of(anchor.node), anchor.hidden
        yield Link(target, "a", place, nofollow, text, session=has_session(url), hidden=hidden)


def _pages_shown(page: Document, response: Response, drop: Sequence[str]) -> Iterator[Link]:
    """Pages that a browser shows in place of the page or inside it, without a click."""
    url = next_page(page, response)
    if url is not None:
        yield Link(_target(url, drop), "refresh")
    for one in islice((one for one in page.references if one.kind == "frame"), MAX_ASSETS):
        yield Link(_target(one.url, drop), "frame")


def _assets_of(page: Document) -> Iterator[Link]:
    """Every file that a browser would load for the page; of several to choose from none, because it takes one."""
    named = (one for one in page.references if not one.alternative and one.kind not in _PAGES)
    found = {one.url: one.kind for one in named if is_storable(one.url) and not seems_to_act(one.url)}
    for url, kind in islice(found.items(), MAX_ASSETS):
        yield Link(url, "asset", anchor=kind)


def _is_pane(page: Document) -> bool:
    """Return whether a page may be the navigation of a frameset: little but links, which open in one other frame."""
    base = next((one.attrs["target"] for one in page.bases if one.attrs.get("target")), "")
    links = [one for one in page.anchors if one.url is not None and is_http(one.url)]
    frames = Counter(target for one in links if (target := one.attrs.get("target") or base) and target[0] != "_")
    if not frames or frames.most_common(1)[0][1] < max(_MIN_PANE_LINKS, _PANE_SHARE * len(links)):
        return False
    return sum(len(one.text) for one in links) >= _PANE_TEXT * len(page.text)


def _if_certain(evaluated: Evaluated) -> Evaluated:
    """Leave out what style sheets may hide from everybody that could not be read."""
    verdict = evaluated.verdict
    if not isinstance(verdict, Outcome) or not verdict.uncertain:
        return evaluated
    return Evaluated(evaluated.check, _MAY_BE_HIDDEN, "not_evaluated", None)


def _found(evaluated: Mapping[str, Evaluated], scores: Scores) -> Iterator[FoundSignature]:
    """Findings by signature; their points add up to what the page lost."""
    shares = {name: total.taken / total.lost if total.lost else 0.0 for name, total in scores.categories.items()}
    lowest = next((cap for cap in scores.caps if cap.category is None), None)
    for name, one in evaluated.items():
        verdict = one.verdict
        if one.outcome not in {"warning", "failed"} or not isinstance(verdict, Outcome):
            continue
        lost = scores.lost[name] * shares[one.check.category]
        if lowest is not None and lowest.check == name:
            lost += max(0.0, scores.uncapped - scores.score)
        yield from _signatures(name, verdict, lost)


def _signatures(check: str, verdict: Outcome, lost: float) -> Iterator[FoundSignature]:
    """One for each look of a place, the points in shares of their places; further looks are counted with the last."""
    groups: dict[int, list[Evidence]] = {}
    for evidence in verdict.evidence:
        look = _look(check, verdict.state, evidence)
        if look not in groups and len(groups) >= MAX_SIGNATURES:
            look = next(reversed(groups))
        groups.setdefault(look, []).append(evidence)
    if not groups:
        yield FoundSignature(
            check, verdict.state, round(lost, 4), verdict.total or 1, hash64(f"{check} {verdict.state}")
        )
        return
    seen = len(verdict.evidence)
    more = max(0, (verdict.total or seen) - seen)
    for index, (look, places) in enumerate(groups.items()):
        yield FoundSignature(
            check,
            verdict.state,
            round(lost * len(places) / seen, 4),
            len(places) + (more if index == 0 else 0),
            look,
            tuple(_example(place) for place in places[:MAX_EXAMPLES]),
        )


def _example(place: Evidence) -> str:
    return _text(
        place.snippet or place.selector or place.value or place.header or place.url or place.reason, MAX_EXAMPLE
    )


def _look(check: str, state: str, place: Evidence) -> int:
    """64 bits that are the same for places that look the same: without positions, generated names and values."""
    selector = _REOPENED.sub("", _GENERATED.sub("", _POSITION.sub("", place.selector)))
    if _HEADING.match(place.snippet):
        # It names what is below the heading, so each page has others.
        selector = _SECTION.sub("", selector)
    names = " ".join(tag or attribute for tag, attribute in _NAMES.findall(place.snippet))
    return hash64(f"{check}\n{state}\n{place.state}\n{selector}\n{place.header}\n{names}")
