from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.service.clock import now_ms, utc_now
from pagegrade.store.reports import delete_report, save_settings
from pagegrade.web import share
from tests.report_builders import make_failed_report
from tests.share_builders import add_shared, run_again, seen
from tests.web.calling import BASE_URL, House, in_house

PASSWORD = " pâss wörd "
OWN = {"Sec-Fetch-Site": "same-origin"}
PAGE = {
    "x-robots-tag": "noindex, nofollow, noarchive",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "vary": "Cookie, Authorization",
    "content-type": "text/html; charset=utf-8",
}


def shared(house: House, privacy: Privacy = Privacy.PUBLIC, **more: Any) -> StoredReport:
    """A finished report of Alice, shared like that."""
    more.setdefault("outcome", seen())
    return add_shared(house.services.database, house.alice, now_ms=now_ms(), privacy=privacy, **more)


async def locked(house: House, **more: Any) -> StoredReport:
    """A finished report of Alice with a password."""
    hashed = await house.services.passwords.hash(PASSWORD)
    return shared(house, Privacy.PASSWORD, password_hash=hashed, **more)


async def see(house: House, report: StoredReport | str, method: str = "GET", **more: Any) -> httpx.Response:
    """What Charlie, who has no key, sees."""
    slug = report if isinstance(report, str) else report.slug
    house.client.cookies.clear()
    return await house.call(method, f"/r/{slug}", key=None, **more)


async def guess(
    house: House, report: StoredReport | str, password: str = PASSWORD, *, headers: dict[str, str] | None = None
) -> httpx.Response:
    """What Charlie sees after typing a password."""
    return await see(house, report, "POST", data={"password": password}, headers=OWN if headers is None else headers)


def cookie_of(answer: httpx.Response) -> dict[str, str]:
    """The cookie as the browser sends it back."""
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


def test_a_public_report_is_a_page_for_whoever_has_the_link(tmp_path: Path) -> None:
    """M03, M16, M17: not to be indexed, kept only to be asked about again, no way to load or send anything."""

    async def script(house: House) -> None:
        answer = await see(house, shared(house))

        assert answer.status_code == 200
        assert {name: answer.headers[name] for name in PAGE} == PAGE
        assert answer.headers["cache-control"] == "no-cache"
        assert re.fullmatch(
            "default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'",
            answer.headers["content-security-policy"],
        )
        assert "79" in answer.text
        assert "<script" not in answer.text
        assert 'rel="noreferrer' not in answer.text
        assert "noopener noreferrer" in answer.text

    in_house(tmp_path, script)


def test_query_values_are_masked_for_everybody(tmp_path: Path) -> None:
    """M18: in the address, in what checks quote, and no link leads to the masked address."""

    async def script(house: House) -> None:
        answer = await see(house, shared(house))

        assert "s3cr3t" not in answer.text
        assert "pricing?token=…" in answer.text
        assert 'href="https://shop.example/pricing' not in answer.text

    in_house(tmp_path, script)


def test_a_private_report_cannot_be_told_from_one_that_never_was(tmp_path: Path) -> None:
    """M01, M02, M15: byte for byte, with any method, cookie or key, finished or not."""

    async def script(house: House) -> None:
        private = shared(house, Privacy.PRIVATE)
        unfinished = shared(house, Privacy.PRIVATE, outcome=None)
        none = "A" * 22
        answers = [await see(house, each, method) for each in (private, unfinished, none) for method in ("GET", "HEAD")]
        answers += [await guess(house, each) for each in (private, unfinished, none)]
        answers.append(await house.call("GET", f"/r/{private.slug}"))
        bodies = {answer.content for answer in answers if answer.request.method != "HEAD"}
        headers = {
            tuple(sorted((name, value) for name, value in answer.headers.items() if name != "x-request-id"))
            for answer in answers
        }

        assert {answer.status_code for answer in answers} == {404}
        assert len(bodies) == 1
        assert len(headers) == 1
        assert answers[0].headers["cache-control"] == "private, no-store"

    in_house(tmp_path, script)


