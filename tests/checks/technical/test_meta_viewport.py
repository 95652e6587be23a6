from __future__ import annotations

import pytest

from pagegrade.checks.technical.meta_viewport import meta_viewport
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

GOOD = "width=device-width, initial-scale=1"


def page(*contents: str) -> str:
    """A page with these viewport declarations in its head."""
    metas = "".join(f'<meta name="viewport" content="{content}">' for content in contents)
    return f"<!doctype html><head><title>t</title>{metas}</head><body><p>x"


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        "width=device-width",
        "initial-scale=1",
        "initial-scale=1.5",
        "width=device-width;initial-scale=1",
        "width=device-width initial-scale=1",
        "WIDTH=Device-Width, Initial-Scale=1.0",
        "width=device-width, viewport-fit=cover, interactive-widget=resizes-content",
        "width=device-width, initial-scale=1, shrink-to-fit=no, minimal-ui",
    ],
)
def test_every_spelling_of_a_responsive_viewport_is_fine(content: str) -> None:
    """Separators and case differ, the meaning does not."""
    found = evaluated(meta_viewport, page(content))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("responsive", 0)


def test_limits_of_zooming_are_not_evaluated_twice() -> None:
    """They are the matter of ``viewport-zoom``."""
    found = outcome(meta_viewport, page(GOOD + ", maximum-scale=1, minimum-scale=1, user-scalable=no"))

    assert found.state == "responsive"


@pytest.mark.parametrize(
    "content",
    [
        "width=320",
        "width=699, initial-scale=1",
        "initial-scale=0.99",
        "width=device-width, initial-scale=0.5",
        "viewport-fit=cover",
        "width=banana",
        "height=device-height",
    ],
)
def test_a_layout_that_does_not_follow_the_device_costs_half(content: str) -> None:
    """A fixed width, a scale below one, or nothing about either."""
    found = evaluated(meta_viewport, page(content))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("fixed", 0.5)
    assert found.verdict.evidence[0].reason


@pytest.mark.parametrize("html", [page(), page(""), page("  ,; "), "<!doctype html><meta name=viewport>"])
def test_a_missing_or_empty_declaration_fails(html: str) -> None:
    """An empty one says as little as none."""
    found = evaluated(meta_viewport, html)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("missing", 1)


@pytest.mark.parametrize(
    "other", [GOOD, "width=device-width, initial-scale=1.0", "INITIAL-SCALE=1; width=Device-Width"]
)
def test_the_same_declaration_twice_passes(other: str) -> None:
    """Themes repeat what their generator wrote already; browsers make the same of it."""
    assert outcome(meta_viewport, page("width=device-width, initial-scale=1", other)).state == "responsive"


def test_declarations_that_differ_cost_half() -> None:
    """Later ones overrule, and few know that."""
    found = evaluated(meta_viewport, page(f"{GOOD}, maximum-scale=5", GOOD))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss, found.verdict.total) == ("several", 0.5, 2)


def test_the_last_declaration_overrules() -> None:
    """As in a browser."""
    assert outcome(meta_viewport, page(GOOD, "width=320")).state == "fixed"
    assert outcome(meta_viewport, page("width=320", GOOD)).state == "several"


def test_a_declaration_in_the_body_costs_half() -> None:
    """It belongs into the head."""
    found = evaluated(meta_viewport, f"<!doctype html><body><p>x<meta name=viewport content='{GOOD}'>")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("in_body", 0.5)


def test_words_that_no_browser_knows_cost_half() -> None:
    """They are usually slips of the pen."""
    found = evaluated(meta_viewport, page(GOOD + ", intial-scale=1"))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("unknown_keys", 0.5)
    assert found.verdict.evidence[0].reason == "unknown: intial-scale"


@pytest.mark.parametrize("pair", ["height=tall", "viewport-fit=full", "interactive-widget=none"])
def test_values_that_no_browser_knows_cost_half(pair: str) -> None:
    """The key is right and the word behind it is not."""
    found = outcome(meta_viewport, page(f"{GOOD}, {pair}"))

    assert (found.state, found.evidence[0].reason) == ("unknown_keys", f"unknown: {pair}")


def test_declaring_it_never_costs_points() -> None:
    """A declaration of a desktop is as good as none, any other is better, and a responsive one is best."""
    declared: tuple[tuple[str, ...], ...] = ((), ("width=700",), ("width=320",), (GOOD,))
    found = [evaluated(meta_viewport, page(*contents)) for contents in declared]

    assert [one.loss or 0 for one in found] == [1, 1, 0.5, 0]
    assert outcome(meta_viewport, page("width=700")).state == "wide"


def test_its_keys_are_shown() -> None:
    """As a browser reads them."""
    found = outcome(meta_viewport, page("WIDTH=320 ; initial-scale = 1"))

    assert {detail.code: detail.actual for detail in found.details} == {"width": "320", "initial-scale": "1"}
