"""Constructs that take the rest of a page for their own text."""

from __future__ import annotations

import pytest
from turbohtml import Element

from pagegrade.parse.html.unclosed import MIN_LOST, MIN_TEXT, MIN_TEXTS, find_break, find_swallowing
from tests.builders import make_document

REST = "<p>कविता</p><footer>२०२६</footer></body></html>"


def swallowing(body: str) -> str | None:
    """The tag of what swallows the rest, or of what the comment that does so stands in."""
    document = make_document(f"<!doctype html><title>कविता</title><body><h1>कविता</h1>{body}")
    assert document.body is not None
    assert isinstance(document.body.node, Element)
    found = find_swallowing(document, document.body.node)
    return None if found is None else found.tag


@pytest.mark.parametrize("tag", ["textarea", "xmp", "style", "script", "title", "iframe", "noembed", "noframes"])
def test_element_without_an_end_is_found(tag: str) -> None:
    """Whatever it stands in; with an end it is not."""
    assert swallowing(f"<section><div><{tag}>{REST}") == tag
    assert swallowing(f"<section><div><{tag}></{tag}></div></section>{REST}") is None


def test_script_that_writes_the_end_of_a_page_has_an_end() -> None:
    """As one for a window of its own does."""
    assert swallowing("<script>w.document.write('<b>1</b></body></html>')</script></body></html>") is None


@pytest.mark.parametrize(("length", "tag"), [(MIN_LOST, "section"), (MIN_LOST - 1, None)])
def test_comment_without_an_end_is_found_if_it_is_long(length: int, tag: str | None) -> None:
    """A short one at the end of a page is a remark."""
    assert swallowing("<section><!--" + "क" * length) == tag
    assert swallowing("<section><!--" + "क" * length + "-->" + REST) is None


def breaks(source: str) -> str | None:
    """The tag of the element in which a document breaks off."""
    found = find_break(source.encode(), make_document(source))
    return None if found is None else found.tag


@pytest.mark.parametrize("end", ["ಮಳೆ ಬಂ", "ಮಳೆ <a hre", "ಮಳೆ <em>ಬಂ", "<p>ಮಳೆ</p>\n<di"])
def test_document_that_breaks_off_in_a_text_or_a_tag_has_no_end(end: str) -> None:
    """Elements that have to be closed are open around it; one is no more than forgotten."""
    assert breaks(f"<!doctype html><title>ಮಳೆ</title><main><section><h2>ಮಳೆ</h2><p>{end}") is not None
    assert breaks(f"<!doctype html><title>ಮಳೆ</title><p>{end}") is None


@pytest.mark.parametrize(
    "end", ["ಮಳೆ</section></main>", "ಮಳೆ", "ಮಳೆ</section></main></body></html>\n0.12 s", "ಮಳೆ<script>a()</script>"]
)
def test_document_without_optional_tags_has_an_end(end: str) -> None:
    """So has one with something behind its end, and one that a page of 16 bits holds."""
    before = "<!doctype html><title>ಮಳೆ</title><ul><li>" if end == "ಮಳೆ" else "<main><section><p>"

    assert breaks(before + end) is None
    whole = make_document("<main><section><p>ಮಳೆ")

    assert find_break("<main><section><p>ಮಳೆ".encode("utf-16"), whole) is None


LINES = (
    "વરસાદ પડે છે અને ખેડૂતો ખેતરમાં કામ કરે છે, કારણ કે પાક હવે તૈયાર થઈ ગયો છે અને બજાર નજીક છે અને રસ્તો પણ સારો છે",
    "В саду идёт дождь, и соседи собирают яблоки под деревьями, пока дети играют на крыльце большого старого дома",
    "تمطر السماء في الحديقة ويجمع الجيران التفاح تحت الأشجار بينما يلعب الأطفال أمام باب البيت القديم قرب النهر الكبير",
    "庭に雨が降り、隣の人たちは木の下でりんごを集め、子どもたちは古い家の玄関先で遊んでいる" * 3,
    "ზე წვიმს და მეზობლები ვაშლს კრეფენ ხეების ქვეშ, სანამ ბავშვები ძველი სახლის აივანზე თამაშობენ მთელი დღე",
)
ENDS = (".", ".", "؟", "。", "!")


@pytest.mark.parametrize(("line", "end"), [*zip(LINES, ENDS, strict=True)])
def test_text_that_stops_in_a_sentence_breaks_off(line: str, end: str) -> None:
    """In one open element, where all other paragraphs end in punctuation and it is more than a line."""
    whole = f"<p>{line}{end}</p>" * MIN_TEXTS

    assert len(line) >= MIN_TEXT
    assert breaks(f"<main>{whole}<p>{line}") == "main"
    assert breaks(f"<main>{whole}<p>{line}{end}") is None
    assert breaks(f"<main>{whole}<p>{line}</p></main>") is None
    assert breaks(f"{whole}<p>{line}") is None
    assert breaks(f"<main>{whole}<p>{line[:20]}") is None
    assert breaks(f"<main>{whole}<p>{line}</p><p>{line}") is None
    assert breaks(f"<main><p>{line}{end}</p><p>{line}{end}</p><p>{line}") is None


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ("<a href=#ಒಂದು>1</a><a href=#b>2</a>", "main"),
        ("<a href=#%E0%B2%92%E0%B2%82%E0%B2%A6%E0%B3%81>1</a><a href=#b>2</a>", "main"),
        ("<a href=#a>1</a><a href=#here>2</a><a href=#named>3</a><a name=named></a>", None),
        ("<a href=#>1</a><a href=#top>2</a><a href=#a>3</a>", None),
        ("<a href=#a hidden>1</a><a href=#b>2</a>", None),
    ],
)
def test_text_without_the_places_that_it_leads_to_breaks_off(places: str, found: str | None) -> None:
    """One may be a mistake, and the top of a page is always there."""
    assert breaks(f"<main>{places}<h2 id=here>ಮಳೆ</h2><p>ಮಳೆ ಬಂ") == found
    assert breaks(f"{places}<h2 id=here>ಮಳೆ</h2><p>ಮಳೆ ಬಂ") is None
