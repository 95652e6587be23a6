"""Records of pages: what a crawl keeps, and that the points of its findings add up."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from pagegrade.model.audit import MAX_LINKS, MAX_SIGNATURES, PANE, Link, PageRecord, Sheet
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


LEADS: Final = {
    "<a href=/f>x</a>": "a",
    "<a href=//example.com/f>x</a>": "a",
    "<a href=https://example.com/f>x</a>": "a",
    "<a href=../f>x</a>": "a",
    "<map name=m><area href=/f alt=x></map>": "a",
    "<svg><a href=/f><text>x</text></a></svg>": "a",
    "<base href=/g/><a href=../f>x</a>": "a",
    "<meta http-equiv=refresh content='0; url=/f'>": "refresh",
    "<meta http-equiv=refresh content='5;URL=\"/f\"'>": "refresh",
    "<iframe src=/f></iframe>": "frame",
    "<link rel=next href=/f>": "next",
    "<link rel=stylesheet href=/f>": "asset",
    "<style>@import '/f';</style>": "asset",
    "<style>body { background: url(/f) }</style>": "asset",
    "<script src=/f></script>": "asset",
    "<img src=/f alt=x>": "asset",
    "<img srcset='/f 2x' alt=x>": "asset",
    "<input type=image src=/f>": "asset",
    "<audio src=/f></audio>": "asset",
    "<video src=/f></video>": "asset",
    "<video poster=/f></video>": "asset",
    "<svg><image href=/f /></svg>": "asset",
    # Asking for these does something, or no browser of today does it for a visitor.
    "<form action=/f><button>x</button></form>": None,
    "<form method=post action=/f><button>x</button></form>": None,
    "<form><button formaction=/f>x</button></form>": None,
    "<a ping=/f href=#>x</a>": None,
    "<img lowsrc=/f dynsrc=/f longdesc=/f alt=x>": None,
    "<blockquote cite=/f>x</blockquote>": None,
    "<!--[if IE]><a href=/f>x</a><![endif]-->": None,
    "<p>https://example.com/f</p>": None,
    "<div onclick='location=\"/f\"'>x</div>": None,
    "<template><a href=/f>x</a></template>": None,
    "<meta http-equiv=refresh content='5'>": None,
    "<meta http-equiv=refresh content='soon; url=/f'>": None,
}
"""Markup that names ``/f`` -> the kind of link that it is."""


@pytest.mark.parametrize("markup", LEADS)
def test_each_way_to_name_an_address_is_known(markup: str) -> None:
    """As browsers follow them, with what crawlers of security tools are tried on."""
    in_head = markup.startswith(("<base", "<meta", "<link", "<style"))
    head, body = (markup, "") if in_head else ("", markup)
    if markup.startswith("<base"):
        head, body = markup.split(">", 1)[0] + ">", markup.split(">", 1)[1]
    record = read(
        f"<!doctype html><html lang=en><head><title>t</title>{head}</head><body><h1>h</h1>{body}</body></html>"
    )
    kinds = [link.kind for link in record.links if link.url == "https://example.com/f"]

    assert kinds == ([] if LEADS[markup] is None else [LEADS[markup]])


@pytest.mark.parametrize(
    ("name", "value", "kind"), [("Refresh", "0; url=/f", "refresh"), ("Content-Location", "/f", None)]
)
def test_headers_that_name_an_address_are_known(name: str, value: str, kind: str | None) -> None:
    """A browser goes where ``Refresh`` says."""
    record = read(PAGE.format("word"), headers=(*HEADERS, (name, value)))
    kinds = [link.kind for link in record.links if link.url == "https://example.com/f"]

    assert kinds == ([] if kind is None else [kind])


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


def test_a_tag_that_is_left_open_makes_no_other_look() -> None:
    """Browsers open it again in all that follows; a picture inside a link looks unlike one that stands by itself."""
    badge = "<p class=badge><img src=/x.png></p>"
    looks = [
        {found.signature for found in read(f"<title>x</title>{markup}").found if found.check == "image-alt"}
        for markup in (
            f"<a name=top></a>Text{badge}",
            f"<a name=top>Text{badge}",
            f"<font><b>Text{badge}",
            "<a name=top></a>Text<p class=badge><a href=/y><img src=/x.png></a></p>",
        )
    ]

    assert len(looks[0]) == 1
    assert looks[0] == looks[1] == looks[2]
    assert looks[0].isdisjoint(looks[3])


def test_sections_have_one_look_whatever_they_are_called() -> None:
    """The id of a heading names its section; that of what holds a heading tells places apart."""
    looks = [
        [found.signature for found in read(f"<title>x</title>{markup}").found if found.check == "h1"]
        for markup in (
            "<h1 id=overview>Overview</h1><h1 id=see_also>See also</h1>",
            "".join(f"<h1 id={name}>{name}</h1>" for name in "abcdefghijkl"),
            "<h1 id=a:b.c>One</h1><h1 id=other>Other</h1>",
            "<div id=logo><h1 id=overview>Overview</h1></div><div id=text><h1 id=other>Other</h1></div>",
            "<div id=logo><h1>Overview</h1></div><div id=text><h1>Other</h1></div>",
        )
    ]

    assert len(looks[0]) == 1
    assert looks[0] == looks[1] == looks[2] == looks[3]
    assert len(looks[4]) == 2


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


MENU: Final = "".join(f"<li><a href=/{name}.html {{}}>Chapter {name}</a></li>" for name in ("one", "two", "three"))


@pytest.mark.parametrize(
    ("body", "is_pane"),
    [
        (f"<ul>{MENU.replace('{}', 'target=content')}</ul>", True),
        (f"<base target=content><ul>{MENU.replace('{}', '')}</ul>", True),
        # Links of a page: in its own window, in a new one, or among words of its own.
        (f"<ul>{MENU.replace('{}', '')}</ul>", False),
        (f"<ul>{MENU.replace('{}', 'target=_blank')}</ul>", False),
        (f"<ul>{MENU.replace('{}', 'target=content')}</ul><p>{'Words of a page. ' * 20}</p>", False),
        (f"<ul>{MENU.replace('{}', 'target=content', 2)}</ul>".replace("{}", ""), False),
        # An old way to say "in a new window": only the frameset tells the difference.
        (f"<h1>Vogelseiten</h1><ul>{MENU.replace('{}', 'target=new')}</ul>", True),
        (f"<h1>Меню</h1><p>{MENU.replace('{}', 'target=blank').replace('.html', '.pdf')}</p>", True),
        (f"<h1>リンク集</h1><ul>{MENU.replace('{}', 'target=extern').replace('=/', '=//other.example/')}</ul>", True),
    ],
)
def test_links_for_one_other_frame_may_be_the_navigation_of_a_frameset(body: str, *, is_pane: bool) -> None:
    """The page is judged all the same: whether a frame shows it is known when the site has been read."""
    record = read(f"<!doctype html><title>Contents</title>{body}")

    assert (record.kind == PANE) == is_pane
    assert record.score is not None
    assert record.found
    assert len(record.links) == 3
