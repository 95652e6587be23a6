"""Actions on the ticked reports."""

from __future__ import annotations

import asyncio
import csv
import html
import io
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from pypdf import PdfReader
from sqlalchemy import update

from pagegrade.model.account import Brand
from pagegrade.model.report import Report
from pagegrade.service.container import Services
from pagegrade.service.reports import operations
from pagegrade.service.reports.views import Viewed
from pagegrade.store.repositories.accounts import save_brand
from pagegrade.store.schema.tables import accounts
from pagegrade.web import report_files
from pagegrade.web.pages.reports import bulk
from pagegrade.web.report_files import OF_SEVERAL, ZIPPED, make_file
from tests.report_builders import make_failed_report, make_passed, make_report
from tests.store_builders import add_owner
from tests.web.calling import REPORTS, Instance, with_instance


async def send(instance: Instance, action: str, *ids: int, **more: str) -> httpx.Response:
    """The answer to a list whose rows are ticked."""
    ticked = {f"report-{number}": "1" for number in ids}
    return await instance.page("POST", "/reports/selected", data={"deed": action, **ticked, **more})


async def states(instance: Instance) -> dict[int, str]:
    """Id -> state of Alice's reports."""
    answer = await instance.call("GET", "/api/v1/reports?per_page=100")
    return {each["id"]: each["state"] for each in answer.json()["data"]}


async def fill(instance: Instance) -> None:
    """Three finished reports."""
    for number in range(3):
        await instance.create(f"https://a.example/{number}")
    await instance.finish()


def test_deleting_asks_first(tmp_path: Path) -> None:
    """The question names what is ticked, and its answer deletes just that."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        question = await send(instance, "delete", 1, 3, back="search=a.example&page=2")
        before = await states(instance)
        done = await send(instance, "delete", 1, 3, sure="1", back="search=a.example&page=2")

        assert "Delete 2 reports?" in question.text
        assert "a.example/0" in question.text
        assert "a.example/1" not in question.text
        assert set(before) == {1, 2, 3}
        assert done.headers["location"] == "/reports?search=a.example&page=2&said=many_deleted"
        assert set(await states(instance)) == {2}

    with_instance(tmp_path, script)


def test_pages_are_analysed_again(tmp_path: Path) -> None:
    """Those that are ticked."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        done = await send(instance, "again", 2, 3)

        assert (done.status_code, done.headers["location"]) == (303, "/reports?said=many_again")
        assert await states(instance) == {1: "completed", 2: "queued", 3: "queued"}

    with_instance(tmp_path, script)


def test_without_room_for_all_none_is_analyzed(tmp_path: Path) -> None:
    """And the same reports stay ticked."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        instance.services.options = replace(instance.services.options, account_queue=1)
        answer = await send(instance, "again", 1, 2)

        assert answer.status_code == 429
        assert 'name="report-2"' in answer.text
        assert set((await states(instance)).values()) == {"completed"}

    with_instance(tmp_path, script)


@pytest.mark.parametrize("action", ["delete", "again", "format", ""])
def test_nothing_happens_to_nothing(tmp_path: Path, action: str) -> None:
    """No rows, rows that are no numbers, or no action."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        none = await send(instance, action, sure="1")
        strange = await send(instance, action, sure="1", **{"report-x": "1", f"report-{2**70}": "1", "report-99": "1"})
        unknown = await send(instance, "format", 1, sure="1")

        for answer in (none, strange, unknown):
            assert answer.headers["location"] == "/reports?said=none_selected"
        assert set((await states(instance)).values()) == {"completed"}

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "\r\nSet-Cookie: a=b", "%ff", "x=\u202e&said=made"]
)
def test_the_way_back_is_ours(tmp_path: Path, back: str) -> None:
    """Whatever the form says."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await send(instance, "again", 1, back=back)

        assert answer.headers["location"] == "/reports?said=many_again"

    with_instance(tmp_path, script)


def test_reports_of_others_cannot_be_ticked(tmp_path: Path) -> None:
    """Bob's ticks on Alice's reports tick nothing, Charlie's form is not heeded."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        sent = {"deed": "delete", "sure": "1", "report-1": "1"}
        of_bob = await instance.page("POST", "/reports/selected", account=bob, data=sent)
        charlie = await instance.call(
            "POST", "/reports/selected", key=None, data=sent, headers={"Sec-Fetch-Site": "same-origin"}
        )

        assert of_bob.headers["location"] == "/reports?said=none_selected"
        assert charlie.status_code == 401
        assert set(await states(instance)) == {1, 2, 3}

    with_instance(tmp_path, script)