@pytest.mark.parametrize(
    "slug", ["a", "A" * 10_000, "..%2f" * 5, "%00" * 22, "%F0%9F%98%80" * 22, "' OR 1=1--aaaaaaaaaaa"]
)
def test_a_strange_link_is_an_unknown_one(tmp_path: Path, slug: str) -> None:
    """Nothing of it reaches the database, or the page."""

    async def script(house: House) -> None:
        answer = await see(house, slug)

        assert answer.status_code == 404
        assert answer.content == (await see(house, "A" * 22)).content

    in_house(tmp_path, script)


def test_the_gate_tells_nothing_of_the_report(tmp_path: Path) -> None:
    """M04, J17: neither address, host, title, score nor result, at any state; only a form."""

    async def script(house: House) -> None:
        report = await locked(house)
        answer = await see(house, report)
        unfinished = await see(house, await locked(house, outcome=None))
        failed = await see(house, await locked(house, outcome=make_failed_report()))

        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-store"
        assert {name: answer.headers[name] for name in PAGE} == PAGE
        assert "form-action 'self'" in answer.headers["content-security-policy"]
        assert answer.content == unfinished.content == failed.content
        assert 'type="password"' in answer.text
        assert [word for word in ("shop", "pricing", "79", "decent", "og:", report.slug) if word in answer.text] == []
        assert "etag" not in answer.headers

    in_house(tmp_path, script)


def test_the_right_password_opens_the_report(tmp_path: Path) -> None:
    """M05: the answer leads back to the page, with a cookie for half a day that scripts and other sites cannot use."""

    async def script(house: House) -> None:
        report = await locked(house)
        answer = await guess(house, report)
        cookie = next(iter(SimpleCookie(answer.headers["set-cookie"]).values()))
        opened = await see(house, report, headers=cookie_of(answer))

        assert answer.status_code == 303
        assert answer.headers["location"] == f"/r/{report.slug}"
        assert answer.content == b""
        assert cookie.key == f"__Host-unlock-{report.slug[:8]}"
        assert (cookie["path"], cookie["samesite"], cookie["domain"]) == ("/", "Lax", "")
        assert cookie["secure"]
        assert cookie["httponly"]
        assert int(cookie["max-age"]) <= 43_200
        assert opened.status_code == 200
        assert "79" in opened.text
        assert opened.headers["cache-control"] == "private, no-store"
        assert "etag" not in opened.headers

    in_house(tmp_path, script)


def test_over_plain_http_the_cookie_has_a_plain_name(tmp_path: Path) -> None:
    """Browsers refuse the prefix and Secure there, and a server at home has no certificate."""

    async def script(house: House) -> None:
        report = await locked(house)
        answer = await guess(house, report)

        assert answer.headers["set-cookie"].startswith(f"unlock-{report.slug[:8]}=")
        assert "Secure" not in answer.headers["set-cookie"]
        assert "79" in (await see(house, report, headers=cookie_of(answer))).text

    in_house(tmp_path, script, base_url="http://127.0.0.1:8080")


@pytest.mark.parametrize(
    "password", ["wrong", "", PASSWORD.strip(), PASSWORD + " ", "p" * 128, "p" * 129, "p" * 256, "😀", "\u202e"]
)
def test_a_wrong_password_is_told_as_one(tmp_path: Path, password: str) -> None:
    """M06, M09: the same page whatever was wrong; blanks and letters count exactly as typed."""

    async def script(house: House) -> None:
        report = await locked(house)
        answer = await guess(house, report, password)

        assert answer.status_code == 403
        assert "That is not the password" in answer.text
        assert "set-cookie" not in answer.headers
        assert "shop" not in answer.text

    in_house(tmp_path, script)


