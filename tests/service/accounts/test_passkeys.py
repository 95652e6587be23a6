from __future__ import annotations

import json
from pathlib import Path

import pytest
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticatorData
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, Identity, Provider
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.passkeys import (
    AGAIN,
    AHEAD_MS,
    CHALLENGE_MS,
    COPIED,
    FULL,
    LAST,
    MAX_CREDENTIAL_ID,
    MAX_NAME,
    MAX_PASSKEYS,
    MAX_RESPONSE,
    NAME,
    TAKEN,
    UNKNOWN,
    WRONG,
    Party,
    add_own_passkey,
    begin_adding,
    begin_sign_in,
    find_own_passkeys,
    make_secret,
    party_of,
    read_assertion,
    read_registration,
    remove_own_passkey,
    sign_in_with_passkey,
)
from pagegrade.service.accounts.sessions import find_signed_in, start_session
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import add_identity, save_password
from pagegrade.store.repositories.members import list_actions
from tests.authenticator import Device
from tests.store_builders import NOW_MS, add_owner, make_database

ORIGIN = "https://reports.example.org"
PARTY = Party("reports.example.org", ORIGIN)
BROWSER = "b" * 43
LATER_MS = NOW_MS + 60_000
PROVIDER = Provider(issuer="https://login.example.org", client_id="pagegrade")


def device(**options: object) -> Device:
    """A new passkey, at pages of the installation."""
    return Device(**{"origin": ORIGIN, "rp_id": PARTY.id, **options})  # type: ignore[arg-type]


def person_of(database: Database, name: str = "Alice") -> Caller:
    """A person who has an account, and has just signed in."""
    return signed_in(database, add_owner(database, name)[0])


def signed_in(database: Database, account: Account, now_ms: int = NOW_MS) -> Caller:
    """The person of an account, in a browser of theirs."""
    token = database.write_here(lambda tx: start_session(tx, account, "Firefox", now_ms))
    found = database.read_here(lambda tx: find_signed_in(tx, token, now_ms))
    assert found is not None
    return found.caller


def begin(database: Database, person: Caller, now_ms: int = NOW_MS) -> str:
    """Question for the device of a person, to make a passkey."""
    return database.write_here(lambda tx: begin_adding(tx, person, PARTY, now_ms=now_ms))


def add(database: Database, person: Caller, sent: str, *, name: str = "Laptop", now_ms: int = NOW_MS) -> None:
    """Add the passkey that the browser of a person sent."""
    made = read_registration(sent)
    database.write_here(lambda tx: add_own_passkey(tx, person, PARTY, made, name=name, now_ms=now_ms))


def added(database: Database, person: Caller, **options: object) -> Device:
    """A passkey that a person has added."""
    own = device(**options)
    add(database, person, own.make(begin(database, person)))
    return own


def ask(database: Database, *, bound: str = BROWSER, now_ms: int = LATER_MS) -> str:
    """Question for a browser, to sign in."""
    database.write_here(make_secret)
    asked = database.read_here(lambda tx: begin_sign_in(tx, PARTY, bound, now_ms=now_ms))
    assert asked is not None
    return asked


def enter(database: Database, sent: str, *, bound: str = BROWSER, now_ms: int = LATER_MS) -> Account:
    """The account that what a browser sent signs in to."""
    answer = read_assertion(sent)
    token = database.write_here(
        lambda tx: sign_in_with_passkey(tx, PARTY, answer, bound=bound, agent="Firefox", tokens=(), now_ms=now_ms)
    )
    found = database.read_here(lambda tx: find_signed_in(tx, token, now_ms))
    assert found is not None
    return found.caller.person


@pytest.mark.parametrize(
    ("base_url", "party"),
    [
        (ORIGIN, PARTY),
        ("https://reports.example.org:8443/grades", Party(PARTY.id, f"{ORIGIN}:8443")),
        ("http://localhost:8000", Party("localhost", "http://localhost:8000")),
        ("http://grades.localhost", Party("grades.localhost", "http://grades.localhost")),
        ("http://reports.example.org", None),
        ("http://notlocalhost", None),
        ("http://127.0.0.1:8000", None),
        ("https://192.0.2.1", None),
        ("https://[2001:db8::1]", None),
    ],
)
def test_passkeys_need_a_name_and_tls(base_url: str, party: Party | None) -> None:
    """As browsers do: an address has none, and of plain HTTP only this machine."""
    assert party_of(base_url) == party


