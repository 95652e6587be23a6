from __future__ import annotations

import pytest

from pagegrade.checks.performance.third_party_cost import third_party_cost
from pagegrade.model.outcome import NotApplicable, Outcome
from pagegrade.model.rendering import RenderedRequest, ScriptTime, Timeline
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline

THEIRS = "https://cdn.widgets.example.net/a.js"


def load(*times_ms: float, url: str = THEIRS) -> Timeline:
    """A load in which scripts of one address take these times."""
    return make_timeline(script_times=tuple(ScriptTime(url=url, time_ms=time) for time in times_ms))


@pytest.mark.parametrize(("time_ms", "loss"), [(0, 0), (250, 0), (251, 0.2), (400, 0.2), (401, 0.4), (1_000, 1)])
def test_limits(time_ms: float, loss: float) -> None:
    """Nothing is lost up to the lower limit, everything from the higher one."""
    assert evaluated(third_party_cost, rendering=make_rendering(load(time_ms))).loss == pytest.approx(loss)


def test_the_median_of_the_loads_counts() -> None:
    """And in each load the sum of all third parties."""
    assert evaluated(third_party_cost, rendering=make_rendering(load(200, 200), load(), load(9_000))).loss == 0.2


def test_own_scripts_cost_nothing_here() -> None:
    """Those of a subdomain are the site's own."""
    own = make_rendering(load(5_000, url="https://static.example.com/a.js"))

    assert isinstance(evaluated(third_party_cost, rendering=own).verdict, NotApplicable)


def test_sites_are_listed_with_what_they_take() -> None:
    """The one with most time first; those without scripts, too."""
    requests = (
        RenderedRequest(url="https://example.com/", wire_bytes=7_000),
        RenderedRequest(url="https://img.other.example/p.png", wire_bytes=50_000),
        RenderedRequest(url=THEIRS, wire_bytes=9_000),
        RenderedRequest(url=THEIRS.replace("cdn", "api"), wire_bytes=None),
        RenderedRequest(url="data:"),
    )
    verdict = evaluated(third_party_cost, rendering=make_rendering(load(300.4), requests=requests)).verdict

    assert isinstance(verdict, Outcome)
    assert [(one.value, one.reason) for one in verdict.evidence] == [
        ("300 ms", "example.net, 2 requests, 9,000 bytes"),
        ("0 ms", "other.example, 1 request, 50,000 bytes"),
    ]
