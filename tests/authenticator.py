"""A device with passkeys, as browsers talk to one: real keys and signatures, and answers that can be wrong."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import CoseKey
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

PRESENT_AND_VERIFIED = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


@dataclass(kw_only=True)
class Device:
    """One passkey, at pages of one origin."""

    origin: str
    rp_id: str
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: EllipticCurvePrivateKey = field(default_factory=lambda: generate_private_key(SECP256R1()))
    handle: bytes = b""
    """Of the person, as the installation named it."""
    count: int = 1
    flags: AuthenticatorData.FLAG = PRESENT_AND_VERIFIED
    algorithm: int = -7
    """As the device calls that of its key."""

    def make(self, asked: str, *, statement: dict[str, Any] | None = None) -> str:
        """Answer of a browser that was asked to make the passkey."""
        options = json.loads(asked)["publicKey"]
        self.handle = websafe_decode(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        public = CoseKey({1: 2, 3: self.algorithm, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})
        credential = AttestedCredentialData.create(b"\0" * 16, self.credential_id, public)
        data = AuthenticatorData.create(
            self._rp_hash(), self.flags | AuthenticatorData.FLAG.AT, self.count, bytes(credential)
        )
        attestation = AttestationObject.create("none", data, statement or {})
        return self._sent(
            {
                "clientDataJSON": websafe_encode(self._client_data("webauthn.create", options["challenge"])),
                "attestationObject": websafe_encode(attestation),
            }
        )

    def answer(self, asked: str, **changes: Any) -> str:
        """Answer of a browser that was asked for the passkey, with these parts in place of the right ones."""
        options = json.loads(asked)["publicKey"]
        client_data = self._client_data("webauthn.get", options["challenge"])
        self.count += 1
        data = AuthenticatorData.create(self._rp_hash(), self.flags, self.count)
        signature = self.key.sign(bytes(data) + hashlib.sha256(client_data).digest(), ECDSA(SHA256()))
        parts = {
            "clientDataJSON": client_data,
            "authenticatorData": bytes(data),
            "signature": signature,
            "userHandle": self.handle,
        }
        return self._sent({name: websafe_encode(value) for name, value in (parts | changes).items()})

    def _rp_hash(self) -> bytes:
        return hashlib.sha256(self.rp_id.encode()).digest()

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _sent(self, response: dict[str, str]) -> str:
        name = websafe_encode(self.credential_id)
        whole = {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}
        return json.dumps(whole)
