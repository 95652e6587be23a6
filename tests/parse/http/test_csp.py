from __future__ import annotations

import pytest

from pagegrade.parse.http.csp import (
    CSP,
    MAX_IGNORED,
    MAX_POLICIES,
    MAX_POLICY_CHARS,
    MAX_TOTAL_CHARS,
    SourceList,
    allows_inline,
    allows_url,
    mask_nonces,
    parse_csp,
    parse_policy,
)
from tests.builders import make_document, make_response

NAME = "Content-Security-Policy"


def csp_of(*headers: tuple[str, str], html: str = "") -> CSP:
    """The policies of a page."""
    return parse_csp(make_response(html, headers=headers), make_document(html))


def test_names_match_in_any_case_and_values_keep_theirs() -> None:
    """Nonces and paths are case-sensitive."""
    policy = parse_policy(" Default-SRC  'self' https://A.test/Path ;; script-src\t'nonce-AbC' ")

    assert dict(policy.directives) == {
        "default-src": ("'self'", "https://A.test/Path"),
        "script-src": ("'nonce-AbC'",),
    }


def test_first_of_a_repeated_directive_counts() -> None:
    """The others are named."""
    policy = parse_policy("img-src a.test; IMG-SRC *; img-src b.test")

    assert policy.directives["img-src"] == ("a.test",)
    assert policy.duplicates == ("img-src",)


def test_header_lines_and_commas_make_several_policies() -> None:
    """In order, with the ones that only report apart."""
    csp = csp_of(
        (NAME.lower(), "img-src a.test, img-src b.test"),
        (f"{NAME}-Report-Only", "img-src d.test"),
        (NAME, "img-src c.test"),
    )

    assert [policy.directives["img-src"] for policy in csp.enforced] == [("a.test",), ("b.test",), ("c.test",)]
    assert [policy.directives["img-src"] for policy in csp.report_only] == [("d.test",)]


def test_policy_in_the_head_is_read_without_what_it_cannot_carry() -> None:
    """Three directives work in headers only."""
    content = "default-src 'self'; frame-ancestors 'none'; report-uri /r; sandbox; report-to x"
    csp = csp_of(html=f'<meta http-equiv="content-security-policy" content="{content}">')
    (policy,) = csp.policies

    assert policy.source == "meta"
    assert set(policy.directives) == {"default-src", "report-to"}
    assert policy.ignored == ("frame-ancestors", "report-uri", "sandbox")
    assert policy.meta is not None


@pytest.mark.parametrize(
    "html",
    [
        f'<body><div></div><meta http-equiv="{NAME}" content="default-src *"></body>',
        f'<meta http-equiv="{NAME}-Report-Only" content="default-src *">',
        f'<meta name="{NAME}" content="default-src *">',
        f'<template><meta http-equiv="{NAME}" content="default-src *"></template>',
    ],
)
def test_elements_that_are_no_policy(html: str) -> None:
    """In the body, reporting only, or named wrongly."""
    assert csp_of(html=html).policies == ()


@pytest.mark.parametrize("value", ["", " ", ";", ","])
def test_empty_header_is_no_enforced_policy_with_directives(value: str) -> None:
    """Nothing is enforced by nothing."""
    assert not any(policy.directives for policy in csp_of((NAME, value)).policies)


def test_header_carries_every_directive() -> None:
    """Only an element has directives that are ignored."""
    (policy,) = csp_of((NAME, "frame-ancestors 'none'; sandbox")).policies

    assert set(policy.directives) == {"frame-ancestors", "sandbox"}
    assert policy.ignored == ()


def test_parts_outside_ascii_are_skipped() -> None:
    """As the specification says."""
    assert set(parse_policy("img-src ä.test; script-src 'self'").directives) == {"script-src"}


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("default-src d", "script-src-elem", "default-src"),
        ("default-src d; script-src s", "script-src-elem", "script-src"),
        ("default-src d; script-src s; script-src-elem e", "script-src-elem", "script-src-elem"),
        ("script-src-elem e", "script-src-attr", None),
        ("child-src c; default-src d", "frame-src", "child-src"),
        ("script-src s; default-src d", "worker-src", "script-src"),
        ("default-src d", "base-uri", None),
        ("default-src d", "form-action", None),
        ("default-src d", "frame-ancestors", None),
        ("img-src i", "object-src", None),
    ],
)
def test_fallbacks(text: str, asked: str, found: str | None) -> None:
    """Fetch directives fall back along their list, others never."""
    sources = parse_policy(text).governing(asked)

    assert (None if sources is None else sources.directive) == found


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("'unsafe-inline'", True),
        ("'UNSAFE-INLINE'", True),
        ("'self'", False),
        ("'unsafe-inline' 'nonce-abc'", False),
        ("'unsafe-inline' 'NONCE-abc='", False),
        ("'unsafe-inline' 'sha256-abc='", False),
        ("'unsafe-inline' 'sha1-abc='", True),
        ("'unsafe-inline' 'nonce-'", True),
        ("'unsafe-inline' 'nonce-a b'", True),
        ("'unsafe-inline' nonce-abc", True),
        ("'unsafe-inline' 'strict-dynamic'", False),
        ("", False),
    ],
)
def test_inline_scripts(sources: str, expected: bool) -> None:  # noqa: FBT001
    """A well-formed nonce or hash, or 'strict-dynamic', switches 'unsafe-inline' off."""
    assert SourceList("script-src", tuple(sources.split())).allows_all_inline is expected


