"""An installation in an intranet, without TLS: browsers say less there about who sends a form."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.browsing import INTRANET, open_window
from tests.browser.hands import Hands
from tests.ports import free_port
from tests.server import running_server

PASSWORD = "sesame, open wide"


def test_people_sign_in_without_tls(browser: Browser, tmp_path: Path) -> None:
    """With a link, with a password, and out again: no form of ours is taken for one of another site."""
    port = free_port()
    origin = f"http://{INTRANET}:{port}"
    with (
        running_server(tmp_path / "data", "--port", str(port), BASE_URL=origin) as server,
        open_window(browser, origin) as window,
    ):
        hands = Hands(window)
        window.page.goto(server.run("accounts", "login-link").strip())
        hands.press("button", "Sign in")
        hands.write("New password", PASSWORD)
        hands.press("button", "Set password")
        hands.press("button", "Sign out")
        window.page.goto(f"{origin}/sign-in")
        hands.write("E-mail address", "owner@localhost")
        hands.write("Password", PASSWORD)
        hands.press("button", "Sign in")
        cookies = window.page.context.cookies()

        assert window.page.url == f"{origin}/reports"
        assert [(cookie["name"], cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies] == [
            ("session", True, "Lax")
        ]
        assert window.foreign == []
