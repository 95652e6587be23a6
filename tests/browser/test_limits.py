"""Pages that ask a visitor to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy
from pagegrade.service.accounts.sessions import start_session
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.schema.migrate import migrate
from pagegrade.web.session_cookie import SESSION
from tests.browser.instance import ACCEPT, OWN
from tests.browser.test_answers import wrong_headers, wrong_page
from tests.report_builders import make_report
from tests.server import FORM, Reply, Server, running_server
from tests.share_builders import add_shared, finish
from tests.store_builders import add_owner

MOST: Final = 60
"""Tries after which a limit should have been felt."""
WAIT: Final = 429


@dataclass(frozen=True, slots=True)
class Strict:
    """A service that allows few pages a minute, and who uses it."""

    server: Server
    cookie: str
    slug: str
    """Of a report with a password."""

    def ask(self, path: str, form: Mapping[str, str] | None = None, *, signed_in: bool = False) -> Reply:
        """One request of a browser."""
        headers = {"Accept": ACCEPT, **OWN, **({"Cookie": self.cookie} if signed_in else {})}
        if form is None:
            return self.server.call("GET", path, key=None, headers=headers)
        headers["Content-Type"] = FORM
        return self.server.call("POST", path, key=None, body=urlencode(form).encode(), headers=headers)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strict]:
    """A service with an account and a report."""
    folder: Path = tmp_path_factory.mktemp("strict") / "data"
    folder.mkdir()
    database = SQLiteDatabase(f"sqlite:///{folder / DATABASE_NAME}")
    try:
        migrate(database)
        moment = now_ms()
        owner, _ = add_owner(database)
        token = database.write_here(lambda tx: start_session(tx, owner, "Firefox", moment))
        report = add_shared(database, owner, now_ms=moment, privacy=Privacy.PASSWORD, password_hash="none")
        finish(database, report, make_report(), now_ms=moment)
    finally:
        database.close()
    with running_server(folder, WORKERS=0, HSTS=True, REQUESTS_PER_MINUTE=3, ANALYSES_PER_MINUTE=1) as server:
        yield Strict(server, f"{SESSION}={token}", report.slug)


ASKS: Final[dict[str, Callable[[Strict], Reply]]] = {
    "pages": lambda strict: strict.ask("/reports", signed_in=True),
    "passwords-of-reports": lambda strict: strict.ask(f"/r/{strict.slug}", {"password": "guess"}),
    "passwords-of-accounts": lambda strict: strict.ask("/sign-in", {"email": "a@example.org", "password": "guess"}),
    "links-to-sign-in": lambda strict: strict.ask("/sign-in/none"),
}


@pytest.mark.parametrize("what", ASKS)
def test_a_client_over_the_limit_learns_when_to_retry(what: str, strict: Strict) -> None:
    """With a page like any other, before anything expensive is done."""
    replies = [ASKS[what](strict)]
    while replies[-1].status != WAIT and len(replies) < MOST:
        replies.append(ASKS[what](strict))
    last = replies[-1]

    assert last.status == WAIT
    assert wrong_headers(last) == []
    assert wrong_page(last) == []
    assert int(last.need("Retry-After")) > 0
