"""Takes the pictures of the pages in ``docs/images``: a real server, real analyses of the test site, a real browser."""

from __future__ import annotations

import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

import pagegrade
from pagegrade.clock import now_ms
from pagegrade.model.report import Report
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.service.accounts.sessions import start_session
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.schema.migrate import migrate
from tests.browser.browsing import Window, launch, open_window
from tests.report_builders import make_failed_report
from tests.server import running_server
from tests.share_builders import add_shared, finish, run_again
from tests.site.serve import serve_site

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "images"
MOST_BYTES: Final = 200_000
"""Of a picture; the README shows several."""
DAY_MS: Final = 86_400_000
SHOWN: Final = "https://shop.example"
"""Stands in for the local address, which would only puzzle."""
_LOCAL: Final = re.compile(r"http://127\.0\.0\.1:\d+")
DESK: Final = {"viewport": {"width": 1280, "height": 960}}
PHONE: Final = {"viewport": {"width": 390, "height": 780}, "color_scheme": "dark"}
HISTORY: Final = (44, 49, 52, 51, 58)
"""Scores of the runs before the last one."""


@dataclass(frozen=True, slots=True)
class Place:
    """Content of a picture."""

    name: str
    path: str
    options: dict[str, Any]
    signed_in: bool = True


def shown_as_public(value: Any) -> Any:
    """A report, or a part of one, with the public address in place of the local one."""
    if isinstance(value, str):
        return _LOCAL.sub(SHOWN, value)
    if isinstance(value, msgspec.Struct):
        return replace(value, **{name: shown_as_public(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, tuple):
        return tuple(shown_as_public(each) for each in value)
    if isinstance(value, dict):
        return {name: shown_as_public(each) for name, each in value.items()}
    return value


def analyze(url: str, path: str) -> Report:
    """A real report on a page of the test site, as if it were at ``path`` of a public site."""
    report: Report = shown_as_public(pagegrade.analyze(url, allow_typed_private=True))
    return replace(report, url=f"{SHOWN}{path}", final_url=f"{SHOWN}{path}", project="shop.example")


def finish_at(database: Database, stored: StoredReport, outcome: Report, at_ms: int) -> None:
    """End the waiting run at that time."""
    finish(database, stored, replace(outcome, generated_at=datetime.fromtimestamp(at_ms / 1000, UTC)), now_ms=at_ms)


@contextmanager
def filled(folder: Path) -> Iterator[tuple[str, int, str, str]]:
    """(token of a session, id and slug of the report to show, slug of a locked one) in a new database."""
    folder.mkdir(parents=True)
    with serve_site() as site:
        poor, good = analyze(f"{site.http}/poor", "/pricing"), analyze(f"{site.http}/many", "/")
    database = SQLiteDatabase(f"sqlite:///{folder / DATABASE_NAME}")
    try:
        migrate(database)
        moment = now_ms()
        owner = database.write_here(
            lambda tx: add_account(tx, name="Ada", email="ada@shop.example", now_ms=moment - 90 * DAY_MS, is_admin=True)
        )
        for path, outcome in (
            ("/blog", replace(good, score=86)),
            ("/imprint", make_failed_report("blocked", url=f"{SHOWN}/imprint")),
            ("/basket", replace(poor, score=41, result="bad")),
            ("/", good),
        ):
            stored = add_shared(database, owner, now_ms=moment - 2 * DAY_MS, url=f"{SHOWN}{path}")
            finish_at(database, stored, outcome, moment - DAY_MS // 2)
        locked = add_shared(
            database,
            owner,
            now_ms=moment - DAY_MS,
            url=f"{SHOWN}/jobs",
            privacy=Privacy.PASSWORD,
            password_hash="-",  # noqa: S106
        )
        finish_at(database, locked, good, moment - DAY_MS // 3)
        stored = add_shared(database, owner, now_ms=moment - 40 * DAY_MS, url=f"{SHOWN}/pricing")
        for number, score in enumerate(HISTORY):
            at_ms = moment - (len(HISTORY) - number) * 7 * DAY_MS
            result = "decent" if score >= poor.run.thresholds.decent else "bad"
            finish_at(database, stored, replace(poor, score=score, result=result), at_ms)
            run_again(database, stored, now_ms=at_ms + DAY_MS)
        finish_at(database, stored, poor, moment - 60_000)
        token = database.write_here(lambda tx: start_session(tx, owner, secrets.token_hex(4), moment))
    finally:
        database.close()
    yield token, stored.id, stored.slug, locked.slug


def take(window: Window, place: Place) -> None:
    """One picture.

    Raises:
        ValueError: It is larger than ``MOST_BYTES``.
    """
    window.go(place.path)
    picture = FOLDER / f"{place.name}.png"
    picture.write_bytes(window.page.screenshot(animations="disabled"))
    size = picture.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(f"{picture.name} has {size} bytes")
    sys.stdout.write(f"{picture.relative_to(FOLDER.parents[1])}: {size} bytes\n")


def main() -> None:
    """Take all pictures and say where they are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        filled(Path(folder) / "data") as (token, report_id, slug, locked),
        running_server(Path(folder) / "data", WORKERS=0) as server,
        launch() as browser,
    ):
        for place in (
            Place("page-report", f"/reports/{report_id}", DESK),
            Place("page-finding", f"/reports/{report_id}?category=accessibility&expand=1", DESK),
            Place("page-list", "/reports", DESK),
            Place("page-settings", f"/reports/{report_id}/settings", DESK),
            Place("page-phone", f"/r/{slug}", PHONE, signed_in=False),
            Place("page-locked", f"/r/{locked}", PHONE, signed_in=False),
        ):
            signed_in = token if place.signed_in else None
            with open_window(browser, server.origin, token=signed_in, **place.options) as window:
                take(window, place)


if __name__ == "__main__":
    main()
