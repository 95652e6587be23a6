"""Versions are read from headers and generators, and their support from the right calendar."""

from __future__ import annotations

from datetime import date

import pytest

from pagegrade.parse.data.end_of_life import CENTOS, DEBIAN, ENDED, NAMES, UBUNTU
from pagegrade.parse.http.server_software import shown_software
from tests.builders import make_document, make_response


def ends(name: str, value: str) -> list[tuple[str, str, date | None]]:
    """(product, version, end of support) of one header, or of the generator."""
    if name == "generator":
        found = shown_software(make_response(), make_document(f"<meta name=generator content='{value}'>"))
    else:
        found = shown_software(make_response(headers=((name, value),)), make_document("<p>x"))
    return [(one.name, one.version, one.supported_until) for one in found]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("X-Powered-By", "PHP/5.3.3", ("php", "5.3.3", date(2020, 11, 30))),
        ("X-Powered-By", "PHP/8.1.29", ("php", "8.1.29", date(2027, 4, 30))),
        ("X-Powered-By", "PHP/8.1.2-1ubuntu2.18", ("php", "8.1.2", UBUNTU["22.04"])),
        ("X-Powered-By", "PHP/7.0.33-0ubuntu0.16.04.16", ("php", "7.0.33", UBUNTU["16.04"])),
        ("X-Powered-By", "PHP/7.3.31-1~deb10u5", ("php", "7.3.31", DEBIAN["10"])),
        ("Server", "Apache/2.2.15 (CentOS)", ("apache", "2.2.15", CENTOS["6"])),
        ("Server", "Apache/2.4.29 (Ubuntu)", ("apache", "2.4.29", UBUNTU["18.04"])),
        ("Server", "Apache/2.2.34", ("apache", "2.2.34", date(2020, 11, 30))),
        ("Server", "nginx/1.18.0 (Ubuntu)", ("nginx", "1.18.0", UBUNTU["22.04"])),
        ("Server", "nginx/1.10.1", ("nginx", "1.10.1", date(2018, 4, 17))),
        ("Server", "Microsoft-IIS/7.5", ("iis", "7.5", date(2020, 1, 14))),
        ("Server", "Apache-Coyote/1.1", ("coyote", "1.1", CENTOS["7"])),
        ("X-AspNetMvc-Version", "4.0", ("asp.net mvc", "4.0", date(2019, 7, 1))),
        ("generator", "WordPress 4.0.1", ("wordpress", "4.0.1", date(2022, 12, 1))),
        ("generator", "Drupal 7 (https://www.drupal.org)", ("drupal", "7", date(2025, 1, 5))),
        ("generator", "Joomla! 3.9 - Open Source Content Management", ("joomla", "3.9", date(2023, 8, 17))),
    ],
)
def test_end_of_support(name: str, value: str, expected: tuple[str, str, date]) -> None:
    """By the maker's calendar, or by that of the distribution that the value names."""
    assert ends(name, value) == [expected]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Server", "Apache/2.4.57"),
        ("Server", "Apache/2.4.6 (Red Hat Enterprise Linux)"),
        ("Server", "nginx/1.24.0"),
        ("Server", "nginx"),
        ("Server", "Microsoft-IIS/10.0"),
        ("Server", "cloudflare"),
        ("X-Powered-By", "Express"),
        ("X-AspNet-Version", "4.0.30319"),
        ("generator", "WordPress 6.8.1"),
        ("generator", "Hugo 0.110.0"),
        ("Server", "PHP/"),
    ],
)
def test_nothing_is_said_of_other_versions(name: str, value: str) -> None:
    """No version, one without a known end, and one that a distribution patches for long."""
    assert ends(name, value) == []


def test_one_header_can_name_several_products() -> None:
    """Each has an entry of its own."""
    found = ends("Server", "Apache/2.2.3 (Unix) OpenSSL/0.9.8e PHP/5.2.17")

    assert [name for name, _, _ in found] == ["php", "apache", "openssl"]


def test_ranges_follow_each_other() -> None:
    """No version has two ends, and every product has a name."""
    assert set(ENDED) == set(NAMES)
    for ranges in ENDED.values():
        bounds = [tuple(map(int, one.split("."))) for first, behind, _ in ranges for one in (first, behind)]

        assert bounds == sorted(bounds)
