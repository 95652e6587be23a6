from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.model.errors import QuotaExceeded, Unavailable
from pagegrade.model.stored import Priority
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.batches import (
    MAX_EVALUATED,
    MAX_REFUSED,
    MAX_SHOWN,
    create_reports,
    find_capacity,
    find_known,
    read_url_list,
    read_urls,
)
from pagegrade.service.reports.validation import NewReport, read_new_report
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.repositories.counts import count_matching, load_counts
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database

OPTIONS = ServiceOptions()


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def new_reports(instance: Instance, count: int) -> tuple[NewReport, ...]:
    """The reports that Alice asks for, for so many addresses."""
    account = instance.alice.account
    return tuple(
        read_new_report(f"https://a.example/{number}", privacy=1, password=None, account=account, options=OPTIONS)
        for number in range(count)
    )


def test_a_list_is_read_line_by_line() -> None:
    """Blank lines and comments mean nothing, blanks around an address do not count, and what comes again is merged."""
    read = read_url_list("\n example.com \r\n# a comment\n\nhttps://example.com/#top\n\thttp://b.example/x", OPTIONS)

    assert read.urls == ("https://example.com/", "http://b.example/x")
    assert (read.repeated, read.refused_count, read.left_out) == (1, 0, 0)


def test_lines_that_cannot_be_used_are_reported_with_their_number() -> None:
    """Each with the reason, as the form for one report would give it."""
    read = read_url_list("example.com\nftp://a.example/\n10.0.0.1\nhttps://u:p@a.example/\nno such thing", OPTIONS)

    assert read.urls == ("https://example.com/",)
    assert [(line.number, line.code) for line in read.refused] == [
        (2, "scheme_not_allowed"),
        (3, "address_not_allowed"),
        (4, "userinfo_not_allowed"),
        (5, "unparsable"),
    ]


def test_a_list_is_bounded() -> None:
    """Addresses over the limit are counted and left out, and so are the reasons of many bad lines."""
    many = read_url_list("\n".join(f"a.example/{number}" for number in range(AT_ONCE + 3)), OPTIONS)
    bad = read_url_list("ftp://a.example/\n" * (MAX_REFUSED + 7), OPTIONS)

    assert (len(many.urls), many.left_out) == (AT_ONCE, 3)
    assert (len(bad.refused), bad.refused_count) == (MAX_REFUSED, MAX_REFUSED + 7)


def test_half_a_million_lines_are_not_all_evaluated() -> None:
    """They are counted: to evaluate each would keep a processor busy for many seconds."""
    read = read_url_list("\n" * 1_000 + "a\n" * 500_000 + "example.com", OPTIONS)

    assert (read.urls, read.repeated) == ((), 0)
    assert read.refused_count == MAX_EVALUATED
    assert read.left_out == 500_001 - MAX_EVALUATED


def test_ones_own_reports_are_known(instance: Instance) -> None:
    """Those of others are not."""
    mine = instance.create("https://a.example/").report.id
    instance.create("https://b.example/", who=instance.bob)
    urls = ("https://a.example/", "https://b.example/")
    known = instance.database.read_here(lambda tx: find_known(tx, instance.alice, urls, OPTIONS, NOW_MS))

    assert known == {"https://a.example/": mine}


def test_the_room_is_what_quota_and_queue_leave(instance: Instance) -> None:
    """The smaller one counts."""
    instance.create()
    endless = replace(OPTIONS, account_queue=5)
    few = replace(OPTIONS, account_queue=5, max_reports=3)
    full = replace(OPTIONS, queue=1)

    def capacity(options: ServiceOptions) -> tuple[int | None, int, int]:
        found = instance.database.read_here(lambda tx: find_capacity(tx, instance.alice, options, NOW_MS))
        return found.reports, found.runs, found.size

    assert capacity(endless) == (None, 4, 4)
    assert capacity(few) == (2, 4, 2)
    assert capacity(full) == (None, 0, 0)


def test_many_reports_wait_behind_what_else_is_asked_for(instance: Instance) -> None:
    """They are made in their order, and their runs come after the one that a person waits for."""
    made = instance.database.write_here(
        lambda tx: create_reports(tx, instance.alice, new_reports(instance, 3), OPTIONS, NOW_MS)
    )
    awaited = instance.create("https://awaited.example/").report.id
    (run,) = instance.database.write_here(
        lambda tx: claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=1_000, target_runs=9, target_runs_per_minute=9
        )
    )

    assert len(set(made)) == 3
    assert list(made) == sorted(made)
    assert Priority.BULK > Priority.INTERACTIVE
    assert run.report_id == awaited


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (replace(OPTIONS, max_reports=2), QuotaExceeded),
        (replace(OPTIONS, account_queue=2), QuotaExceeded),
        (replace(OPTIONS, queue=2), Unavailable),
    ],
)
def test_without_room_for_all_none_is_made(instance: Instance, options: ServiceOptions, error: type[Exception]) -> None:
    """One would have to find out which are missing."""
    with pytest.raises(error):
        instance.database.write_here(
            lambda tx: create_reports(tx, instance.alice, new_reports(instance, 3), options, NOW_MS)
        )

    assert count_matching(instance.database.read_here(lambda tx: load_counts(tx, instance.alice.account.id))) == 0


def test_no_more_than_agreed_are_made(instance: Instance) -> None:
    """A call with more is a mistake of the caller."""
    with pytest.raises(ValueError, match="at most"):
        instance.database.write_here(
            lambda tx: create_reports(tx, instance.alice, new_reports(instance, 1) * (AT_ONCE + 1), OPTIONS, NOW_MS)
        )


def test_what_can_be_used_is_kept_and_the_rest_is_named() -> None:
    """In the order of the list, each once; empty texts mean nothing."""
    read = read_urls(
        ["b.example", "", "ftp://a.example/", "https://a.example/#x", "10.0.0.1", "HTTPS://A.example"], OPTIONS
    )

    assert read.urls == ("https://b.example/", "https://a.example/")
    assert [(each["url"], each["code"]) for each in read.refused] == [
        ("ftp://a.example/", "scheme_not_allowed"),
        ("10.0.0.1", "address_not_allowed"),
        ("HTTPS://A.example", "repeated"),
    ]
    assert all(each["message"] for each in read.refused)


def test_a_batch_has_a_limit() -> None:
    """At it everything fits; one past it is refused. A long URL is cut in the error."""
    urls = [f"https://a.example/{number}" for number in range(AT_ONCE)]
    full, over = read_urls(urls, OPTIONS), read_urls([*urls, "https://b.example/", "x" * 3_000], OPTIONS)

    assert (len(full.urls), full.refused) == (AT_ONCE, ())
    assert len(over.urls) == AT_ONCE
    assert [each["code"] for each in over.refused] == ["too_many", "too_long"]
    assert len(over.refused[1]["url"]) == MAX_SHOWN
