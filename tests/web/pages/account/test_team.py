from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Role
from pagegrade.service.accounts.passwords import Passwords
from pagegrade.service.sign_in import store_password
from pagegrade.store.repositories.accounts import list_accounts, save_admin
from pagegrade.store.repositories.members import add_membership, list_invitations, load_role
from pagegrade.web.pages.html import HELPED
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

LINK = re.compile(rf'<code class="secret" id="link">{re.escape(BASE_URL)}(/join/[\w-]{{43}})</code>')
PASSWORD = "correct horse"


def add_member(instance: Instance, role: Role, name: str = "Bob") -> Account:
    """A person who works in Alice's account."""
    person, _ = add_owner(instance.services.database, name)
    instance.services.database.write_here(lambda tx: add_membership(tx, instance.alice.id, person.id, role, now_ms()))
    return person


async def post(instance: Instance, cookie: dict[str, str], path: str, **data: str) -> httpx.Response:
    """The answer to a form of a page."""
    return await instance.call("POST", path, key=None, headers=cookie, data=data)


def test_an_invitation_is_shown_once(tmp_path: Path) -> None:
    """In the answer of the form, which is not cached; the list has whom it is for, and it can be withdrawn."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/team/invitations", data={"label": "<Bob>", "role": "2"})
        found = LINK.search(answer.text)
        assert found is not None
        listed = await instance.page("GET", "/team")
        opened = await instance.call("GET", found[1], key=None)
        withdrawn = await instance.page("POST", "/team/invitations/1/withdraw")
        gone = await instance.call("GET", found[1], key=None)

        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["content-security-policy"] == HELPED
        assert "role Editor, until" in answer.text
        assert found[1] not in listed.text
        assert "<bdi>&lt;Bob&gt;</bdi>" in listed.text
        assert opened.status_code == 200
        assert withdrawn.headers["location"] == "/team?said=withdrawn"
        assert gone.status_code == 404

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"label": "", "role": "1"}, "Enter a name of 1 to 200 characters."),
        ({"label": "Bob", "role": "5"}, "Choose one of the roles."),
        ({"label": "Bob"}, "Choose one of the roles."),
    ],
)
def test_a_wrong_invitation_is_not_made(tmp_path: Path, data: dict[str, str], message: str) -> None:
    """The page says what is wrong, and has what was typed."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/team/invitations", data=data)
        made = instance.services.database.read_here(lambda tx: list_invitations(tx, instance.alice.id, now_ms()))

        assert answer.status_code == 422
        assert message in answer.text
        assert f'name="label" type="text" value="{data["label"]}"' in answer.text
        assert made == ()

    with_instance(tmp_path, script)


def test_members_change_and_go(tmp_path: Path) -> None:
    """With the next request they may do no more than their role."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.VIEWER)
        his = await instance.sign_in(bob)
        await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        refused = await post(instance, his, "/reports", url="https://example.com/")
        changed = await instance.page("POST", f"/team/members/{bob.id}/role", data={"role": "2"})
        made = await post(instance, his, "/reports", url="https://example.com/")
        report = await instance.call("GET", "/reports/1", key=None, headers=his)
        wrong = await instance.page("POST", f"/team/members/{bob.id}/role", data={"role": "9"})
        removed = await instance.page("POST", f"/team/members/{bob.id}/remove")
        gone = await instance.call("GET", "/reports/1", key=None, headers=his)

        assert refused.status_code == 403
        assert "In the workspace <bdi>Alice</bdi> your role is Viewer; this needs the role Editor." in refused.text
        assert changed.headers["location"] == "/team?said=changed"
        assert (made.status_code, report.status_code) == (303, 200)
        assert wrong.status_code == 422
        assert removed.headers["location"] == "/team?said=removed"
        assert gone.status_code == 404

    with_instance(tmp_path, script)


def test_a_report_of_a_member_belongs_to_the_workspace(tmp_path: Path) -> None:
    """Not to their own account; a key of the workspace shows it."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.EDITOR)
        his = await instance.sign_in(bob)
        await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        await post(instance, his, "/reports", url="https://example.com/")
        await post(instance, his, "/team/open", workspace=str(bob.id))
        own = await instance.call("GET", "/reports/1", key=None, headers=his)

        assert (await instance.call("GET", "/api/v1/reports/1")).status_code == 200
        assert own.status_code == 404

    with_instance(tmp_path, script)


