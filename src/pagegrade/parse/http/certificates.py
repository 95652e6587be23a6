"""A certificate chain as sent -> the facts a report shows; odd certificates give fewer facts, never an error."""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.x509.oid import AuthorityInformationAccessOID

from pagegrade.model.artifacts import Certificate

MAX_CERTIFICATES: Final = 20
"""A longer chain is cut; honest ones have two to four."""
MAX_NAMES: Final = 500
MAX_PEM_CHARACTERS: Final = 400_000
"""A certificate of 10,000 names has about 250 kB; a larger one is not looked at."""
_MAX_TEXT: Final = 300
_MAX_NAME: Final = 253
"""Length of the longest DNS name (RFC 1035, 2.3.4)."""
_OIDS: Final = {
    "1.2.840.113549.1.1.4": "MD5-RSA",
    "1.2.840.113549.1.1.5": "SHA1-RSA",
    "1.2.840.113549.1.1.10": "RSASSA-PSS",
    "1.2.840.113549.1.1.11": "SHA256-RSA",
    "1.2.840.113549.1.1.12": "SHA384-RSA",
    "1.2.840.113549.1.1.13": "SHA512-RSA",
    "1.2.840.10045.4.1": "SHA1-ECDSA",
    "1.2.840.10045.4.3.2": "SHA256-ECDSA",
    "1.2.840.10045.4.3.3": "SHA384-ECDSA",
    "1.2.840.10045.4.3.4": "SHA512-ECDSA",
    "1.3.101.112": "Ed25519",
    "1.3.101.113": "Ed448",
}
"""Signature algorithms by their object identifier (RFC 3279, 4055, 5758, 8410)."""

_T = TypeVar("_T")


def read_chain(pems: Sequence[str]) -> tuple[Certificate, ...]:
    """Read certificates in PEM form, leaf first as sent.

    Returns:
        One entry for each, at most ``MAX_CERTIFICATES``; an unreadable one keeps its place with empty fields. Text is
        printable, cut to a bounded length, and must still be escaped for output.

    Source: https://www.rfc-editor.org/rfc/rfc5280#section-4
    """
    return tuple(_read(pem) for pem in pems[:MAX_CERTIFICATES])


def read_authorities(content: bytes) -> str:
    """Return the certificates of a file in PEM, without what else stands in it.

    Raises:
        ValueError: It holds no certificate, or one that cannot be read.
    """
    no_certificates: list[x509.Certificate] = []
    found = _attempt(lambda: x509.load_pem_x509_certificates(content), no_certificates)
    if not found:
        raise ValueError("no certificate that can be read")
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode("ascii") for each in found)


def names_its_issuer(pem: str) -> bool:
    """Return whether a certificate says where its issuer's can be fetched, as those of public authorities do.

    Browsers complete a chain from there when a server forgot to send it.

    Source: https://www.rfc-editor.org/rfc/rfc5280#section-4.2.2.1
    """

    def look() -> bool:
        certificate = x509.load_pem_x509_certificate(pem.encode("ascii", "replace"))
        access = certificate.extensions.get_extension_for_class(x509.AuthorityInformationAccess).value
        return any(entry.access_method == AuthorityInformationAccessOID.CA_ISSUERS for entry in access)

    return len(pem) <= MAX_PEM_CHARACTERS and _attempt(look, default=False)


def _read(pem: str) -> Certificate:
    def load() -> x509.Certificate | None:
        return x509.load_pem_x509_certificate(pem.encode("ascii", "replace"))

    certificate = _attempt(load, None) if len(pem) <= MAX_PEM_CHARACTERS else None
    if certificate is None:
        return Certificate(subject="", issuer="")
    known = certificate
    no_key: tuple[str, int | None] = ("", None)
    key_type, key_bits = _attempt(lambda: _key(known), no_key)
    return Certificate(
        subject=_attempt(lambda: _clean(known.subject.rfc4514_string(), _MAX_TEXT), ""),
        issuer=_attempt(lambda: _clean(known.issuer.rfc4514_string(), _MAX_TEXT), ""),
        names=_attempt(lambda: _names(known), ()),
        not_before_at=_attempt(lambda: _moment(known.not_valid_before_utc), None),
        not_after_at=_attempt(lambda: _moment(known.not_valid_after_utc), None),
        key_type=key_type,
        key_bits=key_bits,
        signature_algorithm=_attempt(lambda: _signature(known), ""),
        serial=_attempt(lambda: format(known.serial_number, "x")[:80], ""),
    )


def _attempt(read: Callable[[], _T], default: _T) -> _T:
    """One field at a time: certificates break rules in ways that make a single accessor fail.

    A panic of the Rust code behind ``cryptography`` is no ``Exception``, hence the wide net.
    """
    try:
        return read()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001
        return default


def _moment(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _names(certificate: x509.Certificate) -> tuple[str, ...]:
    """DNS names and addresses of the subject alternative name extension."""
    extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    names: list[str] = []
    for name in extension.value:
        if isinstance(name, x509.DNSName):
            names.append(_clean(name.value, _MAX_NAME))
        elif isinstance(name, x509.IPAddress) and isinstance(name.value, ipaddress.IPv4Address | ipaddress.IPv6Address):
            names.append(str(name.value))
        if len(names) >= MAX_NAMES:
            break
    return tuple(names)


def _key(certificate: x509.Certificate) -> tuple[str, int | None]:
    """Type and size of the public key."""
    match certificate.public_key():
        case rsa.RSAPublicKey() as key:
            return "RSA", key.key_size
        case ec.EllipticCurvePublicKey() as key:
            return "EC", key.curve.key_size
        case dsa.DSAPublicKey() as key:
            return "DSA", key.key_size
        case ed25519.Ed25519PublicKey():
            return "Ed25519", 256
        case ed448.Ed448PublicKey():
            return "Ed448", 456
        case key:
            return type(key).__name__[:40], None


def _signature(certificate: x509.Certificate) -> str:
    """Name of the signature algorithm, else its dotted identifier."""
    identifier = certificate.signature_algorithm_oid.dotted_string
    return _OIDS.get(identifier, identifier[:80])


def _clean(text: str, limit: int) -> str:
    """Replace what cannot be shown (controls, surrogates, direction overrides) and cut."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(char)[0] == "C" else char for char in text[:limit]
    )
    return shown + ("…" if len(text) > limit else "")
