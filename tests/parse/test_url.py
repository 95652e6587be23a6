"""The one reader of URLs: hostile spellings, joining, and what is derived from a URL."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.model.errors import InvalidInput, InvalidURL, URLNotAllowed
from pagegrade.parse.url import (
    MAX_URL_CHARACTERS,
    Target,
    has_userinfo,
    host,
    host_address,
    host_problem,
    is_http,
    join_url,
    origin,
    parse_target_url,
    port,
    project_of,
    registrable_domain,
    same_site,
    scheme,
    strip_fragment,
)

LONG_LABEL = "a" * 63
LONG_NAME = ".".join([LONG_LABEL] * 4)

ACCEPTED = {
    # Literals are accepted here in canonical form: whether they may be contacted is the guard's question.
    "http://127.0.0.1/": "http://127.0.0.1/",
    "http://2130706433/": "http://127.0.0.1/",
    "http://0x7f000001/": "http://127.0.0.1/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "http://0177.0.0.1/": "http://127.0.0.1/",
    "http://017700000001/": "http://127.0.0.1/",
    "http://127.1/": "http://127.0.0.1/",
    "http://127.0.1/": "http://127.0.0.1/",
    "http://127.000.000.001/": "http://127.0.0.1/",
    "http://0/": "http://0.0.0.0/",
    "http://127.0.0.1./": "http://127.0.0.1/",
    "http://LOCALHOST/": "http://localhost/",
    "http://[0:0:0:0:0:0:0:1]/": "http://[::1]/",
    "http://[::FFFF:7F00:1]/": "http://[::ffff:7f00:1]/",
    "http://[::ffff:127.0.0.1]/": "http://[::ffff:7f00:1]/",
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/": "http://127.0.0.1/",
    "http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/": "http://localhost/",
    "http://127.0.0.1#@example.com/": "http://127.0.0.1/",
    "http://example.com#@127.0.0.1/": "http://example.com/",
    "http:example.com": "http://example.com/",
    "http:/example.com": "http://example.com/",
    "http:///example.com": "http://example.com/",
    "HTTP://Example.COM/": "http://example.com/",
    "http://example.com:00080/": "http://example.com/",
    "http://example.com:/": "http://example.com/",
    "http://example.com:0/": "http://example.com:0/",
    "https://example.com:443/a/../b?q#frag": "https://example.com/b?q",
    "http://0x/": "http://0.0.0.0/",
    "http://\u00df.example/": "http://xn--zca.example/",
    "http://\u2603.net/": "http://xn--n3h.net/",
    "http://fa\u00df.de/": "http://xn--fa-hia.de/",
    "http://example.com.": "http://example.com./",
    "  http://example.com/ ": "http://example.com/",
    "http://example.com/a b?c d#e f": "http://example.com/a%20b?c%20d",
    "http://a_b.example.com/": "http://a_b.example.com/",
    "http://exa%6dple.com/": "http://example.com/",
    "http://example.com/\u00e9?\u00e9": "http://example.com/%C3%A9?%C3%A9",
    "https://example.com\\x\\y": "https://example.com/x/y",
    f"http://{LONG_LABEL}.com/": f"http://{LONG_LABEL}.com/",
}

WITHOUT_SCHEME = {
    "//example.com/": "https://example.com/",
    "example.com": "https://example.com/",
    "www.example.com/path": "https://www.example.com/path",
    "example.com:8080/path": "https://example.com:8080/path",
    "example.com:8443": "https://example.com:8443/",
    "localhost:8000": "http://localhost:8000/",
    "localhost:8000/x:y": "http://localhost:8000/x:y",
    "localhost": "http://localhost/",
    "localhost:443": "https://localhost/",
    "localhost:8443": "https://localhost:8443/",
    "//localhost/": "http://localhost/",
    "app.localhost:3000": "http://app.localhost:3000/",
    "127.0.0.1": "http://127.0.0.1/",
    "127.0.0.1:5000": "http://127.0.0.1:5000/",
    "192.168.0.1": "http://192.168.0.1/",
    "11.22.33.44": "https://11.22.33.44/",
    "[::1]:8000/x": "http://[::1]:8000/x",
    "my-box:3000?x": "http://my-box:3000/?x",
    "example.com?u=http://x/": "https://example.com/?u=http://x/",
    "EXAMPLE.com": "https://example.com/",
}

REFUSED = {
    "": "empty",
    "http://[fe80::1%25eth0]/": "unparsable",
    "http://[fe80::1%lo]/": "unparsable",
    "http://user:pw@example.com/": "userinfo_not_allowed",
    "http://example.com@127.0.0.1/": "userinfo_not_allowed",
    "http://a@b@127.0.0.1/": "userinfo_not_allowed",
    "http://@example.com/": "userinfo_not_allowed",
    "user@example.com": "userinfo_not_allowed",
    "http:\\\\user@example.com": "userinfo_not_allowed",
    "file:///etc/passwd": "scheme_not_allowed",
    "gopher://example.com/": "scheme_not_allowed",
    "ftp://example.com/": "scheme_not_allowed",
    "\uff48\uff54\uff54\uff50\uff53://example.com/": "scheme_not_allowed",
    "\uff48\uff54\uff54\uff50:8080/": "scheme_not_allowed",
    "1http://example.com/": "scheme_not_allowed",
    "ht tp://example.com/": "scheme_not_allowed",
    "h\u00e4ttp:\\\\example.com/": "scheme_not_allowed",
    "https\uff1a//example.com/": "unparsable",
    "dict://x/": "scheme_not_allowed",
    "jar:http://x!/y": "scheme_not_allowed",
    "data:text/html,x": "scheme_not_allowed",
    "javascript:alert(1)": "scheme_not_allowed",
    "blob:http://x/y": "scheme_not_allowed",
    "about:blank": "scheme_not_allowed",
    "view-source:http://example.com/": "scheme_not_allowed",
    "chrome://version": "scheme_not_allowed",
    "http+unix://x/": "scheme_not_allowed",
    "ws://example.com/": "scheme_not_allowed",
    "tel:123": "scheme_not_allowed",
    "mailto:a@example.com": "scheme_not_allowed",
    "http://example.com:65536/": "unparsable",
    "http://example.com:-1/": "unparsable",
    "http://example.com:+80/": "unparsable",
    "http://example.com:8_0/": "unparsable",
    "example.com:8_0": "unparsable",
    "http://example.com: 80/": "unparsable",
    "http://exa mple.com/": "unparsable",
    "http://example.com:\uff18\uff10/": "unparsable",
    "http://exa\tmple.com/": "control_character",
    "http://exa\nmple.com/": "control_character",
    "http://example.com\r\nX: y/": "control_character",
    "\thttp://example.com/": "control_character",
    "http://example.com/\n": "control_character",
    "http://example.com/\x7f": "control_character",
    "http://127.0.0.1\x00.example.com/": "control_character",
    "http://127.0.0.1%00.example.com/": "unparsable",
    "http://exa<mple.com/": "unparsable",
    'http://exa"mple.com/': "bad_host",
    "http://exa`mple.com/": "bad_host",
    "http://exa{mple}.com/": "bad_host",
    "http://exa^mple.com/": "unparsable",
    "http://exa|mple.com/": "unparsable",
    "http://[::1]:80:90/": "unparsable",
    "http://[127.0.0.1]/": "unparsable",
    "http://[example.com]/": "unparsable",
    "http://[v1.a]/": "unparsable",
    "http://[/": "unparsable",
    "http://256.256.256.256/": "unparsable",
    "http://1.2.3.4.5/": "unparsable",
    f"http://{'a' * 64}.com/": "bad_host",
    f"http://{LONG_NAME}.com/": "bad_host",
    "http://a..b/": "bad_host",
    "http://.example.com/": "bad_host",
    "http://example.com.../": "bad_host",
    "http://xn--/": "bad_host",
    "http://xn--a/": "bad_host",
    "http://xn--" + "a" * 1_000 + "/": "bad_host",
    "http://": "unparsable",
    "http:///": "unparsable",
    "/path": "relative",
    "../path": "relative",
    "?query": "relative",
    "#fragment": "relative",
    "\\\\server\\share": "relative",
    "http://example.com/" + "a" * 2_030: "too_long",
    "http://example.com/" + "\u00e9" * 1_000: "too_long",
}


@pytest.mark.parametrize("typed", ACCEPTED)
def test_every_spelling_has_one_canonical_form(typed: str) -> None:
    """Rows A01 to A34 where the parser finds a host."""
    assert parse_target_url(typed) == Target(ACCEPTED[typed], typed_without_scheme=False)


@pytest.mark.parametrize("typed", WITHOUT_SCHEME)
def test_a_missing_scheme_becomes_https_or_http_nearby(typed: str) -> None:
    """Row A20; a host with a port is not taken for a scheme."""
    assert parse_target_url(typed) == Target(WITHOUT_SCHEME[typed], typed_without_scheme=True)


@pytest.mark.parametrize(
    "number", range(len(REFUSED)), ids=[f"{n}-{reason}" for n, reason in enumerate(REFUSED.values())]
)
def test_what_cannot_be_analysed_is_refused_with_a_reason(number: int) -> None:
    """Rows A12 to A33 where the answer is an error."""
    typed, reason = list(REFUSED.items())[number]
    with pytest.raises((InvalidURL, URLNotAllowed)) as caught:
        parse_target_url(typed)

    assert caught.value.reason == reason
    assert isinstance(caught.value, URLNotAllowed) == reason.endswith("not_allowed")


def test_a_message_names_the_value_but_no_password_and_no_control_character() -> None:
    """It may be shown on a terminal and written to a log."""
    with pytest.raises(InvalidURL) as caught:
        parse_target_url("http://exa\x1b[31mmple.com/\r\n" + "x" * 200)
    with pytest.raises(URLNotAllowed) as secret:
        parse_target_url("https://me:hunter2@example.com/")

    assert "http://exa\\x1b[31mmple.com/" in caught.value.message
    assert caught.value.message.isprintable()
    assert "hunter2" not in secret.value.message


def test_the_length_limit_is_exact() -> None:
    """Row A33."""
    start = "https://example.com/"
    longest = start + "a" * (MAX_URL_CHARACTERS - len(start))

    assert parse_target_url(longest).url == longest
    with pytest.raises(InvalidURL):
        parse_target_url(longest + "a")


@given(st.text(max_size=60) | st.from_regex(r"(https?:)?[/\\]{0,3}[a-z0-9.:@%\[\]#?-]{0,30}", fullmatch=True))
def test_a_target_is_stable_and_harmless(typed: str) -> None:
    """Reading the canonical form again changes nothing, and what is promised of it holds."""
    try:
        target = parse_target_url(typed)
    except InvalidInput:
        return

    assert parse_target_url(target.url).url == target.url
    assert is_http(target.url)
    assert target.url.isascii()
    assert "#" not in target.url
    assert not has_userinfo(target.url)
    assert host(target.url)
    assert host_problem(host(target.url)) is None


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("x", "https://example.com/a/x"),
        ("../x", "https://example.com/x"),
        ("/x", "https://example.com/x"),
        ("//other.com/x", "https://other.com/x"),
        ("?y", "https://example.com/a/b?y"),
        ("#z", "https://example.com/a/b?q#z"),
        ("", "https://example.com/a/b?q"),
        (" \n/x\t", "https://example.com/x"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("https://[", None),
        ("http://a b/", None),
        ("/\ud800", "https://example.com/%EF%BF%BD"),
        ("\\x", "https://example.com/x"),
    ],
)
def test_references_are_joined_as_browsers_do(href: str, url: str | None) -> None:
    """WHATWG join against the document."""
    assert join_url("https://example.com/a/b?q", href) == url


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_joining_never_raises_and_adds_nothing(href: str) -> None:
    """The answer is the parser's own, and a URL that is absolute already stays what it is."""
    base = "https://example.com/a/b"
    try:
        expected = ada_url.URL(href, base).href
    except ValueError:
        expected = None
    found = join_url(base, href)

    assert found == expected
    if found is not None:
        assert join_url(base, found) == found


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://example.com/", ("https", "example.com", 443, "https://example.com")),
        ("http://example.com:8080/x", ("http", "example.com", 8080, "http://example.com:8080")),
        ("https://[::1]:8000/", ("https", "[::1]", 8000, "https://[::1]:8000")),
        ("ftp://example.com/", ("ftp", "example.com", None, "")),
        ("mailto:a@b.c", ("mailto", "", None, "")),
        ("nonsense", ("", "", None, "")),
    ],
)
def test_parts_of_a_url(url: str, parts: tuple[str, str, int | None, str]) -> None:
    """Scheme, host, port and origin; the port is the scheme's own where none is written."""
    assert (scheme(url), host(url), port(url), origin(url)) == parts


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("a.b.github.io", "b.github.io"),
        ("github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("www.example.com.", "example.com"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
        ("www.xn--n3h.net", "xn--n3h.net"),
        ("", ""),
    ],
)
def test_registrable_domains(name: str, domain: str) -> None:
    """By the public suffix list, private section included."""
    assert registrable_domain(name) == domain


