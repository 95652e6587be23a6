"""Tests of the check structured-data."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.structured_data import structured_data
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import outcome, run

TEXT = "<p>" + "Some words of the page. " * 20


def found(head: str = "", body: str = "") -> Outcome:
    """The finding of the check for a page."""
    return outcome(structured_data, f"<!doctype html><html><head><title>T</title>{head}</head><body>{TEXT}{body}")


def block(text: str, media_type: str = "application/ld+json") -> str:
    """A JSON-LD block with that text."""
    return f'<script type="{media_type}">{text}</script>'


GOOD = '{"@context": "https://schema.org", "@type": "Article"}'


@pytest.mark.parametrize(
    "context",
    ['"http://schema.org"', '"https://www.schema.org/"', '["https://schema.org"]', '{"@vocab": "http://schema.org/"}'],
)
def test_every_spelling_of_the_vocabulary_passes(context: str) -> None:
    """Scheme, www, slash, list and object."""
    assert found(block(f'{{"@context": {context}, "@type": "Article"}}')).state == "ok"


def test_types_are_the_value() -> None:
    """Graphs, lists, nested nodes and several types on one node are all named once."""
    text = (
        '[{"@context": "https://schema.org",'
        ' "@graph": [{"@type": ["Article", "NewsArticle"], "author": {"@type": "Person"}}]},'
        '{"@context": "https://schema.org", "@type": "Article"}]'
    )

    assert found(block(text)).value == "Article, NewsArticle, Person"


@pytest.mark.parametrize(
    "text",
    [f"<!-- {GOOD} -->", f"//<![CDATA[\n{GOOD}\n//]]>", f"/* plugin */ {GOOD}", GOOD.replace("Article", "Art\n\ticle")],
)
def test_wrappers_and_control_characters_are_tolerated(text: str) -> None:
    """Wrappers of templates around the data do not break it."""
    assert found(block(text)).state == "ok"


def test_block_in_the_body_and_type_with_parameters_count() -> None:
    """The place does not matter, nor does a charset behind the type."""
    assert found(body=block(GOOD)).state == "ok"
    assert found(block(GOOD, "application/ld+json; charset=utf-8")).state == "ok"
    assert found(block(GOOD, "APPLICATION/LD+JSON")).state == "ok"


def test_microdata_and_rdfa_count() -> None:
    """Attributes in the markup are as good as a block."""
    assert found(body='<div itemscope itemtype="https://schema.org/Product">x</div>').state == "ok"
    assert found(body='<div vocab="https://schema.org/" typeof="Product">x</div>').state == "ok"


def test_other_vocabulary_warns() -> None:
    """Data that no search engine knows."""
    assert (
        found(body='<div itemscope itemtype="https://data-vocabulary.example/Thing">x</div>').state
        == "other_vocabulary"
    )
    assert found(block('{"@context": "https://example.com/", "@type": "Thing"}')).state == "other_vocabulary"


def test_schema_org_without_a_type_is_not_enough() -> None:
    """A thing of no kind says nothing."""
    assert found(block('{"@context": "https://schema.org", "name": "x"}')).state == "other_vocabulary"


@pytest.mark.parametrize(
    "head", ['<meta property="og:title" content="x">', '<meta name="twitter:card" content="summary">']
)
def test_social_tags_alone_warn(head: str) -> None:
    """They are data, but not for search."""
    assert found(head).state == "social_only"


def test_broken_block_fails_and_says_where() -> None:
    """A comma too many makes all of it unreadable, whatever social tags stand beside it."""
    result = found('<meta property="og:title" content="x">' + block('{"@type": "Article",}'))

    assert result.state == "unreadable"
    assert "line 1" in result.message
    assert result.evidence


def test_one_good_item_is_enough() -> None:
    """A broken block beside a good one is left to the check of its content."""
    assert found(block("{") + block(GOOD)).state == "ok"


def test_missing_fails() -> None:
    """Nothing at all; a script of another type and a commented block are nothing."""
    assert found().state == "missing"
    assert found(block(GOOD, "application/json") + f"<!-- {block(GOOD)} -->").state == "missing"


def test_hostile_blocks_are_findings() -> None:
    """A hundred thousand levels and a number of a million digits do not break the run."""
    assert found(block("[" * 100_000)).state == "unreadable"
    assert found(block('{"@type": "A", "n": ' + "9" * 1_000_000 + "}")).state == "other_vocabulary"


def test_page_drawn_by_scripts_is_not_evaluated() -> None:
    """A shell may add data when it is drawn."""
    shell = '<!doctype html><title>T</title><div id="root"></div><script src="/app.js"></script>'

    assert isinstance(run(structured_data, shell), NotRun)


@pytest.mark.parametrize("text", ["null", "[]", "{}"])
def test_blocks_that_say_nothing_are_none(text: str) -> None:
    """Neither broken nor data."""
    block = f'<script type="application/ld+json">{text}</script>'
    good = '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Thing"}</script>'

    assert outcome(structured_data, f"<!doctype html><title>T</title>{block}<p>x").state == "missing"
    assert outcome(structured_data, f"<!doctype html><title>T</title>{block}{good}<p>x").state == "ok"


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ('<div vocab="https://schema.org/"><p><b typeof="Person">Ann</b></div>', "ok"),
        ('<div vocab="https://schema.org/"><p vocab=""><b typeof="Person">Ann</b></div>', "other_vocabulary"),
        ('<div vocab="https://schema.org/"></div><b typeof="Person">Ann</b>', "other_vocabulary"),
        ('<div vocab="http://xmlns.com/foaf/0.1/"><b typeof="schema:Person">Ann</b></div>', "ok"),
    ],
)
def test_rdfa_hands_its_vocabulary_down(body: str, state: str) -> None:
    """The nearest one around an element holds, the empty one is none, and a prefix needs none."""
    assert outcome(structured_data, f"<!doctype html><title>T</title>{body}").state == state


def test_a_type_of_another_vocabulary_is_none_of_schema_org() -> None:
    """The context does not change what a full URL names."""
    html = (
        '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "https://a.example/B"}</script>'
    )

    assert outcome(structured_data, html).state == "other_vocabulary"
