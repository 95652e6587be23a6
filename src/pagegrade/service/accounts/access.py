"""Authorization: keys, their secrets, and the first owner.

A secret is ``pgk_``, 32 random bytes in base 62, and their CRC-32 in base 62: found by secret scanners, and checked
for typing errors without the database. Only its SHA-256 is stored. A slow hash would add nothing to 256 random bits.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import string
import threading
import zlib
from collections.abc import Sequence
from typing import Final

from pagegrade.model.account import ACCESS, DEFAULT_SCOPES, SCOPES, Account, Caller, Key
from pagegrade.model.errors import InsufficientScope, InvalidInput, NotFound, OtherProject, Unauthenticated, Unavailable
from pagegrade.parse.url import project_of
from pagegrade.service.accounts.operations import clean_label
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.locks import hold_account, hold_place
from pagegrade.store.repositories.accounts import add_account, list_accounts, load_account
from pagegrade.store.repositories.credentials import (
    add_key,
    count_keys,
    find_caller,
    list_keys,
    revoke_key,
    touch_keys,
)

MARK: Final = "pgk_"
_ALPHABET: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_BYTES: Final = 32
_RANDOM_CHARACTERS: Final = 43
"""62**43 > 2**256."""
_SUM_CHARACTERS: Final = 6
"""62**6 > 2**32."""
PREFIX_CHARACTERS: Final = len(MARK) + 8
"""Of a secret, kept to recognize it by: 48 of the 256 random bits of one of ours."""
_HIDDEN_CHARACTERS: Final = 16
"""Of a chosen secret that are never kept; a shorter one is recognized by a part of its hash."""
_SHORT_PREFIX_CHARACTERS: Final = 4
_MADE: Final = re.compile(rf"{MARK}[0-9A-Za-z]{{{_RANDOM_CHARACTERS + _SUM_CHARACTERS}}}")
MIN_CHARACTERS: Final = 20
MAX_CHARACTERS: Final = 512
_CHOSEN: Final = re.compile(rf"[!-~]{{{MIN_CHARACTERS},{MAX_CHARACTERS}}}")
"""Visible ASCII: what a header can carry."""
MINUTE_MS: Final = 60_000
SCOPE: Final = "scope"
PROJECT: Final = "project"
_OF_OWNER: Final = (*DEFAULT_SCOPES, ACCESS)
"""Permissions of an installation's first key: all but to make other keys."""
_LISTED: Final = 5
"""Keys that an error names."""


def make_secret() -> str:
    """A new secret of 53 characters."""
    body = MARK + _base62(int.from_bytes(secrets.token_bytes(_RANDOM_BYTES)), _RANDOM_CHARACTERS)
    return body + _checksum(body)


def is_well_formed(secret: str) -> bool:
    """Return whether this can be a secret made by ``make_secret``; needs no database."""
    return _MADE.fullmatch(secret) is not None and _checksum(secret[:-_SUM_CHARACTERS]) == secret[-_SUM_CHARACTERS:]


def can_be_secret(secret: str) -> bool:
    """Return whether any key can have this secret, made or chosen; needs no database and no more than a glance."""
    if len(secret) > MAX_CHARACTERS or _CHOSEN.fullmatch(secret) is None:
        return False
    # What has the very shape of a made one is one, or a slip of the keyboard.
    return _MADE.fullmatch(secret) is None or is_well_formed(secret)


def authenticate(tx: Transaction, secret: str | None, now_ms: int) -> Caller:
    """The authenticated caller.

    Args:
        tx: The transaction; only asked when the secret can be one.
        secret: As sent, however long or strange; ``None`` or empty: none was sent.

    Raises:
        Unauthenticated: There is no valid key of this secret. Why not (unknown, revoked, expired, of a disabled
            account) is not disclosed.
    """
    if not secret:
        raise Unauthenticated
    caller = find_caller(tx, _digest(secret)) if can_be_secret(secret) else None
    if caller is None or not _valid(caller, now_ms):
        raise Unauthenticated(presented=True)
    return caller


def require_scope(caller: Caller, scope: str) -> None:
    """Let only keys with this scope pass.

    Raises:
        InsufficientScope: The key lacks it.
    """
    if scope not in caller.api_key.scopes:
        raise InsufficientScope(scope)


def require_project(caller: Caller, project: str) -> None:
    """Let only keys pass that can use this project.

    Raises:
        OtherProject: The key is limited to another project.
    """
    if caller.project is not None and caller.project != project:
        raise OtherProject(caller.project)


