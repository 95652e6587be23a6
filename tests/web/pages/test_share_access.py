from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms, utc_now
from pagegrade.model.stored import Privacy
from pagegrade.store.repositories.reports import delete_report, save_settings
from pagegrade.web.pages import share_access
from pagegrade.web.pages.share_access import cookie_of as unlock_cookie
from pagegrade.web.session_cookie import cookie_name
from tests.share_builders import finish, run_again, seen
from tests.web.calling import BASE_URL, Instance, with_instance
from tests.web.sharing import OPENED, cookie_of, guess, locked, see, shared


def test_a_private_report_looks_like_one_that_does_not_exist(tmp_path: Path) -> None:
    """M01, M02, M15: byte for byte, with any method, cookie or key, finished or not."""

    async def script(instance: Instance) -> None:
        private = shared(instance, Privacy.PRIVATE)
        unfinished = shared(instance, Privacy.PRIVATE, outcome=None)
        none = "A" * 22
        answers = [
            await see(instance, each, method) for each in (private, unfinished, none) for method in ("GET", "HEAD")
        ]
        answers += [await guess(instance, each) for each in (private, unfinished, none)]
        answers.append(await instance.call("GET", f"/r/{private.slug}"))
        bodies = {answer.content for answer in answers if answer.request.method != "HEAD"}
        headers = {
            tuple(sorted((name, value) for name, value in answer.headers.items() if name != "x-request-id"))
            for answer in answers
        }

        assert {answer.status_code for answer in answers} == {404}
        assert len(bodies) == 1
        assert len(headers) == 1
        assert answers[0].headers["cache-control"] == "private, no-store"

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    "slug", ["a", "A" * 10_000, "..%2f" * 5, "%00" * 22, "%F0%9F%98%80" * 22, "' OR 1=1--aaaaaaaaaaa"]
)
def test_a_strange_link_is_an_unknown_one(tmp_path: Path, slug: str) -> None:
    """Nothing of it reaches the database, or the page."""

    async def script(instance: Instance) -> None:
        answer = await see(instance, slug)

        assert answer.status_code == 404
        assert answer.content == (await see(instance, "A" * 22)).content

    with_instance(tmp_path, script)


def test_a_changed_password_ends_what_was_unlocked(tmp_path: Path) -> None:
    """M12: and so does a report that is not shared any more."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        cookie = cookie_of(await guess(instance, report))
        database = instance.services.database
        changed = database.write_here(
            lambda tx: save_settings(
                tx,
                report,
                privacy=Privacy.PASSWORD,
                password_hash=report.password_hash,
                password_version=report.password_version + 1,
                now_ms=now_ms(),
            )
        )

        assert OPENED not in (await see(instance, changed, headers=cookie)).text

        database.write_here(lambda tx: delete_report(tx, report.account_id, report.id))

        assert (await see(instance, report, headers=cookie)).status_code == 404

    with_instance(tmp_path, script)


def test_a_cookie_opens_only_its_own_report(tmp_path: Path) -> None:
    """Also when it is sent under the other's name, or twice."""

    async def script(instance: Instance) -> None:
        first, second = await locked(instance), await locked(instance)
        token = cookie_of(await guess(instance, first))["Cookie"].partition("=")[2]
        names = [cookie_name(unlock_cookie(report.slug), BASE_URL) for report in (first, second)]
        stolen = await see(instance, second, headers={"Cookie": f"{names[1]}={token}"})
        among = await see(instance, first, headers={"Cookie": f"a=b; {names[0]}=x; {names[0]}={token}; {names[1]}="})

        assert OPENED not in stolen.text
        assert OPENED in among.text

    with_instance(tmp_path, script)


def test_a_report_made_private_is_gone_at_once(tmp_path: Path) -> None:
    """M11: also for those who have seen it and only ask whether it has changed."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        first = await see(instance, report)
        known = {"If-None-Match": first.headers["etag"]}
        unchanged = await see(instance, report, headers=known)
        instance.services.database.write_here(
            lambda tx: save_settings(
                tx, report, privacy=Privacy.PRIVATE, password_hash=None, password_version=0, now_ms=now_ms()
            )
        )
        gone = await see(instance, report, headers=known)

        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["etag"] == first.headers["etag"]
        assert str(report.id) not in first.headers["etag"].split("-")
        assert gone.status_code == 404

    with_instance(tmp_path, script)


def test_an_expired_report_is_gone(tmp_path: Path) -> None:
    """M13: at that moment, whenever it is swept."""

    async def script(instance: Instance) -> None:
        now = utc_now()
        old = shared(instance, outcome=replace(seen(), generated_at=now - timedelta(days=1, seconds=1)))
        young = shared(instance, outcome=replace(seen(), generated_at=now - timedelta(hours=23)))

        assert (await see(instance, old)).status_code == 404
        assert (await see(instance, young)).status_code == 200

    with_instance(tmp_path, script, retention_days=1)


def test_who_opens_pages_without_end_has_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing them costs, and these clients have shown no key."""
    monkeypatch.setattr(share_access, "VIEWS_PER_MINUTE", 3)

    async def script(instance: Instance) -> None:
        answers = [await see(instance, "A" * 22) for _ in range(4)]

        assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
        assert "retry-after" in answers[-1].headers

    with_instance(tmp_path, script)


def test_older_runs_are_behind_the_link_too(tmp_path: Path) -> None:
    """Masked as the report is; the gate comes first, and what is not there is the page of unknown links."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        report = finish(database, run_again(database, shared(instance), now_ms=now_ms()), seen(), now_ms=now_ms())
        secret, private = await locked(instance), shared(instance, Privacy.PRIVATE)
        older = await see(instance, report, below="/runs/1")
        gate = await see(instance, secret, below="/runs/1")
        missing = [
            (await see(instance, each, below=f"/runs/{number}")).content
            for each, number in ((report, 9), (private, 1), ("A" * 22, 1), (secret.slug[::-1], 1))
        ]

        assert OPENED in older.text
        assert "Run 1 of 2" in older.text
        assert "s3cr3t" not in older.text
        assert f'href="/r/{report.slug}"' in older.text
        assert (gate.status_code, gate.headers["location"]) == (303, f"/r/{secret.slug}")
        assert len(set(missing)) == 1

    with_instance(tmp_path, script)
