from __future__ import annotations

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.schema.tables import api_keys, idempotency, metadata, visits
from pagegrade.store.transfer.rows import NAMED, Digest, Rows, read_text

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

VISIT = (1, 2, "example.com", 3, None)
TYPES = {"int2", "int4", "int8", "varchar", "text", "bytea"}


def digest_of(*rows: tuple[object, ...]) -> str:
    """Of a table with these rows."""
    digest = Digest()
    for row in rows:
        digest.add(row)
    return digest.text


def test_a_digest_distinguishes_any_two_tables() -> None:
    """By every value and its type, by where one ends, and by how often a row is there; not by the order."""
    a, b = (1, "a"), (2, b"a")

    digests = [
        digest_of(),
        digest_of(a),
        digest_of(a, a),
        digest_of((1, b"a")),
        digest_of(("1", "a")),
        digest_of((1, None)),
    ]
    digests += [digest_of(("ab", "c")), digest_of(("a", "bc")), digest_of((1, "")), digest_of(a, b)]

    assert len(set(digests)) == len(digests)
    assert {len(each) for each in digests} == {64}
    assert digest_of(a, b) == digest_of(b, a)


def test_a_row_that_fits_goes_through_as_it_is() -> None:
    """And is counted."""
    rows = Rows(visits)

    assert rows.take(VISIT) is VISIT
    assert (rows.digest.rows, rows.digest.text) == (1, digest_of(VISIT))
    assert rows.cleaned == 0


def test_every_column_has_a_type_of_postgresql() -> None:
    """Of every table."""
    for table in metadata.tables.values():
        rows = Rows(table)

        assert len(rows.names) == len(rows.types) == len(table.columns)
        assert set(rows.types) <= TYPES


@pytest.mark.parametrize("odd", [0, 0xD800, 0xDCFF], ids=hex)
def test_text_that_cannot_be_kept_is_cleaned(odd: int) -> None:
    """The digest is that of what is kept."""
    rows = Rows(visits)
    kept = (1, 2, "a\N{REPLACEMENT CHARACTER}b", 3, None)

    assert rows.take((1, 2, f"a{chr(odd)}b", 3, None)) == kept
    assert rows.digest.text == digest_of(kept)
    assert (rows.cleaned, rows.named) == (1, ["visits 1"])


def test_only_the_first_of_them_are_named() -> None:
    """There may be millions."""
    rows = Rows(visits)
    for number in range(2 * NAMED):
        rows.take((number, 2, "\x00", 3, None))

    assert (rows.cleaned, len(rows.named)) == (2 * NAMED, NAMED)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1, 2, "x" * 301, 3, None), r"visits 1.*target holds more than 300 characters of text"),
        ((1, 2, b"x", 3, None), r"target holds bytes instead of text"),
        ((1, 2, 2.5, 3, None), r"target holds a fraction instead of text"),
        ((1, "2", "x", 3, None), r"run_id holds text instead of a number"),
        ((1, 1 << 63, "x", 3, None), r"run_id holds a number that is out of the range"),
    ],
    ids=["long", "bytes", "fraction", "text", "large"],
)
def test_what_does_not_fit_is_named(row: tuple[object, ...], message: str) -> None:
    """With its table, its key and its column."""
    with pytest.raises(InvalidInput, match=message):
        Rows(visits).take(row)


def test_the_largest_and_the_longest_fit() -> None:
    """Each column to its own limit."""
    row = ((1 << 63) - 1, -(1 << 63), "\N{PILE OF POO}" * 300, 3, None)

    assert Rows(visits).take(row) is row


def test_a_name_shows_no_bytes_and_no_odd_characters() -> None:
    """It goes to a terminal."""
    rows = Rows(idempotency)
    rows.take((1, "POST", "/x\x00", b"\x00" * 32, b"\x00" * 32, 7, 5))

    assert rows.named == ["idempotency 1, POST, /x\N{REPLACEMENT CHARACTER}"]
    assert Rows(api_keys).names[0] == "id"


def test_bytes_that_are_no_text_can_be_named() -> None:
    """Each becomes a lone surrogate, which no real text has."""
    assert read_text("ü".encode()) == "ü"
    assert read_text(b"a\xffb") == "a\udcffb"