def test_a_person_adds_a_passkey_and_signs_in_with_it(tmp_path: Path) -> None:
    """As often as they like; their log has that it was added."""
    database = make_database(tmp_path)
    person = person_of(database)
    own = added(database, person)
    first = enter(database, own.answer(ask(database)))
    second = enter(database, own.answer(ask(database, now_ms=LATER_MS + 1)), now_ms=LATER_MS + 1)
    (kept,) = database.read_here(lambda tx: find_own_passkeys(tx, person))
    (action,) = database.read_here(lambda tx: list_actions(tx, person.account.id))

    assert (first.id, second.id) == (person.account.id, person.account.id)
    assert (kept.name, kept.sign_count, kept.used_at_ms) == ("Laptop", 3, LATER_MS + 1)
    assert (action.operation, action.target) == ("add_passkey", kept.id)


def test_the_device_is_asked_to_recognize_its_owner(tmp_path: Path) -> None:
    """And to keep a passkey that needs no name to be typed, not one that the account has already."""
    database = make_database(tmp_path)
    person = person_of(database)
    own = added(database, person)
    new = json.loads(begin(database, person))["publicKey"]
    known = json.loads(ask(database))["publicKey"]

    assert new["authenticatorSelection"]["userVerification"] == known["userVerification"] == "required"
    assert new["authenticatorSelection"]["residentKey"] == "required"
    assert [each["alg"] for each in new["pubKeyCredParams"]] == [-7, -8, -257]
    assert [each["id"] for each in new["excludeCredentials"]] == [websafe_encode(own.credential_id)]
    assert new["rp"]["id"] == known["rpId"] == PARTY.id
    assert person.account.email not in websafe_encode(own.handle)
    assert "allowCredentials" not in known


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"origin": "https://reports.example.net"}, WRONG),
        ({"origin": f"{ORIGIN}.evil.example"}, WRONG),
        ({"origin": "https://sub.reports.example.org"}, WRONG),
        ({"origin": "http://reports.example.org"}, WRONG),
        ({"rp_id": "example.org"}, WRONG),
        ({"flags": AuthenticatorData.FLAG.UP}, WRONG),
        ({"flags": AuthenticatorData.FLAG.UV}, WRONG),
        ({"algorithm": -35}, WRONG),
        ({"credential_id": b""}, WRONG),
        ({"credential_id": b"x" * (MAX_CREDENTIAL_ID + 1)}, WRONG),
    ],
)
def test_no_foreign_passkey_is_added(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    """One of another site, of a device that does not know its owner, or that could not be checked later."""
    database = make_database(tmp_path)
    person = person_of(database)
    with pytest.raises(InvalidInput) as raised:
        added(database, person, **change)

    assert raised.value.reason == reason
    assert database.read_here(lambda tx: find_own_passkeys(tx, person)) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://reports.example.net"},
        {"rp_id": "example.org"},
        {"flags": AuthenticatorData.FLAG.UP},
        {"handle": b"somebody else"},
        {"key": device().key},
    ],
)
def test_nobody_signs_in_with_a_wrong_answer(tmp_path: Path, change: dict[str, object]) -> None:
    """Of another site, of a device that does not know its owner, for another person, or of another key."""
    database = make_database(tmp_path)
    own = added(database, person_of(database))
    for name, value in change.items():
        setattr(own, name, value)
    with pytest.raises(InvalidInput) as raised:
        enter(database, own.answer(ask(database)))

    assert raised.value.reason == WRONG


