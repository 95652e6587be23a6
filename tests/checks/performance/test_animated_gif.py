from __future__ import annotations

import pytest

from pagegrade.checks.performance.animated_gif import animated_gif
from pagegrade.model.artifacts import ImageFacts, Resource
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, run


def image(size: int = 900_000, *, name: str = "gif", animated: bool | None = True) -> Resource:
    """A moving picture."""
    return make_resource(URL + "a.png", body_bytes=size, image=ImageFacts(format=name, animated=animated))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (image(), "animated"),
        (image(102_401), "animated"),
        (image(102_400), "none"),
        (image(animated=False), "none"),
        (image(animated=None), "none"),
        (image(name="webp"), "none"),
    ],
    ids=["film", "over the limit", "at the limit", "still", "unknown", "webp"],
)
def test_only_large_gifs_that_move_are_films(item: Resource, state: str) -> None:
    """The name of the file proves nothing."""
    found = evaluated(animated_gif, resources=make_resources(item))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, 1 if state == "animated" else 0)


def test_without_images_there_is_nothing_to_say() -> None:
    """And without files nothing is known."""
    assert isinstance(run(animated_gif, resources=make_resources()), NotApplicable)
    assert isinstance(run(animated_gif), NotRun)
