from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.service.accounts.sessions import (
    DAY_MS,
    GRACE_MS,
    IDLE_MS,
    LASTS_MS,
    ROTATED_MS,
    digest,
    start_session,
)
from pagegrade.store.repositories.credentials import find_session
from pagegrade.web.operations import PAGES
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.session_cookie import (
    MAX_CHARACTERS,
    MAX_READ,
    SESSION,
    cookie_name,
    ended_cookie,
    is_own_form,
    is_secure,
    read_cookies,
    session_cookie,
    set_cookie,
)
from tests.web.calling import BASE_URL, Instance, with_instance

PLAIN_URL = "http://127.0.0.1:8080"
COOKIE = "__Host-session"
FORMS = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.method != "GET"]
CLOSED = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.access != "anyone"]
FOREIGN: tuple[dict[str, str], ...] = (
    {},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": BASE_URL},
    {"Sec-Fetch-Site": ""},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": f"{BASE_URL}.evil.example"},
    {"Origin": BASE_URL.replace("https", "http")},
    {"Origin": "https://evil.example", "Referer": f"{BASE_URL}/"},
    {"Referer": "https://evil.example/"},
    {"Referer": f"{BASE_URL}.evil.example/"},
    {"Referer": f"https://evil.example/?{BASE_URL}/"},
)


def headers_of(sent: Mapping[str, str]) -> object:
    """A request that has these headers only."""
    return lambda name: sent.get(name.decode())


def test_over_tls_a_cookie_belongs_to_this_host_alone() -> None:
    """The prefix makes browsers refuse one that a neighbour sets, and one that comes in the clear."""
    assert is_secure(BASE_URL)
    assert cookie_name(SESSION, BASE_URL) == COOKIE
    assert session_cookie("T", BASE_URL) == (
        "Set-Cookie",
        f"__Host-session=T; Path=/; Max-Age={LASTS_MS // 1000}; HttpOnly; SameSite=Lax; Secure",
    )
    assert ended_cookie(BASE_URL)[1] == "__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"


def test_below_a_path_a_cookie_is_not_sent_to_neighbours() -> None:
    """With the prefix that browsers accept there: the stricter one wants the whole host."""
    assert set_cookie(SESSION, "T", f"{BASE_URL}/tools/pagegrade", seconds=60)[1] == (
        "__Secure-session=T; Path=/tools/pagegrade; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
    )
    assert read_cookies(headers_of({"cookie": "__Secure-session=T"}), SESSION, f"{BASE_URL}/x") == ("T",)  # type: ignore[arg-type]
    assert set_cookie(SESSION, "T", f"{PLAIN_URL}/x", seconds=60)[1] == (
        "session=T; Path=/x; Max-Age=60; HttpOnly; SameSite=Lax"
    )


def test_without_tls_it_keeps_what_browsers_take_there() -> None:
    """No prefix and no Secure, which they would refuse, but still out of reach of scripts and of other sites."""
    assert not is_secure(PLAIN_URL)
    assert set_cookie("unlock-1", "v", PLAIN_URL, seconds=60) == (
        "Set-Cookie",
        "unlock-1=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax",
    )


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("", ()),
        ("__Host-session=a", ("a",)),
        ("x=1; __Host-session=a; y=2", ("a",)),
        ("__Host-session=a; __Host-session=b", ("a", "b")),
        ("__Host-session=a, __Host-session=b", ("a", "b")),
        ("session=a; __Host-sessions=b; x__Host-session=c; __host-session=d", ()),
        ("__Host-session", ("",)),
        ("__Host-session=a=b", ("a=b",)),
        (";;;=;", ()),
        ("__Host-session=a;" * 1_000, ("a",) * MAX_READ),
    ],
)
def test_only_cookies_of_ours_are_read(sent: str, read: tuple[str, ...]) -> None:
    """Several of them, because a neighbor's may stand before; not an unlimited number."""
    assert read_cookies(headers_of({"cookie": sent}), SESSION, BASE_URL) == read  # type: ignore[arg-type]


