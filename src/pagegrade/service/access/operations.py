"""Access profiles of an account: create, show, list, change, delete; and the one that a run uses."""

from __future__ import annotations

import os
import secrets
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pagegrade.model.access import MAX_NAME, MAX_PROFILES, NO_ACCESS, Access, StoredAccess
from pagegrade.model.account import Caller
from pagegrade.model.artifacts import Certificate
from pagegrade.model.errors import (
    Condition,
    InvalidInput,
    NotFound,
    OtherProject,
    QuotaExceeded,
    Unavailable,
    ValidationFailed,
    Violation,
    refuse_if_changed,
)
from pagegrade.model.stored import ListPart
from pagegrade.parse.http.access import read_access, split_cookies, split_header
from pagegrade.parse.http.certificates import read_chain
from pagegrade.parse.url import origin, project_of
from pagegrade.service.id_lists import Listed, part_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import access_profiles as store
from pagegrade.store.repositories.audits import access_of_audits, make_audits_private
from pagegrade.store.repositories.reports import make_private

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


_PEM_END: Final = "-----END CERTIFICATE-----\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessFields:
    """An access profile as it is sent; ``None`` for what was not: empty in a new one, as it is in another."""

    name: str | None = None
    origins: Sequence[str] | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    headers: Sequence[str] | None = field(default=None, repr=False)
    """``Name: value`` each; a name alone keeps its value. Likewise the next ones, with an equals sign."""
    cookies: Sequence[str] | None = field(default=None, repr=False)
    query: Sequence[str] | None = field(default=None, repr=False)
    user_agent: str | None = None
    certificates: str | None = None
    """In PEM; they replace all that there were, and none does when it is blank."""


class Saved(msgspec.Struct, frozen=True):
    """A profile that was stored."""

    profile: StoredAccess
    made_private: int = 0
    """Reports and audits that anyone with their link could read, and that their account alone can read from now on,
    because their next run shows what is not public."""


class Uses(msgspec.Struct, frozen=True):
    """Numbers of what uses a profile, by its id or because it is the oldest one for the origin."""

    reports: int
    monitors: int
    audits: int


def create_profile(tx: Transaction, caller: Caller, wanted: AccessFields, vault: Vault, now_ms: int) -> Saved:
    """Store a new profile of the caller.

    Raises:
        ValidationFailed: A field cannot be used.
        QuotaExceeded: The account has ``MAX_PROFILES`` already.
        OtherProject: The key of the caller is limited to another project.
        Locked: There is no key to encrypt with.
    """
    hold_account(tx, caller.account.id)
    if store.count_profiles(tx, caller.account.id) >= MAX_PROFILES:
        raise QuotaExceeded(f"An account has at most {MAX_PROFILES} access profiles; delete one first.")
    access = _read(wanted, None)
    _require_projects(caller, access.origins)
    profile = store.add_profile(tx, caller.account.id, _new(access, vault), now_ms)
    return Saved(profile, _hide(tx, caller.account.id, profile.origins, now_ms))


def update_profile(
    tx: Transaction,
    caller: Caller,
    profile_id: int,
    wanted: AccessFields,
    *,
    vault: Vault,
    now_ms: int,
    changed_tag: Condition[StoredAccess] = None,
) -> Saved:
    """Change a profile of the caller.

    Raises:
        NotFound: There is no such profile.
        PreconditionFailed: It has changed since the client read it.
        ValidationFailed: A field cannot be used.
        OtherProject: The key of the caller is limited to another project.
        Locked: There is no key, or it is another one.
    """
    hold_account(tx, caller.account.id)
    stored = show_profile(tx, caller, profile_id)
    refuse_if_changed(stored, changed_tag)
    before = unseal(stored, vault)
    access = _read(wanted, before)
    if access == before:
        return Saved(stored)
    _require_projects(caller, access.origins)
    changed = store.change_profile(tx, stored.id, _new(access, vault), now_ms)
    added = tuple(each for each in changed.origins if each not in stored.origins)
    return Saved(changed, _hide(tx, caller.account.id, added, now_ms))


def _hide(tx: Transaction, account_id: int, origins: Sequence[str], now_ms: int) -> int:
    hidden = make_private(tx, account_id, origins, now_ms)
    return hidden + make_audits_private(tx, account_id, origins, now_ms)


