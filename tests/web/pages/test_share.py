from __future__ import annotations

import asyncio
import re
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from sqlalchemy import delete

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy
from pagegrade.store.schema.tables import runs
from pagegrade.web.pages import share, share_access
from pagegrade.web.pages.html import PLAIN
from tests.report_builders import make_failed_report
from tests.share_builders import finish, run_again, seen
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance
from tests.web.sharing import LINKS, OPENED, PAGE, PASSWORD, cookie_of, guess, locked, see, shared

IMAGE = re.compile(r'<meta property="og:image" content="([^"]+)">')
BELOW = "/card.png"


def test_a_link_to_a_public_report_shows_its_score(tmp_path: Path) -> None:
    """The page names the picture, which other sites may show."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        page, picture = await see(instance, report), await see(instance, report, below=BELOW)
        again = await see(instance, report, below=BELOW, headers={"If-None-Match": picture.headers["etag"]})

        assert IMAGE.findall(page.text) == [f"{BASE_URL}{share.card_path(report.slug)}"]
        assert picture.status_code == 200
        assert picture.content.startswith(b"\x89PNG")
        assert picture.headers["content-type"] == share.MEDIA_TYPE
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
    monkeypatch.setattr(share, "CARDS_PER_MINUTE", 1)

    async def script(instance: Instance) -> None:
        report = shared(instance)
        first, second = [await see(instance, report, below=BELOW) for _ in range(2)]

        assert (first.status_code, second.status_code) == (200, 429)
        assert int(second.headers["retry-after"]) > 0

    with_instance(tmp_path, script)


def test_without_typst_no_card_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is as it was."""
    monkeypatch.setattr(share, "is_installed", lambda: False)

    async def script(instance: Instance) -> None:
        report = shared(instance)

        assert "og:image" not in (await see(instance, report)).text
        assert (await see(instance, report, below=BELOW)).status_code == 404

    with_instance(tmp_path, script)


META = re.compile(r'<meta property="og:[a-z_]+" content="([^"]*)">')


def test_a_public_report_is_a_page_for_all_who_have_the_link(tmp_path: Path) -> None:
    """M03, M16, M17: not to be indexed, kept only to be asked about again, no way to load or send anything."""

    async def script(instance: Instance) -> None:
        answer = await see(instance, shared(instance))

        assert answer.status_code == 200
        assert {name: answer.headers[name] for name in PAGE} == PAGE
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["content-security-policy"] == PLAIN
        assert "script-src 'none'" in PLAIN
        assert "79" in answer.text
        assert "<script" not in answer.text
        assert [link for link in LINKS.findall(answer.text) if "noreferrer" not in link] == []

    with_instance(tmp_path, script)


def test_query_values_are_masked_for_all(tmp_path: Path) -> None:
    """M18: in the address, in what checks quote, and no link leads to the masked address."""

    async def script(instance: Instance) -> None:
        answer = await see(instance, shared(instance))

        assert "s3cr3t" not in answer.text
        assert "pricing?token=…" in answer.text
        assert 'href="https://shop.example/pricing' not in answer.text

    with_instance(tmp_path, script)


def test_the_password_page_contains_nothing_of_the_report(tmp_path: Path) -> None:
    """M04, J17: neither address, host, title, score nor result, at any state; only a form."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        answer = await see(instance, report)
        unfinished = await see(instance, await locked(instance, outcome=None))
        failed = await see(instance, await locked(instance, outcome=make_failed_report()))

        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-store"
        assert {name: answer.headers[name] for name in PAGE} == PAGE
        assert "form-action 'self'" in answer.headers["content-security-policy"]
        assert answer.content == unfinished.content == failed.content
        assert 'type="password"' in answer.text
        assert [word for word in ("shop", "pricing", OPENED, "decent", "og:", report.slug) if word in answer.text] == []
        assert "etag" not in answer.headers

    with_instance(tmp_path, script)


def test_the_right_password_opens_the_report(tmp_path: Path) -> None:
    """M05: the answer leads back to the page, with a cookie for half a day that scripts and other sites cannot use."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        answer = await guess(instance, report)
        cookie = next(iter(SimpleCookie(answer.headers["set-cookie"]).values()))
        opened = await see(instance, report, headers=cookie_of(answer))

        assert answer.status_code == 303
        assert answer.headers["location"] == f"/r/{report.slug}"
        assert answer.content == b""
        assert cookie.key == f"__Host-unlock-{report.slug[:8]}"
        assert (cookie["path"], cookie["samesite"], cookie["domain"]) == ("/", "Lax", "")
        assert cookie["secure"]
        assert cookie["httponly"]
        assert int(cookie["max-age"]) <= 43_200
        assert opened.status_code == 200
        assert OPENED in opened.text
        assert opened.headers["cache-control"] == "private, no-store"
        assert "etag" not in opened.headers

    with_instance(tmp_path, script)