def test_the_passkey_of_another_account_needs_its_own_key(tmp_path: Path) -> None:
    """An id of somebody else’s, signed with an own key, signs nobody in; an id can be added once only."""
    database = make_database(tmp_path)
    alice = person_of(database)
    bob = person_of(database, "Bob")
    victim = added(database, alice)
    thief = added(database, bob)
    thief.credential_id = victim.credential_id
    with pytest.raises(InvalidInput) as signed:
        enter(database, thief.answer(ask(database)))
    with pytest.raises(InvalidInput) as doubled:
        add(database, bob, device(credential_id=victim.credential_id).make(begin(database, bob)))

    assert (signed.value.reason, doubled.value.reason) == (WRONG, TAKEN)
    assert enter(database, victim.answer(ask(database))).id == alice.account.id


def test_a_challenge_is_answered_once(tmp_path: Path) -> None:
    """Nor does one count that was made before the last one that was answered."""
    database = make_database(tmp_path)
    person = person_of(database)
    own = device()
    made = own.make(begin(database, person))
    add(database, person, made)
    early, asked = ask(database, now_ms=LATER_MS - 1), ask(database)
    sent = own.answer(asked)
    enter(database, sent)
    reasons = []
    for replayed in (sent, own.answer(asked), own.answer(early)):
        with pytest.raises(InvalidInput) as raised:
            enter(database, replayed)
        reasons.append(raised.value.reason)
    with pytest.raises(InvalidInput) as doubled:
        add(database, person, made)

    assert reasons == [AGAIN, AGAIN, AGAIN]
    assert doubled.value.reason == TAKEN


def test_a_challenge_holds_for_one_browser_ten_minutes_and_one_purpose(tmp_path: Path) -> None:
    """At its last millisecond it holds, and with the next it does not; nor long before it was made."""
    database = make_database(tmp_path)
    person = person_of(database)
    own = added(database, person)
    asked, end_ms = ask(database), LATER_MS + CHALLENGE_MS
    other = signed_in(database, person.account)
    for sent, bound, now_ms in (
        (own.answer(asked), "c" * 43, LATER_MS),
        (own.answer(asked), "", LATER_MS),
        (own.answer(asked), BROWSER, end_ms),
        (own.answer(asked), BROWSER, LATER_MS - AHEAD_MS - 1),
        (own.answer(begin(database, person, LATER_MS)), str(person.session and person.session.id), LATER_MS),
        (own.answer(json.dumps({"publicKey": {"challenge": websafe_encode(b"x" * 7)}})), BROWSER, LATER_MS),
    ):
        with pytest.raises(InvalidInput) as raised:
            enter(database, sent, bound=bound, now_ms=now_ms)
        assert raised.value.reason == AGAIN
    with pytest.raises(InvalidInput) as elsewhere:
        add(database, other, device().make(begin(database, person)))

    assert elsewhere.value.reason == AGAIN
    assert enter(database, own.answer(asked), now_ms=end_ms - 1).id == person.account.id


def test_a_machine_may_be_a_minute_ahead_of_another(tmp_path: Path) -> None:
    """A question of that one is answered at the other."""
    database = make_database(tmp_path)
    own = added(database, person_of(database))
    sent = own.answer(ask(database))

    assert enter(database, sent, now_ms=LATER_MS - AHEAD_MS).id
    with pytest.raises(InvalidInput) as replayed:
        enter(database, sent, now_ms=LATER_MS - AHEAD_MS)

    assert replayed.value.reason == AGAIN


@pytest.mark.parametrize(("back_ms", "is_let_in"), [(1, False), (AHEAD_MS, False), (AHEAD_MS + 1, True)])
def test_a_clock_that_was_set_back_locks_nobody_out(tmp_path: Path, back_ms: int, *, is_let_in: bool) -> None:
    """For longer than a minute; what is answered then is still answered once."""
    database = make_database(tmp_path)
    own = added(database, person_of(database))
    enter(database, own.answer(ask(database)))
    now_ms = LATER_MS - back_ms
    sent = own.answer(ask(database, now_ms=now_ms))
    reasons = []
    for _ in range(2):
        try:
            enter(database, sent, now_ms=now_ms)
        except InvalidInput as error:
            reasons.append(error.reason)

    assert reasons == [AGAIN] * (1 if is_let_in else 2)


