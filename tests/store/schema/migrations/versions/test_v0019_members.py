from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.account import Caller, Role
from pagegrade.service.accounts.access import authenticate, make_secret
from pagegrade.service.accounts.sessions import digest, find_signed_in, make_token
from pagegrade.service.sign_in import find_linked
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.credentials import list_sessions
from pagegrade.store.repositories.members import list_teammates
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to

TOKEN, LINK, SECRET = make_token(), make_token(), make_secret()


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a person who has a session, a link and a key."""
    upgrade_to(tx, "0018")
    tx.execute(
        text("INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"),
        {"now": NOW_MS},
    )
    insert_session(tx, TOKEN)
    tx.execute(
        text(
            "INSERT INTO sign_in_links (token_sha256, account_id, created_at_ms, expires_at_ms) "
            "VALUES (:hash, 7, :now, :later)"
        ),
        {"hash": digest(LINK), "now": NOW_MS, "later": NOW_MS + 1},
    )
    tx.execute(
        text(
            "INSERT INTO api_keys (account_id, name, prefix, secret_sha256, scopes, created_at_ms) "
            "VALUES (7, 'ci', 'pgk_', :hash, 'reports:read', :now)"
        ),
        {"hash": digest(SECRET), "now": NOW_MS},
    )


def insert_session(tx: Transaction, token: str) -> None:
    """A session, as the version before writes it."""
    tx.execute(
        text(
            "INSERT INTO sessions (account_id, token_sha256, agent, created_at_ms, rotated_at_ms, seen_at_ms, "
            "expires_at_ms) VALUES (7, :hash, 'Firefox', :now, :now, :now, :later)"
        ),
        {"hash": digest(token), "now": NOW_MS, "later": NOW_MS + 1_000},
    )


def test_an_account_becomes_the_workspace_of_its_person(tmp_path: Path) -> None:
    """The session, link and key go on; a session that the version before starts afterwards works as well."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    later = make_token()
    database.write_here(lambda tx: insert_session(tx, later))

    def caller(token: str) -> Caller:
        found = database.read_here(lambda tx: find_signed_in(tx, token, NOW_MS))
        assert found is not None
        return found.caller

    callers = [caller(token) for token in (TOKEN, later)]
    linked = database.read_here(lambda tx: find_linked(tx, LINK, NOW_MS))
    keyed = database.read_here(lambda tx: authenticate(tx, SECRET, NOW_MS))

    assert [(each.account.id, each.role, each.own, each.memberships) for each in callers] == [
        (7, Role.OWNER, None, ())
    ] * 2
    assert callers[0].account.is_personal
    assert linked == keyed.account == callers[0].account
    assert database.read_here(lambda tx: list_teammates(tx, 7)) == ()
    assert [each.workspace_id for each in database.read_here(lambda tx: list_sessions(tx, 7))] == [None, None]
    database.close()
