"""Facts of certificate chains, the odd ones too."""

from __future__ import annotations

import base64
import ipaddress
from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.http.certificates import (
    MAX_CERTIFICATES,
    MAX_NAMES,
    MAX_PEM_CHARACTERS,
    names_its_issuer,
    read_chain,
)

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
EC_KEY = ec.generate_private_key(ec.SECP256R1())


def make_certificate(
    *,
    subject: str = "example.com",
    names: tuple[str, ...] = ("example.com", "www.example.com"),
    key: PrivateKey = EC_KEY,
    not_before_at: datetime = datetime(2026, 1, 1, tzinfo=UTC),
    not_after_at: datetime = datetime(2026, 3, 1, tzinfo=UTC),
) -> bytes:
    """A self-signed certificate in DER."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    alternatives: list[x509.GeneralName] = [x509.DNSName(text) for text in names]
    alternatives.append(x509.IPAddress(ipaddress.ip_address("9.9.9.9")))
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(0xABCDEF)
        .not_valid_before(not_before_at)
        .not_valid_after(not_after_at)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    )
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(key, algorithm).public_bytes(serialization.Encoding.DER)


def pem(der: bytes) -> str:
    """The same in PEM."""
    return f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(der).decode()}-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (EC_KEY, ("EC", 256, "SHA256-ECDSA")),
        (rsa.generate_private_key(65537, 2048), ("RSA", 2048, "SHA256-RSA")),
        (ed25519.Ed25519PrivateKey.generate(), ("Ed25519", 256, "Ed25519")),
    ],
)
def test_facts_of_an_ordinary_certificate(key: PrivateKey, expected: tuple[str, int, str]) -> None:
    """Names, dates, key and signature are read."""
    (certificate,) = read_chain([pem(make_certificate(key=key))])

    assert certificate.subject == certificate.issuer == "CN=example.com"
    assert certificate.names == ("example.com", "www.example.com", "9.9.9.9")
    assert certificate.not_before_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert certificate.not_after_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert (certificate.key_type, certificate.key_bits, certificate.signature_algorithm) == expected
    assert certificate.serial == "abcdef"


def test_the_far_future_is_a_date() -> None:
    """The last moment that X.509 can say (RFC 5280, 4.1.2.5) is kept."""
    far = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    (certificate,) = read_chain(
        [pem(make_certificate(not_before_at=datetime(1950, 1, 1, tzinfo=UTC), not_after_at=far))]
    )

    assert certificate.not_after_at == far
    assert certificate.not_before_at == datetime(1950, 1, 1, tzinfo=UTC)


def test_an_impossible_date_is_unknown_and_spares_the_rest() -> None:
    """A month 13 costs the dates, not the names."""
    der = make_certificate().replace(b"260301000000Z", b"261301000000Z")
    (certificate,) = read_chain([pem(der)])

    assert certificate.not_after_at is None
    assert certificate.subject in {"", "CN=example.com"}


def test_controls_and_overrides_in_names_are_replaced() -> None:
    """Characters that could move text about or end a line never leave; markup stays text for the renderer to escape."""
    (certificate,) = read_chain([pem(make_certificate(subject="<b>\u202eevil\r\n\x00</b>"))])

    assert certificate.subject.startswith("CN=\\<b\\>")
    assert not {"\u202e", "\r", "\n", "\x00"} & set(certificate.subject)


def test_names_are_bounded() -> None:
    """One name over the limit is dropped."""
    names = tuple(f"h{number}.example.com" for number in range(MAX_NAMES + 1))
    (certificate,) = read_chain([pem(make_certificate(names=names))])

    assert certificate.names == names[:MAX_NAMES]


def test_chain_is_bounded_and_keeps_its_order() -> None:
    """The leaf stays first; a chain of a hundred is cut."""
    chain = read_chain([pem(make_certificate()), *["garbage"] * 99])

    assert len(chain) == MAX_CERTIFICATES
    assert chain[0].subject == "CN=example.com"
    assert chain[1].subject == ""


def test_a_huge_certificate_is_not_looked_at() -> None:
    """Padding over the size limit costs nothing but the facts."""
    (certificate,) = read_chain([pem(make_certificate()) + " " * MAX_PEM_CHARACTERS])

    assert certificate.subject == ""


@given(position=st.integers(min_value=0, max_value=400), junk=st.binary(min_size=1, max_size=8))
def test_never_raises_on_damaged_certificates(position: int, junk: bytes) -> None:
    """Any bytes overwritten anywhere give one entry, readable or not."""
    der = bytearray(DER)
    der[position : position + len(junk)] = junk

    assert len(read_chain([pem(bytes(der))])) == 1


@given(st.text(max_size=200))
def test_never_raises_on_text(text: str) -> None:
    """Text that is no certificate at all gives an empty entry."""
    assert read_chain([text])[0].names == ()


@pytest.mark.parametrize(
    "text", ["", "garbage", pem(make_certificate()), pem(make_certificate()) + " " * MAX_PEM_CHARACTERS]
)
def test_a_certificate_without_its_issuers_place_names_none(text: str) -> None:
    """Neither does what cannot be read, or is too large to be looked at."""
    assert not names_its_issuer(text)


DER = make_certificate()
