"""Single sign-on at a provider that others wrote, run for real, with the forms that it shows to people."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from devtools.description_tools import FOLDER
from pagegrade.model.account import GroupRule, Provider, Role
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.repositories.members import load_role
from tests.identity_provider import CLIENT, SECRET
from tests.ports import free_port
from tests.web.calling import BASE_URL, Instance, with_instance

PROGRAM = Path(__file__).with_suffix("").with_name("identity_provider.mjs")
FORM = re.compile(r'<form[^>]* action="([^"]+)"')


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[str]:
    """URL of a provider; ``make description-tools`` installs its program."""
    if not (FOLDER / "node_modules/oidc-provider").exists() or shutil.which("node") is None:
        pytest.skip("oidc-provider is not installed here: run python devtools/description_tools.py")
    # Modules are looked for beside the program that imports them.
    shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "node_modules").symlink_to(FOLDER / "node_modules")
    port = free_port()
    with subprocess.Popen(
        [shutil.which("node") or "node", tmp_path / PROGRAM.name, str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        try:
            assert "ready\n" in iter(process.stdout.readline, "")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


async def through_the_forms(issuer: str, location: str) -> str:
    """Sign in and consent as a person does; the path and query that the browser is sent back to."""
    async with httpx.AsyncClient(base_url=issuer) as browser:
        answer = await browser.get(location)
        for _ in range(10):
            if answer.is_redirect and answer.headers["location"].startswith(BASE_URL):
                return answer.headers["location"].removeprefix(BASE_URL)
            if answer.is_redirect:
                answer = await browser.get(answer.headers["location"])
                continue
            form = FORM.search(answer.text)
            assert form is not None, answer.text
            prompt = "login" if 'value="login"' in answer.text else "consent"
            answer = await browser.post(form[1], data={"prompt": prompt, "login": "bob", "password": "any"})
    raise AssertionError(answer.text)


def test_a_person_of_another_makers_provider_signs_in(tmp_path: Path, issuer: str) -> None:
    """With the address and the groups that it has for them, once for each code."""
    provider = Provider(
        issuer=issuer,
        client_id=CLIENT,
        client_secret=SECRET,
        scopes="openid profile email groups",
        groups=(GroupRule("design", 1, Role.EDITOR),),
    )

    async def script(instance: Instance) -> None:
        left = await instance.call("GET", "/single-sign-on?next=/monitors", key=None)
        attempt = {"Cookie": left.headers["set-cookie"].partition(";")[0]}
        back = await through_the_forms(issuer, left.headers["location"])
        instance.client.cookies.clear()
        signed_in = await instance.call("GET", back, key=None, headers=attempt)
        account = await instance.call("GET", "/account", key=None)
        instance.client.cookies.clear()
        replayed = await instance.call("GET", back, key=None, headers=attempt)
        out = await instance.call("GET", "/single-sign-on/leave", key=None)
        async with httpx.AsyncClient() as browser:
            asked = await browser.get(out.headers["location"])
        bob = instance.services.database.read_here(list_accounts)[-1]
        role = instance.services.database.read_here(lambda tx: load_role(tx, instance.alice.id, bob.id))

        assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/monitors")
        assert "You sign in there as <bdi>bob@example.org</bdi>." in account.text
        assert (bob.name, bob.email, role) == ("Bob", "bob@example.org", Role.EDITOR)
        assert replayed.status_code == 400
        assert "Begin again" in replayed.text
        assert asked.status_code == 200
        assert "/session/end" in asked.text

    with_instance(tmp_path, script, provider=provider)


@pytest.mark.parametrize(
    ("client_id", "client_secret", "status"), [(CLIENT, "wrong", 502), (CLIENT, None, 502)], ids=["secret", "public"]
)
def test_a_client_that_it_does_not_know_signs_nobody_in(
    tmp_path: Path, issuer: str, client_id: str, client_secret: str | None, status: int
) -> None:
    """The page says that it is not set up."""
    provider = Provider(issuer=issuer, client_id=client_id, client_secret=client_secret, sign_up=True)

    async def script(instance: Instance) -> None:
        left = await instance.call("GET", "/single-sign-on", key=None)
        back = await through_the_forms(issuer, left.headers["location"])
        answer = await instance.call("GET", back, key=None)

        assert answer.status_code == status
        assert "did not prove who you are" in answer.text

    with_instance(tmp_path, script, provider=provider)
