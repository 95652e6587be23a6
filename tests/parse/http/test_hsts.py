from __future__ import annotations

import pytest

from pagegrade.parse.http.hsts import MAX_AGE_LIMIT_S, parse_hsts, preloaded_suffix


@pytest.mark.parametrize(
    ("value", "max_age_s"),
    [
        ("max-age=31536000", 31_536_000),
        ("MAX-AGE = 10 ; foo=bar", 10),
        ('max-age="31536000"', 31_536_000),
        ("max-age=0", 0),
        ("max-age=007", 7),
        (";; max-age=5 ;", 5),
    ],
)
def test_time_is_read(value: str, max_age_s: int) -> None:
    """Any case, blanks, quotes and empty directives."""
    policy = parse_hsts([value])

    assert policy is not None
    assert policy.max_age_s == max_age_s


@pytest.mark.parametrize("digits", ["2147483648", "9" * 20, "9" * 20_000])
def test_huge_time_is_clamped(digits: str) -> None:
    """It must fit every column it may be written to, and cost no big-number arithmetic."""
    policy = parse_hsts([f"max-age={digits}"])

    assert policy is not None
    assert policy.max_age_s == MAX_AGE_LIMIT_S


@pytest.mark.parametrize(
    "value",
    [
        "",
        "includeSubDomains",
        "max-age",
        "max-age=",
        "max-age=-1",
        "max-age=1.5",
        "max-age=1 000",
        "max-age=١٢٣",
        "max-age=1, max-age=2",
        "Strict-Transport-Security: max-age=1",
        "max age=1",
        'max-age="1',
        'max-age=1"',
        'max-age="',
        "max-age='1'",
        "max-age==1",
        "max-age=1; =x",
    ],
)
def test_value_that_does_not_conform_is_none(value: str) -> None:
    """A browser ignores it."""
    assert parse_hsts([value]) is None


def test_flags_are_read_in_any_case() -> None:
    """And are false by default."""
    policy = parse_hsts(["max-age=1; INCLUDESUBDOMAINS; Preload"])
    plain = parse_hsts(["max-age=1"])

    assert policy is not None
    assert plain is not None
    assert (policy.include_subdomains, policy.preload) == (True, True)
    assert (plain.include_subdomains, plain.preload) == (False, False)


def test_repeated_directives_are_reported_and_the_first_counts() -> None:
    """Each is named once."""
    policy = parse_hsts(["max-age=1; Max-Age=2; max-age=3; preload; preload"])

    assert policy is not None
    assert policy.max_age_s == 1
    assert policy.duplicates == ("max-age", "preload")


def test_only_the_first_header_counts() -> None:
    """Even when it is unreadable."""
    policy = parse_hsts(["max-age=1", "max-age=2"])

    assert policy is not None
    assert (policy.max_age_s, policy.header_count) == (1, 2)
    assert parse_hsts(["", "max-age=2"]) is None
    assert parse_hsts([]) is None


@pytest.mark.parametrize(
    ("host", "suffix"),
    [("example.dev", "dev"), ("a.b.app.", "app"), ("example.com", None), ("dev.example.com", None), ("", None)],
)
def test_preloaded_suffix(host: str, suffix: str | None) -> None:
    """Only the last label counts."""
    assert preloaded_suffix(host) == suffix
