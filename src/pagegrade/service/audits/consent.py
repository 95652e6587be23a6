"""Consent of the owner of a site: how it is proved to be the account's, and what a crawl may do without a proof."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.access import Access
from pagegrade.model.audit import META_NAME, AuditSettings, Crawl
from pagegrade.parse.url import host, host_address, is_nearby, origin, registrable_domain

MAX_RATE: Final = 20.0
"""Requests a second that the owner of a site may allow."""
UNPROVED_RATE: Final = 1.0
"""Requests a second on every other host."""
PROOF_PATH: Final = "/.well-known/pagegrade.txt"
RECORD: Final = "_pagegrade"
"""Name below the registrable domain that has the TXT record."""
DAY_MS: Final = 86_400_000
_TOKEN_BYTES: Final = 16


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Places that prove a site to be that of an account; one of them is enough."""

    token: str
    """The same for all sites of a registrable domain; no secret. Empty: this process cannot make one."""
    record: str
    """Name of the TXT record; empty for an address, which has none."""
    file: str
    """URL of the file."""

    @property
    def meta(self) -> str:
        """The tag in the head of the start page."""
        return f'<meta name="{META_NAME}" content="{self.token}">'


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a crawl that has no proof yet."""

    proof: Proof
    pages: int
    """URLs that it may fetch without one."""
    wants_access: bool
    """It has an access, which is sent to nobody else than the owner of the site."""

    def is_enough(self, settings: AuditSettings) -> bool:
        """Return whether a crawl with these settings needs no proof."""
        is_slow = settings.rate_per_s is not None and settings.rate_per_s <= UNPROVED_RATE
        is_small = settings.max_pages <= self.pages and not settings.external
        return is_slow and is_small and not self.wants_access

    def limited(self, settings: AuditSettings) -> AuditSettings:
        """The settings of a crawl whose site is not proved."""
        rate = min(settings.rate_per_s or UNPROVED_RATE, UNPROVED_RATE)
        pages = min(settings.max_pages, self.pages)
        return replace(settings, rate_per_s=rate, max_pages=pages, external=False)


def proof_of(start_url: str, account_id: int, key: bytes) -> Proof:
    """The proof that an account gives for the site of a start page.

    Args:
        start_url: Canonical URL.
        account_id: Of the account; the token of another one proves nothing.
        key: Of the installation, at most 64 bytes; empty where it is not known.
    """
    name = host(start_url)
    domain = registrable_domain(name)
    text = f"site {account_id} {domain}".encode()
    # Without a key, the tokens of all installations would be the same.
    token = hashlib.blake2b(text, key=key, digest_size=_TOKEN_BYTES).hexdigest() if key else ""
    return Proof(
        token=token,
        record="" if host_address(domain) is not None else f"{RECORD}.{domain}",
        file=f"{origin(start_url)}{PROOF_PATH}",
    )


def is_proved(crawl: Crawl, url: str) -> bool:
    """Return whether the host of a URL is proved to be that of the account, or lies in the operator's own network.

    A record proves all hosts of a registrable domain, the file and the tag the start host and its www sibling.
    """
    start, asked = host(crawl.start_url), host(url)
    if is_nearby(start):
        return is_nearby(asked)
    method = None if crawl.facts is None else crawl.facts.proof
    if method is None:
        return False
    if method == "dns":
        return registrable_domain(start) == registrable_domain(asked)
    return start.removeprefix("www.") == asked.removeprefix("www.")


def allowed_rate(crawl: Crawl, url: str) -> float | None:
    """Requests that a crawl may begin in a second on the host of a URL; ``None``: as many as come.

    The command line asks for no proof: the person at it says whose the site is.
    """
    rate = crawl.settings.rate_per_s
    if rate is None or rate <= UNPROVED_RATE or crawl.account_id is None or is_proved(crawl, url):
        return rate
    return UNPROVED_RATE


def allowed_access(crawl: Crawl, access: Access | None) -> tuple[str, ...]:
    """The origins that a crawl sends its access to."""
    return () if access is None else tuple(each for each in access.origins if is_proved(crawl, f"{each}/"))
