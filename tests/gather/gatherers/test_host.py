from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Protocol

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID

from pagegrade.gather.gatherers.host import gather_dns, gather_tls
from pagegrade.model.artifacts import TLS, DNSFacts, NotGathered
from tests.gather.sites import LOOPBACK, NOW, Dying, Names, Site, Visit, html, make_options, redirect


def look_up(host: str, resolver: Any) -> DNSFacts | NotGathered:
    """The artifact of a page on ``host``."""

    async def go() -> DNSFacts | NotGathered:
        async with Site({"/": html("<p>")}) as site:
            url = site.origin.replace("127.0.0.1", host) + "/"
            async with Visit(site, url=url, resolver=resolver) as page:
                return await gather_dns(page)

    return asyncio.run(go())


class Counting(Names):
    """A resolver that counts."""

    def __init__(self) -> None:
        super().__init__({"example.com": "127.0.0.1"})
        self.asked = 0

    async def texts(self, name: str) -> tuple[str, ...]:
        """It has no records."""
        return ()

    async def resolve(self, host: str, *, local_names: bool = False) -> Any:
        self.asked += 1
        return await super().resolve(host, local_names=local_names)


def test_facts_without_addresses_that_are_not_public() -> None:
    """The end of the alias chain and the time are reported; an inner address stays private."""
    found = look_up("example.com", Names({"example.com": "127.0.0.1"}))

    assert found == DNSFacts(host="example.com", addresses=(), canonical_name="edge.example.net", duration_ms=1.5)


def test_the_name_is_asked_for_once() -> None:
    """The look-up of the document is remembered."""
    counting = Counting()
    look_up("example.com", counting)

    assert counting.asked == 1


def test_an_address_has_no_dns() -> None:
    """There is nothing to look up."""
    found = look_up("127.0.0.1", Names({}))

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"


class Configures(Protocol):
    """Something with a certificate and its key."""

    def configure_cert(self, ctx: ssl.SSLContext, /) -> None:
        """Load both into a server."""


def server_context(certificate: Configures) -> ssl.SSLContext:
    """A server that speaks TLS 1.2 and 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    certificate.configure_cert(context)
    return context


def make_leaf_with_issuer_location() -> tuple[bytes, bytes]:
    """A certificate (and its key) like those of public authorities, from one that is not known."""
    issuer_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    place = x509.UniformResourceIdentifier("http://ca.example/issuer.crt")
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Some authority")]))
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2999, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(
            x509.AuthorityInformationAccess([x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, place)]),
            critical=False,
        )
        .sign(issuer_key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM), secret


def inspect(
    issue: Callable[[trustme.CA], Configures] = lambda authority: authority.issue_cert("127.0.0.1"),
    *,
    trust: tuple[pytest.MonkeyPatch, Path] | None = None,
    path: str = "/",
    authority: trustme.CA | None = None,
    **more: Any,
) -> TLS | NotGathered:
    """The artifact of a page behind a certificate; ``trust`` makes its authority a known one."""
    authority = authority or trustme.CA()
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
    assert found.trusted_by_all is None
    assert found.chain[0].names == ("127.0.0.1",)
    assert found.chain[0].key_type == "EC"
    assert found.alpn == "http/1.1"


@pytest.mark.parametrize("known", [True, False])
def test_own_authorities_are_told_from_those_of_everyone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, known: bool
) -> None:
    """One handshake more, where the run trusts more than everyone does, finds out whether it had to."""
    authority = trustme.CA()
    own = authority.cert_pem.bytes().decode("ascii")
    policy = replace(LOOPBACK, authorities=own)
    trust = (monkeypatch, tmp_path) if known else None
    found = inspect(authority=authority, trust=trust, options=make_options(policy=policy))

    assert isinstance(found, TLS)
    assert (found.verified, found.trusted_by_all) == (True, known)


def test_versions_are_tried_one_by_one() -> None:
    """The versions that the server refuses and accepts."""
    found = inspect()

    assert isinstance(found, TLS)
    assert found.versions == (("TLSv1.0", False), ("TLSv1.1", False), ("TLSv1.2", True), ("TLSv1.3", True))


def test_an_unknown_authority_is_reported() -> None:
    """The page is there all the same, and the connection is not called verified."""
    found = inspect()

    assert isinstance(found, TLS)
    assert (found.verified, found.verify_error) == (False, "untrusted")
    assert found.verify_detail
    assert found.chain


@pytest.mark.parametrize(("sent", "expected"), [(1, "incomplete_chain"), (2, "untrusted")])
def test_a_forgotten_intermediate_is_distinguished_from_an_unknown_authority(sent: int, expected: str) -> None:
    """A leaf that stands alone and says where its issuer is to be found could be completed."""
    leaf, key = make_leaf_with_issuer_location()
    chain = (leaf + trustme.CA().cert_pem.bytes()) if sent > 1 else leaf

    class Issued:
        def configure_cert(self, context: ssl.SSLContext) -> None:
            with trustme.Blob(key + chain).tempfile() as path:
                context.load_cert_chain(path)

    found = inspect(lambda _: Issued())

    assert isinstance(found, TLS)
    assert (len(found.chain), found.verify_error) == (sent, expected)


def test_a_wrong_name_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A known authority does not help the wrong host."""
    found = inspect(lambda authority: authority.issue_cert("example.com"), trust=(monkeypatch, tmp_path))

    assert isinstance(found, TLS)
    assert (found.verified, found.verify_error) == (False, "wrong_host")


def test_an_expired_certificate_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
