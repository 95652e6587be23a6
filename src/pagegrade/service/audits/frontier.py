"""The frontier of a crawl: what is known, what waits, and the one transaction that stores what a batch brought.

What it knows in memory is bounded, and follows from the tables: a process that is killed loses the open batch alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from http import HTTPStatus
from itertools import islice
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.clock import now_ms, utc_now
from pagegrade.model.audit import (
    PAGE_STATES,
    UNKNOWN_DEPTH,
    AuditSettings,
    Crawl,
    CrawlHost,
    NewURL,
    Pattern,
    SettledURL,
    Sheet,
    SiteFacts,
    URLFilter,
    URLState,
    WaitingURL,
)
from pagegrade.parse.url import MAX_URL_CHARACTERS, join_url, origin
from pagegrade.parse.urls.identity import identity, is_growing, keyed_hash, seems_to_act
from pagegrade.parse.urls.patterns import OTHERS, Patterns, is_far_date
from pagegrade.parse.urls.scope import Scope
from pagegrade.report.sanitize import clean_text
from pagegrade.service.audits.spelling import Answer, Spelled, broken, find_spelled, is_verified, learn, others_of
from pagegrade.service.audits.style_sheets import StyleSheets
from pagegrade.service.audits.visits import ASSET, Visit, content_of, digest_of, name_of, segments_of, settled_of
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.crawl_segments import (
    DrawnRow,
    SegmentKind,
    add_segments,
    list_sheets,
    pack_segment,
)
from pagegrade.store.repositories.crawl_urls import (
    ASSET_LANE,
    AT_ONCE,
    GONE,
    SAMPLE,
    SAMPLED_LANE,
    ShownPage,
    StoredURL,
    add_urls,
    count_assets,
    find_contents,
    find_shown,
    find_urls,
    found_nearer,
    list_patterns,
    move_pattern,
    reopen_variants,
    save_patterns,
    settle_urls,
    urls_beside,
    waiting_urls,
)
from pagegrade.store.repositories.crawls import advance_crawl, limit_crawl, list_hosts, save_hosts

MAX_HOSTS: Final = 100
MAX_REMEMBERED: Final = 4_000
"""URLs whose ids are kept in memory; most links of a page lead to the same few."""
MAX_ASSETS: Final = 2_000
"""Files that pages load, which are asked for once each when there are no more pages."""
WAYS: Final = frozenset({"a", "refresh", "frame"})
"""Kinds of links by which visitors come to a page; the last two without a click."""
LATE_LANE: Final = 1
BUDGET_PAGES: Final = 100
BUDGET_SHARE: Final = 0.25
"""A pattern with more fetched pages than both waits behind the others."""
YIELD_PAGES: Final = 50
YIELD_SHARE: Final = 0.2
"""A pattern of which fewer pages than this share have a content of their own is sampled."""
T = TypeVar("T")
_SETTLED: Final = frozenset({URLState.FETCHED, URLState.FAILED, URLState.THROTTLED})
_UNASKED: Final = URLFilter(states=tuple(PAGE_STATES.keys() - _SETTLED - {URLState.TOO_LONG}))


class _Batch(msgspec.Struct, kw_only=True):
    """All that one transaction writes; plain values, because it may be tried again."""

    new: list[NewURL] = msgspec.field(default_factory=list)
    settled: list[SettledURL] = msgspec.field(default_factory=list)
    depths: dict[int, int] = msgspec.field(default_factory=dict)
    reopened: dict[int, URLState] = msgspec.field(default_factory=dict)
    patterns: list[Pattern] = msgspec.field(default_factory=list)
    moved: dict[int, int] = msgspec.field(default_factory=dict)
    hosts: list[CrawlHost] = msgspec.field(default_factory=list)
    segments: Mapping[SegmentKind, bytes] = msgspec.field(default_factory=dict)
    assets: int = 0
    """Of ``new``, those that are files of pages."""
    respelled: AbstractSet[int] = frozenset()
    """Hosts where a spelling of URLs makes a difference after all."""
    remembered: dict[int, tuple[int, int, URLState]] = msgspec.field(default_factory=dict)
    """Hash of a URL -> what is known of it afterwards."""


class _Target(msgspec.Struct):
    """Ways by which a batch names a URL: the shortest, and whether any of them may be followed."""

    depth: int = UNKNOWN_DEPTH
    followed: bool = False


class Frontier:
    """One crawl as the process knows it that works on it."""

    def __init__(
        self,
        database: Database,
        crawl: Crawl,
        hosts: Sequence[CrawlHost],
        patterns: Sequence[Pattern],
        *,
        sheets: Sequence[Sheet] = (),
        assets: int = 0,
    ) -> None:
        """Take what the tables hold; use ``open_frontier``."""
        self._database = database
        self.crawl = crawl
        self.sheets = StyleSheets(sheets)
        self._assets = assets
        settings = crawl.settings
        self.scope = Scope(crawl.start_url, settings.scope, settings.include, settings.exclude)
        self.hosts = list(hosts)
        self._host_numbers = {host.origin: host.host_no for host in hosts}
        self._shapes = Patterns((one.pattern_no, one.text) for one in patterns)
        self.patterns = {one.pattern_no: one for one in patterns}
        self._known: dict[int, tuple[int, int, URLState]] = {}
        self._today: date = utc_now().date()

    async def take(self, limit: int, taken: set[int], *, assets: bool = False) -> list[WaitingURL]:
        """Return up to ``limit`` URLs that are to be fetched next, without those that are under way.

        Args:
            limit: Most of them.
            taken: Ids of those under way.
            assets: Files that pages load instead of pages.
        """
        number = limit + len(taken)
        rows = await self._database.read(lambda tx: waiting_urls(tx, self.crawl.id, number, assets=assets))
        return [row for row in rows if row.url_id not in taken][:limit]

    async def find_spelled(self, rows: Sequence[WaitingURL], under_way: Iterable[WaitingURL]) -> Spelled:
        """Find the waiting URLs whose page was fetched under another spelling, or is under way."""
        rules = () if self.crawl.facts is None else self.crawl.facts.spellings
        proved = {(one.host_no, one.way) for one in rules if one.is_proved}
        others: dict[int, list[int]] = {}
        for row in rows if proved else ():
            if not is_verified(self._hash(row.url)):
                named = others_of(row.url, self._host_numbers, self._hash)
                others[row.url_id] = [key for way, key in named if (row.host_no, way) in proved]
        keys = {key for some in others.values() for key in some}
        if not keys:
            return Spelled()
        shown = await self._database.read(lambda tx: find_shown(tx, self.crawl.id, keys))
        return find_spelled(rows, under_way, others, shown, self._hash)

    async def add_seeds(self, urls: Iterable[str], depth: int) -> None:
        """Make the pages known with which the crawl begins."""
        targets = {identity(url): _Target(depth, followed=True) for url in urls}
        await self._store([], targets)

    async def add_sitemap(self, urls: Sequence[str], lastmods: Sequence[str], file: str) -> None:
        """Make known what one sitemap lists; those that no link leads to are fetched last."""
        names = [identity(url) for url in urls]
        targets = {name: _Target(followed=self.crawl.settings.follows) for name in names}
        await self._store([], targets, list(zip(names, lastmods, strict=True)), file)

    async def commit(self, visits: Sequence[Visit], *, worked_ms: int = 0) -> None:
        """Store what a batch of visits brought, all of it or nothing.

        Raises:
            CrawlTakenOver: Another process works on the crawl.
            Unavailable: The database cannot be written.
        """
        targets: dict[str, _Target] = {}
        for visit in visits:
            self._note_targets(visit, targets)
        self.crawl = replace(self.crawl, worked_ms=self.crawl.worked_ms + worked_ms)
        await self._store(visits, targets)

    async def save(self, crawl: Crawl) -> None:
        """Store changed counters and facts of the crawl."""
        await self._database.write(lambda tx: advance_crawl(tx, crawl, now_ms()))
        self.crawl = crawl

    async def note(self, settled: Sequence[SettledURL], rows: Sequence[DrawnRow] = (), *, worked_ms: int) -> None:
        """Store what is known of URLs beside their fetching, and what a browser saw of pages.

        Raises:
            CrawlTakenOver: Another process works on the crawl.
            Unavailable: The database cannot be written.
        """
        number = self.crawl.segments
        crawl = replace(self.crawl, worked_ms=self.crawl.worked_ms + worked_ms, segments=number + bool(rows))

        def write(tx: Transaction) -> None:
            advance_crawl(tx, crawl, now_ms())
            settle_urls(tx, crawl.id, settled)
            add_segments(tx, crawl.id, number, {"drawn": pack_segment(rows)} if rows else {})

        await self._database.write(write)
        self.crawl = crawl

    async def leave_out(self) -> None:
        """Put out of scope what was not asked for and was excluded since it was found.

        Raises:
            CrawlTakenOver: Another process works on the crawl.
            Unavailable: The database cannot be used.
        """
        rows = await self._unasked_after(None)
        while rows:
            out = [row.url_id for row in rows if not self.scope.holds(row.url)]
            if out:
                await self.note([SettledURL(each, URLState.OUTSIDE, 0, 0) for each in out], worked_ms=0)
            rows = await self._unasked_after(rows[-1].url_id)

    async def _unasked_after(self, url_id: int | None) -> tuple[StoredURL, ...]:
        crawl_id = self.crawl.id
        return await self._database.read(
            lambda tx: urls_beside(tx, crawl_id, _UNASKED, AT_ONCE, beside=url_id, backward=False)
        )

    async def read(self, function: Callable[[Transaction], T]) -> T:
        """Read from the tables of the crawl."""
        return await self._database.read(function)

    async def limit(self, settings: AuditSettings, facts: SiteFacts) -> None:
        """Store the settings that the crawl goes on with, and what is known of the site."""
        crawl = replace(self.crawl, settings=settings, facts=facts)
        await self._database.write(lambda tx: limit_crawl(tx, crawl, now_ms()))
        self.crawl = crawl

    def host(self, host_no: int) -> CrawlHost:
        """The origin of that number."""
        return self.hosts[host_no]

    def _note_targets(self, visit: Visit, targets: dict[str, _Target]) -> None:
        depth = visit.row.depth
        if visit.redirect:
            _note(targets, visit.redirect, depth, followed=True)
        record = visit.record
        if record is None:
            return
        below = depth if depth == UNKNOWN_DEPTH else depth + 1
        for link in record.links:
            is_way = link.kind in WAYS
            followed = self.crawl.settings.follows and not (is_way and (link.nofollow or record.nofollow))
            away = below if link.kind == "a" else depth
            _note(targets, name_of(link), away if is_way else UNKNOWN_DEPTH, followed=followed)

    async def _store(
        self,
        visits: Sequence[Visit],
        targets: Mapping[str, _Target],
        listed: Sequence[tuple[str, str]] = (),
        file: str = "",
    ) -> None:
        hashes = {url: self._hash(url) for url in targets}
        unknown = [each for each in dict.fromkeys(hashes.values()) if each not in self._known]
        contents = {content_of(visit) for visit in visits if visit.record is not None and visit.record.digest}
        crawl_id = self.crawl.id
        answers = self._answers(visits)
        spelled = {key for one in answers for _, key in one.others}
        found, before, shown = await self._database.read(
            lambda tx: (
                find_urls(tx, crawl_id, unknown),
                find_contents(tx, crawl_id, contents),
                find_shown(tx, crawl_id, spelled),
            )
        )
        # Behind the others: what is named again and again is forgotten last.
        found |= {key: self._known.pop(key) for key in dict.fromkeys(hashes.values()) if key in self._known}
        self._known |= found
        batch = _Batch()
        changed: dict[int, Pattern] = {}
        ids = self._note_urls(targets, hashes, batch, changed)
        number = self.crawl.segments
        batch.settled = [settled_of(visit, number) for visit in visits]
        fetched = self.crawl.fetched
        for visit, settled in zip(visits, batch.settled, strict=True):
            is_asset = visit.row.lane >= ASSET_LANE
            key = self._hash(ASSET + visit.row.url if is_asset else visit.row.url)
            batch.remembered[key] = visit.row.url_id, visit.row.depth, settled.state
            if not is_asset:
                fetched += settled.state in _SETTLED
                if settled.state is URLState.FETCHED:
                    self._count(visit, changed, before)
        pages = [one for one in visits if one.state is URLState.FETCHED and one.row.lane < ASSET_LANE]
        sheets = self.sheets.unsaved()
        batch.segments = segments_of(pages, ids, listed, file, sheets)
        for pattern in changed.values():
            lane = _lane_of(pattern, fetched)
            if lane > pattern.lane:
                pattern.lane = batch.moved[pattern.pattern_no] = lane
        facts = self.crawl.facts
        if facts is not None and answers:
            rules = learn(facts.spellings, answers, shown)
            batch.respelled = broken(facts.spellings, rules)
            facts = replace(facts, spellings=rules)
        batch.patterns = list(changed.values())
        batch.hosts = self.hosts
        crawl = replace(
            self.crawl,
            urls=self.crawl.urls + len(batch.new),
            fetched=fetched,
            bytes=self.crawl.bytes + sum(visit.bytes for visit in visits),
            segments=number + bool(batch.segments),
            facts=facts,
        )
        await self._database.write(lambda tx: _write(tx, crawl, batch, number))
        # Only now: a transaction that failed has changed nothing.
        self.crawl = crawl
        self._assets += batch.assets
        self.sheets.saved(sheets)
        self.patterns |= changed
        self._known |= batch.remembered
        for key in list(islice(self._known, max(0, len(self._known) - MAX_REMEMBERED))):
            del self._known[key]

    def _note_urls(
        self, targets: Mapping[str, _Target], hashes: Mapping[str, int], batch: _Batch, changed: dict[int, Pattern]
    ) -> dict[str, int]:
        """Add to the batch what is new of the URLs; returns the id of each."""
        ids: dict[str, int] = {}
        for url, target in targets.items():
            key = hashes[url]
            known = self._known.get(key) or batch.remembered.get(key)
            if known is None:
                url_id = self.crawl.urls + len(batch.new) + 1
                if url.startswith(ASSET):
                    asset = self._new_asset(url_id, key, url.removeprefix(ASSET), batch)
                    if asset is None:
                        continue
                    new = asset
                else:
                    new = self._new(url_id, key, url, target, changed)
                batch.new.append(new)
                known = batch.remembered[key] = new.url_id, new.depth, new.state
            elif target.followed:
                self._note_nearer(key, known, target, batch)
            ids[url] = known[0]
        return ids

    def _note_nearer(
        self,
        key: int,
        known: tuple[int, int, URLState],
        target: _Target,
        batch: _Batch,
    ) -> None:
        url_id, depth, state = known
        nearest = min(depth, target.depth)
        if nearest < depth:
            batch.depths[url_id] = nearest
        if state in {URLState.NOFOLLOW, URLState.TOO_DEEP} and self._may_wait(nearest):
            state = batch.reopened[url_id] = URLState.WAITING
        elif state is URLState.NOFOLLOW:
            state = batch.reopened[url_id] = URLState.TOO_DEEP
        batch.remembered[key] = url_id, nearest, state

    def _may_wait(self, depth: int) -> bool:
        return depth == UNKNOWN_DEPTH or depth <= self.crawl.settings.max_depth

    def _new(self, url_id: int, key: int, url: str, target: _Target, changed: dict[int, Pattern]) -> NewURL:
        """A URL that was not known, with all that follows from its spelling."""
        if len(url) > MAX_URL_CHARACTERS:
            return NewURL(
                url_id, key, -1, OTHERS, target.depth, 0, URLState.TOO_LONG, clean_text(url[:MAX_URL_CHARACTERS])
            )
        # A child that was taken over may name anything; what is contacted is a URL and nothing else.
        is_canonical = join_url("about:blank", url) == url
        is_listed = target.followed or self.crawl.settings.follows
        host_no = self.host_number(url) if is_canonical and is_listed and self.scope.holds(url) else -1
        if host_no < 0:
            return NewURL(url_id, key, -1, OTHERS, target.depth, 0, URLState.OUTSIDE, clean_text(url))
        pattern = self._pattern(url, changed)
        pattern.found += 1
        lane = pattern.lane
        if seems_to_act(url):
            state = URLState.ACTS
        elif is_growing(url):
            state = URLState.GROWING
        elif not target.followed:
            state = URLState.NOFOLLOW
        elif not self._may_wait(target.depth):
            state = URLState.TOO_DEEP
        else:
            state = URLState.WAITING
            if lane < SAMPLED_LANE and pattern.fetched >= YIELD_PAGES and is_far_date(url, self._today):
                lane = SAMPLED_LANE
            if lane == SAMPLED_LANE and key % SAMPLE:
                state = URLState.SAMPLED_OUT
        return NewURL(url_id, key, host_no, pattern.pattern_no, target.depth, lane, state, url)

    def _new_asset(self, url_id: int, key: int, url: str, batch: _Batch) -> NewURL | None:
        """A file that a page loads, from wherever it comes; ``None`` beyond what a crawl asks for."""
        if self._assets + batch.assets >= MAX_ASSETS or join_url("about:blank", url) != url:
            return None
        host_no = self.host_number(url)
        if host_no < 0:
            return None
        batch.assets += 1
        return NewURL(url_id, key, host_no, OTHERS, UNKNOWN_DEPTH, ASSET_LANE, URLState.WAITING, url)

    def is_of_site(self, url: str) -> bool:
        """Return whether a URL lies on an origin of the site that the crawl may ask."""
        return self.scope.is_of_site(url) and self.host_number(url) >= 0

    def host_number(self, url: str) -> int:
        """The number of the origin of a URL; -1 where the crawl has as many as it may have."""
        place = origin(url)
        number = self._host_numbers.get(place, -1)
        if number < 0 and len(self.hosts) < MAX_HOSTS:
            number = self._host_numbers[place] = len(self.hosts)
            self.hosts.append(CrawlHost(host_no=number, origin=place))
        return number

    def _pattern(self, url: str, changed: dict[int, Pattern]) -> Pattern:
        """A copy of the URL's pattern, to be counted in."""
        number = self._shapes.number(url)
        pattern = changed.get(number)
        if pattern is None:
            known = self.patterns.get(number)
            if known is None:
                pattern = Pattern(pattern_no=number, text=clean_text(self._shapes.text(number)))
            else:
                pattern = replace(known)
            changed[number] = pattern
        return pattern

    def _count(self, visit: Visit, changed: dict[int, Pattern], before: set[tuple[int, int]]) -> None:
        number = visit.row.pattern_no
        pattern = changed.get(number)
        if pattern is None:
            pattern = changed[number] = replace(self.patterns[number])
        pattern.fetched += 1
        if visit.record is None or not visit.record.digest or content_of(visit) not in before:
            pattern.distinct += 1
            before.add(content_of(visit))

    def _answers(self, visits: Sequence[Visit]) -> list[Answer]:
        """The pages of a batch that tell spellings apart: those with content, and those that do not exist."""
        found = []
        for visit in visits:
            row, record = visit.row, visit.record
            if visit.state is not URLState.FETCHED or row.lane >= ASSET_LANE:
                continue
            is_page = visit.status == HTTPStatus.OK and record is not None and record.digest and not record.refusal
            if is_page or visit.status in GONE:
                page = ShownPage(row.host_no, digest_of(visit) if is_page else None)
                others = others_of(row.url, self._host_numbers, self._hash)
                found.append(Answer(self._hash(row.url), page, others))
        return found

    def _hash(self, url: str) -> int:
        return keyed_hash(url, self.crawl.secret)


