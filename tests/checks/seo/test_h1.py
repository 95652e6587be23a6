"""Tests of the check h1."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.h1 import h1
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import evaluated, outcome, run

TEXT = "<p>" + "Some words of the page. " * 20


def found(body: str) -> Outcome:
    """The finding of the check for a page with that body."""
    return outcome(h1, f"<!doctype html><title>Shoes</title><body>{body}{TEXT}")


def test_one_heading_passes() -> None:
    """Its text is the value."""
    result = found("<h1> Red\n <b>shoes</b></h1><h2>Sizes</h2>")

    assert (result.state, result.value) == ("ok", "Red shoes")


def test_missing_fails() -> None:
    """Lower levels do not stand in."""
    assert found("<h2>Shoes</h2>").state == "missing"


def test_heading_equal_to_the_title_passes() -> None:
    """Saying the same in both places is fine."""
    assert found("<h1>Shoes</h1>").state == "ok"


def test_role_and_level_count() -> None:
    """ARIA makes a heading too."""
    assert found('<div role="heading" aria-level="1">Shoes</div>').state == "ok"
    assert found('<h3 aria-level="1">Shoes</h3>').state == "ok"
    assert found('<h1 aria-level="2">Shoes</h1>').state == "missing"
    assert found('<h1 aria-level="top">Shoes</h1>').state == "ok"
    assert found('<h1 role="alert">Shoes</h1>').state == "missing"


@pytest.mark.parametrize("heading", ["<h1></h1>", "<h1> &nbsp; </h1>", '<h1><img src="a.png" alt=""></h1>'])
def test_empty_heading_fails(heading: str) -> None:
    """Blanks and a silent image name nothing."""
    assert found(heading).state == "empty"


def test_image_names_the_heading_by_its_alternative() -> None:
    """A logo with an alternative text is a heading."""
    assert found('<h1><a href="/"><img src="a.png" alt="Example Shop"></a></h1>').state == "ok"


def test_empty_heading_before_the_real_one_warns() -> None:
    """The page is not reported as having none because its first heading is empty."""
    assert found("<nav><h1></h1></nav><h1>Shoes</h1>").state == "first_empty"


def test_empty_heading_behind_the_real_one_is_no_second() -> None:
    """A dialogue that waits for its text; another check reports empty headings."""
    assert found("<h1>Shoes</h1><div class=modal><h1></h1></div>").state == "ok"
    assert found("<h1>Shoes</h1><h1></h1><h1>Boots</h1>").state == "several"


def test_several_warn_with_the_outline() -> None:
    """All of them are shown."""
    result = found("<h1>Shoes</h1><h1>Boots</h1><h1>Socks</h1>")

    assert (result.state, result.value, [entry.reason for entry in result.evidence]) == (
        "several",
        3,
        ["Shoes", "Boots", "Socks"],
    )


def test_visually_hidden_heading_counts() -> None:
    """A class that moves it out of sight keeps it for screen readers."""
    assert found('<h1 class="visually-hidden">Shoes</h1>').state == "ok"


@pytest.mark.parametrize("attribute", ["hidden", 'aria-hidden="true"', 'style="display:none"'])
def test_switched_off_heading_is_no_second_one(attribute: str) -> None:
    """A dialogue that waits for its turn does not count beside the heading."""
    assert found(f"<h1>Shoes</h1><div {attribute}><h1>Log in</h1></div>").state == "ok"


@pytest.mark.parametrize(
    ("attribute", "state"), [("hidden", "missing"), ('style="display:none"', "missing"), ('aria-hidden="true"', "ok")]
)
def test_hidden_heading_does_not_count(attribute: str, state: str) -> None:
    """It has text, so it is not called empty; what is only kept from screen readers is still seen."""
    assert found(f"<div {attribute}><h1>Log in</h1></div>").state == state


def test_page_drawn_by_scripts_is_not_evaluated() -> None:
    """A shell has no headings yet."""
    shell = '<!doctype html><title>Shoes</title><div id="root"></div><script src="/app.js"></script>'

    assert isinstance(run(h1, shell), NotRun)


def test_template_and_svg_hold_no_headings() -> None:
    """Their content is not part of the page."""
    assert found("<template><h1>Shoes</h1></template><svg><text>h1</text></svg>").state == "missing"


def test_a_fix_never_costs_more() -> None:
    """From none to empty to several to one."""
    bodies = ["", "<h1></h1>", "<h1></h1><h1>a</h1>", "<h1>b</h1><h1>a</h1>", "<h1>a</h1>"]
    losses = [evaluated(h1, f"<!doctype html><title>T</title><body>{body}{TEXT}").loss for body in bodies]

    assert losses == [1.0, 1.0, 0.5, 0.5, 0.0]
