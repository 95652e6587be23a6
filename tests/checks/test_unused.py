from __future__ import annotations

from pagegrade.checks._unused import evaluate_unused
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import Coverage
from tests.rendering_builders import make_rendering


def test_the_most_wasteful_files_come_first_and_others_are_counted() -> None:
    """Twenty are listed."""
    files = tuple(
        Coverage(url=f"https://example.com/{size}", kind="script", total_bytes=10_000, unused_bytes=size)
        for size in range(2_000, 2_025)
    )
    found = evaluate_unused(
        make_rendering(coverage=files),
        "script",
        ignored_bytes=2_000,
        good_bytes=0,
        bad_bytes=10,
        states=("used", "unused"),
    )

    assert isinstance(found, Outcome)
    assert found.evidence[0].value == "2,024 bytes unused"
    assert (len(found.evidence), found.total) == (20, 24)
