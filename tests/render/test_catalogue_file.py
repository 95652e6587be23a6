from __future__ import annotations

import io

import pytest
from babel.messages.pofile import read_po

from devtools.catalogues import catalogue_path
from pagegrade.render.catalogue_file import read_catalogue
from pagegrade.render.i18n import LOCALES


@pytest.mark.parametrize("tag", LOCALES[1:])
def test_every_message_is_read_as_babel_reads_it(tag: str) -> None:
    """Singular and plural, with escapes and over several lines."""
    source = catalogue_path(tag).read_text(encoding="utf-8")
    ours = read_catalogue(source)
    checked = 0
    for message in read_po(io.BytesIO(source.encode()), locale=tag):
        if isinstance(message.id, tuple):
            one, many = message.id
            assert (ours.ngettext(one, many, 1), ours.ngettext(one, many, 2)) == message.string
        elif message.id:
            assert ours.gettext(str(message.id)) == message.string
        checked += 1

    assert checked > 1_000
    assert [ours.ngettext("%(num)s report", "%(num)s reports", number) for number in (0, 1, 5)] == [
        "%(num)s Berichte",
        "%(num)s Bericht",
        "%(num)s Berichte",
    ]


def test_texts_have_escapes_and_several_lines() -> None:
    """As editors of catalogues write long messages."""
    translations = read_catalogue(
        '# A comment\n#, python-format\nmsgid ""\n"One \\"line\\"\\n"\n"and \\\\ two"\nmsgstr "Zwei\\tZeilen"\n'
    )

    assert translations.gettext('One "line"\nand \\ two') == "Zwei\tZeilen"


def test_a_message_without_a_translation_stays_as_it_is() -> None:
    """A page is readable while its translation is being written."""
    assert read_catalogue('msgid "Save"\nmsgstr ""\n').gettext("Save") == "Save"


@pytest.mark.parametrize("line", ['msgctxt "menu"', 'msgid "open', "Save", 'msgid_plural: "x"'])
def test_a_line_that_is_not_supported_is_an_error(line: str) -> None:
    """Nothing of a catalogue is skipped silently."""
    with pytest.raises(ValueError, match="Line 2 of the catalogue"):
        read_catalogue(f'msgid "A"\n{line}\nmsgstr "B"\n')