def test_strict_dynamic_means_nothing_for_styles() -> None:
    """It is about scripts."""
    assert SourceList("style-src", ("'unsafe-inline'", "'strict-dynamic'")).allows_all_inline


@pytest.mark.parametrize(
    ("source", "is_open"),
    [
        ("*", True),
        ("https:", True),
        ("HTTP:", True),
        ("data:", True),
        ("blob:", True),
        ("https://*", True),
        ("*:443", True),
        ("*.com", True),
        ("https://*.com", True),
        ("*.example.com", False),
        ("'self'", False),
        ("'none'", False),
        ("example.com", False),
    ],
)
def test_sources_that_allow_any_site(source: str, is_open: bool) -> None:  # noqa: FBT001
    """Unless 'strict-dynamic' makes browsers ignore them."""
    assert bool(SourceList("script-src", (source,)).open_sources) is is_open
    assert not SourceList("script-src", (source, "'strict-dynamic'")).open_sources


def test_nonces_are_masked() -> None:
    """Hashes are no secrets."""
    assert mask_nonces("script-src 'nonce-abc=' 'sha256-x='") == "script-src 'nonce-...' 'sha256-x='"
    assert parse_policy("script-src 'NONCE-abc'").masked == "script-src 'nonce-...'"


def test_directive_without_a_value_is_enforced_from_anywhere() -> None:
    """From a header or an element, but not from a report."""
    element = f'<meta http-equiv="{NAME}" content="upgrade-insecure-requests">'

    assert csp_of((NAME, "Upgrade-Insecure-Requests")).enforces("upgrade-insecure-requests")
    assert csp_of(html=element).enforces("upgrade-insecure-requests")
    assert not csp_of((f"{NAME}-Report-Only", "upgrade-insecure-requests")).enforces("upgrade-insecure-requests")


@pytest.mark.parametrize(
    ("text", "readable"), [("default-src x", True), ("foo x; img-src y", True), ("foo x", False), ("", False)]
)
def test_readable_policies_hold_a_known_directive(text: str, readable: bool) -> None:  # noqa: FBT001
    """Unknown ones are named."""
    assert parse_policy(text).readable is readable
    assert parse_policy("foo x; img-src y").unknown == ("foo",)


def test_five_thousand_directives_are_read() -> None:
    """Sixty kilobytes of header."""
    text = ";".join(f"img-src{number} x" for number in range(5_000))

    assert len(parse_policy(text).directives) == 5_000
    assert len(parse_policy("script-src " + "'nonce-" * 9_000).directives["script-src"]) == 1


def test_size_and_number_are_bounded() -> None:
    """A meta element can be as long as the page, and a page can have thousands."""
    policy = parse_policy("img-src " + "x" * (MAX_POLICY_CHARS + 10))
    csp = csp_of((NAME, "img-src x," * 300), html=f'<meta http-equiv="{NAME}" content="img-src y">' * 300)

    assert policy.truncated
    assert len(policy.raw) == MAX_POLICY_CHARS
    assert len(csp.policies) <= MAX_POLICIES


def test_text_of_all_policies_together_is_bounded() -> None:
    """Long policies in many elements are read only as far as honest ones could ever go."""
    element = f'<meta http-equiv="{NAME}" content="img-src {"x" * 90_000}">'
    csp = csp_of(html=element * 20)

    assert 0 < sum(len(policy.raw) for policy in csp.policies) <= MAX_TOTAL_CHARS + MAX_POLICY_CHARS


@pytest.mark.parametrize("word", ["self", "None", "unsafe-inline", "STRICT-DYNAMIC", "nonce-abc", "sha256-AbC="])
def test_keywords_without_quotes_are_hosts(word: str) -> None:
    """Keywords, nonces and hashes alike, in any case; no nonce is kept."""
    (part,) = parse_policy(f"script-src {word}").without_effect

    assert (part.code, part.directive) == ("no_quotes", "script-src")
    assert "abc" not in part.text