async def document(instance: Instance, name: str, *ids: int) -> str:
    """The file about the ticked reports, as text."""
    answer = await send(instance, name, *ids)
    assert (answer.status_code, answer.headers["content-disposition"].partition(";")[0]) == (200, "attachment")
    return answer.text.removeprefix("\ufeff")


def test_an_officer_documents_ten_pages(tmp_path: Path) -> None:
    """Against EN 301 549: analyze, record what only a person can say, take the documents about all of them."""

    async def script(instance: Instance) -> None:
        for number in range(10):
            await instance.create(f"https://city.example/{number}")
        await instance.finish(make_report(make_passed("html-lang", state="declared")))
        ids = tuple(range(1, 11))
        for number in ids:
            found = {"number": "1.4.5", "outcome": "passed", "note": f"Seen on page {number}."}
            await instance.page("POST", f"/reports/{number}/criterion", data=found)
        for outcome, criterion in (("failed", "2.1.1"), ("not_applicable", "1.2.2")):
            found = {"number": criterion, "outcome": outcome, "note": "Only on the last page."}
            await instance.page("POST", "/reports/10/criterion", data=found)
        report = await document(instance, "conformance", *ids)
        statement = await document(instance, "statement", *ids)
        printed = await send(instance, "conformance-pdf", *ids)
        graph = json.loads(await document(instance, "earl", *ids))["@graph"]
        rows = list(csv.DictReader(io.StringIO(await document(instance, "criteria", *ids))))
        by_status = {
            (row["criterion"], row["status"])
            for row in rows
            if row["criterion"] in {"1.2.2", "1.4.5", "2.1.1", "3.1.1"}
        }

        for number in range(10):
            assert f"https://city.example/{number}" in report
            assert f"Seen on page {number + 1}." in report
        assert "Persons evaluated 3 criteria, whose rows name them" in report
        assert "Only on the last page." in statement
        assert statement.count("criteria A and AA evaluated by machine") == 10
        assert "9.2.1.1" in report
        assert len(rows) == 10 * 55
        pdf = "".join("".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(printed.content)).pages)
        assert all(f"https://city.example/{number}" in pdf for number in range(10))
        assert pdf.count("Seenonpage") == 10
        assert sum(node["@type"] == ["earl:TestSubject"] for node in graph) == 10
        assert sum(node.get("earl:mode", {}).get("@id") == "earl:manual" for node in graph) == 12
        assert by_status == {
            *(("1.4.5", "confirmed"), ("3.1.1", "passed")),
            *(("2.1.1", "failed"), ("2.1.1", "needs_person")),
            *(("1.2.2", "excluded"), ("1.2.2", "needs_person")),
        }

    with_instance(tmp_path, script)


@pytest.mark.parametrize("name", [*OF_SEVERAL, "zip-csv"])
def test_no_document_leaves_a_ticked_report_out(tmp_path: Path, name: str) -> None:
    """One without results yet is named by the list; nothing is exported as if it were all."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://a.example/waiting")
        done = await send(instance, name, 1, 4)
        shown = await instance.page("GET", done.headers["location"])

        assert (done.status_code, done.headers["location"]) == (303, "/reports?said=not_all_finished")
        assert "some of the ticked reports have no results yet" in shown.text

    with_instance(tmp_path, script)


def entries(answer: httpx.Response) -> dict[str, bytes]:
    """Name -> content of the files in the ZIP."""
    with ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        return {each.filename: archive.read(each) for each in archive.infolist()}


@pytest.mark.parametrize("name", ZIPPED)
def test_a_zip_has_a_file_of_each_ticked_report(tmp_path: Path, name: str) -> None:
    """As the report alone is exported, and under the same name."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await send(instance, f"zip-{name}", 1, 3)
        alone = [await instance.page("GET", f"/reports/{number}/export/{name}") for number in (1, 3)]
        found = entries(answer)

        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
        assert f"pagegrade-reports-{name}-" in answer.headers["content-disposition"]
        assert len(found) == 2
        for one, file in zip(alone, found, strict=True):
            assert f'filename="{file}"' in one.headers["content-disposition"]
        assert all("-run-1" in each for each in found)
        if name != "html":  # it says how long ago
            assert list(found.values()) == [one.content for one in alone]

    with_instance(tmp_path, script)


