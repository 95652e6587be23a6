"""Certificates and protocol versions."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from pagegrade.gather.gatherers.tls import gather_tls, refine_word
from pagegrade.model.artifacts import TLS, Certificate, NotGathered
from tests.gather.sites import NOW, Dying, Site, Visit, html, redirect


def server_context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """A server that speaks TLS 1.2 and 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    certificate.configure_cert(context)
    return context


def inspect(
    issue: Callable[[trustme.CA], trustme.LeafCert] = lambda authority: authority.issue_cert("127.0.0.1"),
    *,
    trust: tuple[pytest.MonkeyPatch, Path] | None = None,
    path: str = "/",
    **more: Any,
) -> TLS | NotGathered:
    """The artifact of a page behind a certificate; ``trust`` makes its authority a known one."""
    authority = trustme.CA()
    if trust is not None:
        patch, folder = trust
        authority.cert_pem.write_to_path(str(folder / "roots.pem"))
        patch.setenv("SSL_CERT_FILE", str(folder / "roots.pem"))

    async def go() -> TLS | NotGathered:
        site = Site({"/": html("<p>"), "/old": redirect("/")}, tls=server_context(issue(authority)))
        async with site, Visit(site, path, **more) as page:
            return await gather_tls(page)

    return asyncio.run(go())


@pytest.mark.parametrize("path", ["/", "/old"])
def test_a_good_certificate_verifies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str) -> None:
    """Also when a redirect used the connection before the document did."""
    found = inspect(trust=(monkeypatch, tmp_path), path=path)

    assert isinstance(found, TLS)
    assert (found.host, found.verified, found.verify_error, found.checked_at) == ("127.0.0.1", True, None, NOW)
    assert found.chain[0].names == ("127.0.0.1",)
    assert found.chain[0].key_type == "EC"
    assert found.alpn == "http/1.1"


def test_versions_are_tried_one_by_one() -> None:
    """What the server refuses and what it accepts."""
    found = inspect()

    assert isinstance(found, TLS)
    assert found.versions == (("TLSv1.0", False), ("TLSv1.1", False), ("TLSv1.2", True), ("TLSv1.3", True))


def test_an_unknown_authority_is_told() -> None:
    """The page is there all the same, and nobody calls the connection verified."""
    found = inspect()

    assert isinstance(found, TLS)
    assert (found.verified, found.verify_error) == (False, "incomplete_chain")
    assert found.verify_detail
    assert found.chain


def test_a_wrong_name_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A known authority does not help the wrong host."""
    found = inspect(lambda authority: authority.issue_cert("example.com"), trust=(monkeypatch, tmp_path))

    assert isinstance(found, TLS)
    assert (found.verified, found.verify_error) == (False, "wrong_host")


def test_an_expired_certificate_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its dates are shown."""
    end = datetime(2020, 1, 1, tzinfo=UTC)
    found = inspect(
        lambda authority: authority.issue_cert("127.0.0.1", not_before=end - timedelta(90), not_after=end),
        trust=(monkeypatch, tmp_path),
    )

    assert isinstance(found, TLS)
    assert (found.verify_error, found.chain[0].not_after_at) == ("expired", end)


def test_plain_http_has_no_tls() -> None:
    """There is nothing to look at."""

    async def go() -> TLS | NotGathered:
        async with Site({"/": html("<p>")}) as site, Visit(site) as page:
            return await gather_tls(page)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"


def test_a_reader_that_dies_costs_only_the_chain() -> None:
    """The handshake's own facts stay."""
    found = inspect(offload=Dying("read_chain"))

    assert isinstance(found, TLS)
    assert (found.chain, found.verified) == ((), False)


LEAF = Certificate(subject="CN=a", issuer="CN=b")
ROOT = Certificate(subject="CN=b", issuer="CN=b")


@pytest.mark.parametrize(
    ("word", "code", "chain", "expected"),
    [
        ("untrusted", 20, (LEAF,), "incomplete_chain"),
        ("incomplete_chain", 21, (LEAF, ROOT), "untrusted"),
        ("incomplete_chain", 21, (ROOT,), "untrusted"),
        ("untrusted", 19, (LEAF,), "untrusted"),
        ("expired", 10, (LEAF,), "expired"),
        ("untrusted", 20, (), "untrusted"),
    ],
)
def test_a_missing_intermediate_is_told_from_an_unknown_authority(
    word: str, code: int, chain: tuple[Certificate, ...], expected: str
) -> None:
    """OpenSSL says the same of both; the chain makes the difference."""
    assert refine_word(word, code, chain) == expected
