"""One report's settings, another analysis, and its end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import StoredReport
from pagegrade.service.reports.operations import find_report
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

PLACES = (("GET", "settings"), ("POST", "settings"), ("POST", "run"), ("GET", "delete"), ("POST", "delete"))


def stored(instance: Instance, report_id: int = 1) -> StoredReport:
    """A report of Alice."""
    caller = Caller(account=instance.alice)
    return instance.services.database.read_here(
        lambda tx: find_report(tx, caller, report_id, instance.services.options, now_ms())
    )


async def save(instance: Instance, **fields: str) -> httpx.Response:
    """The answer to the form."""
    return await instance.page("POST", "/reports/1/settings", data=fields)


@pytest.mark.parametrize(("method", "place"), PLACES)
def test_only_its_owner_gets_near_a_report(tmp_path: Path, method: str, place: str) -> None:
    """Bob gets what he gets for one that never was, Charlie the form to sign in; nothing happens to it."""

    async def script(instance: Instance) -> None:
        await instance.create(privacy=1)
        before = stored(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        headers = {"Accept": "text/html"}
        sent: dict[str, Any] = {"data": {"privacy": "0"}} if method == "POST" else {}
        of_bob = await instance.page(method, f"/reports/1/{place}", account=bob, headers=headers, **sent)
        never = await instance.page(method, f"/reports/99/{place}", account=bob, headers=headers, **sent)
        charlie = await instance.call(
            method, f"/reports/1/{place}", key=None, headers={**headers, "Sec-Fetch-Site": "same-origin"}, **sent
        )

        assert (of_bob.status_code, of_bob.content) == (404, never.content)
        assert charlie.status_code == (303 if method == "GET" else 401)
        assert stored(instance) == before

    with_instance(tmp_path, script)


def test_the_form_shows_how_things_are(tmp_path: Path) -> None:
    """The privacy, whether a password is set, and the link that others may open."""

    async def script(instance: Instance) -> None:
        await instance.create(privacy=2, password="secret word")
        shared = (await instance.page("GET", "/reports/1/settings")).text
        await save(instance, privacy="1")
        private = (await instance.page("GET", "/reports/1/settings")).text

        assert 'value="2" checked' in shared
        assert "A password is set." in shared
        assert f"{BASE_URL}/r/{stored(instance).slug}" in shared
        assert "secret word" not in shared
        assert 'value="1" checked' in private
        assert "A password is set." not in private
        assert "/r/" not in private

    with_instance(tmp_path, script)


def test_a_password_is_kept_changed_and_erased(tmp_path: Path) -> None:
    """An empty field keeps it; another privacy erases it, and visitors who had unlocked the report begin anew."""

    async def script(instance: Instance) -> None:
        await instance.create(privacy=2, password="first")
        first = stored(instance)
        kept_answer = await save(instance, privacy="2", password="")
        kept = stored(instance)
        await save(instance, privacy="2", password="second")
        changed = stored(instance)
        await save(instance, privacy="0", password="ignored")
        erased = stored(instance)

        assert (kept_answer.status_code, kept_answer.headers["location"]) == (303, "/reports/1?said=saved")
        assert (kept.password_hash, kept.password_version) == (first.password_hash, first.password_version)
        assert changed.password_hash != first.password_hash
        assert changed.password_version == first.password_version + 1
        assert (erased.privacy, erased.password_hash) == (0, None)

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"privacy": "2"}, "password"),
        ({"privacy": "7"}, "privacy"),
        ({"privacy": "2", "password": "x" * 129}, "password"),
    ],
)
def test_settings_that_cannot_be_come_back(tmp_path: Path, fields: dict[str, str], where: str) -> None:
    """With a sentence, and nothing is changed."""

    async def script(instance: Instance) -> None:
        await instance.create(privacy=1)
        before = stored(instance)
        answer = await save(instance, **fields)

        assert answer.status_code == 422
        assert f'<a href="#{where}">' in answer.text
        assert stored(instance) == before

    with_instance(tmp_path, script)


def test_a_page_is_analysed_again_once(tmp_path: Path) -> None:
    """A second request while that is under way joins it."""

    async def script(instance: Instance) -> None:
        await instance.create()
        await instance.finish()
        first = await instance.page("POST", "/reports/1/run")
        await instance.page("POST", "/reports/1/run")
        runs = await instance.call("GET", "/api/v1/reports/1/runs")

        assert (first.status_code, first.headers["location"]) == (303, "/reports/1?said=running")
        assert runs.json()["meta"]["total"] == 2
        assert stored(instance).state == "queued"

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("options", "status"), [({"analyses_per_minute": 1}, 429), ({"account_queue": 1}, 429), ({"queue": 1}, 503)]
)
def test_another_analysis_has_the_limits_of_the_api(tmp_path: Path, options: dict[str, Any], status: int) -> None:
    """Shown on the page of the settings."""

    async def script(instance: Instance) -> None:
        await instance.create()
        await instance.finish()
        await instance.page("POST", "/reports", data={"url": "b.example"})
        answer = await instance.page("POST", "/reports/1/run")

        assert answer.status_code == status
        assert 'role="alert"' in answer.text
        assert stored(instance).state == "completed"

    with_instance(tmp_path, script, **options)


def test_a_report_is_deleted_after_a_question(tmp_path: Path) -> None:
    """That names it; the question itself deletes nothing."""

    async def script(instance: Instance) -> None:
        await instance.create('https://a.example/"><script>alert(1)</script>')
        question = await instance.page("GET", "/reports/1/delete")
        still_there = stored(instance).id
        done = await instance.page("POST", "/reports/1/delete")

        assert "a.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E" in question.text
        assert still_there == 1
        assert (done.status_code, done.headers["location"]) == (303, "/reports?said=deleted")
        with pytest.raises(NotFound):
            stored(instance)

    with_instance(tmp_path, script)


def test_a_stale_tab_opens_nothing_that_was_closed(tmp_path: Path) -> None:
    """The report was made private elsewhere: the old form is not heeded, and shows how things are."""

    async def script(instance: Instance) -> None:
        await instance.create(privacy=0)
        old = re.findall(r'name="seen" value="([^"]+)"', (await instance.page("GET", "/reports/1/settings")).text)[0]
        closed = await save(instance, privacy="1", seen=old)
        stale = await save(instance, privacy="0", seen=old)
        kept = stored(instance).privacy
        new = re.findall(r'name="seen" value="([^"]+)"', stale.text)[0]
        again = await save(instance, privacy="0", seen=new)

        assert (closed.status_code, stale.status_code, again.status_code) == (303, 412, 303)
        assert "These settings were changed in another tab" in stale.text
        assert 'value="1" checked' in stale.text
        assert (kept, stored(instance).privacy) == (1, 0)

    with_instance(tmp_path, script)


def test_the_engine_is_chosen_and_kept(tmp_path: Path) -> None:
    """The form of the list and that of the settings; once chosen, the installation decides no more."""

    async def script(instance: Instance) -> None:
        await instance.page(
            "POST", "/reports", data={"url": "https://example.com/", "privacy": "0", "render": "1", "device": "desktop"}
        )
        shown = (await instance.page("GET", "/reports/1/settings")).text
        wrong = await save(instance, privacy="0", render="7")
        await save(instance, privacy="0", render="0", device="mobile")
        kept = stored(instance)

        assert '<option value="1" selected>' in shown
        assert '<option value="desktop" selected>' in shown
        assert "As the installation is set" not in shown
        assert wrong.status_code == 422
        assert "Must be one of" in wrong.text
        assert (kept.render, kept.device) == (0, "mobile")

    with_instance(tmp_path, script)


STAGING = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}


def test_showing_what_needs_an_access_profile_is_asked_for(tmp_path: Path) -> None:
    """Once; a later save of other settings asks no more, and what everybody sees is shared without a question."""

    async def script(instance: Instance) -> None:
        await instance.call("POST", "/api/v1/access-profiles", json=STAGING)
        await instance.create("https://staging.example/x")
        asked = await save(instance, privacy="0", access="default")
        before = stored(instance)
        shared = await save(instance, privacy="0", access="default", share_anyway="1")
        later = await save(instance, privacy="0", access="default", device="desktop")
        named = await save(instance, privacy="0", access="1")
        private = await save(instance, privacy="1", access="1")
        without = await save(instance, privacy="0", access="none")

        assert [each.status_code for each in (asked, shared, later, named)] == [422, 303, 303, 422]
        assert '<a href="#share_anyway">' in asked.text
        assert 'name="share_anyway"' in asked.text
        assert before.privacy == 1
        assert [each.status_code for each in (private, without)] == [303, 303]
        assert (stored(instance).privacy, stored(instance).access) == (0, 0)

    with_instance(tmp_path, script)


def test_profiles_of_the_page_can_be_chosen(tmp_path: Path) -> None:
    """Others cannot, and without any there is no choice."""

    async def script(instance: Instance) -> None:
        await instance.create("https://staging.example/x")
        none = await instance.page("GET", "/reports/1/settings")
        await instance.call("POST", "/api/v1/access-profiles", json=STAGING)
        other = {**STAGING, "name": "Elsewhere", "origins": ["https://other.example"]}
        await instance.call("POST", "/api/v1/access-profiles", json=other)
        some = await instance.page("GET", "/reports/1/settings")
        refused = await save(instance, privacy="1", access="2")

        assert 'id="access"' not in none.text
        assert '<option value="1">Staging</option>' in some.text
        assert "Elsewhere" not in some.text
        assert '<option value="default" selected>' in some.text
        assert "This access profile is not for the page." in refused.text

    with_instance(tmp_path, script)
