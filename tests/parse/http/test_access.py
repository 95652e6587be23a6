from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from itertools import product

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.access import MAX_CERTIFICATES, Access
from pagegrade.model.errors import InvalidInput
from pagegrade.parse.http.access import (
    MAX_PEM,
    MIN_SECRET_CHARACTERS,
    Sent,
    read_access,
    read_certificates,
    read_cookies,
    read_headers,
    read_origins,
    read_query,
    read_user,
    secrets_of,
    sent_with,
    split_cookies,
    split_header,
)
from pagegrade.parse.url import origin

PEM = trustme.CA().cert_pem.bytes().decode()
PASSWORD = "n0t-Shown-1"
ACCESS = read_access(
    origins=["https://staging.example", "https://bücher.example:8443", "http://[::1]:8080"],
    user="reader",
    password=PASSWORD,
    headers=[("X-Door", "n0t-Shown-2"), ("Accept-Language", "de")],
    cookies=[("session", "n0t-Shown-3")],
    user_agent="Company browser",
    query=[("key", "n0t Shown/4")],
)


def test_everything_goes_with_a_request_to_an_origin() -> None:
    """The added parameter stands before the fragment, and what is there already stays."""
    sent = sent_with(ACCESS, "https://staging.example/a?b=c#d")
    token = b64encode(f"reader:{PASSWORD}".encode()).decode()

    assert sent is not None
    assert sent.url == "https://staging.example/a?b=c&key=n0t%20Shown%2F4#d"
    assert dict(sent.headers) == {
        "X-Door": "n0t-Shown-2",
        "Accept-Language": "de",
        "Authorization": f"Basic {token}",
        "User-Agent": "Company browser",
    }
    assert sent.cookies == (("session", "n0t-Shown-3"),)


@pytest.mark.parametrize(
    "url",
    [
        "https://STAGING.example/",
        "https://staging.example:443/x",
        "https://xn--bcher-kva.example:8443/",
        "https://BÜCHER.example:8443/",
        "http://[0:0:0:0:0:0:0:1]:8080/",
    ],
)
def test_an_origin_in_another_spelling_is_the_same(url: str) -> None:
    """As browsers read it."""
    assert sent_with(ACCESS, url) is not None


@pytest.mark.parametrize(
    "url",
    [
        "http://staging.example/",
        "http://staging.example:443/",
        "https://staging.example:8443/",
        "https://bücher.example/",
        "https://staging.example./",
        "https://staging.example.evil.test/",
        "https://evilstaging.example/",
        "https://www.staging.example/",
        "https://example/",
        "https://staging.example@evil.test/",
        "https://user:password@staging.example/",
        "https://evil.test/https://staging.example/",
        "https://evil.test/?https://staging.example",
        "https://evil.test\\@staging.example/",
        "//staging.example/",
        "wss://staging.example/",
        "ftp://staging.example/",
        "blob:https://staging.example/1",
        "data:text/html,https://staging.example/",
        "https:///staging.example@evil.test",
        "",
    ],
)
def test_nothing_goes_anywhere_else(url: str) -> None:
    """Another host, port or scheme, a name that only begins or ends alike, and what is no URL of the web."""
    assert sent_with(ACCESS, url) is None


HOSTS = ["staging.example", "staging.example.", "a.staging.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]"]
PLACES = [f"{scheme}://{host}{port}" for scheme, host, port in product(("http", "https"), HOSTS, ("", ":81", ":443"))]


@given(st.sampled_from(PLACES), st.sampled_from(PLACES), st.sampled_from(["/", "/x?y=z", "/#h"]))
def test_only_the_same_scheme_host_and_port_get_something(mine: str, asked: str, path: str) -> None:
    """Whatever the two are."""
    access = Access(origins=(origin(mine),), user="u", password="p")

    assert (sent_with(access, asked + path) is not None) == (origin(mine) == origin(asked))


@given(st.text(max_size=60))
def test_no_text_but_a_url_of_an_origin_gets_something(text: str) -> None:
    """And reading it raises nothing."""
    sent = sent_with(ACCESS, text)

    assert sent is None or origin(text) in ACCESS.origins


