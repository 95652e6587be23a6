from __future__ import annotations

import pytest

from pagegrade.gather.browser.emulation import DEVICES, Line
from pagegrade.model.identity import USER_AGENT


def test_the_user_agent_is_the_browsers_and_ours() -> None:
    """Sites see which browser draws the page, and who sent it."""
    agent = DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79")

    assert " Chrome/156.0.0.0 Mobile Safari/537.36 " in agent
    assert agent.endswith(USER_AGENT)
    assert DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79", "Own/1").endswith(" Own/1")
    assert "Mobile" not in DEVICES["desktop"].user_agent("HeadlessChrome/156.0.8078.79")


def test_a_line_delivers_what_is_sent_at_once_one_after_the_other() -> None:
    """Two connections share the bandwidth; latency is added to each."""
    line = Line(latency_s=0.075, bytes_per_s=1_000.0)

    assert [line.delivery(10.0, 500), line.delivery(10.0, 500), line.delivery(20.0, 100)] == pytest.approx(
        [10.575, 11.075, 20.175]
    )


def test_a_line_without_a_limit_only_delays() -> None:
    """As the shape of tests does by nothing at all."""
    assert Line(latency_s=0.5, bytes_per_s=None).delivery(1.0, 10**9) == 1.5
