from __future__ import annotations

import pytest

from pagegrade.checks.performance.javascript_defer import javascript_defer
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import evaluated, outcome, run

HEAD = "<!doctype html><title>t</title>"
TEXT = "<p>Tables and chairs."
FOREIGN = "<script src=https://cdn.test/x.js></script>"


@pytest.mark.parametrize(
    "script",
    [
        "<script src=/a.js defer></script>",
        "<script src=/a.js async></script>",
        "<script src=/a.js type=module></script>",
        "<script src=/a.js TYPE=' Module ' ></script>",
        "<script src=/a.js nomodule></script>",
    ],
)
def test_async_and_modules_are_as_good_as_defer(script: str) -> None:
    """None of them keeps the parser waiting."""
    found = evaluated(javascript_defer, HEAD + script + TEXT)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("deferred", 0)


@pytest.mark.parametrize(
    ("count", "state", "points"),
    [
        (1, "blocking", 1.5),
        (5, "blocking", 2.4),
        (6, "many", 3.4),
        (29, "many", 4.4),
        (30, "many", 4.4),
    ],
)
def test_cost_grows_with_the_number(count: int, state: str, points: float) -> None:
    """At the limit it is still the better state, past it the worse."""
    found = evaluated(javascript_defer, HEAD + "<script src=/a.js></script>" * count + TEXT)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, round(8 * (found.loss or 0), 1)) == (state, points)
    assert found.verdict.total == count
    assert found.verdict.evidence[0].url == "https://example.com/a.js"
    assert found.verdict.evidence[0].line == 1


def test_a_foreign_script_in_the_head_is_a_single_point_of_failure() -> None:
    """When that site does not answer, the page stays empty."""
    found = evaluated(javascript_defer, HEAD + "<script src=https://tags.vendor.example/a.js></script>" + TEXT)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("third_party", 0.55)


@pytest.mark.parametrize(("own", "points"), [(0, 4.4), (4, 4.4), (5, 5.1), (28, 8.0), (29, 8.0), (60, 8.0)])
def test_the_more_scripts_wait_behind_a_foreign_one_the_more_it_costs(own: int, points: float) -> None:
    """Each of them is fetched and run before anything is shown."""
    foreign = "<script src=https://tags.vendor.example/a.js></script>"
    found = evaluated(javascript_defer, HEAD + "<script src=/a.js></script>" * own + foreign + TEXT)

    assert round(8 * (found.loss or 0), 1) == points


def test_a_subdomain_is_not_foreign() -> None:
    """Sites differ by their registrable domain."""
    found = outcome(javascript_defer, HEAD + "<script src=https://static.example.com/a.js></script>" + TEXT)

    assert found.state == "blocking"


def test_a_foreign_script_in_the_body_is_like_any_other() -> None:
    """The content before it is shown already."""
    html = HEAD + TEXT + "<script src=https://cdn.example.net/a.js></script><p>More."

    assert outcome(javascript_defer, html).state == "blocking"


def test_scripts_at_the_end_of_the_body_block_nothing_visible() -> None:
    """Everything to see is there before them."""
    html = HEAD + TEXT + "<script src=/a.js></script>\n<script src=/b.js></script><!-- end -->\n"

    assert outcome(javascript_defer, html).state == "deferred"


@pytest.mark.parametrize(
    "script",
    [
        "<script>var a = 1</script>",
        "<script type='application/ld+json'>{}</script>",
        "<script type='text/template' src=/a.html></script>",
        "<template><script src=/a.js></script></template>",
        "<noscript><script src=/a.js></script></noscript>",
        "<!-- <script src=/a.js></script> -->",
        "",
    ],
)
def test_inline_scripts_and_what_is_no_script_are_not_evaluated(script: str) -> None:
    """Nothing there can be deferred."""
    verdict = run(javascript_defer, HEAD + script + TEXT)

    assert isinstance(verdict, NotApplicable)


def test_third_party_scripts_are_listed_first() -> None:
    """They are what the title names; own scripts that block as well come after them."""
    own, foreign = "<script src=/a.js></script>", FOREIGN
    verdict = run(javascript_defer, HEAD + own + foreign + TEXT)

    assert isinstance(verdict, Outcome)
    assert verdict.state == "third_party"
    assert [one.url for one in verdict.evidence] == ["https://cdn.test/x.js", "https://example.com/a.js"]


@pytest.mark.parametrize(
    ("scripts", "message"),
    [
        (
            FOREIGN,
            "1 external script blocks rendering and comes from another site.",
        ),
        (
            FOREIGN * 2,
            "2 external scripts block rendering, all from other sites.",
        ),
        (
            "<script src=/a.js></script>" * 3 + FOREIGN,
            "4 external scripts block rendering; one of them is in the head and from another site.",
        ),
    ],
)
def test_message_separates_own_scripts_from_those_of_other_sites(scripts: str, message: str) -> None:
    """The list holds both, so the sentence says how many are which."""
    assert outcome(javascript_defer, HEAD + scripts + TEXT).message == message


def test_deferring_never_costs_points() -> None:
    """Each edit on the way helps or changes nothing."""
    plain, deferred = "<script src=/a.js></script>", "<script src=/a.js defer></script>"
    losses = [
        evaluated(javascript_defer, HEAD + deferred * done + plain * (8 - done) + TEXT).loss or 0 for done in range(9)
    ]

    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0.3
    assert losses[-1] == 0


def test_what_is_not_loaded_delays_nothing() -> None:
    """A script on a disk and one inside of its own URL."""
    for url in ("file:///usr/share/a.js", "data:text/javascript,a"):
        assert isinstance(run("javascript-defer", f"{HEAD}<script src={url}></script>{TEXT}"), NotApplicable)
