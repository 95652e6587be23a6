from __future__ import annotations

import pytest

from pagegrade.checks.performance.image_weight import image_weight
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

PAGE = "<!doctype html>" + "".join(f"<img src=/{n}.jpg>" for n in range(6))


@pytest.mark.parametrize(
    ("sizes", "state", "loss"),
    [
        ([200_000], "light", 0),
        ([200_001], "heavy", 0.25),
        ([300_000] * 5, "heavy", 0.5),
        ([500_000], "heavy", 0.25),
        ([500_001], "very_heavy", 0.5),
        ([500_001, 300_000], "very_heavy", 0.5),
        ([900_000] * 5, "very_heavy", 1),
    ],
)
def test_size_and_number_decide(sizes: list[int], state: str, loss: float) -> None:
    """One heavy photo costs a quarter, five very heavy ones everything."""
    files = make_resources(*(make_resource(f"{URL}{n}.jpg", body_bytes=size) for n, size in enumerate(sizes)))
    found = evaluated(image_weight, PAGE, resources=files)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize("html", ["<p>none", "<style>p{background:url(/0.jpg)}</style>"])
def test_backgrounds_of_stylesheets_may_never_be_fetched(html: str) -> None:
    """So their weight is not counted."""
    files = make_resources(make_resource(URL + "0.jpg", body_bytes=900_000))

    assert isinstance(run(image_weight, html, resources=files), NotApplicable)


def test_images_of_another_host_count() -> None:
    """The owner chose them; and the heaviest comes first."""
    files = make_resources(
        make_resource(URL + "0.jpg", body_bytes=300_000),
        make_resource(URL + "1.jpg", body_bytes=400_000, first_party=False),
    )

    assert [entry.url for entry in outcome(image_weight, PAGE, resources=files).evidence] == [
        URL + "1.jpg",
        URL + "0.jpg",
    ]


def test_what_did_not_arrive_is_not_evaluated() -> None:
    """An error page has no weight as an image."""
    gone = make_resource(URL + "0.jpg", body_bytes=900_000, status=404)
    shell = make_resource(URL + "1.jpg", body_bytes=900_000, headers=(("Content-Type", "text/html"),))

    assert isinstance(run(image_weight, PAGE, resources=make_resources(gone, shell)), NotApplicable)
    assert isinstance(run(image_weight, PAGE), NotRun)
