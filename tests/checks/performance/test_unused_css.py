from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.unused_css import unused_css
from pagegrade.model.outcome import Outcome, Saving
from pagegrade.model.rendering import Coverage, RenderedRequest
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def make_file(unused_bytes: int, *, name: str = "a", inline: bool = False) -> Coverage:
    """A file of which a part was not used."""
    url = f"https://example.com/{name}"
    return Coverage(url=url, kind="stylesheet", total_bytes=1_000_000, unused_bytes=unused_bytes, inline=inline)


def evaluate(*files: Coverage, requests: tuple[RenderedRequest, ...] = ()) -> Evaluated:
    """The verdict on a page with these files."""
    return evaluated(unused_css, rendering=make_rendering(coverage=files, requests=requests))


@pytest.mark.parametrize(
    ("unused_bytes", "loss"), [(30000, 0), (30001, 0.25), (149999, 1), (150000, 1), (1_000_000, 1)]
)
def test_limits(unused_bytes: int, loss: float) -> None:
    """Nothing is lost up to the lower limit, everything from the higher one."""
    assert evaluate(make_file(unused_bytes)).loss == pytest.approx(loss)


def test_small_rests_of_files_are_not_counted() -> None:
    """Splitting many files for a few kilobytes each is not worth the work."""
    files = [make_file(10240, name=f"f{number}") for number in range(50)]

    assert evaluate(*files).loss == 0
    assert (evaluate(*files, *(make_file(10241, name=f"g{number}") for number in range(50))).loss or 0) > 0


def test_what_counts_are_bytes_on_the_wire() -> None:
    """A file that is compressed to a fifth wastes a fifth."""
    request = RenderedRequest(url="https://example.com/a", wire_bytes=200_000)
    found = evaluate(make_file(500_000), requests=(request,)).verdict

    assert isinstance(found, Outcome)
    assert found.saving == Saving(100_000, "bytes")
    assert found.evidence[0].reason == "50% of the file"


def test_code_within_the_page_is_not_counted() -> None:
    """It is no file that could be split."""
    assert evaluate(make_file(1_000_000, inline=True)).loss == 0
