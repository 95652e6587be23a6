"""Headings whose texts are missing are found; headings that are all there is to say are not."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.empty_sections import (
    MAX_BESIDE,
    MAX_SECTIONS,
    MAX_STEPS,
    MIN_EMPTY_SECTIONS,
    find_empty_sections,
    names_of_places,
)
from tests.builders import make_document

NAMES = {
    "de": ["Ihre Aufgaben", "Ihr Profil", "Das bieten wir", "Über uns", "Bewerbung"],
    "ja": ["仕事内容", "応募資格", "待遇", "会社概要", "応募方法"],
    "ar": ["المهام", "المؤهلات", "ما نقدمه", "من نحن", "التقديم"],
    "ru": ["Обязанности", "Требования", "Условия", "О нас", "Отклик"],
    "th": ["หน้าที่", "คุณสมบัติ", "สวัสดิการ", "เกี่ยวกับเรา", "วิธีสมัคร"],
    "el": ["Καθήκοντα", "Προσόντα", "Παροχές", "Εμείς", "Αίτηση"],
}
EMPTY = {
    "place with a name": '<section id="{n}"><h2>{name}</h2><div class="job__text"></div></section>',
    "list": '<div><h3>{name}</h3><ul class="copy"><li></li><li></li></ul></div>',
    "terms": "<h3>{name}</h3><dl><dt></dt><dd class=description></dd></dl>",
    "nested": '<div><div><h2>{name}</h2></div><div class="b"><div class="wide rich-text"><p></p></div></div></div>',
}
TEXT = "<p>The joiners plane each board by hand.</p>"


def number_of(main: str) -> int:
    """Empty sections of a page."""
    html = (
        f"<title>x</title><nav><h2>Menu</h2><ul></ul></nav><main><h1>Name</h1>{main}</main><footer><p>Us</p></footer>"
    )
    return len(find_empty_sections(make_document(html)))


def sections(form: str, names: list[str]) -> str:
    """One section for each name."""
    return "".join(form.format(n=n, name=name) for n, name in enumerate(names))


@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize("form", EMPTY)
def test_sections_whose_text_is_missing(language: str, form: str) -> None:
    """In any language, by the elements that were made for the text."""
    names = NAMES[language]

    assert number_of(sections(EMPTY[form], names)) == len(names)
    assert number_of(sections(EMPTY[form], names) + "<h2>1</h2>" + TEXT) == len(names)


@pytest.mark.parametrize(
    ("empty", "full", "found"),
    [
        (MIN_EMPTY_SECTIONS, 2, MIN_EMPTY_SECTIONS),
        (MIN_EMPTY_SECTIONS - 1, 0, 0),
        (MIN_EMPTY_SECTIONS, 3, 0),
        (6, 3, 6),
        (6, 4, 0),
    ],
)
def test_how_many_there_have_to_be(empty: int, full: int, found: int) -> None:
    """At the limits and one past them."""
    names = [f"Part {n}" for n in range(empty)]

    assert number_of(sections(EMPTY["list"], names) + f"<h2>Full</h2>{TEXT}" * full) == found


def test_a_heading_above_others_is_no_section_of_its_own() -> None:
    """The text below them stands below it."""
    parts = "".join(f"<h2>Chapter</h2><h3>{name}</h3><div class=text></div>" for name in NAMES["de"])

    assert number_of(parts) == len(NAMES["de"])


@pytest.mark.parametrize(("steps", "found"), [(MAX_STEPS // 2 - 2, 4), (MAX_STEPS // 2, 0)])
def test_only_so_much_behind_a_heading_is_looked_at(steps: int, found: int) -> None:
    """A heading with more behind it is not known to have none."""
    form = "<h2>{name}</h2>" + "<div></div><br>" * steps + "<div class=text></div>"

    assert number_of(sections(form, ["a", "b", "c", "d"]) + f"<h2>e</h2>{TEXT}") == found


def test_only_so_many_headings_are_looked_at() -> None:
    """At the limit; the name of the page and the menu's are two of them."""
    names = [str(n) for n in range(MAX_SECTIONS + 5)]

    assert number_of(sections(EMPTY["list"], names)) == MAX_SECTIONS - 2


@pytest.mark.parametrize(("words", "found"), [(MAX_BESIDE - 1, 5), (MAX_BESIDE, 0)])
@pytest.mark.parametrize("language", NAMES)
def test_how_much_may_stand_beside_them(language: str, words: int, found: int) -> None:
    """At the limit and one past it, with the name of the page: below a text, parts need no description."""
    beside = f"<p>{'слово ' * words}</p>"

    assert number_of(beside + sections(EMPTY["list"], NAMES[language])) == found


