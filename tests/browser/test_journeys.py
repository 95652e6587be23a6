"""A new user, from the first start of the server to a page that is compared, monitored and shared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from tests.browser.browsing import PHONE, WIDE, Window, open_window
from tests.browser.hands import Hands, wait_until
from tests.server import Server, running_server
from tests.site.pages import DESCRIPTION, TITLE, poor_page
from tests.site.serve import Site, serve_site

PASSWORD: Final = "one two three four"
SHARED: Final = "only for friends"
FIXED: Final = frozenset({"doctype", "html-lang", "title", "meta-description", "noindex", "h1"})
"""Checks that fail for the first run and pass for the second."""
_LINK: Final = re.compile(r"http://127\.0\.0\.1:\d+(/sign-in/\S+)")


@dataclass(frozen=True, slots=True)
class Way:
    """The means by which a person goes through it."""

    keyboard: bool = False
    options: tuple[tuple[str, Any], ...] = ()


WAYS: Final = {
    "desk": Way(options=(("viewport", WIDE),)),
    "without-scripts": Way(options=(("viewport", WIDE), ("java_script_enabled", False))),
    "phone": Way(options=(("viewport", PHONE), ("is_mobile", True), ("has_touch", True))),
    "keyboard-only": Way(keyboard=True, options=(("viewport", WIDE),)),
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The site that is analyzed."""
    with serve_site() as running:
        yield running


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """A server on an empty folder, which greets its owner."""
    with running_server(tmp_path / "data", key="") as server:
        yield server


@pytest.mark.parametrize("way", WAYS)
def test_a_new_user_gets_to_a_protected_report(way: str, fresh: Server, site: Site, browser: Browser) -> None:
    """Sign in, set a password, analyze, fix, analyze again, compare, monitor, protect, sign out, unlock, export."""
    options = dict(WAYS[way].options)
    site.edited.clear()
    with open_window(browser, fresh.origin, **options) as window:
        hands = Hands(window, keyboard=WAYS[way].keyboard)
        sign_in_with_the_link(hands, fresh)
        email = set_a_password(hands)
        make_a_report(hands, f"{site.http}/poor")
        read_it(hands)
        site.edited["/poor"] = fix_it(poor_page())
        analyze_it_again(hands, scripts=options.get("java_script_enabled", True))
        compare_it(hands)
        monitor_it(hands, f"{site.http}/poor")
        link = protect_it(hands)
        sign_out(hands)
        open_it_as_another_user(hands, link)
        take_it_away(hands)
        sign_in_with_the_password(hands, email)

        assert window.misdeeds == []


def heading(window: Window) -> str:
    """The main heading of the page."""
    return window.page.locator("h1").inner_text()


def sign_in_with_the_link(hands: Hands, server: Server) -> None:
    """The address that the server printed is all that is needed, once."""
    printed = _LINK.search(server.log)
    assert printed is not None, server.log
    hands.window.go(printed[1])
    hands.press("button", "Sign in")
    assert heading(hands.window) == "Account"
    assert hands.window.page.locator(".notice[role=status]").count() == 1


def set_a_password(hands: Hands) -> str:
    """The next time goes without a link; the e-mail address to sign in with."""
    email = hands.page.get_by_label("E-mail address").first.input_value()
    hands.write("New password", PASSWORD)
    hands.press("button", "Set password")
    assert "password" in hands.page.locator(".notice[role=status]").inner_text()
    return email


def make_a_report(hands: Hands, url: str) -> None:
    """From the URL field to the verdict, without doing anything but wait."""
    hands.open_menu()
    hands.press("link", "Reports")
    hands.write("URL of a page", url)
    hands.press("button", "Analyze")
    wait_until(hands.window, lambda: hands.page.locator("article.report .verdict").count() == 1)


def read_it(hands: Hands) -> None:
    """The verdict in words, what to fix first, and how."""
    text = hands.page.inner_text("article.report")
    assert any(word in text for word in ("Good", "Decent", "Bad"))
    finding = hands.page.locator("article.report details:has(summary)").first
    assert finding.is_visible()
    first = finding.locator(".title").first.inner_text().strip()
    if not finding.evaluate("element => element.open"):
        hands.open(first)
    assert len(finding.inner_text()) > len(first) + 20


