"""Sample data in place of the owner's, and real data, in several scripts."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.sample_contact import MAX_BESIDE, MIN_KINDS, MIN_RUN, find_sample_contact
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

PAGE = "<h1>{name}</h1><p>{name}</p><address>{name}<br>{place}<br>{phone}<br><a href=mailto:{mail}>{mail}</a></address>"
SAMPLE = {"name": "Max Mustermann", "place": "12345 Ort", "phone": "0123 456789", "mail": "info@ihre-domain.de"}


def kinds(**changes: str) -> int:
    """Number of kinds in a page."""
    return len(find_sample_contact(make_document(PAGE.format(**(SAMPLE | changes)))))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"name": "山田太郎", "mail": "info@example.co.jp"},
        {"name": "Іван Іваненко", "phone": "+38 000 000000"},
        {"name": "홍길동", "place": "00000", "mail": "info@yourcompany.kr"},
        {"name": "Ćwierć i Spółka", "mail": "biuro@twoja-domena.pl"},
        {"name": "مخبز النخيل", "place": "سجل 00000", "mail": "info@domain.tld"},
        {"mail": "info@musterfirma.example", "place": "DE000000000"},
    ],
)
def test_sample_data_in_place_of_an_owner(changes: dict[str, str]) -> None:
    """Three kinds of four, by their structure."""
    assert kinds(**changes) >= MIN_KINDS


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Пекарня", "place": "01001 Київ"},
        {"name": "Foundry", "place": "Schenectady"},
        {"phone": "01632 960417", "place": "Ort"},
        {"mail": "info@pekarnia.example"},
        {"mail": "info@example.com"},
        {"phone": "(555) 123-4567", "place": "Ort"},
        {"mail": "kancelaria@kowalski.example", "name": "Jan Kowalski", "place": "KRS 12345"},
        {"name": "Dach", "phone": "+49 30 901820", "place": "10178 Berlin"},
        {"name": "Dach", "mail": "info@yourdomain.de", "phone": "030 901820"},
        {"name": "Dach", "place": "Nr. 12345-B", "phone": "1.234.567"},
    ],
)
def test_data_of_an_owner(changes: dict[str, str]) -> None:
    """One or two kinds happen; a mail address of the site's own is none of a template; one real link is enough."""
    assert kinds(**changes) == 0


@pytest.mark.parametrize(
    ("url", "is_demo"),
    [
        ("https://demo.kite.example/", True),
        ("https://kite.example/themes/crust/", True),
        ("https://crust-demo2.kite.example/", True),
        ("https://preview.kite.example/crust?page=2", True),
        ("https://kite.example/template", True),
        ("https://demokratie.example/", False),
        ("https://kite.example/contemplates", False),
        ("https://demos-akademie.example/?q=x", True),
    ],
)
def test_page_that_shows_a_template(url: str, *, is_demo: bool) -> None:
    """Its author has to put something into it, and its address says what it is."""
    assert bool(find_sample_contact(make_document(PAGE.format(**SAMPLE), url=url))) is not is_demo


@pytest.mark.parametrize("tag", ["p", "pre", "blockquote", "figure", "article", "template", "code"])
def test_samples_that_are_shown_or_quoted(tag: str) -> None:
    """Manuals of addresses and imprints explain theirs."""
    page = PAGE.format(**SAMPLE)
    quoted = page.replace("<address>", f"<{tag}><div>" if tag == "p" else f"<{tag}><address>")

    assert find_sample_contact(make_document(page))
    assert not find_sample_contact(make_document(quoted))


@pytest.mark.parametrize(("path", "is_sample"), [("", True), ("letters/address", False)])
def test_samples_in_the_main_part(path: str, *, is_sample: bool) -> None:
    """Manuals of letters, templates of cards and contracts show them, but hardly on the front page of a site."""
    page = f"<main>{PAGE.format(**SAMPLE)}</main>"

    assert bool(find_sample_contact(make_document(page, url=f"https://print.example/{path}"))) is is_sample
    assert find_sample_contact(make_document(page.replace("main>", "div>"), url=f"https://print.example/{path}"))


@pytest.mark.parametrize("link", ["<a href=tel:+4930901820>x</a>", "<a href=mailto:office@dach.example>x</a>"])
def test_one_way_to_reach_the_owner(link: str) -> None:
    """Is enough, wherever it stands; a link that shares the page is none. Without any link, it is a text."""
    page = PAGE.format(**SAMPLE)

    assert not find_sample_contact(make_document(page + link))
    assert find_sample_contact(make_document(f"{page}<a href='mailto:?subject=a'>x</a>"))
    assert not find_sample_contact(make_document(page.replace("href=mailto:", "href=/")))


@pytest.mark.parametrize(
    ("phone", "is_sample"),
    [
        ("9" * MAX_BESIDE + "123456"[:MIN_RUN], True),
        ("9" * (MAX_BESIDE + 1) + "123456"[:MIN_RUN], False),
        ("31 12345 88", False),
        ("(123) 456-7890", True),
        ("01234 / 567890", True),
        ("+1 000 000000", True),
        ("0800 222222", False),
    ],
)
def test_numbers_that_count(phone: str, *, is_sample: bool) -> None:
    """At the limits, and one past them."""
    assert (kinds(phone=phone, name="Dach") == MIN_KINDS) is is_sample


def test_many_samples_cost_linear_time() -> None:
    """Blocks, texts and their lengths are bounded."""
    pages = {n: make_document(PAGE.format(**SAMPLE) * n) for n in (500, 1_000, 2_000)}

    assert growth(lambda n: find_sample_contact(pages[n]), 500) <= MAX_RATIO
