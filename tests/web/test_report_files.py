"""A report as a file, asked for with the key: by ``Accept`` or by ``format``."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import view_found
from pagegrade.web.report_files import make_file
from tests.share_builders import add_shared, seen
from tests.store_builders import NOW_MS, add_owner, make_database
from tests.web.calling import REPORTS, Instance, with_instance

KINDS = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "md": "text/markdown",
    "html": "text/html",
    "sarif": "application/sarif+json",
    "earl": "application/ld+json",
}
CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


async def finished(instance: Instance) -> None:
    """One report with results, and one without."""
    await instance.create()
    await instance.finish()
    await instance.create("https://later.example/")


def media_type(answer: httpx.Response) -> str:
    """Without its parameters."""
    return answer.headers["content-type"].partition(";")[0]


@pytest.mark.parametrize("name", KINDS)
def test_a_format_is_asked_for_in_two_ways(tmp_path: Path, name: str) -> None:
    """The same file both times, with a tag of its own by which it is not sent again."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await finished(instance)
        path = f"{REPORTS}/1"
        by_accept = await instance.call("GET", path, headers={"Accept": KINDS[name]})
        by_name = await instance.call("GET", f"{path}?format={name}", headers={"Accept": "application/json"})
        again = {"Accept": KINDS[name], "If-None-Match": by_accept.headers["etag"]}
        return [by_accept, by_name, await instance.call("GET", path, headers=again), await instance.call("GET", path)]

    by_accept, by_name, again, as_json = with_instance(tmp_path, script)
    tags = {answer.headers["etag"] for answer in (by_accept, by_name, again)}

    assert [answer.status_code for answer in (by_accept, by_name, again, as_json)] == [200, 200, 304, 200]
    assert media_type(by_accept) == media_type(by_name) == KINDS[name]
    assert name == "pdf" or by_accept.content == by_name.content
    assert by_accept.headers["content-disposition"].startswith('attachment; filename="pagegrade-example.com-')
    assert len(tags) == 1
    assert as_json.headers["etag"] not in tags
    assert "accept" in by_accept.headers["vary"].lower()


def test_markdown_has_two_names(tmp_path: Path) -> None:
    """The ending of its files and the word."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await finished(instance)
        return [await instance.call("GET", f"{REPORTS}/1?format={name}") for name in ("md", "markdown")]

    short, long = with_instance(tmp_path, script)

    assert (short.status_code, long.content) == (200, short.content)


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        CHROME,
        "application/json",
        "application/json, text/plain, */*",
        "application/*",
        "text/html;q=0.5, application/json",
        "text/csv;q=0.9, application/json;q=0.9",
        "x" * 5_000,
    ],
)
def test_json_is_the_default(tmp_path: Path, accept: str | None) -> None:
    """Programs that say nothing, that take anything, and browsers."""

    async def script(instance: Instance) -> httpx.Response:
        await finished(instance)
        return await instance.client.get(
            f"{REPORTS}/1",
            headers={"Authorization": f"Bearer {instance.key}", **({} if accept is None else {"Accept": accept})},
        )

    assert media_type(with_instance(tmp_path, script)) == "application/json"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/csv, application/json;q=0.5", "text/csv"),
        ("text/csv;q=0.9, application/sarif+json, */*;q=0.1", "application/sarif+json"),
        ("text/html", "text/html"),
        ("text/html;q=0.2, text/markdown;q=0.1", "text/html"),
    ],
)
def test_what_is_clearly_preferred_is_sent(tmp_path: Path, accept: str, kind: str) -> None:
    """By its weight."""

    async def script(instance: Instance) -> httpx.Response:
        await finished(instance)
        return await instance.call("GET", f"{REPORTS}/1", headers={"Accept": accept})

    assert media_type(with_instance(tmp_path, script)) == kind


def test_what_cannot_be_sent_is_a_problem_in_json(tmp_path: Path) -> None:
    """No results yet, no such report, of others, a format there is not, nothing that is taken, a list."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await finished(instance)
        bob = instance.add_bob()
        csv = {"Accept": "text/csv"}
        return [
            await instance.call("GET", f"{REPORTS}/2", headers=csv),
            await instance.call("GET", f"{REPORTS}/9", headers=csv),
            await instance.call("GET", f"{REPORTS}/1", headers=csv, key=bob),
            await instance.call("GET", f"{REPORTS}/1?format=docx"),
            await instance.call("GET", f"{REPORTS}/1", headers={"Accept": "image/png"}),
            await instance.call("GET", REPORTS, headers=csv),
            await instance.call("GET", f"{REPORTS}/1", headers=csv, key=None),
        ]

    answers = with_instance(tmp_path, script)

    assert [answer.status_code for answer in answers] == [404, 404, 404, 422, 406, 406, 401]
    assert {media_type(answer) for answer in answers} == {"application/problem+json"}
    assert answers[0].headers["retry-after"] == "2"


