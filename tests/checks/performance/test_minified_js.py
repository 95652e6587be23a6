from __future__ import annotations

import pytest

from pagegrade.checks.performance.minified_js import minified_js
from pagegrade.model.artifacts import Resource
from tests.builders import URL, evaluated, make_resource, make_resources


def file(
    decoded: int, minified: int | None, *, wire: int | None = None, path: str = "a.js", own: bool = True
) -> Resource:
    """A file that was read."""
    return make_resource(
        URL + path,
        kind="script",
        body_bytes=decoded if wire is None else wire,
        decoded_bytes=decoded,
        minified_bytes=minified,
        first_party=own,
    )


@pytest.mark.parametrize(
    ("item", "loss"),
    [
        (file(40_000, 36000), 0),
        (file(40_000, 35960), 0.2),
        (file(4_000, 1_952), 0),
        (file(4_000, 1_951), 0.2),
        (file(100_000, 60_000), 0.8),
        (file(100_000, 40_000), 1),
    ],
    ids=["share at the limit", "share over it", "bytes at the limit", "bytes over it", "much", "very much"],
)
def test_share_and_bytes_must_both_be_worth_it(item: Resource, loss: float) -> None:
    """Small files and small shares are left alone."""
    assert evaluated(minified_js, resources=make_resources(item)).loss == pytest.approx(loss)
