from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.url import join_url
from pagegrade.parse.urls.identity import (
    has_session,
    identity,
    is_growing,
    is_storable,
    keyed_hash,
    page_url,
    seems_to_act,
)
from tests.builders import make_artifacts, make_response


@pytest.mark.parametrize(
    ("asked", "locations", "shown"),
    [
        ("/", (), "/"),
        ("/#/chairs", (), "/#/chairs"),
        ("/#/chairs", ("/", "https://example.com/"), "/#/chairs"),
        ("/#/chairs", ("/#/lamps", "/"), "/#/lamps"),
        ("/", ("/#!lamps",), "/#!lamps"),
        ("/#/chairs", ("/#top",), "/"),
    ],
)
def test_redirects_keep_a_route_unless_they_name_another(asked: str, locations: tuple[str, ...], shown: str) -> None:
    """As browsers do."""
    base = "https://example.com"
    hops = [make_response(url=f"{base}/", status=302, headers=[("Location", one)]) for one in locations]
    navigation = make_artifacts(url=f"{base}/", requested_url=base + asked, hops=hops).navigation

    assert page_url(navigation) == base + shown


ROOT = "https://example.com"
SESSION = "0123456789abcdef0123"


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("/a#part", "/a"),
        ("/a?", "/a"),
        ("/%7Euser/%c3%bc", "/~user/%C3%BC"),
        ("/a?b=%7e&c=%2f", "/a?b=~&c=%2F"),
        ("/a?utm_source=x&b=1&gclid=2", "/a?b=1"),
        ("/a?fbclid=1", "/a"),
        ("/a?b=1&amp;c=2", "/a?b=1&c=2"),
        (f"/a;jsessionid={SESSION}?b=1", "/a?b=1"),
        (f"/a?PHPSESSID={SESSION}", "/a"),
    ],
)
def test_what_only_follows_visitors_is_left_out(url: str, known: str) -> None:
    """Fragments, empty queries, parameters of trackers, ids of sessions; escapes have one spelling."""
    assert identity(ROOT + url) == ROOT + known
    assert has_session(ROOT + url) is (SESSION in url)


@pytest.mark.parametrize(
    "url",
    ["/A/b/", "/index.html", "/a?b=2&a=1", "/a?a=1&b=2", "/a?sid=1", "/a?session=today", "/a?b", "//a//b", "/a;v=1"],
)
def test_all_else_is_for_the_server_to_say(url: str) -> None:
    """Case, slashes, the order of parameters: servers exist for which each of them matters."""
    assert identity(ROOT + url) == ROOT + url


def test_parameters_of_the_site_itself_can_be_named() -> None:
    """The setting of a crawl."""
    assert identity(f"{ROOT}/a?ref=1&b=2", ("ref",)) == f"{ROOT}/a?b=2"


@given(st.text(alphabet="abAB0%2e7E/?&=;.#u_~-+ :@", max_size=60))
def test_an_identity_is_canonical_and_its_own(rest: str) -> None:
    """The stored form is asked for, and found again when a page names it."""
    url = join_url(f"{ROOT}/", f"/{rest}")
    if url is None or not url.startswith(f"{ROOT}/"):
        return
    known = identity(url)

    assert identity(known) == known
    assert join_url("about:blank", known) == known
    assert "#" not in known


@pytest.mark.parametrize(
    "path",
    ["/logout", "/account/sign-out/", "/cart/add?item=1", "/shop?add-to-cart=12", "/x?action=delete"],
)
def test_addresses_that_do_something_are_recognized(path: str) -> None:
    """By a whole segment, or the name or value of a parameter."""
    assert seems_to_act(ROOT + path)


@pytest.mark.parametrize(
    "path", ["/howto/add-a-check.html", "/blog/how-to-vote-by-mail", "/downloads/", "/cartography/", "/a?q=exported"]
)
def test_titles_are_no_actions(path: str) -> None:
    """A crawl that left these out would miss pages."""
    assert not seems_to_act(ROOT + path)


@pytest.mark.parametrize(
    ("path", "grows"),
    [
        ("/a/b/a/b/a/b/", True),
        ("/a/a/b", False),
        ("/2026/01/01/01/", False),
        ("/" + "/".join(f"s{number}" for number in range(20)), False),
        ("/" + "/".join(f"s{number}" for number in range(21)), True),
        ("/a?b=1&b=2", True),
        ("/a?b[]=1&b[]=2", False),
        ("/a?amp;amp;b=1", True),
        ("/a?b=1&c=1", False),
    ],
)
def test_growing_addresses_are_recognized(path: str, *, grows: bool) -> None:
    """At the limit and one past it."""
    assert is_growing(ROOT + path) is grows


def test_only_pages_of_a_storable_length_are_asked_for() -> None:
    """2,048 characters, as everywhere."""
    assert is_storable(f"{ROOT}/".ljust(2048, "a"))
    assert not is_storable(f"{ROOT}/".ljust(2049, "a"))
    assert not is_storable("mailto:a@example.com")


def test_a_hash_needs_its_key() -> None:
    """Of 64 bits with a sign, as databases store them; also of text that is no text."""
    keys = (bytes(16), bytes(range(16)))
    found = [keyed_hash(url, key) for key in keys for url in (f"{ROOT}/a", f"{ROOT}/b", "\ud800")]

    assert len(set(found)) == 6
    assert all(-(2**63) <= each < 2**63 for each in found)
    assert keyed_hash(f"{ROOT}/a", keys[0]) == found[0]