def test_over_plain_http_the_cookie_has_a_plain_name(tmp_path: Path) -> None:
    """Browsers refuse the prefix and Secure there, and a server at home has no certificate."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        answer = await guess(instance, report)

        assert answer.headers["set-cookie"].startswith(f"unlock-{report.slug[:8]}=")
        assert "Secure" not in answer.headers["set-cookie"]
        assert OPENED in (await see(instance, report, headers=cookie_of(answer))).text

    with_instance(tmp_path, script, base_url="http://127.0.0.1:8080")


@pytest.mark.parametrize(
    "password", ["wrong", "", PASSWORD.strip(), PASSWORD + " ", "p" * 128, "p" * 129, "p" * 256, "😀", "\u202e"]
)
def test_a_wrong_password_is_reported_as_one(tmp_path: Path, password: str) -> None:
    """M06, M09: the same page whatever was wrong; blanks and letters count exactly as typed."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        answer = await guess(instance, report, password)

        assert answer.status_code == 403
        assert "That is not the password" in answer.text
        assert "set-cookie" not in answer.headers
        assert "shop" not in answer.text

    with_instance(tmp_path, script)


def test_what_no_password_can_be_is_not_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M09: a long one would cost time, and a very long one is no slip of the hand."""
    hashed: list[str] = []

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        verify = instance.services.passwords.verify

        async def noted(hash_: str, password: str) -> bool:
            hashed.append(password)
            return await verify(hash_, password)

        monkeypatch.setattr(instance.services.passwords, "verify", noted)
        for password in ("p" * 129, "", "p" * 257, "p" * 60_000):
            await guess(instance, report, password)
        too_long = await guess(instance, report, "p" * 257)
        nul = await guess(instance, report, "a\0b")

        assert hashed == []
        assert too_long.status_code == 400
        assert nul.status_code == 400

    with_instance(tmp_path, script)


def test_the_eleventh_guess_waits_and_nothing_is_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M07, M08: even the right one; other reports, those who have a cookie, and the account itself are not touched."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        cookie = cookie_of(await guess(instance, report))
        answers = [await guess(instance, report, "wrong") for _ in range(10)]

        async def fail(*_: str) -> bool:
            raise AssertionError("a password was hashed")

        with monkeypatch.context() as patch:
            patch.setattr(instance.services.passwords, "verify", fail)
            refused = await guess(instance, report)

        assert [answer.status_code for answer in answers] == [403] * 10
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 900
        assert "Try again in" in refused.text
        assert OPENED in (await see(instance, report, headers=cookie)).text
        assert (await guess(instance, await locked(instance))).status_code == 303
        assert (await instance.call("GET", f"/api/v1/reports/{report.id}")).status_code == 200

    with_instance(tmp_path, script)


def test_many_right_passwords_at_once_are_accepted_a_few_at_a_time(tmp_path: Path) -> None:
    """M10: at no moment more hashes than the client's login attempts; a refused visitor has to wait."""

    async def script(instance: Instance) -> None:
        report = await locked(instance)
        answers = await asyncio.gather(*(guess(instance, report) for _ in range(40)))
        statuses = [answer.status_code for answer in answers]

        assert set(statuses) == {303, 429}
        assert statuses.count(303) >= 10
        assert (await guess(instance, report)).status_code == 303

    with_instance(tmp_path, script)


def test_a_report_in_the_making_says_so_and_asks_again(tmp_path: Path) -> None:
    """Nothing of it is shown yet, and the page is not cached."""

    async def script(instance: Instance) -> None:
        answer = await see(instance, shared(instance, outcome=None))

        assert answer.status_code == 200
        assert answer.headers["refresh"].startswith("3;url=/r/")
        assert "shop" not in answer.text
        assert answer.headers["cache-control"] == "private, no-store"

    with_instance(tmp_path, script)


def test_a_failed_report_says_why(tmp_path: Path) -> None:
    """As on every other page about it."""

    async def script(instance: Instance) -> None:
        answer = await see(instance, shared(instance, outcome=make_failed_report("dns", page=None, final_url=None)))

        assert answer.status_code == 200
        assert "could not be resolved" in answer.text

    with_instance(tmp_path, script)


def test_old_results_stay_in_sight_while_a_new_run_waits(tmp_path: Path) -> None:
    """And no text says that the page will stay like that."""

    async def script(instance: Instance) -> None:
        report = run_again(instance.services.database, shared(instance), now_ms=now_ms())
        answer = await see(instance, report)

        assert "A new analysis is under way" in answer.text
        assert answer.headers["cache-control"] == "private, no-store"

    with_instance(tmp_path, script)


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
    """Evaluated by what a browser says of itself, against the configured origin and never the Host header."""

    async def script(instance: Instance) -> None:
        answer = await guess(instance, await locked(instance), headers=headers)

        assert answer.status_code == status
        assert ("set-cookie" in answer.headers) == (status == 303)

    with_instance(tmp_path, script)


