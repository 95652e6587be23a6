from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy
from pagegrade.service import pdf_pool
from pagegrade.service.rate_limit import Bucket, MemoryBuckets
from pagegrade.web.http.response import INERT
from pagegrade.web.pages.reports.report_context import FORMATS
from pagegrade.web.pages.share_access import SHARED_DOCUMENTS_PER_MINUTE
from pagegrade.web.report_files import MEDIA_TYPES, PAPERS
from tests.report_builders import make_failed_report, make_report
from tests.share_builders import finish, run_again
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance
from tests.web.sharing import cookie_of, guess, locked, see, shared

STARTS = {
    "json": b"{",
    "csv": b"\xef\xbb\xbfreport",
    "md": b"#",
    "prompt": b"# Fix",
    "sarif": b"{",
    "earl": b"{",
    "criteria": b"\xef\xbb\xbfurl",
    "conformance": b"<!doctype html>",
    "conformance-pdf": b"%PDF-",
    "statement": b"<!doctype html>",
    "pdf": b"%PDF-",
    "pdf-letter": b"%PDF-",
    "html": b"<!doctype html>",
}
EXTENSIONS = {
    "prompt": "md",
    "pdf-letter": "pdf",
    "conformance": "html",
    "conformance-pdf": "pdf",
    "criteria": "csv",
    "earl": "jsonld",
    "statement": "html",
}
HTML = {"Accept": "text/html"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_can_be_taken_away(tmp_path: Path, name: str) -> None:
    """Alice gets a file with a harmless name, that does nothing when a browser opens it."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        answer = await instance.page("GET", f"/reports/{report.id}/export/{name}")
        head = await instance.page("HEAD", f"/reports/{report.id}/export/{name}")

        assert answer.status_code == 200
        assert answer.content.startswith(STARTS[name])
        assert answer.headers["content-type"] == MEDIA_TYPES[name]
        assert answer.headers["content-disposition"].startswith('attachment; filename="pagegrade-shop.example-')
        assert answer.headers["content-disposition"].endswith(f".{EXTENSIONS.get(name, name)}")
        assert answer.headers["content-security-policy"] == INERT[1]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "private, no-store"
        assert (head.status_code, head.content) == (200, b"")

    with_instance(tmp_path, script)


def test_one_finding_can_be_taken_away(tmp_path: Path) -> None:
    """As a prompt and as Markdown; other formats, unknown checks and checks that passed have no such file."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        base = f"/reports/{report.id}/export"
        check = next(result.check for result in make_report().results if result.passed is False)
        passed = next(result.check for result in make_report().results if result.passed)
        prompt = await instance.page("GET", f"{base}/prompt?check={check}")
        markdown = await instance.page("GET", f"{base}/md?check={check}&run=1")
        others = [
            (await instance.page("GET", f"{base}/{place}", headers=HTML)).status_code
            for place in (f"json?check={check}", "md?check=none", f"md?check={passed}", "md?check=%3Cb%3E")
        ]

        assert prompt.text.startswith("# Fix 1 finding of a web page")
        assert f"Rule: `{check}`" in prompt.text
        assert markdown.text.startswith("Page: `https://")
        assert markdown.text.count("###") == 1
        assert others == [404, 404, 404, 404]

    with_instance(tmp_path, script)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_is_a_way_around_privacy(tmp_path: Path, name: str) -> None:
    """M01, M02: the private report is not there for Bob and Charlie, and the locked one asks for its password."""

    async def script(instance: Instance) -> None:
        private, secret = shared(instance, Privacy.PRIVATE), await locked(instance)
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])
        below = f"/export/{name}"
        for headers in ({}, bob):
            theirs = await see(instance, private, below=below, headers=headers)
            none = await see(instance, "A" * 22, below=below, headers=headers)
            gate = await see(instance, secret, below=below, headers=headers)

            assert theirs.status_code == none.status_code == 404
            assert theirs.content == none.content
            assert gate.status_code == 303
            assert gate.headers["location"] == f"/r/{secret.slug}"
            assert gate.content == b""

    with_instance(tmp_path, script)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in PAPERS])
def test_what_others_take_away_holds_no_values_of_the_address(tmp_path: Path, name: str) -> None:
    """M18: from the public report, and from the locked one after its password."""

    async def script(instance: Instance) -> None:
        public, secret = shared(instance), await locked(instance)
        cookie = cookie_of(await guess(instance, secret))
        own = await instance.page("GET", f"/reports/{public.id}/export/{name}")
        for answer in (
            await see(instance, public, below=f"/export/{name}"),
            await see(instance, secret, below=f"/export/{name}", headers=cookie),
        ):
            assert answer.status_code == 200
            assert answer.content.startswith(STARTS[name])
            assert b"s3cr3t" not in answer.content
        assert b"s3cr3t" in own.content

    with_instance(tmp_path, script)


def test_json_is_what_the_interface_hands_out(tmp_path: Path) -> None:
    """For Alice to the letter; Charlie does not see the number of the report."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        own = (await instance.page("GET", f"/reports/{report.id}/export/json")).json()
        interface = (await instance.call("GET", f"/api/v1/reports/{report.id}")).json()["data"]
        others = (await see(instance, report, below="/export/json")).json()

        assert own == interface
        assert others["id"] is None
        assert others["score"] == own["score"]

    with_instance(tmp_path, script)


def test_csv_names_the_report_to_its_owner_only(tmp_path: Path) -> None:
    """Its number is for the owner only."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        own = await instance.page("GET", f"/reports/{report.id}/export/csv")
        others = await see(instance, report, below="/export/csv")
        numbers = [
            {row["report"] for row in csv.DictReader(answer.content.decode("utf-8-sig").splitlines())}
            for answer in (own, others)
        ]

        assert numbers == [{str(report.id)}, {""}]

    with_instance(tmp_path, script)


