"""Encryption of secrets at rest, with keys that are kept outside of the database.

Source: https://cryptography.io/en/latest/fernet/ (``MultiFernet``: the first key encrypts, each of them decrypts).
"""

from __future__ import annotations

import os
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pagegrade.model.errors import Unavailable

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

KEY_FILE: Final = "secret.key"
"""In the data folder, where no key is set."""
_PURPOSE: Final = b"pagegrade secret key 1\0"
_NO_KEY: Final = "There is no key to encrypt secrets with. The administrator can set PAGEGRADE_SECRET_KEY."
_OTHER_KEY: Final = (
    "The secrets of the access profile were encrypted with another key. The administrator can add the former key to "
    "PAGEGRADE_SECRET_KEY, or its owner can enter them again."
)


KeyState = Literal["current", "former", "unknown"]
"""Key that something is encrypted with: the one that encrypts, another one of this installation, or none of it."""


class Locked(Unavailable):
    """A secret cannot be encrypted or decrypted here; no repetition helps, only the administrator does."""


@dataclass(slots=True, kw_only=True)
class Vault:
    """Encrypts and decrypts with the keys of this installation."""

    keys: tuple[str, ...] = field(default=(), repr=False)
    """As they are set, the one that encrypts first; none: ``file`` has it."""
    file: Path | None = None
    """File in which a key is made and kept if none is set; ``None``: there is no place that all processes share."""
    _fernets: tuple[Fernet, ...] = ()

    @property
    def ignored_file(self) -> Path | None:
        """The key file where it has no effect, because keys are set and its own is none of them; else ``None``."""
        if not self.keys or self.file is None or not self.file.exists():
            return None
        with suppress(Locked):
            return None if set(self._key_of_file(makes=False)) <= set(self.keys) else self.file
        return None

    def seal(self, data: bytes) -> bytes:
        """Encrypt; the first time a key file is made if no key is set.

        Raises:
            Locked: There is no key, and no place for one.
        """
        return self._open(makes=True).encrypt(data)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt.

        Raises:
            Locked: There is no key, or it is another one.
        """
        from cryptography.fernet import InvalidToken

        try:
            return self._open(makes=False).decrypt(sealed)
        except InvalidToken:
            raise Locked(_OTHER_KEY) from None

    def key_of(self, sealed: bytes) -> KeyState:
        """Return which key something is encrypted with."""
        from cryptography.fernet import InvalidToken

        with suppress(Locked):
            for fernet in self._keys(makes=False):
                with suppress(InvalidToken):
                    fernet.decrypt(sealed)
                    return "current" if fernet is self._fernets[0] else "former"
        return "unknown"

    def _open(self, *, makes: bool) -> MultiFernet:
        from cryptography.fernet import MultiFernet

        return MultiFernet(self._keys(makes=makes))

    def _keys(self, *, makes: bool) -> tuple[Fernet, ...]:
        """The keys, the one that encrypts first."""
        if not self._fernets:
            # A tenth of a second that a service without profiles does not need.
            from cryptography.fernet import Fernet

            keys = self.keys or self._key_of_file(makes=makes)
            self._fernets = tuple(Fernet(_key(text)) for text in keys)
        return self._fernets

    def _key_of_file(self, *, makes: bool) -> tuple[str, ...]:
        if self.file is None:
            raise Locked(_NO_KEY)
        try:
            if makes:
                # Another process may make it at the same time: the first one counts.
                with suppress(FileExistsError):
                    _write_new(self.file, secrets.token_urlsafe(32))
            text = self.file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            raise Locked(_NO_KEY) from None
        if not text:
            raise Locked(_NO_KEY)
        return (text,)


def _write_new(path: Path, text: str) -> None:
    """Write a file that did not exist, whole or not at all, readable by this user alone."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(opened, "w", encoding="ascii") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    finally:
        draft.unlink(missing_ok=True)


def _key(text: str) -> bytes:
    """The key that Fernet wants, of a text of any form that is hard to guess."""
    return urlsafe_b64encode(sha256(_PURPOSE + text.encode()).digest())