def test_reports_on_one_url_have_files_of_their_own(tmp_path: Path) -> None:
    """Also where names differ in nothing but case, which some file systems ignore."""

    async def script(instance: Instance) -> None:
        for _ in range(2):
            await instance.call("POST", REPORTS, data={"url": "https://a.example/plans", "reuse": "0"})
        await instance.finish()
        found = entries(await send(instance, "zip-csv", 1, 2))

        assert len({each.casefold() for each in found}) == 2
        assert sum("report-2" in each for each in found) == 1

    with_instance(tmp_path, script)


def test_a_zip_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what its files have before they are compressed; of one byte more nothing is sent, and the list says why."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        size = sum(len(each) for each in entries(await send(instance, "zip-csv", 1, 2, 3)).values())
        monkeypatch.setattr(report_files, "MAX_ZIPPED_BYTES", size)
        at_limit = await send(instance, "zip-csv", 1, 2, 3)
        monkeypatch.setattr(report_files, "MAX_ZIPPED_BYTES", size - 1)
        beyond = await send(instance, "zip-csv", 1, 2, 3)
        shown = await instance.page("GET", beyond.headers["location"])

        assert len(entries(at_limit)) == 3
        assert (beyond.status_code, beyond.headers["location"]) == (303, "/reports?said=too_large_exported")
        assert "Tick fewer reports" in shown.text

    with_instance(tmp_path, script)


def _counted(monkeypatch: pytest.MonkeyPatch, before: Callable[[], Awaitable[None]] | None = None) -> list[int]:
    """The ids of the reports whose files are made from now on; ``before`` runs ahead of each."""
    made: list[int] = []

    async def make(services: Services, viewed: Viewed, name: str, *, tag: str) -> tuple[Report, bytes] | None:
        made.append(viewed.report.id)
        if before is not None:
            await before()
        return await make_file(services, viewed, name, tag=tag)

    monkeypatch.setattr(bulk, "make_file", make)
    return made


def test_ticked_reports_are_one_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all of them, in their order, behind a list of their pages; at its limit, and not one byte beyond it."""
    added: list[int] = []
    encoded_report = report_files.encoded_report

    def measured(report: Report) -> bytes:
        added.append(len(encoded_report(report)))
        return encoded_report(report)

    async def script(instance: Instance) -> None:
        await fill(instance)
        monkeypatch.setattr(report_files, "encoded_report", measured)
        page = await instance.page("GET", "/projects")
        answer = await send(instance, "joined-pdf", 1, 3)
        monkeypatch.setattr(bulk, "MAX_JOINED", 1)
        too_many = await send(instance, "joined-pdf", 1, 3)
        monkeypatch.setattr(bulk, "MAX_JOINED", 2)
        monkeypatch.setattr(report_files, "MAX_ZIPPED_BYTES", sum(added))
        at_limit = await send(instance, "joined-pdf", 1, 3)
        monkeypatch.setattr(report_files, "MAX_ZIPPED_BYTES", sum(added[:2]) - 1)
        beyond = await send(instance, "joined-pdf", 1, 3)
        await instance.create("https://a.example/waiting")
        waiting = await send(instance, "joined-pdf", 1, 4)
        pages = [each.extract_text() for each in PdfReader(io.BytesIO(answer.content)).pages]
        listed = ["https://a.example/0", "https://a.example/2"]
        begins = [pages[int(number) - 1] for number in re.findall(r"decent (\d+)", pages[0])]

        assert '<button class="button quiet small" name="deed" value="joined-pdf">One PDF</button>' in page.text
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        assert re.search(r'filename="pagegrade-reports[^"]*\.pdf"', answer.headers["content-disposition"])
        assert "Reports on 2 pages" in pages[0]
        assert re.findall(r"https://a\.example/\d", pages[0]) == listed
        assert [url in begin for url, begin in zip(listed, begins, strict=True)] == [True, True]
        assert too_many.headers["location"] == "/reports?said=too_many_joined"
        assert at_limit.status_code == 200
        assert beyond.headers["location"] == "/reports?said=too_large_exported"
        assert waiting.headers["location"] == "/reports?said=not_all_finished"

    with_instance(tmp_path, script)


def test_one_pdf_has_the_language_and_the_look_of_its_workspace(tmp_path: Path) -> None:
    """As the PDF of one report."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        brand = Brand(name="Acme", footer="Acme Ltd., London")
        instance.services.database.write_here(lambda tx: save_brand(tx, instance.alice.id, brand))
        instance.services.database.write_here(lambda tx: tx.execute(update(accounts).values(locale="de")))
        answer = await send(instance, "joined-pdf", 1, 3)
        text = "".join(each.extract_text() for each in PdfReader(io.BytesIO(answer.content)).pages)

        assert "Berichte über 2 Seiten" in text
        assert "Acme Ltd., London" in text

    with_instance(tmp_path, script)


