from __future__ import annotations

import pytest

from pagegrade.checks.security.csp import csp
from pagegrade.model.artifacts import Artifacts
from tests.builders import make_artifacts, outcome

NAME = "Content-Security-Policy"
HASH = "'sha256-4RS22DYeB7U14dra4KcQYxmwt5HkOInieXK1NUMBmQI='"
SAFE = "object-src 'none'; base-uri 'none'"


def page(*policies: str, html: str = "", report_only: str | None = None) -> Artifacts:
    """A page with those enforced policies in headers."""
    headers = [("Content-Type", "text/html"), *((NAME, policy) for policy in policies)]
    if report_only is not None:
        headers.append((f"{NAME}-Report-Only", report_only))
    return make_artifacts(html, headers=headers)


def state(*policies: str) -> str:
    """The state of the check for those policies."""
    return outcome(csp, page(*policies)).state


@pytest.mark.parametrize(
    "policy",
    [
        f"script-src 'nonce-r4nd0mr4nd0m' 'strict-dynamic'; {SAFE}",
        f"script-src 'nonce-r4nd0mr4nd0m' 'strict-dynamic' 'unsafe-inline' https: http:; {SAFE}",
        f"script-src {HASH}; {SAFE}",
        f"script-src 'nonce-r4nd0mr4nd0m'; style-src 'unsafe-inline'; {SAFE}",
        "default-src 'self'; object-src 'none'; base-uri 'self'",
        # Without a nonce a redirected script is still evaluated by where it comes from.
        "default-src 'none'",
        "default-src 'self'",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'",
        f"Default-SRC 'SELF' https://static.example.com; {SAFE}",
        f"default-src 'self'; script-src 'self' https://cdn.jsdelivr.net/npm/vue@3/; {SAFE}",
    ],
)
def test_good_policies_are_strict(policy: str) -> None:
    """By nonce, by hash or by host."""
    assert state(policy) == "strict"


@pytest.mark.parametrize(
    "policy",
    [
        f"default-src 'self' 'unsafe-inline'; {SAFE}",
        f"script-src 'self' 'UNSAFE-INLINE'; {SAFE}",
        f"script-src *; {SAFE}",
        f"script-src 'self' data:; {SAFE}",
        f"script-src https:; {SAFE}",
        f"script-src 'nonce-r4nd0mr4nd0m' https:; {SAFE}",
        f"script-src https://*; {SAFE}",
        f"script-src *.com; {SAFE}",
        f"img-src 'self'; {SAFE}",
        "script-src 'self'; base-uri 'none'",
        "script-src 'self'; object-src *; base-uri 'none'",
        f"script-src 'self'; script-src-attr 'unsafe-inline'; {SAFE}",
        f"script-src 'self'; script-src-elem 'unsafe-inline'; {SAFE}",
        f"script-src 'unsafe-inline' 'nonce-'; {SAFE}",
        "upgrade-insecure-requests",
    ],
)
def test_policies_that_let_scripts_in_are_open(policy: str) -> None:
    """With injected markup an attacker injects a script, or a plugin."""
    assert state(policy) == "open"


@pytest.mark.parametrize(
    ("policy", "topic"),
    [
        ("script-src 'nonce-r4nd0mr4nd0m'; object-src 'none'", "base"),
        ("script-src 'nonce-r4nd0mr4nd0m'; object-src 'none'; base-uri *", "base"),
        (
            "script-src 'sha256-4RS22DYeB7U14dra4KcQYxmwt5HkOInieXK1NUMBmQI=' 'strict-dynamic'; object-src 'none'",
            "base",
        ),
        (f"default-src 'self'; script-src 'self' 'unsafe-eval'; {SAFE}", "eval"),
        (f"default-src 'self'; script-src 'self' ftp://cdn.example; {SAFE}", "script-http"),
        (f"default-src 'self'; script-src 'self'; script-src *; {SAFE}", "repeated"),
        (f"default-src 'self'; default-src 'self'; {SAFE}", "repeated"),
        (f"default-src 'self'; script-src 'self' https://cdn.jsdelivr.net; {SAFE}", "script-host"),
        (f"default-src 'self'; script-src 'self' *.google.com; {SAFE}", "script-host"),
        (f"default-src 'self'; script-src 'self' *.amazonaws.com; {SAFE}", "script-host"),
        (f"default-src 'self'; script-src 'strict-dynamic'; {SAFE}", "strict-dynamic"),
        (f"default-src 'self'; script-src 'self' HTTP://cdn.example; {SAFE}", "script-http"),
    ],
)
def test_gaps_cost_half(policy: str, topic: str) -> None:
    """Scripts are limited, but something is left."""
    found = outcome(csp, page(policy))

    assert found.state == "weak"
    assert [detail.code for detail in found.details] == [topic]


