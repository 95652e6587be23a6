from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy, StoredReport
from tests.report_builders import make_failed_report
from tests.share_builders import finish, run_again, seen
from tests.web.calling import Instance, with_instance
from tests.web.sharing import OPENED, cookie_of, guess, locked, see, shared


def with_runs(instance: Instance, report: StoredReport) -> StoredReport:
    """The report with three runs more: a failed one, a good one, and one that waits."""
    database = instance.services.database
    for outcome in (make_failed_report("timeout"), seen()):
        report = finish(database, run_again(database, report, now_ms=now_ms()), outcome, now_ms=now_ms())
    return run_again(database, report, now_ms=now_ms())


def test_the_newest_two_are_compared_without_a_choice(tmp_path: Path) -> None:
    """The form shows which, and offers those that have results."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        answer = await instance.page("GET", f"/reports/{report.id}/compare")

        assert answer.status_code == 200
        assert OPENED in answer.text
        assert answer.text.count('<option value="1" selected>') == 1
        assert answer.text.count('<option value="3" selected>') == 1
        assert '<option value="2"' not in answer.text
        assert '<option value="4"' not in answer.text

    with_instance(tmp_path, script)


def test_the_older_run_comes_first_however_they_were_named(tmp_path: Path) -> None:
    """The order in the URL does not matter."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        straight = await instance.page("GET", f"/reports/{report.id}/compare?from=1&to=3")
        crossed = await instance.page("GET", f"/reports/{report.id}/compare?from=3&to=1")

        assert straight.status_code == 200
        assert straight.text == crossed.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=x&to=3", "Choose the older run."),
        ("from=1&to=-3", "Choose the newer run."),
        ("from=1&to=9", "There is no such newer run"),
        ("from=1&to=9999999999", "There is no such newer run"),
        ("from=2&to=3", "The older run has no results."),
        ("from=1&to=4", "The newer run has no results."),
        ("from=1&to=1", "These are one and the same run."),
        ("from=<script>&to=3", "Choose the older run."),
    ],
)
def test_a_choice_that_cannot_be_compared_is_reported_at_its_field(tmp_path: Path, query: str, sentence: str) -> None:
    """With the form once more, and nothing of the query in it."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        answer = await instance.page("GET", f"/reports/{report.id}/compare?{query}")

        assert answer.status_code == 422
        assert answer.text.count(sentence) == 2
        assert answer.text.count(" selected>") == 2
        assert 'aria-invalid="true"' in answer.text
        assert "<select" in answer.text
        assert "<script>" not in answer.text
        assert OPENED not in answer.text

    with_instance(tmp_path, script)


def test_a_report_with_one_run_has_nothing_to_compare_yet(tmp_path: Path) -> None:
    """That is no mistake."""

    async def script(instance: Instance) -> None:
        for report in (shared(instance), shared(instance, outcome=None)):
            answer = await instance.page("GET", f"/reports/{report.id}/compare")

            assert answer.status_code == 200
            assert "There is nothing to compare yet" in answer.text
            assert "<select" not in answer.text

    with_instance(tmp_path, script)


def test_who_may_see_a_shared_report_may_compare_its_runs(tmp_path: Path) -> None:
    """Charlie the public one, without the values of its address; the locked one with its password; no private one."""

    async def script(instance: Instance) -> None:
        public = with_runs(instance, shared(instance))
        private = with_runs(instance, shared(instance, Privacy.PRIVATE))
        secret = with_runs(instance, await locked(instance))
        cookie = cookie_of(await guess(instance, secret))
        seen_by_charlie = await see(instance, public, below="/compare")
        gated = await see(instance, secret, below="/compare")
        opened = await see(instance, secret, below="/compare", headers=cookie)
        gone = await see(instance, private, below="/compare")

        assert seen_by_charlie.status_code == 200
        assert OPENED in seen_by_charlie.text
        assert "s3cr3t" not in seen_by_charlie.text
        assert "/reports/" not in seen_by_charlie.text
        assert (gated.status_code, gated.headers["location"]) == (303, f"/r/{secret.slug}")
        assert OPENED in opened.text
        assert gone.status_code == 404
        assert gone.content == (await see(instance, "A" * 22, below="/compare")).content

    with_instance(tmp_path, script)
