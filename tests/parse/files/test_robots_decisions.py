"""Whole robots.txt files decided as RFC 9309 and Google's documentation say."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import Response
from pagegrade.parse.files.robots import MAX_BYTES, Robots, parse_robots_txt

SITE = "https://example.com"


def make_robots(body: str | bytes, *, status: int = 200) -> Robots:
    """A file that could be read."""
    data = body if isinstance(body, bytes) else body.encode()
    robots = parse_robots_txt(Response(url=SITE + "/robots.txt", status=status, body=data))
    assert isinstance(robots, Robots)
    return robots


def allowed(body: str | bytes, agent: str, path: str) -> bool:
    """Return whether that crawler may fetch that path."""
    return make_robots(body).decide(agent, SITE + path).allowed


GROUPS = """
allow: /before/

user-agent: Shrew
disallow: /
allow: /x/
user-agent: Vole
disallow: /
allow: /y/


allow: /w/
user-agent: Mouse
user-agent: Shrew
allow: /z/
disallow: /
"""


@pytest.mark.parametrize(
    ("agent", "paths"),
    [("Shrew", {"/x/b", "/z/d"}), ("Vole", {"/y/c", "/w/a"}), ("Mouse", {"/z/d"})],
)
def test_groups_merge_and_empty_lines_end_nothing(agent: str, paths: set[str]) -> None:
    """Groups of one name are one; rules after an empty line still belong to theirs, rules before any group to none."""
    every = {"/x/b", "/y/c", "/z/d", "/w/a", "/before/a"}

    assert {path for path in every if allowed(GROUPS, agent, path)} == paths


@pytest.mark.parametrize("line", ["Sitemap: https://example.com/s.xml", "Crawl-delay: 5", "Some-thing: else", "# note"])
def test_other_lines_between_names_do_not_end_the_naming(line: str) -> None:
    """Both names share the rule below them."""
    body = f"User-agent: Vole\n{line}\nUser-agent: *\nDisallow: /\n"

    assert not allowed(body, "Vole", "/a")
    assert not allowed(body, "Shrew", "/a")


@pytest.mark.parametrize(
    ("value", "binds_shrew", "binds_others"),
    [
        ("Shrew", True, False),
        ("sHREW", True, False),
        ("Shrew/2.1", True, False),
        ("Shrew Bot", True, False),
        ("Shrew-Images", False, False),
        ("Shre", False, False),
        ("*", True, True),
        ("* anything", True, True),
        ("*shrew", False, False),
        ("360Shrew", False, False),
        ("", False, False),
    ],
)
def test_names(value: str, binds_shrew: bool, binds_others: bool) -> None:  # noqa: FBT001 - columns of a table
    """The product token decides: whole, in any case, up to a version or a blank; only a lone star means all."""
    body = f"User-agent: {value}\nDisallow: /\n"

    assert allowed(body, "Shrew", "/a") is not binds_shrew
    assert allowed(body, "Vole", "/a") is not binds_others


def test_a_name_with_digits_is_no_oddity() -> None:
    """Such crawlers exist; only a line without any name is one."""
    assert not make_robots("User-agent: 360Spider\nUser-agent: 008\nDisallow: /").problems
    assert make_robots("User-agent:\nDisallow: /").problem_counts == {"empty_agent": 1}


@pytest.mark.parametrize(
    ("rules", "path", "may"),
    [
        ("Disallow: /x/page.html\nAllow: /x/", "/x/page.html", False),
        ("Disallow: /x/page.html\nAllow: /x/", "/x/", True),
        ("Disallow: /x/\nAllow: /x/page.html", "/x/page.html", True),
        ("Disallow:\nAllow:", "/x", True),
        ("Disallow: /\nAllow: /", "/x", True),
        ("Disallow: /x\nAllow: /x/", "/x", False),
        ("Disallow: /x\nAllow: /x/", "/x/", True),
        ("Allow: /page\nDisallow: /*.html", "/page.html", False),
        ("Allow: /page\nDisallow: /*.html", "/page", True),
        ("Allow: /x/page.\nDisallow: /*.html", "/x/page.html", True),
        ("Allow: /x/page.\nDisallow: /*.html", "/x/y.html", False),
        ("Disallow: /fish*", "/fish.html", False),
        ("Disallow: /fish*", "/catfish", True),
        ("Disallow: /foo/*/quz", "/foo//quz", False),
        ("Disallow: /foo/*/quz", "/foo/quz", True),
        ("Disallow: /foo/bar$\nAllow: /foo/bar/qux", "/foo/bar", False),
        ("Disallow: /foo/bar$\nAllow: /foo/bar/qux", "/foo/bar/", True),
        ("Disallow: /foo/quz#qux", "/foo/quz", False),
        ("# Disallow: /\nDisallow: /foo", "/bar", True),
        ("Disallow: /a$b$", "/a$b", False),
        ("Disallow: $", "/", True),
        ("Disallow: *$", "/x", False),
        ("Disallow: /*?", "/a?", False),
        ("Disallow: /*?", "/a", True),
        ("Disallow: /a;b", "/a;b", False),
        ("Disallow: /\tx", "/%09x", True),
        ("Allow: /x*\nDisallow: /x", "/xy", True),
        ("Disallow: /x*\nAllow: /x", "/xy", False),
    ],
)
def test_longest_rule_wins(rules: str, path: str, may: bool) -> None:  # noqa: FBT001 - one column of a table
    """The pattern with the most octets decides, a star among them, and Allow where they are equal."""
    assert allowed(f"User-agent: *\n{rules}\n", "Shrew", path) is may


@pytest.mark.parametrize(
    ("rule", "path", "same"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", True),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A", True),
        ("/a%3Fb", "/a?b", False),
        ("/a?b", "/a%3Fb", False),
        ("/a%2525", "/a%25", False),
        ("/a%25", "/a%25", True),
        ("/ä", "/%C3%A4", True),
    ],
)
def test_equal_octets_are_equal_however_written(rule: str, path: str, same: bool) -> None:  # noqa: FBT001 - a column
    """Percent-encoding is undone for unreserved characters and made for all beyond ASCII; reserved ones differ."""
    assert allowed(f"User-agent: *\nDisallow: {rule}\n", "Shrew", path) is not same


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_every_line_end_ends_a_line(end: str) -> None:
    """Files come from all kinds of systems, with and without a mark at their beginning."""
    body = end.join(["User-agent: Shrew", "Disallow: /a", "", "User-agent: *", "Disallow: /b"])

    for start in (b"", b"\xef\xbb\xbf"):
        decision = make_robots(start + body.encode()).decide("Vole", SITE + "/b")
        assert (decision.allowed, decision.line, decision.rule) == (False, 5, "Disallow: /b")


@pytest.mark.parametrize(
    ("status", "may"),
    [
        (200, False),
        (301, True),
        (304, True),
        (401, True),
        (403, True),
        (404, True),
        (451, True),
        (429, False),
        (500, False),
        (503, False),
        (599, False),
    ],
)
def test_status(status: int, may: bool) -> None:  # noqa: FBT001 - one column of a table
    """A client error is no file, a server error and too many requests a ban at first, as Google documents."""
    assert make_robots("User-agent: *\nDisallow: /", status=status).decide("Googlebot", SITE + "/a").allowed is may


def test_at_least_five_hundred_kibibytes_are_read() -> None:
    """The last rule inside the limit counts."""
    rule = "\nDisallow: /end\n"
    body = "User-agent: *\n" + "#" * (MAX_BYTES - len("User-agent: *\n") - len(rule)) + rule

    assert len(body) == 500 * 1024
    assert not allowed(body, "Shrew", "/end")


@pytest.mark.parametrize("mark", [b"", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"])
def test_byte_order_mark_or_the_start_of_one_does_not_hide_the_first_line(mark: bytes) -> None:
    """Editors leave halves of it behind."""
    assert not allowed(mark + b"User-agent: *\nDisallow: /a", "Shrew", "/a")


@pytest.mark.parametrize("mark", [b"\xef\x11\xbf", b"\n\xef\xbb\xbf"])
def test_stray_bytes_hide_a_line(mark: bytes) -> None:
    """Bytes that are no mark, or do not stand at the very start, spoil their line."""
    assert allowed(mark + b"User-agent: *\nDisallow: /a", "Shrew", "/a")


@pytest.mark.parametrize(
    ("rule", "may"),
    [("Disallow /a", False), ("disallow\t/a", False), ("Disallow /a b", True), ("Disallow", True)],
)
def test_missing_colon_is_read_between_exactly_two_words(rule: str, may: bool) -> None:  # noqa: FBT001 - one column
    """With more words than two the meaning is unknown."""
    assert allowed(f"User-agent: *\n{rule}", "Shrew", "/a") is may


@pytest.mark.parametrize("line", ["Sitemap: https://example.com/s.xml", "Crawl-delay: 5", "Unicorn: /x", "hello", ""])
def test_line_that_the_rfc_does_not_know_ends_no_group(line: str) -> None:
    """RFC 9309, section 2.2.4: other records do not interfere."""
    assert not allowed(f"User-agent: Shrew\n{line}\nUser-agent: Vole\nDisallow: /a", "Shrew", "/a")


def test_index_page_is_not_its_directory() -> None:
    """Google alone reads the one as the other."""
    assert not allowed("User-agent: *\nDisallow: /\nAllow: /docs/index.html", "Shrew", "/docs/")
