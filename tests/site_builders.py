"""Relations of small sites, from rows of which only what matters is written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pagegrade.checks import SiteCheck, all_site_checks
from pagegrade.model.audit_result import AuditResult
from pagegrade.service.audits.evaluation import evaluate_crawl, facts_of, run_check
from pagegrade.store.analysis.derive import derive
from pagegrade.store.analysis.relations import RELATIONS, Relations, open_relations

FENCE: Final = re.compile(r"^```json (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FACTS: Final = {
    "start": 1,
    "complete": 1,
    "sitemap": 1,
    "assets": 1,
    "external": 1,
    "rendered": 1,
    "traps": 1,
    "robots": "ok",
    "https": 1,
}
Rows = Sequence[Mapping[str, Any]]


def number_of(text: str) -> int:
    """64 bits that differ in many places for different texts."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def page(page_id: int, **row: Any) -> dict[str, Any]:
    """A sound page; ``row`` has what is different."""
    url = row.get("url", f"http://example.com/{page_id}")
    path = "/" + url.split("/", 3)[3]
    return {
        "page_id": page_id,
        "url": url,
        "host": "example.com",
        "path": path,
        "pattern": re.sub(r"\d+", "{n}", path),
        "depth": 1,
        "state": "fetched",
        "status": 200,
        "hops": 0,
        "content_type": "text/html",
        "bytes": 20_000,
        "time_ms": 100,
        "title": f"Title {page_id}",
        "h1": f"Heading {page_id}",
        "description": f"Description {page_id}",
        "noindex": False,
        "nofollow": False,
        "lang": "en",
        "words": 200,
        "digest": number_of(f"digest {page_id}"),
        "simhash": number_of(f"simhash {page_id}"),
        "template": [7] * 16,
        "types": [],
        "score": 90,
        "in_sitemap": True,
        **row,
    }


def rows_of(**relations: Rows) -> dict[str, list[dict[str, Any]]]:
    """Whole rows of every relation.

    A page gets what ``page`` gives it, ``"repeat": N`` makes N rows with ids from its own on, and where no row of the
    sitemap is given, every page with ``in_sitemap`` has one. Facts are rows ``{"key": ..., "value": ...}``.
    """
    made: dict[str, list[dict[str, Any]]] = {
        name: [dict(row) for row in _repeated(rows)] for name, rows in relations.items()
    }
    made["pages"] = [page(**row) for row in made.get("pages", [])]
    made["links"] = [{"kind": "a", "place": "main", **row} for row in made.get("links", [])]
    if "sitemap" not in made:
        made["sitemap"] = [{"page_id": row["page_id"]} for row in made["pages"] if row["in_sitemap"]]
    facts = {**FACTS, **{row["key"]: row["value"] for row in made.get("site", [])}}
    made["site"] = [
        {"key": key, "value": value if isinstance(value, str) else json.dumps(value)} for key, value in facts.items()
    ]
    return made


def _repeated(rows: Rows) -> Iterator[dict[str, Any]]:
    for row in rows:
        plain = {name: value for name, value in row.items() if name != "repeat"}
        for step in range(row.get("repeat", 1)):
            moved: dict[str, Any] = {name: plain[name] + step for name in ("page_id", "from_id") if name in plain}
            yield {**plain, **moved}


def of_example(section: str) -> dict[str, list[dict[str, Any]]]:
    """The relations of a documented example: all its blocks ``json NAME``."""
    blocks = FENCE.findall(section)
    if not blocks:
        raise ValueError("the section has no fenced example")
    return rows_of(**{name: json.loads(text) for name, text in blocks})


@contextmanager
def loaded(rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[Relations]:
    """A database with whole rows."""
    with open_relations(threads=1) as relations:
        for name, some in rows.items():
            relations.insert(name, some, RELATIONS[name])
        yield relations


def evaluated(rows: Mapping[str, Iterable[Mapping[str, Any]]], *checks: str) -> AuditResult:
    """The result of whole rows, by the named checks or all."""
    chosen: Mapping[str, SiteCheck] = (
        {name: all_site_checks()[name] for name in checks} if checks else all_site_checks()
    )
    with loaded(rows) as relations:
        return evaluate_crawl(relations, chosen)


def hits(check: str, **relations: Rows) -> set[tuple[Any, ...]]:
    """The rows that a check finds: (page, state), and the target as third where it names one."""
    outcome, found = examined(check, rows_of(**relations))
    assert outcome in {"found", "passed"}
    return found


def examined(check: str, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> tuple[Any, set[tuple[Any, ...]]]:
    """The outcome of one check on whole rows, and the rows that it finds, as ``hits`` has them."""
    one = all_site_checks()[check]
    with loaded(rows) as database:
        derive(database, f"{one.over} {one.function()}")
        outcome = run_check(database, one, facts_of(database))
        found = database.rows("SELECT page_id, state, target_id FROM hits")
    return outcome, {row if row[2] is not None else row[:2] for row in found}