def fix_it(html: str) -> str:
    """The HTML after its author has read the report: without the findings in ``FIXED``."""
    return "<!doctype html>\n" + (
        html.replace("<html>", '<html lang="en">')
        .replace("<title>Home</title>", f"<title>{TITLE}</title>")
        .replace('<meta name="robots" content="noindex">', f'<meta name="description" content="{DESCRIPTION}">')
        .replace("<h3>News</h3>", "<h1>News of the lighthouse</h1>")
    )


def analyze_it_again(hands: Hands, *, scripts: bool) -> None:
    """The report stays in place and gets a second run; without scripts its reader looks again."""
    before = hands.page.url

    def is_there() -> bool:
        if not scripts and hands.page.get_by_role("link", name="Refresh").count():
            hands.press("link", "Refresh")
        return hands.page.locator(".change").count() == 1

    hands.press("button", "Analyze again")
    wait_until(hands.window, is_there)
    assert hands.page.url.partition("?")[0] == before.partition("?")[0]


def compare_it(hands: Hands) -> None:
    """See what became of each finding of the first run, and go back to a better score."""
    hands.press("link", "What changed")
    assert heading(hands.window) == "Run 1 and run 2"
    assert "up" in hands.page.inner_text(".difference")
    assert "Nothing new was found." in hands.page.inner_text("main")
    found = {name: findings_below(hands, name) for name in ("fixed", "still")}
    assert found["fixed"] >= FIXED
    assert not found["fixed"] & found["still"]
    assert len(found["still"]) > len(FIXED)
    hands.press("link", "Report 1")
    assert "Up " in hands.page.inner_text(".change")


def findings_below(hands: Hands, heading_id: str) -> set[str]:
    """The checks in one part of a comparison."""
    links = hands.page.locator(f"section:has(> #{heading_id}) .learn code").all()
    return {link.text_content() or "" for link in links}


def monitor_it(hands: Hands, url: str) -> None:
    """On the schedule that is proposed, with a budget; back to the report by the list."""
    hands.open("More")
    hands.press("link", "Monitor this page")
    hands.write("Further conditions", "score<50")
    hands.press("button", "Save")
    assert heading(hands.window) == "Monitors"
    assert "budget" in hands.page.inner_text("main")
    hands.open_menu()
    hands.press("link", "Reports")
    hands.press("link", url)


def protect_it(hands: Hands) -> str:
    """The path of the link to share."""
    hands.open("More")
    hands.press("link", "Settings")
    hands.choose("Anyone with the link and the password")
    hands.write("Password", SHARED)
    hands.press("button", "Save")
    assert "saved" in hands.page.locator(".notice[role=status]").inner_text()
    link = hands.page.locator("a[href*='/r/']").first.get_attribute("href") or ""
    assert re.fullmatch(rf"({re.escape(hands.window.origin)})?/r/[\w-]{{22}}", link), link
    return link.removeprefix(hands.window.origin)


def sign_out(hands: Hands) -> None:
    """Nothing is left of the session."""
    hands.open_menu()
    hands.press("button", "Sign out")
    assert heading(hands.window) == "Sign in"
    assert hands.window.context.cookies() == []


def open_it_as_another_user(hands: Hands, link: str) -> None:
    """The gate says nothing of the report, minds a wrong password, and opens with the right one."""
    hands.window.go(link)
    assert "poor" not in hands.page.content()
    hands.write("Password", "something else")
    hands.press("button", "Show the report")
    assert "not the password" in hands.page.inner_text("main")
    hands.write("Password", SHARED)
    hands.press("button", "Show the report")
    assert hands.page.locator("article.report .verdict").count() == 1
    assert [cookie["name"][:7] for cookie in hands.window.context.cookies()] == ["unlock-"]


def take_it_away(hands: Hands) -> None:
    """A file for programs and one for people."""
    hands.open("Export")
    taken = Path(hands.download("JSON").path())
    assert json.loads(taken.read_bytes())["state"] == "completed"
    if not hands.page.locator("details.menu[open]").count():
        hands.open("Export")
    assert Path(hands.download("PDF").path()).read_bytes().startswith(b"%PDF-")


def sign_in_with_the_password(hands: Hands, email: str) -> None:
    """The list has the report."""
    hands.window.go("/sign-in")
    hands.write("E-mail address", email)
    hands.write("Password", PASSWORD)
    hands.press("button", "Sign in")
    assert heading(hands.window) == "Reports"
    assert hands.page.locator("table.lists tbody tr").count() == 1