def test_one_pdf_of_too_many_says_its_own_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of other files, which is higher, and met second by who ticks fewer."""
    monkeypatch.setattr(bulk, "MAX_JOINED", 1)
    monkeypatch.setattr(bulk, "MAX_DOCUMENTED", 2)

    async def script(instance: Instance) -> list[str]:
        await fill(instance)
        return [(await send(instance, deed, 1, 2, 3)).headers["location"] for deed in ("joined-pdf", "zip-csv", "earl")]

    assert with_instance(tmp_path, script) == [
        "/reports?said=too_many_joined",
        "/reports?said=too_many_exported",
        "/reports?said=too_many_exported",
    ]


@pytest.mark.parametrize("name", [*OF_SEVERAL, *(f"zip-{each}" for each in ZIPPED), "joined-pdf"])
def test_what_becomes_of_pages_that_could_not_be_analyzed(tmp_path: Path, name: str) -> None:
    """Files have them, besides one PDF, which says so rather than that results will come; earlier results do."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
        await instance.finish(make_failed_report("dns", url="https://a.example/0"))
        earlier = await send(instance, name, 1, 2)
        await instance.create("https://a.example/failed")
        await instance.finish(make_failed_report("dns", url="https://a.example/failed", page=None, final_url=None))
        failed = await send(instance, name, 1, 4)

        assert earlier.status_code == 200
        if name != "joined-pdf":
            assert failed.status_code == 200
        else:
            assert failed.headers["location"] == "/reports?said=some_failed"
            shown = await instance.page("GET", failed.headers["location"])
            assert "some of these pages could not be analyzed" in shown.text

    with_instance(tmp_path, script)


def test_an_account_gets_one_zip_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second browser learns when to ask again; the place is given back, also by one that was too large."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        meanwhile: list[httpx.Response] = []

        async def ask() -> None:
            meanwhile.extend([await send(instance, deed, 3) for deed in ("zip-csv", "joined-pdf")])

        with monkeypatch.context() as patch:
            _counted(patch, ask)
            first = await send(instance, "zip-csv", 1, 2)
        with monkeypatch.context() as patch:
            patch.setattr(report_files, "MAX_ZIPPED_BYTES", 1)
            too_large = await send(instance, "zip-csv", 1, 2)
        later = await send(instance, "zip-csv", 1, 2)

        assert [(each.status_code, each.headers["retry-after"]) for each in meanwhile] == [(429, "5")] * 4
        assert all("one ZIP or PDF" in each.text for each in meanwhile)
        assert (first.status_code, too_large.status_code, later.status_code) == (200, 303, 200)

    with_instance(tmp_path, script)


