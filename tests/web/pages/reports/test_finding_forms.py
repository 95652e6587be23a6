"""The form in which a person records the result of a success criterion."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Role
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import MAX_NOTE
from pagegrade.service.administration import erase_part
from pagegrade.store.repositories.accounts import mark_erasing
from pagegrade.store.repositories.credentials import list_sessions, save_workspace
from pagegrade.store.repositories.decisions import add_ignore
from pagegrade.store.repositories.members import add_membership
from tests.report_builders import make_passed, make_report
from tests.store_builders import NOW_MS, add_owner
from tests.web.calling import Instance, with_instance
from tests.web.pages.account.test_account_page import DETAILS

FORM = "/reports/1/criterion"
FAILED = {"number": "1.4.5", "outcome": "failed", "note": "The banner is an image of text.", "evidence": "banner.png"}


async def finished(instance: Instance, *, title: str = "Pricing") -> None:
    """A page in which tests of one criterion found no failure."""
    report = make_report(make_passed("html-lang", state="declared"))
    assert report.page is not None
    await instance.finish(replace(report, page=replace(report.page, title=title)))


async def exported(instance: Instance, name: str) -> str:
    """The report in a format for people or programs."""
    return (await instance.call("GET", f"/api/v1/reports/1?format={name}")).text


async def row_of(instance: Instance, number: str) -> dict[str, str]:
    """The row of a criterion in the table."""
    text = await exported(instance, "criteria")
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    return next(row for row in rows if row["criterion"] == number)


def test_a_result_is_in_the_view_and_every_export(tmp_path: Path) -> None:
    """With who recorded it, why and when; the log of the workspace has that it was recorded."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        before = await instance.call("GET", "/api/v1/reports/1?format=criteria")
        answer = await instance.page("POST", FORM, data=FAILED)
        view = (await instance.page("GET", answer.headers["location"])).text
        changed = {"If-None-Match": before.headers["etag"]}
        after = await instance.call("GET", "/api/v1/reports/1?format=criteria", headers=changed)
        row = await row_of(instance, "1.4.5")
        graph = json.loads(await exported(instance, "earl"))["@graph"]
        by_person = [node for node in graph if node.get("earl:mode") == {"@id": "earl:manual"}]
        log = (await instance.page("GET", "/team/log")).text

        assert (answer.status_code, answer.headers["location"]) == (303, "/reports/1?view=criteria#criterion-1.4.5")
        assert "The banner is an image of text. Evidence: banner.png" in view
        assert '<tr id="criterion-1.4.5">' in view
        assert 'href="/reports/1/criterion?number=1.4.5"' in view
        assert after.status_code == 200  # the export of before is not taken for this one
        assert (row["status"], row["manual"], row["manual_author"]) == ("failed", "failed", instance.alice.name)
        assert (row["manual_evidence"], row["manual_stale"]) == ("banner.png", "no")
        assert [node["earl:result"]["earl:outcome"]["@id"] for node in by_person] == ["earl:failed"]
        assert by_person[0]["earl:assertedBy"]["dct:title"] == instance.alice.name
        for name in ("conformance", "statement"):
            assert "The banner is an image of text." in await exported(instance, name)
        assert "Record the result of a success criterion" in log

    with_instance(tmp_path, script)


def test_readers_of_the_share_page_see_no_result(tmp_path: Path) -> None:
    """Names and notes stay with the members; the page of the link says what the tests say."""

    async def script(instance: Instance) -> None:
        report = await instance.create("https://example.com/pricing", privacy=0)
        await finished(instance)
        await instance.page("POST", FORM, data=FAILED)
        slug = report["share_url"].rpartition("/")[2]
        instance.client.cookies.clear()
        shared = (await instance.call("GET", f"/r/{slug}?view=criteria", key=None)).text

        assert "1.4.5" in shared
        assert "The banner" not in shared
        assert "/criterion" not in shared

    with_instance(tmp_path, script)