@pytest.mark.parametrize(
    ("policy", "code", "text"),
    [
        ('script-src "self"', "wrong_quotes", '"self"'),
        ("script-src `none`", "wrong_quotes", "`none`"),
        ("script-src 'self", "wrong_quotes", "'self"),
        ("img-src 'data:'", "wrong_quotes", "'data:'"),
        ("img-src 'https://a.test'", "wrong_quotes", "'https://a.test'"),
        ("img-src '*.a.test'", "wrong_quotes", "'*.a.test'"),
        ("img-src 'unsafe-inlne'", "source", "'unsafe-inlne'"),
        ("script-src 'nonce-'", "source", "'nonce-'"),
        ("script-src 'nonce-{{nonce}}'", "source", "'nonce-{{nonce}}'"),
        ("img-src 'none' a.test", "not_alone", "'none'"),
        ("default-src 'self' script-src 'self'", "no_semicolon", "script-src"),
        ("img-src data", "no_colon", "data"),
        ("img-src HTTPS", "no_colon", "HTTPS"),
        ("img-src a.*.test", "source", "a.*.test"),
        ("img-src //a.test", "source", "//a.test"),
        ("img-src https:/a.test", "source", "https:/a.test"),
        ("frame-ancestors self", "no_quotes", "self"),
        ("form-action none", "no_quotes", "none"),
        ("sandbox allow-script", "value", "allow-script"),
        ("require-trusted-types-for script", "value", "script"),
        ("img-source 'self'", "directive", "img-source"),
        ("navigate-to 'self'", "directive", "navigate-to"),
        ("script-src \u2018self\u2019", "not_ascii", "script-src \u2018self\u2019"),
        (
            "img-src https://\u043f\u0440\u0438\u043c\u0435\u0440.test",
            "not_ascii",
            "img-src https://\u043f\u0440\u0438\u043c\u0435\u0440.test",
        ),
        ("img-src\u3000'self'", "not_ascii", "img-src\u3000'self'"),
    ],
)
def test_parts_without_effect_are_named(policy: str, code: str, text: str) -> None:
    """As written, and why browsers skip them or read something else."""
    (part,) = parse_policy(policy).without_effect

    assert (part.code, part.text) == (code, text)


@pytest.mark.parametrize(
    "policy",
    [
        "DEFAULT-SRC 'NONE'; Script-Src 'Self' 'Unsafe-Inline' 'NONCE-AbC' 'SHA256-AbC='",
        "img-src * data: https: blob: a.test *.a.test localhost:* https://a.test:443/x ws://a_b.test/ a.test.",
        "sandbox allow-scripts Allow-Forms; require-trusted-types-for 'script'; trusted-types a 'allow-duplicates'",
        "report-uri /r self; report-to none; upgrade-insecure-requests; block-all-mixed-content",
        "script-src 'self' 'wasm-unsafe-eval' 'report-sample' 'inline-speculation-rules'",
        "img-src",
        "",
    ],
)
def test_what_browsers_understand_is_not_named(policy: str) -> None:
    """Capitals of names and keywords, every kind of source, and directives with other values."""
    assert parse_policy(policy).without_effect == ()


def test_parts_without_effect_are_bounded() -> None:
    """However many there are."""
    assert len(parse_policy("img-src " + "none " * 5_000).without_effect) == MAX_IGNORED


PAGE = "https://www.example.com/shop/"


@pytest.mark.parametrize(
    ("sources", "url", "allowed"),
    [
        ("'self'", "https://www.example.com/a.js", True),
        ("'self'", "https://example.com/a.js", False),
        ("*", "https://any.example/a.js", True),
        ("*", "data:text/css,x", False),
        ("http:", "https://any.example/a.js", True),
        ("https:", "http://any.example/a.js", False),
        ("*.example.com", "https://cdn.example.com/a.js", True),
        ("*.example.com", "https://example.com/a.js", False),
        ("http://cdn.example", "https://cdn.example/a.js", True),
        ("cdn.example:8443", "https://cdn.example:8443/a.js", True),
        ("cdn.example", "https://cdn.example:8443/a.js", False),
        ("cdn.example:*", "https://cdn.example:8443/a.js", True),
        ("cdn.example/js/", "https://cdn.example/js/a.js?v=1", True),
        ("cdn.example/js/", "https://cdn.example/css/a.css", False),
        ("cdn.example/a.js", "https://cdn.example/a.js", True),
        ("'none'", "https://www.example.com/a.js", False),
        ("", "https://www.example.com/a.js", False),
    ],
)
def test_sources_match_as_in_browsers(*, sources: str, url: str, allowed: bool) -> None:
    """By scheme, host, port and path."""
    csp = CSP(policies=(parse_policy(f"script-src {sources}"),))

    assert allows_url(csp, "script-src-elem", url, page_url=PAGE) is allowed


def test_every_policy_has_to_allow_it() -> None:
    """One that only reports does not count."""
    strict, open_one = parse_policy("img-src 'none'"), parse_policy("img-src *")
    url = "https://www.example.com/i.png"

    assert not allows_url(CSP(policies=(open_one, strict)), "img-src", url, page_url=PAGE)
    assert allows_url(CSP(policies=(parse_policy("img-src 'none'", report_only=True),)), "img-src", url, page_url=PAGE)


def test_inline_code_by_nonce() -> None:
    """A nonce switches 'unsafe-inline' off."""
    csp = CSP(policies=(parse_policy("script-src 'unsafe-inline' 'nonce-abc'"),))

    assert [allows_inline(csp, "script-src-elem", "x()", nonce=one) for one in ("abc", "abd", "")] == [
        True,
        False,
        False,
    ]
