from __future__ import annotations

import pytest

from pagegrade.gather.browser.network_shape import Line


def test_a_line_delivers_what_is_sent_at_once_one_after_the_other() -> None:
    """Two connections share the bandwidth; latency is added to each."""
    line = Line(latency_s=0.075, bytes_per_s=1_000.0)

    assert [line.delivery(10.0, 500), line.delivery(10.0, 500), line.delivery(20.0, 100)] == pytest.approx(
        [10.575, 11.075, 20.175]
    )


def test_a_line_without_a_limit_only_delays() -> None:
    """As the shape of tests does by nothing at all."""
    assert Line(latency_s=0.5, bytes_per_s=None).delivery(1.0, 10**9) == 1.5