def test_a_result_is_stale_when_the_page_has_changed(tmp_path: Path) -> None:
    """Then it decides nothing and says so, until a person looks again; a run of the same page changes nothing."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        await instance.page("POST", FORM, data={**FAILED, "number": "3.1.1", "outcome": "passed"})
        states = []
        for title in ("Pricing", "Prices"):
            await instance.call("PUT", "/api/v1/reports/1", data={"results": "1"})
            await finished(instance, title=title)
            row = await row_of(instance, "3.1.1")
            states.append((row["status"], row["manual_stale"]))
        shown = (await instance.page("GET", f"{FORM}?number=3.1.1")).text

        assert states == [("confirmed", "no"), ("passed", "yes")]
        assert "has changed since: look at it again" in shown

    with_instance(tmp_path, script)


def test_a_result_is_taken_back(tmp_path: Path) -> None:
    """The criterion is as the tests left it."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        await instance.page("POST", FORM, data=FAILED)
        await instance.page("POST", FORM, data={"number": "1.4.5", "deed": "remove"})
        row = await row_of(instance, "1.4.5")

        assert (row["status"], row["manual"]) == ("needs_person", "")

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({**FAILED, "outcome": ""}, "Choose what you found."),
        ({**FAILED, "note": " "}, "Say what fails, or why the criterion does not apply."),
        ({**FAILED, "note": "x" * (MAX_NOTE + 1)}, "The note is too long."),
        ({**FAILED, "evidence": "x" * (MAX_NOTE + 1)}, "The evidence is too long."),
    ],
)
def test_a_form_that_cannot_be_used_is_shown_again(tmp_path: Path, sent: dict[str, str], sentence: str) -> None:
    """With what was typed, and the reason at its field."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        answer = await instance.page("POST", FORM, data=sent)

        assert answer.status_code == 422
        assert sentence in answer.text
        assert (await row_of(instance, "1.4.5"))["manual"] == ""

    with_instance(tmp_path, script)


def test_a_note_may_be_as_long_as_the_limit(tmp_path: Path) -> None:
    """Its last character is kept."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        note = "x" * (MAX_NOTE - 1) + "y"
        await instance.page("POST", FORM, data={**FAILED, "note": note})

        assert (await row_of(instance, "1.4.5"))["manual_note"] == note

    with_instance(tmp_path, script)


@pytest.mark.parametrize("number", ["", "1.1.1.1", "4.1.1"])
def test_there_is_no_form_for_other_criteria(tmp_path: Path, number: str) -> None:
    """Those of level AAA and those that WCAG 2.2 has no more have no row."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        asked = await instance.page("GET", f"{FORM}?number={number}")
        sent = await instance.page("POST", FORM, data={**FAILED, "number": number})

        assert (asked.status_code, sent.status_code) == (404, 404)

    with_instance(tmp_path, script)


def test_an_erased_person_is_named_nowhere(tmp_path: Path) -> None:
    """Their results stay with the workspace, by an account that is gone."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        await instance.create("https://example.com/pricing")
        await finished(instance)
        bob, _ = add_owner(database, "Bob Unforgettable")
        database.write_here(lambda tx: add_membership(tx, instance.alice.id, bob.id, Role.EDITOR, NOW_MS))
        headers = await instance.sign_in(bob)
        for session in database.read_here(lambda tx: list_sessions(tx, bob.id)):
            database.write_here(lambda tx, opened=session: save_workspace(tx, opened.id, instance.alice.id))  # type: ignore[misc]
        answer = await instance.call("POST", FORM, key=None, headers=headers, data=FAILED)
        by_bob = await exported(instance, "conformance")
        database.write_here(lambda tx: mark_erasing(tx, bob.id, NOW_MS))
        database.write_here(lambda tx: erase_part(tx, bob.id))
        after = await exported(instance, "conformance")

        assert answer.status_code == 303
        assert "recorded by Bob Unforgettable" in by_bob
        assert "Unforgettable" not in after
        assert "recorded by a deleted account" in after

    with_instance(tmp_path, script)


