from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pagegrade.model.account import Caller
from pagegrade.model.audit import AuditSettings, Crawl, Pattern
from pagegrade.service.audits.operations import ShownCrawl
from pagegrade.web.schemas.audit import AuditProofDocument, audit_proof_object, crawl_object
from tests.audit_builders import make_audit
from tests.store_builders import add_owner, make_database

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")


def crawl(**changes: object) -> Crawl:
    """A crawl of the service, 20 pages a second."""
    given = {
        "id": 1,
        "account_id": 1,
        "number": 1,
        "start_url": "https://example.com/",
        "state": "crawling",
        "settings": AuditSettings(max_pages=100),
        "secret": b"",
        "fetched": 40,
        "worked_ms": 2_000,
        "created_at_ms": 0,
    }
    return Crawl(**given | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "found", "rate", "left"),
    [
        ({}, 60, 20.0, 1),
        ({}, 1_000, 20.0, 3),
        ({"fetched": 0}, 60, None, None),
        ({"finished_at_ms": 1, "state": "completed"}, 60, 20.0, None),
    ],
)
def test_the_time_that_is_left_follows_from_the_rate_and_the_limit(
    changes: dict[str, object], found: int, rate: float | None, left: int | None
) -> None:
    """Nothing is said where nothing is known."""
    shown = ShownCrawl(crawl=crawl(**changes), summary=None, found=found, patterns=(Pattern(pattern_no=1, text="/a"),))
    members = msgspec.json.decode(crawl_object(shown))

    assert (members["pages_per_second"], members["eta_s"]) == (rate, left)
    assert (members["found"], members["patterns"][0]["pattern"]) == (found, "/a")


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
