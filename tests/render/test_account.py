from __future__ import annotations

import re
import struct
import zlib
from email import message_from_bytes, policy
from functools import partial
from io import BytesIO

import pytest
from pypdf import PdfReader

from pagegrade.model.account import QUOTA_NAMES, Brand, QuotaState, Role
from pagegrade.parse.css.contrast import color_of, contrast
from pagegrade.parse.files.png import clean_png
from pagegrade.render.account import (
    DARK_GROUND,
    LIGHT_GROUND,
    ROLE_MEANINGS,
    brand_css,
    color_on,
    logo_url,
    quota_rows,
    role_choices,
    role_names,
    role_of,
    shown_name,
)
from pagegrade.render.conformance import render_conformance, render_statement
from pagegrade.render.html import render_html, stylesheet
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.notifications import email_message, make_message
from pagegrade.render.pdf import render_report_pdf
from pagegrade.render.shared_pictures import render_badge, render_card
from pagegrade.web.report_files import encoded_report
from tests.parse.files.test_png import png
from tests.render.test_notifications import PAYLOAD
from tests.report_builders import make_report, make_result

LOGO = clean_png(png(40, 20)) or b""
BRAND = Brand(name="<Acme> & Co", color="#ffdd00", footer="Acme <b>, Main Street 1", credit=False, logo=LOGO)


def test_each_role_has_a_name_and_a_meaning() -> None:
    """The mightiest is offered first."""
    choices = role_choices(texts_for("en"))

    assert set(ROLE_MEANINGS) == set(role_names(texts_for("en"))) == set(Role)
    assert [each[:2] for each in choices] == [(4, "Owner"), (3, "Admin"), (2, "Editor"), (1, "Viewer")]
    assert role_names(texts_for("de"))[Role.VIEWER] == "Betrachter"


