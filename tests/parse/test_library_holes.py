from __future__ import annotations

import re

import pytest

from pagegrade.parse.library_holes import HOLES, holes_of


@pytest.mark.parametrize(
    ("name", "version", "records"),
    [
        ("jquery", "3.4.1", ("CVE-2020-11022",)),
        ("jquery", "1.12.4", ("CVE-2020-11022", "CVE-2019-11358")),
        ("jquery", "3.5", ()),
        ("jquery", "3.10.0", ()),
        ("bootstrap", "3.4.1", ()),
        ("bootstrap", "4.0.0", ("CVE-2019-8331",)),
        ("highlight.js", "9.18.2", ()),
        ("highlight.js", "10.1.1", ("CVE-2020-26237",)),
        ("underscore", "1.3.1", ()),
        ("jquery", "3.4.1-wp", ()),
        ("jquery", "", ()),
        ("unknown", "1.0", ()),
        ("jquery", "99999999999.1", ()),
    ],
)
def test_borders_of_the_ranges(name: str, version: str, records: tuple[str, ...]) -> None:
    """Numbers are compared as numbers; a suffix may mean a mended copy."""
    assert holes_of(name, version) == records


def test_table_is_well_formed() -> None:
    """Each range begins before it ends, and names a record."""
    for ranges in HOLES.values():
        for first, fixed, record in ranges:
            assert [int(part) for part in first.split(".")] < [int(part) for part in fixed.split(".")]
            assert re.fullmatch(r"CVE-20[0-9]{2}-[0-9]{4,6}", record)
