"""Access to pages: every operation of the pages and every kind of visitor, from the table of operations.

Each page declares its audience (``access``); nothing here names a page, so a new one is tested as well.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Role
from pagegrade.model.stored import PackedPicture
from pagegrade.report.codec import pack_report
from pagegrade.report.serialize import timestamp
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import add_account, disable_account, list_accounts
from pagegrade.store.repositories.credentials import end_sessions, list_sessions, save_workspace
from pagegrade.store.repositories.members import add_invitation, add_membership, remove_membership
from pagegrade.web.app import Routes
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.audit_builders import claim, fill
from tests.report_builders import make_report
from tests.web.calling import Instance, with_instance

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
OWN: Final = {"Sec-Fetch-Site": "same-origin"}
CLOSED: Final = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.access != "anyone"]
CHANGING: Final = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.method != "GET"]
OWNED: Final = [each for each in CLOSED if "{" in each.path and each.access == "account"]
FOR_MEMBERS: Final = [each for each in CLOSED if each.access == "account"]
FOR_ADMINS: Final = [each for each in CLOSED if each.access == "admin"]
ABOUT_ONE: Final = {"ask_to_ignore", "ask_for_result"}
"""Pages about a check or a criterion that the query names: 404 without one."""


@dataclass(frozen=True, slots=True)
class World:
    """The objects of Alice, and the headers of each visitor's browser."""

    alice: Mapping[str, str]
    bob: Mapping[str, str]
    signed_out: Mapping[str, str]
    disabled: Mapping[str, str]
    places: Mapping[str, str]
    """Beginning of a path -> what stands for its ``{}`` parts."""


async def make_world(instance: Instance) -> World:
    """Alice with a report, an ignore rule, a key and a session; Bob; Dora, signed out; Eve, disabled."""
    report = await instance.create("https://example.com/pricing")
    picture = PackedPicture(name="viewport", body=b"RIFF\x04\0\0\0WEBP")
    await instance.finish(replace(pack_report(make_report()), pictures=(picture,)))

    def add(name: str) -> Account:
        return instance.services.database.write_here(
            lambda tx: add_account(tx, name=name, email=f"{name.lower()}@example.org", now_ms=now_ms())
        )

    await instance.call("POST", "/api/v1/monitors", json={"report_id": report["id"], "schedule": "daily"})
    await instance.call("POST", "/api/v1/ignores", json={"check": "title", "reason": "x"})
    silence = {"project": "a.example", "reason": "x", "until": timestamp(now_ms() + 3_600_000)}
    await instance.call("POST", "/api/v1/silences", json=silence)
    hook = {"url": "https://hook.example/", "events": ["report.failed"]}
    await instance.call("POST", "/api/v1/webhooks", json=hook)
    access = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}
    await instance.call("POST", "/api/v1/access-profiles", json=access)
    audit = await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/pricing", "privacy": 0})
    crawl = await asyncio.to_thread(claim, instance.services.database)
    await asyncio.to_thread(fill, instance.services.database, crawl)
    alice = await instance.sign_in()
    bob, dora, eve = add("Bob"), add("Dora"), add("Eve")
    headers = [await instance.sign_in(account) for account in (bob, dora, eve)]
    instance.services.database.write_here(lambda tx: end_sessions(tx, dora.id))
    instance.services.database.write_here(lambda tx: disable_account(tx, eve.id, now_ms()))

    def share(tx: Transaction) -> None:
        add_membership(tx, instance.alice.id, dora.id, Role.EDITOR, now_ms())
        soon = now_ms() + 60_000
        add_invitation(
            tx,
            instance.alice.id,
            token_sha256=bytes(32),
            role=Role.VIEWER,
            label="Frida",
            now_ms=now_ms(),
            expires_at_ms=soon,
        )

    instance.services.database.write_here(share)
    session = instance.services.database.read_here(lambda tx: list_sessions(tx, instance.alice.id))[0]
    slug = str(report["share_url"]).rpartition("/")[2]
    places = {
        "/reports/": str(report["id"]),
        "/r/": slug,
        "/a/": str(audit.json()["data"]["share_url"]).rpartition("/")[2],
        "/projects/": "example.com",
        "/keys/": "1",
        "/ignores/": "1",
        "/monitors/": "1",
        "/silences/": "1",
        "/webhooks/": "1",
        "/access-profiles/": "1",
        "/audits/": "1",
        "/unsubscribe/": "1-" + "x" * 32,
        "/account/sessions/": str(session.id),
        "/admin/accounts/": str(instance.alice.id),
        "/sign-in/": "x" * 43,
        "/join/": "x" * 43,
        "/sign-up/": f"{2**31:x}-{'x' * 43}",
        "/team/invitations/": "1",
        "/team/members/": str(dora.id),
    }
    return World(alice=alice, bob=headers[0], signed_out=headers[1], disabled=headers[2], places=places)