@pytest.mark.parametrize("text", ["", "0", "5", "01", " 1", "owner", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_nothing_else_is_a_role(text: str) -> None:
    """Only what the form sends."""
    assert role_of(text) is None
    assert role_of("1") is Role.VIEWER


def test_each_quota_has_its_words_and_numbers() -> None:
    """As the language writes them; a quota without a limit is never used up."""
    states = [QuotaState(name=name, used=1_200, most=1_200) for name in QUOTA_NAMES]
    german = quota_rows(texts_for("de"), states)
    (free,) = quota_rows(texts_for("en"), [QuotaState(name="reports", used=7, most=None)])

    assert len({row.label for row in german}) == len(QUOTA_NAMES)
    assert all((row.used, row.most, row.is_reached) == ("1.200", "1.200", True) for row in german)
    assert (free.label, free.used, free.most, free.is_reached) == ("Reports", "7", "", False)


def test_a_color_can_be_read_on_every_ground() -> None:
    """Of light and of dark pages; whoever chose none has ours."""
    for ground in (LIGHT_GROUND, DARK_GROUND):
        color = color_of(color_on(BRAND, ground))
        assert isinstance(color, tuple)
        assert contrast(color, ground) >= 4.5

    assert color_on(Brand(), LIGHT_GROUND) == brand_css("") == brand_css("red;}") == ""
    assert "#ffdd00" in brand_css("#ffdd00")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_grounds_are_the_hardest_ones_of_the_style_sheet(name: str) -> None:
    """No ground that text in the color stands on is darker in light pages, or lighter in dark ones."""
    sheets = re.findall(r":root \{(.*?)\}", stylesheet(), re.DOTALL)
    sheet, ground = (sheets[0], LIGHT_GROUND) if name == "light" else (sheets[1], DARK_GROUND)
    grounds = re.findall(r"--(?:paper|card|hover|code|none-wash): (#[0-9a-f]{3,6})", sheet)

    assert len(grounds) == 5
    white = (255, 255, 255)
    darkest = [contrast(white, found) for each in grounds if isinstance(found := color_of(each), tuple)]

    assert len(darkest) == 5
    if name == "light":
        assert max(darkest) <= contrast(white, ground)
    else:
        assert min(darkest) >= contrast(white, ground)


def test_documents_have_the_look_and_what_evaluated_them() -> None:
    """Name, logo, color and footer as text; the engine and the rules stay, and the credit goes."""
    report = make_report(make_result())
    for written in (
        render_html((report,), brand=BRAND),
        render_conformance((report,), brand=BRAND),
        render_statement((report,), brand=BRAND),
    ):
        assert f'<img src="{logo_url(BRAND)}" alt="&lt;Acme&gt; &amp; Co">' in written
        assert brand_css(BRAND.color) in written
        assert "Acme &lt;b&gt;, Main Street 1" in written
        assert "Made with" not in written
        assert f"Pagegrade {report.run.engine}" in written

    assert "Made with" in render_html((report,))
    assert shown_name(Brand()) == "Pagegrade"


def test_a_pdf_has_the_look() -> None:
    """Its name is the author, its logo a picture with a text, and nothing is said of who made the program."""
    report = make_report(make_result())
    own, plain = render_report_pdf(report, brand=BRAND), render_report_pdf(report)
    read = PdfReader(BytesIO(own))
    text = "".join(page.extract_text() for page in read.pages)

    assert read.metadata is not None
    assert read.metadata.author == "<Acme> & Co"
    assert "Main Street 1" in text
    assert "Made with" not in text
    assert "Evaluated by Pagegrade" in text
    assert len(read.pages[0].images) == 1
    assert not PdfReader(BytesIO(plain)).pages[0].images
    assert "Made with" in "".join(page.extract_text() for page in PdfReader(BytesIO(plain)).pages)


def test_a_card_and_a_badge_have_the_name() -> None:
    """A badge says it before the verdict; both differ from ours, and the color of the grade stays."""
    report = make_report(make_result())
    badge = render_badge("completed", result="good", score=91, label=BRAND.name)

    assert render_card(encoded_report(report), brand=BRAND) != render_card(encoded_report(report))
    assert "<title>&lt;Acme&gt; &amp; Co: good 91</title>" in badge
    assert "#1a7a4a" in badge
    assert render_badge("completed", result="good", score=91, label="x" * 31).count("x" * 30) == 0


def test_a_message_has_the_look() -> None:
    """Sender, answers, logo beside the page, color and footer; without a look there is none of them."""
    brand = Brand(name="Acme", color="#ffdd00", footer="See evil.example", reply_to="help@acme.example", logo=LOGO)
    made = make_message(Texts("en"), [PAYLOAD])
    write = partial(
        email_message,
        Texts("en"),
        made,
        sender="p@h.example",
        recipient="a@b.example",
        message_id="m",
        unsubscribe_url="https://h.example/u",
        at_ms=1_767_225_600_000,
    )
    own, plain = message_from_bytes(write(brand=brand).as_bytes(), policy=policy.default), write()
    page, text = own.get_body(("html",)), own.get_body(("plain",))
    pictures = [part for part in own.walk() if part.get_content_type() == "image/png"]

    assert page is not None
    assert text is not None
    assert own["From"] == "Acme <p@h.example>"
    assert own["Reply-To"] == "help@acme.example"
    assert '<img src="cid:logo" alt="Acme" height="40">' in page.get_content()
    assert color_on(brand, LIGHT_GROUND) in page.get_content()
    # Mail programs make no link of it.
    assert "See evil\u2024example" in text.get_content()
    assert [(part["Content-ID"], part.get_content()) for part in pictures] == [("<logo>", LOGO)]
    assert plain["Reply-To"] is None
    assert b"cid:logo" not in plain.as_bytes()


def test_the_logo_is_what_was_cleaned() -> None:
    """Its pixels unpack to as many bytes as it says."""
    position = LOGO.index(b"IDAT")
    (length,) = struct.unpack_from(">I", LOGO, position - 4)

    assert len(zlib.decompress(LOGO[position + 4 : position + 4 + length])) == 20 * (1 + 40 * 4)
