"""The traps of ``link-text``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import evaluated, outcome, run


def found(body: str, *, lang: str = "en") -> Outcome:
    """The finding of the check for a page in that language."""
    return outcome("link-text", f'<!doctype html><html lang="{lang}"><title>T</title>{body}<a href="/z">Red shoes</a>')


@pytest.mark.parametrize(
    "text", ["here", "View", "Click Here!", "Read more »", "…more", "<b>Learn</b> more", "this page"]
)
def test_phrases_that_say_nothing(text: str) -> None:
    """Case, symbols and markup do not hide them."""
    assert found(f'<a href="/a">{text}</a>').value == 1


@pytest.mark.parametrize(
    "html",
    [
        '<ul><li>Kettle 1 <a href="/1">View</a></ul>',
        '<p>The library opens in May. <a href="/may">View</a>',
        '<table><tr><td>£5 <a href="/5">View</a></table>',
        '<p>紅茶 <a href="/tea">View</a>',
    ],
)
def test_button_to_view_something_says_nothing(html: str) -> None:
    """The name of its target stands before it; behind an article it is a thing of a database."""
    assert found(html).value == 1


@pytest.mark.parametrize("url", ["https://example.org/shoes?a=1", "http://example.org", "https://example.org/"])
def test_bare_address_says_nothing(url: str) -> None:
    """Listeners hear it letter by letter; a part of it that reads well is fine."""
    assert found(f'<a href="{url}">{url}</a>').value == 1
    assert found(f'<a href="{url}">example.org</a>').state == "descriptive"


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/a" aria-label="Read more about chairs">Read more</a>',
        '<a href="/a">Read more <span class="sr-only">about chairs</span></a>',
        '<a href="/a">Go</a>',
        '<p>A <a href="/views">VIEW</a> may refer to tables that do not exist yet.</p>',
        '<p>The trigger changes the <a href="/views">view</a>.</p>',
        '<a href="/a" rel="nofollow">here</a>',
        '<a href="#a">here</a>',
        '<a href="">here</a>',
        '<a href="mailto:a@example.com">here</a>',
        '<a href="javascript:void(0)">more</a>',
        "<a>here</a>",
        '<a href="/a" hidden>here</a>',
        '<a href="/a"><img src="/a.png" alt="Chairs"></a>',
        '<a href="/a">Hier</a>',
        '<a href="/a">Here be dragons</a>',
    ],
)
def test_links_that_are_fine(link: str) -> None:
    """A label or hidden words complete the phrase; jumps, buttons, other languages and plain words are left out."""
    assert found(link).state == "descriptive"


def test_language_decides() -> None:
    """The page's language or the link's own; regions do not matter, and a language without a list has no phrases."""
    assert found('<a href="/a">Weiterlesen</a>', lang="de-AT").value == 1
    assert found('<a href="/a">続きを読む</a>', lang="ja").value == 1
    assert found('<a href="/a" lang="de">hier</a>').value == 1
    assert found('<a href="/a">here</a>', lang="sw").value == 0


@pytest.mark.parametrize(
    ("around", "state"),
    [("<p lang=de>{}</p>", "generic"), ("<div lang=fr><p lang=de>{}", "generic"), ("<p>{}", "descriptive")],
)
def test_language_is_inherited(around: str, state: str) -> None:
    """A German paragraph on an English page, whose link has no language of its own."""
    page = f"<html lang=en>{around.format('<a href=/x>weiterlesen</a>')}"

    assert outcome("link-text", page).state == state


def test_without_a_language_all_phrases_count() -> None:
    """A page that names no language is evaluated by every list."""
    assert found('<a href="/a">mehr</a><a href="/b">read more</a>', lang="").value == 2


def test_each_one_counts() -> None:
    """One costs half, twenty everything."""
    pages = ["".join(f'<a href="/{n}">here</a>' for n in range(count)) for count in (1, 20)]

    assert [evaluated("link-text", f'<html lang="en"><title>T</title>{page}').loss for page in pages] == [0.5, 1.0]


def test_without_links_there_is_nothing_to_evaluate() -> None:
    """Nor with links that have no text at all."""
    assert isinstance(run("link-text", '<title>T</title><a href="/a"></a>'), NotApplicable)


@pytest.mark.parametrize("text", ["\u2192", "...", "\u00bb", "\u203a\u203a", "+", "\u25ba", "[?]"])
def test_text_of_signs_only_says_nothing(text: str) -> None:
    """Signs and punctuation are read aloud as such, or not at all."""
    assert outcome("link-text", f"<a href=/a>{text}</a>").state == "generic"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/a>\u2192 Prices</a>",
        "<a href=/a aria-label=Next>\u2192</a>",
        "<a href=/a>2</a>",
        "<a href=/a>\U0001f6d2</a>",
    ],
)
def test_sign_beside_a_word_and_a_named_picture_are_fine(html: str) -> None:
    """Words, numbers, labels and emoji are read."""
    assert outcome("link-text", html).state == "descriptive"


@pytest.mark.parametrize(
    ("around", "state"),
    [
        ("<cite>{}</cite>", "descriptive"),
        ("<ol class='references small'><li>Doe, A book. {}</ol>", "descriptive"),
        ("<section role=doc-bibliography><p>{}</section>", "descriptive"),
        ("<p class=intro>{}</p>", "generic"),
    ],
)
def test_url_as_text_is_fine_in_a_citation(around: str, state: str) -> None:
    """Sources are given by their URL."""
    link = "<a href=https://x.example/a>https://x.example/a</a>"

    assert outcome("link-text", around.format(link)).state == state


@pytest.mark.parametrize(
    ("text", "lang", "state"),
    [
        ("ទីនេះ", "km", None),
        ("→", "km", "generic"),
        ("اضغط هنا", "ar", "generic"),
        ("المضخات", "ar", "descriptive"),
        ("Plus", "fr", "generic"),
        ("Plus", "de", "descriptive"),
    ],
)
def test_languages_without_a_list_are_not_said_to_pass(text: str, lang: str, state: str | None) -> None:
    """Nobody knows there which words say nothing; signs say nothing in any language."""
    page = f'<!doctype html><html lang="{lang}"><title>T</title><a href="/a">{text}</a>'
    verdict = run("link-text", page)

    assert (verdict.state if isinstance(verdict, Outcome) else None) == state


@pytest.mark.parametrize(
    ("body", "lang", "state"),
    [
        ("<p>للتسجيل اضغط <a href=/a>هنا</a>.", "ar", "generic"),
        ("<p>להרשמה לחצו <a href=/a>כאן</a>.", "he", "generic"),
        ("<p>اسمها <span lang=ar>سجل <a href=/a>هنا</a></span>.", "en", "generic"),
        ("<p><a href=/a>هنا</a> <a href=/b>ليلى</a>", "ar", "descriptive"),
        ("<p><a href=/b>ليلى</a>، <a href=/a>هنا</a>", "ar", "descriptive"),
        ("<ul><li><a href=/a>كلمة</a><li><a href=/b>هنا</a></ul>", "ar", "descriptive"),
        ("<p><a href=https://kan.example/>כאן</a> <a href=/x>ערוץ אחר</a>", "he", "descriptive"),
        ("<p>A list: <a href=/w>هنا</a>", "", "descriptive"),
        ("<p>Tags: <a href=/t>#info</a> <a href=/u>#gardening</a>", "en", "descriptive"),
    ],
)
def test_names_that_are_written_like_a_word_that_says_nothing(body: str, lang: str, state: str) -> None:
    """A girl, a broadcaster and a tag; the same word behind others leads to nobody."""
    assert outcome("link-text", f'<!doctype html><html lang="{lang}"><title>T</title>{body}').state == state
