from __future__ import annotations

import pytest

from pagegrade.checks.security.mixed_content import mixed_content
from pagegrade.model.artifacts import StylesheetReference
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, make_resource, make_resources, make_response, outcome, run

CSP = "Content-Security-Policy"


@pytest.mark.parametrize(
    "element",
    [
        '<script src="http://a.test/x.js"></script>',
        '<link rel="stylesheet" href="http://a.test/x.css">',
        '<iframe src="http://a.test/"></iframe>',
        '<object data="http://a.test/x"></object>',
        '<link rel="manifest" href="http://a.test/m.json">',
        '<link rel="preload" as="script" href="http://a.test/x.js">',
        "<style>@font-face{font-family:x;src:url(http://a.test/x.woff2)}</style>",
    ],
)
def test_active_content_loses_everything(element: str) -> None:
    """One is enough."""
    assert outcome(mixed_content, element).state == "active"


@pytest.mark.parametrize(
    "element",
    [
        '<img src="http://a.test/x.jpg">',
        '<img src="/x.jpg" srcset="http://a.test/x2.jpg 2x">',
        '<picture><source srcset="http://a.test/x.avif"><img src="/x.jpg"></picture>',
        '<link rel="preload" as="image" imagesrcset="/x.jpg 1x, http://a.test/x2.jpg 2x">',
        '<video src="http://a.test/x.mp4"></video>',
        '<video poster="http://a.test/x.jpg"></video>',
        '<audio><source src="http://a.test/x.ogg"></audio>',
        '<div style="background: url(http://a.test/x.png)"></div>',
        '<link rel="icon" href="http://a.test/i.png">',
        '<link rel="preload" as="image" href="http://a.test/x.jpg">',
    ],
)
def test_passive_content_costs_half(element: str) -> None:
    """Every place where an image, sound or film can be named."""
    found = outcome(mixed_content, element)

    assert (found.state, found.loss, found.total) == ("passive", 0.5, 1)
    assert found.evidence[0].url.startswith("http://a.test/")


@pytest.mark.parametrize(
    "element",
    [
        '<a href="http://a.test/">Link</a>',
        '<link rel="canonical" href="http://example.com/">',
        '<link rel="alternate" href="http://example.com/de">',
        '<link rel="profile" href="http://gmpg.org/xfn/11"><link rel="pingback" href="http://example.com/x">',
        '<html xmlns="http://www.w3.org/1999/xhtml"><svg xmlns="http://www.w3.org/2000/svg"></svg>',
        '<script type="application/ld+json">{"@context":"http://schema.org","@type":"Thing"}</script>',
        '<script src="//a.test/x.js"></script>',
        '<script src="/x.js"></script>',
        '<!-- <script src="http://a.test/x.js"></script> -->',
        '<script src="http://localhost:3000/live.js"></script><img src="http://127.0.0.1/x.png">',
        '<form action="http://a.test/login"></form>',
        '<form><button formaction="HTTP://a.test/login">Go</button></form>',
    ],
)
def test_what_loads_nothing_insecurely_is_clean(element: str) -> None:
    """Links, namespaces, vocabularies, relative URLs, the visitor's own machine; forms have a check of their own."""
    assert outcome(mixed_content, '<img src="/a.png" alt="">' + element).state == "clean"


def test_page_over_plain_http_does_not_apply() -> None:
    """It inherits the failure of HTTPS instead."""
    assert isinstance(run(mixed_content, '<script src="/x.js"></script>', url="http://example.com/"), NotApplicable)


@pytest.mark.parametrize("policy", ["upgrade-insecure-requests", "default-src 'self'; UPGRADE-insecure-requests;"])
def test_upgrading_policy_costs_half_whatever_it_covers(policy: str) -> None:
    """Scripts too."""
    html = '<script src="http://a.test/x.js"></script>'

    assert outcome(mixed_content, html, headers=((CSP, policy),)).state == "upgraded"


def test_upgrading_policy_may_stand_in_the_page() -> None:
    """A meta element is enough for this directive."""
    html = f'<meta http-equiv="{CSP}" content="upgrade-insecure-requests"><img src="http://a.test/x.jpg">'

    assert outcome(mixed_content, html).state == "upgraded"


def test_reporting_policy_upgrades_nothing() -> None:
    """Only enforced policies act."""
    headers = ((f"{CSP}-Report-Only", "upgrade-insecure-requests"),)

    assert outcome(mixed_content, '<img src="http://a.test/x.jpg">', headers=headers).state == "passive"


def test_blocking_policy_costs_half() -> None:
    """Browsers then load none of it."""
    headers = ((CSP, "block-all-mixed-content"),)

    assert outcome(mixed_content, '<img src="http://a.test/x.jpg">', headers=headers).state == "upgraded"


def test_stylesheets_are_read_when_they_were_fetched() -> None:
    """Images in CSS are passive, what it imports is active."""
    image = StylesheetReference(url="http://a.test/x.png", kind="image", stylesheet_url="https://example.com/x.css")
    more = StylesheetReference(url="http://a.test/y.css", kind="stylesheet", stylesheet_url="https://example.com/x.css")

    assert outcome(mixed_content, make_artifacts(resources=make_resources(stylesheet_references=(image,)))).state == (
        "passive"
    )
    assert outcome(
        mixed_content, make_artifacts(resources=make_resources(stylesheet_references=(image, more)))
    ).state == ("active")


@pytest.mark.parametrize(("kind", "state"), [("image", "passive"), ("script", "active")])
def test_resource_that_is_redirected_to_plain_http_counts(kind: str, state: str) -> None:
    """The address in the page is secure, the file is not."""
    resource = make_resource(
        "https://a.test/x",
        kind=kind,
        response=make_response(url="http://a.test/x"),
        hops=(make_response(url="https://a.test/x"),),
    )
    found = outcome(mixed_content, make_artifacts(resources=make_resources(resource)))

    assert found.state == state
    assert "redirected to http://a.test/x" in found.evidence[0].reason


def test_same_address_counts_once() -> None:
    """Ten uses of one image are one address to change."""
    assert outcome(mixed_content, '<img src="http://a.test/x.jpg">' * 10).total == 1


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (9, 0.9), (10, 0.9), (150, 0.9)])
def test_passive_loss_grows_but_stays_below_one_script(count: int, loss: float) -> None:
    """At most nine tenths, and at most a hundred pieces of evidence."""
    html = "".join(f'<img src="http://a.test/{number}.jpg">' for number in range(count))
    found = outcome(mixed_content, html)

    assert found.loss == pytest.approx(loss)
    assert found.loss is not None
    assert found.loss <= 0.9
    assert len(found.evidence) == min(count, 100)


def test_adding_the_upgrade_never_costs_points() -> None:
    """Covered content is never worse than the same content without cover."""
    html = '<img src="http://a.test/x.jpg">'
    bare = outcome(mixed_content, html)

    assert bare.loss is not None
    assert mixed_content.state("upgraded").loss <= bare.loss
