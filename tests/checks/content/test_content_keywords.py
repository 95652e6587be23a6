from __future__ import annotations

import pytest

from pagegrade.checks.content.content_keywords import content_keywords
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import evaluated, outcome, run


def page(title: str, body: str, lang: str = "en") -> str:
    """A page in that language."""
    return f'<!doctype html><html lang="{lang}"><title>{title}</title><body>{body}'


@pytest.mark.parametrize(
    ("body", "state", "loss"),
    [
        ("<h1>Garden benches</h1><p>Of teak.", "in_headings", 0),
        ("<h1>Welcome</h1><h3>Our garden</h3><p>x", "in_headings", 0),
        ("<h1>Welcome</h1><p>Tables for your garden.", "in_body", 0.5),
        ("<h1>Welcome</h1><p>We are glad.", "absent", 1),
        ("", "absent", 1),
    ],
)
def test_a_word_in_a_heading_is_best_and_in_the_text_is_half(body: str, state: str, loss: float) -> None:
    """One significant word of the title is enough."""
    found = evaluated(content_keywords, page("Garden furniture", body))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, loss)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Stadsfietsen", "Een van onze stadsfietsen."),
        ("Городские велосипеды", "Все велосипеды со склада."),
        ("אופניים לעיר", "אופניים מכל הסוגים."),
        ("शहर की साइकिलें", "हमारी साइकिलें मज़बूत हैं।"),
    ],
)
@pytest.mark.parametrize("heading", ["", "<h2></h2>", "<h1 hidden>x</h1>"])
def test_missing_headings_are_counted_once(title: str, text: str, heading: str) -> None:
    """The main heading is the matter of another check; a heading that says something else is the matter of this one."""
    assert isinstance(run(content_keywords, page(title, f"{heading}<p>{text}")), NotApplicable)
    assert outcome(content_keywords, page(title, f"<h2>x</h2>{heading}<p>{text}")).state == "in_body"
    assert outcome(content_keywords, page(title, f"{heading}<p>x")).state == "absent"


def test_small_words_prove_nothing() -> None:
    """Words like "and", "the" and "for" are on every page."""
    found = outcome(content_keywords, page("Furniture for the garden and you", "<h1>For you and the dog</h1>"))

    assert found.state == "absent"


def test_stop_words_are_those_of_the_language_of_the_page() -> None:
    """The German article is no keyword, the English verb is one."""
    german = outcome(content_keywords, page("Die Gartenbank", "<h1>Die Katze</h1>", lang="de"))
    english = outcome(content_keywords, page("Die Hard", "<h1>Die another day</h1>", lang="en"))

    assert (german.state, english.state) == ("absent", "in_headings")


@pytest.mark.parametrize(
    ("title", "body"),
    [("Running shoes", "<h1>A running shoe</h1>"), ("Balcony", "<h1>Balconies</h1>"), ("Gärten", "<h1>GÄRTEN!</h1>")],
)
def test_endings_and_case_do_not_matter(title: str, body: str) -> None:
    """Plurals and capitals are the same word."""
    assert outcome(content_keywords, page(title, body)).state == "in_headings"


def test_letters_inside_another_word_do_not_count() -> None:
    """A cat is no category."""
    assert outcome(content_keywords, page("Cat", "<h1>Category: education</h1>")).state == "absent"


@pytest.mark.parametrize("title", ["東京の庭園家具", "เฟอร์นิเจอร์สวน", "Sony 公式サイト"])
def test_scripts_without_spaces_are_not_evaluated(title: str) -> None:
    """Their words cannot be separated without a dictionary."""
    assert isinstance(run(content_keywords, page(title, "<h1>x</h1>")), NotApplicable)


@pytest.mark.parametrize(
    ("url", "title", "evaluated_there"),
    [
        ("https://acme.com/", "Acme", False),
        ("https://www.acme-chairs.com/?lang=en", "Acme Chairs – Welcome", False),
        ("https://acme.com/chairs", "Acme", True),
        ("https://acme.com/", "Acme garden chairs", True),
    ],
)
def test_a_home_page_may_be_titled_by_its_name_alone(url: str, title: str, evaluated_there: bool) -> None:  # noqa: FBT001
    """The name often stands in a logo; on other pages it says too little."""
    verdict = run(content_keywords, page(title, "<h1>Welcome</h1>"), url=url)

    assert isinstance(verdict, Outcome) is evaluated_there


def test_the_meta_element_for_keywords_plays_no_part() -> None:
    """Search engines ignore it."""
    html = page("Garden furniture", '<meta name="keywords" content="garden, furniture"><h1>Welcome</h1>')

    assert outcome(content_keywords, html).state == "absent"


@pytest.mark.parametrize("title", ["", "2026", "Of it"])
def test_without_significant_words_there_is_nothing_to_look_for(title: str) -> None:
    """A missing title is the matter of ``title``, which this check inherits from."""
    assert isinstance(run(content_keywords, page(title, "<h1>x</h1>")), NotApplicable)


def test_pages_that_scripts_fill_are_not_evaluated() -> None:
    """Their text is not in the HTML."""
    html = "<!doctype html><title>Garden</title><body><div id=root></div><script src=/a.js></script>"
    verdict = run(content_keywords, html)

    assert isinstance(verdict, NotRun)
    assert "Scripts render this page" in verdict.detail


def test_a_frameset_has_its_text_in_its_frames() -> None:
    """Nothing is said of text that is not looked at."""
    frames = "<!doctype html><html><head><title>Tea library</title></head><frameset><frame src=/a></frameset>"

    assert isinstance(run(content_keywords, frames), NotApplicable)


def test_hidden_headings_do_not_count() -> None:
    """They are not shown."""
    found = outcome(content_keywords, page("Garden furniture", "<h2 hidden>Garden</h2><p>x"))

    assert found.state == "absent"


def test_adding_the_word_never_costs_points() -> None:
    """First to the text, then to a heading."""
    bodies = ("<h1>Welcome</h1><p>x", "<h1>Welcome</h1><p>garden", "<h1>Garden</h1><p>garden")
    losses = [evaluated(content_keywords, page("Garden", body)).loss for body in bodies]

    assert losses == [1, 0.5, 0]


def test_each_word_is_shown_with_its_place() -> None:
    """The table of terms."""
    found = outcome(content_keywords, page("Teak garden furniture", "<h1>Garden</h1><p>of teak"))

    assert [(entry.value, entry.reason) for entry in found.evidence] == [
        ("teak", "word of the title in the text"),
        ("garden", "word of the title in a heading"),
        ("furniture", "word of the title that the page does not contain"),
    ]


@pytest.mark.parametrize(("title", "body"), [("کتابخانه علمی", "كتابخانه"), ("مكتبة المدينة", "مکتبه المدينه")])
def test_arabic_letters_that_stand_for_one_another_are_one(title: str, body: str) -> None:
    """Persian and Arabic keyboards write different letters for the same word."""
    assert outcome(content_keywords, page(title, f"<h1>{body}</h1>")).state == "in_headings"