def test_a_public_report_needs_no_password(tmp_path: Path) -> None:
    """A form that was open while the password went away leads to the report."""

    async def script(instance: Instance) -> None:
        answer = await guess(instance, shared(instance), "whatever")

        assert answer.status_code == 303
        assert "set-cookie" not in answer.headers

    with_instance(tmp_path, script)


def test_head_is_get_without_the_page(tmp_path: Path) -> None:
    """And other methods get the allowed ones."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        got, head = await see(instance, report), await see(instance, report, "HEAD")
        put = await see(instance, report, "PUT")

        assert head.content == b""
        assert head.headers["content-length"] == got.headers["content-length"]
        assert put.status_code == 405
        assert put.headers["allow"] == "GET, HEAD, OPTIONS, POST"

    with_instance(tmp_path, script)


def test_a_link_preview_says_something_of_public_reports_only(tmp_path: Path) -> None:
    """J17: a locked report's says nothing even to who has its password, a private one's nothing to its owner."""

    async def script(instance: Instance) -> None:
        secret = await locked(instance)
        public = await see(instance, shared(instance))
        gate = await see(instance, secret)
        opened = await see(instance, secret, headers=cookie_of(await guess(instance, secret)))
        own = await see(instance, shared(instance, Privacy.PRIVATE), headers=await instance.sign_in())

        assert "Web page report: Decent 79" in META.findall(public.text)
        assert not [text for text in META.findall(public.text) if "shop" in text]
        assert META.findall(gate.text) == []
        for answer in (opened, own):
            assert OPENED in answer.text
            assert "Web page report" in META.findall(answer.text)
            assert "79" not in "".join(META.findall(answer.text))

    with_instance(tmp_path, script)


def test_alice_sees_what_others_see_behind_her_links(tmp_path: Path) -> None:
    """Without a password, also the private one, with a word who else does; nothing of hers is kept or tagged."""

    async def script(instance: Instance) -> None:
        browser = await instance.sign_in()
        words = (
            "everyone with the link sees",
            "Only people of the workspace can see this page",
            "everyone with the link and the password",
        )
        for privacy, sentence in zip(Privacy, words, strict=True):
            report = shared(instance, privacy, password_hash="x" if privacy is Privacy.PASSWORD else None)
            answer = await see(instance, report, headers=browser)

            assert answer.status_code == 200
            assert OPENED in answer.text
            assert sentence in answer.text
            assert "s3cr3t" not in answer.text
            assert f'href="/reports/{report.id}"' in answer.text
            assert answer.headers["cache-control"] == "private, no-store"
            assert "etag" not in answer.headers

    with_instance(tmp_path, script)


def test_bob_sees_a_public_page_with_a_menu(tmp_path: Path) -> None:
    """He sees what Charlie sees, and his own menu; nothing leads to pages of Alice."""

    async def script(instance: Instance) -> None:
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])
        report, secret = shared(instance), await locked(instance)
        his, charlies = await see(instance, report, headers=bob), await see(instance, report)

        assert OPENED in his.text
        assert 'action="/sign-out"' in his.text
        assert f"/reports/{report.id}" not in his.text
        assert "sign-out" not in charlies.text
        assert '"/reports' not in charlies.text
        assert OPENED not in (await see(instance, secret, headers=bob)).text

    with_instance(tmp_path, script)


def test_another_language_or_another_look_is_another_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that asks with an old tag gets the new page."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        english, german = [
            (await see(instance, report, headers={"Accept-Language": language})).headers["etag"]
            for language in ("en", "de")
        ]
        with monkeypatch.context() as patch:
            patch.setattr(share_access, "_design", lambda: "another one")
            redrawn = await see(instance, report, headers={"If-None-Match": english})
        again = finish(
            instance.services.database,
            run_again(instance.services.database, report, now_ms=now_ms()),
            seen(),
            now_ms=now_ms(),
        )
        rerun = await see(instance, again, headers={"If-None-Match": english})

        assert english != german
        assert redrawn.status_code == 200
        assert rerun.status_code == 200

    with_instance(tmp_path, script)


def test_another_list_of_runs_is_another_page(tmp_path: Path) -> None:
    """The history goes although the shown run, and its report, stay as they are."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        report = shared(instance)
        again = finish(database, run_again(database, report, now_ms=now_ms()), seen(), now_ms=now_ms())
        tag = (await see(instance, again)).headers["etag"]
        same = await see(instance, again, headers={"If-None-Match": tag})
        database.write_here(lambda tx: tx.execute(delete(runs).where(runs.c.number == 1)))
        shortened = await see(instance, again, headers={"If-None-Match": tag})

        assert (same.status_code, shortened.status_code) == (304, 200)

    with_instance(tmp_path, script)
