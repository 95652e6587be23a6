from __future__ import annotations

import io
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from devtools.catalogues import DOMAINS, catalogue_path, extract, faults, load, updated
from pagegrade.render import finding_texts
from pagegrade.render.i18n import LOCALES


def a_source(*messages: str | tuple[str, str]) -> Catalog:
    """Messages as they would be found."""
    found = Catalog(charset="utf-8")
    for message in messages:
        found.add(message, None, [("a.py", 0)])
    return found


def a_catalogue(**translations: str) -> Catalog:
    """A German one."""
    made = Catalog(locale="de", charset="utf-8")
    for message, string in translations.items():
        made.add(message.replace("_", " "), string)
    return made


def test_messages_of_templates_and_of_code_are_found(tmp_path: Path) -> None:
    """In every way that they can be written."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "a.html.jinja").write_text(
        '{{ _("One") }} {% trans %}Two <b>bold</b>{% endtrans %} {{ ngettext("%(num)s a", "%(num)s as", n) }}\n'
        "{% trans name=x %}\n  Three\n  %%{{ name }}\n{% endtrans %}\n"
    )
    (tmp_path / "a.py").write_text('A = N_("Four")\nB = texts.gettext("Five")\nC = texts.ngettext("b", "bs", 1)\n')
    (tmp_path / "service" / "doctor").mkdir(parents=True)
    (tmp_path / "service" / "doctor" / "a.py").write_text(
        'D = problem("topic", phrase("{0} is on", phrase("a")), "advice")\nE = ok("top", b)\n'
    )
    found = {message.id for message in extract(tmp_path) if message.id}

    assert found >= {"topic", "{0} is on", "advice", "top"}
    assert found >= {"One", "Two <b>bold</b>", ("%(num)s a", "%(num)s as"), "Four", "Five", ("b", "bs")}
    assert any("Three" in message and "%(name)s" in message for message in found if isinstance(message, str))


def test_an_update_keeps_what_was_translated() -> None:
    """And takes in what is new, and drops what is gone."""
    written = updated("de", a_source("Here", "New"), a_catalogue(Here="Da", Gone="Weg"))
    fresh = read_po(io.BytesIO(written), locale="de")

    assert {message.id: message.string for message in fresh if message.id} == {"Here": "Da", "New": ""}
    assert updated("de", a_source("New", "Here"), fresh) == written


@pytest.mark.parametrize(
    ("source", "string", "what"),
    [
        ("Here", "", "not translated"),
        ("By %(name)s", "Von %(nam)s", "other values"),
        ("By %(name)s", "Von", "other values"),
        ("100 %%", "100 %", "other values"),
        ("{0} of {1}", "{0}", "other values"),
        ('A <a href="/x">link</a>', 'Ein <a href="/y">Link</a>', "other markup"),
    ],
)
def test_a_translation_that_would_break_a_page_is_a_fault(source: str, string: str, what: str) -> None:
    """Its values and its markup are those of the message."""
    kept = Catalog(locale="de")
    kept.add(source, string)

    assert [fault.what.partition(":")[0] for fault in faults("de", a_source(source), kept)] == [what]


def test_every_form_of_a_plural_is_translated() -> None:
    """One of two is not enough."""
    source = a_source(("%(num)s page", "%(num)s pages"))
    kept = Catalog(locale="de")
    kept.add(("%(num)s page", "%(num)s pages"), ("%(num)s Seite", ""))

    assert [fault.what for fault in faults("de", source, kept)] == ["not translated"]


def test_what_nothing_says_any_more_is_a_fault() -> None:
    """Its translation would be useless."""
    found = list(faults("de", a_source("New"), a_catalogue(Gone="Weg")))

    assert [(fault.message, fault.what) for fault in found] == [
        ("Gone", "nothing says this any more"),
        ("New", "not in the catalogue"),
    ]


@pytest.mark.parametrize(
    ("source", "string", "what"),
    [
        ("Here", "", "not translated"),
        ("{0} of {1} files", "{0} Dateien", "other values"),
        ("Add `alt`.", "Fügen Sie `title` hinzu.", "other code"),
        ("Write `{{ title }}`.", "Schreiben Sie `{{ titel }}`.", "other code"),
    ],
)
def test_a_translation_of_a_finding_keeps_its_values_and_its_code(source: str, string: str, what: str) -> None:
    """Braces in code are code."""
    kept, wanted = Catalog(locale="de"), Catalog(domain=finding_texts.DOMAIN)
    wanted.add(source)
    kept.add(source, string)

    assert [fault.what.partition(":")[0] for fault in faults("de", wanted, kept)] == [what]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LOCALES[1:])
def test_every_catalogue_is_complete_and_true(language: str, domain: str) -> None:
    """Each message of each page and finding, and in the form that an update would give the file."""
    source, kept = DOMAINS[domain](), load(language, domain)

    assert [str(fault) for fault in faults(language, source, kept)] == []
    assert catalogue_path(language, domain).read_bytes() == updated(language, source, kept)