def test_without_an_access_nothing_is_sent() -> None:
    """And without origins."""
    assert sent_with(None, "https://staging.example/") is None
    assert sent_with(replace(ACCESS, origins=()), "https://staging.example/") is None


def test_a_parameter_that_is_there_is_not_added_again() -> None:
    """A server that redirects keeps it in the URL."""
    sent = sent_with(ACCESS, "https://staging.example/?key=other")

    assert sent is not None
    assert sent.url == "https://staging.example/?key=other"


def test_lines_replace_those_of_the_same_name_in_their_place() -> None:
    """And cookies that a server has set since win over ours."""
    sent = Sent(url="", headers=(("user-agent", "B"), ("X", "1")), cookies=(("a", "ours"), ("b", "ours")))

    assert sent.header_lines([("User-Agent", "A"), ("Accept", "*/*"), ("Cookie", "a=theirs; c=d")]) == [
        ("user-agent", "B"),
        ("Accept", "*/*"),
        ("Cookie", "a=theirs; c=d; b=ours"),
        ("X", "1"),
    ]
    assert sent.header_lines([]) == [("user-agent", "B"), ("X", "1"), ("Cookie", "a=ours; b=ours")]


def test_no_secret_is_shown_by_the_values_themselves() -> None:
    """They stand in tracebacks and debuggers."""
    shown = repr(ACCESS) + repr(sent_with(ACCESS, "https://staging.example/"))

    assert not any(secret in shown for secret in secrets_of(ACCESS, ""))


def test_secrets_are_known_in_the_forms_that_pages_repeat() -> None:
    """As in a URL, a URL in it, a form, HTML and JSON.

    So are the credentials of Basic as they are sent, and a token without its scheme.
    """
    access = read_access(
        origins=["https://a.example"],
        user="u",
        password='p"&w<or> d',
    )
    token = read_access(origins=["https://a.example"], headers=[("Authorization", "Bearer abcdefgh")])
    found = (*secrets_of(access, "https://a.example/"), *secrets_of(token, "https://a.example/"))

    assert {
        'p"&w<or> d',
        "p%22%26w%3Cor%3E%20d",
        "p%22%26w%3Cor%3E+d",
        "p%2522%2526w%253Cor%253E%2520d",
        "p&quot;&amp;w&lt;or&gt; d",
        'p\\"&w<or> d',
        b64encode(b'u:p"&w<or> d').decode(),
        "Bearer abcdefgh",
        "abcdefgh",
    } <= set(found)


def test_what_is_no_secret_is_not_taken_for_one() -> None:
    """Its text stands in every page: short values, plain words, what is negotiated, and the page's own URL."""
    access = read_access(
        origins=["https://staging-42.example"],
        user="u",
        password="staging-42",
        headers=[("Accept", "text/html"), ("X-Env", "staging")],
        cookies=[("consent", "accepted"), ("a", "1" * (MIN_SECRET_CHARACTERS - 1))],
    )

    assert secrets_of(access, "https://staging-42.example/") == (b64encode(b"u:staging-42").decode(),)


@pytest.mark.parametrize(
    ("given_origins", "message"),
    [
        (["staging.example"], "no origin"),
        (["https://"], "no origin"),
        (["ftp://a.example"], "no origin"),
        (["https://a.example/path"], "no origin"),
        (["https://u:p@a.example"], "no origin"),
        (["https://*.example"], "no origin"),
        ([], "Give 1 to 20"),
        ([f"https://a{number}.example" for number in range(21)], "Give 1 to 20"),
    ],
)
def test_what_is_no_origin_is_refused(given_origins: list[str], message: str) -> None:
    """With an example of one."""
    with pytest.raises(InvalidInput, match=message) as caught:
        read_origins(given_origins)

    assert caught.value.reason == "origins"


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("X Y", "v"), "no name of a header"),
        (("", "v"), "no name of a header"),
        (("X", ""), "cannot be sent"),
        (("X", "n0t-Shown\r\nHost: evil"), "cannot be sent"),
        (("X", "n0t-Shown\u00e4"), "cannot be sent"),
        (("X", "n" * 5_000), "cannot be sent"),
        (("Host", "evil.test"), "by Pagegrade itself"),
        (("content-length", "1"), "by Pagegrade itself"),
        (("Proxy-Authorization", "x"), "by Pagegrade itself"),
        (("Sec-Fetch-Site", "none"), "by Pagegrade itself"),
        (("Cookie", "a=b"), "Give cookies by themselves"),
        (("User-Agent", "a"), "Give the user agent by itself"),
    ],
)
def test_a_header_that_cannot_be_sent_is_refused(pair: tuple[str, str], message: str) -> None:
    """The message names it and never its value."""
    with pytest.raises(InvalidInput, match=message) as caught:
        read_headers([pair])

    assert caught.value.reason == "headers"
    assert "n0t-Shown" not in caught.value.message


