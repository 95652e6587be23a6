"""Tests of the check structured-data-valid."""

from __future__ import annotations

import json

import pytest

from pagegrade.checks.seo.structured_data_valid import structured_data_valid
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable
from tests.builders import evaluated, outcome, run

PRODUCT = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Shoes",
    "description": "Light and red.",
    "image": "https://example.com/shoes.jpg",
    "offers": {"@type": "Offer", "price": "59.00", "priceCurrency": "EUR"},
}


def page(*blocks: object) -> str:
    """A page with these JSON-LD blocks; a text stands for itself."""
    texts = [block if isinstance(block, str) else json.dumps(block) for block in blocks]
    scripts = "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)
    return f"<!doctype html><title>T</title>{scripts}"


def test_complete_product_passes() -> None:
    """All that is required and recommended is there."""
    assert outcome(structured_data_valid, page(PRODUCT)).state == "ok"


def test_missing_required_property_fails_and_is_named() -> None:
    """The finding says what to add and where."""
    found = outcome(structured_data_valid, page({**PRODUCT, "name": ""}))

    assert found.state == "required_missing"
    assert "Product lacks name." in found.message
    assert [detail.actual for detail in found.details] == ["Product.name"]
    assert found.evidence[0].line == 1


def test_missing_recommended_property_warns() -> None:
    """Half the loss."""
    result = evaluated(structured_data_valid, page({**PRODUCT, "image": []}))

    assert result.loss == 0.5


def test_values_that_cannot_be_used_warn() -> None:
    """A relative address and a date in words."""
    assert outcome(structured_data_valid, page({**PRODUCT, "image": "/shoes.jpg"})).state == "bad_values"
    article = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": "x",
        "image": "https://example.com/a.jpg",
        "author": "Alice",
        "datePublished": "3rd of May",
    }

    assert outcome(structured_data_valid, page(article)).state == "bad_values"
    assert outcome(structured_data_valid, page({**article, "datePublished": "2026-05-03T10:00:00+02:00"})).state == "ok"


def test_contradiction_fails() -> None:
    """One id, two names."""
    first, second = {**PRODUCT, "@id": "#p"}, {**PRODUCT, "@id": "#p", "name": "Boots"}

    assert outcome(structured_data_valid, page(first, second)).state == "conflict"


def test_broken_block_beside_a_good_one_fails() -> None:
    """The rest of the page's data is lost in it."""
    assert outcome(structured_data_valid, page(PRODUCT, "{")).state == "unreadable"


@pytest.mark.parametrize(
    ("block", "state"),
    [
        ({"@type": "WebPage", "name": "a"}, "no_context"),
        ({"@graph": [{"@type": "BlogPosting"}]}, "no_context"),
        ({"@type": "http://xmlns.com/foaf/0.1/Person", "name": "a"}, None),
        ({"@id": "#a"}, None),
        ({"@context": "https://w3id.org/ro", "@type": "Firma"}, None),
        ({"@context": "https://schema.org", "@type": "WebPage"}, None),
    ],
)
def test_block_without_a_vocabulary_fails(block: object, state: str | None) -> None:
    """Full addresses need none, and another vocabulary is one."""
    found = run(structured_data_valid, page(block))

    assert getattr(found, "state", None) == state


@pytest.mark.parametrize(
    "html",
    [
        page({"@context": "https://schema.org", "@type": "Prodct", "name": "a"}),
        '<!doctype html><title>T</title><div itemscope itemtype="https://schema.org/Prodct"></div>',
        '<!doctype html><title>T</title><div vocab="https://schema.org/" typeof="Prodct"></div>',
    ],
)
def test_unknown_type_warns_in_every_syntax(html: str) -> None:
    """With the name that is meant."""
    found = outcome(structured_data_valid, html)

    assert found.state == "unknown_type"
    assert "Product comes closest" in found.message


def test_known_type_without_requirements_is_nothing_to_evaluate() -> None:
    """Also in an item of microdata that stands in no other."""
    html = '<!doctype html><title>T</title><div itemscope itemtype="https://schema.org/WPHeader"></div>'

    assert isinstance(run(structured_data_valid, html), NotApplicable)


def test_nothing_to_evaluate() -> None:
    """Kinds without extras, other vocabularies and microdata are not evaluated here."""
    assert isinstance(run(structured_data_valid, "<title>T</title>"), NotApplicable)
    assert isinstance(
        run(structured_data_valid, page({"@context": "https://schema.org", "@type": "WebSite"})), NotApplicable
    )
    assert isinstance(
        run(structured_data_valid, page({"@context": "https://x.example/", "@type": "Product"})), NotApplicable
    )


