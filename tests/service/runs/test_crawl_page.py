"""Records of pages: what a crawl keeps, and that the points of its findings add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.model.audit import MAX_LINKS, MAX_SIGNATURES, Link, PageRecord, Sheet
from pagegrade.parse.cascade.rules import reduce_stylesheet
from pagegrade.service.audits.style_sheets import StyleSheets
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.crawl_page import read_crawl_page

URL = "https://example.com/a/page"
SHEET = "https://example.com/site.css"
HIDES = reduce_stylesheet(".toggle { display: none }", base_url=SHEET)
FILE = "https://example.com/picture.png"
HEADERS = (("Content-Type", "text/html; charset=utf-8"), ("Server", "nginx"), ("X-Robots-Tag", "nofollow"))
PAGE = (
    "<!doctype html><html lang=en><head><title> A  title </title><meta name=description content='About it.'>"
    "<link rel=canonical href=/a/page?utm_source=x><link rel=alternate hreflang=de href=/de/page>"
    "<link rel=next href=/a/page-2><meta name=robots content=noindex></head><body><header><nav>"
    "<a href=/ rel=nofollow>Home</a></nav></header><main><h1>A heading</h1><p>{}</p><a href=/b#part>Read on</a>"
    "<a href='mailto:a@example.com'>Mail</a></main><footer><a href=https://elsewhere.example/>Elsewhere</a></footer>"
)


def read(body: str, *, status: int = 200, headers: tuple[tuple[str, str], ...] = HEADERS) -> PageRecord:
    """The record of a page that was fetched."""
    artifacts = artifacts_of_document(body.encode(), url=URL, status=status, headers=headers)
    return read_crawl_page(artifacts, (), evaluates=True)


def test_a_record_has_what_the_page_says_of_itself() -> None:
    """White space is collapsed, addresses are those by which the crawl knows them."""
    record = read(PAGE.format("word " * 60))

    assert (record.title, record.h1, record.description) == ("A title", "A heading", "About it.")
    assert (record.noindex, record.nofollow, record.lang) == (True, True, "en")
    assert (record.canonical, record.next, record.prev) == (URL, "https://example.com/a/page-2", "")
    assert record.headers == {"server": "nginx"}
    assert record.words == 64
    assert record.digest
    assert record.simhash
    assert len(record.template) == 16


def test_links_have_their_place_and_text() -> None:
    """Those of the head first; other schemes are no links to pages."""
    assert read(PAGE.format("word")).links == (
        Link(URL, "canonical"),
        Link("https://example.com/de/page", "hreflang", hreflang="de"),
        Link("https://example.com/a/page-2", "next"),
        Link("https://example.com/", "a", "nav", nofollow=True, anchor="Home"),
        Link("https://example.com/b", "a", "main", anchor="Read on"),
        Link("https://elsewhere.example/", "a", "footer", anchor="Elsewhere"),
    )


def test_the_points_of_the_findings_are_those_that_the_page_lost() -> None:
    """Budgets of categories and the cap of a noindex included."""
    for body in (PAGE.format("word " * 300), "<title>x</title><img src=a.png><img src=b.png><p>text"):
        record = read(body)

        assert record.score is not None
        assert sum(one.lost for one in record.found) == pytest.approx(100 - record.score, abs=0.51)
        assert all(one.total >= 1 for one in record.found)


@pytest.mark.parametrize(
    ("sheet", "is_found", "is_unread"),
    [
        (None, False, True),
        (Sheet(SHEET, 200, "text/css", ()), True, False),
        (Sheet(SHEET, 200, "text/css", HIDES), False, False),
        (Sheet(SHEET, 200, "text/css", None), False, True),
        (Sheet(SHEET, 404, "text/html"), True, False),
        (Sheet(SHEET, None), False, True),
    ],
    ids=["not read", "hides nothing", "hides it", "too large", "lost", "no answer"],
)
def test_a_field_is_claimed_where_it_is_known_to_be_seen(
    sheet: Sheet | None, *, is_found: bool, is_unread: bool
) -> None:
    """A style sheet decides; one that nobody gets hides nothing, one that was not read may."""
    page = f"<!doctype html><html lang=en><title>A form</title>{{}}<main><input class=toggle></main><img src={FILE}>"
    artifacts = artifacts_of_document(
        page.format(f"<link rel=stylesheet href={SHEET}>").encode(), url=URL, status=200, headers=HEADERS
    )
    known = StyleSheets(() if sheet is None else (sheet,)).resources()
    record = read_crawl_page(replace(artifacts, resources=known), (), evaluates=True)

    assert ("form-label" in {found.check for found in record.found}) is is_found
    assert record.unread_sheets == ((SHEET,) if is_unread else ())
    assert Link(SHEET, "asset", anchor="stylesheet") in record.links
    assert Link(FILE, "asset", anchor="image") in record.links


def test_places_that_look_the_same_are_one_signature() -> None:
    """On any page, wherever they stand; another look is another one."""
    pictures = "".join(f"<div id=item-{number}><img class=logo src=/{number}.png></div>" for number in range(5))
    one = read(f"<title>One</title><main>{pictures}</main>")
    other = read("<title>Two</title><main><p>More</p><div id=item-77><img class=logo src=/x.png></div></main>")
    third = read("<title>Three</title><main><figure><img src=/x.png></figure></main>")
    looks = [
        {found.signature for found in record.found if found.check == "image-alt"} for record in (one, other, third)
    ]

    assert len(looks[0]) == 1
    assert looks[0] == looks[1]
    assert looks[0].isdisjoint(looks[2])


def test_what_a_page_may_cost_is_bounded() -> None:
    """Links, looks, examples and addresses."""
    links = "".join(f"<a href=/{number}>{number}</a>" for number in range(MAX_LINKS + 100))
    looks = "".join(f"<{tag}><img src=/{tag}.png></{tag}>" for tag in "abcdefghijklmnop")
    record = read(f"<title>x</title><a href=/{'a' * 9_000}>long</a>{looks}{links}")
    of_check = [found for found in record.found if found.check == "image-alt"]

    assert len(record.links) == MAX_LINKS
    assert record.links_cut
    assert max(len(link.url) for link in record.links) <= 2_100
    assert len(of_check) == MAX_SIGNATURES
    assert sum(found.total for found in of_check) == 16


def test_an_answer_that_is_not_the_page_says_so() -> None:
    """A challenge has no score, and nothing of it is taken for the page."""
    record = read("<title>Just a moment</title>", status=403, headers=(*HEADERS, ("cf-mitigated", "challenge")))

    assert record.refusal
    assert (record.score, record.links, record.found) == (None, (), ())