def test_same_site_ignores_scheme_and_subdomain() -> None:
    """First party means the same registrable domain."""
    assert same_site("https://www.example.com/", "http://cdn.example.com:8080/x")
    assert not same_site("https://a.github.io/", "https://b.github.io/")
    assert not same_site("mailto:x", "mailto:y")


@pytest.mark.parametrize(
    ("url", "project"),
    [
        ("https://www.example.com/x", "example.com"),
        ("WWW.Example.com", "example.com"),
        ("https://example.com/x", "example.com"),
        ("http://example.com:8080/", "example.com:8080"),
        ("https://example.com:443/", "example.com"),
        ("http://example.com:443/", "example.com:443"),
        ("https://www.com/", "www.com"),
        ("https://example.com./", "example.com"),
        ("https://[::1]:8000/", "[::1]:8000"),
        ("not a host", ""),
    ],
)
def test_projects(url: str, project: str) -> None:
    """The host without www, with the port where it is not the scheme's own."""
    assert project_of(url) == project


def test_literals_are_distinguished_from_names() -> None:
    """Canonical hosts only; every other spelling has become one."""
    assert str(host_address("127.0.0.1")) == "127.0.0.1"
    assert str(host_address("[2001:db8::1]")) == "2001:db8::1"
    assert host_address("example.com") is None


