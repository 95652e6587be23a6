from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.cache_headers import cache_headers
from pagegrade.model.artifacts import NotGathered, Resource
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, run

DAY = 86_400
VALIDATOR = ("ETag", '"a"')
DATE = ("Date", "Mon, 05 Jan 2026 12:00:00 GMT")


def file(
    *headers: tuple[str, str], kind: str = "script", size: int = 1_000, path: str = "a.js", **more: Any
) -> Resource:
    """A fetched file with these headers."""
    return make_resource(URL + path, kind=kind, body_bytes=size, headers=headers, **more)


def kept(value: str, *headers: tuple[str, str], **more: Any) -> Resource:
    """A file with this Cache-Control."""
    return file(("Cache-Control", value), *headers, **more)


def evaluate_files(*items: Resource) -> Evaluated:
    """The verdict on a page with these files."""
    return evaluated(cache_headers, resources=make_resources(*items))


def state_of(*items: Resource) -> str:
    """The state of a page with these files."""
    found = evaluate_files(*items)
    if not isinstance(found.verdict, Outcome):
        raise TypeError(found.verdict)
    return found.verdict.state


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (kept(f"max-age={30 * DAY}"), "long"),
        (kept(f"max-age={30 * DAY - 1}"), "short"),
        (kept("max-age=60, immutable"), "long"),
        (kept('public, max-age="31536000"'), "long"),
        (kept("max-age=31536000, stale-while-revalidate=86400, x-odd=1"), "long"),
        (kept('no-cache="set-cookie", max-age=31536000'), "long"),
        (file(DATE, ("Expires", "Tue, 05 Jan 2027 12:00:00 GMT")), "long"),
        (file(DATE, ("Expires", "Mon, 05 Jan 2026 13:00:00 GMT")), "short"),
        (file(("Expires", "Tue, 05 Jan 2027 12:00:00 GMT")), "long"),
        (kept("max-age=1"), "short"),
        (kept("max-age=soon", VALIDATOR), "short"),
        (kept("max-age='3600'"), "uncached"),
        (file(DATE, ("Expires", "in a month")), "uncached"),
        (file(DATE, ("Expires", "in a month"), VALIDATOR), "short"),
        (kept("max-age=" + "9" * 400), "long"),
        (kept("must-revalidate, max-age=600"), "short"),
        (kept("private, max-age=600"), "short"),
        (kept('private="set-cookie"'), "uncached"),
        (kept("no-cache=10"), "uncached"),
        (kept("public", ("Pragma", "no-cache")), "uncached"),
        (file(("Cache-Control", "no-transform"), ("cache-control", f"max-age={40 * DAY}")), "long"),
        (file(VALIDATOR), "uncached"),
        (kept("public"), "uncached"),
        (kept("immutable"), "uncached"),
        (file(), "uncached"),
    ],
)
def test_the_stated_lifetime_decides(item: Resource, state: str) -> None:
    """Quotes, unknown words and dates in the past are read as the standard says."""
    assert state_of(item) == state


def test_a_cache_on_the_way_may_have_used_the_lifetime_up() -> None:
    """An age beyond the lifetime means stale on arrival; a smaller one says nothing about the policy."""
    assert state_of(kept(f"max-age={40 * DAY}", ("Age", str(40 * DAY)))) == "short"
    assert state_of(kept(f"max-age={30 * DAY}", ("Age", str(29 * DAY)))) == "long"


def test_files_of_other_sites_are_not_evaluated() -> None:
    """They belong to another owner."""
    verdict = run(cache_headers, resources=make_resources(file(first_party=False)))

    assert isinstance(verdict, NotApplicable)


