from __future__ import annotations

import pytest

from pagegrade.checks.security.server_signature import server_signature
from tests.builders import make_artifacts, make_response, outcome


def state(name: str, value: str) -> str:
    """The state of the check for one header."""
    return outcome(server_signature, make_artifacts(headers=((name, value),))).state


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Server", "nginx/1.25.3"),
        ("server", "Apache/2.4.41 (Ubuntu)"),
        ("Server", "Microsoft-IIS/10"),
        ("Server", "Jetty(9.4.43.v20210629)"),
        ("X-Powered-By", "PHP/8.1"),
        ("X-AspNet-Version", "4.0.30319"),
        ("X-AspNetMvc-Version", "5"),
        ("X-Version", "7"),
        ("X-Mod-Pagespeed", "1.13.35.2-0"),
        ("X-Generator", "Drupal 10.2 (https://www.drupal.org)"),
        ("Server", "cloudflare/1.2"),
    ],
)
def test_version_number_fails(name: str, value: str) -> None:
    """In any header that is made for it."""
    assert state(name, value) == "version"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Server", "Apache (Ubuntu)"),
        ("Server", "example/mod_proxy"),
        ("X-Powered-By", "Express"),
        ("X-Powered-By", "ASP.NET"),
        ("X-Generator", "Drupal"),
        ("X-Runtime", "0.023541"),
    ],
)
def test_name_of_a_product_costs_half(name: str, value: str) -> None:
    """A running time is no version, but it gives the framework away."""
    assert state(name, value) == "product"


@pytest.mark.parametrize("value", ["nginx", "APACHE", "Microsoft-IIS", "openresty", "example.org"])
def test_bare_name_of_the_server_costs_nothing(value: str) -> None:
    """It is what is left once the version is hidden, and many servers cannot send less."""
    assert state("Server", value) == "name"
    assert server_signature.state("name").loss == 0


@pytest.mark.parametrize(
    "value", ["cloudflare", "CloudFront", "AmazonS3", "Vercel", "GitHub.com", "gws", "ECS (nyb/1D2C)", "", " "]
)
def test_hosting_services_disclose_nothing(value: str) -> None:
    """Nor do the site codes of their caches."""
    assert state("Server", value) == "silent"


def test_no_header_passes() -> None:
    """Silence is best."""
    assert outcome(server_signature, make_artifacts()).state == "silent"


@pytest.mark.parametrize(
    ("content", "expected"), [("WordPress 6.4.2", "version"), ("WordPress", "silent"), ("Hugo 0.120", "version")]
)
def test_generator_counts_only_with_a_version(content: str, expected: str) -> None:
    """Naming the content system is no header and costs nothing."""
    assert outcome(server_signature, f'<meta name="Generator" content="{content}">').state == expected


def test_headers_of_redirects_do_not_count() -> None:
    """The page itself is evaluated."""
    hop = make_response(url="http://example.com/", status=301, headers=(("Server", "nginx/1.25.3"),))

    assert outcome(server_signature, make_artifacts(hops=[hop])).state == "silent"


def test_versions_are_shown_before_products() -> None:
    """Every header is evidence."""
    headers = (("Server", "nginx"), ("X-Powered-By", "PHP/7.4.3"))
    found = outcome(server_signature, make_artifacts(headers=headers))

    assert [(place.header, place.reason) for place in found.evidence] == [
        ("X-Powered-By", "version"),
        ("Server", "name"),
    ]


def test_long_values_are_cut() -> None:
    """A header of 60,000 digits is looked at only in part."""
    found = outcome(server_signature, make_artifacts(headers=(("Server", "1" * 60_000),)))

    assert found.state == "product"
    assert len(found.evidence[0].snippet) == 200


def test_hiding_the_version_never_costs_points() -> None:
    """Version, product, silence: each step costs less or the same."""
    losses = [server_signature.state(state("Server", value)).loss for value in ("nginx/1.2", "nginx (x)", "nginx", "")]

    assert losses == sorted(losses, reverse=True)


def test_evidence_of_many_generators_is_bounded() -> None:
    """A page may repeat the element thousands of times."""
    found = outcome(server_signature, '<meta name="generator" content="X 1.2">' * 500)

    assert found.state == "version"
    assert len(found.evidence) == 10
