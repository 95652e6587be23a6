from __future__ import annotations

import re

import pytest

from pagegrade.parse.data.vulnerabilities import VULNERABILITIES, vulnerabilities_of


@pytest.mark.parametrize(
    ("name", "version", "records"),
    [
        ("jquery", "3.4.1", ("CVE-2020-11022", "CVE-2020-11023")),
        ("jquery", "1.12.4", ("CVE-2020-11022", "CVE-2020-11023", "CVE-2019-11358", "CVE-2015-9251")),
        ("jquery", "1.12.2", ("CVE-2020-11022", "CVE-2020-11023", "CVE-2019-11358")),
        ("jquery", "1.0.2", ("CVE-2015-9251",)),
        ("jquery", "3.5.0-rc.1", ("CVE-2020-11022", "CVE-2020-11023")),
        ("jquery", "3.5.0-beta2", ("CVE-2020-11022", "CVE-2020-11023")),
        ("knockout", "3.4.0-rc", ("CVE-2019-14862",)),
        ("jquery", "3.5", ()),
        ("jquery", "3.10.0", ()),
        ("bootstrap", "3.4.1", ()),
        ("bootstrap", "4.0.0", ("CVE-2019-8331",)),
        ("highlight.js", "8.9.1", ("CVE-2020-26237",)),
        ("highlight.js", "9.18.2", ("GHSA-7wwv-vh3v-89cq",)),
        ("highlight.js", "10.1.1", ("CVE-2020-26237", "GHSA-7wwv-vh3v-89cq")),
        ("highlight.js", "10.4.1", ()),
        ("lodash", "4.17.21", ("CVE-2025-13465", "CVE-2026-2950")),
        ("lodash", "3.10.1", ("CVE-2019-10744", "CVE-2021-23337", "CVE-2026-2950")),
        ("lodash", "4.18.0", ()),
        ("axios", "0.28.0", ("CVE-2026-42042",)),
        ("axios", "1.15.1", ()),
        ("handlebars", "4.7.8", ("CVE-2026-33940",)),
        ("handlebars", "4.7.9", ()),
        ("marked", "17.0.0", ()),
        ("marked", "18.0.1", ("CVE-2026-41680",)),
        ("angularjs", "1.1.5", ("CVE-2019-10768", "CVE-2020-7676", "CVE-2023-26117")),
        ("angularjs", "1.8.3", ("CVE-2023-26117", "CVE-2026-11998")),
        ("underscore", "1.3.1", ("CVE-2026-27601",)),
        ("underscore", "1.13.8", ()),
        ("pdf.js", "5.6.82", ()),
        ("pdf.js", "6.0.0", ("CVE-2026-16633",)),
        ("jquery", "3.4.1-wp", ()),
        ("jquery", "", ()),
        ("unknown", "1.0", ()),
        ("jquery", "99999999999.1", ()),
    ],
)
def test_borders_of_the_ranges(name: str, version: str, records: tuple[str, ...]) -> None:
    """Numbers are compared as numbers; a suffix may mean a fixed copy."""
    assert vulnerabilities_of(name, version) == records


def test_table_is_well_formed() -> None:
    """Each range begins before it ends, and names a record."""
    for ranges in VULNERABILITIES.values():
        for first, fixed, record in ranges:
            assert [int(part) for part in first.split(".")] < [int(part) for part in fixed.split(".")]
            assert re.fullmatch(r"CVE-20[0-9]{2}-[0-9]{4,6}|GHSA(?:-[0-9a-z]{4}){3}", record)
