from __future__ import annotations

from tests.site_builders import hits

CHECK = "template-speed"


def test_the_worst_metric_decides() -> None:
    """Other outcomes of the page are not about speed."""
    outcomes = (
        (1, "largest-contentful-paint", "slow", 0.1),
        (1, "total-blocking-time", "blocked", 1.0),
        (2, "largest-contentful-paint", "slow", 0.1),
        (3, "largest-contentful-paint", "fast", 0.0),
        (3, "color-contrast", "low", 0.5),
    )
    rendered = [
        {"page_id": page_id, "check_id": check, "state": state, "loss": loss, "value": check}
        for page_id, check, state, loss in outcomes
    ]
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 3}], rendered=rendered)

    assert found == {(1, "very_slow"), (2, "slow")}
