"""Holds that a check lists the offenders of its milder states beside those of the worst one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import pairwise, permutations
from typing import Any, Final

import pytest
from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.library import evaluate
from pagegrade.model.artifacts import TLS, Artifacts, Certificate, ImageFacts, SitemapFile, Sitemaps
from pagegrade.model.outcome import Severity
from tests.builders import NOW, make_artifacts, make_resource, make_resources, make_response, make_well_known, outcome

PAGE: Final = "https://example.com/en/shoes"
CELLS: Final = "".join(f"<tr><td>{row}a<td>{row}b" for row in range(3))
JSON_LD: Final = '<script type="application/ld+json">{}</script>'
ALTERNATE: Final = '<link rel=alternate hreflang="{}" href="{}">'
SELF: Final = ALTERNATE.format("en", PAGE)
DEFAULT: Final = ALTERNATE.format("x-default", "https://example.com/")
FAULTS: Final[dict[str, dict[str, Any]]] = {
    "aria-attr-value": {
        "invalid": "<div role=checkbox aria-checked=maybe aria-label=a>x</div>",
        "unresolved": "<p aria-describedby=nowhere>x</p>",
    },
    "aria-allowed-attr": {
        "unfitting": "<a href=/ aria-checked=true>x</a>",
        "unheard": "<div aria-label=a>x</div>",
    },
    "aria-name": {
        "nameless": "<div role=slider></div>",
        "unnamed_groups": "<div role=tree></div>",
    },
    "duplicate-id": {
        "ambiguous": "<a href=#a>x</a><p id=a>x<p id=a>x",
        "unused": "<p id=b>x<p id=b>x",
    },
    "table-headers": {
        "broken": "<table><tr><th scope=nowhere>h<th>i<tr><td>a<td>b</table>",
        "unmarked": f"<table><caption>c</caption>{CELLS}</table>",
        "partial": "<table><caption>c</caption><tr><th>h<td>x<tr><td>a<td>b</table>",
    },
    "picture-img": {
        "bare": "<picture><source srcset=a.avif></picture>",
        "ignored": "<picture><img src=a.png alt=a><source srcset=b.avif></picture>",
    },
    "image-alt": {"missing": "<img src=a.png>", "poor": "<img src=b.png alt=b.png>"},
    "form-label": {"unlabelled": "<input name=a>", "placeholder": "<input name=b placeholder=City>"},
    "canonical": {
        "unparsable": "<link rel=canonical href=http://[>",
        "conflicting": f"<link rel=canonical href={PAGE}?a><link rel=canonical href={PAGE}?b>",
        "relative": "<link rel=canonical href=/en/shoes>",
        "root": "<link rel=canonical href=https://example.com/>",
        "cross_domain": "<link rel=canonical href=https://example.org/en/shoes>",
        "variant": "<link rel=canonical href=https://www.example.com/en/shoes>",
        "alternate": f"{SELF}{ALTERNATE.format('de', 'https://example.com/de')}"
        "<link rel=canonical href=https://example.com/de>",
    },
    "hreflang": {
        "invalid_code": f"{SELF}{DEFAULT}{ALTERNATE.format('english', 'https://example.com/e')}",
        "bad_address": f"{SELF}{DEFAULT}{ALTERNATE.format('da', '/da')}",
        "no_country": f"{SELF}{DEFAULT}{ALTERNATE.format('es-419', 'https://example.com/es')}",
        "several_addresses": f"{SELF}{DEFAULT}{ALTERNATE.format('fr', 'https://example.com/fr')}"
        f"{ALTERNATE.format('fr', 'https://example.com/fr2')}",
    },
    "localhost-links": {
        "broken": "<form action=http://localhost/send><input name=a></form>",
        "loads": "<img src=http://localhost/a.png alt=a>",
        "links": "<a href=http://localhost:8080/>a</a>",
    },
    "insecure-form": {
        "insecure": "<form method=post action=http://example.org/><input name=a></form>",
        "password-by-get": "<form action=/b><input type=password name=b></form>",
    },
    "mixed-content": {
        "active": "<script src=http://example.org/a.js></script>",
        "passive": "<img src=http://example.org/a.png alt=a>",
    },
    "sri": {
        "insecure": "<script src=http://unpkg.com/a@1.2.3/a.js></script>",
        "broken": "<script src=https://cdn.jsdelivr.net/npm/b@1.2.3/b.js integrity=x crossorigin></script>",
        "missing": "<script src=https://cdnjs.cloudflare.com/ajax/libs/c/1.2.3/c.js></script>",
    },
    "structured-data-valid": {
        "unreadable": JSON_LD.format("{"),
        "required_missing": JSON_LD.format('{"@context": "https://schema.org", "@type": "Product"}'),
    },
    "vulnerable-js-libraries": {
        "vulnerable": "<script src=https://code.jquery.com/jquery-3.4.1.min.js></script>",
        "possible": "<script src=/js/jquery-1.12.4.min.js></script>",
    },
    # In two parts each, so that no file holds anything that looks like a key.
    "leaked-secrets": {
        "secret": "<script>a('gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj')</script>",
        "identifier": "<script>b('AKIA" + "J5XQ7MZT2KWP4VLN')</script>",
    },
    "noindex": {
        "noindex": "<meta name=robots content=noindex>",
        "one_bot": "<meta name=googlebot content=noindex>",
        "expires_soon": "<meta name=robots content='unavailable_after: 2026-01-08T00:00:00Z'>",
    },
    "structured-data": {
        "unreadable": JSON_LD.format("{"),
        "other_vocabulary": JSON_LD.format('{"@context": "https://example.org", "@type": "Thing"}'),
    },
    "base-element": {
        "unusable": "<base href=javascript:0>",
        "several": "<base target=_top><base target=_blank>",
    },
    "cookies": {"unsafe": "auth=v; Secure; SameSite=Lax", "weak": "theme=dark; SameSite=Lax"},
    "sitemap": {
        "over_limit": {"over_limit": True},
        "partly_broken": {"status": 500, "kind": None},
        "relative_addresses": {"relative_url_count": 1},
        "http_addresses": {"http_url_count": 1},
        "bad_dates": {"bad_lastmod_count": 1},
    },
    "cache-headers": {"uncached": (), "short": (("Cache-Control", "max-age=60"),)},
    "mime-types": {"refused": ("stylesheet", "text/plain"), "loose": ("script", "text/plain")},
    "image-format": {"legacy": 900_000, "efficient_legacy": 20_000},
    "input-image-alt": {"nameless": "<input type=image src=a.png>", "poor": "<input type=image src=b.png alt=b.png>"},
    "svg-img-alt": {
        "nameless": "<svg role=img><path d=M0/></svg>",
        "poor": "<svg role=img><title>icon.svg</title><path d=M0/></svg>",
    },
    "script-rules": {
        "map": "<script type=importmap>{</script>",
        "map_parts": '<script type=importmap>{"imports": {"a": "a.js"}}</script>',
        "rules": "<script type=speculationrules>{</script>",
    },
}
"""Check -> its failing states, worst first, with a part of a page that brings each."""
DEGREES: Final = frozenset(
    (
        "broken-links crawlable-links in-page-links meta-description-length title-length url-length asset-errors "
        "broken-styles-scripts css-size js-size dom-size domains-count font-count http-requests load-time page-size "
        "total-byte-weight ttfb content-length tls-version hacked-page jquery-versions open-graph twitter-card "
        "error-output directory-listing image-weight javascript-defer landmark-main doctype server-signature "
        "content-keywords csp-blocks invisible-text mojibake mouse-only placeholder-text trackers "
        "csp-violations cumulative-layout-shift first-contentful-paint largest-contentful-paint speed-index "
        "total-blocking-time form-submit"
    ).split()
)
"""Checks whose states are degrees of one thing, of which a page has one."""
ONE_ANSWER: Final = frozenset(
    (
        "http-status not-found-page host-canonicalization canonical-target robots-txt-allows http-to-https-redirect "
        "https cors x-content-type-options text-compression asset-compression referrer-policy browser-drawing "
        "empty-page main-content meta-refresh text-direction aria-hidden-body"
    ).split()
)
"""Checks whose states exclude each other: what one request was answered with, or how one page ends."""
IN_ONE_PLACE: Final = frozenset(
    (
        "favicon h1 title meta-description meta-viewport robots-txt-valid url-friendly redirect-chain csp hsts "
        "tls-certificate html-lang charset og-image"
    ).split()
)
"""Checks of one header, URL, file or element, whose faults are mixed below, in a page for each."""
WORST_ONLY: Final = {
    "clickjacking": "Only one directive counts: browsers ignore X-Frame-Options beside frame-ancestors.",
    "marquee-blink": "What flashes endangers people, and comes before what merely moves; the rest are degrees.",
    "viewport-zoom": "Both restrictions are degrees of one thing, and the advice of the worse removes both.",
}
"""Check -> why it names nothing but the worst."""


def _headed(name: str, value: str) -> Artifacts:
    return make_artifacts(
        "<!doctype html>", url=PAGE, headers=[("Content-Type", "text/html; charset=utf-8"), (name, value)]
    )


def _file(html: str, url: str = "https://example.com/a.png", **more: Any) -> Artifacts:
    item = make_resource(url, kind="icon", body_bytes=40_000, **more)
    return make_artifacts(html, url=PAGE, resources=make_resources(item))


def _redirected(*way: str) -> Artifacts:
    hops = [make_response(url=url, status=302, headers=[("Location", after)]) for url, after in pairwise(way)]
    return make_artifacts(url=way[-1], hops=hops)


_LEAF: Final = Certificate(
    subject="CN=example.com",
    issuer="CN=Authority",
    names=("example.com",),
    not_before_at=NOW - timedelta(days=500),
    not_after_at=NOW + timedelta(days=5),
    key_type="RSA",
    key_bits=1024,
    signature_algorithm="SHA256",
)
_SMALL: Final = ImageFacts(format="png", width_px=30, height_px=20)
_ROBOTS: Final = f"Disallow: /a\nUser-agent: *\nDissalow: /b\n{'# filler' * 70_000}"
TOGETHER: Final[list[tuple[str, Artifacts, list[str]]]] = [
    (
        "favicon",
        _file("<link rel=icon href=/a.png>", headers=[("Content-Type", "image/png")], image=_SMALL),
        ["small", "not_square", "large", "no_lifetime"],
    ),
    ("h1", make_artifacts("<!doctype html><h1></h1><h1>A</h1><h1>B</h1>"), ["first_empty", "several"]),
    (
        "title",
        make_artifacts("<!doctype html><body><p>x</p><title>{{ page.title }}</title><title>B</title>"),
        ["several", "in_body", "unfilled"],
    ),
    (
        "meta-description",
        make_artifacts("<!doctype html><title>A</title><body>x<meta name=description content=A>"),
        ["same_as_title", "short", "in_body"],
    ),
    (
        "meta-viewport",
        make_artifacts(
            "<!doctype html><title>A</title><meta name=viewport content=width=1024><body>x"
            "<meta name=viewport content='width=980, shrink-wrap=1'>"
        ),
        ["wide", "several", "in_body", "unknown_keys"],
    ),
    (
        "robots-txt-valid",
        make_artifacts(robots_txt=make_well_known(_ROBOTS, url="https://example.com/robots.txt")),
        ["rule_before_group", "too_large", "odd_lines"],
    ),
    (
        "url-friendly",
        make_artifacts(url="https://example.com/A//b;jsessionid=123ABCDEF?[a,b]"),
        ["session_id", "odd_separators", "unfriendly"],
    ),
    (
        "redirect-chain",
        _redirected("https://example.com/a", "http://example.com/b", "http://example.com/c", PAGE),
        ["downgrade", "long"],
    ),
    (
        "redirect-chain",
        _redirected("https://example.com/a", "http://example.com/b", "https://example.com/a", PAGE),
        ["loop", "downgrade"],
    ),
    (
        "csp",
        _headed("Content-Security-Policy", "script-src 'unsafe-inline' 'unsafe-eval'; object-src 'none'"),
        ["open", "weak"],
    ),
    (
        "hsts",
        _headed("Strict-Transport-Security", "max-age=300; preload; preload"),
        ["short", "duplicates", "preload-mismatch"],
    ),
    (
        "tls-certificate",
        make_artifacts(tls=TLS(host="example.com", verified=True, checked_at=NOW, chain=(_LEAF,))),
        ["expiring", "weak", "long-lived"],
    ),
    (
        "tls-certificate",
        make_artifacts(
            tls=TLS(
                host="example.com",
                verified=False,
                verify_error="wrong_host",
                checked_at=NOW,
                chain=(replace(_LEAF, not_after_at=NOW - timedelta(days=5)),),
            )
        ),
        ["wrong-host", "expired"],
    ),
    (
        "html-lang",
        make_artifacts("<!doctype html><html lang=en-US-GB xml:lang=de><title>x</title>", url=PAGE),
        ["conflict", "untidy"],
    ),
    (
        "charset",
        make_artifacts(f"<title>x</title>{'<!-- -->' * 200}<meta charset=latin1><meta charset=latin1>", headers=()),
        ["other", "late", "repeated"],
    ),
    (
        "og-image",
        _file(
            "<meta property=og:image content=http://example.com/a.png>",
            url="http://example.com/a.png",
            image=_SMALL,
            decoded_bytes=9_000_000,
        ),
        ["heavy", "small", "insecure"],
    ),
]
"""(check, page with several faults in one place, the states: the outcome's, then the others as they are listed)."""
EXCLUDING: Final = frozenset(
    {
        ("canonical", "alternate", "variant"),  # A canonical link of the page's other spelling is no language version.
    }
)
"""(check, state, state) that cannot occur together."""
PAIRS: Final = [
    (check, one, other)
    for check, states in FAULTS.items()
    for one, other in permutations(states, 2)
    if not {(check, one, other), (check, other, one)} & EXCLUDING
]


def _page(parts: Iterable[str]) -> Artifacts:
    return make_artifacts(f"<!doctype html><html lang=en><title>x</title>{''.join(parts)}", url=PAGE)


def _cookies(lines: Iterable[str]) -> Artifacts:
    return make_artifacts(headers=[("Content-Type", "text/html"), *(("Set-Cookie", line) for line in lines)])


def _sitemaps(files: Iterable[dict[str, Any]]) -> Artifacts:
    good = {"status": 200, "kind": "urlset", "url_count": 3}
    found = [
        SitemapFile(source="robots", url=f"https://example.com/{n}.xml", **{**good, **more})
        for n, more in enumerate(({}, *files))
    ]
    return make_artifacts(sitemaps=Sitemaps(files=tuple(found)))


def _cached(files: Iterable[tuple[tuple[str, str], ...]]) -> Artifacts:
    items = [make_resource(f"{PAGE}/{n}.js", kind="script", headers=headers) for n, headers in enumerate(files)]
    return make_artifacts(resources=make_resources(*items))


def _typed(files: Iterable[tuple[str, str]]) -> Artifacts:
    items = [
        make_resource(f"{PAGE}/{kind}", kind=kind, headers=(("Content-Type", content_type),))
        for kind, content_type in files
    ]
    return make_artifacts(resources=make_resources(*items))


def _images(sizes: Iterable[int]) -> Artifacts:
    image = ImageFacts(format="jpeg", width_px=800, height_px=600)
    items = [make_resource(f"{PAGE}/{size}.jpg", kind="image", body_bytes=size, image=image) for size in sizes]
    return make_artifacts(resources=make_resources(*items))


MIXERS: Final[dict[str, Callable[[Iterable[Any]], Artifacts]]] = {
    "cookies": _cookies,
    "sitemap": _sitemaps,
    "cache-headers": _cached,
    "mime-types": _typed,
    "image-format": _images,
}
"""Functions that make one page of the parts of a check, where these are no HTML."""


def mixed(check: str, *states: str) -> Artifacts:
    """A page that is in all of these states of a check."""
    return MIXERS.get(check, _page)(FAULTS[check][state] for state in states)


@pytest.mark.parametrize(("check", "state"), [(check, state) for check, states in FAULTS.items() for state in states])
def test_each_part_brings_its_state(check: str, state: str) -> None:
    """Alone on a page."""
    assert outcome(check, mixed(check, state)).state == state


@pytest.mark.parametrize(("check", "one", "other"), PAIRS)
def test_both_faults_of_a_page_are_listed(check: str, one: str, other: str) -> None:
    """In any order: the worst gives the state, and each entry of the evidence says which it shows."""
    both = outcome(check, mixed(check, one, other))
    listed = {both.state, *(entry.state for entry in both.evidence)} - {""}

    assert {one, other} <= listed
    assert both.state not in {entry.state for entry in both.evidence}
    assert both.total == len(both.evidence)


@pytest.mark.parametrize(("check", "one", "other"), PAIRS)
def test_the_advice_fits_both_faults(check: str, one: str, other: str) -> None:
    """The fix of the report holds that of each fault which has one."""
    report = evaluate(mixed(check, one, other))
    result = next(result for result in report.results if result.check == check)

    assert result.outcome == "informative" or result.fix
    assert all(all_checks()[check].state(state).fix in result.fix for state in (one, other) if result.fix)


@pytest.mark.parametrize(
    "check", ["aria-attr-value", "duplicate-id", "table-headers", "image-alt", "form-label", "sri"]
)
def test_no_offender_is_dropped_or_listed_twice(check: str) -> None:
    """The evidence of a mixed page is that of its parts."""
    states = list(FAULTS[check])
    single = [entry.reason for state in states for entry in outcome(check, mixed(check, state)).evidence]
    both = outcome(check, mixed(check, *states))

    assert sorted(entry.reason for entry in both.evidence) == sorted(single)


def test_every_check_with_several_failing_states_is_considered() -> None:
    """It is mixed here, or stands in exactly one list that says why not."""
    several = {
        check.id
        for check in all_checks().values()
        if check.severity is not Severity.INFO and sum(state.highest > 0 for state in check.states) > 1
    }
    excused = [*DEGREES, *ONE_ANSWER, *IN_ONE_PLACE, *WORST_ONLY]

    assert several - {*FAULTS, *excused} == set()
    assert len(excused) == len({*excused} - {*FAULTS})
    assert {*FAULTS, *excused} <= set(all_checks())
    assert {check for check, *_ in TOGETHER} == IN_ONE_PLACE


@pytest.mark.parametrize(("check", "page", "states"), TOGETHER, ids=[f"{one[0]}-{one[2][0]}" for one in TOGETHER])
def test_all_faults_of_one_header_file_or_element_are_listed(check: str, page: Artifacts, states: list[str]) -> None:
    """The first gives the state, and the entries of the others say which they show."""
    found = outcome(check, page)
    further = list(dict.fromkeys(entry.state for entry in found.evidence if entry.state))
    advice = next(result for result in evaluate(page).results if result.check == check).fix

    assert [found.state, *further] == states
    assert all(all_checks()[check].state(state).fix in advice for state in states)


def test_all_wrong_language_versions_are_listed() -> None:
    """The worst fault gives the state; the links of the milder ones follow, each with its reason."""
    links = (
        '<link rel="alternate" hreflang="english" href="https://example.com/en">'
        '<link rel="alternate" hreflang="de" href="/de">'
        '<link rel="alternate" hreflang="es-419" href="https://example.com/es">'
        '<link rel="alternate" hreflang="fr" href="https://example.com/fr">'
        '<link rel="alternate" hreflang="fr" href="https://example.com/fr2">'
    )
    found = outcome("hreflang", f"<!doctype html><head>{links}</head>")

    assert (found.state, found.count, found.total) == ("invalid_code", 1, 6)
    assert [place.reason for place in found.evidence] == [
        "Not a valid code.",
        "Not an absolute URL with scheme and host.",
        "Search engines know countries only.",
        "Another link has the same code.",
        "Another link has the same code.",
        "No link has the code x-default.",
    ]


def test_a_page_listed_under_another_language_has_its_other_faults_listed() -> None:
    """That the page is in no list under its own language cannot be mixed with parts that list it."""
    links = ALTERNATE.format("pl", PAGE) + ALTERNATE.format("es-419", "https://example.com/es") + DEFAULT
    found = outcome("hreflang", make_artifacts(f"<!doctype html><html lang=en>{links}", url=PAGE))

    assert (found.state, [entry.state for entry in found.evidence]) == ("other_language", ["", "no_country"])
