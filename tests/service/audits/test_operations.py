"""Use cases of audits that the API does not show by itself: settings, and what deletion and projects mean."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import (
    MAX_KEPT_PATTERNS,
    MAX_PATTERN_CHARACTERS,
    MAX_PATTERNS,
    AuditFilter,
    Pattern,
    SiteFacts,
)
from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.service.audits import operations as service
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.audits import exclude_pages
from pagegrade.store.repositories.crawl_urls import save_patterns
from pagegrade.store.repositories.crawls import advance_crawl, limit_crawl
from tests.audit_builders import OPTIONS, claim, fill, make_audit
from tests.postgres import while_it_is_open
from tests.store_builders import add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def test_settings_follow_the_limits_of_the_installation() -> None:
    """One request a second on a public site; a network that the operator allows is asked as fast as it answers."""
    _, public = service.read_settings(service.AuditFields(url="https://example.com/"), OPTIONS)
    _, own = service.read_settings(service.AuditFields(url="http://127.0.0.1/"), OPTIONS)
    _, listed = service.read_settings(
        service.AuditFields(url="https://example.com/#/", urls=("example.com/a#/b",), max_pages=9), OPTIONS
    )
    folder, of_sitemap = service.read_settings(service.AuditFields(url="https://example.com/a/map.xml"), OPTIONS)
    with pytest.raises(ValidationFailed) as refused:
        service.read_settings(
            service.AuditFields(url="https://example.com/", rate=20.01, exclude=("x",) * 3, max_pages=10_001), OPTIONS
        )

    assert (folder, of_sitemap.sitemap, of_sitemap.sitemaps) == (
        "https://example.com/a/",
        "https://example.com/a/map.xml",
        True,
    )
    assert (public.rate_per_s, public.max_pages, public.sitemaps, public.follows) == (1.0, 500, True, True)
    assert own.rate_per_s is None
    assert (listed.urls, listed.max_pages, listed.sitemaps, listed.follows) == (
        ("https://example.com/a",),
        9,
        False,
        False,
    )
    assert [each.field for each in refused.value.violations] == ["exclude", "max_pages", "rate"]


@pytest.mark.parametrize(
    "pattern", ["/a\n/b", "/a\tb", "/a b", "/a\r", "/\x00", "a", "", "/" * (MAX_PATTERN_CHARACTERS + 1)]
)
def test_a_pattern_that_fits_no_url_is_refused(pattern: str) -> None:
    """URLs have no spaces and line breaks: such a pattern would leave everything to crawl, or nothing."""
    for field in ("include", "exclude"):
        asked = service.AuditFields(url="https://example.com/", **{field: ("/blog/*", pattern)})  # type: ignore[arg-type]
        with pytest.raises(ValidationFailed) as refused:
            service.read_settings(asked, OPTIONS)
        assert [(each.field, each.code) for each in refused.value.violations] == [(field, "invalid")]


def test_one_pattern_more_is_left_out_beside_those_that_are_there_by_then(database: Database) -> None:
    """Of two people at once nothing is lost; one past the most is refused as such."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    most = tuple(f"/{at}/*" for at in range(MAX_PATTERNS - 1))
    audit = make_audit(database, alice)
    # Such a one was taken by earlier versions.
    database.write_here(lambda tx: exclude_pages(tx, audit, (*most, "/old\n/pattern"), now_ms()))

    def change(**asked: str) -> tuple[str, ...]:
        wanted = service.AuditChange(**asked)  # type: ignore[arg-type]
        return database.write_here(
            lambda tx: service.change_audit(tx, alice, audit.id, wanted, options=OPTIONS, now_ms=now_ms())
        ).settings.exclude

    with pytest.raises(ValidationFailed) as refused:
        change(leave_out="/one/*")
    readmitted = change(readmit="/old\n/pattern")
    added = change(leave_out="/one/*")
    swapped = change(leave_out="/two/*", readmit="/0/*")

    assert [(one.field, one.code) for one in refused.value.violations] == [("exclude", "too_many")]
    assert (readmitted, added) == (most, (*most, "/one/*"))
    assert swapped == (*most[1:], "/one/*", "/two/*")
    assert change(leave_out="/two/*") == change(readmit="/nothing/*") == swapped


def test_nobody_else_finds_an_audit(database: Database) -> None:
    """Neither what is deleted, nor another account's, nor a crawl that there is not."""
    alice, bob = (Caller(account=add_owner(database, name)[0]) for name in ("Alice", "Bob"))
    audit = make_audit(database, alice)
    for caller, number in ((bob, 1), (alice, 2)):
        with pytest.raises(NotFound):
            database.read_here(lambda tx: service.show_crawl(tx, caller, audit.id, number))  # noqa: B023 - called at once
    database.write_here(lambda tx: service.delete_audit(tx, alice, audit.id))
    with pytest.raises(NotFound):
        database.write_here(
            lambda tx: service.change_audit(
                tx, alice, audit.id, service.AuditChange(again=True), options=OPTIONS, now_ms=now_ms()
            )
        )
    listed = database.read_here(lambda tx: service.list_audits(tx, alice, AuditFilter(), ListPart(page=1, per_page=10)))

    assert (listed.items, listed.total) == ((), 0)


def test_what_is_excluded_later_is_so_in_crawls_that_have_not_ended(database: Database) -> None:
    """Those that have keep what they left out, and the worker of one that has not knows nothing of it yet."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    audit = make_audit(database, alice, exclude=("/a/",))

    def change(*patterns: str) -> tuple[str, ...]:
        wanted = service.AuditChange(exclude=patterns)
        changed = database.write_here(
            lambda tx: service.change_audit(tx, alice, audit.id, wanted, options=OPTIONS, now_ms=now_ms())
        )
        assert changed.settings.exclude == patterns
        return changed.crawl.settings.exclude

    crawl = claim(database)

    assert crawl is not None
    under_way = change("/a/", "/b/*")
    # The worker stores what it found to be allowed: the rate and the pages.
    slower = replace(crawl, settings=replace(crawl.settings, rate_per_s=0.5), facts=SiteFacts())
    database.write_here(lambda tx: limit_crawl(tx, slower, now_ms()))
    stored = database.read_here(lambda tx: service.show_audit(tx, alice, audit.id)).crawl
    fill(database, stored)
    ended = change()
    for wrong in (("x",), ("/" * (MAX_PATTERN_CHARACTERS + 1),), ("/",) * (MAX_PATTERNS + 1)):
        with pytest.raises(ValidationFailed) as refused:
            change(*wrong)
        assert [one.field for one in refused.value.violations] == ["exclude"]

    assert (under_way, stored.settings.exclude, stored.settings.rate_per_s) == (("/a/", "/b/*"), ("/a/", "/b/*"), 0.5)
    assert ended == ("/a/", "/b/*")
    assert change("/" * MAX_PATTERN_CHARACTERS) == ("/a/", "/b/*")


def exclusions(database: Database, caller: Caller) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Patterns that the first audit leaves out, and those of its newest crawl."""
    audit = database.read_here(lambda tx: service.show_audit(tx, caller, 1))
    return audit.settings.exclude, audit.crawl.settings.exclude


def change(database: Database, caller: Caller, **changes: Any) -> None:
    """Change the first audit."""
    wanted = service.AuditChange(**changes)
    database.write_here(lambda tx: service.change_audit(tx, caller, 1, wanted, options=OPTIONS, now_ms=now_ms()))


def test_a_crawl_that_has_begun_only_leaves_out_more(database: Database) -> None:
    """It no longer knows all of what it has left out; the next crawl does as it is told."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    make_audit(database, alice, exclude=("/a/",))
    seen = []
    change(database, alice, exclude=("/b/",))
    seen.append(exclusions(database, alice))
    crawl = claim(database)

    assert crawl is not None
    begun = replace(crawl, urls=1)
    database.write_here(lambda tx: advance_crawl(tx, begun, now_ms()))
    change(database, alice, leave_out="/c/", readmit="/b/")
    seen.append(exclusions(database, alice))
    change(database, alice, leave_out="/c/", paused=True)
    change(database, alice, exclude=(), paused=False)
    seen.append(exclusions(database, alice))
    crawl = claim(database)
    change(database, alice, exclude=tuple(f"/{number}/" for number in range(MAX_PATTERNS)))
    grown = exclusions(database, alice)
    with pytest.raises(ValidationFailed):
        change(database, alice, leave_out="/d/")
    fill(database, crawl)
    change(database, alice, readmit="/7/", again=True)
    again = exclusions(database, alice)

    assert seen == [(("/b/",), ("/b/",)), (("/c/",), ("/c/", "/b/")), ((), ("/c/", "/b/"))]
    assert (len(grown[0]), grown[1]) == (MAX_PATTERNS, (*grown[0], "/c/", "/b/"))
    assert again[0] == again[1] == tuple(one for one in grown[0] if one != "/7/")


BEHIND = {f"x.org/only-{number}": (1, 0) for number in range(3_000)}


@pytest.mark.parametrize(
    ("shapes", "offered"),
    [
        # What its rule fits counts, and not the shape alone.
        (
            {
                "x.org/en/blog/{s}": (250, 0),
                "x.org/en/products/{s}": (250, 0),
                "x.org/en/{s}": (202, 0),
                "x.org/p/{n}": (390, 0),
            },
            {"/en/blog/*", "/en/products/*", "/p/*"},
        ),
        ({"x.org/de/{s}": (60, 1), "x.org/de/{s}/{s}": (90, 1), "x.org/a/{s}": (80, 0)}, {"/de/*/*", "/a/*"}),
        (
            {"x.org/%D1%80%D1%83/{s}": (2, 0), "x.org/%D1%80%D1%83/a/{n}": (9, 0), "x.org/b": (9, 0)},
            {"/%D1%80%D1%83/a/*", "/b$"},
        ),
        # All shapes count, and not those alone that are shown.
        ({"x.org/tag/{s}": (600, 0), **BEHIND}, {"/tag/*"}),
        ({"x.org/tag/{s}": (3_001, 0), **BEHIND}, set()),
        # A trap is more than half of a site.
        ({"x.org/events/{d}": (5_000, 1), "x.org/a/{s}": (300, 0)}, {"/events/*", "/a/*"}),
        ({"x.org/list?page&sort": (900, 2), "x.org/": (1, 0), "x.org/b/{s}": (1, 0)}, {"/list?*&", "/b/*"}),
        ({"x.org/events/{d}": (5_000, 0), "x.org/a/{s}": (300, 0)}, {"/a/*"}),
    ],
)
def test_a_rule_is_offered_that_leaves_out_half_at_most(
    database: Database, shapes: dict[str, tuple[int, int]], offered: set[str]
) -> None:
    """Of all known URLs, without those of a shape that waits behind the others."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    make_audit(database, alice)
    crawl = claim(database)

    assert crawl is not None
    patterns = [
        Pattern(pattern_no=at, text=text, found=found, fetched=int(text not in BEHIND), lane=lane)
        for at, (text, (found, lane)) in enumerate(shapes.items(), start=1)
    ]
    database.write_here(lambda tx: save_patterns(tx, crawl.id, patterns))
    shown = database.read_here(lambda tx: service.show_whole(tx, alice, 1))[1]
    change(database, alice, cancel=True)
    ended = database.read_here(lambda tx: service.show_whole(tx, alice, 1))[1]

    assert {rule for text, rule in shown.rules.items() if text not in BEHIND} == offered
    assert not ended.rules


def test_what_is_put_back_stands_in_one_order(database: Database) -> None:
    """A crawl under way leaves out what the audit does, in its order, as the next one will."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    make_audit(database, alice, exclude=("/a/", "/b/"))
    claim(database)
    change(database, alice, readmit="/a/")
    change(database, alice, leave_out="/a/")

    assert exclusions(database, alice) == (("/b/", "/a/"), ("/b/", "/a/"))


def test_a_crawl_under_way_gets_every_new_pattern(database: Database) -> None:
    """However many were taken back; past the most that one crawl reads nothing is saved, and taking back is allowed."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    make_audit(database, alice, exclude=tuple(f"/0-{number}/" for number in range(MAX_PATTERNS)))
    claim(database)
    for turn in range(1, MAX_KEPT_PATTERNS // MAX_PATTERNS):
        change(database, alice, exclude=tuple(f"/{turn}-{number}/" for number in range(MAX_PATTERNS)))
    full = exclusions(database, alice)
    change(database, alice, readmit=full[0][0])
    with pytest.raises(ValidationFailed) as refused:
        change(database, alice, leave_out="/new/")
    after = exclusions(database, alice)
    change(database, alice, leave_out="/0-0/")

    assert len(full[1]) == MAX_KEPT_PATTERNS
    assert [(one.field, one.code) for one in refused.value.violations] == [("exclude", "too_many_kept")]
    assert after[0] == full[0][1:]
    assert set(after[1]) == set(full[1])
    assert exclusions(database, alice)[0] == (*after[0], "/0-0/")


@pytest.mark.backend("postgresql", reason="elsewhere one thing is written at a time")
@pytest.mark.parametrize("first", ["worker", "person"])
def test_a_worker_and_a_person_change_what_a_crawl_is_to_do(database: Database, first: str) -> None:
    """At the same moment: the pages that the site allows and what the person excludes are both kept."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    audit = make_audit(database, alice, max_pages=400)
    crawl = claim(database)

    assert crawl is not None
    limited = replace(crawl, settings=replace(crawl.settings, max_pages=50), facts=SiteFacts())

    def works(tx: Transaction) -> None:
        limit_crawl(tx, limited, now_ms())

    def excludes(tx: Transaction) -> None:
        exclude_pages(tx, audit, ("/b/*",), now_ms())

    both = (works, excludes) if first == "worker" else (excludes, works)
    while_it_is_open(database, both[0], partial(database.write_here, both[1])).result()
    settings = database.read_here(lambda tx: service.show_audit(tx, alice, 1)).crawl.settings

    assert (settings.max_pages, settings.exclude) == (50, ("/b/*",))


@pytest.mark.backend("postgresql", reason="elsewhere one thing is written at a time")
def test_of_two_patterns_left_out_at_once_none_is_lost(database: Database) -> None:
    """Two buttons are pressed one after the other."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    make_audit(database, alice)
    wanted = service.AuditChange(leave_out="/a/")
    while_it_is_open(
        database,
        lambda tx: service.change_audit(tx, alice, 1, wanted, options=OPTIONS, now_ms=now_ms()),
        lambda: change(database, alice, leave_out="/b/"),
    ).result()

    assert exclusions(database, alice) == (("/a/", "/b/"), ("/a/", "/b/"))


def test_an_access_profile_that_is_not_there_is_refused(database: Database) -> None:
    """By its id or its name; none at all is fine."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    for access in (7, "Staging"):
        with pytest.raises(ValidationFailed) as raised:
            make_audit(database, alice, access=access)
        assert [one.field for one in raised.value.violations] == ["access"]

    assert make_audit(database, alice, access=0).settings.access == 0
