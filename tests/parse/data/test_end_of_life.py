"""Dates of the end of support: no range says less than a distribution that keeps its version number patched."""

from __future__ import annotations

import pytest

from pagegrade.parse.data.end_of_life import CENTOS, DEBIAN, ENDED, UBUNTU

SHIPPED = {
    ("php", "5.3"): CENTOS["6"],
    ("php", "5.4"): CENTOS["7"],
    ("php", "5.5"): UBUNTU["14.04"],
    ("php", "5.6"): DEBIAN["8"],
    ("php", "7.0"): DEBIAN["9"],
    ("php", "7.2"): UBUNTU["18.04"],
    ("php", "7.3"): DEBIAN["10"],
    ("php", "7.4"): DEBIAN["11"],
    ("php", "8.1"): UBUNTU["22.04"],
    ("php", "8.2"): DEBIAN["12"],
    ("php", "8.3"): UBUNTU["24.04"],
    ("php", "8.4"): DEBIAN["13"],
    ("apache", "2.2"): CENTOS["6"],
    ("nginx", "1.14"): UBUNTU["18.04"],
    ("nginx", "1.18"): UBUNTU["22.04"],
    ("nginx", "1.22"): DEBIAN["12"],
    ("nginx", "1.24"): UBUNTU["24.04"],
    ("nginx", "1.26"): DEBIAN["13"],
    ("python", "3.7"): DEBIAN["10"],
    ("python", "3.8"): UBUNTU["20.04"],
    ("python", "3.9"): DEBIAN["11"],
    ("python", "3.10"): UBUNTU["22.04"],
}
"""(software, version) -> last day on which a distribution that ships it goes on patching it."""


def parts(version: str) -> tuple[int, ...]:
    """A version as numbers."""
    return tuple(map(int, version.split(".")))


@pytest.mark.parametrize(("software", "version"), SHIPPED)
def test_a_version_has_not_ended_while_a_distribution_patches_it(software: str, version: str) -> None:
    """Its number does not show whether it is patched, so the later date holds."""
    ends = [end for first, behind, end in ENDED[software] if parts(first) <= parts(version) < parts(behind)]

    assert all(end >= SHIPPED[software, version] for end in ends)


@pytest.mark.parametrize("software", ENDED)
def test_ranges_do_not_overlap(software: str) -> None:
    """A version belongs to one range at most, and ranges are in order."""
    edges = [parts(edge) for first, behind, _ in ENDED[software] for edge in (first, behind)]

    assert edges == sorted(edges)