@pytest.mark.parametrize(
    ("policy", "topic"),
    [
        (f"default-src 'self'; style-src 'self' 'unsafe-inline'; {SAFE}", "style"),
        (f"default-src 'self'; img-src 'self' http:; {SAFE}", "image"),
        (f"default-src 'self'; img-src http://pictures.example; {SAFE}", "image"),
    ],
)
def test_gaps_that_let_no_script_in_are_named_only(policy: str, topic: str) -> None:
    """Inline styles and images over plain HTTP cost nothing."""
    found = outcome(csp, page(policy))

    assert (found.state, csp.state("lenient").loss) == ("lenient", 0)
    assert [detail.code for detail in found.details] == [topic]


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        (("script-src 'nonce-r4nd0mr4nd0m'; object-src 'none'", "upgrade-insecure-requests"), "weak"),
        (("script-src 'nonce-r4nd0mr4nd0m'; object-src 'none'", "base-uri 'none'"), "strict"),
        (("script-src 'nonce-r4nd0mr4nd0m'; object-src 'none'", "script-src 'self'"), "strict"),
        ((f"script-src {HASH}; object-src 'none'",), "strict"),
        ((f"script-src {HASH} 'strict-dynamic'; object-src 'none'",), "weak"),
    ],
)
def test_base_matters_where_no_policy_looks_at_addresses(policies: tuple[str, ...], expected: str) -> None:
    """A hash looks at the content instead, and a second policy may look at the address."""
    assert state(*policies) == expected


def test_nothing_is_missing() -> None:
    """No header, no element."""
    assert outcome(csp, page()).state == "missing"


def test_reporting_alone_stops_nothing() -> None:
    """However good the policy is."""
    assert outcome(csp, page(report_only=f"script-src 'self'; {SAFE}")).state == "report-only"


def test_reporting_beside_a_policy_does_no_harm() -> None:
    """It only reports."""
    good = f"default-src 'self'; {SAFE}"

    assert outcome(csp, page(good, report_only="default-src *")).state == "strict"


@pytest.mark.parametrize("policy", ["script 'self'", "Content-Security-Policy: default-src 'self'", "???"])
def test_policy_without_a_known_directive_is_unreadable(policy: str) -> None:
    """Also one that repeats the name of the header."""
    assert state(policy) == "unreadable"


def test_several_policies_add_up() -> None:
    """A bad one beside a good one is still good, in any order and in one line."""
    good, bad = f"default-src 'self'; {SAFE}", "default-src * 'unsafe-inline' 'unsafe-eval'"

    assert state(good, bad) == state(bad, good) == state(f"{bad}, {good}") == "strict"


def test_gaps_are_closed_by_another_policy() -> None:
    """One limits scripts, the other plugins and base."""
    assert state("default-src 'self'; object-src *", SAFE) == "strict"


def test_repeated_directive_counts_once() -> None:
    """Browsers use the first and ignore the rest."""
    assert state(f"default-src 'self'; script-src 'self'; script-src *; {SAFE}") == "weak"
    assert state(f"default-src 'self'; script-src *; script-src 'self'; {SAFE}") == "open"


def test_policy_in_the_page_alone_is_named() -> None:
    """It works, later and with fewer directives, and costs nothing."""
    html = f'<meta http-equiv="{NAME}" content="default-src \'self\'; {SAFE}">'
    found = outcome(csp, page(html=html))

    assert (found.state, found.message) == ("lenient", "The policy is in the page instead of a header.")


def test_policy_in_the_page_beside_a_useless_header_is_still_named() -> None:
    """The header must protect as well as the element does."""
    html = f'<meta http-equiv="{NAME}" content="default-src \'self\'; {SAFE}">'

    assert outcome(csp, page("default-src *", html=html)).state == "lenient"


def test_policy_in_the_body_is_none() -> None:
    """Browsers read it in the head only."""
    html = f'<body><p>x</p><meta http-equiv="{NAME}" content="default-src \'self\'"></body>'

    assert outcome(csp, page(html=html)).state == "missing"


def test_nonces_are_not_shown() -> None:
    """They are secrets of one answer."""
    policy = f"script-src 'nonce-secretsecret' 'unsafe-eval' https:; {SAFE}"
    found = outcome(csp, page(policy, html=f'<meta http-equiv="{NAME}" content="{policy}">'))

    assert "secretsecret" not in repr(found)
    assert "'nonce-...'" in repr(found)