def test_a_deleted_report_takes_its_results_along(tmp_path: Path) -> None:
    """No row of them is left."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/pricing")
        await finished(instance)
        await instance.page("POST", FORM, data=FAILED)
        count = "SELECT count(*) FROM manual_results"
        database = instance.services.database
        before = database.read_here(lambda tx: tx.exec_driver_sql(count).scalar_one())
        await instance.call("DELETE", "/api/v1/reports/1")

        assert before == 1
        assert database.read_here(lambda tx: tx.exec_driver_sql(count).scalar_one()) == 0

    with_instance(tmp_path, script)


async def add(instance: Instance, rule: IgnoreRule) -> None:
    """Store a rule of Alice."""
    await instance.services.database.write(
        lambda tx: add_ignore(tx, instance.alice.id, rule, report_id=None, now_ms=now_ms())
    )


def test_rules_are_listed_with_what_they_cover(tmp_path: Path) -> None:
    """Hostile texts are text; an expired rule is marked; a check that is gone keeps its id."""

    async def script(instance: Instance) -> None:
        empty = (await instance.page("GET", "/ignores")).text
        await add(
            instance, IgnoreRule(check="title", reason="<b>later</b>", selector=".a & .b", project="shop.example")
        )
        await add(instance, IgnoreRule(check="gone-check", reason="x", expires_at=datetime(2020, 1, 2, tzinfo=UTC)))
        page = (await instance.page("GET", "/ignores")).text

        assert "No ignore rules yet" in empty
        assert "&lt;b&gt;later&lt;/b&gt;" in page
        assert ".a &amp; .b" in page
        assert 'href="/reports?project=shop.example"' in page
        assert 'href="/checks/title"' in page
        assert "gone-check" in page
        assert 'href="/checks/gone-check"' not in page
        assert "Expired" in page

    with_instance(tmp_path, script)


def test_checks_are_named_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """As their reports name them; an id is no word."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/account", data={**DETAILS, "locale": "de"})
        await add(instance, IgnoreRule(check="title", reason="x"))
        await add(instance, IgnoreRule(check="gone-check", reason="x"))
        page = (await instance.page("GET", "/ignores")).text

        assert '<bdi><a href="/checks/title">Seitentitel</a></bdi>' in page
        assert "<bdi>gone-check</bdi>" in page

    with_instance(tmp_path, script)


def test_a_rule_is_removed_by_its_owner_only(tmp_path: Path) -> None:
    """Bob gets what he gets for one that never was."""

    async def script(instance: Instance) -> None:
        await add(instance, IgnoreRule(check="title", reason="x"))
        bob = add_owner(instance.services.database, "Bob")[0]
        of_bob = await instance.page("POST", "/ignores/1/remove", account=bob, headers={"Accept": "text/html"})
        kept = (await instance.page("GET", "/ignores")).text
        own = await instance.page("POST", "/ignores/1/remove")
        said = (await instance.page("GET", own.headers["location"])).text

        assert of_bob.status_code == 404
        assert "/ignores/1/remove" in kept
        assert own.status_code == 303
        assert "The rule was removed." in said
        assert "/ignores/1/remove" not in said

    with_instance(tmp_path, script)


def test_pages_of_the_list(tmp_path: Path) -> None:
    """Twenty-five rules a page; behind the last one a link leads back."""

    async def script(instance: Instance) -> None:
        for number in range(26):
            await add(instance, IgnoreRule(check="title", reason=f"reason {number}."))
        first = (await instance.page("GET", "/ignores")).text
        second = (await instance.page("GET", "/ignores?page=2")).text
        beyond = (await instance.page("GET", "/ignores?page=9")).text

        assert first.count("/remove") == 25
        assert second.count("/remove") == 1
        assert "There is nothing on this page of the list" in beyond
        assert "/ignores?page=2" in beyond

    with_instance(tmp_path, script)
