"""Spellings of URLs that make no difference on a host: learned from pages, so that each is fetched under one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.audit import PROVED_BY, SpellingRule, WaitingURL, Way
from pagegrade.parse.url import origin
from pagegrade.parse.urls.spellings import spellings
from pagegrade.store.repositories.crawl_urls import SAMPLE, ShownPage

_OF_HOSTS: Final = frozenset({"www", "scheme"})
"""Ways whose other spelling is of another origin, which need not be of the site."""
Key = Callable[[str], int]
"""Makes the hash of a URL."""


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A URL that was fetched."""

    key: int
    """Its hash."""
    page: ShownPage
    others: Sequence[tuple[Way, int]]
    """Its other spellings, as of ``others_of``."""


class Spelled(msgspec.Struct):
    """Waiting URLs whose page has other spellings, by their ids."""

    shown: set[int] = msgspec.field(default_factory=set)
    """The page was fetched under one of them."""
    under_way: set[int] = msgspec.field(default_factory=set)
    """One of them is being fetched."""


def others_of(url: str, origins: Collection[str], key: Key) -> list[tuple[Way, int]]:
    """The other spellings of a URL on known origins, by their hashes."""
    return [(way, key(other)) for way, other in spellings(url) if way not in _OF_HOSTS or origin(other) in origins]


def learn(
    rules: Iterable[SpellingRule], answers: Iterable[Answer], shown: Mapping[int, ShownPage]
) -> tuple[SpellingRule, ...]:
    """Return the rules of all hosts after further answers.

    Pages of equal content count once: a site that shows the same for every URL proves nothing.

    Args:
        rules: Of the crawl before them.
        answers: Those answers.
        shown: Hash of another spelling -> what it showed before.
    """
    known = {(one.host_no, one.way): one for one in rules}
    seen = dict(shown)
    for answer in answers:
        page = answer.page
        for way, other in answer.others:
            twin = seen.get(other)
            if twin is None or twin.digest is page.digest is None:
                continue
            for host_no in {page.host_no, twin.host_no}:
                rule = known.get((host_no, way)) or SpellingRule(host_no, way)
                if twin.digest != page.digest:
                    rule = replace(rule, disproved=True)
                elif page.digest not in rule.contents and len(rule.contents) < PROVED_BY:
                    rule = replace(rule, contents=(*rule.contents, page.digest))
                known[host_no, way] = rule
        seen[answer.key] = page
    return tuple(known.values())


def broken(before: Iterable[SpellingRule], after: Iterable[SpellingRule]) -> frozenset[int]:
    """Return the hosts that have a rule which was proved and is disproved now."""
    disproved = {(one.host_no, one.way) for one in after if one.disproved}
    return frozenset(one.host_no for one in before if one.is_proved and (one.host_no, one.way) in disproved)


def find_spelled(
    rows: Sequence[WaitingURL],
    under_way: Iterable[WaitingURL],
    others: Mapping[int, Sequence[int]],
    shown: Mapping[int, ShownPage],
    key: Key,
) -> Spelled:
    """Find which URLs need not be fetched now, because their page is under another spelling.

    Args:
        rows: That wait, in order.
        under_way: That are being fetched.
        others: Id of a URL -> hashes of its other spellings that show the same.
        shown: Hash of another spelling -> what it showed.
        key: Makes the hash of a URL.
    """
    found = Spelled()
    begun = {key(row.url) for row in under_way}
    for row in rows:
        mine = others.get(row.url_id, ())
        if any((page := shown.get(one)) is not None and page.digest is not None for one in mine):
            found.shown.add(row.url_id)
        elif not begun.isdisjoint(mine):
            found.under_way.add(row.url_id)
        else:
            begun.add(key(row.url))
    return found


def is_verified(key: int) -> bool:
    """Return whether a URL is fetched although its page was: one of fifty is, to see that the rule still holds."""
    return key % SAMPLE == 0
