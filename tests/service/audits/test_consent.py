"""Consent of the owner of a site: what proves it, and what a crawl may do without."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.audit import AuditSettings, Crawl, ProofMethod, SiteFacts
from pagegrade.parse.http.access import read_access
from pagegrade.service.audits.consent import Consent, allowed_access, allowed_rate, is_proved, proof_of

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

START = "https://shop.example/"


def crawl(proof: ProofMethod | None = None, *, start: str = START, rate: float | None = 20.0, **more: Any) -> Crawl:
    """A crawl of an account that has looked for a proof."""
    given: dict[str, Any] = {"account_id": 7, "facts": SiteFacts(proof=proof), **more}
    return Crawl(
        id=1,
        number=1,
        start_url=start,
        state="crawling",
        settings=AuditSettings(rate_per_s=rate),
        secret=b"s" * 16,
        created_at_ms=1,
        **given,
    )


@pytest.mark.parametrize(
    ("proof", "url", "proved"),
    [
        (None, START, False),
        ("dns", START, True),
        ("dns", "https://a.b.shop.example/", True),
        ("dns", "https://shop.example.com/", False),
        ("file", START, True),
        ("file", "http://www.shop.example/", True),
        ("file", "https://a.shop.example/", False),
        ("meta", "https://cdn.example/", False),
        ("network", START, True),
        ("network", "https://cdn.example/", False),
    ],
)
def test_a_proof_is_of_hosts(proof: ProofMethod | None, url: str, *, proved: bool) -> None:
    """A record of all hosts of the domain, a file and a tag of one with its www sibling."""
    assert is_proved(crawl(proof), url) is proved
    assert allowed_rate(crawl(proof), url) == (20.0 if proved else 1.0)


def test_nothing_is_proved_before_it_was_looked_for() -> None:
    """The first slice asks like everybody."""
    assert not is_proved(crawl(facts=None), START)


def test_the_own_network_needs_no_proof_and_leads_nowhere_else() -> None:
    """A file that a site of the intranet loads from elsewhere is asked for slowly, and gets no access."""
    inside = crawl(facts=None, start="http://127.0.0.1:8000/")
    access = read_access(origins=["http://127.0.0.1:8000", START], user="reader", password="n0t-Shown-1")

    assert is_proved(inside, "http://10.0.0.7/")
    assert not is_proved(inside, START)
    assert allowed_access(inside, access) == ("http://127.0.0.1:8000",)
    assert allowed_rate(inside, START) == 1.0


def test_other_sites_are_asked_for_the_owner_of_the_site_alone() -> None:
    """A crawl that is otherwise small enough for everyone leaves them alone."""
    limits = Consent(proof=proof_of(START, 7, b"k"), pages=500, wants_access=False)
    settings = AuditSettings(rate_per_s=1.0, max_pages=500, external=True)

    assert not limits.is_enough(settings)
    assert limits.is_enough(limits.limited(settings))


def test_the_command_line_is_asked_for_no_proof() -> None:
    """The person at it says whose the site is."""
    assert allowed_rate(crawl(account_id=None), START) == 20.0


@pytest.mark.parametrize(
    ("proof", "sent"),
    [
        (None, ()),
        ("meta", (START.rstrip("/"),)),
        ("dns", (START.rstrip("/"), "https://app.shop.example")),
    ],
)
def test_an_access_goes_to_what_is_proved(proof: ProofMethod | None, sent: tuple[str, ...]) -> None:
    """Not to another origin that the profile names."""
    origins = [START.rstrip("/"), "https://app.shop.example", "https://other.example"]
    access = read_access(origins=origins, user="reader", password="n0t-Shown-1")

    assert allowed_access(crawl(proof), access) == sent
    assert allowed_access(crawl(proof), None) == ()


def test_a_token_is_of_an_account_a_domain_and_an_installation() -> None:
    """And the same for all hosts of the domain; a process without the key makes none."""
    proof = proof_of(START, 7, b"key")

    assert proof_of("http://www.shop.example/a", 7, b"key").token == proof.token
    others = [proof_of(START, 8, b"key"), proof_of("https://shop.test.example/", 7, b"key"), proof_of(START, 7, b"yek")]

    assert proof.token not in {other.token for other in others}
    assert proof_of(START, 7, b"").token == ""


@pytest.mark.parametrize(
    ("change", "enough"),
    [
        ({}, True),
        ({"rate_per_s": 1.01}, False),
        ({"rate_per_s": None}, False),
        ({"max_pages": 501}, False),
    ],
)
def test_what_everybody_may_do_needs_no_proof(change: dict[str, Any], *, enough: bool) -> None:
    """One request a second and as many pages as the installation says; one past each is too much."""
    consent = Consent(proof=proof_of(START, 7, b"key"), pages=500, wants_access=False)
    settings = replace(AuditSettings(rate_per_s=1.0, max_pages=500), **change)

    assert consent.is_enough(settings) is enough
    limited = consent.limited(settings)

    assert (limited.rate_per_s, limited.max_pages) == (1.0, 500)
    assert not Consent(proof=consent.proof, pages=500, wants_access=True).is_enough(settings)