def test_the_menu_opens_another_workspace(tmp_path: Path) -> None:
    """It is there for who has more than one."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.ADMIN)
        his = await instance.sign_in(bob)
        alone = await instance.page("GET", "/reports")
        page = await instance.call("GET", "/reports", key=None, headers=his)
        opened = await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        after = await instance.call("GET", "/reports", key=None, headers=his)
        foreign = await post(instance, his, "/team/open", workspace="98765")
        odd = await post(instance, his, "/team/open", workspace="9" * 500)

        assert 'id="menu-workspace"' not in alone.text
        assert f'<option value="{bob.id}" selected>Bob</option>' in page.text
        assert opened.headers["location"] == "/team?said=opened"
        assert f'<option value="{instance.alice.id}" selected>Alice</option>' in after.text
        assert "Signed in as <bdi>Bob</bdi>" in after.text
        assert (foreign.status_code, odd.status_code) == (404, 404)

    with_instance(tmp_path, script)


def test_a_member_leaves(tmp_path: Path) -> None:
    """The person whose own it is cannot."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.VIEWER)
        his = await instance.sign_in(bob)
        await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        left = await post(instance, his, "/team/leave")
        owner = await instance.page("POST", "/team/leave")
        role = instance.services.database.read_here(lambda tx: load_role(tx, instance.alice.id, bob.id))

        assert (left.headers["location"], role) == ("/team?said=left", None)
        assert owner.status_code == 422
        assert "can neither leave nor rename it" in owner.text

    with_instance(tmp_path, script)


def test_the_page_of_the_account_stays_the_person_s(tmp_path: Path) -> None:
    """Whatever is open: details, browsers and password are their own."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.OWNER)
        his = await instance.sign_in(bob)
        await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        details = {"name": "Robert", "email": "robert@example.org", "locale": "de", "timezone": "UTC", "privacy": ""}
        await post(instance, his, "/account", **details)
        page = await instance.call("GET", "/account", key=None, headers=his)
        names = [each.name for each in instance.services.database.read_here(list_accounts)]

        assert names == ["Alice", "Robert"]
        assert 'value="robert@example.org"' in page.text
        assert '<html lang="de"' in page.text

    with_instance(tmp_path, script)


def test_administrators_create_workspaces(tmp_path: Path) -> None:
    """They own and open them; others cannot, and a name is needed."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.OWNER)
        instance.services.database.write_here(lambda tx: save_admin(tx, 1, is_admin=True))
        hers = await instance.sign_in()
        nameless = await post(instance, hers, "/admin/workspaces", new_name=" ")
        made = await post(instance, hers, "/admin/workspaces", new_name="Agency")
        page = await instance.call("GET", "/team", key=None, headers=hers)
        renamed = await post(instance, hers, "/team/name", name="Studio")
        refused = await post(instance, await instance.sign_in(bob), "/admin/workspaces", new_name="Bob's")
        listed = instance.services.database.read_here(list_accounts)
        admin = await instance.call("GET", "/admin/accounts", key=None, headers=hers)
        link = await post(instance, hers, "/admin/accounts/3/link")

        assert nameless.status_code == 422
        assert made.headers["location"] == "/team?said=created"
        assert "Who works in the workspace <bdi>Agency</bdi>. Your role is Owner." in page.text
        assert renamed.headers["location"] == "/team?said=renamed"
        assert refused.status_code == 404
        assert [(each.name, each.is_personal) for each in listed] == [("Alice", True), ("Bob", True), ("Studio", False)]
        assert "Shared workspace" in admin.text
        assert link.status_code == 422
        assert "This workspace has no sign-in of its own" in link.text

    with_instance(tmp_path, script)


def test_an_owner_deletes_a_shared_workspace(tmp_path: Path) -> None:
    """With their own password; the one of a person nobody else deletes."""

    async def script(instance: Instance) -> None:
        passwords = Passwords()
        hashed = await passwords.hash(PASSWORD)
        passwords.close()
        bob = add_member(instance, Role.OWNER)
        for person in (instance.alice.id, bob.id):
            instance.services.database.write_here(partial(store_password, account_id=person, hashed=hashed))
        instance.services.database.write_here(lambda tx: save_admin(tx, 1, is_admin=True))
        hers, his = await instance.sign_in(), await instance.sign_in(bob)
        await post(instance, hers, "/admin/workspaces", new_name="Agency")
        wrong = await post(instance, hers, "/team/delete", confirm_password="wrong")
        right = await post(instance, hers, "/team/delete", confirm_password=PASSWORD)
        await post(instance, his, "/team/open", workspace=str(instance.alice.id))
        foreign = await post(instance, his, "/team/delete", confirm_password=PASSWORD)
        names = [each.name for each in instance.services.database.read_here(list_accounts)]

        assert (wrong.status_code, right.status_code, foreign.status_code) == (403, 303, 422)
        assert names == ["Alice", "Bob"]

    with_instance(tmp_path, script)