def test_what_no_password_can_be_is_not_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M09: a long one would cost time, and a very long one is no slip of the hand."""
    hashed: list[str] = []

    async def script(house: House) -> None:
        report = await locked(house)
        verify = house.services.passwords.verify

        async def noted(hash_: str, password: str) -> bool:
            hashed.append(password)
            return await verify(hash_, password)

        monkeypatch.setattr(house.services.passwords, "verify", noted)
        for password in ("p" * 129, "", "p" * 257, "p" * 60_000):
            await guess(house, report, password)
        too_long = await guess(house, report, "p" * 257)
        nul = await guess(house, report, "a\0b")

        assert hashed == []
        assert too_long.status_code == 400
        assert nul.status_code == 400

    in_house(tmp_path, script)


def test_the_eleventh_guess_waits_and_nothing_is_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M07, M08: even the right one; other reports, those who have a cookie, and the account itself are not touched."""

    async def script(house: House) -> None:
        report = await locked(house)
        cookie = cookie_of(await guess(house, report))
        answers = [await guess(house, report, "wrong") for _ in range(10)]

        async def fail(*_: str) -> bool:
            raise AssertionError("a password was hashed")

        with monkeypatch.context() as patch:
            patch.setattr(house.services.passwords, "verify", fail)
            refused = await guess(house, report)

        assert [answer.status_code for answer in answers] == [403] * 10
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 900
        assert "Try again in" in refused.text
        assert "79" in (await see(house, report, headers=cookie)).text
        assert (await guess(house, await locked(house))).status_code == 303
        assert (await house.call("GET", f"/api/v1/reports/{report.id}")).status_code == 200

    in_house(tmp_path, script)


def test_a_crowd_of_right_guesses_at_once_is_let_in_a_few_at_a_time(tmp_path: Path) -> None:
    """M10: at no moment more hashes than the client may guess; whoever is refused is told to wait."""

    async def script(house: House) -> None:
        report = await locked(house)
        answers = await asyncio.gather(*(guess(house, report) for _ in range(40)))
        statuses = [answer.status_code for answer in answers]

        assert set(statuses) == {303, 429}
        assert statuses.count(303) >= 10
        assert (await guess(house, report)).status_code == 303

    in_house(tmp_path, script)


def test_a_changed_password_ends_what_was_unlocked(tmp_path: Path) -> None:
    """M12: and so does a report that is not shared any more."""

    async def script(house: House) -> None:
        report = await locked(house)
        cookie = cookie_of(await guess(house, report))
        database = house.services.database
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

        assert "79" not in (await see(house, changed, headers=cookie)).text

        database.write_here(lambda tx: delete_report(tx, report.account_id, report.id))

        assert (await see(house, report, headers=cookie)).status_code == 404

    in_house(tmp_path, script)


def test_a_cookie_opens_only_its_own_report(tmp_path: Path) -> None:
    """Also when it is sent under the other's name, or twice."""

    async def script(house: House) -> None:
        first, second = await locked(house), await locked(house)
        token = cookie_of(await guess(house, first))["Cookie"].partition("=")[2]
        names = [share._cookie_name_of(report.slug, secure=True) for report in (first, second)]
        stolen = await see(house, second, headers={"Cookie": f"{names[1]}={token}"})
        among = await see(house, first, headers={"Cookie": f"a=b; {names[0]}=x; {names[0]}={token}; {names[1]}="})

        assert "79" not in stolen.text
        assert "79" in among.text

    in_house(tmp_path, script)


def test_a_report_made_private_is_gone_at_once(tmp_path: Path) -> None:
    """M11: also for those who have seen it and only ask whether it has changed."""

    async def script(house: House) -> None:
        report = shared(house)
        first = await see(house, report)
        known = {"If-None-Match": first.headers["etag"]}
        unchanged = await see(house, report, headers=known)
        house.services.database.write_here(
            lambda tx: save_settings(
                tx, report, privacy=Privacy.PRIVATE, password_hash=None, password_version=0, now_ms=now_ms()
            )
        )
        gone = await see(house, report, headers=known)

        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["etag"] == first.headers["etag"]
        assert str(report.id) not in first.headers["etag"].split("-")
        assert gone.status_code == 404

    in_house(tmp_path, script)