def test_before_the_first_question_there_is_no_secret(tmp_path: Path) -> None:
    """And asking does not write: only who can write makes one, once."""
    database = make_database(tmp_path)

    assert database.read_here(lambda tx: begin_sign_in(tx, PARTY, BROWSER, now_ms=NOW_MS)) is None
    assert ask(database) == ask(database)


def test_a_copy_of_a_passkey_is_noticed(tmp_path: Path) -> None:
    """By its count, which only grows; a device that does not count stays welcome."""
    database = make_database(tmp_path)
    person = person_of(database)
    own, uncounted = added(database, person, count=7), added(database, person, count=0)
    own.count = 6
    with pytest.raises(InvalidInput) as raised:
        enter(database, own.answer(ask(database)))
    for moment in (LATER_MS, LATER_MS + 1):
        uncounted.count = -1
        enter(database, uncounted.answer(ask(database, now_ms=moment)), now_ms=moment)

    assert raised.value.reason == COPIED
    assert enter(database, own.answer(ask(database))).id == person.account.id


def test_a_removed_passkey_or_a_disabled_account_signs_nobody_in(tmp_path: Path) -> None:
    """And both look the same from outside."""
    database = make_database(tmp_path)
    person = person_of(database)
    database.write_here(lambda tx: save_password(tx, person.account.id, "hash"))
    own, gone = added(database, person), added(database, person)
    removed = database.read_here(lambda tx: find_own_passkeys(tx, person))[1].id
    database.write_here(lambda tx: remove_own_passkey(tx, person, removed, ServiceOptions(), now_ms=NOW_MS))
    with pytest.raises(InvalidInput) as first:
        enter(database, gone.answer(ask(database)))
    add_owner(database, "Bob")
    database.write_here(lambda tx: disable(tx, person.account.id, NOW_MS))
    with pytest.raises(InvalidInput) as second:
        enter(database, own.answer(ask(database)))

    assert (first.value.reason, second.value.reason) == (UNKNOWN, UNKNOWN)


def test_the_last_way_to_sign_in_stays(tmp_path: Path) -> None:
    """Another passkey, a password, or a provider that the installation still has, is another way."""
    database = make_database(tmp_path)
    person = person_of(database)
    plain, connected = ServiceOptions(), ServiceOptions(provider=PROVIDER)

    def remove(options: ServiceOptions = plain) -> None:
        newest = database.read_here(lambda tx: find_own_passkeys(tx, person))[-1].id
        database.write_here(lambda tx: remove_own_passkey(tx, person, newest, options, now_ms=NOW_MS))

    added(database, person)
    added(database, person)
    remove()
    with pytest.raises(InvalidInput) as raised:
        remove()
    identity = Identity(issuer=PROVIDER.issuer, subject="7", email="")
    database.write_here(lambda tx: add_identity(tx, person.account.id, identity, NOW_MS))
    with pytest.raises(InvalidInput):
        remove(plain)
    remove(connected)
    added(database, person)
    database.write_here(lambda tx: save_password(tx, person.account.id, "hash"))
    remove()

    assert raised.value.reason == LAST
    assert database.read_here(lambda tx: find_own_passkeys(tx, person)) == ()
    assert database.read_here(lambda tx: list_actions(tx, person.account.id))[0].operation == "remove_passkey"


def test_nobody_removes_the_passkey_of_another(tmp_path: Path) -> None:
    """It is as if there were none."""
    database = make_database(tmp_path)
    alice = person_of(database)
    bob = person_of(database, "Bob")
    added(database, alice)
    (hers,) = database.read_here(lambda tx: find_own_passkeys(tx, alice))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: remove_own_passkey(tx, bob, hers.id, ServiceOptions(), now_ms=NOW_MS))

    assert database.read_here(lambda tx: find_own_passkeys(tx, alice)) == (hers,)


