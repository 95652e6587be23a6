from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy
from pagegrade.store.repositories.reports import save_settings
from pagegrade.web.http.headers import INERT
from pagegrade.web.pages.reports import badge
from pagegrade.web.pages.reports.badge import badge_path, badge_snippets
from tests.share_builders import run_again
from tests.web.calling import Instance, with_instance
from tests.web.sharing import locked, shared


def test_a_public_report_has_a_badge_without_signing_in(tmp_path: Path) -> None:
    """It may stand on any page, is kept for minutes, does nothing, and shows the verdict and nothing else."""

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", badge_path(shared(instance).slug), key=None)
        ET.fromstring(answer.text)  # noqa: S314 - ours

        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert answer.headers["content-security-policy"] == INERT[1]
        assert "set-cookie" not in answer.headers
        assert "decent 79" in answer.text
        assert "shop" not in answer.text

    with_instance(tmp_path, script)


def test_whatever_has_no_badge_gets_one_and_the_same_picture(tmp_path: Path) -> None:
    """Private, locked, unknown or malformed, for every client, Alice included: byte for byte."""

    async def script(instance: Instance) -> None:
        private, secret = shared(instance, Privacy.PRIVATE), await locked(instance)
        names = (f"{private.slug}.svg", f"{secret.slug}.svg", f"{'A' * 22}.svg", shared(instance).slug, ".svg", "a.png")
        answers = [await instance.call("GET", f"/badge/{name}", key=None) for name in names]
        answers.append(await instance.page("GET", badge_path(private.slug)))
        headers = {
            tuple(sorted((name, value) for name, value in answer.headers.items() if name != "x-request-id"))
            for answer in answers
        }

        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1
        assert len(headers) == 1
        assert "unknown" in answers[0].text

    with_instance(tmp_path, script)


def test_a_badge_is_asked_about_cheaply_and_ends_with_the_publicity(tmp_path: Path) -> None:
    """M11: a kept tag opens nothing once the report is private."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        first = await instance.call("GET", badge_path(report.slug), key=None)
        known = {"If-None-Match": first.headers["etag"]}
        same = await instance.call("GET", badge_path(report.slug), key=None, headers=known)
        instance.services.database.write_here(
            lambda tx: save_settings(
                tx, report, privacy=Privacy.PRIVATE, password_hash=None, password_version=0, now_ms=now_ms()
            )
        )
        gone = await instance.call("GET", badge_path(report.slug), key=None, headers=known)

        assert (same.status_code, same.content) == (304, b"")
        assert gone.status_code == 404

    with_instance(tmp_path, script)


def test_a_badge_stays_while_the_page_is_analysed_again(tmp_path: Path) -> None:
    """Before there is any verdict, it says that one will come."""

    async def script(instance: Instance) -> None:
        again = run_again(instance.services.database, shared(instance), now_ms=now_ms())
        first = shared(instance, outcome=None)

        assert "decent 79" in (await instance.call("GET", badge_path(again.slug), key=None)).text
        assert "pending" in (await instance.call("GET", badge_path(first.slug), key=None)).text

    with_instance(tmp_path, script)


def test_who_fetches_badges_without_end_has_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the answer is not cached."""
    monkeypatch.setattr(badge, "VIEWS_PER_MINUTE", 2)

    async def script(instance: Instance) -> None:
        answers = [await instance.call("GET", badge_path("A" * 22), key=None) for _ in range(3)]

        assert [answer.status_code for answer in answers] == [404, 404, 429]
        assert answers[2].headers["cache-control"] == "private, no-store"
        assert int(answers[2].headers["retry-after"]) > 0

    with_instance(tmp_path, script)


def test_the_snippets_lead_from_the_badge_to_the_report() -> None:
    """With whole addresses, because they stand elsewhere."""
    markdown, html = badge_snippets("https://reports.example.org", "slug")

    assert markdown == (
        "[![Pagegrade](https://reports.example.org/badge/slug.svg)](https://reports.example.org/r/slug)"
    )
    assert html == (
        '<a href="https://reports.example.org/r/slug">'
        '<img src="https://reports.example.org/badge/slug.svg" alt="Pagegrade"></a>'
    )
