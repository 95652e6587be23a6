from __future__ import annotations

import pytest

from pagegrade.checks.seo.robots_license import robots_license
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_well_known, outcome, run

URL = "https://example.com/robots.txt"


def file(body: str) -> dict[str, object]:
    """A robots.txt as an artifact."""
    return {"robots_txt": make_well_known(body, url=URL, headers=(("Content-Type", "text/plain"),))}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://example.com/license.xml", "declared"),
        ("HTTPS://other.example/l", "declared"),
        ("http://example.com/l", "declared"),
        ("/license.xml", "invalid"),
        ("example.com/license.xml", "invalid"),
        ("ftp://example.com/l", "invalid"),
        ("https://[broken", "invalid"),
        ("", "invalid"),
    ],
)
def test_license_has_an_absolute_url(value: str, expected: str) -> None:
    """On any host."""
    assert outcome(robots_license, "<p>", **file(f"License: {value}\nUser-agent: *\n")).state == expected


def test_one_wrong_line_is_named_alone() -> None:
    """With its number."""
    found = outcome(robots_license, "<p>", **file("License: https://example.com/a\nLicense: /b"))

    assert (found.state, [one.line for one in found.evidence]) == ("invalid", [2])
    assert evaluated(robots_license, "<p>", **file("License: /b")).outcome == "informative"


def test_sites_without_a_license_are_not_evaluated() -> None:
    """Nor is a comment about one."""
    assert isinstance(run(robots_license, "<p>", **file("# License: https://example.com/a")), NotApplicable)
    assert isinstance(run(robots_license, "<p>"), NotRun)
