from __future__ import annotations

import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from tests.lab.authority import Authority, Issued, server_context

AUTHORITY = Authority("Test root")


def read(issued: Issued) -> x509.Certificate:
    """The certificate as a library reads it."""
    return x509.load_der_x509_certificate(issued.certificate)


def test_leaf_is_signed_by_the_root() -> None:
    """The chain of one verifies."""
    read(AUTHORITY.issue("host-lab.com")).verify_directly_issued_by(AUTHORITY.root)


def test_self_signed_leaf_is_not() -> None:
    """It names itself as its issuer."""
    leaf = read(AUTHORITY.issue("host-lab.com", self_signed=True))

    assert leaf.issuer == leaf.subject


@pytest.mark.parametrize(("depth", "send", "sent"), [(1, True, 1), (1, False, 0), (3, True, 3)])
def test_intermediates_are_sent_or_kept(depth: int, send: bool, sent: int) -> None:  # noqa: FBT001
    """The leaf is signed by the last of them."""
    issued = AUTHORITY.below_intermediate("host-lab.com", send=send, depth=depth)

    assert len(issued.chain) == sent
    if send:
        read(issued).verify_directly_issued_by(x509.load_der_x509_certificate(issued.chain[0]))


def test_patched_certificate_is_signed_anew() -> None:
    """A certificate that no library would build still carries a good signature."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "good name")])
    issued = AUTHORITY.patched(AUTHORITY.issue("host-lab.com", subject=subject), b"good name", b"good\0name")
    leaf = read(issued)
    key = AUTHORITY.root.public_key()

    assert b"good\0name" in issued.certificate
    assert isinstance(key, ec.EllipticCurvePublicKey)
    key.verify(leaf.signature, leaf.tbs_certificate_bytes, ec.ECDSA(SHA256()))


def test_patch_that_would_not_fit_is_refused() -> None:
    """Other lengths would break the encoding around it."""
    with pytest.raises(ValueError, match="cannot patch"):
        AUTHORITY.patched(AUTHORITY.issue("host-lab.com"), b"host-lab.com", b"short")


def test_server_context_presents_the_certificate() -> None:
    """The key fits and the protocols are offered."""
    context = server_context(AUTHORITY.issue("host-lab.com"))

    assert context.verify_mode == ssl.CERT_NONE
