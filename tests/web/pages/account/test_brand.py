from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace as with_values

from pagegrade.model.account import PDF_SECTIONS, Brand, Role
from pagegrade.parse.files.png import clean_png
from pagegrade.render.account import brand_css
from pagegrade.service.accounts.operations import MAX_LOGO_BYTES
from pagegrade.service.administration import begin_erasure
from pagegrade.store.repositories.accounts import load_brand, save_brand
from pagegrade.web.pages.html import PLAIN, with_look
from tests.parse.files.test_png import chunk, png
from tests.web.calling import Instance, with_instance
from tests.web.pages.account.test_team import add_member
from tests.web.sharing import see, shared

FORM = {
    "name": "Acme",
    "has_color": "1",
    "color": "#FFDD00",
    "footer": "  Acme,\tMain Street 1 ",
    "reply_to": "help@acme.example",
    "credit": "1",
}
HOSTILE = png(before=chunk(b"tEXt", b"Comment\0<script>"), behind=b"<script>")
NO_FILE = {"logo": ("", b"", "application/octet-stream")}
"""Sent by browsers where no file was chosen."""


async def save(instance: Instance, form: dict[str, str], logo: bytes | None = None, **more: Any) -> httpx.Response:
    """The answer to the form, with a file or without one."""
    file = NO_FILE if logo is None else {"logo": ("logo.png", logo, "image/png")}
    return await instance.page("POST", "/team/look", data=form, files=file, **more)


def stored(instance: Instance) -> Brand:
    """The look of Alice's account."""
    return instance.services.database.read_here(lambda tx: load_brand(tx, instance.alice.id))


