"""The script of our pages: lists that follow along, reports that appear by themselves, buttons that copy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagegrade.clock import now_ms
from pagegrade.model.report import Report
from pagegrade.report.codec import pack_report
from pagegrade.service.accounts.sessions import start_session
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.accounts import load_account
from tests.browser.browsing import WIDE, Window, open_window
from tests.report_builders import make_failed_report, make_report
from tests.server import Server, running_server


@dataclass(frozen=True, slots=True)
class Desk:
    """A service without workers, its database, and its owner's browser."""

    server: Server
    database: Database
    window: Window

    def finish(self, report: Report) -> None:
        """End the run that waits longest, as a worker would."""

        def work(tx: Transaction) -> None:
            (run,) = claim_runs(
                tx, worker="w", count=1, now_ms=now_ms(), lease_ms=60_000, target_runs=9, target_runs_per_minute=99
            )
            finish_run(tx, run, pack_report(report), now_ms())

        self.database.write_here(work)


@pytest.fixture
def desk(tmp_path: Path, browser: Browser) -> Iterator[Desk]:
    """Waiting calls go on waiting until a test ends them."""

    def sign_in(tx: Transaction) -> str:
        account = load_account(tx, 1)
        if account is None:
            raise AssertionError("the first account is not there")
        return start_session(tx, account, "Chromium", now_ms())

    folder = tmp_path / "data"
    with (
        running_server(folder, WORKERS=0) as server,
        contextlib.closing(SQLiteDatabase(f"sqlite:///{folder / DATABASE_NAME}")) as database,
        open_window(browser, server.origin, token=database.write_here(sign_in), viewport=WIDE) as window,
    ):
        yield Desk(server, database, window)


def test_a_list_follows_what_is_under_way(desk: Desk) -> None:
    """Rows say how their analysis ended, it is said aloud, counts are right, and what is typed stays."""
    desk.server.create("https://a.example/")
    desk.server.create("https://b.example/")
    desk.window.go("/reports")
    page = desk.window.page
    rows = page.locator("[data-live-row]")
    before = [rows.nth(number).locator(".state").inner_text() for number in range(2)]
    page.get_by_label("URL of a page").fill("c.exam")
    desk.finish(make_report(score=91, result="good"))
    page.locator(".verdict-cell.good .word", has_text="Good").wait_for()
    said = page.locator("p[role=status]", has_text="is analyzed")
    said.wait_for(state="attached")
    first = said.inner_text()
    left = page.locator("[data-live-notice]").inner_text()
    desk.finish(make_failed_report("dns"))
    page.locator(".state.failed").wait_for()
    page.locator("[data-live-notice]").wait_for(state="hidden")

    assert before == ["Waiting", "Waiting"]
    assert first == "a.example is analyzed: 91 of 100, Good."
    assert "1 report on this page is not finished." in left
    assert page.locator(".why", has_text="The name of the site was not found.").count() == 1
    assert page.locator("[data-count=queued]").inner_text() == "0"
    assert page.locator("[data-count=good]").inner_text() == "1"
    assert page.get_by_label("URL of a page").input_value() == "c.exam"
    assert desk.window.misdeeds == []


def test_a_report_comes_when_it_is_there(desk: Desk) -> None:
    """The visitor who has just asked for it need not do anything."""
    made = desk.server.create("https://a.example/")
    desk.window.go(f"/reports/{made['id']}?said=created")
    desk.finish(make_report(score=91, result="good"))
    desk.window.page.locator("article").wait_for()

    assert "91" in desk.window.page.title()
    assert desk.window.misdeeds == []


def test_a_deleted_row_is_left_alone(desk: Desk) -> None:
    """It says so, and the row is not requested again."""
    made = desk.server.create("https://a.example/")
    desk.window.go("/reports")
    desk.server.call("DELETE", f"/api/v1/reports/{made['id']}")
    desk.window.page.locator("[data-live-notice]").wait_for(state="hidden")

    assert desk.window.page.locator("[data-live-row] .state").inner_text() == "Deleted"
    assert desk.window.misdeeds == []


@pytest.mark.parametrize("allowed", [True, False])
def test_a_link_is_copied(desk: Desk, *, allowed: bool) -> None:
    """With the clipboard, or the old way where there is none; it is said, and the button says so for a while."""
    made = desk.server.create("https://a.example/")
    if allowed:
        desk.window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    else:
        desk.window.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    desk.window.go(f"/reports/{made['id']}/settings")
    page = desk.window.page
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_role("button", name="Copied").wait_for()
    page.locator("p[role=status]", has_text="Copied").wait_for(state="attached")

    kept = page.evaluate("navigator.clipboard.readText()" if allowed else "getSelection().toString().trim()")

    assert kept == made["share_url"]
    assert desk.window.misdeeds == []


def test_a_menu_closes_like_a_menu(desk: Desk) -> None:
    """With Escape, which gives the focus back, with a click elsewhere, and when another one opens."""
    made = desk.server.create("https://a.example/")
    desk.finish(make_report(score=91, result="good"))
    desk.window.go(f"/reports/{made['id']}")
    page = desk.window.page
    share, export = (page.locator("details.menu > summary", has_text=word) for word in ("Share", "Export"))
    opened = page.locator("details.menu[open]")
    share.press("Enter")
    page.keyboard.press("Tab")
    before = opened.count()
    page.keyboard.press("Escape")
    after_escape, focused = opened.count(), page.evaluate("document.activeElement.textContent")
    share.click()
    export.click()
    after_another = opened.all_inner_texts()
    page.locator("h1").click()

    assert (before, after_escape, opened.count()) == (1, 0, 0)
    assert "Share" in focused
    assert len(after_another) == 1
    assert "PDF" in after_another[0]
    assert desk.window.misdeeds == []
