"""Passkeys: people sign in with a key pair of which their device keeps the private half.

Nothing is stored while a device is asked. A challenge says when it was made and for which browser, and is signed with a
secret of the installation. A passkey signs in only for challenges that are later than the last one it has answered, so
it answers each once. What a device answers that makes a passkey counts for ten minutes and one session, however often
it is sent.

The library takes a tenth of a second to load, so the functions that need it import it.

Source: Web Authentication Level 3, sections 7.1 and 7.2
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, Passkey, Role
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.parse.url import host, host_address, origin
from pagegrade.report.sanitize import clean_text
from pagegrade.service.accounts.identities import find_connected
from pagegrade.service.accounts.sessions import end_tokens, start_session
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account, lock_account
from pagegrade.store.repositories.credentials import (
    add_passkey,
    find_passkey,
    list_passkeys,
    note_passkey_use,
    remove_passkey,
    rename_passkey,
)
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret
from pagegrade.store.repositories.members import add_action

if TYPE_CHECKING:
    from fido2.server import Fido2Server
    from fido2.webauthn import AuthenticationResponse, RegistrationResponse

AGAIN: Final = "again"
"""The challenge is of another browser, too old, or answered already."""
WRONG: Final = "wrong"
"""Nothing is proved by the answer of the browser."""
UNKNOWN: Final = "unknown"
"""Nobody who may sign in has this passkey."""
COPIED: Final = "copied"
"""The device has counted fewer signatures than before."""
TAKEN: Final = "taken"
"""The passkey is in use already."""
FULL: Final = "full"
"""The account has ``MAX_PASSKEYS``."""
NAME: Final = "name"
"""It is no name for a passkey."""
LAST: Final = "last"
"""Without it, the person could not sign in any more."""
CHALLENGE_MS: Final = 600_000
"""So long a person may take to answer."""
AHEAD_MS: Final = 60_000
"""So far ahead the clock of another machine may be; farther is one that was set back since."""
MAX_PASSKEYS: Final = 20
"""Of an account."""
MAX_NAME: Final = 60
MAX_RESPONSE: Final = 16_384
"""Characters of what a browser sends: without an attestation, which is not asked for, some 2,000."""
MAX_CREDENTIAL_ID: Final = 1_023
"""Bytes (section 7.1, step 25)."""
ALGORITHMS: Final = (-7, -8, -257)
"""Registered numbers of ES256, EdDSA and RS256, which together every device has one of; the first is liked best."""
_SECRET: Final = "passkeys"  # noqa: S105 - its name
_MOMENT_BYTES: Final = 8
_ALGORITHM: Final = 3
"""Label of the algorithm in a public key (RFC 9052 section 7.1)."""
Purpose = Literal["add", "sign-in"]


class Party(msgspec.Struct, frozen=True):
    """The installation as devices know it."""

    id: str
    """Host of its public URL; passkeys work for no other."""
    origin: str
    """Of the pages that may ask for them."""


def party_of(base_url: str) -> Party | None:
    """Return who asks for passkeys; ``None``: browsers have none for this address, only for names reached over TLS.

    Args:
        base_url: Public URL of the installation.
    """
    own, name = origin(base_url), host(base_url)
    is_here = name == "localhost" or name.endswith(".localhost")
    if not (own.startswith("https://") or is_here) or host_address(name) is not None:
        return None
    return Party(name, own)


def read_registration(text: str) -> RegistrationResponse:
    """Read what a browser sends that has made a passkey; does not prove anything.

    Raises:
        InvalidInput: It is nothing of the kind.
    """
    from fido2.webauthn import RegistrationResponse

    try:
        return RegistrationResponse.from_dict(_decode(text))
    except Exception as error:
        raise InvalidInput("This is no new passkey.", reason=WRONG) from error


def read_assertion(text: str) -> AuthenticationResponse:
    """Read what a browser sends that has asked for a passkey; does not prove anything.

    Raises:
        InvalidInput: It is nothing of the kind.
    """
    from fido2.webauthn import AuthenticationResponse

    try:
        return AuthenticationResponse.from_dict(_decode(text))
    except Exception as error:
        raise InvalidInput("This is no answer of a passkey.", reason=WRONG) from error


def begin_adding(tx: Transaction, caller: Caller, party: Party, *, now_ms: int) -> str:
    """Return the options with which the browser of who is signed in makes a passkey, as JSON.

    Args:
        caller: Who wants one, and has just proved who they are.

    Raises:
        InvalidInput: The account has ``MAX_PASSKEYS``.
    """
    person, known = caller.person, list_passkeys(tx, caller.person.id)
    if len(known) >= MAX_PASSKEYS:
        raise InvalidInput(f"An account has at most {MAX_PASSKEYS} passkeys.", reason=FULL)
    from fido2.webauthn import (
        AttestedCredentialData,
        PublicKeyCredentialDescriptor,
        PublicKeyCredentialType,
        PublicKeyCredentialUserEntity,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    secret = load_or_make_secret(tx, _SECRET)
    options, _ = _server_of(party).register_begin(
        PublicKeyCredentialUserEntity(id=_handle_of(secret, person.id), name=person.email, display_name=person.name),
        [
            PublicKeyCredentialDescriptor(
                type=PublicKeyCredentialType.PUBLIC_KEY, id=AttestedCredentialData(each.credential).credential_id
            )
            for each in known
        ],
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=_challenge(secret, "add", _session_of(caller), now_ms),
    )
    return json.dumps(dict(options))


def add_own_passkey(
    tx: Transaction, caller: Caller, party: Party, sent: RegistrationResponse, *, name: str, now_ms: int
) -> None:
    """Let who is signed in sign in with a passkey that their device has just made.

    Args:
        sent: By the browser, which can send anything.
        name: As the person calls the passkey: 1 to ``MAX_NAME`` characters.

    Raises:
        InvalidInput: It is not added; ``reason`` says why.
    """
    shown = _read_name(name)
    lock_account(tx, caller.person.id)
    challenge = sent.response.client_data.challenge
    begun_ms = _begun(load_secret(tx, _SECRET), challenge, "add", _session_of(caller), now_ms)
    try:
        proved = _server_of(party).register_complete(_state(challenge), sent)
        made = proved.credential_data
        is_ours = made is not None and made.public_key[_ALGORITHM] in ALGORITHMS
    except Exception as error:
        raise InvalidInput("This is no new passkey.", reason=WRONG) from error
    if made is None or not is_ours or not 0 < len(made.credential_id) <= MAX_CREDENTIAL_ID:
        raise InvalidInput("This is no passkey that can be used here.", reason=WRONG)
    if len(list_passkeys(tx, caller.person.id)) >= MAX_PASSKEYS:
        raise InvalidInput(f"An account has at most {MAX_PASSKEYS} passkeys.", reason=FULL)
    passkey_id = add_passkey(
        tx,
        caller.person.id,
        name=shown,
        credential_id=made.credential_id,
        credential=bytes(made),
        sign_count=proved.counter,
        challenged_at_ms=begun_ms,
        now_ms=now_ms,
    )
    if passkey_id is None:
        raise InvalidInput("This passkey is in use already.", reason=TAKEN)
    _record(tx, caller, "add_passkey", passkey_id, now_ms)


def _read_name(name: str) -> str:
    shown = clean_text(name).strip()
    if not 0 < len(shown) <= MAX_NAME:
        raise InvalidInput(f"A passkey has a name of 1 to {MAX_NAME} characters.", reason=NAME)
    return shown


def rename_own_passkey(tx: Transaction, caller: Caller, passkey_id: int, name: str, *, now_ms: int) -> None:
    """Call a passkey of who is signed in otherwise.

    Raises:
        InvalidInput: It is no name of 1 to ``MAX_NAME`` characters.
        NotFound: They have no such passkey.
    """
    shown = _read_name(name)
    if not rename_passkey(tx, caller.person.id, passkey_id, shown):
        raise NotFound
    _record(tx, caller, "rename_passkey", passkey_id, now_ms)


def find_own_passkeys(tx: Transaction, caller: Caller) -> tuple[Passkey, ...]:
    """Return the passkeys of who is signed in, oldest first."""
    return list_passkeys(tx, caller.person.id)


def remove_own_passkey(
    tx: Transaction, caller: Caller, passkey_id: int, options: ServiceOptions, *, now_ms: int
) -> None:
    """Let a passkey of who is signed in sign in no more.

    Raises:
        InvalidInput: They could not sign in any more.
        NotFound: They have no such passkey.
    """
    lock_account(tx, caller.person.id)
    person = load_account(tx, caller.person.id)
    known = {each.id for each in list_passkeys(tx, caller.person.id)}
    if passkey_id not in known:
        raise NotFound
    connected = None if options.provider is None else find_connected(tx, caller, options.provider)
    if not (len(known) > 1 or connected is not None or (person is not None and person.has_password)):
        raise InvalidInput("It is the only way of this person to sign in.", reason=LAST)
    remove_passkey(tx, caller.person.id, passkey_id)
    _record(tx, caller, "remove_passkey", passkey_id, now_ms)


def make_secret(tx: Transaction) -> None:
    """Make the secret of the installation that signs challenges, where there is none."""
    load_or_make_secret(tx, _SECRET)


def begin_sign_in(tx: Transaction, party: Party, bound: str, *, now_ms: int) -> str | None:
    """Return the options with which a browser asks for a passkey of anybody, as JSON.

    ``None``: ``make_secret`` comes first. Anybody may ask, so this only reads: others could not write meanwhile.

    Args:
        bound: What the browser keeps and nobody else knows.
    """
    secret = load_secret(tx, _SECRET)
    if secret is None:
        return None
    from fido2.webauthn import UserVerificationRequirement

    options, _ = _server_of(party).authenticate_begin(
        user_verification=UserVerificationRequirement.REQUIRED,
        challenge=_challenge(secret, "sign-in", bound, now_ms),
    )
    return json.dumps(dict(options))


def sign_in_with_passkey(
    tx: Transaction,
    party: Party,
    sent: AuthenticationResponse,
    *,
    bound: str,
    agent: str,
    tokens: Sequence[str],
    now_ms: int,
) -> str:
    """Return the token of a new session of who has a passkey.

    Args:
        sent: By the browser, which can send anything.
        bound: What the browser has kept; empty: nothing.
        tokens: Of sessions that the browser has had until now; they end.

    Raises:
        InvalidInput: Nobody is signed in; ``reason`` says why.
    """
    challenge, secret = sent.response.client_data.challenge, load_secret(tx, _SECRET)
    begun_ms = _begun(secret, challenge, "sign-in", bound, now_ms)
    account = _lock_person(tx, sent.raw_id)
    # Read again: somebody else may have used or removed it while the lock was waited for.
    passkey = find_passkey(tx, sent.raw_id)
    handle = sent.response.user_handle
    if account is None or passkey is None or secret is None or passkey.account_id != account.id:
        raise InvalidInput("Nobody has this passkey.", reason=UNKNOWN)
    if handle and not hmac.compare_digest(handle, _handle_of(secret, account.id)):
        raise InvalidInput("The passkey is somebody else's.", reason=WRONG)
    _prove(party, passkey, sent)
    if begun_ms <= passkey.challenged_at_ms <= now_ms + AHEAD_MS:
        raise InvalidInput("The challenge was answered already.", reason=AGAIN)
    counted = sent.response.authenticator_data.counter
    if (counted or passkey.sign_count) and counted <= passkey.sign_count:
        raise InvalidInput("The device has counted fewer signatures than before.", reason=COPIED)
    note_passkey_use(tx, passkey.id, sign_count=counted, challenged_at_ms=begun_ms, now_ms=now_ms)
    end_tokens(tx, tokens)
    return start_session(tx, account, agent, now_ms)


def _lock_person(tx: Transaction, credential_id: bytes) -> Account | None:
    """Return the enabled account that a passkey signs in to, locked."""
    found = find_passkey(tx, credential_id) if len(credential_id) <= MAX_CREDENTIAL_ID else None
    if found is None:
        return None
    lock_account(tx, found.account_id)
    account = load_account(tx, found.account_id)
    return None if account is None or account.disabled_at_ms is not None else account


def _prove(party: Party, passkey: Passkey, sent: AuthenticationResponse) -> None:
    from fido2.webauthn import AttestedCredentialData

    try:
        _server_of(party).authenticate_complete(
            _state(sent.response.client_data.challenge), [AttestedCredentialData(passkey.credential)], sent
        )
    except Exception as error:
        raise InvalidInput("This is no answer of the passkey.", reason=WRONG) from error


def _decode(text: str) -> dict[str, object]:
    if len(text) > MAX_RESPONSE:
        raise ValueError("too long")
    return msgspec.json.decode(text, type=dict[str, object])


def _server_of(party: Party) -> Fido2Server:
    from fido2.server import Fido2Server
    from fido2.webauthn import (
        AttestationConveyancePreference,
        PublicKeyCredentialParameters,
        PublicKeyCredentialRpEntity,
        PublicKeyCredentialType,
    )

    server = Fido2Server(
        PublicKeyCredentialRpEntity(name="Pagegrade", id=party.id),
        attestation=AttestationConveyancePreference.NONE,
        verify_origin=lambda sender: sender == party.origin,
    )
    server.allowed_algorithms = [
        PublicKeyCredentialParameters(type=PublicKeyCredentialType.PUBLIC_KEY, alg=each) for each in ALGORITHMS
    ]
    return server


def _state(challenge: bytes) -> dict[str, str]:
    """Return what the library keeps between question and answer; the challenge was compared with ours before."""
    from fido2.utils import websafe_encode

    return {"challenge": websafe_encode(challenge), "user_verification": "required"}


def _challenge(secret: bytes, purpose: Purpose, bound: str, now_ms: int) -> bytes:
    """Return 40 bytes: when it was made, and the proof that it was made here, for this purpose and browser."""
    moment = now_ms.to_bytes(_MOMENT_BYTES, "big")
    return moment + hmac.digest(secret, b"\0".join((purpose.encode(), bound.encode(), moment)), hashlib.sha256)


def _begun(secret: bytes | None, challenge: bytes, purpose: Purpose, bound: str, now_ms: int) -> int:
    """Return when a challenge was made that still holds."""
    begun_ms = int.from_bytes(challenge[:_MOMENT_BYTES], "big")
    is_ours = secret is not None and hmac.compare_digest(challenge, _challenge(secret, purpose, bound, begun_ms))
    if not is_ours or not begun_ms - AHEAD_MS <= now_ms < begun_ms + CHALLENGE_MS:
        raise InvalidInput("The challenge is of another browser, or too old.", reason=AGAIN)
    return begun_ms


def _handle_of(secret: bytes, account_id: int) -> bytes:
    """Return what devices know an account by, which tells nothing about it."""
    return hmac.digest(secret, f"person\0{account_id}".encode(), hashlib.sha256)


def _session_of(caller: Caller) -> str:
    if caller.session is None:
        raise RuntimeError("a page was opened with a key")
    return str(caller.session.id)


def _record(tx: Transaction, caller: Caller, operation: str, passkey_id: int, now_ms: int) -> None:
    """Note it in the log of the person's own account, whichever is open."""
    own = replace(caller, account=caller.person, own=None, role=Role.OWNER)
    add_action(tx, own, operation=operation, target=passkey_id, now_ms=now_ms)
