from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pagegrade.parse.files.security_txt import MAX_CHARS, parse_security_txt


def test_fields_are_read_in_any_case() -> None:
    """Comments, empty lines and text without a colon are no fields."""
    found = parse_security_txt(
        b"\xef\xbb\xbf# Our file\r\nCONTACT: mailto:a@example.com\r\n\r\ncontact: https://example.com/r\r\n"
        b"Expires: 2027-01-01T00:00:00Z\r\nPolicy: https://example.com/p\r\nhello\r\nHave a look: here\r\n"
    )

    assert found.contacts == ("mailto:a@example.com", "https://example.com/r")
    assert found.expires_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert found.field_count == 4


def test_signed_file_is_read_between_the_marks() -> None:
    """The headers of the signature are no fields, and neither is the signature."""
    found = parse_security_txt(
        b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nContact: mailto:a@example.com\n- Expires: x\n"
        b"-----BEGIN PGP SIGNATURE-----\nContact: unsigned\n-----END PGP SIGNATURE-----\n"
    )

    assert (found.contacts, found.expires, found.field_count) == (("mailto:a@example.com",), ("x",), 2)


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        ("2027-01-01T00:00:00Z", True),
        ("2027-01-01T00:00:00.000z", True),
        ("2027-01-01t00:00:00+02:00", True),
        ("2027-01-01 00:00:00Z", True),
        ("2027-01-01", False),
        ("2027-01-01T00:00:00", False),
        ("2027-02-30T00:00:00Z", False),
        ("2027-01-01T25:00:00Z", False),
        ("2027-01-01T00:00:00+99:99", False),
        ("Thu, 31 Dec 2026 18:37:07 -0800", False),
        ("", False),
    ],
)
def test_dates_need_day_time_and_zone(text: str, is_date: bool) -> None:  # noqa: FBT001
    """As the standard says."""
    assert (parse_security_txt(f"Expires: {text}".encode()).expires_at is not None) == is_date


@pytest.mark.parametrize(
    "body", [b"", b"\xff\x00" * 1_000, b":" * MAX_CHARS, b"a:" * MAX_CHARS, b"Contact:\n" * 20_000]
)
def test_hostile_files_are_read(body: bytes) -> None:
    """Lists are bounded."""
    found = parse_security_txt(body)

    assert len(found.contacts) <= 100
    assert found.expires_at is None


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Preferred-Languages: en, es, ru", ""),
        ("Preferred-Languages: en_US", "Preferred-Languages names no language"),
        ("Preferred-Languages: english", "Preferred-Languages names no language"),
        ("Preferred-Languages: jp", "Preferred-Languages names no language"),
        ("Contact:\u3000mailto:a@example.com", "a space that is no ASCII space"),
        ("Contact: mailto:a@example.com\u00a0", "a space that is no ASCII space"),
    ],
)
def test_languages_and_spaces(line: str, fault: str) -> None:
    """Codes are language tags, and white space is that of the grammar."""
    faults = parse_security_txt(line.encode()).faults

    assert fault in faults if fault else faults == ()
