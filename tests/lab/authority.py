"""The lab's certificate authority, and the certificates no honest one would issue."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
NOW: Final = dt.datetime.now(dt.UTC)
DAY: Final = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate with its key and the chain to send after it."""

    certificate: bytes
    """DER."""
    key: Key
    chain: tuple[bytes, ...] = ()


class Authority:
    """Issues certificates below one root."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self.root = self._build(self._name, self._key.public_key(), (), NOW - DAY, NOW + 3650 * DAY, ca=True)

    def root_pem(self) -> bytes:
        """The root, to be trusted."""
        return self.root.public_bytes(serialization.Encoding.PEM)

    def issue(
        self,
        *hosts: str,
        subject: x509.Name | None = None,
        not_before: dt.datetime = NOW - DAY,
        not_after: dt.datetime = NOW + 90 * DAY,
        self_signed: bool = False,
        key: Key | None = None,
    ) -> Issued:
        """A leaf for ``hosts`` (names or addresses)."""
        leaf_key = key or self._leaf_key
        name = subject or _name(hosts[0][:60])
        certificate = self._build(
            name, leaf_key.public_key(), hosts, not_before, not_after, signer=leaf_key if self_signed else None
        )
        return Issued(certificate.public_bytes(serialization.Encoding.DER), leaf_key)

    def below_intermediate(self, host: str, *, send: bool, depth: int = 1) -> Issued:
        """A leaf under ``depth`` intermediates; with ``send`` false the server keeps them to itself."""
        issuer, issuer_key = self._name, self._key
        chain: list[bytes] = []
        for number in range(depth):
            key = ec.generate_private_key(ec.SECP256R1())
            name = _name(f"lab intermediate {number}")
            built = self._build(
                name, key.public_key(), (), NOW - DAY, NOW + 900 * DAY, ca=True, signer=issuer_key, issuer=issuer
            )
            chain.insert(0, built.public_bytes(serialization.Encoding.DER))
            issuer, issuer_key = name, key
        leaf = self._build(
            _name(host),
            self._leaf_key.public_key(),
            (host,),
            NOW - DAY,
            NOW + 90 * DAY,
            signer=issuer_key,
            issuer=issuer,
        )
        return Issued(leaf.public_bytes(serialization.Encoding.DER), self._leaf_key, tuple(chain) if send else ())

    def patched(self, issued: Issued, old: bytes, new: bytes) -> Issued:
        """``issued`` with ``old`` replaced by the equally long ``new`` and signed again: DER no library would build."""
        tbs = x509.load_der_x509_certificate(issued.certificate).tbs_certificate_bytes
        if len(old) != len(new) or old not in tbs:
            message = f"cannot patch {old!r}"
            raise ValueError(message)
        changed = tbs.replace(old, new)
        signature = self._key.sign(changed, ec.ECDSA(hashes.SHA256()))
        algorithm = bytes.fromhex("300a06082a8648ce3d040302")  # ecdsa-with-SHA256, RFC 5758 3.2
        whole = changed + algorithm + _der(0x03, b"\0" + signature)
        return Issued(_der(0x30, whole), issued.key, issued.chain)

    def _build(
        self,
        subject: x509.Name,
        public_key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
        hosts: Sequence[str],
        not_before: dt.datetime,
        not_after: dt.datetime,
        *,
        ca: bool = False,
        signer: Key | None = None,
        issuer: x509.Name | None = None,
    ) -> x509.Certificate:
        own = signer is not None and issuer is None
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer or (subject if own else self._name))
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(not_before)
            .not_valid_after(not_after)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if hosts:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False
            )
        return builder.sign(signer or self._key, hashes.SHA256())


def server_context(
    issued: Issued,
    *,
    alpn: Sequence[str] = ("http/1.1",),
    maximum: ssl.TLSVersion | None = None,
    ciphers: str | None = None,
    client_certificate: bool = False,
) -> ssl.SSLContext:
    """A server's TLS settings that present ``issued``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if ciphers is not None:
        context.set_ciphers(ciphers)
    if maximum is not None:
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = maximum
    if alpn:
        context.set_alpn_protocols(list(alpn))
    if client_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=issued.certificate)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "server.pem")
        pem = issued.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        for certificate in (issued.certificate, *issued.chain):
            pem += ssl.DER_cert_to_PEM_cert(certificate).encode()
        file.write_bytes(pem)
        context.load_cert_chain(file)
    return context


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content
