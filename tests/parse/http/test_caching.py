"""The lifetime of a cached answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.artifacts import Response
from pagegrade.parse.http.caching import MAX_SECONDS, CachePolicy, read_cache_policy, shared_copy, validator_of

DATE = ("Date", "Mon, 05 Jan 2026 12:00:00 GMT")


def policy(*headers: tuple[str, str], received_at: datetime | None = None) -> CachePolicy:
    """The policy of an answer with these headers."""
    return read_cache_policy(
        Response(url="https://example.com/a.css", status=200, headers=headers), received_at=received_at
    )


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ((("ETag", '"a"'), ("Last-Modified", DATE[1])), '"a"'),
        ((("ETag", 'W/"a"'),), 'W/"a"'),
        ((("ETag", '""'),), '""'),
        ((("ETag", f'"{"x" * 200}"'),), f'"{"x" * 200}"'),
        ((("ETag", f'"{"x" * 201}"'),), ""),
        ((("ETag", "a"), ("Last-Modified", DATE[1])), DATE[1]),
        ((("ETag", '"a", "b"'),), ""),
        ((("ETag", '"a"'), ("ETag", '"b"')), ""),
        ((("Last-Modified", "yesterday"),), ""),
        ((("Last-Modified", f"{DATE[1]}\nX: y"),), ""),
        ((), ""),
    ],
)
def test_a_validator_is_one_that_can_be_sent_back(headers: tuple[tuple[str, str], ...], validator: str) -> None:
    """The entity tag before the date; nothing else that a server may send there."""
    assert validator_of(Response(url="https://example.com/", status=200, headers=headers)) == validator


@pytest.mark.parametrize(
    ("value", "directives"),
    [
        ("max-age=600", {"max-age": "600"}),
        ("Public, MAX-AGE = 600", {"public": "", "max-age": "600"}),
        ('no-cache="set-cookie, x", max-age=5', {"no-cache": "set-cookie, x", "max-age": "5"}),
        ('max-age="600"', {"max-age": "600"}),
        (
            "stale-while-revalidate=60, fancy, max-age=1",
            {"stale-while-revalidate": "60", "fancy": "", "max-age": "1"},
        ),
        (",, ,max-age=1,", {"max-age": "1"}),
        ("max-age=1, max-age=2", {"max-age": "1"}),
        (r'x="a\"b,c", public', {"x": 'a"b,c', "public": ""}),
        ('x="never closed, max-age=5', {"x": "never closed, max-age=5"}),
        ("", {}),
        ("=5", {}),
    ],
)
def test_directives_are_read_with_quotes_and_unknown_names(value: str, directives: dict[str, str]) -> None:
    """Commas in quotes split nothing, and extensions are kept."""
    found = policy(("Cache-Control", value)).directives

    assert found == directives


@pytest.mark.parametrize(
    ("headers", "lifetime", "source"),
    [
        ([("Cache-Control", "max-age=600")], 600, "max-age"),
        ([("cache-CONTROL", "public"), ("Cache-Control", "max-age=600")], 600, "max-age"),
        ([("Cache-Control", "max-age=600"), ("Expires", "0")], 600, "max-age"),
        ([("Cache-Control", "max-age=ten")], 0, "max-age"),
        ([("Cache-Control", "max-age=-1")], 0, "max-age"),
        ([("Cache-Control", "max-age")], 0, "max-age"),
        ([("Cache-Control", "max-age=" + "9" * 40)], MAX_SECONDS, "max-age"),
        ([("Cache-Control", "max-age=" + "0" * 40 + "7")], 7, "max-age"),
        ([DATE, ("Expires", "Mon, 05 Jan 2026 13:00:00 GMT")], 3600, "expires"),
        ([DATE, ("Expires", "Monday, 05-Jan-26 13:00:00 GMT")], 3600, "expires"),
        ([DATE, ("Expires", "Mon Jan  5 13:00:00 2026")], 3600, "expires"),
        ([DATE, ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], 0, "expires"),
        ([DATE, ("Expires", "0")], 0, "expires"),
        ([DATE, ("Expires", "")], 0, "expires"),
        ([("Expires", "Mon, 05 Jan 2026 13:00:00 GMT")], None, "expires"),
        ([("Cache-Control", "public"), ("ETag", '"a"')], None, ""),
        ([], None, ""),
    ],
)
def test_the_lifetime_is_what_the_sender_states(
    headers: list[tuple[str, str]], lifetime: int | None, source: str
) -> None:
    """A max-age beats Expires, whatever is unreadable is stale, and silence is no number."""
    found = policy(*headers)

    assert (found.lifetime_s, found.source) == (lifetime, source)


def test_the_time_of_receipt_stands_in_for_a_missing_date() -> None:
    """An Expires alone still says how long."""
    found = policy(("Expires", "Mon, 05 Jan 2026 13:00:00 GMT"), received_at=datetime(2026, 1, 5, 12, 30, tzinfo=UTC))

    assert found.lifetime_s == 1800


def test_an_age_beyond_the_lifetime_means_stale_on_arrival() -> None:
    """A cache on the way may have used the lifetime up."""
    assert policy(("Cache-Control", "max-age=600"), ("Age", "600")).stale_on_arrival
    assert not policy(("Cache-Control", "max-age=600"), ("Age", "599")).stale_on_arrival
    assert not policy(("Cache-Control", "max-age=600"), ("Age", "soon")).stale_on_arrival
    assert not policy(("Cache-Control", "max-age=0"), ("Age", "5")).stale_on_arrival


def test_directives_with_field_names_speak_of_those_fields_only() -> None:
    """``no-cache="set-cookie"`` does not forbid using the answer unasked."""
    found = policy(("Cache-Control", 'no-cache="set-cookie", private="x-user", max-age=60'))

    assert not found.no_cache
    assert not found.private
    assert found.shared_lifetime_s == 60


def test_words_are_found_in_any_case() -> None:
    """Names of directives have no case."""
    found = policy(("Cache-Control", "No-Store, No-Cache, Private, Must-Revalidate, IMMUTABLE"))

    assert found.no_store
    assert found.no_cache
    assert found.private
    assert found.must_revalidate
    assert found.immutable


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("max-age=60", 60),
        ("max-age=60, s-maxage=600", 600),
        ("max-age=60, s-maxage=0", 0),
        ("private, max-age=60", 0),
        ("no-store, max-age=60", 0),
        ("no-cache, max-age=60", 0),
        ("public", 0),
    ],
)
def test_shared_caches_have_a_lifetime_of_their_own(value: str, seconds: int) -> None:
    """The directive for shared caches wins there; private answers are not theirs."""
    found = policy(("Cache-Control", value))

    assert found.shared_lifetime_s == seconds


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("ETag", '"a"')], True),
        ([("last-modified", "Mon, 05 Jan 2026 12:00:00 GMT")], True),
        ([("ETag", " ")], False),
        ([], False),
    ],
)
def test_either_validator_is_one(headers: list[tuple[str, str]], expected: bool) -> None:  # noqa: FBT001 - a table
    """An ETag or a modification date lets a browser ask cheaply."""
    found = policy(*headers)

    assert found.has_validator is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("Cache-Control", "max-age=0")], True),
        ([("Cache-Control", 'max-age="-5"')], True),
        ([("Expires", "0")], True),
        ([("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Date", "Mon, 05 Jan 2026 12:00:00 GMT")], True),
        ([("Pragma", "No-Cache")], True),
        ([("Cache-Control", "public"), ("Pragma", "no-cache")], False),
        ([("Cache-Control", "max-age=60"), ("Expires", "0")], False),
        ([("Cache-Control", "max-age=soon")], False),
        ([("Cache-Control", "max-age")], False),
        ([("Expires", "soon")], False),
        ([], False),
    ],
)
def test_intended_staleness_is_distinguished_from_mistakes(
    headers: list[tuple[str, str]],
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    """Nought and the past are meant; what cannot be read is not."""
    found = policy(*headers)

    assert found.stale_by_intent is expected


def test_vary_lines_are_merged() -> None:
    """Several lines are one list of names."""
    found = policy(("Vary", "Accept-Encoding, Cookie"), ("vary", "ORIGIN"))

    assert found.vary == {"accept-encoding", "cookie", "origin"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Cache-Control", "Expires", "Date", "Age", "Vary", "ETag", "Pragma"]),
            st.text(alphabet='max-age=0123456789," \\,GMT:Jan', max_size=40) | st.text(max_size=40),
        ),
        max_size=6,
    )
)
def test_any_headers_are_read_without_an_exception(headers: list[tuple[str, str]]) -> None:
    """Values come from the world."""
    found = policy(*headers)

    assert found.lifetime_s is None or 0 <= found.lifetime_s <= MAX_SECONDS
    assert found.age_s >= 0


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ([("X-Cache", "HIT")], "X-Cache"),
        ([("X-Cache", "TCP_HIT from a.example"), ("Cache-Control", "private")], "X-Cache"),
        ([("CF-Cache-Status", "HIT"), ("Age", "0")], "CF-Cache-Status"),
        ([("Cache-Status", "edge; hit; ttl=40")], "Cache-Status"),
        ([("Age", "1184"), ("Cache-Control", "public, s-maxage=3600")], "Age"),
        ([("X-Cache", "MISS, HIT"), ("Age", "1")], "Age"),
        ([("X-Cache", "MISS, HIT")], ""),
        ([("Cache-Status", "edge; fwd=uri-miss; hit-ratio=3")], ""),
        ([("CF-Cache-Status", "DYNAMIC"), ("Age", "0")], ""),
        ([("X-Cache", "white")], ""),
        ([("Age", "1184"), ("Cache-Control", "private, max-age=60")], ""),
        ([("Age", "1184"), ("Cache-Control", "no-store")], ""),
        ([("Cache-Control", "public, s-maxage=3600")], ""),
        ([], ""),
    ],
)
def test_copies_of_shared_caches(headers: list[tuple[str, str]], name: str) -> None:
    """Headers that say so, and others that look like them; what may be kept was not always kept."""
    assert shared_copy(Response(url="https://example.com/", status=200, headers=tuple(headers))) == name