def address(operation: Operation, world: World) -> str:
    """The address of the operation for an object of Alice."""
    segments = operation.path.split("/")
    place = next((value for start, value in world.places.items() if operation.path.startswith(start)), "json")
    named = {"{format}": "json", "{picture}": "viewport"}
    named |= dict.fromkeys(("{number}", "{delivery}", "{finding}", "{page}"), "1")
    return "/".join(named.get(each, place) if each.startswith("{") else each for each in segments)


async def ask(instance: Instance, operation: Operation, world: World, headers: Mapping[str, str]) -> httpx.Response:
    """The answer to a browser."""
    path = address(operation, world)
    return await instance.call(operation.method, path, key=None, headers={**FORM, **headers}, content=b"")


def test_there_are_pages_of_every_kind() -> None:
    """Else the tests below would hold for nothing."""
    assert (bool(CLOSED), bool(CHANGING), bool(OWNED), bool(FOR_ADMINS)) == (True, True, True, True)


def test_pages_of_accounts_are_closed_to_all_others(tmp_path: Path) -> None:
    """Anonymous, signed-out and disabled visitors are asked to sign in, and brought back to where they were."""

    async def script(instance: Instance) -> list[tuple[str, str, httpx.Response]]:
        world = await make_world(instance)
        visitors: dict[str, Mapping[str, str]] = {
            "anonymous": OWN,
            "signed out": world.signed_out,
            "disabled": world.disabled,
            "forged": {**OWN, "Cookie": "__Host-session=" + "A" * 43},
            "odd": {**OWN, "Cookie": "__Host-session="},
        }
        return [
            (operation.name, who, await ask(instance, operation, world, headers))
            for operation in CLOSED
            for who, headers in visitors.items()
        ]

    for name, who, answer in with_instance(tmp_path, script):
        seen = (name, who, answer.status_code, answer.headers.get("location"))

        if answer.request.method == "GET":
            assert seen[2] == 303, seen
            assert str(seen[3]).startswith("/sign-in?next=%2F"), seen
        else:
            assert seen[2:] == (401, None), seen
        assert "pricing" not in answer.text, seen


