"""The form for a new report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.service.reports.operations import find_report
from pagegrade.store.repositories.counts import count_matching, load_counts
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance


def reports_of_alice(instance: Instance) -> int:
    """The number of Alice's reports."""
    counts = instance.services.database.read_here(lambda tx: load_counts(tx, instance.alice.id))
    return count_matching(counts)


def test_a_report_is_made_and_shown(tmp_path: Path) -> None:
    """It is Alice's, with the privacy she chose, and a worker is woken."""

    async def script(instance: Instance) -> None:
        woken: list[int] = []
        instance.services.wake = lambda: woken.append(1)
        sent = {"url": "  example.com/a#top ", "privacy": "1"}
        answer = await instance.page("POST", "/reports", data=sent)
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert (answer.status_code, answer.headers["location"]) == (303, "/reports/1?said=created")
        assert (report.url, report.privacy, report.state) == ("https://example.com/a", 1, "queued")
        assert woken == [1]

    with_instance(tmp_path, script)


def test_a_password_is_hashed_and_never_shown(tmp_path: Path) -> None:
    """Not even in the form that comes back."""

    async def script(instance: Instance) -> None:
        secret = "hunter2-hunter2"
        wrong = await instance.page("POST", "/reports", data={"url": "ftp://x", "privacy": "2", "password": secret})
        right = await instance.page("POST", "/reports", data={"url": "a.example", "privacy": "2", "password": secret})
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert wrong.status_code == 422
        assert secret not in wrong.text
        assert 'id="privacy-2" name="privacy" value="2" checked' in wrong.text
        assert right.status_code == 303
        assert (report.password_hash or "").startswith("$argon2id$")

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("sent", "where", "words"),
    [
        ({}, "url", "Enter the URL of a page."),
        ({"url": "   "}, "url", "Enter the URL of a page."),
        ({"url": 'https://10.0.0.1/"><script>'}, "url", "it is not a public one"),
        ({"url": "ftp://a.example"}, "url", "Only URLs that begin with http or https"),
        ({"url": "a.example", "privacy": "3"}, "privacy", "Choose who may see the report."),
        ({"url": "a.example", "privacy": "2"}, "password", "Enter a password"),
        ({"url": "a.example", "privacy": "2", "password": "x" * 129}, "password", "at most 128 characters"),
    ],
)
def test_what_cannot_be_used_comes_back_with_a_sentence(
    tmp_path: Path, sent: dict[str, str], where: str, words: str
) -> None:
    """At its field and above, with everything that was typed, and nothing is made."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/reports", data=sent)

        assert answer.status_code == 422
        assert f'<a href="#{where}">' in answer.text
        assert answer.text.count(words) == 2
        assert "<title>Error: " in answer.text
        assert "<script>" not in answer.text
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ({"analyses_per_minute": 1}, 429, "Wait "),
        ({"max_reports": 1}, 429, "Delete some of them first"),
        ({"account_queue": 1}, 429, "when some of them are done"),
        ({"queue": 1}, 503, "busy right now"),
    ],
)
def test_limits_are_those_of_the_api(tmp_path: Path, options: dict[str, Any], status: int, words: str) -> None:
    """The page over a limit keeps the typed text, and says what to do."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/reports", data={"url": "a.example"})
        answer = await instance.page("POST", "/reports", data={"url": "b.example/typed"})

        assert answer.status_code == status
        assert words in answer.text
        assert 'value="b.example/typed"' in answer.text
        assert reports_of_alice(instance) == 1

    with_instance(tmp_path, script, **options)


def test_no_account_creates_reports_for_others(tmp_path: Path) -> None:
    """Bob's are Bob's, Charlie makes none, and neither does a form of another site."""

    async def script(instance: Instance) -> None:
        bob = add_owner(instance.services.database, "Bob")[0]
        sent = {"url": "a.example"}
        by_bob = await instance.page("POST", "/reports", account=bob, data=sent)
        charlie = await instance.call(
            "POST", "/reports", key=None, data=sent, headers={"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
        )
        foreign = await instance.page("POST", "/reports", data=sent, headers={"Sec-Fetch-Site": "cross-site"})

        assert by_bob.status_code == 303
        assert (charlie.status_code, foreign.status_code) == (401, 403)
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


def test_a_process_that_stops_makes_nothing(tmp_path: Path) -> None:
    """Another one will."""

    async def script(instance: Instance) -> None:
        instance.services.draining = True
        answer = await instance.page("POST", "/reports", data={"url": "a.example"}, headers={"Accept": "text/html"})

        assert answer.status_code == 503
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


def test_a_report_with_an_access_profile_is_private(tmp_path: Path) -> None:
    """Whatever the form says: it says something even if nobody chose it. The page of the report says why."""

    async def script(instance: Instance) -> None:
        staging = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}
        await instance.call("POST", "/api/v1/access-profiles", json=staging)
        sent = {"url": "https://staging.example/", "privacy": "0", "access": "1"}
        made = await instance.page("POST", "/reports", data=sent)
        shown = await instance.page("GET", made.headers["location"])
        wrong = await instance.page("POST", "/reports", data={**sent, "url": "https://example.com/"})
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert (report.privacy, report.access) == (1, 1)
        assert "is private: it is made with an access profile" in shown.text
        assert wrong.status_code == 422
        assert '<a href="#access">This access profile is not for the page.' in wrong.text
        assert '<option value="1" selected>Staging</option>' in wrong.text

    with_instance(tmp_path, script)