def test_a_zip_that_cannot_be_whole_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is made if the last report has no results; one that failed has a file."""
    made = _counted(monkeypatch)

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://a.example/failed")
        await instance.finish(make_failed_report("dns", page=None, final_url=None))
        await instance.create("https://a.example/waiting")
        unfinished = await send(instance, "zip-csv", 1, 2, 3, 5)
        begun = list(made)
        failed = await send(instance, "zip-csv", 1, 4)

        assert unfinished.headers["location"] == "/reports?said=not_all_finished"
        assert begun == []
        assert len(entries(failed)) == 2

    with_instance(tmp_path, script)


@pytest.mark.parametrize(("deleted", "status"), [((2, 3), 404), ((1, 2, 3), 303)])
def test_no_zip_leaves_a_deleted_report_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deleted: tuple[int, ...], status: int
) -> None:
    """Of reports that are deleted while the ZIP is made, nothing is sent as if it were all, nor an empty ZIP."""

    async def script(instance: Instance) -> None:
        await fill(instance)

        async def delete() -> None:
            for number in deleted:
                await instance.call("DELETE", f"/api/v1/reports/{number}")

        _counted(monkeypatch, delete)
        answer = await send(instance, "zip-csv", 1, 2, 3)

        assert answer.status_code == status
        assert answer.headers.get("location") == ("/reports?said=none_selected" if status == 303 else None)

    with_instance(tmp_path, script)


def test_a_zip_that_nobody_waits_for_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the file at which the browser hung up, and without an answer; the next one is made."""

    async def script(instance: Instance) -> list[MutableMapping[str, Any]]:
        await fill(instance)
        form: list[MutableMapping[str, Any]] = [
            {"type": "http.request", "body": b"deed=zip-csv&report-1=1&report-2=1&report-3=1"}
        ]
        left = asyncio.Event()

        async def leave() -> None:
            left.set()

        made = _counted(monkeypatch, leave)
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            if form:
                return form.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send_on(event: MutableMapping[str, Any]) -> None:
            sent.append(event)

        headers = {**await instance.sign_in(), "Content-Type": "application/x-www-form-urlencoded"}
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/reports/selected",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        }
        await instance.app(scope, receive, send_on)
        begun = list(made)
        later = await send(instance, "zip-csv", 1, 2, 3)

        assert begun == [1]
        assert len(entries(later)) == 3
        return sent

    assert with_instance(tmp_path, script) == []


def test_a_site_is_exported_as_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All its reports up to the limit, without a question; of one report more nothing is left out quietly."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://b.example/")
        await instance.finish()
        page = await instance.page("GET", "/projects")
        monkeypatch.setattr(bulk, "MAX_DOCUMENTED", 3)
        at_limit = await send(instance, "zip-md", **{"site-a.example": "1", "back": "/projects"})
        monkeypatch.setattr(bulk, "MAX_DOCUMENTED", 2)
        beyond = await send(instance, "zip-md", **{"site-a.example": "1", "back": "/projects"})

        assert 'name="deed" value="zip-md"' in page.text
        assert [name.startswith("pagegrade-a.example-") for name in entries(at_limit)] == [True] * 3
        assert beyond.headers["location"] == "/projects?said=too_many_exported"

    with_instance(tmp_path, script)


def test_who_may_see_reports_is_changed_after_a_question(tmp_path: Path) -> None:
    """Of the ticked ones; anything but public is private, and a password is none of the choices."""

    async def script(instance: Instance) -> None:
        await fill(instance)

        async def levels() -> list[int]:
            return [(await instance.call("GET", f"/api/v1/reports/{n}")).json()["data"]["privacy"] for n in (1, 2, 3)]

        question = await send(instance, "privacy", 1, 3)
        before = await levels()
        done = await send(instance, "privacy", 1, 3, sure="1", privacy="1")
        hidden = await levels()
        await send(instance, "privacy", 3, sure="1", privacy="0")
        shown = await levels()
        await send(instance, "privacy", 3, sure="1", privacy="2")

        assert "Who may see 2 reports?" in question.text
        assert 'id="privacy-1"' in question.text
        assert 'id="privacy-2"' not in question.text
        assert done.headers["location"] == "/reports?said=many_shared"
        assert (before, hidden, shown, await levels()) == ([0, 0, 0], [1, 0, 1], [1, 0, 0], [1, 0, 1])

    with_instance(tmp_path, script)


def test_pages_are_monitored_after_a_question(tmp_path: Path) -> None:
    """One that has a monitor keeps it, and with too few left none is made."""

    async def script(instance: Instance) -> None:
        await fill(instance)

        async def monitors() -> list[tuple[int, str, str]]:
            found = (await instance.call("GET", "/api/v1/monitors")).json()["data"]
            return [(each["report_id"], each["schedule"], each["remind"]) for each in reversed(found)]

        await instance.call("POST", "/api/v1/monitors", json={"report_id": 2, "schedule": "monthly"})
        question = await send(instance, "monitor", 1, 2)
        done = await send(instance, "monitor", 1, 2, sure="1", schedule="weekly", remind="daily")
        made = await monitors()
        refused = await send(instance, "monitor", 1, 2, 3, sure="1", schedule="daily")

        assert "Monitor 2 pages" in question.text
        assert done.headers["location"] == "/reports?said=many_monitored"
        assert made == [(2, "monthly", "never"), (1, "weekly", "daily")]
        assert refused.status_code == 429
        assert await monitors() == made

    with_instance(tmp_path, script, max_monitors=2)