@pytest.mark.parametrize("sent", FOREIGN, ids=str)
def test_a_form_of_another_site_is_foreign(sent: dict[str, str]) -> None:
    """By fetch metadata, where the browser sends it; else by the origin, else by the referrer."""
    small = {name.lower(): value for name, value in sent.items()}

    assert not is_own_form(headers_of(small), BASE_URL)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sent",
    [
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"origin": BASE_URL},
        {"referer": f"{BASE_URL}/sign-in"},
    ],
    ids=str,
)
def test_a_form_of_ours_is_known(sent: dict[str, str]) -> None:
    """Also from browsers without fetch metadata."""
    assert is_own_form(headers_of(sent), BASE_URL)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "base_url", "known"),
    [
        ({"origin": "http://nas.local:8080", "host": "nas.local:8080"}, PLAIN_URL, True),
        ({"origin": "http://192.168.1.10:8080", "host": "192.168.1.10:8080"}, PLAIN_URL, True),
        ({"origin": "https://nas.local", "host": "nas.local"}, PLAIN_URL, True),
        ({"origin": PLAIN_URL, "host": "nas.local:8080"}, f"{PLAIN_URL}/tools", True),
        ({"origin": "http://nas.local:8080"}, PLAIN_URL, False),
        ({"origin": "http://", "host": ""}, PLAIN_URL, False),
        ({"origin": "null", "host": "nas.local:8080"}, PLAIN_URL, False),
        ({"origin": "http://evil.example", "host": "nas.local:8080"}, PLAIN_URL, False),
        ({"origin": "http://nas.local", "host": "nas.local:8080"}, PLAIN_URL, False),
        ({"origin": "http://nas.local:8080", "host": "nas.local:8080"}, BASE_URL, False),
        ({"origin": "http://nas.local", "host": "nas.local", "sec-fetch-site": "cross-site"}, PLAIN_URL, False),
    ],
    ids=str,
)
def test_on_a_home_network_the_host_that_was_asked_is_ours(sent: dict[str, str], base_url: str, *, known: bool) -> None:
    """By any name or address of the machine, but only where the public URL is not one over TLS."""
    assert is_own_form(headers_of(sent), base_url) is known  # type: ignore[arg-type]


def test_no_page_takes_a_form_of_another_site(tmp_path: Path) -> None:
    """Every route that changes anything, with the cookie that a browser would send along: 403, before all else."""

    async def script(instance: Instance) -> None:
        cookie = (await instance.sign_in())["Cookie"]
        for operation in FORMS:
            path = operation.path.replace("{id}", "1")
            for foreign in FOREIGN:
                answer = await instance.call(operation.method, path, key=None, headers={"Cookie": cookie, **foreign})

                assert (operation.name, foreign, answer.status_code) == (operation.name, foreign, 403)
        assert (await instance.page("GET", "/account")).status_code == 200

    with_instance(tmp_path, script, requests_per_minute=100_000)


def test_no_page_of_an_account_opens_for_charlie(tmp_path: Path) -> None:
    """Without a session, with a key, or with a cookie that is none: to the form, or a note that nothing was saved."""

    async def script(instance: Instance) -> None:
        for operation in CLOSED:
            path = operation.path.replace("{id}", "1")
            for cookie in ({}, {"Cookie": f"{COOKIE}={'A' * 43}"}, {"Cookie": f"session={'A' * 43}"}):
                answer = await instance.call(
                    operation.method, path, headers={"Sec-Fetch-Site": "same-origin", "Accept": "text/html", **cookie}
                )
                expected = (303, "/sign-in?next=") if operation.method == "GET" else (401, "")

                assert answer.status_code == expected[0], operation.name
                assert answer.headers.get("location", "").startswith(expected[1])
                assert "Alice" not in answer.text

    with_instance(tmp_path, script)


