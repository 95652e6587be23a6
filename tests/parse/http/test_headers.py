from __future__ import annotations

import pytest

from pagegrade.parse.http.headers import (
    MAX_LINKS,
    is_token,
    parse_directives,
    parse_links,
    parse_list,
    parse_media_type,
    parse_tokens,
    split_outside_quotes,
    unquote,
)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("a, b ,c", ["a", "b", "c"]),
        ("", [""]),
        ("a,,b", ["a", "", "b"]),
        ('"a,b", c', ['"a,b"', "c"]),
        (r'"a\",b", c', [r'"a\",b"', "c"]),
        (r'"a\\", c', [r'"a\\"', "c"]),
        ('a, "b, c', ["a", '"b, c']),
    ],
)
def test_separators_inside_quotes_do_not_separate(value: str, parts: list[str]) -> None:
    """Escapes are honoured, and an unclosed quote runs to the end."""
    assert split_outside_quotes(value, ",") == parts


@pytest.mark.parametrize(
    ("text", "content"),
    [("a", "a"), ('"a"', "a"), (r'"a\"b\\c"', 'a"b\\c'), ('"', ""), ('"a', "a"), ('""', ""), (r'"a\"', "a")],
)
def test_quoted_strings_lose_quotes_and_escapes(text: str, content: str) -> None:
    """Broken ones give what can be read."""
    assert unquote(text) == content


@pytest.mark.parametrize(
    ("text", "expected"), [("max-age", True), ("", False), ("a b", False), ("a:b", False), ("ä", False)]
)
def test_tokens_hold_no_separators(text: str, expected: bool) -> None:  # noqa: FBT001
    """Only the characters of a header name."""
    assert is_token(text) is expected


def test_lists_run_over_all_lines_without_empty_members() -> None:
    """Two lines are one list."""
    assert parse_list(["Accept, ,", "Cookie"]) == ("Accept", "Cookie")
    assert parse_tokens(["Accept", "COOKIE"]) == ("accept", "cookie")


def test_directives_keep_the_first_value() -> None:
    """Names in lower case, values unquoted."""
    values = ['Max-Age=60, private="Set-Cookie, X", max-age=1', "no-store, =x"]

    assert parse_directives(values) == {"max-age": "60", "private": "Set-Cookie, X", "no-store": ""}


@pytest.mark.parametrize(
    ("value", "essence", "charset"),
    [
        ("text/html", "text/html", None),
        ("TEXT/HTML; Charset=UTF-8", "text/html", "UTF-8"),
        ('text/html;charset="utf-8"', "text/html", "utf-8"),
        ("text/html;charset=a;charset=b", "text/html", "a"),
        ("text/html; charset=", "text/html", None),
        ("text/plain, text/html", "text/html", None),
        ("text/html;charset=utf-8, text/html", "text/html", "utf-8"),
        ("text/html, nonsense", "text/html", None),
        ("text/plain;charset=a, text/html", "text/html", None),
        ("text/html;charset=a, text/html;charset=b", "text/html", "b"),
    ],
)
def test_media_types(value: str, essence: str, charset: str | None) -> None:
    """The last readable type counts, as in browsers."""
    media_type = parse_media_type(value)

    assert media_type is not None
    assert (media_type.essence, media_type.charset) == (essence, charset)


def test_parameters_without_a_proper_name_are_left_out() -> None:
    """A blank in a name makes it no name."""
    media_type = parse_media_type("text/html; char set=x; a=b")

    assert media_type is not None
    assert dict(media_type.parameters) == {"a": "b"}


@pytest.mark.parametrize("value", [None, "", "html", "text/", "/html", "text/ht ml", "*/*", ";charset=x"])
def test_text_that_is_no_media_type(value: str | None) -> None:
    """Nothing is guessed."""
    assert parse_media_type(value) is None


def test_links_of_several_lines() -> None:
    """Targets may hold commas, parameters may be quoted, relations are lower case."""
    links = parse_links(
        [
            '<https://a.test/x,y>; rel="Canonical Next"; title="a, b;c", </s.css>;rel=preload;as=style',
            "<b>; rel=prev; rel=x",
        ]
    )

    assert [(link.target, link.rel) for link in links] == [
        ("https://a.test/x,y", ("canonical", "next")),
        ("/s.css", ("preload",)),
        ("b", ("prev",)),
    ]
    assert dict(links[0].parameters) == {"title": "a, b;c"}
    assert links[1].parameters["as"] == "style"


@pytest.mark.parametrize("value", ["", "a; rel=next", "<a", "rel=next", ">"])
def test_malformed_links_are_left_out(value: str) -> None:
    """Without angle brackets there is no target."""
    assert parse_links([value]) == ()


def test_junk_before_a_link_drops_only_that_link() -> None:
    """The next member is read."""
    assert [link.target for link in parse_links(["junk <a>; rel=x, <b>; rel=y"])] == ["b"]


def test_number_of_links_is_bounded() -> None:
    """A thousand links over many lines give a hundred."""
    assert len(parse_links(["<a>; rel=x, " * 500] * 2)) == MAX_LINKS


@pytest.mark.parametrize("value", ["<" * 50_000, '"' * 50_001, "<a>" + ";" * 50_000, "<a>,x" * 20_000, "\\" * 50_000])
def test_hostile_values_are_read_to_their_end(value: str) -> None:
    """No error, whatever is sent."""
    assert len(parse_links([value])) <= MAX_LINKS
    assert isinstance(parse_directives([value]), dict)
    assert parse_media_type(value) is None