def test_fragments_are_dropped() -> None:
    """They are never sent."""
    assert strip_fragment("https://example.com/x?y#z#w") == "https://example.com/x?y"


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://example.com/#/chairs?a=1#b", "https://example.com/#/chairs?a=1#b"),
        ("example.com#!chairs", "https://example.com/#!chairs"),
        ("https://example.com/x#/", "https://example.com/x#/"),
        ("https://example.com/#/a b<c>", "https://example.com/#/a%20b%3Cc%3E"),
        ("https://example.com/#!", "https://example.com/"),
        ("https://example.com/#", "https://example.com/"),
        ("https://example.com/#top", "https://example.com/"),
        ("https://example.com/#top#/chairs", "https://example.com/"),
        ("https://example.com/#:~:text=chairs", "https://example.com/"),
    ],
)
def test_a_fragment_stays_where_it_is_a_route(typed: str, url: str) -> None:
    """A script shows its page by it; a server is asked without."""
    target = parse_target_url(typed)

    assert target.url == url
    assert "#" not in target.document_url
    assert url.startswith(target.document_url)


def test_a_route_counts_for_the_length() -> None:
    """At the limit, and one past it."""
    longest = "https://example.com/#/" + "a" * (MAX_URL_CHARACTERS - 22)

    assert parse_target_url(longest).url == longest
    for more in (longest + "a", longest[:-1] + "\u00e4"):
        with pytest.raises(InvalidURL) as refused:
            parse_target_url(more)
        assert refused.value.reason == "too_long"