ORDINARY = {
    "cards with a title alone": "<div class=card><div class=card-text><h3>{name}</h3></div></div>",
    "blocks": "<section class=text><div class=text><h2>{name}</h2></div></section>",
    "entries": "<article class=entry><div class=text><h2 class=entry-title>{name}</h2></div></article>",
    "terms alone": "<dl><dt class=text><h3>{name}</h3></dt></dl>",
    "lines of a poster": "<h2>{name}</h2><p>&nbsp;</p>",
    "lines of a poster with breaks": "<h2>{name}</h2><p class=text><br></p>",
    "lists that a script finds by their class": "<h2>{name}</h2><ul class=events-{n}></ul>",
    "places that it finds by their class": "<h2>{name}</h2><div class='part-{n} text'></div>",
    "places in one that it finds": "<h2>{name}</h2><div id=p{n}><div class=text></div></div>",
    "lists that a script fills": "<h2>{name}</h2><ul></ul>",
    "tiles that it fills": "<div class=card><h3>{name}</h3><div class=card-body></div></div>",
    "a place that says how": "<h2>{name}</h2><div class='text-center text-dark'>&nbsp;</div>",
    "tiles of links": "<div class=card><h3><a href=/{n}>{name}</a></h3><p></p></div>",
    "tile in a link": "<a href=/{n} class=card><h3>{name}</h3><div class=text></div></a>",
    "tiles with a ground of their own": "<div class=tile style='background:url(/{n}.jpg)'><h3>{name}</h3></div>",
    "tiles with a line": "<div class=tile><h3>{name}</h3><div class=divider></div></div>",
    "a picture each": "<h3>{name}</h3><p></p><img src=/{n}.jpg alt=x>",
    "answers in details": "<details><summary><h3>{name}</h3></summary><p>x</p></details>",
    "an accordion that a script fills": "<h3>{name}</h3><div class=text data-src=/{n}></div>",
    "a panel with an id": "<h3>{name}</h3><div class=text id=p{n}></div>",
    "tabs": "<h3 role=tab>{name}</h3><div class=text></div>",
    "buttons": "<h3><button aria-expanded=false>{name}</button></h3><div class=text></div>",
    "forms": "<h3>{name}</h3><p></p><form><input name=q></form>",
    "frames": "<h3>{name}</h3><p></p><iframe src=/map></iframe>",
    "elements of the site's own": "<h3>{name}</h3><div class=text></div><x-chart></x-chart>",
    "a time line": "<div class=event><h3>{name}</h3><span class=dot></span></div>",
    "events by date": "<h3>{name}</h3><ul><li>Concert</li></ul>",
    "glossary": "<h3>{name}</h3><dl><dt>a</dt><dd>b</dd></dl>",
    "changes": "<h3>{name}</h3><p>None.</p>",
    "items of a list": "<ul><li><h3>{name}</h3><p></p></li></ul>",
    "headings one below the other": "<h2>{name}</h2>",
    "a chart": "<h3>{name}</h3><div class=text><canvas></canvas></div>",
    "empty before the text": "<h3>{name}</h3><p></p><div class=text>x</div>",
    "prices": "<h3>{name} 3{n},50</h3><div class=text></div>",
    "times": "<h3>{name} 1{n}:30</h3><div class=text></div>",
    "a picture behind the place": "<h3>{name}</h3><div class=text style='background-image:url(/{n}.jpg)'></div>",
    "a picture behind both": "<div style='background-image:url(/{n}.jpg)'><h3>{name}</h3><div class=text></div></div>",
    "a table of pictures": "<h3>{name}</h3><table><tr><td><svg></svg></td></tr></table>",
}


@pytest.mark.parametrize("form", ORDINARY)
def test_ordinary_headings(form: str) -> None:
    """No text belongs below them, or a script brings it, or they say all there is to say."""
    for names in NAMES.values():
        assert number_of(sections(ORDINARY[form], names)) == 0


def test_names_of_the_places_below_headings() -> None:
    """Of empty elements for a text alone."""
    page = (
        "<h2>Επαφή</h2> <div class='col jobad__text'> </div><h3>文</h3><p class=lead-text>x</p><h3>ع</h3>"
        "<div class=box></div><h4>ה</h4><section class=event__desc></section>"
    )
    document = make_document(page)

    assert names_of_places(document.body.node) == ("col", "jobad__text", "event__desc")  # type: ignore[union-attr, arg-type]


@pytest.mark.parametrize(
    ("said", "number"),
    [((), 4), (("place-text",), 0), (None, 0)],
)
def test_scripts_that_know_the_places(said: tuple[str, ...] | None, number: int) -> None:
    """A file that was read and has no such name in it fills none of them, unless it was not asked for that name."""
    for names in NAMES.values():
        parts = sections("<h2>{name}</h2><div class=place-text></div>", names[:4])
        document = make_document(f"{parts}<script src=/app.js></script>")

        assert len(find_empty_sections(document, {"https://example.com/app.js": said})) == number


def test_script_that_was_not_asked_for_the_places() -> None:
    """They do not stand directly below the headings."""
    parts = sections("<div><h2>{name}</h2></div><div class=place-text></div>", NAMES["th"])

    assert len(find_empty_sections(make_document(parts))) == len(NAMES["th"])
    assert not find_empty_sections(
        make_document(f"{parts}<script src=/a.js></script>"), {"https://example.com/a.js": ()}
    )
