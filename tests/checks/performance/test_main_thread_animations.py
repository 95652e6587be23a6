from __future__ import annotations

from pagegrade.checks.performance.main_thread_animations import main_thread_animations
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import AnimatedElement, ElementFacts, ThreadAnimation
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline

GROW = ThreadAnimation(name="grow", properties=("width", "height"), node_id=6)


def test_the_element_and_its_properties_are_named() -> None:
    """Those of the last load, which is the one that was looked at; they cost nothing."""
    box = AnimatedElement(name="grow", properties=GROW.properties, element=ElementFacts(selector="#a", html="<i id=a>"))
    loads = make_timeline(), make_timeline(animations=(GROW,))
    found = evaluated(main_thread_animations, rendering=make_rendering(*loads, animated_elements=(box,)))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value, found.loss) == ("main_thread", 1, 0)
    assert [(one.selector, one.snippet, one.value) for one in found.verdict.evidence] == [
        ("#a", "<i id=a>", "width, height")
    ]


def test_an_element_that_is_gone_leaves_its_properties() -> None:
    """A toast that slid in and was removed."""
    found = evaluated(main_thread_animations, rendering=make_rendering(make_timeline(animations=(GROW,)))).verdict

    assert isinstance(found, Outcome)
    assert [(one.selector, one.value) for one in found.evidence] == [("", "width, height")]


def test_a_page_that_stands_still_is_smooth() -> None:
    """As is one whose animations the compositor runs, which are not recorded."""
    found = evaluated(main_thread_animations, rendering=make_rendering(make_timeline())).verdict

    assert isinstance(found, Outcome)
    assert found.state == "smooth"