def test_many_faults_are_bounded() -> None:
    """A thousand incomplete products give at most a hundred entries."""
    found = outcome(structured_data_valid, page([{"@context": "https://schema.org", "@type": "Product"}] * 1_000))

    assert found.state == "required_missing"
    assert len(found.evidence) == MAX_EVIDENCE


def test_a_fix_never_costs_more() -> None:
    """From unreadable to complete, each step costs at most as much as the one before."""
    steps = [
        page("{"),
        page({"@context": "https://schema.org", "@type": "Product"}),
        page({**PRODUCT, "image": "/a.jpg"}),
        page(PRODUCT),
    ]
    losses = [evaluated(structured_data_valid, step).loss for step in steps]

    assert losses == [1.0, 1.0, 0.5, 0.0]


ARTICLE = {"headline": "H", "image": "https://example.com/a.jpg", "author": {"@type": "Person", "name": "A"}}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("price", "59.00", "ok"),
        ("price", "59,00", "bad_values"),
        ("price", "€ 59", "bad_values"),
        ("price", "", "required_missing"),
        ("priceCurrency", "EUR", "ok"),
        ("priceCurrency", "€", "bad_values"),
        ("availability", "https://schema.org/InStock", "ok"),
        ("availability", "in stock", "bad_values"),
        ("priceValidUntil", "2026-02-28", "ok"),
        ("priceValidUntil", "2026-02-30", "bad_values"),
        ("priceValidUntil", "28.02.2026", "bad_values"),
    ],
)
@pytest.mark.parametrize("syntax", ["json-ld", "microdata", "rdfa"])
def test_values_count_in_every_syntax(syntax: str, name: str, value: str, expected: str) -> None:
    """A value that search engines ignore in a block, they ignore in the markup."""
    offer = {"price": "59.00", "priceCurrency": "EUR", name: value}
    if syntax == "json-ld":
        html = page({**PRODUCT, "offers": {"@type": "Offer", **offer}})
    else:
        scope, prop = (
            ('itemscope itemtype="https://schema.org/{}"', "itemprop")
            if syntax == "microdata"
            else ('typeof="{}"', "property")
        )
        own = "".join(f'<meta {prop}="{key}" content="{PRODUCT[key]}">' for key in ("name", "description", "image"))
        inner = "".join(f'<meta {prop}="{key}" content="{text}">' for key, text in offer.items())
        html = (
            f'<title>T</title><div vocab="https://schema.org/"><div {scope.format("Product")}>{own}'
            f'<div {prop}="offers" {scope.format("Offer")}>{inner}</div></div></div>'
        )

    assert outcome(structured_data_valid, html).state == expected


@pytest.mark.parametrize(
    "block",
    [
        {"@context": "https://schema.org", "type": "Article", "datePublished": "2.1.2026"},
        {"@context": ["https://schema.org", {"kind": "@type"}], "kind": "Article", "datePublished": "2.1.2026"},
        {"@context": {"@vocab": "https://schema.org/", "is": "@type"}, "is": "Article", "datePublished": "2.1.2026"},
        {"@context": {"s": "https://schema.org/"}, "@type": "s:Article", "s:datePublished": "2.1.2026"},
        {"@context": "https://schema.org", "@type": "schema:Article", "schema:datePublished": "2.1.2026"},
        {"@context": "https://schema.org", "@type": "Article", "http://schema.org/datePublished": "2.1.2026"},
        {"@type": "https://schema.org/Article", "https://schema.org/datePublished": "2.1.2026"},
    ],
)
def test_values_count_under_every_name(block: dict[str, object]) -> None:
    """Aliases, prefixes and full URLs name the same members."""
    assert outcome(structured_data_valid, page({**ARTICLE, **block})).state == "bad_values"


def test_types_of_another_vocabulary_have_no_requirements() -> None:
    """Their URL says so, whatever the context is."""
    block = {"@context": "https://schema.org", "@type": "https://example.org/Product"}

    assert isinstance(run(structured_data_valid, page(block)), NotApplicable)


def test_a_text_is_no_crumb() -> None:
    """A list of texts names neither positions nor pages."""
    block = {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": ["A", "B"]}

    assert outcome(structured_data_valid, page(block)).state == "required_missing"
