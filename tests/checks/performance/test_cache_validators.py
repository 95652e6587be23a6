from __future__ import annotations

import pytest

from pagegrade.checks.performance.cache_validators import cache_validators
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, run


@pytest.mark.parametrize(
    ("headers", "state"),
    [
        ((), "missing"),
        ((("etag", '"x"'),), "present"),
        ((("Last-Modified", "Mon, 05 Jan 2026 12:00:00 GMT"),), "present"),
        ((("ETag", " "),), "missing"),
    ],
)
def test_one_of_the_two_is_enough(headers: tuple[tuple[str, str], ...], state: str) -> None:
    """In any spelling, and not empty."""
    found = evaluated(
        cache_validators, resources=make_resources(make_resource(URL + "a.js", kind="script", headers=headers))
    )

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == (state, "informative")


@pytest.mark.parametrize("value", ["no-store", "max-age=9, immutable"])
def test_some_files_need_none(value: str) -> None:
    """They are never asked for again, or never kept."""
    item = make_resource(URL + "a.js", kind="script", headers=(("Cache-Control", value),))

    assert isinstance(run(cache_validators, resources=make_resources(item)), NotApplicable)


def test_files_of_others_are_not_evaluated() -> None:
    """The owner of the page cannot fix them."""
    foreign = make_resource("https://b.example/a.js", kind="script", first_party=False)

    assert isinstance(run(cache_validators, resources=make_resources(foreign)), NotApplicable)
    assert isinstance(run(cache_validators), NotRun)