@pytest.mark.parametrize(
    "item",
    [
        kept("no-store"),
        kept("no-cache"),
        kept("public, max-age=0, must-revalidate"),
        kept("max-age=0"),
        kept("max-age=-100"),
        kept("private"),
        kept("must-revalidate"),
        file(DATE, ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")),
        file(DATE, ("Expires", "0"), VALIDATOR),
        file(("Expires", "-1")),
        file(("Pragma", "no-cache")),
        file(kind="frame"),
        file(("Content-Type", "text/html; charset=utf-8")),
        file(status=404),
        file(status=204),
        Resource(url=URL, kinds=("script",), initiator_url=URL, failure=NotGathered(code="timeout")),
    ],
    ids=[
        *("no-store", "no-cache", "revalidated", "zero", "negative", "private", "checked", "past", "nought", "minus"),
        *("pragma", "frame", "html", "missing", "empty", "failed"),
    ],
)
def test_decisions_documents_and_failures_are_left_out(item: Resource) -> None:
    """Files that must not be kept, and files that did not arrive, are no mistake of caching."""
    verdict = run(cache_headers, resources=make_resources(item))

    assert isinstance(verdict, NotApplicable)


@pytest.mark.parametrize(
    ("size", "loss"),
    [(0, 0.25), (28_000, 0.25), (28_001, 0.4), (139_400, 0.4), (139_401, 0.55), (585_000, 1), (900_000, 1)],
)
def test_bytes_weigh_what_says_nothing(size: int, loss: float) -> None:
    """From 28,000 to 128,000 bytes in five steps."""
    found = evaluate_files(file(size=size))

    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(("size", "loss"), [(100, 0.1), (28_001, 0.13), (585_000, 0.25), (900_000, 0.25)])
def test_bytes_weigh_short_lifetimes_a_quarter(size: int, loss: float) -> None:
    """A short lifetime is better than none."""
    found = evaluate_files(kept("max-age=60", size=size))

    assert found.loss == pytest.approx(loss)
    assert found.outcome == "warning"


def test_repairing_files_one_by_one_never_costs_points() -> None:
    """From nothing over short to long, file by file."""
    levels: list[list[tuple[str, str]]] = [
        [],
        [("Cache-Control", "max-age=60")],
        [("Cache-Control", "max-age=31536000")],
    ]
    losses = []
    for level in (1, 2):
        for done in range(5):
            items = [
                file(*levels[level if index < done else level - 1], size=160_000, path=f"{index}.js")
                for index in range(4)
            ]
            losses.append(evaluate_files(*items).loss or 0)

    assert losses == sorted(losses, reverse=True)
    assert losses[0] == 1
    assert losses[-1] == 0


def test_the_largest_uncached_file_is_named_first() -> None:
    """With its bytes and the reason."""
    found = evaluate_files(
        kept("max-age=600", size=90_000, path="short.js"),
        file(size=500, path="small.js"),
        file(size=9_000, path="big.js"),
    )

    assert isinstance(found.verdict, Outcome)
    assert [(entry.url, entry.value, entry.reason) for entry in found.verdict.evidence] == [
        (URL + "big.js", "9,000 bytes", "no lifetime is stated"),
        (URL + "small.js", "500 bytes", "no lifetime is stated"),
        (URL + "short.js", "90,000 bytes", "max-age gives 10 minutes"),
    ]


def test_without_the_files_nothing_is_said() -> None:
    """The page alone does not say."""
    assert isinstance(run(cache_headers), NotRun)


@pytest.mark.parametrize("kind", ["icon", "manifest"])
def test_icons_and_manifests_are_left_out(kind: str) -> None:
    """An icon is asked for its lifetime elsewhere; a manifest keeps its name when it changes."""
    assert isinstance(evaluate_files(file(kind=kind)).verdict, NotApplicable)


def test_the_message_counts_both_kinds() -> None:
    """A list of files without a lifetime must not hold some with one, unsaid."""
    mixed = evaluate_files(file(), kept("max-age=60", path="b.js"), kept("max-age=60", path="c.js")).verdict
    alone = evaluate_files(file()).verdict

    assert isinstance(mixed, Outcome)
    assert isinstance(alone, Outcome)
    assert mixed.message == ("1 static file has no cache lifetime, and 2 more may be cached for a short time only.")
    assert alone.message == "1 static file has no cache lifetime."
