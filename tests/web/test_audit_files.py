"""Files of a crawl, for programs and on the page of the audit."""

from __future__ import annotations

import asyncio
import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import httpx
import pytest

from pagegrade.render import pdf
from pagegrade.service.audits import exports
from pagegrade.store.analysis import relations
from tests.audit_builders import claim, fail, fill
from tests.web.calling import BASE_URL, Instance, with_instance

EXPORT = "/api/v1/audits/1/export"
FILES = (
    *("json", "html", "pdf", "findings", "findings-parquet", "pages", "pages-parquet", "links", "links-parquet"),
    *("sarif", "prompt", "sitemap"),
)
KINDS = {
    "json": "application/json",
    "html": "text/html",
    "pdf": "application/pdf",
    "findings": "text/csv",
    "findings-parquet": "application/vnd.apache.parquet",
    "pages": "text/csv",
    "pages-parquet": "application/vnd.apache.parquet",
    "links": "text/csv",
    "links-parquet": "application/vnd.apache.parquet",
    "prompt": "text/markdown",
    "sarif": "application/sarif+json",
    "sitemap": "application/xml",
}


async def make(instance: Instance, *, evaluated: bool = True, url: str = "https://www.example.com/") -> None:
    """An audit of Alice whose crawl has ended."""
    await instance.call("POST", "/api/v1/audits", json={"url": url})
    crawl = await asyncio.to_thread(claim, instance.services.database)
    if evaluated:
        await asyncio.to_thread(fill, instance.services.database, crawl)
    else:
        await asyncio.to_thread(fail, instance.services.database, crawl, reason=None, error="internal")


def rows_of(answer: httpx.Response) -> list[dict[str, str]]:
    """The rows of a table."""
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def table_of(answer: httpx.Response, folder: Path, columns: str) -> list[tuple[Any, ...]]:
    """Some columns of a table in Parquet."""
    (folder / "table.parquet").write_bytes(answer.content)
    found = duckdb.connect().execute("FROM read_parquet($1)", [str(folder / "table.parquet")])
    names = [each[0] for each in found.description or ()]
    return [tuple(row[names.index(name)] for name in columns.split()) for row in found.fetchall()]


def listed_in(answer: httpx.Response) -> list[tuple[str | None, ...]]:
    """URL and date of each entry of a sitemap."""
    root = ET.fromstring(answer.content)  # noqa: S314 - it is ours
    return [tuple(member.text for member in entry) for entry in root]


def test_each_file_is_of_its_kind_and_named_after_site_moment_and_crawl(tmp_path: Path) -> None:
    """The same by key and on the pages; a file that a program has already is not sent again."""

    async def script(instance: Instance) -> tuple[dict[str, httpx.Response], dict[str, httpx.Response], Any]:
        await make(instance)
        keyed = {name: await instance.call("GET", f"{EXPORT}?what={name}") for name in FILES}
        pages = {name: await instance.page("GET", f"/audits/1/export/{name}") for name in FILES}
        known = {"If-None-Match": keyed["pages"].headers["etag"]}
        return keyed, pages, await instance.call("GET", f"{EXPORT}?what=pages", headers=known)

    keyed, pages, known = with_instance(tmp_path, script)

    for name, answer in keyed.items():
        named = answer.headers["content-disposition"]

        assert answer.headers["content-type"].partition(";")[0] == KINDS[name]
        assert 'filename="pagegrade-audit-example.com-' in named
        assert "-crawl-1" in named
        whole = name in {"json", "html", "pdf", "sarif"}
        assert (f"-{name.removesuffix('-parquet')}." in named) == (not whole)
        assert (".parquet" in named) == name.endswith("-parquet")
        assert "link" not in answer.headers
        assert pages[name].headers["content-disposition"] == named
        assert pages[name].content == answer.content

    assert known.status_code == 304
    assert keyed["json"].json()["findings"][0]["check"] == "duplicate-title"
    assert (keyed["json"].json()["audit"], keyed["json"].json()["crawl"]) == (1, 1)
    assert [(row["page"], row["target"]) for row in rows_of(keyed["findings"])] == [
        ("https://www.example.com/", "https://www.example.com/other"),
        ("https://www.example.com/other", ""),
    ]
    assert [(row["url"], row["title"], row["score"]) for row in rows_of(keyed["pages"])] == [
        ("https://www.example.com/", "Start", "90"),
        ("https://www.example.com/other", "Other", "70"),
    ]
    assert table_of(keyed["findings-parquet"], tmp_path, "finding page target") == [
        (1, "https://www.example.com/", "https://www.example.com/other"),
        (1, "https://www.example.com/other", None),
    ]
    assert table_of(keyed["pages-parquet"], tmp_path, "id title score noindex") == [
        (1, "Start", 90, False),
        (2, "Other", 70, False),
    ]
    assert table_of(keyed["links-parquet"], tmp_path, "from_page to_page to_status text") == [(1, 2, 200, "Other")]
    assert keyed["pdf"].content.startswith(b"%PDF-")
    assert listed_in(keyed["sitemap"]) == [("https://www.example.com/",)]
    assert "## 1. Pages have the same title" in keyed["prompt"].text