def test_the_files_say_what_the_report_says(tmp_path: Path) -> None:
    """Each in its own form, the CSV with the number of the report."""

    async def script(instance: Instance) -> dict[str, httpx.Response]:
        await finished(instance)
        return {name: await instance.call("GET", f"{REPORTS}/1?format={name}") for name in ("json", *KINDS)}

    files = with_instance(tmp_path, script)
    url = files["json"].json()["data"]["url"]

    assert files["pdf"].content.startswith(b"%PDF-")
    assert json.loads(files["sarif"].content)["version"] == "2.1.0"
    assert all(url in files[name].text for name in ("csv", "md", "html"))
    assert files["html"].headers["content-security-policy"].startswith("default-src 'none'")


def test_a_json_file_for_others_says_what_they_may_know(tmp_path: Path) -> None:
    """Neither the number of the report nor values of its address; its owner gets what the API sends."""
    database = make_database(tmp_path)
    services = Services(database=database, options=ServiceOptions(base_url="https://reports.example.org"))
    report = add_shared(database, add_owner(database)[0], now_ms=NOW_MS, outcome=seen())

    def exported(*, masked: bool, number: int | None = None) -> dict[str, Any]:
        viewed = database.read_here(lambda tx: view_found(tx, report, masked=masked, number=number))
        _, body = asyncio.run(make_file(services, viewed, "json")) or (None, b"null")
        members: dict[str, Any] = json.loads(body)
        return members

    others, own, run = exported(masked=True), exported(masked=False), exported(masked=False, number=1)
    database.close()

    assert "s3cr3t" not in str(others)
    assert (others["id"], others["privacy"], others["run"]["number"]) == (None, None, 1)
    assert others["share_url"] == own["share_url"] == f"https://reports.example.org/r/{report.slug}"
    assert (own["id"], own["url"], own["privacy"]) == (report.id, report.url, 0)
    assert set(others) == set(own) == set(run)
    assert (run["id"], run["score"], run["run"]["number"]) == (report.id, 79, 1)


def test_nothing_is_exported_before_there_is_anything(tmp_path: Path) -> None:
    """While the first run waits or works."""
    database = make_database(tmp_path)
    report = add_shared(database, add_owner(database)[0], now_ms=NOW_MS)
    viewed = database.read_here(lambda tx: view_found(tx, report, masked=True))
    made = asyncio.run(make_file(Services(database=database, options=ServiceOptions()), viewed, "json"))
    database.close()

    assert made is None


def test_an_installation_without_typst_says_how_to_get_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is asked for; other formats are not concerned."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await finished(instance)
        monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed
        path = f"{REPORTS}/1"
        return [
            await instance.call("GET", f"{path}?format=pdf"),
            await instance.call("GET", path, headers={"Accept": "application/pdf"}),
            await instance.call("GET", f"{path}?format=csv"),
        ]

    by_name, by_accept, other = with_instance(tmp_path, script)

    assert other.status_code == 200
    for answer in (by_name, by_accept):
        assert (answer.status_code, answer.json()["code"]) == (501, "pdf_not_installed")
        assert "pagegrade[pdf]" in answer.json()["detail"]


def test_a_prompt_is_markdown_by_name_only(tmp_path: Path) -> None:
    """``Accept: text/markdown`` stays the whole report; the prompt for agents has a tag of its own."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await finished(instance)
        return [await instance.call("GET", f"{REPORTS}/1?format={name}") for name in ("md", "prompt")]

    whole, prompt = with_instance(tmp_path, script)

    assert media_type(prompt) == "text/markdown"
    assert prompt.text.startswith("# Fix ")
    assert prompt.headers["content-disposition"].endswith(".md")
    assert prompt.headers["etag"] != whole.headers["etag"]