def test_what_others_have_is_neither_shared_nor_monitored(tmp_path: Path) -> None:
    """It counts as not ticked."""

    async def script(instance: Instance) -> None:
        _, key = add_owner(instance.services.database, "Bob")
        await instance.call("POST", "/api/v1/reports", data={"url": "https://b.example/"}, key=key)
        for action in ("privacy", "monitor"):
            answer = await send(instance, action, 1, sure="1", privacy="1")
            assert answer.headers["location"] == "/reports?said=none_selected"
        report = (await instance.call("GET", "/api/v1/reports/1", key=key)).json()["data"]
        assert report["privacy"] == 0

    with_instance(tmp_path, script)


def test_showing_what_needs_an_access_profile_is_asked_for(tmp_path: Path) -> None:
    """As in the settings of one report; nothing is saved before."""

    async def script(instance: Instance) -> None:
        staging = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}
        await instance.call("POST", "/api/v1/access-profiles", json=staging)
        for url in ("https://staging.example/x", "https://example.com/"):
            await instance.create(url)

        async def levels() -> list[int]:
            return [(await instance.call("GET", f"/api/v1/reports/{n}")).json()["data"]["privacy"] for n in (1, 2)]

        await send(instance, "privacy", 2, sure="1", privacy="1")
        asked = await send(instance, "privacy", 1, 2, sure="1", privacy="0")
        before = await levels()
        other = await send(instance, "privacy", 2, sure="1", privacy="0")
        done = await send(instance, "privacy", 1, 2, sure="1", privacy="0", share_anyway="1")

        assert (asked.status_code, before) == (422, [1, 1])
        assert 'name="share_anyway"' in asked.text
        assert [other.status_code, done.status_code] == [303, 303]
        assert await levels() == [0, 0]

    with_instance(tmp_path, script)


async def send_form(instance: Instance, **sent: str) -> httpx.Response:
    """The answer to a list with these fields."""
    return await instance.page("POST", "/reports/selected", data=sent)


def hidden(answer: httpx.Response) -> dict[str, str]:
    """Fields that the question sends back."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', answer.text)
    return {html.unescape(name): html.unescape(value) for name, value in found}


def test_all_that_a_list_finds_are_taken_after_a_question(tmp_path: Path) -> None:
    """The answer is about just those that were found then, whatever was added since."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://b.example/")
        await instance.finish()
        question = await send_form(instance, deed="again", all="1", back="search=a.example&per_page=10")
        before = await states(instance)
        await instance.create("https://a.example/later")
        done = await send_form(instance, **hidden(question))

        assert "Analyze 3 pages again" in question.text
        assert set(before.values()) == {"completed"}
        assert done.headers["location"] == "/reports?search=a.example&said=many_again"
        assert await states(instance) == {1: "queued", 2: "queued", 3: "queued", 4: "completed", 5: "queued"}

    with_instance(tmp_path, script)


def test_so_many_are_taken_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question says that there are more, and documents are not made of a part."""
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    monkeypatch.setattr(bulk, "LISTED", 1)
    monkeypatch.setattr(bulk, "MAX_DOCUMENTED", 2)
    monkeypatch.setattr(operations, "READ_AT_ONCE", 2)

    async def script(instance: Instance) -> None:
        await fill(instance)
        cut = await send_form(instance, deed="delete", all="1", back="")
        whole = await send_form(instance, deed="delete", all="1", back="search=example/1")
        refused = await send_form(instance, deed="conformance", all="1", back="")

        assert "Delete 2 reports?" in cut.text
        assert "More were found." in cut.text
        assert "and 1 more" in cut.text
        assert len([name for name in hidden(cut) if name.startswith("report-")]) == 2
        assert "Delete 1 report?" in whole.text
        assert "More were found." not in whole.text
        assert refused.headers["location"] == "/reports?said=too_many_exported"

    with_instance(tmp_path, script)


@pytest.mark.parametrize("deed", ["again", "privacy", "monitor", "delete"])
def test_reports_of_ticked_sites_are_taken_after_a_question(tmp_path: Path, deed: str) -> None:
    """Of those sites alone, and the way leads back to the sites."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://b.example/")
        await instance.create("https://c.example:8443/")
        await instance.finish()
        ticked = {"site-b.example": "1", "site-c.example:8443": "1", "site-unknown.example": "1", "site-": "1"}
        listed = await instance.page("GET", "/projects")
        question = await send_form(instance, deed=deed, back="/projects", **ticked)
        done = await send_form(instance, **hidden(question))
        told = await instance.page("GET", done.headers["location"])

        assert all(f'name="{name}"' in listed.text for name in ("site-b.example", "site-c.example:8443"))
        assert [name for name in hidden(question) if name.startswith("report-")] == ["report-4", "report-5"]
        assert 'href="/projects"' in question.text
        assert done.headers["location"].startswith("/projects?said=many_")
        assert 'role="status"' in told.text
        after = await states(instance)
        assert after == {1: "completed", 2: "completed", 3: "completed"} | (
            {} if deed == "delete" else dict.fromkeys((4, 5), "queued" if deed == "again" else "completed")
        )

    with_instance(tmp_path, script)


