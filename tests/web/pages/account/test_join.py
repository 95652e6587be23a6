from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Role
from pagegrade.service.accounts.team import invite
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.repositories.members import load_role
from pagegrade.web.pages.account.sign_in import LINKS_PER_MINUTE
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance

OWN = {"Sec-Fetch-Site": "same-origin"}
CAROL = {"name": "Carol", "email": "carol@example.org", "password": "correct horse"}


def make_invitation(instance: Instance, role: Role = Role.EDITOR) -> str:
    """The path of an invitation of Alice."""
    caller = Caller(account=instance.alice)
    _, token = instance.services.database.write_here(
        lambda tx: invite(tx, caller, role=role, label="Somebody", now_ms=now_ms())
    )
    return f"/join/{token}"


def test_a_person_who_is_signed_in_joins(tmp_path: Path) -> None:
    """The page names them, and looking at it spends nothing."""

    async def script(instance: Instance) -> None:
        bob, _ = add_owner(instance.services.database, "Bob")
        his, path = await instance.sign_in(bob), make_invitation(instance)
        page = await instance.call("GET", path, key=None, headers=his)
        joined = await instance.call("POST", path, key=None, headers=his)
        again = await instance.call("POST", path, key=None, headers=his)

        assert "Join the workspace <bdi>Alice</bdi>" in page.text
        assert "You are signed in as <bdi>Bob</bdi>" in page.text
        assert "You will have the role Editor." in page.text
        assert joined.headers["location"] == "/team?said=joined"
        assert again.status_code == 404
        assert instance.services.database.read_here(lambda tx: load_role(tx, 1, bob.id)) is Role.EDITOR

    with_instance(tmp_path, script)


def test_a_new_person_makes_an_account(tmp_path: Path) -> None:
    """And is signed in, with the workspace open; a person with an account is led to the form to sign in."""

    async def script(instance: Instance) -> None:
        path = make_invitation(instance, Role.VIEWER)
        page = await instance.call("GET", path, key=None, headers=OWN)
        joined = await instance.call("POST", path, key=None, headers=OWN, data=CAROL)
        cookie = {"Cookie": joined.headers["set-cookie"].partition(";")[0], **OWN}
        team = await instance.call("GET", "/team", key=None, headers=cookie)

        assert f'href="/sign-in?next={path}"' in page.text
        assert joined.headers["location"] == "/team?said=joined"
        assert "Your role is Viewer." in team.text
        assert [each.name for each in instance.services.database.read_here(list_accounts)] == ["Alice", "Carol"]

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "Enter a name of 1 to 200 characters."),
        ({"email": "carol"}, "Enter an e-mail address like name@example.com."),
        ({"email": "alice@example.org"}, "An account has this e-mail address already."),
        ({"password": "1234567"}, "Enter a password of 8 to 128 characters."),
        ({"password": "x" * 129}, "Enter a password of 8 to 128 characters."),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, wrong: dict[str, str], message: str) -> None:
    """Beside what was typed, without the password; nobody was added, and the link is still good."""

    async def script(instance: Instance) -> None:
        path, sent = make_invitation(instance), CAROL | wrong
        answer = await instance.call("POST", path, key=None, headers=OWN, data=sent)

        assert answer.status_code == 422
        assert message in answer.text
        assert f'value="{sent["name"]}"' in answer.text
        assert sent["password"] not in answer.text
        assert len(instance.services.database.read_here(list_accounts)) == 1
        assert (await instance.call("POST", path, key=None, headers=OWN, data=CAROL)).status_code == 303

    with_instance(tmp_path, script)


def test_who_was_not_invited_makes_nothing(tmp_path: Path) -> None:
    """No account, and no hash of a password, which takes long."""

    async def script(instance: Instance) -> None:
        for token in ("A" * 43, "x", "%F0%9F%92%A9"):
            answer = await instance.call("POST", f"/join/{token}", key=None, headers=OWN, data=CAROL)

            assert answer.status_code == 404
            assert "This invitation no longer works" in answer.text
        assert len(instance.services.database.read_here(list_accounts)) == 1

    with_instance(tmp_path, script)


def test_guessing_is_slow(tmp_path: Path) -> None:
    """A client opens so many links a minute, and no more."""

    async def script(instance: Instance) -> list[int]:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        return [
            (await instance.call("GET", f"/join/{'A' * 43}", key=None, headers=OWN)).status_code
            for _ in range(LINKS_PER_MINUTE + 1)
        ]

    assert with_instance(tmp_path, script) == [404] * LINKS_PER_MINUTE + [429]
