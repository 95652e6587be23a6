from __future__ import annotations

import re
from pathlib import Path

import pytest

from pagegrade.model.stored import Privacy
from pagegrade.web.pages.share import card
from tests.report_builders import make_failed_report
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance
from tests.web.sharing import locked, see, shared

IMAGE = re.compile(r'<meta property="og:image" content="([^"]+)">')
BELOW = "/card.png"


def test_a_link_to_a_public_report_shows_its_score(tmp_path: Path) -> None:
    """The page names the picture, which other sites may show."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        page, picture = await see(instance, report), await see(instance, report, below=BELOW)
        again = await see(instance, report, below=BELOW, headers={"If-None-Match": picture.headers["etag"]})

        assert IMAGE.findall(page.text) == [f"{BASE_URL}{card.card_path(report.slug)}"]
        assert picture.status_code == 200
        assert picture.content.startswith(b"\x89PNG")
        assert picture.headers["content-type"] == card.MEDIA_TYPE
        assert picture.headers["cross-origin-resource-policy"] == "cross-origin"
        assert (again.status_code, again.content) == (304, b"")
        # Its texts are those of the reader's language, and caches that people share may keep it.
        assert picture.headers["vary"] == again.headers["vary"] == "Cookie, Accept-Language"

    with_instance(tmp_path, script)


def test_a_report_that_is_not_public_has_no_card(tmp_path: Path) -> None:
    """Private, behind a password, failed or not there: the same answer, and no picture is named."""

    async def script(instance: Instance) -> None:
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])
        private, failed = shared(instance, Privacy.PRIVATE), shared(instance, outcome=make_failed_report())
        none = await see(instance, "A" * 22, below=BELOW, headers=bob)
        answers = [await see(instance, each, below=BELOW, headers=bob) for each in (private, failed)]
        gate = await see(instance, await locked(instance), below=BELOW, headers=bob)

        assert none.status_code == 404
        assert {(answer.status_code, answer.content) for answer in answers} == {(404, none.content)}
        assert gate.status_code == 404
        assert "og:image" not in (await see(instance, failed)).text

    with_instance(tmp_path, script)


def test_cards_are_limited_for_each_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a process."""
    monkeypatch.setattr(card, "CARDS_PER_MINUTE", 1)

    async def script(instance: Instance) -> None:
        report = shared(instance)
        first, second = [await see(instance, report, below=BELOW) for _ in range(2)]

        assert (first.status_code, second.status_code) == (200, 429)
        assert int(second.headers["retry-after"]) > 0

    with_instance(tmp_path, script)


def test_without_typst_no_card_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is as it was."""
    monkeypatch.setattr(card, "is_installed", lambda: False)

    async def script(instance: Instance) -> None:
        report = shared(instance)

        assert "og:image" not in (await see(instance, report)).text
        assert (await see(instance, report, below=BELOW)).status_code == 404

    with_instance(tmp_path, script)
