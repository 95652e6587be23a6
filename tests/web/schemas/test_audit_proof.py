"""The JSON object of a proof has the members that its description names."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pagegrade.model.account import Caller
from pagegrade.web.schemas.audit_proof import AuditProofDocument, audit_proof_object
from tests.audit_builders import make_audit
from tests.store_builders import add_owner, make_database


@pytest.mark.parametrize(
    ("url", "record", "file"),
    [
        ("https://www.shop.example/a", "_pagegrade.shop.example", "https://www.shop.example/.well-known/pagegrade.txt"),
        ("https://93.184.215.14/", None, "https://93.184.215.14/.well-known/pagegrade.txt"),
    ],
)
def test_a_proof_is_as_it_is_described(tmp_path: Path, url: str, record: str | None, file: str) -> None:
    """An address has no record."""
    database = make_database(tmp_path)
    audit = make_audit(database, Caller(account=add_owner(database, "Alice")[0]), url)
    made = msgspec.json.decode(audit_proof_object(audit, b"key"), type=AuditProofDocument)

    assert (made.record, made.file, made.found) == (record, file, None)
    database.close()

    assert made.meta == f'<meta name="pagegrade-site-verification" content="{made.token}">'
