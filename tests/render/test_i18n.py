from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib.resources import files

import pytest
from babel import Locale
from babel.dates import format_datetime, format_timedelta
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from devtools.catalogues import catalogue_path
from pagegrade.render.english import phrase
from pagegrade.render.i18n import LOCALES, choose_locale, read_catalogue, read_messages, texts_for

"""2026-01-05T12:34:56.789Z."""
HOUR_MS = 3_600_000


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


@pytest.mark.parametrize(
    ("preferred", "header", "expected"),
    [
        (None, None, "en"),
        (None, "", "en"),
        (None, "de", "de"),
        (None, "de-CH, en;q=0.9", "de"),
        (None, "fr, es;q=0.9", "en"),
        (None, "en;q=0.3, DE;q=0.8", "de"),
        (None, "de;q=0, en;q=0.1", "en"),
        (None, "de;q=none", "en"),
        (None, "*", "en"),
        (None, "de," * 500, "en"),
        (None, ";;;q=,=;q", "en"),
        ("de", "en", "de"),
        ("de-AT", None, "de"),
        ("en", "de", "en"),
        ("cs", "de", "de"),
    ],
)
def test_the_language_is_the_best_there_is(preferred: str | None, header: str | None, expected: str) -> None:
    """That of the account, else what the browser asks for, else English."""
    assert choose_locale(preferred, header) == expected


def test_english_is_the_source() -> None:
    """A message is its own translation, with its values in place."""
    texts = texts_for("en")

    assert texts.gettext("Reports of %(name)s", name="100 %") == "Reports of 100 %"
    assert texts.gettext("100 %% sure") == "100 % sure"
    assert texts.ngettext("%(num)s report", "%(num)s reports", 1) == "1 report"
    assert texts.ngettext("%(num)s report", "%(num)s reports", 1234) == "1,234 reports"


def test_a_phrase_is_translated_with_the_phrases_in_it() -> None:
    """Other texts are names; only a float is an amount, which versions and the numbers of processes are not."""
    said = phrase("{0} can be written ({1})", phrase("{0} days", 2), phrase("{0}: {1}", "none", 1234.56))

    assert str(said) == "2 days can be written (none: 1234.56)"
    assert texts_for("de").phrase(said) == "2 Tage ist beschreibbar (none: 1.234,6)"
    assert texts_for("de").phrase(phrase("PostgreSQL {0}, older than {1}", "9.6", 12)) == "PostgreSQL 9.6, älter als 12"
    assert [texts_for("de").phrase(text) for text in ("clock", "", "no message")] == ["Uhr", "", "no message"]


@pytest.mark.parametrize(
    ("tag", "number", "percent", "moment", "ago"),
    [
        ("en", "1,234.5", "98%", "5 Jan 2026, 13:34", "3 hours ago"),
        ("de", "1.234,5", "98\u00a0%", "5. Jan. 2026, 13:34", "vor 3 Stunden"),
    ],
)
def test_numbers_and_times_are_written_as_in_the_language(
    tag: str, number: str, percent: str, moment: str, ago: str
) -> None:
    """As CLDR has it, in the reader's time zone."""
    texts = texts_for(tag)

    assert texts.number(1234.5, digits=1) == number
    assert texts.percent(0.98) == percent
    assert texts.moment(AT_MS, "Europe/Prague") == moment
    assert texts.ago(AT_MS, AT_MS + 3 * HOUR_MS) == ago


@pytest.mark.parametrize(("tag", "figure"), [("en", "1,234.50"), ("de", "1.234,50")])
def test_figures_of_a_column_have_the_same_digits(tag: str, figure: str) -> None:
    """Points stand below points."""
    assert texts_for(tag).hundredths(1234.5) == figure


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "UTC"])
def test_a_zone_that_is_not_known_counts_as_utc(zone: str) -> None:
    """A machine may have an older list than the one the account was made on."""
    assert texts_for("en").moment(AT_MS, zone) == "5 Jan 2026, 12:34"
    assert texts_for("en").date(AT_MS, zone) == "5 Jan 2026"


@pytest.mark.parametrize(
    ("hours", "labels"),
    [
        ((0, 24), ("5 Jan 2026", "6 Jan 2026")),
        ((0, 1, 2), ("5 Jan 2026", "13:34", "14:34")),
        ((0, 0, 1, 1, 24, 25), ("5 Jan 2026", "12:34", "13:34", "", "6 Jan 2026", "13:34")),
        ((), ()),
    ],
)
def test_an_axis_names_no_day_twice(hours: tuple[int, ...], labels: tuple[str, ...]) -> None:
    """The first moment of a day has its date, the others their time, and none the same twice in a row."""
    assert texts_for("en").axis_labels([AT_MS + hour * HOUR_MS for hour in hours]) == labels


def test_the_future_counts_as_now() -> None:
    """Clocks of two machines differ by some seconds."""
    texts = texts_for("en")

    assert texts.ago(AT_MS + HOUR_MS, AT_MS) == texts.ago(AT_MS, AT_MS) == "now"


def test_every_language_knows_its_name_and_direction() -> None:
    """For the choice of a language, and for the page."""
    names = {tag: (texts_for(tag).language_name(tag), texts_for(tag).direction) for tag in LOCALES}

    assert names == {"en": ("English", "ltr"), "de": ("Deutsch", "ltr")}


def test_people_read_one_word_for_each_thing() -> None:
    """Site, severity and points: the API also has projects, importance and impact."""
    catalogue = files("pagegrade.render").joinpath("locales/de/LC_MESSAGES/pagegrade.po").read_text("utf-8")
    messages = read_messages(catalogue)
    messages.pop("")
    other = re.compile(r"\b(projects?|importance|impact)\b", re.IGNORECASE)
    german = re.compile(r"\b(Projekte?|hoher Bedeutung|Wichtigkeit)\b")

    assert [text for text in messages if other.search(text)] == []
    assert [text for text in messages.values() if german.search(text)] == []