def show_saved(tx: Transaction, caller: Caller, profile_id: int) -> Saved:
    """Return a profile of the caller as a repeated request sees it; raises as ``show_profile``."""
    return Saved(show_profile(tx, caller, profile_id))


def show_profile(tx: Transaction, caller: Caller, profile_id: int) -> StoredAccess:
    """Return a profile of the caller.

    Raises:
        NotFound: There is no such profile, or it is for more than the caller's key may use.
    """
    found = store.load_profile(tx, caller.account.id, profile_id)
    if found is None or not is_within(caller, found.origins):
        raise NotFound
    return found


def show_with_uses(tx: Transaction, caller: Caller, profile_id: int) -> tuple[StoredAccess, Uses]:
    """Return a profile of the caller with what uses it; raises as ``show_profile``."""
    found = show_profile(tx, caller, profile_id)
    profiles = store.all_profiles(tx, caller.account.id)
    used = (_in_use(profiles, url, access) for url, access in access_of_audits(tx, caller.account.id))
    return found, Uses(*store.count_uses(tx, found), audits=sum(each == found for each in used))


def list_profiles(tx: Transaction, caller: Caller, part: ListPart) -> Listed[StoredAccess]:
    """Some of the caller's profiles, newest first."""
    return part_of(_own(tx, caller), lambda profile: profile.id, part)


def delete_profile(
    tx: Transaction, caller: Caller, profile_id: int, *, changed_tag: Condition[StoredAccess] = None
) -> None:
    """Delete a profile of the caller; its reports are analyzed without it from now on.

    Raises:
        NotFound: There is no such profile.
        PreconditionFailed: It has changed since the client read it.
    """
    refuse_if_changed(show_profile(tx, caller, profile_id), changed_tag)
    store.delete_profile(tx, caller.account.id, profile_id)


def profile_for(tx: Transaction, account_id: int, url: str, access: int | str | None) -> StoredAccess | None:
    """The profile that runs for a URL use; ``None``: none.

    Args:
        access: Id of a profile, or ``NO_ACCESS``; ``None``: the oldest one for the origin of the URL; a text: the
            oldest one of that name there.
    """
    if access == NO_ACCESS:
        return None
    if isinstance(access, int):
        return store.load_profile(tx, account_id, access)
    place = origin(url)
    named = (each for each in store.all_profiles(tx, account_id) if access in {None, each.name})
    return next((each for each in named if place in each.origins), None)


def profile_in_use(tx: Transaction, account_id: int, url: str, access: int | str | None) -> StoredAccess | None:
    """The profile that crawls of an audit use: where the one that it names was deleted, the oldest of the origin."""
    return _in_use(store.all_profiles(tx, account_id), url, access)


def _in_use(profiles: Sequence[StoredAccess], url: str, access: int | str | None) -> StoredAccess | None:
    if access == NO_ACCESS:
        return None
    of_origin = (each for each in profiles if origin(url) in each.origins)
    return next((each for each in profiles if each.id == access), None) or next(of_origin, None)


def find_access(tx: Transaction, caller: Caller, url: str, access: int | str | None) -> tuple[int | None, bool]:
    """The access of a report or an audit as it is kept, by id, and whether runs for its URL use a profile.

    Args:
        access: As ``profile_for`` takes it.

    Raises:
        ValidationFailed: The caller has no such profile for the URL.
    """
    profile = profile_for(tx, caller.account.id, url, access)
    if access is None or access == NO_ACCESS:
        return access, profile is not None
    if profile is None or not is_within(caller, profile.origins) or origin(url) not in profile.origins:
        message = f"There is no access profile {access} for the origin of the URL."
        raise ValidationFailed([Violation(field="access", place="body", code="unknown", message=message)])
    return profile.id, True


def unseal(profile: StoredAccess, vault: Vault) -> Access:
    """The access that a profile stands for, with its secrets.

    Raises:
        Locked: There is no key, or it is another one.
    """
    return msgspec.json.decode(vault.open(profile.sealed), type=Access)


class Sealed(msgspec.Struct, frozen=True):
    """Numbers of access profiles of all accounts, by the key that their secrets are encrypted with."""

    current: int = 0
    """With the key that encrypts."""
    former: int = 0
    """With another key of this installation, which it needs as long."""
    unknown: int = 0
    """With a key that this installation does not have: their reports fail."""


def count_sealed(tx: Transaction, vault: Vault) -> Sealed:
    """Count the profiles by key."""
    return _sealed(vault.key_of(sealed) for _, sealed in store.all_sealed(tx))