def issue_key(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    scopes: Sequence[str] = DEFAULT_SCOPES,
    project: str | None = None,
    expires_at_ms: int | None = None,
    made_by: int | None = None,
    now_ms: int,
) -> tuple[Key, str]:
    """Create a key of the account; returns it with its secret, which is shown only once.

    Raises:
        NotFound: There is no such account.
        InvalidInput: The name, a scope, the project or the time cannot be used, or the account is disabled.
    """
    account = load_account(tx, account_id)
    if account is None:
        raise _no_account(account_id)
    if account.disabled_at_ms is not None:
        raise InvalidInput(f"The account {account_id} is disabled; a key of it would not work.")
    known = {key.prefix for key in list_keys(tx)}
    secret = make_secret()
    while prefix_of(secret) in known:
        secret = make_secret()
    return _save(
        tx,
        account_id,
        secret,
        name=name,
        scopes=scopes,
        project=project,
        expires_at_ms=expires_at_ms,
        made_by=made_by,
        now_ms=now_ms,
    )


def ensure_owner(tx: Transaction, bootstrap_secret: str | None, now_ms: int) -> tuple[Account, str | None]:
    """The first account, made where there is none; and where no key was ever made, its first one.

    Args:
        bootstrap_secret: What the first key shall be; ``None``: it is made here.

    Returns:
        The account, and the secret of its key if it was made here: shown now or never.

    Raises:
        InvalidInput: The bootstrap secret cannot be a key.
    """
    hold_place(tx, "owner")  # several processes may start on an empty database at the same moment
    existing = list_accounts(tx)
    owner = existing[0] if existing else _add_owner(tx, now_ms)
    if count_keys(tx):
        return owner, None
    if bootstrap_secret is None:
        made = make_secret()
        _save(tx, owner.id, made, name="first", scopes=_OF_OWNER, expires_at_ms=None, now_ms=now_ms)
        return owner, made
    check_bootstrap(bootstrap_secret)
    _save(tx, owner.id, bootstrap_secret, name="bootstrap", scopes=_OF_OWNER, expires_at_ms=None, now_ms=now_ms)
    return owner, None


def choose_account(tx: Transaction, account_id: int | None, now_ms: int) -> Account:
    """Return the account that a command refers to, possibly without naming it.

    Args:
        account_id: ``None``: the only one that works; in an empty database one is made.

    Raises:
        NotFound: There is no such account.
        InvalidInput: Several accounts work and none was said, or none works.
    """
    if account_id is not None:
        account = load_account(tx, account_id)
        if account is None:
            raise _no_account(account_id)
        return account
    hold_place(tx, "owner")
    existing = list_accounts(tx)
    if not existing:
        return _add_owner(tx, now_ms)
    working = [account for account in existing if account.disabled_at_ms is None]
    if not working:
        raise InvalidInput("Every account is disabled; make another with `pagegrade accounts create`.")
    if len(working) > 1:
        names = ", ".join(f"{account.id} ({account.name})" for account in working[:10])
        raise InvalidInput(f"There are several accounts; say which with --account: {names}.")
    return working[0]


def check_bootstrap(secret: str) -> None:
    """Refuse a first key that would never be accepted.

    Raises:
        InvalidInput: It cannot be one; the message does not repeat it.
    """
    if _MADE.fullmatch(secret) is not None and not is_well_formed(secret):
        raise InvalidInput(
            "PAGEGRADE_BOOTSTRAP_API_KEY looks like a key that Pagegrade made, but a character in it is wrong. "
            "Copy it again, or choose one of another length."
        )
    if not can_be_secret(secret):
        raise InvalidInput(
            f"PAGEGRADE_BOOTSTRAP_API_KEY cannot be a key: give {MIN_CHARACTERS} to {MAX_CHARACTERS} visible ASCII "
            "characters, without blanks."
        )


def revoke(tx: Transaction, which: str, now_ms: int) -> tuple[Key, bool]:
    """Revoke a key and all keys made with it, from the next request on.

    Args:
        which: Its id, the whole prefix it is listed with, or its whole secret.

    Returns:
        The key, and whether it worked until now.

    Raises:
        NotFound: There is no such key.
        InvalidInput: Several keys have this prefix, or it is shorter than ``PREFIX_CHARACTERS``; the message lists the
            keys that may be meant.
    """
    wanted = which.strip()
    owner = find_caller(tx, _digest(wanted)) if can_be_secret(wanted) else None
    keys = list_keys(tx)
    if owner is not None:
        matching = [key for key in keys if key.id == owner.api_key.id]
    else:
        matching = [key for key in keys if str(key.id) == wanted] or [key for key in keys if key.prefix == wanted]
    is_id = len(matching) == 1 and str(matching[0].id) == wanted
    if owner is None and not is_id and len(wanted) < PREFIX_CHARACTERS:
        candidates = [key for key in keys if wanted and key.prefix.startswith(wanted)]
        if candidates:
            raise InvalidInput(
                f"{wanted} is too short to name a key: give its id, or {PREFIX_CHARACTERS} characters. "
                f"It may be {_listed(candidates)}."
            )
    if not matching:
        raise NotFound("There is no such key; `pagegrade keys list` shows them.")
    if len(matching) > 1:
        raise InvalidInput(f"Several keys begin with {wanted}: give the id of {_listed(matching)}.")
    hold_account(tx, matching[0].account_id)
    return matching[0], revoke_key(tx, matching[0].id, now_ms)