def test_forms_of_other_sites_change_nothing(tmp_path: Path) -> None:
    """Not even with Alice's cookie: every form of every page is refused before it is read."""

    async def script(instance: Instance) -> list[tuple[str, httpx.Response]]:
        world = await make_world(instance)
        foreign = {**world.alice, "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        return [(operation.name, await ask(instance, operation, world, foreign)) for operation in CHANGING]

    for name, answer in with_instance(tmp_path, script):
        assert (name, answer.status_code) == (name, 403)
        assert "This form came from elsewhere" in answer.text


def test_what_is_alices_is_not_there_for_bob(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """The same 404 as for objects that do not exist, whatever the method."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response, httpx.Response]]:
        world = await make_world(instance)
        unknown = dataclasses.replace(world, places=dict.fromkeys(world.places, "98765"))
        return [
            (
                operation,
                await ask(instance, operation, world, world.bob),
                await ask(instance, operation, unknown, world.bob),
            )
            for operation in OWNED
        ]

    for operation, his, nobodys in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            assert (his.status_code, nobodys.status_code) == (404, 404)
            assert his.text == nobodys.text


def test_pages_of_administrators_are_not_there_for_others(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Bob cannot distinguish them from pages that do not exist."""

    async def script(
        instance: Instance,
    ) -> list[tuple[Operation, httpx.Response, httpx.Response, int]]:
        world = await make_world(instance)
        found = []
        for operation in FOR_ADMINS:
            answer = await ask(instance, operation, world, world.bob)
            nothing = await instance.call("GET", "/nothing", key=None, headers={**FORM, **world.bob})
            accounts = len(instance.services.database.read_here(list_accounts))
            found.append((operation, answer, nothing, accounts))
        return found

    for operation, answer, nothing, accounts in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            assert (answer.status_code, answer.text) == (404, nothing.text)
            assert accounts == 4


def test_other_methods_get_the_allowed_ones(tmp_path: Path) -> None:
    """On the path of every page, before authentication; OPTIONS is answered."""
    offered: dict[str, set[str]] = {}
    for operation in ALL_OPERATIONS:
        if operation.tag == PAGES:
            offered.setdefault(operation.path, {"OPTIONS"}).update(
                {operation.method, "HEAD"} if operation.method == "GET" else {operation.method}
            )
    first = {operation.path: operation for operation in reversed(ALL_OPERATIONS)}

    async def script(instance: Instance) -> list[tuple[str, str, httpx.Response]]:
        world = await make_world(instance)
        return [
            (path, method, await instance.call(method, address(first[path], world), key=None, headers=OWN))
            for path, methods in offered.items()
            for method in {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"} - methods | {"OPTIONS"}
        ]

    for path, method, answer in with_instance(tmp_path, script):
        allow = set(answer.headers["allow"].split(", "))

        assert (path, method, answer.status_code) == (path, method, 204 if method == "OPTIONS" else 405)
        assert (path, allow) == (path, offered[path])


def test_a_key_opens_no_page(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A browser would send it by itself nowhere, and a program has the API."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        world = await make_world(instance)
        headers = {**OWN, "Authorization": f"Bearer {instance.key}"}
        return [(operation, await ask(instance, operation, world, headers)) for operation in CLOSED]

    for operation, answer in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            assert answer.status_code in {303, 401}


def enter(instance: Instance, role: Role) -> None:
    """Make Bob a member of Alice's account, whatever he did before, and open it in his browser."""

    def work(tx: Transaction) -> None:
        (bob,) = (each for each in list_accounts(tx) if each.name == "Bob")
        remove_membership(tx, instance.alice.id, bob.id)
        add_membership(tx, instance.alice.id, bob.id, role, now_ms())
        for session in list_sessions(tx, bob.id):
            save_workspace(tx, session.id, instance.alice.id)

    instance.services.database.write_here(work)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_do_what_it_may(tmp_path: Path, role: Role, subtests: pytest.Subtests) -> None:
    """Every operation declares its least role: below it the answer is 403 and names both roles, and nothing is done."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        world = await make_world(instance)
        found = []
        # What is refused comes first, while everything is there.
        for operation in sorted(FOR_MEMBERS, key=lambda each: (each.least_role <= role, each.method != "GET")):
            enter(instance, role)
            found.append((operation, await ask(instance, operation, world, world.bob)))
        return found

    refused = [operation.name for operation in FOR_MEMBERS if operation.least_role > role]
    for operation, answer in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            if operation.name in refused:
                assert answer.status_code == 403
                assert f"your role is {role.name.capitalize()}" in answer.text
                assert f"needs the role {operation.least_role.name.capitalize()}" in answer.text
            elif operation.method == "GET":
                assert answer.status_code in {200, 303} or operation.name in ABOUT_ONE
            else:
                assert answer.status_code not in {401, 403}

    assert bool(refused) == (role is not Role.OWNER)


@pytest.mark.parametrize("role", list(Role))
def test_pages_offer_what_the_role_may_do(tmp_path: Path, role: Role, subtests: pytest.Subtests) -> None:
    """No page of a member has a form or a link that would be refused."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        world = await make_world(instance)
        enter(instance, role)
        shown = [each for each in FOR_MEMBERS if each.method == "GET" and each.least_role <= role]
        return [(each, await ask(instance, each, world, world.bob)) for each in shown]

    routes = Routes(ALL_OPERATIONS)
    offered = set()
    for operation, answer in with_instance(tmp_path, script):
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        with subtests.test(operation=operation.name):
            for method, place in targets(answer.text, answer.request.url.path):
                found = routes.find(place)
                assert found is not None, place
                led_to = found[0].operations[method]
                offered.add(led_to.name)
                assert led_to.least_role <= role, (method, place)

    assert ("run_again" in offered) == (role >= Role.EDITOR)
    assert ("create_webhook_page" in offered) == (role >= Role.ADMIN)
    assert ("invite_to_team" in offered) == (role is Role.OWNER)


def targets(page: str, own_path: str) -> set[tuple[str, str]]:
    """(method, path) of the forms and links of a page that lead to this server."""
    found = set()
    for form in re.findall(r"<form[^>]*>", page):
        action = re.search(r' action="(/[^"?#]*)', form)
        method = "POST" if ' method="post"' in form else "GET"
        found.add((method, action[1] if action else own_path))
    found |= {("POST", path) for path in re.findall(r' formaction="(/[^"?#]*)', page)}
    return found | {("GET", path) for path in re.findall(r'<a[^>]* href="(/[^"?#]*)', page)}
