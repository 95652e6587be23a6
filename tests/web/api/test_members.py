"""Members and invitations through the API, for keys with the scope ``members``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from pagegrade.clock import now_ms
from pagegrade.model.account import DEFAULT_SCOPES, Account, Caller, Role, Teammate
from pagegrade.model.account import Invitation as StoredInvitation
from pagegrade.service.accounts import team
from pagegrade.service.accounts.team import MAX_TEAM
from pagegrade.service.invitation_mail import MAILS_TO_ADDRESS
from pagegrade.service.options import MailOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.repositories.members import add_membership, list_actions, load_role
from pagegrade.web.api.members import (
    Invitation,
    MadeInvitation,
    Member,
    invitation_object,
    made_invitation_object,
    member_object,
)
from tests.gather.test_mail import Mailbox
from tests.service.test_invitation_mail import mailbox, plain_text
from tests.store_builders import add_key, add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

MEMBERS: Final = "/api/v1/account/members"
INVITATIONS: Final = "/api/v1/account/invitations"
__all__ = ["mailbox"]


def add_member(instance: Instance, role: Role, name: str = "Bob") -> Account:
    """A person who works in Alice's account."""
    person, _ = add_owner(instance.services.database, name)
    instance.services.database.write_here(lambda tx: add_membership(tx, instance.alice.id, person.id, role, now_ms()))
    return person


async def invite(instance: Instance, **body: Any) -> httpx.Response:
    """Ask for an invitation of an editor."""
    return await instance.call("POST", INVITATIONS, json={"label": "Bob", "role": "editor", **body})


def test_members_are_listed_changed_and_removed(tmp_path: Path) -> None:
    """The owner of a personal account is in the list, and stays as they are; the log names the operations."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.VIEWER)
        listed = (await instance.call("GET", MEMBERS)).json()
        changed = await instance.call("PUT", f"{MEMBERS}/{bob.id}", json={"role": "admin"})
        shown = await instance.call("GET", f"{MEMBERS}/{bob.id}")
        wrong = await instance.call("PUT", f"{MEMBERS}/{bob.id}", json={"role": "boss"})
        own = [
            await instance.call("PUT", f"{MEMBERS}/{instance.alice.id}", json={"role": "viewer"}),
            await instance.call("DELETE", f"{MEMBERS}/{instance.alice.id}"),
        ]
        removed = await instance.call("DELETE", f"{MEMBERS}/{bob.id}")
        gone = await instance.call("GET", f"{MEMBERS}/{bob.id}")
        log = instance.services.database.read_here(lambda tx: list_actions(tx, instance.alice.id))

        assert [(each["id"], each["role"], each["joined_at"] is None) for each in listed["data"]] == [
            (bob.id, "viewer", False),
            (instance.alice.id, "owner", True),
        ]
        assert (changed.status_code, shown.json()["data"]["role"]) == (200, "admin")
        assert changed.headers["etag"] == shown.headers["etag"]
        assert (wrong.status_code, list(wrong.json()["errors"])) == (422, ["role"])
        assert [answer.status_code for answer in own] == [404, 404]
        assert (removed.json()["deleted"], gone.status_code) == (True, 404)
        assert [(each.operation, each.target, each.is_key) for each in log] == [
            ("remove_member", bob.id, True),
            ("update_member", bob.id, True),
        ]

    with_instance(tmp_path, script)


def test_members_are_walked_by_cursor(tmp_path: Path) -> None:
    """None is missed or repeated while others leave."""

    async def script(instance: Instance) -> None:
        people = [add_member(instance, Role.VIEWER, f"Person {number}").id for number in range(11)]
        first = (await instance.call("GET", f"{MEMBERS}?cursor=&count=1")).json()
        await instance.call("DELETE", f"{MEMBERS}/{people[-1]}")
        rest = (await instance.call("GET", first["links"]["next"].removeprefix(BASE_URL))).json()

        assert [each["id"] for each in first["data"]] == people[:0:-1]
        assert first["meta"]["total"] == 12
        assert [each["id"] for each in rest["data"]] == [people[0], instance.alice.id]

    with_instance(tmp_path, script)


def test_a_shared_account_keeps_an_owner(tmp_path: Path) -> None:
    """As on the page: the last one is neither made less nor removed."""

    async def script(instance: Instance) -> None:
        def share(tx: Transaction) -> Account:
            made = add_account(tx, name="Client", email="a@example.org", now_ms=now_ms(), is_personal=False)
            add_membership(tx, made.id, instance.alice.id, Role.OWNER, now_ms())
            return made

        client = instance.services.database.write_here(share)
        key = instance.add_key(account=client)
        path = f"{MEMBERS}/{instance.alice.id}"
        less = await instance.call("PUT", path, key=key, json={"role": "admin"})
        removed = await instance.call("DELETE", path, key=key)
        role = instance.services.database.read_here(lambda tx: load_role(tx, client.id, instance.alice.id))

        for answer in (less, removed):
            assert (answer.status_code, answer.json()["violations"][0]["code"]) == (422, "last_owner")
        assert role is Role.OWNER

    with_instance(tmp_path, script)


def test_an_invitation_makes_a_member_once(tmp_path: Path) -> None:
    """Its link is in the first answer only."""

    async def script(instance: Instance) -> None:
        bob, _ = add_owner(instance.services.database, "Bob")
        headers = {"Idempotency-Key": "one"}
        made = await invite(instance)
        first, again = [
            await instance.call("POST", INVITATIONS, json={"label": "Eve", "role": "viewer"}, headers=headers)
            for _ in range(2)
        ]
        data = made.json()["data"]
        shown = await instance.call("GET", f"{INVITATIONS}/{data['id']}")
        joined = await instance.page("POST", data["url"].removeprefix(BASE_URL), account=bob)
        left = await instance.call("GET", f"{INVITATIONS}/{data['id']}")
        withdrawn = await instance.call("DELETE", first.headers["location"].removeprefix(BASE_URL))
        gone = await instance.call("GET", first.json()["data"]["url"].removeprefix(BASE_URL), key=None)
        role = instance.services.database.read_here(lambda tx: load_role(tx, instance.alice.id, bob.id))

        assert (made.status_code, made.headers["cache-control"], data["mailed"]) == (201, "no-store", None)
        assert (first.json()["data"]["url"] is None, again.json()["data"]["url"]) == (False, None)
        assert "url" not in shown.json()["data"]
        assert (joined.headers["location"], role) == ("/team?said=joined", Role.EDITOR)
        assert (left.status_code, withdrawn.json()["deleted"], gone.status_code) == (404, True, 404)

    with_instance(tmp_path, script)


def test_an_invitation_is_sent_where_mail_is_allowed(tmp_path: Path, mailbox: tuple[Mailbox, MailOptions]) -> None:
    """With the link of the answer; too many for one address are made, and not sent."""
    box, options = mailbox

    async def script(instance: Instance) -> list[dict[str, Any]]:
        answers = [await invite(instance, label="", email="bob@example.org") for _ in range(MAILS_TO_ADDRESS + 1)]
        elsewhere = await invite(instance, email="bob@example.com")

        assert (elsewhere.status_code, list(elsewhere.json()["errors"])) == (422, ["email"])
        return [answer.json()["data"] for answer in answers]

    found = with_instance(tmp_path, script, mail=options)

    assert [each["mailed"] for each in found] == ["sent"] * MAILS_TO_ADDRESS + ["limited"]
    assert {each["label"] for each in found} == {"bob@example.org"}
    assert found[0]["url"] in plain_text(box.messages[0])


def test_an_account_has_so_many_members_and_invitations(tmp_path: Path) -> None:
    """The last one that may be is made, the one after it is refused."""

    async def script(instance: Instance) -> list[httpx.Response]:
        def fill(tx: Transaction) -> None:
            for _ in range(MAX_TEAM - 2):  # Alice is one
                team.invite(
                    tx,
                    Caller(account=instance.alice),
                    role=Role.VIEWER,
                    label="x",
                    now_ms=now_ms(),
                )

        instance.services.database.write_here(fill)
        return [await invite(instance), await invite(instance), await invite(instance, label="")]

    last, over, unnamed = with_instance(tmp_path, script)

    assert last.status_code == 201
    assert (over.status_code, over.json()["code"]) == (429, "quota_exceeded")
    assert (unnamed.status_code, list(unnamed.json()["errors"])) == (422, ["label"])


def test_only_an_owner_gives_a_key_the_scope(tmp_path: Path) -> None:
    """Else an admin would make themselves an owner with it; a key that makes keys passes on what it has."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.ADMIN)
        his = await instance.sign_in(bob)
        await instance.call("POST", "/team/open", key=None, headers=his, data={"workspace": str(instance.alice.id)})
        form = {"name": "x", "expires": "never", "members": "1", "reports-read": "1"}
        page = await instance.call("GET", "/keys", key=None, headers=his)
        made = await instance.call("POST", "/keys", key=None, headers=his, data=form)
        owned = await instance.page("POST", "/keys", data=form)
        listed = (await instance.call("GET", "/api/v1/account/keys")).json()["data"]
        by_owner, by_admin = [key["scopes"] for key in listed[:2]]

        assert 'name="members"' not in page.text
        assert (made.status_code, owned.status_code) == (200, 200)
        assert (by_admin, by_owner) == (["reports:read"], ["reports:read", "members"])

    with_instance(tmp_path, script)


