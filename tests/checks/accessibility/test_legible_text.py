from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.accessibility.legible_text import MIN_CHARACTERS, legible_text
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from pagegrade.model.rendering import SmallText, TextSizes
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

PAGE = '<!doctype html><meta name="viewport" content="width=device-width"><title>T</title><p>Words'


def evaluate(characters: int, small: int, *, page: str = PAGE, **more: Any) -> Any:
    """The verdict on a page with so much text."""
    places = (SmallText(selector="p", html="<p>", size_px=10.5, characters=small),) if small else ()
    sizes = TextSizes(characters=characters, small_characters=small, small=places)
    return evaluated(legible_text, page, rendering=make_rendering(text_sizes=sizes, html=page, **more))


@pytest.mark.parametrize(("small", "state", "loss"), [(0, "legible", 0), (400, "legible", 0), (401, "small", 1)])
def test_three_in_five_characters_must_be_large_enough(small: int, state: str, loss: float) -> None:
    """The elements with small text are listed in both cases."""
    found = evaluate(1_000, small)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, loss)
    assert [(one.selector, one.value, one.reason) for one in found.verdict.evidence] == (
        [("p", "10.5 px", f"{small} characters")] if small else []
    )


@pytest.mark.parametrize(
    ("small", "words"),
    [(0, "0% of the text"), (5, "0.5% of the text"), (99, "9.9% of the text"), (300, "30% of the text")],
)
def test_the_share_is_said(small: int, words: str) -> None:
    """With a digit more where it would be rounded away."""
    assert evaluate(1_000, small).verdict.message == f"{words} is smaller than 12 pixels."


def test_a_page_without_text_does_not_apply() -> None:
    """A few words are a caption, not something to read."""
    assert isinstance(evaluate(MIN_CHARACTERS - 1, 0).verdict, NotApplicable)
    assert isinstance(evaluate(MIN_CHARACTERS, 0).verdict, Outcome)


def test_without_a_viewport_a_phone_makes_everything_small() -> None:
    """Another check finds that; computers do not mind."""
    page = "<!doctype html><title>T</title><p>Words"

    assert isinstance(evaluate(1_000, 900, page=page).verdict, NotApplicable)
    assert isinstance(evaluate(1_000, 900, page=page, device="desktop").verdict, Outcome)


def test_sizes_that_were_not_read_are_not_evaluated() -> None:
    """Nothing was seen, which is not the same as nothing is small."""
    assert isinstance(evaluated(legible_text, PAGE, rendering=make_rendering()).verdict, NotRun)
