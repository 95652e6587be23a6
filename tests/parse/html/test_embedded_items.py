"""Microdata and RDFa are read as the objects that JSON-LD would hold."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.embedded_items import MAX_ELEMENTS, MAX_TEXT
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

OFFER = (
    "<div itemprop=offers itemscope itemtype=https://schema.org/Offer><b itemprop=price content=12.50>12,50</b></div>"
)
PRODUCT = f"<div itemscope itemtype=https://schema.org/Product><i itemprop='name sku'>Bench</i>{OFFER}</div>"
RDFA = (
    '<div vocab="https://schema.org/" typeof="Product"><i property="name schema:sku">Bench</i>'
    '<div property="offers" typeof="Offer"><b property="price" content="12.50">12,50</b></div></div>'
)


def data_of(html: str) -> object:
    """The properties of the first item."""
    return make_document(f"<!doctype html><body>{html}").structured_items[0].data


def test_properties_and_nested_items() -> None:
    """In both formats; a property with two names is both."""
    microdata, rdfa = data_of(PRODUCT), data_of(RDFA)

    assert microdata == {
        "@type": ["https://schema.org/Product"],
        "name": ["Bench"],
        "sku": ["Bench"],
        "offers": [{"@type": ["https://schema.org/Offer"], "price": ["12.50"]}],
    }
    assert rdfa == {
        "@type": ["Product"],
        "name": ["Bench"],
        "sku": ["Bench"],
        "offers": [{"@type": ["Offer"], "price": ["12.50"]}],
    }


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<b itemprop=name> Oak   <i>bench</i></b>", "Oak bench"),
        ("<meta itemprop=name content=x>", "x"),
        ("<b itemprop=name content=EUR>€</b>", "EUR"),
        ("<time itemprop=name datetime=2026-01-02>today</time>", "2026-01-02"),
        ("<time itemprop=name>2026-01-02</time>", "2026-01-02"),
        ("<data itemprop=name value=3>three</data>", "3"),
        ("<a itemprop=name href=/a>b</a>", "https://example.com/a"),
        ("<link itemprop=name href=https://schema.org/InStock>", "https://schema.org/InStock"),
        ("<img itemprop=name src=/a.jpg alt=x>", "https://example.com/a.jpg"),
        ("<img itemprop=name data-src=/a.jpg alt=x>", "/a.jpg"),
        (f"<b itemprop=name>{'x' * 2 * MAX_TEXT}</b>", "x" * MAX_TEXT),
        ("<div><p><b itemprop=name>deep</b></p></div>", "deep"),
    ],
)
def test_values_by_element(element: str, value: str) -> None:
    """A value for programs comes before an address, and that before the text."""
    found = data_of(f"<div itemscope itemtype=http://schema.org/Product>{element}</div>")

    assert isinstance(found, dict)
    assert found["name"] == [value]


@pytest.mark.parametrize(
    "html",
    [
        PRODUCT.replace("itemscope ", "itemscope itemref=more ", 1),
        PRODUCT.replace("schema.org", "example.org"),
        PRODUCT.replace("Product", "WebPage"),
        PRODUCT.replace("itemscope ", "itemprop=mainEntity itemscope ", 1),
        PRODUCT.replace("<i ", "<u></u>" * MAX_ELEMENTS + "<i ", 1),
    ],
)
def test_items_that_are_not_read(html: str) -> None:
    """Those with parts elsewhere, of other vocabularies, without requirements, in others, and whole pages."""
    assert data_of(html) is None


def test_an_item_inside_that_is_no_property_is_another_one() -> None:
    """Its properties are its own."""
    html = "<div itemscope itemtype=http://schema.org/Article><div itemscope itemtype=http://schema.org/Product>"
    found = make_document(f"{html}<b itemprop=name>Bench</b></div></div>").structured_items

    assert [item.data for item in found] == [
        {"@type": ["http://schema.org/Article"]},
        {"@type": ["http://schema.org/Product"], "name": ["Bench"]},
    ]


@pytest.mark.parametrize("part", ["<b itemprop=name>", PRODUCT.removesuffix("</div></div>"), RDFA[:-12]])
def test_hostile_markup_costs_linear_time(part: str) -> None:
    """However deep properties and items stand in each other."""
    start = "<body><div itemscope itemtype=http://schema.org/Product>"

    assert growth(lambda n: make_document(start + part * n), 200) <= MAX_RATIO
