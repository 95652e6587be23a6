from __future__ import annotations

from pagegrade.gather.browser.devices import DEVICES
from pagegrade.model.identity import USER_AGENT


def test_the_user_agent_is_the_browsers_and_ours() -> None:
    """Sites see which browser draws the page, and who sent it."""
    agent = DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79")

    assert " Chrome/156.0.0.0 Mobile Safari/537.36 " in agent
    assert agent.endswith(USER_AGENT)
    assert DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79", "Own/1").endswith(" Own/1")
    assert "Mobile" not in DEVICES["desktop"].user_agent("HeadlessChrome/156.0.8078.79")
