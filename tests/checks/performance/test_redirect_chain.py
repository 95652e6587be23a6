from __future__ import annotations

from itertools import pairwise

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.redirect_chain import redirect_chain
from pagegrade.model.artifacts import Navigation, Timings
from pagegrade.model.outcome import Outcome, Saving
from tests.builders import evaluated, make_response


def walk(*way: str, status: int = 301, typed_without_scheme: bool = False) -> Evaluated:
    """The verdict on a way over these addresses to the last."""
    hops = tuple(make_response(url=url, status=status, headers=(("Location", after),)) for url, after in pairwise(way))
    navigation = Navigation(
        requested_url=way[0],
        typed_without_scheme=typed_without_scheme,
        hops=hops,
        response=make_response("<!doctype html>", url=way[-1]),
    )
    return evaluated(redirect_chain, navigation=navigation)


def state_of(found: Evaluated) -> str:
    """The state it ended in."""
    if not isinstance(found.verdict, Outcome):
        raise TypeError(found.verdict)
    return found.verdict.state


APEX, WWW = "https://example.com/", "https://www.example.com/"
INSECURE = "http://example.com/"


@pytest.mark.parametrize(
    ("way", "state", "loss"),
    [
        ((APEX,), "direct", 0),
        ((INSECURE, APEX), "canonical_hop", 0),
        ((APEX, WWW), "canonical_hop", 0),
        ((WWW, APEX), "canonical_hop", 0),
        ((INSECURE, WWW), "canonical_hop", 0),
        ((APEX, APEX + "en/"), "single", 0.25),
        (("https://example.net/", APEX), "single", 0.25),
        ((INSECURE, APEX, WWW), "several", 0.5),
        ((INSECURE, APEX, WWW, WWW + "en/"), "long", 1),
        ((APEX, APEX + "login", APEX), "loop", 1),
        ((APEX, INSECURE), "downgrade", 1),
        ((INSECURE, APEX, "http://example.com/en/"), "downgrade", 1),
    ],
)
def test_every_way_has_its_state(way: tuple[str, ...], state: str, loss: float) -> None:
    """No hop or one canonical hop is fine; two cost half; three, loops and steps back to http cost all."""
    found = walk(*way)

    assert (state_of(found), found.loss) == (state, loss)


@pytest.mark.parametrize(
    ("status", "state"),
    [(301, "canonical_hop"), (308, "canonical_hop"), (302, "temporary"), (303, "temporary"), (307, "temporary")],
)
def test_a_permanent_move_needs_a_permanent_status(status: int, state: str) -> None:
    """The way to https and to the canonical name does not change tomorrow."""
    assert state_of(walk(INSECURE, APEX, status=status)) == state
    assert state_of(walk(APEX, WWW, status=status)) == state


def test_a_temporary_way_to_a_language_is_no_wrong_status() -> None:
    """The right language depends on the visitor."""
    assert state_of(walk(APEX, APEX + "en/", status=302)) == "single"


@pytest.mark.parametrize(
    ("way", "state"),
    [
        ((INSECURE, APEX), "direct"),
        ((INSECURE, APEX, WWW), "canonical_hop"),
        ((INSECURE, "http://www.example.com/", WWW), "canonical_hop"),
        ((APEX, INSECURE), "direct"),
        ((APEX, WWW), "canonical_hop"),
        ((APEX, WWW, WWW + "en/"), "several"),
    ],
)
def test_an_added_scheme_is_not_the_sites_fault(way: tuple[str, ...], state: str) -> None:
    """The step that our own choice of scheme caused is not counted; every other is."""
    assert state_of(walk(*way, typed_without_scheme=True)) == state


def test_a_typed_scheme_counts() -> None:
    """A visitor who types http:// takes that way."""
    assert state_of(walk(INSECURE, APEX, WWW, typed_without_scheme=False)) == "several"


def test_a_loop_is_a_loop_even_without_a_typed_scheme() -> None:
    """An address that is visited twice is the site's doing."""
    assert state_of(walk(APEX, APEX, typed_without_scheme=True)) == "loop"


def test_each_hop_is_shown_with_status_target_and_time() -> None:
    """Enough to find the rule that made it."""
    hop = make_response(url=INSECURE, status=301, headers=(("Location", APEX),), timings=Timings(total_ms=41.6))
    navigation = Navigation(requested_url=INSECURE, hops=(hop,), response=make_response("x", url=APEX))
    found = evaluated(redirect_chain, navigation=navigation).verdict

    assert isinstance(found, Outcome)
    assert [(entry.url, entry.value, entry.reason) for entry in found.evidence] == [
        (INSECURE, APEX, "status 301, 42 ms"),
    ]


def test_shortening_the_way_never_costs_points() -> None:
    """From four hops to none, and from a temporary to a permanent one."""
    way = (INSECURE, APEX, WWW, WWW + "en/", WWW + "en/home")
    losses = [walk(*way[start:]).loss or 0 for start in range(5)]

    assert losses == sorted(losses, reverse=True)
    assert (walk(INSECURE, APEX, status=302).loss or 0) > (walk(INSECURE, APEX).loss or 0)


def test_combining_redirects_saves_the_time_of_all_but_one() -> None:
    """One step remains, and a time that is not known is not estimated."""
    hops = tuple(
        make_response(url=url, status=301, headers=(("Location", after),), timings=Timings(total_ms=ms))
        for url, after, ms in ((INSECURE, APEX, 120.0), (APEX, WWW, 300.0))
    )
    navigation = Navigation(requested_url=INSECURE, hops=hops, response=make_response("<!doctype html>", url=WWW))
    found = evaluated(redirect_chain, navigation=navigation).verdict

    assert isinstance(found, Outcome)
    assert found.saving == Saving(120.0, "ms")
    unknown = walk(INSECURE, APEX, WWW).verdict

    assert isinstance(unknown, Outcome)
    assert unknown.saving is None


@pytest.mark.parametrize(
    ("set_by", "state"), [((0,), "loop"), ((1,), "cookie_wall"), ((2,), "cookie_wall"), ((), "loop")]
)
def test_a_page_that_waits_for_its_cookie_is_named_so(set_by: tuple[int, ...], state: str) -> None:
    """A cookie counts that was set after the first visit of the URL; the steps that set one say so."""
    way = [INSECURE, APEX, APEX + "check", APEX]
    hops = tuple(
        make_response(
            url=url,
            status=302,
            headers=(("Location", after), *([("Set-Cookie", "a=b")] if index in set_by else [])),
        )
        for index, (url, after) in enumerate(pairwise(way))
    )
    found = evaluated(
        redirect_chain, navigation=Navigation(requested_url=INSECURE, hops=hops, response=make_response())
    )

    assert (state_of(found), found.loss) == (state, 1)
    assert isinstance(found.verdict, Outcome)
    assert [index for index, one in enumerate(found.verdict.evidence) if "cookie" in one.reason] == list(set_by)
