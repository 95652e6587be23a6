from __future__ import annotations

import pytest

from pagegrade.checks.security.clickjacking import clickjacking
from pagegrade.model.artifacts import Artifacts
from tests.builders import make_artifacts, outcome

CSP, XFO = "Content-Security-Policy", "X-Frame-Options"


def page(*headers: tuple[str, str], html: str = "") -> Artifacts:
    """A page with those headers."""
    return make_artifacts(html, headers=(("Content-Type", "text/html"), *headers))


@pytest.mark.parametrize("value", ["'none'", "'self'", "'self' https://partner.example", "https://*.example.com", ""])
def test_limited_ancestors_pass(value: str) -> None:
    """An empty list allows no site."""
    assert outcome(clickjacking, page((CSP, f"frame-ancestors {value}"))).state == "policy"


@pytest.mark.parametrize("value", ["*", "https:", "http: https:", "'self' *"])
def test_ancestors_that_allow_all_sites_fail(value: str) -> None:
    """A policy that allows all is no protection."""
    assert outcome(clickjacking, page((CSP, f"frame-ancestors {value}"))).state == "open-policy"


@pytest.mark.parametrize("value", ["DENY", "sameorigin", " SAMEORIGIN "])
def test_old_header_passes(value: str) -> None:
    """In any case."""
    assert outcome(clickjacking, page((XFO, value))).state == "header"


def test_same_value_twice_is_one_value() -> None:
    """In two lines or in one list, browsers read a set."""
    assert outcome(clickjacking, page((XFO, "DENY"), (XFO, "DENY"))).state == "header"
    assert outcome(clickjacking, page((XFO, "DENY, DENY"))).state == "header"


@pytest.mark.parametrize("values", [("DENY", "SAMEORIGIN"), ("DENY", "ALLOWALL")])
def test_contradicting_values_cost_half(values: tuple[str, str]) -> None:
    """Current browsers block, others choose one."""
    assert outcome(clickjacking, page(*((XFO, value) for value in values))).state == "conflict"


def test_allow_from_costs_half() -> None:
    """Current browsers ignore it."""
    assert outcome(clickjacking, page((XFO, "ALLOW-FROM https://partner.example"))).state == "allow-from"


@pytest.mark.parametrize("value", ["ALLOWALL", "deny;", "", "none"])
def test_unknown_value_fails(value: str) -> None:
    """It protects from nothing."""
    assert outcome(clickjacking, page((XFO, value))).state == "unknown"


def test_nothing_fails() -> None:
    """All sites may frame the page; other directives and fallbacks do not help."""
    assert outcome(clickjacking, page()).state == "missing"
    assert outcome(clickjacking, page((CSP, "default-src 'none'; frame-src 'none'"))).state == "missing"


def test_policy_overrules_the_old_header() -> None:
    """Both are shown, but browsers look at the policy alone."""
    found = outcome(clickjacking, page((CSP, "frame-ancestors *"), (XFO, "DENY")))

    assert found.state == "open-policy"
    assert [place.header for place in found.evidence] == [CSP, XFO]
    assert "ignored" in found.evidence[1].reason


def test_one_closed_policy_among_several_is_enough() -> None:
    """Policies add up."""
    headers = (CSP, "frame-ancestors *"), (CSP, "frame-ancestors 'self'")

    assert outcome(clickjacking, page(*headers)).state == "policy"


@pytest.mark.parametrize("name", [CSP, XFO])
def test_meta_element_protects_from_nothing(name: str) -> None:
    """Neither works outside of a header."""
    value = "frame-ancestors 'none'" if name == CSP else "DENY"

    assert outcome(clickjacking, page(html=f'<meta http-equiv="{name}" content="{value}">')).state == "missing"


def test_report_only_policy_protects_from_nothing() -> None:
    """It only reports."""
    assert outcome(clickjacking, page((f"{CSP}-Report-Only", "frame-ancestors 'none'"))).state == "missing"


def test_unknown_values_do_not_contradict_each_other() -> None:
    """Two values that protect from nothing are no conflict."""
    assert outcome(clickjacking, page((XFO, "ALLOW-FROM https://partner.example, other"))).state == "allow-from"