def test_pages_of_administrators_are_not_there_for_others(tmp_path: Path) -> None:
    """The very answer of an address that never was."""

    async def script(instance: Instance) -> None:
        for operation in CLOSED:
            if operation.access == "admin":
                path = operation.path.replace("{id}", "1")
                answer = await instance.page(operation.method, path, headers={"Accept": "text/html"})

                assert (operation.name, answer.status_code) == (operation.name, 404)
                assert "Administration" not in answer.text

    with_instance(tmp_path, script)


def test_a_session_opens_no_door_of_the_api(tmp_path: Path) -> None:
    """Browsers send cookies by themselves; the API heeds keys only."""

    async def script(instance: Instance) -> None:
        for operation in ALL_OPERATIONS:
            if operation.scope is not None:
                path = operation.path.replace("{id}", "1").replace("{number}", "1")

                assert (await instance.page(operation.method, path)).status_code == 401, operation.name

    with_instance(tmp_path, script)


async def aged(instance: Instance, ago_ms: int) -> str:
    """The token of a session of Alice that began so long ago."""
    return await instance.services.database.write(lambda tx: start_session(tx, instance.alice, "", now_ms() - ago_ms))


async def look(instance: Instance, *tokens: str) -> httpx.Response:
    """The account page, for who has these tokens."""
    instance.client.cookies.clear()
    cookie = "; ".join(f"{COOKIE}={token}" for token in tokens)
    return await instance.call("GET", "/account", key=None, headers={"Cookie": cookie})


def test_a_session_is_renewed_while_it_is_used(tmp_path: Path) -> None:
    """After a day the answer brings a new token; the old one is good for the requests that were under way."""

    async def script(instance: Instance) -> None:
        young, old = await aged(instance, ROTATED_MS - GRACE_MS), await aged(instance, ROTATED_MS + 1)
        unchanged, renewed = await look(instance, young), await look(instance, old)
        again = await look(instance, old)
        token = renewed.headers["set-cookie"].partition(";")[0].partition("=")[2]

        assert "set-cookie" not in unchanged.headers
        assert renewed.status_code == again.status_code == 200
        assert "set-cookie" not in again.headers
        assert renewed.headers["set-cookie"] == session_cookie(token, BASE_URL)[1]
        assert token != old
        assert (await look(instance, token)).status_code == 200
        found = instance.services.database.read_here(lambda tx: find_session(tx, digest(token)))
        assert found is not None
        assert found[0].created_at_ms < now_ms() - DAY_MS

    with_instance(tmp_path, script)


def test_a_session_that_was_left_alone_is_over(tmp_path: Path) -> None:
    """To the form, as for every signed-out visitor."""

    async def script(instance: Instance) -> None:
        kept, over = await aged(instance, IDLE_MS - GRACE_MS), await aged(instance, IDLE_MS)

        assert (await look(instance, kept)).status_code == 200
        assert (await look(instance, over)).headers["location"] == "/sign-in?next=%2Faccount"

    with_instance(tmp_path, script)


def test_the_cookie_of_a_neighbour_does_not_sign_us_out(tmp_path: Path) -> None:
    """Of several values the one that is a session counts."""

    async def script(instance: Instance) -> None:
        token = await aged(instance, 0)

        assert (await look(instance, "A" * 43, token)).status_code == 200
        assert (await look(instance, "", "strange", token)).status_code == 200

    with_instance(tmp_path, script)


def test_the_length_of_the_cookies_is_bounded() -> None:
    """One that ends at the limit is read, and one that begins behind it is not."""
    pair = f"; {COOKIE}=abc"

    assert read_cookies(lambda _name: "x" * (MAX_CHARACTERS - len(pair)) + pair, SESSION, BASE_URL) == ("abc",)
    assert read_cookies(lambda _name: "x" * MAX_CHARACTERS + pair, SESSION, BASE_URL) == ()