def test_a_header_that_is_there_twice_is_refused() -> None:
    """No server agrees with another on which one counts; a user and password are a header, too."""
    with pytest.raises(InvalidInput, match="twice"):
        read_headers([("X-A", "1"), ("x-a", "2")])
    with pytest.raises(InvalidInput, match="not both"):
        read_access(origins=["https://a.example"], user="u", headers=[("authorization", "Bearer x")])


@pytest.mark.parametrize("pair", [("a b", "v"), ("", "v"), ("a", "b;c"), ("a", "b c"), ("a", "ä"), ("a", "b\n")])
def test_a_cookie_that_cannot_be_sent_is_refused(pair: tuple[str, str]) -> None:
    """It could end the pair or the line."""
    with pytest.raises(InvalidInput) as caught:
        read_cookies([pair])

    assert caught.value.reason == "cookies"


def test_users_and_parameters_that_cannot_be_sent_are_refused() -> None:
    """A colon ends the user; a control character is no text."""
    for read in (
        lambda: read_user("a:b"),
        lambda: read_user("a\nb"),
        lambda: read_query([("a b", "v")]),
        lambda: read_query([("a", "v\x00")]),
    ):
        with pytest.raises(InvalidInput):
            read()


def test_more_than_is_sent_is_refused() -> None:
    """Each kind has its limit."""
    many = [(f"n{number}", "value") for number in range(51)]
    for read in (read_headers, read_cookies, read_query):
        with pytest.raises(InvalidInput, match="at most"):
            read(many)


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_that_is_accepted_can_begin_another_line(name: str, value: str) -> None:
    """Whatever is given."""
    for read in (read_headers, read_cookies):
        try:
            pairs = read([(name, value)])
        except InvalidInput:
            continue
        assert all(text.isascii() and text.isprintable() for pair in pairs for text in pair)
        assert ":" not in pairs[0][0]


def test_lines_are_read_as_they_are_copied_from_a_browser() -> None:
    """A value may hold the separator."""
    assert split_header("X-Time: 12:30") == ("X-Time", "12:30")
    assert split_header("nothing") == ("nothing", "")
    assert split_cookies(" a=b;c=d=e ; ; f") == [("a", "b"), ("c", "d=e"), ("f", "")]


def test_certificates_are_read_without_what_stands_around_them() -> None:
    """A blank text is none of them."""
    found = read_certificates(f"subject=/CN=Company\n{PEM}\nand a note\n")

    assert (found, read_certificates(" \n")) == (PEM, "")


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (PEM * MAX_CERTIFICATES, True),
        (PEM * (MAX_CERTIFICATES + 1), False),
        (PEM + "x" * (MAX_PEM - len(PEM)), True),
        (PEM + "x" * (MAX_PEM - len(PEM) + 1), False),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", False),
        ("-----BEGIN PRIVATE KEY-----\nn0tShown\n-----END PRIVATE KEY-----\n", False),
        ("\N{SNOWMAN}", False),
    ],
    ids=["as many", "one more", "as long", "longer", "damaged", "a key", "no PEM"],
)
def test_what_is_no_certificate_is_refused(text: str, *, is_read: bool) -> None:
    """By number, length and content; the message repeats nothing of it."""
    if is_read:
        assert read_certificates(text).startswith(PEM)
        return
    with pytest.raises(InvalidInput) as caught:
        read_certificates(text)

    assert caught.value.reason == "certificates"
    assert "n0tShown" not in caught.value.message
