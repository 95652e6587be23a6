from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.clock import now_ms
from pagegrade.model.account import IdempotentRequest
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.idempotency import find_request
from pagegrade.store.schema.migrate import FOLDER, migrate
from tests.store_builders import make_empty

BODY = b"the answer with everything in it"


def third_version(tx: Transaction) -> None:
    """The tables as they were before, with a request that was answered and one that came to nothing."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0003")
    tx.exec_driver_sql("INSERT INTO accounts (name, email, created_at_ms) VALUES ('a', 'a@b', 1)")
    tx.execute(
        text(
            "INSERT INTO api_keys (account_id, name, prefix, secret_sha256, scopes, created_at_ms) "
            "VALUES (1, 'a', 'pgk_', :secret, '', 1)"
        ),
        {"secret": b"s" * 32},
    )
    for key, report_id, body in (("done", 7, BODY), ("nothing", None, None)):
        tx.execute(
            text(
                "INSERT INTO idempotency (key_id, method, path, idempotency_key, request_sha256, report_id, process, "
                "status, headers, body, created_at_ms) "
                "VALUES (1, 'POST', '/api/v1/reports', :key, :sha, :report_id, '', 201, '{}', :body, :now)"
            ),
            {"key": key, "sha": b"f" * 32, "report_id": report_id, "body": body, "now": now_ms()},
        )


def test_requests_are_still_known_and_their_answers_are_gone(tmp_path: Path) -> None:
    """A client that repeats a request across the upgrade gets its report; one that made nothing is forgotten."""
    database = make_empty(tmp_path)
    database.write_here(third_version)
    migrate(database)

    def find(tx: Transaction, key: str) -> int | None:
        request = IdempotentRequest(
            key_id=1, method="POST", path="/api/v1/reports", idempotency_key=key, request_sha256=b"f" * 32
        )
        return find_request(tx, request, now_ms())

    found = [database.write_here(lambda tx, key=key: find(tx, key)) for key in ("done", "nothing")]  # type: ignore[misc]
    kept = database.read_here(lambda tx: tx.exec_driver_sql("SELECT * FROM idempotency").mappings().all())
    database.close()

    assert found == [7, None]
    assert len(kept) == 1
    assert {"body", "headers", "status", "idempotency_key"} & set(kept[0]) == set()