def test_an_expired_report_is_gone(tmp_path: Path) -> None:
    """M13: at that moment, whenever it is swept."""

    async def script(house: House) -> None:
        now = utc_now()
        old = shared(house, outcome=replace(seen(), generated_at=now - timedelta(days=1, seconds=1)))
        young = shared(house, outcome=replace(seen(), generated_at=now - timedelta(hours=23)))

        assert (await see(house, old)).status_code == 404
        assert (await see(house, young)).status_code == 200

    in_house(tmp_path, script, retention_days=1)


def test_a_report_in_the_making_says_so_and_asks_again(tmp_path: Path) -> None:
    """Nothing of it is told yet, and nobody keeps the page."""

    async def script(house: House) -> None:
        answer = await see(house, shared(house, outcome=None))

        assert answer.status_code == 200
        assert '<meta http-equiv="refresh"' in answer.text
        assert "shop" not in answer.text
        assert answer.headers["cache-control"] == "private, no-store"

    in_house(tmp_path, script)


def test_a_failed_report_says_why(tmp_path: Path) -> None:
    """As on every other page about it."""

    async def script(house: House) -> None:
        answer = await see(house, shared(house, outcome=make_failed_report("dns", page=None, final_url=None)))

        assert answer.status_code == 200
        assert "could not be resolved" in answer.text

    in_house(tmp_path, script)


def test_old_results_stay_in_sight_while_a_new_run_waits(tmp_path: Path) -> None:
    """And nobody is told that the page will stay like that."""

    async def script(house: House) -> None:
        report = run_again(house.services.database, shared(house), now_ms=now_ms())
        answer = await see(house, report)

        assert "A new analysis is under way" in answer.text
        assert answer.headers["cache-control"] == "private, no-store"

    in_house(tmp_path, script)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Sec-Fetch-Site": "same-site", "Origin": BASE_URL}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": BASE_URL}, 403),
        ({"Origin": BASE_URL}, 303),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": f"{BASE_URL}.evil.example", "Host": "reports.example.org.evil.example"}, 403),
        ({"Referer": f"{BASE_URL}/r/x"}, 303),
        ({"Referer": f"{BASE_URL}.evil.example/"}, 403),
        ({}, 403),
    ],
    ids=str,
)
def test_only_our_own_form_is_taken(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    """Judged by what a browser says of itself, against the configured origin and never the Host header."""

    async def script(house: House) -> None:
        answer = await guess(house, await locked(house), headers=headers)

        assert answer.status_code == status
        assert ("set-cookie" in answer.headers) == (status == 303)

    in_house(tmp_path, script)


def test_a_public_report_needs_no_password(tmp_path: Path) -> None:
    """A form that was open while the password went away leads to the report."""

    async def script(house: House) -> None:
        answer = await guess(house, shared(house), "whatever")

        assert answer.status_code == 303
        assert "set-cookie" not in answer.headers

    in_house(tmp_path, script)


def test_head_is_get_without_the_page(tmp_path: Path) -> None:
    """And other methods are told what there is."""

    async def script(house: House) -> None:
        report = shared(house)
        got, head = await see(house, report), await see(house, report, "HEAD")
        put = await see(house, report, "PUT")

        assert head.content == b""
        assert head.headers["content-length"] == got.headers["content-length"]
        assert put.status_code == 405
        assert put.headers["allow"] == "GET, HEAD, OPTIONS, POST"

    in_house(tmp_path, script)


def test_who_opens_pages_without_end_has_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing them costs, and nobody has shown a key."""
    monkeypatch.setattr(share, "VIEWS_PER_MINUTE", 3)

    async def script(house: House) -> None:
        answers = [await see(house, "A" * 22) for _ in range(4)]

        assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
        assert "retry-after" in answers[-1].headers

    in_house(tmp_path, script)