def test_a_run_can_be_taken_away(tmp_path: Path) -> None:
    """By its number; one that is not finished, or was never there, is not found."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        failed = make_failed_report("timeout")
        report = finish(database, run_again(database, shared(instance), now_ms=now_ms()), failed, now_ms=now_ms())
        report = run_again(database, report, now_ms=now_ms())
        first, second = [
            json.loads((await see(instance, report, below=f"/export/json?run={number}")).content) for number in (1, 2)
        ]
        statuses = [
            (await see(instance, report, below=f"/export/json?run={number}")).status_code
            for number in ("3", "4", "0", "x", "-1")
        ]

        assert (first["score"], first["run"]["number"], second["score"]) == (79, 1, None)
        assert second["error"]["code"] == "timeout"
        assert statuses == [404] * 5

    with_instance(tmp_path, script)


def test_what_is_not_there_cannot_be_taken_away(tmp_path: Path) -> None:
    """An unknown format, a report in the making, and a PDF of a page that was not analyzed."""

    async def script(instance: Instance) -> None:
        failed = shared(instance, outcome=make_failed_report("dns", page=None, final_url=None))
        done, waiting = shared(instance), shared(instance, outcome=None)
        places = [
            f"{done.id}/export/xml",
            f"{done.id}/export/JSON",
            f"{done.id}/export/jsonl",
            f"{waiting.id}/export/json",
            f"{failed.id}/export/pdf",
            "999/export/json",
        ]
        own = [await instance.page("GET", f"/reports/{place}", headers=HTML) for place in places]
        charlie = [
            await see(instance, report, below=f"/export/{name}")
            for report, name in ((done, "xml"), (waiting, "json"), (failed, "pdf"), ("A" * 22, "xml"))
        ]

        assert {answer.status_code for answer in own} == {404}
        assert {answer.status_code for answer in charlie} == {404}
        assert len({answer.content for answer in charlie}) == 1
        assert (await instance.page("GET", f"/reports/{failed.id}/export/md")).status_code == 200

    with_instance(tmp_path, script)


def test_too_many_pdfs_at_once_are_refused_with_a_time_to_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a page that says when."""
    monkeypatch.setattr(pdf_pool, "MAX_ASKED", 1)

    async def script(instance: Instance) -> None:
        report = shared(instance)
        answers = await asyncio.gather(*(see(instance, report, below="/export/pdf", headers=HTML) for _ in range(3)))

        assert sorted(answer.status_code for answer in answers) == [200, 503, 503]
        refused = next(answer for answer in answers if answer.status_code == 503)
        assert refused.headers["retry-after"] == "5"
        assert refused.headers["content-type"].startswith("text/html")

    with_instance(tmp_path, script)


@pytest.mark.parametrize("name", [each for each, kind in MEDIA_TYPES.items() if kind == "application/pdf"])
def test_one_client_does_not_take_every_place_for_pdfs(tmp_path: Path, name: str) -> None:
    """It has to wait before a process is started; its other formats and the owner's PDF come."""

    async def script(instance: Instance) -> None:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        report = shared(instance)
        bucket = Bucket(("shared PDFs", "127.0.0.1"), SHARED_DOCUMENTS_PER_MINUTE)
        for _ in range(SHARED_DOCUMENTS_PER_MINUTE):
            await instance.services.limits.take_now(bucket)
        refused = await see(instance, report, below=f"/export/{name}")
        other = await see(instance, report, below="/export/json")
        own = await instance.page("GET", f"/reports/{report.id}/export/{name}")

        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 60
        assert (other.status_code, own.status_code) == (200, 200)

    with_instance(tmp_path, script)


def rows(answer: httpx.Response) -> list[dict[str, str]]:
    """The rows as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_file_has_what_the_list_finds(tmp_path: Path) -> None:
    """All pages of it, in its order; Bob's has his own, Charlie's none."""

    async def script(instance: Instance) -> None:
        for number in range(12):
            await instance.create(f"https://a.example/{number:02}")
        await instance.create("https://b.example/")
        bob = add_owner(instance.services.database, "Bob")[0]
        found = await instance.page("GET", "/reports/export.csv?search=a.example&sort_by=url&sort=asc&page=2")
        of_bob = await instance.page("GET", "/reports/export.csv", account=bob)
        charlie = await instance.call("GET", "/reports/export.csv", key=None)

        assert [row["url"] for row in rows(found)] == [f"https://a.example/{number:02}" for number in range(12)]
        assert found.headers["content-type"].startswith("text/csv")
        assert found.headers["content-disposition"].startswith('attachment; filename="pagegrade-reports-')
        assert rows(of_bob) == []
        assert charlie.status_code == 303

    with_instance(tmp_path, script)


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many rows, read a part at a time."""
    monkeypatch.setattr("pagegrade.web.pages.reports.exports.MAX_ROWS", 6)
    monkeypatch.setattr("pagegrade.service.reports.operations.READ_AT_ONCE", 2)

    async def script(instance: Instance) -> None:
        for number in range(8):
            await instance.create(f"https://a.example/{number}")
        found = await instance.page("GET", "/reports/export.csv")

        assert [row["id"] for row in rows(found)] == ["8", "7", "6", "5", "4", "3"]

    with_instance(tmp_path, script)


def test_a_wrong_filter_is_left_out(tmp_path: Path) -> None:
    """As on the page that leads here."""

    async def script(instance: Instance) -> None:
        await instance.create()

        assert len(rows(await instance.page("GET", "/reports/export.csv?result=best"))) == 1

    with_instance(tmp_path, script)
