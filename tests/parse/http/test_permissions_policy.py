"""Tests of reading Permissions-Policy."""

from __future__ import annotations

import pytest

from pagegrade.parse.http.permissions_policy import MAX_IGNORED, parse_permissions_policy


@pytest.mark.parametrize(
    ("header", "code", "text"),
    [
        ("camera=none", "value", "none"),
        ("camera=(none)", "value", "none"),
        ("camera=(SELF)", "value", "SELF"),
        ("camera=src", "value", "src"),
        ('camera="self"', "value", "self"),
        ('camera="*"', "value", "*"),
        ("camera=1", "value", "1"),
        ("camera=https://a.example", "origin", "https://a.example"),
        ("camera=(self a.example)", "origin", "a.example"),
        ('camera=("a.example")', "origin", "a.example"),
        ("interest-cohort=()", "feature", "interest-cohort"),
        ("speaker=(self)", "feature", "speaker"),
        ("x-camera=(none)", "feature", "x-camera"),
    ],
)
def test_parts_that_browsers_skip_are_named(header: str, code: str, text: str) -> None:
    """A feature that none knows is named without its values."""
    policy = parse_permissions_policy([header])

    assert policy is not None
    assert [(one.code, one.text) for one in policy.ignored] == [(code, text)]


def test_what_browsers_act_on_is_not_named() -> None:
    """Every value that counts, client hints, parameters, several lines."""
    policy = parse_permissions_policy(
        [
            'camera=(), geolocation=(self "https://a.example" "https://*.b.example:8443");report-to=x',
            "usb=*, ch-ua=self",
        ]
    )

    assert policy is not None
    assert policy.features == ("camera", "geolocation", "usb", "ch-ua")
    assert policy.ignored == ()


@pytest.mark.parametrize(
    "header", ["camera 'none'", "camera=();usb=()", "Camera=()", "camera=\u201cself\u201d", "camera=(self,usb)"]
)
def test_a_mistake_spoils_all_of_it(header: str) -> None:
    """The syntax of the older header above all."""
    assert parse_permissions_policy([header]) is None


def test_parts_that_browsers_skip_are_bounded() -> None:
    """However many there are."""
    policy = parse_permissions_policy([",".join(f"x{number}=()" for number in range(1_000))])

    assert policy is not None
    assert len(policy.ignored) == MAX_IGNORED