def test_sites_of_others_cannot_be_ticked(tmp_path: Path) -> None:
    """Nothing is found there, and nothing is done."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])
        sent = {"deed": "delete", "back": "/projects", "site-a.example": "1"}
        answer = await instance.call("POST", "/reports/selected", key=None, headers=bob, data=sent)
        whole = {"deed": "delete", "all": "1", "back": ""}
        all_of_his = await instance.call("POST", "/reports/selected", key=None, headers=bob, data=whole)

        assert answer.headers["location"] == "/projects?said=none_selected"
        assert all_of_his.headers["location"] == "/reports?said=none_selected"
        assert set(await states(instance)) == {1, 2, 3}

    with_instance(tmp_path, script)


def test_ticked_sites_get_and_lose_tags(tmp_path: Path) -> None:
    """After a question, back to the list as it was; what is wrong is said there, and nothing is saved."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.create("https://b.example/")
        await instance.call("PUT", "/api/v1/projects/b.example", json={"tags": ["old", "kept"]})
        back = "/projects?search=example&sort=desc"
        ticked = {"site-a.example": "1", "site-b.example": "1", "site-unknown.example": "1"}
        question = await send_form(instance, deed="tag", back=back, **ticked)
        refused = await send_form(instance, **hidden(question), add="x" * 41)
        done = await send_form(instance, **hidden(question), add="Shop, client a,,", **{"remove-old": "1"})
        told = await instance.page("GET", done.headers["location"])
        listed = (await instance.call("GET", "/api/v1/projects")).json()["data"]

        assert "Tags of 2 sites" in question.text
        assert 'name="remove-old"' in question.text
        assert "unknown.example" not in question.text
        assert (refused.status_code, "A tag is too long" in refused.text) == (422, True)
        assert done.headers["location"] == "/projects?search=example&sort=desc&said=many_tagged"
        assert "The tags of the sites were saved." in told.text
        assert {each["project"]: each["tags"] for each in listed} == {
            "a.example": ["client a", "shop"],
            "b.example": ["client a", "kept", "shop"],
        }

    with_instance(tmp_path, script)


def test_all_sites_that_a_list_finds_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their tags, or their reports; of more than are taken at once the first, which is said."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        for name in ("b.example", "c.example", "other.org"):
            await instance.create(f"https://{name}/")
        await instance.finish()
        whole = {"all": "1", "back": "/projects?search=.example&per_page=10"}
        tags = await send_form(instance, deed="tag", **whole)
        reports = await send_form(instance, deed="again", **whole)
        monkeypatch.setattr(bulk, "AT_ONCE", 2)
        cut = await send_form(instance, deed="tag", **whole)
        none = await send_form(instance, deed="tag", all="1", back="/projects?search=nothing")

        assert "Tags of 3 sites" in tags.text
        assert "Analyze 5 pages again" in reports.text
        assert "other.org" not in tags.text + reports.text
        assert ("Tags of 2 sites" in cut.text, "More were found." in cut.text) == (True, True)
        assert none.headers["location"] == "/projects?search=nothing&said=no_sites"

    with_instance(tmp_path, script)


def test_sites_of_others_get_no_tags(tmp_path: Path) -> None:
    """Neither ticked nor all."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])
        for more in ({"site-a.example": "1"}, {"all": "1"}):
            sent = {"deed": "tag", "sure": "1", "add": "his", "back": "/projects", **more}
            answer = await instance.call("POST", "/reports/selected", key=None, headers=bob, data=sent)

            assert answer.headers["location"] == "/projects?said=no_sites"
        shown = await instance.call("GET", "/api/v1/projects/a.example")
        assert shown.json()["data"]["tags"] == []

    with_instance(tmp_path, script)