def _listed(keys: Sequence[Key]) -> str:
    """Keys that may be meant, a few of them by name."""
    few = [f"{key.id} ({key.name}{', revoked' if key.revoked_at_ms is not None else ''})" for key in keys[:_LISTED]]
    rest = len(keys) - len(few)
    return " or ".join(few) + (f" or one of {rest} more" if rest else "")


def works(key: Key, now_ms: int) -> bool:
    """Return whether the key itself is good; its account may be disabled all the same."""
    return key.revoked_at_ms is None and (key.expires_at_ms is None or now_ms < key.expires_at_ms)


class KeyUses:
    """Times of last use of keys, to the minute, until they are stored.

    Requests are many and reads cost no transaction, so uses are gathered here and saved a few times a minute.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unsaved: dict[int, int] = {}
        self._noted: dict[int, int] = {}

    def note(self, key_id: int, now_ms: int) -> None:
        """The key was used now; from any thread."""
        minute_ms = now_ms - now_ms % MINUTE_MS
        if self._noted.get(key_id) == minute_ms:
            return
        with self._lock:
            self._noted[key_id] = minute_ms
            self._unsaved[key_id] = max(minute_ms, self._unsaved.get(key_id, 0))

    async def save(self, database: Database) -> None:
        """Write down what was noted since the last time; what cannot be written now is kept for the next."""
        with self._lock:
            unsaved, self._unsaved = self._unsaved, {}
        if not unsaved:
            return
        try:
            await database.write(lambda tx: touch_keys(tx, unsaved))
        except Unavailable:
            with self._lock:
                for key_id, used_at_ms in unsaved.items():
                    self._unsaved[key_id] = max(used_at_ms, self._unsaved.get(key_id, 0))


def _add_owner(tx: Transaction, now_ms: int) -> Account:
    return add_account(tx, name="Owner", email="owner@localhost", now_ms=now_ms, is_admin=True)


def _no_account(account_id: int) -> NotFound:
    return NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")


def _valid(caller: Caller, now_ms: int) -> bool:
    return works(caller.api_key, now_ms) and caller.account.disabled_at_ms is None


def _save(
    tx: Transaction,
    account_id: int,
    secret: str,
    *,
    name: str,
    scopes: Sequence[str],
    project: str | None = None,
    expires_at_ms: int | None,
    made_by: int | None = None,
    now_ms: int,
) -> tuple[Key, str]:
    label = clean_label(name, what="The name of a key")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        which = f"{unknown[0]!r} is no scope" if unknown else "A key needs at least one scope"
        raise InvalidInput(f"{which}. Use {', '.join(SCOPES)}.", reason=SCOPE)
    only = None if project is None or not project.strip() else project_of(project.strip())
    if only == "":
        raise InvalidInput("A project is a host, such as example.com, or a URL of it.", reason=PROJECT)
    if expires_at_ms is not None and expires_at_ms <= now_ms:
        raise InvalidInput("The key would have expired already; give a later time.")
    key = add_key(
        tx,
        account_id,
        name=label,
        prefix=prefix_of(secret),
        secret_sha256=_digest(secret),
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        project=only,
        expires_at_ms=expires_at_ms,
        made_by=made_by,
        now_ms=now_ms,
    )
    return key, secret


def prefix_of(secret: str) -> str:
    """Return the identifying prefix of a key: its first ``PREFIX_CHARACTERS``, or as many characters of its hash.

    The second form is for a chosen secret that would have fewer than ``_HIDDEN_CHARACTERS`` left.
    """
    if len(secret) >= PREFIX_CHARACTERS + _HIDDEN_CHARACTERS:
        return secret[:PREFIX_CHARACTERS]
    shown = f"{secret[:_SHORT_PREFIX_CHARACTERS]}~"
    return shown + _digest(secret).hex()[: PREFIX_CHARACTERS - len(shown)]


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), _SUM_CHARACTERS)


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