JOIN_PIECES = st.sampled_from(
    (
        "/|//|///|.|..|./|../|a|B|z9|-|_|~|%2e|%2E|%41|%|?|??|#|##|:|:80|:443|@|user@|http://|https://|HTTP://|ftp://|"
        "example.com|EXAMPLE.com|xn--a|xn--n3h.net|a.xn--p1ai|1.2.3.4|0x7f.1|1.2.3|256.256|a.0|a.1x|-a.com|a-.com|a..b|"
        "example.com.|localhost|\\|\t|\n| |+|,|;|=|&|$|!|*|(|)|'|\"|<|>|[|]|{|}|^|`|||é|ß|\u3002|\uff0e|\x00|\ud800|"
        "index.html|.hidden|.well-known|...|a.b/c.d|q=1&r=2|#frag"
    ).split("|")
)
JOIN_BASES = st.sampled_from(
    (
        "https://example.com/",
        "https://example.com/a/b?c#d",
        "http://example.com:8080/x/",
        "http://127.0.0.1/",
        "http://[::1]:9/",
        "https://user@example.com/",
        "https://example.com",
        "about:blank",
        "file:///etc/passwd",
    )
)


@settings(max_examples=1500)
@given(base=JOIN_BASES, href=st.lists(JOIN_PIECES, max_size=8).map("".join))
def test_short_cut_agrees_with_the_parser(base: str, href: str) -> None:
    """Whatever is joined, the fast way and the standard's parser mean the same URL."""
    try:
        expected = ada_url.join_url(base, href)
    except (ValueError, UnicodeEncodeError):
        return

    assert join_url(base, href) == expected


@pytest.mark.parametrize("href", ["/a/b.html?x=%20#y", "https://cdn.example.com/lib/1.2.3/a-b_c.js?v=1", "/", "/a//b"])
def test_short_cut_is_taken_for_what_pages_are_full_of(href: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain addresses do not reach the parser."""
    expected = ada_url.join_url("https://example.com/x", href)
    join_url("https://example.com/x", "/warm-up")
    monkeypatch.setattr("ada_url.join_url", None)

    assert join_url("https://example.com/x", href) == expected
