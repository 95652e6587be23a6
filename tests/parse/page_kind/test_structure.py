"""Facts about a page that need no language, each with what looks like it and is not."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.page_kind.structure import Structure
from tests.builders import make_document, make_response
from tests.linear import MAX_RATIO, growth

URL = "https://www.kestrelford.example/shows/river?part=2"


def structure(body: str, *, head: str = "", url: str = URL) -> Structure:
    """The structure of a page that answers where it was asked for."""
    html = f"<!doctype html><html><head><title>x</title>{head}</head><body>{body}</body></html>"
    navigation = Navigation(requested_url=url, response=make_response(html, url=url))
    return Structure(document=make_document(html, url=url), navigation=navigation)


@pytest.mark.parametrize(
    ("text", "prints"),
    [
        ("203.0.113.9", True),
        ("IP: ۲۰۳.۰.۱۱۳.۹", True),
        ("aa-bb-cc-00-11-22", True),
        ("2001:db8:0:1:2:3:4:5", True),
        ("2.1.0.3 203.0.113.9", True),
        ("9.9.9.100", True),
        ("99.99.99.99", False),
        ("Version 2.1.0.3", False),
        ("8.8.8.8", False),
        ("127.0.0.1", False),
        ("999.1.2.3", False),
        ("version 10.1.2.3.4", False),
        ("12:04:33", False),
        ("1.2.3", False),
    ],
)
def test_network_addresses_are_distinguished_from_numbers(text: str, *, prints: bool) -> None:
    """Versions, times and name servers for all are none."""
    assert structure(f"<p>{text}</p>").prints_address is prints


@pytest.mark.parametrize(
    ("text", "prints"),
    [
        ("7f31-aa20-1c9e", True),
        ("8f1c02ab77e2", True),
        ("1182930475561928374", True),
        ("+44 1632 960456", False),
        ("978-3-16-148410-0", False),
        ("2026-11-26", False),
        ("defaced facade", False),
        ("#c0ffee", False),
    ],
)
def test_numbers_of_incidents_are_distinguished_from_others(text: str, *, prints: bool) -> None:
    """Telephone numbers, ISBNs, dates and words are none."""
    assert structure(f"<p>{text}</p>").prints_number is prints


@pytest.mark.parametrize(
    ("body", "onward"),
    [
        ("<a href=/>a</a><a href=/shows/river>b</a><a href=#x>c</a><a href=https://other.example/>d</a>", 0),
        ("<a href=/a>a</a><a href=/a#b>b</a><a href=/b?c=1>c</a>", 2),
        ("<a href=//static.kestrelford.example/a>a</a>", 1),
    ],
)
def test_onward_counts_other_pages_of_the_site(body: str, onward: int) -> None:
    """The front page and the page itself lead nowhere new."""
    assert structure(body).onward == onward


@pytest.mark.parametrize(
    ("body", "itself"),
    [
        ("<a href=/shows/river?go=1>a</a>", True),
        ("<a href='javascript:history.back()'>a</a>", True),
        ("<a href=#>a</a><a href='mailto:a@b.example'>b</a>", True),
        ("<a href=#top>a</a>", False),
        ("<a href=/shows>a</a>", False),
        ("", False),
    ],
)
def test_links_to_the_page_itself(body: str, *, itself: bool) -> None:
    """Reloading and going back are no ways on."""
    assert structure(body).leads_to_itself is itself


@pytest.mark.parametrize(
    ("body", "foreign"),
    [
        ("<a href=https://host.example/a>a</a><form action=https://my.host.example/b></form>", True),
        ("<a href=https://host.example/a>a</a><a href=/>b</a>", True),
        ("<a href=https://host.example/a>a</a><a href=https://other.example/>b</a>", False),
        ("<a href=https://host.example/a>a</a><a href=/b>b</a>", False),
        ("<a href=https://host.example/a>a</a><img src=/own.png alt=x>", False),
    ],
)
def test_pages_of_another_site(body: str, *, foreign: bool) -> None:
    """Links to several sites are those of a person; own files are those of an own page."""
    assert structure(body).is_of_another_site is foreign


@pytest.mark.parametrize(
    ("body", "points"),
    [
        ("<form method=post><button>1</button><button>2</button></form>", 5),
        ("<form method=post><select></select><select></select><select></select><button>1</button></form>", 7),
        ("<button>1</button>", 1),
        ("<form method=post><input name=q><button>1</button></form>", 0),
        ("<div role=dialog><button>1</button></div><p>" + "a text of its own " * 9, 0),
        ("<button>1</button>" * 9, 0),
    ],
)
def test_choices_are_distinguished_from_forms_and_tools(body: str, points: int) -> None:
    """Fields for text, many buttons and text beside a dialog belong to a page."""
    assert structure(body).choice == points


COUNT = "document.querySelector('span').textContent = ++n"
PASS = "document.cookie = 'ok=1'; document.body.innerHTML = ''; location.reload()"


@pytest.mark.parametrize(
    ("body", "works"),
    [
        (f"<p>Count: <span>3</span></p><button>Add</button><script>{COUNT}</script>", True),
        ("<h1>7</h1><button>+</button><button>-</button>", True),
        ("<output>7</output><button>+</button><script src=/a.js></script>", True),
        ("<p>00:00</p><button>시작</button><script src=/a.js></script>", True),
        ("<p>०</p><button>जोड़ें</button>", True),
        (f"<p>We use cookies</p><button>OK</button><button>No</button><script>{PASS}</script>", False),
        ("<h1>403</h1><button>Back</button>", False),
        ("<p>Are you over 18?</p><button>Yes</button><button>No</button>", False),
        ("<p>About 20 or 10.0 of us</p><button>Yes</button>", False),
        (f"<p>Count</p><script>{COUNT}</script>", False),
    ],
)
def test_a_tool_shows_what_its_buttons_do(body: str, *, works: bool) -> None:
    """A gate remembers an answer or leads away."""
    assert structure(body).works is works


SHOP = "<h1>{0}</h1><p>{1}</p><form method=post action={2}><button>{3}</button></form>"


@pytest.mark.parametrize(
    ("body", "offers"),
    [
        (SHOP.format("Oak stool", "Oiled by hand, 180 euros.", "/buy", "Buy"), True),
        (SHOP.format("Oak stool", "Oiled by hand, $180.", "/buy", "Buy"), True),
        (SHOP.format("Μέλι", "Βάζο 500 γραμμαρίων, 9 ευρώ.", "/agora", "Αγορά"), True),
        (SHOP.format("수제 비누", "올리브 비누 한 개, 5000원.", "/buy", "구매"), True),
        (SHOP.format("茶", "100グラム、1200円。", "/buy", "購入"), True),
        (SHOP.format("Мёд", "Банка 500 г, 900 ₽.", "/buy", "Купить"), True),
        (SHOP.format("साबुन", "एक साबुन, ₹120।", "/buy", "खरीदें"), True),
        (SHOP.format("صابون", "قطعة واحدة 12 درهم", "/buy", "شراء"), True),
        (SHOP.format("Read on", "3.99 € / month without ads.", "/pay", "Subscribe"), False),
        (SHOP.format("Read on", "€3.99/month without ads.", "/pay", "Subscribe"), False),
        (SHOP.format("Age", "You must be 18.", "/age", "Enter"), False),
        (SHOP.format("Domain", "This name costs 900 euros.", "https://broker.example/buy", "Buy"), False),
    ],
)
def test_an_offer_has_a_price_and_one_form_of_its_own_site(body: str, *, offers: bool) -> None:
    """Subscriptions of walls, questions for the age and names for sale are none."""
    assert structure(body).offers is offers


def test_a_card_has_links_to_call_and_to_write() -> None:
    """A notice names one of them at most."""
    assert structure("<a href=tel:+351220000>Call</a><a href=mailto:a@b.example>Write</a>").is_contact
    assert not structure("<a href=mailto:a@b.example>Write</a>").is_contact


@pytest.mark.parametrize(
    "piece", ["<a href='/a?b=/c'>x</a>", "1.2.3.4.", "aa:bb:", "<div class='gate x'>y</div>", "7f31-"]
)
def test_facts_take_linear_time(piece: str) -> None:
    """Whatever a page repeats."""

    def read(size: int) -> None:
        page = structure(piece * size)
        assert isinstance(
            (page.bareness, page.prints_address, page.prints_number, page.is_marked, page.way_back), tuple
        )

    assert growth(read, 500) <= MAX_RATIO