def test_a_member_adds_it_to_their_own_account(tmp_path: Path) -> None:
    """Whichever workspace is open: that one, its people and its log know nothing of it."""
    database = make_database(tmp_path)
    alice, bob = add_owner(database)[0], person_of(database, "Bob")
    there = replace(bob, account=alice, own=bob.account)
    added(database, there)

    assert len(database.read_here(lambda tx: find_own_passkeys(tx, bob))) == 1
    assert database.read_here(lambda tx: list_actions(tx, alice.id)) == []


def test_an_account_has_twenty(tmp_path: Path) -> None:
    """The next one is refused before the device is asked, and again when it has answered."""
    database = make_database(tmp_path)
    person = person_of(database)
    for _ in range(MAX_PASSKEYS - 1):
        added(database, person)
    late = device().make(begin(database, person))
    added(database, person)
    with pytest.raises(InvalidInput) as asked:
        begin(database, person)
    with pytest.raises(InvalidInput) as sent:
        add(database, person, late)

    assert (asked.value.reason, sent.value.reason) == (FULL, FULL)
    assert len(database.read_here(lambda tx: find_own_passkeys(tx, person))) == MAX_PASSKEYS


@pytest.mark.parametrize(("name", "fits"), [("", False), ("  ", False), ("x" * MAX_NAME, True), ("x" * 61, False)])
def test_a_passkey_has_a_name(tmp_path: Path, name: str, *, fits: bool) -> None:
    """Of 1 to 60 characters, spaces around it not counted."""
    database = make_database(tmp_path)
    person = person_of(database)
    sent = device().make(begin(database, person))
    if fits:
        add(database, person, sent, name=name)
    else:
        with pytest.raises(InvalidInput) as raised:
            add(database, person, sent, name=name)
        assert raised.value.reason == NAME

    assert len(database.read_here(lambda tx: find_own_passkeys(tx, person))) == fits


@pytest.mark.parametrize("length", [MAX_CREDENTIAL_ID - 1, MAX_CREDENTIAL_ID])
def test_long_ids_of_passkeys_are_kept_whole(tmp_path: Path, length: int) -> None:
    """Up to the longest that there may be."""
    database = make_database(tmp_path)
    person = person_of(database)
    own = added(database, person, credential_id=b"x" * length)

    assert enter(database, own.answer(ask(database))).id == person.account.id


def test_what_is_too_long_is_not_read(tmp_path: Path) -> None:
    """At the limit it is, whatever an attestation adds, which is not looked at."""
    database = make_database(tmp_path)
    person = person_of(database)
    sent = device().make(begin(database, person), statement={"x": b"y" * 9_000})
    room = MAX_RESPONSE - len(sent)
    with pytest.raises(InvalidInput) as raised:
        add(database, person, sent + " " * (room + 1))
    add(database, person, sent + " " * room)

    assert room > 0
    assert raised.value.reason == WRONG


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"id":1}',
        "\ud800",
        '{"a":' * 2_000,
        json.dumps({"id": "AA", "rawId": "AA", "type": "public-key", "response": {}}),
        json.dumps({"id": "AA", "rawId": "AA", "type": "public-key", "response": {"clientDataJSON": "AA"}}),
    ],
)
def test_nonsense_is_refused(sent: str) -> None:
    """By both readers, in words of ours."""
    for read in (read_registration, read_assertion):
        with pytest.raises(InvalidInput) as raised:
            read(sent)
        assert raised.value.reason == WRONG


@pytest.mark.parametrize(
    "cbor", [b"\x81" * 9_000, b"\x9b" + b"\xff" * 8, b"\xa1" * 9_000, b"\xff", b"\xbb" + b"\xff" * 8]
)
def test_hostile_attestations_are_refused(tmp_path: Path, cbor: bytes) -> None:
    """Nested deeply, or announcing more than there is."""
    database = make_database(tmp_path)
    sent = json.loads(device().make(begin(database, person_of(database))))
    sent["response"]["attestationObject"] = websafe_encode(cbor)
    with pytest.raises(InvalidInput) as raised:
        read_registration(json.dumps(sent))

    assert raised.value.reason == WRONG
