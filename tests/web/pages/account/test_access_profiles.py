"""The pages of access profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import update

from pagegrade.model.access import Access
from pagegrade.service.access.operations import Vault, profile_for, unseal
from pagegrade.store.schema.tables import accounts
from pagegrade.web.pages.account.access_profiles import WRONG
from tests.web.calling import Instance, with_instance

PATH = "/access-profiles"
FIELDS = {
    "name": "Staging",
    "origins": "https://staging.example\r\nhttps://files.staging.example\r\n",
    "user": "reader",
    "password": "n0t-Shown-1",
    "headers": "X-Door: n0t-Shown-2\r\nX-Other: n0t-Shown-3",
    "cookies": "session=n0t-Shown-4; theme=n0t-Shown-5",
    "query": "key=n0t-Shown-6",
}


def kept(instance: Instance) -> Access | None:
    """The access that runs for the origin use."""

    def read(tx: Any) -> Access | None:
        found = profile_for(tx, instance.alice.id, "https://staging.example/", None)
        return None if found is None else unseal(found, instance.services.vault)

    return instance.services.database.read_here(read)


def test_a_profile_is_created_shown_and_listed_without_its_secrets(tmp_path: Path) -> None:
    """Names are shown, and what they stand for is in no page."""

    async def script(instance: Instance) -> None:
        await instance.create("https://staging.example/x")
        made = await instance.page("POST", PATH, data=FIELDS)
        pages = [await instance.page("GET", path) for path in (PATH, f"{PATH}/1", f"{PATH}/1/delete")]
        access = kept(instance)

        assert made.headers["location"] == f"{PATH}?said=private"
        assert not any("n0t-Shown" in page.text for page in pages)
        assert all("Staging" in page.text for page in pages)
        assert "user and password, 2 headers, 2 cookies, 1 parameter" in pages[0].text
        assert "X-Door\nX-Other</textarea>" in pages[1].text
        assert "1 report uses it." in pages[1].text
        assert access is not None
        assert access.headers == (("X-Door", "n0t-Shown-2"), ("X-Other", "n0t-Shown-3"))

    with_instance(tmp_path, script)


def test_a_change_keeps_what_is_not_typed_again(tmp_path: Path) -> None:
    """A line that is gone is not sent any more; a password goes with its user."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", PATH, data=FIELDS)
        shown = {"headers": "X-Door", "cookies": "session\ntheme=n0t-Shown-7", "query": "key"}
        changed = {**FIELDS, "password": "", **shown, "seen": "1"}
        first = await instance.page("POST", f"{PATH}/1", data=changed)
        access = kept(instance)
        without = await instance.page("POST", f"{PATH}/1", data={**changed, "user": "", "seen": "2"})
        stale = await instance.page("POST", f"{PATH}/1", data={**changed, "name": "Stale", "seen": "2"})
        left = kept(instance)

        assert first.headers["location"] == without.headers["location"] == f"{PATH}/1?said=saved"
        assert access is not None
        assert (access.password, access.headers) == ("n0t-Shown-1", (("X-Door", "n0t-Shown-2"),))
        assert access.cookies == (("session", "n0t-Shown-4"), ("theme", "n0t-Shown-7"))
        assert left is not None
        assert (left.name, left.user, left.password) == ("Staging", "", "")
        assert stale.status_code == 412
        assert "changed in another tab" in stale.text

    with_instance(tmp_path, script)


def test_certificates_are_named_and_kept_until_they_are_forgotten(tmp_path: Path) -> None:
    """An empty field leaves them; the form does not repeat them."""
    pem = trustme.CA().cert_pem.bytes().decode()
    certificates = {"name": "Staging", "origins": "https://staging.example", "certificates": pem}

    async def script(instance: Instance) -> None:
        made = await instance.page("POST", PATH, data=certificates)
        shown = await instance.page("GET", f"{PATH}/1")
        fields = {**certificates, "certificates": "", "user": "reader", "seen": "1"}
        await instance.page("POST", f"{PATH}/1", data=fields)
        left = kept(instance)
        await instance.page("POST", f"{PATH}/1", data={**fields, "forget_certificates": "yes", "seen": "2"})
        forgotten = kept(instance)

        assert made.status_code == 303
        assert "Testing CA" in shown.text
        assert pem.splitlines()[1] not in shown.text
        assert left is not None
        assert (left.user, left.certificates) == ("reader", pem)
        assert forgotten is not None
        assert (forgotten.user, forgotten.certificates) == ("reader", "")

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("field", "code", "typed"),
    [
        ("name", "required", " "),
        ("name", "invalid", "x" * 101),
        ("origins", "required", ""),
        ("origins", "invalid", "https://staging.example/path"),
        ("user", "invalid", "a:b"),
        ("password", "invalid", "a\nb"),
        ("headers", "invalid", "Host: x"),
        ("headers", "invalid", "no colon"),
        ("cookies", "invalid", "no equals sign"),
        ("query", "invalid", "no equals sign"),
        ("user_agent", "invalid", "\N{SNOWMAN}"),
        ("certificates", "invalid", "no certificate"),
    ],
)
def test_what_cannot_be_used_comes_back_with_the_way_out(tmp_path: Path, field: str, code: str, typed: str) -> None:
    """At its field, in the reader's language, and without the password."""

    async def script(instance: Instance) -> None:
        instance.services.database.write_here(lambda tx: tx.execute(update(accounts).values(locale="de")))
        answer = await instance.page("POST", PATH, data={**FIELDS, field: typed})

        assert answer.status_code == 422
        assert f'<a href="#{field}">' in answer.text
        assert WRONG[field, code] not in answer.text
        assert "n0t-Shown-1" not in answer.text
        assert kept(instance) is None

    with_instance(tmp_path, script)


def test_nothing_to_send_is_said_at_the_first_field_for_it(tmp_path: Path) -> None:
    """A profile without anything lets nobody in."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", PATH, data={"name": "Staging", "origins": "https://staging.example"})

        assert answer.status_code == 422
        assert '<a href="#user">There is nothing to send yet.' in answer.text

    with_instance(tmp_path, script)


def test_a_lost_key_is_said_where_it_matters(tmp_path: Path) -> None:
    """The profile can still be looked at, and deleted."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", PATH, data=FIELDS)
        instance.services.vault = Vault(keys=("another key of thirty-two signs.",))
        saved = await instance.page("POST", f"{PATH}/1", data={**FIELDS, "seen": "1"})
        shown = await instance.page("GET", f"{PATH}/1")
        deleted = await instance.page("POST", f"{PATH}/1/delete")

        assert saved.status_code == 503
        assert "cannot be encrypted or decrypted here" in saved.text
        assert shown.status_code == 200
        assert deleted.headers["location"] == f"{PATH}?said=deleted"

    with_instance(tmp_path, script)
