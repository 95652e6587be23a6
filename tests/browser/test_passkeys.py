"""Passkeys in Chromium, with an authenticator of its own that behaves as the one of a device."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.axe import violations
from tests.browser.browsing import PHONE, WIDE, Window, open_window
from tests.browser.hands import Hands
from tests.ports import free_port
from tests.server import running_server

PASSWORD = "sesame, open wide"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
PRESS_TWICE = """() => {
  let questions = 0;
  const ask = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) => { questions += 1; return ask(options); };
  const button = document.querySelector("form[data-passkey] button");
  button.click();
  button.click();
  return questions;
}"""
"""Questions that the device is asked by who presses the button twice; the browser refuses a second one at a time."""


def faults(window: Window) -> list[str]:
    """Faults that axe-core finds in the page, wide and light as well as narrow and dark."""
    found, page = [], window.page
    for scheme, size in (("light", WIDE), ("dark", PHONE)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found += violations(page)
        found += ["too wide"] * page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.set_viewport_size(WIDE)
    return found


def test_a_person_adds_a_passkey_signs_in_with_it_and_removes_it(browser: Browser, tmp_path: Path) -> None:
    """The device has to recognize its owner: one that does not recognize its owner signs nobody in."""
    port = free_port()
    origin = f"http://localhost:{port}"
    with (
        running_server(tmp_path / "data", "--port", str(port), BASE_URL=origin) as server,
        open_window(browser, origin) as window,
    ):
        hands, page = Hands(window), window.page
        page.goto(server.run("accounts", "login-link").strip())
        device = page.context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        number = device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]
        hands.press("button", "Sign in")
        hands.write("New password", PASSWORD)
        hands.press("button", "Set password")
        hands.press("button", "Add a passkey")
        looked_at = faults(window)
        hands.write("Name", "Laptop")
        hands.press("button", "Add a passkey")
        added = page.inner_text("main")
        looked_at += faults(window)
        hands.press("button", "Sign out")

        page.goto(f"{origin}/sign-in?next=/monitors")
        hands.press("link", "Sign in with a passkey")
        looked_at += faults(window)
        device.send("WebAuthn.setUserVerified", {"authenticatorId": number, "isUserVerified": False})
        page.get_by_role("button", name="Sign in").click()
        refused = page.get_by_text("Nothing was chosen, or it took too long.")
        refused.wait_for(state="visible")
        device.send("WebAuthn.setUserVerified", {"authenticatorId": number, "isUserVerified": True})
        with page.expect_navigation(wait_until="load"):
            questions = page.evaluate(PRESS_TWICE)
        inside = page.url
        again = device.send("WebAuthn.getCredentials", {"authenticatorId": number})["credentials"]

        page.goto(f"{origin}/account")
        hands.press("button", "Remove Laptop")
        gone = page.inner_text("main")
        hands.press("button", "Sign out")
        page.goto(f"{origin}/passkey")
        hands.press("button", "Sign in")

        assert looked_at == []
        assert questions == 1
        assert "Your passkey is added." in added
        assert "Laptop" in added
        assert inside == f"{origin}/monitors"
        assert [(each["rpId"], each["isResidentCredential"]) for each in again] == [("localhost", True)]
        assert again[0]["signCount"] > 1
        assert "The passkey is removed." in gone
        assert "This passkey does not sign in to an account here." in page.inner_text("main")
        assert window.misdeeds == []