async def open_frontier(database: Database, crawl: Crawl) -> Frontier:
    """Load the frontier of a crawl."""

    def load(tx: Transaction) -> Frontier:
        return Frontier(
            database,
            crawl,
            list_hosts(tx, crawl.id),
            list_patterns(tx, crawl.id),
            sheets=list_sheets(tx, crawl.id),
            assets=count_assets(tx, crawl.id, MAX_ASSETS),
        )

    return await database.read(load)


def _write(tx: Transaction, crawl: Crawl, batch: _Batch, number: int) -> None:
    advance_crawl(tx, crawl, now_ms())
    add_urls(tx, crawl.id, batch.new)
    # Before what was visited: a link to a page of this batch must not let it wait again.
    found_nearer(tx, crawl.id, batch.depths, batch.reopened)
    settle_urls(tx, crawl.id, batch.settled)
    for host_no in batch.respelled:
        reopen_variants(tx, crawl.id, host_no)
    save_patterns(tx, crawl.id, batch.patterns)
    for pattern_no, lane in batch.moved.items():
        move_pattern(tx, crawl.id, pattern_no, lane)
    save_hosts(tx, crawl.id, batch.hosts)
    add_segments(tx, crawl.id, number, batch.segments)


def _note(targets: dict[str, _Target], url: str, depth: int, *, followed: bool) -> None:
    target = targets.get(url)
    if target is None:
        target = targets[url] = _Target()
    if followed:
        target.followed = True
        target.depth = min(target.depth, depth)


def _lane_of(pattern: Pattern, fetched: int) -> int:
    if pattern.fetched >= YIELD_PAGES and pattern.distinct < YIELD_SHARE * pattern.fetched:
        return SAMPLED_LANE
    if pattern.pattern_no != OTHERS and pattern.fetched > max(BUDGET_PAGES, BUDGET_SHARE * fetched):
        return LATE_LANE
    return 0