def seal_again(tx: Transaction, vault: Vault) -> Sealed:
    """Encrypt with the key that encrypts what a former key has encrypted; return the counts from before."""
    keys: list[KeyState] = []
    for profile_id, sealed in store.all_sealed(tx):
        key = vault.key_of(sealed)
        keys.append(key)
        if key == "former":
            store.replace_sealed(tx, profile_id, sealed, vault.seal(vault.open(sealed)))
    return _sealed(keys)


def _sealed(keys: Iterable[KeyState]) -> Sealed:
    found = Counter(keys)
    return Sealed(current=found["current"], former=found["former"], unknown=found["unknown"])


def _own(tx: Transaction, caller: Caller) -> tuple[StoredAccess, ...]:
    """The profiles that a caller may use, newest first; an account has few."""
    return tuple(
        each for each in reversed(store.all_profiles(tx, caller.account.id)) if is_within(caller, each.origins)
    )


def is_within(caller: Caller, origins: Sequence[str]) -> bool:
    """Return whether a caller may use a profile for these origins: all of them are of the project of its key."""
    return caller.project is None or all(project_of(each) == caller.project for each in origins)


def _require_projects(caller: Caller, origins: Sequence[str]) -> None:
    if caller.project is not None and not is_within(caller, origins):
        raise OtherProject(caller.project)


def _new(access: Access, vault: Vault) -> store.NewAccess:
    return store.NewAccess(
        name=access.name,
        origins=access.origins,
        shown={
            "user": access.user,
            "has_password": bool(access.password),
            "headers": [name for name, _ in access.headers],
            "cookies": [name for name, _ in access.cookies],
            "query": [name for name, _ in access.query],
            "user_agent": access.user_agent,
            "certificates": [each.subject for each in _certificates(access)],
        },
        sealed=vault.seal(msgspec.json.encode(access)),
    )


def _certificates(access: Access) -> tuple[Certificate, ...]:
    return read_chain([f"{each}{_PEM_END}" for each in access.certificates.split(_PEM_END)[:-1]])


def _read(wanted: AccessFields, before: Access | None) -> Access:
    """The access that fields describe, with what was not sent as it was.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    kept = before or Access()
    violations: list[Violation] = []

    def refuse(name: str, code: str, message: str) -> None:
        violations.append(Violation(field=name, place="body", code=code, message=message))

    name = kept.name if wanted.name is None else wanted.name.strip()
    if not name:
        refuse("name", "required", "Required.")
    elif len(name) > MAX_NAME or not name.isprintable():
        refuse("name", "invalid", f"Must be at most {MAX_NAME} characters on one line.")
    access = kept
    try:
        access = read_access(
            name=name,
            origins=kept.origins
            if wanted.origins is None
            else [each.strip() for each in wanted.origins if each.strip()],
            user=kept.user if wanted.user is None else wanted.user,
            password=kept.password if wanted.password is None else wanted.password,
            headers=_pairs(wanted.headers, kept.headers, ":"),
            cookies=_pairs(wanted.cookies, kept.cookies, "="),
            user_agent=kept.user_agent if wanted.user_agent is None else wanted.user_agent.strip(),
            query=_pairs(wanted.query, kept.query, "="),
            certificates=kept.certificates if wanted.certificates is None else wanted.certificates,
        )
    except InvalidInput as error:
        refuse(
            error.reason or "",
            "required" if error.reason == "origins" and not wanted.origins else "invalid",
            error.message,
        )
    if not violations and not access.note.sent:
        refuse(
            "user",
            "required",
            "There is nothing to send. Give a user and password, a header, a cookie, or a certificate to trust.",
        )
    if violations:
        raise ValidationFailed(violations)
    return access


def _pairs(sent: Sequence[str] | None, kept: Sequence[tuple[str, str]], separator: str) -> list[tuple[str, str]]:
    """The pairs of a list as it was sent; a name alone keeps the value that it has."""
    if sent is None:
        return list(kept)
    known = {name.lower(): value for name, value in kept}
    pairs: list[tuple[str, str]] = []
    for line in sent:
        if separator not in line and line.strip().lower() in known:
            pairs.append((line.strip(), known[line.strip().lower()]))
        elif line.strip():
            pairs += [split_header(line)] if separator == ":" else split_cookies(line)
    return pairs