def test_a_prompt_and_a_table_can_be_of_one_finding(tmp_path: Path) -> None:
    """Of one there is not, nothing."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        paths = (f"{EXPORT}?what={name}&finding={number}" for name in ("prompt", "findings") for number in (1, 2))
        return [await instance.call("GET", path) for path in paths]

    prompt, no_prompt, table, no_table = with_instance(tmp_path, script)

    assert "prompt-1.md" in prompt.headers["content-disposition"]
    assert "findings-1.csv" in table.headers["content-disposition"]
    assert [row["finding"] for row in rows_of(table)] == ["1", "1"]
    assert (no_prompt.status_code, no_table.status_code) == (404, 404)


def test_a_table_of_links_has_those_that_fit_its_filter(tmp_path: Path) -> None:
    """By key and on the pages, as the list of links has them."""

    async def script(instance: Instance) -> list[list[dict[str, str]]]:
        await make(instance)
        queries = ("", "&kind=a&to=2&status=200", "&kind=redirect", "&from=2", "&state=outside")
        keyed = [await instance.call("GET", f"{EXPORT}?what=links{query}") for query in queries]
        pages = [await instance.page("GET", f"/audits/1/export/links?{query}") for query in queries]
        assert [one.content for one in keyed] == [one.content for one in pages]
        return [rows_of(one) for one in keyed]

    every, fit, *none = with_instance(tmp_path, script)

    assert every == fit
    assert none == [[], [], []]
    assert [(row["from_url"], row["to_url"], row["to_status"], row["text"]) for row in every] == [
        ("https://www.example.com/", "https://www.example.com/other", "200", "Other")
    ]


def test_a_crawl_that_was_not_evaluated_has_its_pages_only(tmp_path: Path) -> None:
    """And their links. Its findings are not known, which is no empty table."""

    async def script(instance: Instance) -> list[int]:
        await make(instance, evaluated=False)
        return [(await instance.call("GET", f"{EXPORT}?what={name}")).status_code for name in FILES]

    assert dict(zip(FILES, with_instance(tmp_path, script), strict=True)) == {
        "json": 404,
        "html": 404,
        "pdf": 404,
        "findings": 404,
        "findings-parquet": 404,
        "pages": 200,
        "pages-parquet": 200,
        "links": 200,
        "links-parquet": 200,
        "sarif": 404,
        "prompt": 404,
        "sitemap": 200,
    }


@pytest.mark.parametrize("name", ["findings", "pages"])
@pytest.mark.parametrize("rows", [1, 2])
def test_a_table_comes_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, rows: int) -> None:
    """Each names the next one, and after the last there is none."""
    monkeypatch.setattr(exports, "PART_ROWS", rows)

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        parts = range(1, 4 - rows + 1)
        return [await instance.call("GET", f"{EXPORT}?what={name}&part={part}") for part in parts]

    *found, beyond = with_instance(tmp_path, script)
    following = f'<{BASE_URL}{EXPORT}?what={name}&part=2>; rel="next"'

    assert [len(rows_of(answer)) for answer in found] == [rows] * (2 // rows)
    assert [answer.headers.get("link") for answer in found] == ([following, None] if rows == 1 else [None])
    assert beyond.status_code == 404


def test_the_page_of_an_audit_offers_what_there_is(tmp_path: Path) -> None:
    """Every file leads somewhere; a name that is none leads nowhere."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[httpx.Response]]:
        await make(instance)
        paths = ("/audits/1/export/other", "/audits/1/export/prompt?finding=9", "/audits/1/export/pages?part=2")
        return await instance.page("GET", "/audits/1"), [await instance.page("GET", path) for path in paths]

    page, wrong = with_instance(tmp_path, script)

    assert [f'href="/audits/1/export/{name}" download' in page.text for name in FILES] == [True] * len(FILES)
    assert [answer.status_code for answer in wrong] == [404] * 3


def test_what_needs_an_extra_is_neither_offered_nor_made_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program is told which one to install."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[httpx.Response]]:
        await make(instance)
        for module in (relations, pdf):
            monkeypatch.setattr(module, "find_spec", lambda _: None)
        keyed = [await instance.call("GET", f"{EXPORT}?what={name}") for name in ("pdf", "pages-parquet")]
        return await instance.page("GET", "/audits/1"), keyed

    page, keyed = with_instance(tmp_path, script)
    offered = [f'href="/audits/1/export/{name}" download' in page.text for name in FILES]

    assert offered == [name != "pdf" and not name.endswith("-parquet") for name in FILES]
    assert [answer.status_code for answer in keyed] == [501, 501]
    assert [answer.json()["code"] for answer in keyed] == ["pdf_not_installed", "audit_not_installed"]