def test_a_look_is_kept_and_shown_to_others(tmp_path: Path) -> None:
    """On the share page, the badge and the documents; the logo holds its picture alone, and stays without a file."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        before = await see(instance, report)
        saved = await save(instance, FORM, HOSTILE)
        again = await save(instance, FORM | {"footer": "New"})
        form = await instance.page("GET", "/team/look?said=saved")
        brand = stored(instance)
        page = await see(instance, report)
        known = await see(instance, report, headers={"If-None-Match": page.headers["etag"]})
        badge = await instance.call("GET", f"/badge/{report.slug}.svg", key=None)
        document = await see(instance, report, below="/export/html")
        logo = await instance.call("GET", f"/brands/{brand.logo_key}/logo.png", key=None)

        assert saved.headers["location"] == again.headers["location"] == "/team/look?said=saved"
        assert brand == Brand(
            name="Acme",
            color="#ffdd00",
            footer="New",
            reply_to="help@acme.example",
            logo=clean_png(HOSTILE) or b"",
        )
        assert "The look is saved." in form.text
        assert f'<img src="/brands/{brand.logo_key}/logo.png" alt="Acme">' in page.text
        assert f"<style>{brand_css('#ffdd00')}</style>" in page.text
        assert page.headers["content-security-policy"] == with_look(PLAIN, brand) != PLAIN
        assert (known.status_code, known.headers["content-security-policy"]) == (304, with_look(PLAIN, brand))
        assert before.headers["etag"] != page.headers["etag"]
        assert "<style>" not in before.text
        assert "Made with Pagegrade" in page.text
        assert "<title>Acme: " in badge.text
        assert "New" in document.text
        assert 'alt="Acme"' in document.text
        assert (logo.status_code, logo.content) == (200, brand.logo)
        assert logo.headers["content-type"] == "image/png"
        assert logo.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in logo.headers["content-security-policy"]

    with_instance(tmp_path, script)


def test_sections_of_pdfs_are_chosen(tmp_path: Path) -> None:
    """Names that are none do nothing; without a tick everything comes back."""

    async def script(instance: Instance) -> None:
        await save(instance, FORM | {"without_history": "1", "without_score": "1", "without_grade": "1"})
        chosen = stored(instance).left_out
        form = await instance.page("GET", "/team/look")
        await save(instance, FORM)

        assert chosen == "score history"
        assert [f'name="without_{each}" value="1" checked' in form.text for each in PDF_SECTIONS] == (
            [False, False, True, True, False]
        )
        assert stored(instance).left_out == ""

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("form", "logo", "field"),
    [
        ({"name": "x" * 61}, None, "name"),
        ({"name": "a\x07b"}, None, "name"),
        ({"has_color": "1", "color": "red;}"}, None, "color"),
        ({"has_color": "1", "color": "#12345"}, None, "color"),
        ({"footer": "x" * 301}, None, "footer"),
        ({"reply_to": "nobody"}, None, "reply_to"),
        ({"reply_to": "a@b.example\r\nBcc: c@d.example"}, None, "reply_to"),
        ({"name": "Acme"}, b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "logo"),
        ({"name": "Acme"}, b"GIF89a", "logo"),
        ({"name": ""}, png(), "name"),
    ],
)
def test_a_look_that_cannot_be_used_changes_nothing(
    tmp_path: Path, form: dict[str, str], logo: bytes | None, field: str
) -> None:
    """The page says what is wrong at its field, and has what was typed."""

    async def script(instance: Instance) -> None:
        answer = await save(instance, form, logo)

        assert answer.status_code == 422
        assert f'id="{field}-error"' in answer.text
        assert stored(instance) == Brand()

    with_instance(tmp_path, script)


def test_a_logo_is_as_large_as_the_limit_at_most(tmp_path: Path) -> None:
    """One byte more is refused with a sentence."""
    plain = png()
    most = MAX_LOGO_BYTES - len(plain) - 12

    async def script(instance: Instance) -> None:
        right = await save(instance, FORM, png(before=chunk(b"tEXt", b"x" * most)))
        wrong = await save(instance, FORM, png(before=chunk(b"tEXt", b"x" * (most + 1))))

        assert right.status_code == 303
        assert wrong.status_code == 422
        assert "at most 64 KB" in wrong.text

    with_instance(tmp_path, script)


def test_a_look_is_taken_back(tmp_path: Path) -> None:
    """The logo by a tick, the color by another one, the rest by empty fields."""

    async def script(instance: Instance) -> None:
        await save(instance, FORM, png())
        key = stored(instance).logo_key
        await save(instance, {"name": "", "color": "#ffdd00", "no_logo": "1", "credit": "1"})
        gone = await instance.call("GET", f"/brands/{key}/logo.png", key=None)
        none = await instance.call("GET", "/brands//logo.png", key=None)

        assert stored(instance) == Brand()
        assert gone.status_code == none.status_code == 404

    with_instance(tmp_path, script)


def test_a_look_ends_with_its_account(tmp_path: Path) -> None:
    """Its logo is no longer sent to anyone."""

    async def script(instance: Instance) -> None:
        await save(instance, FORM, png())
        instance.services.database.write_here(lambda tx: begin_erasure(tx, instance.alice.id, 1, by=None))

        assert stored(instance) == Brand()

    with_instance(tmp_path, script)


def test_editors_have_no_say_in_it(tmp_path: Path) -> None:
    """The page says which role is needed."""

    async def script(instance: Instance) -> None:
        cookie = await instance.sign_in(add_member(instance, Role.EDITOR))
        await instance.call("POST", "/team/open", key=None, headers=cookie, data={"workspace": str(instance.alice.id)})
        seen = await instance.call("GET", "/team/look", key=None, headers=cookie)
        sent = await instance.call("POST", "/team/look", key=None, headers=cookie, data=FORM, files=NO_FILE)

        assert seen.status_code == sent.status_code == 403
        assert stored(instance) == Brand()

    with_instance(tmp_path, script)


def test_the_installation_has_a_look_for_who_chose_none(tmp_path: Path) -> None:
    """A workspace changes what it chose, and cannot bring a credit back that the installation leaves out."""
    own = Brand(name="Host", color="#123456", footer="Host GmbH", credit=False, logo=clean_png(png()) or b"")
    chosen = Brand(name="Acme")

    assert Brand().over(own) == own
    assert chosen.over(own) == with_values(own, name="Acme", logo=b"")
    assert own.over(Brand()) == own


def test_a_look_of_another_account_is_not_shown(tmp_path: Path) -> None:
    """Only that of the account whose report it is."""

    async def script(instance: Instance) -> None:
        bob = add_member(instance, Role.EDITOR)
        instance.services.database.write_here(lambda tx: save_brand(tx, bob.id, Brand(name="Bobs")))
        page = await see(instance, shared(instance))

        assert "Bobs" not in page.text

    with_instance(tmp_path, script)