def test_names_and_states_of_the_policy_are_evidence() -> None:
    """Parts that browsers skip are named beside the policy."""
    found = outcome(csp, page(f"default-src 'self'; default-src *; typo-src x; {SAFE}"))

    assert found.evidence[-1].header == NAME
    assert found.evidence[-1].reason == "repeated: default-src; unknown: typo-src"


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (f"script-src 'self'; {SAFE}", f"script-src 'self'; style-src 'self' 'unsafe-inline'; {SAFE}"),
        (f"script-src 'self'; style-src 'self'; {SAFE}", f"script-src 'self'; style-src 'self'; img-src http:; {SAFE}"),
        (f"script-src 'self' 'unsafe-inline'; {SAFE}", f"script-src 'self' 'nonce-r4nd0mr4nd0m'; {SAFE}"),
        ("script-src 'self'", "script-src 'self'; object-src 'none'"),
        ("img-src 'self'", "img-src 'self'; script-src 'self'"),
    ],
)
def test_adding_a_limit_never_costs_points(worse: str, better: str) -> None:
    """A policy that forbids more is never evaluated worse."""
    assert csp.state(state(better)).loss <= csp.state(state(worse)).loss


def test_long_policy_is_evaluated() -> None:
    """Five thousand directives of 60 kB."""
    policy = ";".join(f"x-{number} 'self'" for number in range(5_000)) + f";default-src 'self';{SAFE}"
    found = outcome(csp, page(policy))

    assert found.state == "ignored"
    assert all(len(place.snippet) <= 200 and len(place.reason) <= 200 for place in found.evidence)


def test_missing_directives_have_no_value() -> None:
    """Nothing is quoted that the page did not write."""
    found = outcome(csp, page("upgrade-insecure-requests"))

    assert {detail.actual for detail in found.details} == {""}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"script-src *; {SAFE}", "default-src 'none'; base-uri 'none'", "strict"),
        ("script-src 'none'", f"img-src 'self'; style-src 'self'; {SAFE}", "strict"),
        (f"script-src 'self' 'unsafe-inline'; {SAFE}", f"script-src 'self' 'unsafe-inline'; {SAFE}", "open"),
        (f"script-src 'self' http://a.test; {SAFE}", "script-src 'nonce-r4nd0mr4nd0m'", "strict"),
    ],
)
def test_every_policy_has_to_allow_a_script(first: str, second: str, expected: str) -> None:
    """In one header or in two, in either order."""
    name = "Content-Security-Policy"
    for one, other in ((first, second), (second, first)):
        joined = make_artifacts(headers=((name, f"{one}, {other}"),))
        apart = make_artifacts(headers=((name, one), (name, other)))

        assert outcome(csp, joined).state == outcome(csp, apart).state == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default-src 'none'; default-src *", "weak"),
        ("script-src 'self' 'unsafe-inline' 'sha256-A=''sha256-B='; object-src 'none'", "open"),
        ("DEFAULT-SRC 'NONE'; Base-Uri 'none'", "strict"),
        ("script-src *; script-src 'none'; object-src 'none'", "open"),
        (f"script-src 'unsafe-inline' https: http: 'nonce-r4nd0mr4nd0m' 'strict-dynamic'; {SAFE}", "strict"),
        (f"script-src http://a.test 'nonce-r4nd0mr4nd0m' 'strict-dynamic'; {SAFE}", "strict"),
        ("default-src 'self'; report-uri /a; report-uri /b; base-uri 'none'", "strict"),
        ("default-src 'self'; script-src 'self' 'unsafe-hashes'; base-uri 'none'", "strict"),
        ("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'", "strict"),
        ("default-src 'self'; connect-src *; font-src *; base-uri 'none'", "strict"),
        ("sandbox; default-src 'none'", "strict"),
        ("default-src", "strict"),
        ("frame-ancestors 'none'", "open"),
    ],
)
def test_policies_are_read_as_browsers_read_them(policy: str, expected: str) -> None:
    """The first of a repeated directive counts, no value allows no source, unknown extras are ignored."""
    assert state(policy) == expected


@pytest.mark.parametrize(
    ("policy", "word"),
    [
        ("default-src self; object-src none", "self"),
        ("script-src \"self\"; object-src 'none'; base-uri 'none'", '"self"'),
        ("default-src 'self'; img-src data", "data"),
        ("default-src 'self'; img-scr 'none'", "img-scr"),
        ("default-src 'self'; img-src \u201cself\u201d", "img-src \u201cself\u201d"),
        ("default-src 'self'; frame-ancestors 'none' https://a.test", "'none'"),
    ],
)
def test_parts_that_browsers_ignore_cost_half(policy: str, word: str) -> None:
    """However strict the rest is; the first of them is the message."""
    found = outcome(csp, page(policy))

    assert found.state == "ignored"
    assert [(place.value, place.state) for place in found.evidence if place.reason + "." == found.message] == [
        (word, "")
    ]


def test_ignored_parts_of_an_open_policy_are_listed_beside_it() -> None:
    """The worse state is that of the policy."""
    found = outcome(csp, page("script-src *; object-src none"))

    assert found.state == "open"
    assert [place.value for place in found.evidence if place.state == "ignored"] == ["none"]


def test_capitals_are_understood() -> None:
    """Names, keywords and hosts are compared without their case."""
    assert state("DEFAULT-SRC 'SELF'; OBJECT-SRC 'NONE'; BASE-URI 'NONE'") == "strict"