def test_a_key_without_the_scope_does_nothing_here(tmp_path: Path) -> None:
    """It is not among the scopes of a key that is made without naming any."""

    async def script(instance: Instance) -> list[httpx.Response]:
        _, key = add_key(instance.services.database, instance.alice.id, scopes=DEFAULT_SCOPES)
        return [await instance.call("GET", path, key=key) for path in (MEMBERS, INVITATIONS)]

    for answer in with_instance(tmp_path, script):
        assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")


BOB = Account(id=7, name="Bob", email="bob@example.org", created_at_ms=1)
INVITED = StoredInvitation(id=4, account_id=1, role=Role.ADMIN, label="Bob", created_at_ms=1, expires_at_ms=2)


def test_a_member_has_the_members_of_its_description() -> None:
    """The person whose own account it is did not join it."""
    made = msgspec.json.decode(member_object(Teammate(person=BOB, role=Role.OWNER, joined_at_ms=None)))
    joined = msgspec.json.decode(member_object(Teammate(person=BOB, role=Role.VIEWER, joined_at_ms=1)))

    assert set(made) == set(Member.__struct_encode_fields__)
    assert (made["id"], made["role"], made["joined_at"]) == (7, "owner", None)
    assert (joined["role"], joined["joined_at"]) == ("viewer", "1970-01-01T00:00:00.001Z")


def test_an_invitation_has_its_link_only_where_it_is_given() -> None:
    """And its account nowhere."""
    shown = msgspec.json.decode(invitation_object(INVITED))
    made = msgspec.json.decode(made_invitation_object(INVITED, "https://x.example/join/a", None))

    assert set(shown) == set(Invitation.__struct_encode_fields__)
    assert set(made) == set(MadeInvitation.__struct_encode_fields__)
    assert (shown["role"], made["url"]) == ("admin", "https://x.example/join/a")
