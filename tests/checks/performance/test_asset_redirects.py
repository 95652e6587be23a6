from __future__ import annotations

import pytest

from pagegrade.checks.performance.asset_redirects import asset_redirects
from pagegrade.model.artifacts import NotGathered, Resource
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, make_resource, make_resources, make_response, outcome, run


def moved(n: int = 0, *, kind: str = "image", own: bool = True) -> Resource:
    """A file that has moved."""
    hop = make_response(url=f"{URL}{n}", status=301)
    return make_resource(
        f"{URL}{n}", kind=kind, response=make_response(url=f"{URL}new/{n}"), hops=(hop,), first_party=own
    )


@pytest.mark.parametrize(("count", "loss"), [(1, 0.25), (4, 0.5), (10, 1), (40, 1)])
def test_the_number_decides(count: int, loss: float) -> None:
    """One costs a quarter, ten everything."""
    found = evaluated(asset_redirects, resources=make_resources(*map(moved, range(count))))

    assert found.loss == pytest.approx(loss)


def test_both_addresses_are_shown() -> None:
    """So that one can be replaced by the other."""
    found = outcome(asset_redirects, resources=make_resources(moved(7)))

    assert (found.evidence[0].url, found.evidence[0].value) == (URL + "7", URL + "new/7")


def test_frames_other_sites_and_failures_are_left_out() -> None:
    """They redirect on purpose, or nothing came back."""
    lost = Resource(url=URL + "x", kinds=("image",), initiator_url=URL, failure=NotGathered(code="timeout"))
    files = make_resources(moved(kind="frame"), moved(own=False), lost)

    assert isinstance(run(asset_redirects, resources=files), NotApplicable)
    assert outcome(asset_redirects, resources=make_resources(make_resource(URL + "a"))).state == "direct"
