from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from babel import Locale
from babel.dates import format_datetime, format_timedelta
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from devtools.catalogues import catalogue_path
from pagegrade.render.i18n import LOCALES, texts_for
from pagegrade.render.languages import read_catalogue


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


AT_MS = 1_767_616_496_789
"""2026-01-05T12:34:56.789Z."""


@pytest.mark.parametrize("tag", LOCALES)
def test_formats_are_those_of_cldr(tag: str) -> None:
    """Every format of our own, held against Babel, which reads CLDR's data."""
    texts, locale = texts_for(tag), Locale.parse(tag)
    numbers = [0, 1, 999, 1000, -1234567, 0.5, 1.5, 2.25, 1234.5678, -0.004, 1e15, 123456789012345.6, 1e20, 10**20]
    days = [datetime(2026, month, 7 + month, month, 59, tzinfo=UTC) for month in range(1, 13)]
    periods_s = [*range(2, 200, 7), *(60 * 1.7**step for step in range(30))]
    shown = {
        "number": [texts.number(number, digits=digits) for number in numbers[:8] for digits in (0, 1, 3)],
        "whole": [texts.number(number) for number in numbers],
        "hundredths": [texts.hundredths(number) for number in numbers],
        "percent": [texts.percent(number) for number in numbers[:12]],
        "moment": [texts.moment(int(day.timestamp() * 1000)) for day in days],
        "date": [texts.date(int(day.timestamp() * 1000)) for day in days],
        "ago": [texts.ago(AT_MS, AT_MS + int(period_s * 1000)) for period_s in periods_s],
        "now": texts.ago(AT_MS, AT_MS),
        "name": texts.language_name(tag),
        "direction": texts.direction,
    }
    day_format = "d MMM y" if tag == "en" else str(locale.datetime_skeletons["yMMMd"])

    assert shown == {
        "number": [
            format_decimal(round(Decimal(str(number)), digits), "#,##0.###", locale)
            for number in numbers[:8]
            for digits in (0, 1, 3)
        ],
        "whole": [format_decimal(number, "#,##0", locale) for number in numbers],
        "hundredths": [format_decimal(number, "#,##0.00", locale) for number in numbers],
        "percent": [format_percent(number, locale=locale) for number in numbers[:12]],
        "moment": [format_datetime(day, f"{day_format}, HH:mm", locale=locale) for day in days],
        "date": [format_datetime(day, day_format, locale=locale) for day in days],
        "ago": [
            format_timedelta(
                timedelta(milliseconds=-int(period_s * 1000)), threshold=1.2, add_direction=True, locale=locale
            )
            for period_s in periods_s
        ],
        "now": {"en": "now", "de": "jetzt"}[tag],
        "name": str(locale.get_display_name()).capitalize(),
        "direction": locale.text_direction,
    }
