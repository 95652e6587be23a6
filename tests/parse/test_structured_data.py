"""Tests of reading JSON-LD."""

from __future__ import annotations

import pytest

from pagegrade.parse.structured_data import (
    MAX_DEPTH,
    is_schema_org,
    is_schema_org_type,
    local_type,
    node_types,
    nodes_of,
    read_json_ld,
    structured_item_of_json_ld,
    types_of,
)

ARTICLE = '{"@context": "https://schema.org", "@type": "Article", "url": "https://example.com/a//b"}'


class MadeUpNode:
    """Stands for the parser's element."""

    tag = "script"
    source_line = 3
    source_col = 0


@pytest.mark.parametrize(
    "text",
    [
        ARTICLE,
        "\ufeff" + ARTICLE,
        f"\n  {ARTICLE}\n",
        f"<!-- a note -->\n{ARTICLE}",
        f"<!--\n{ARTICLE}\n-->",
        f"<!-- {ARTICLE} //-->",
        f"<![CDATA[{ARTICLE}]]>",
        f"//<![CDATA[\n{ARTICLE}\n//]]>",
        f"// <![CDATA[ {ARTICLE} // ]]>",
        f"/*<![CDATA[*/ {ARTICLE} /*]]>*/",
        f"/* written by a plugin */ {ARTICLE} // end",
        ARTICLE.replace("{", "{ // what it is\n", 1),
    ],
)
def test_wrappers_and_comments_are_tolerated(text: str) -> None:
    """Comment and CDATA wrappers of templates do not hide the data, and a // inside a string is no comment."""
    data, error = read_json_ld(text)

    assert error is None
    assert types_of(data) == ("Article",)
    assert next(nodes_of(data))["url"] == "https://example.com/a//b"


def test_null_is_nothing_to_say() -> None:
    """Templates write it where there is no data; other bare values are mistakes."""
    assert read_json_ld(" null ") == ([], None)
    assert read_json_ld("0")[1] is not None


def test_comment_marks_inside_strings_stay() -> None:
    """Cleaning touches only what stands outside strings."""
    data, error = read_json_ld('/* x */ {"@type": "A", "text": "a <!-- b --> /* c */ \\" // d"}')

    assert error is None
    assert next(nodes_of(data))["text"] == 'a <!-- b --> /* c */ " // d'


def test_control_characters_inside_strings_are_tolerated() -> None:
    """Raw line breaks and tabs in descriptions are common and harmless."""
    data, error = read_json_ld('{"@type": "A", "description": "one\n\ttwo\x01"}')

    assert error is None
    assert next(nodes_of(data))["description"] == "one\n\ttwo\x01"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ('{"@type": "A",}', "line 1"),
        ("{'@type': 'A'}", "not valid JSON"),
        ('{"a": NaN}', "NaN"),
        ('"Article"', "bare value"),
        ("12", "bare value"),
        ("<!-- -->", "not valid JSON"),
        ('{"a": "', "not valid JSON"),
    ],
)
def test_unreadable_blocks_say_why(text: str, part: str) -> None:
    """The sentence names the cause, and no data is made up."""
    data, error = read_json_ld(text)

    assert data is None
    assert error is not None
    assert part in error


def test_nesting_at_the_limit_is_read() -> None:
    """One hundred levels are read."""
    data, error = read_json_ld("[" * MAX_DEPTH + "]" * MAX_DEPTH)

    assert error is None
    assert isinstance(data, list)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000]
)
def test_endless_nesting_is_a_finding(text: str) -> None:
    """One hundred thousand levels are declined without an exception."""
    data, error = read_json_ld(text)

    assert data is None
    assert error == f"The block is nested deeper than {MAX_DEPTH} levels."


def test_many_shallow_objects_are_not_deep() -> None:
    """Breadth, and brackets inside strings, are not depth."""
    data, error = read_json_ld("[" + ",".join(['{"@type": "A", "t": "[[[{{{"}'] * 1000) + "]")

    assert error is None
    assert types_of(data) == ("A",)


def test_huge_numbers_do_not_raise() -> None:
    """A number of a million digits is read as infinity, a long one as a float."""
    data, error = read_json_ld(
        '{"a": ' + "9" * 1_000_000 + ', "b": 12345678901234567890, "c": -' + "9" * 500 + ', "d": 7}'
    )

    assert error is None
    assert next(nodes_of(data)) == {"a": float("inf"), "b": 1.2345678901234567e19, "c": float("-inf"), "d": 7}


def test_unterminated_strings_and_comments_stay_linear() -> None:
    """Input made to backtrack is declined; a quadratic reader would not come back in a test's lifetime."""
    for hostile in (
        '\\"' * 500_000,
        "/*" * 500_000,
        "<!--" * 250_000,
        "//" * 500_000,
        " " * 1_000_000 + "<!",
        '"' * 999_999,
    ):
        assert read_json_ld("{" + hostile)[1] is not None


def test_types_of_graph_arrays_and_nested_nodes() -> None:
    """Every node's types count once, in order, from graphs, lists and properties, but not from contexts."""
    data, _ = read_json_ld(
        '[{"@context": {"@type": "no"},'
        ' "@graph": [{"@type": ["Article", "NewsArticle"], "author": {"@type": "Person"}},'
        ' {"@type": " Person "}, {"@type": 5}, {"@type": ""}, {"@type": ["", null, "Thing"]}]}, 3, "x"]'
    )

    assert types_of(data) == ("Article", "NewsArticle", "Person", "Thing")


def test_node_types_of_one_node() -> None:
    """One name, several names and no name."""
    assert node_types({"@type": "A"}) == ("A",)
    assert node_types({"@type": ["A", "B"]}) == ("A", "B")
    assert node_types({}) == ()


@pytest.mark.parametrize(
    "context",
    [
        "http://schema.org",
        "https://schema.org",
        "https://schema.org/",
        "http://www.schema.org/",
        "HTTPS://Schema.org",
        ["https://schema.org", {"@language": "en"}],
        [{"gs1": "https://gs1.org/voc/"}, "http://schema.org/"],
        {"@vocab": "https://schema.org/"},
        {"schema": "http://schema.org/"},
        "https://schema.org/docs/jsonldcontext.jsonld",
    ],
)
def test_spellings_of_the_schema_org_context(context: object) -> None:
    """Scheme, www, slash, lists and objects are all schema.org."""
    assert is_schema_org({"@context": context, "@type": "Article"})


@pytest.mark.parametrize(
    "context",
    [
        None,
        3,
        "",
        "schema.org",
        "https://schema.org.evil.example/",
        "https://example.com/?schema.org",
        "https://schema.org/Article",
        {"@vocab": "https://example.com/"},
        "https://[schema.org",
    ],
)
def test_other_contexts_are_not_schema_org(context: object) -> None:
    """A look-alike, a page of schema.org, and nonsense are not its context."""
    assert not is_schema_org({"@context": context, "@type": "Article"})


def test_full_type_iri_is_schema_org() -> None:
    """A type written as a full address needs no context."""
    assert is_schema_org({"@type": "http://schema.org/Article"})
    assert is_schema_org_type("https://www.schema.org/Article")
    assert not is_schema_org_type("https://example.com/Article")


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("Article", "Article"),
        ("https://schema.org/Article/", "Article"),
        ("schema:Article", "Article"),
        ("http://x/y#Z", "http://x/y#Z"),
    ],
)
def test_local_type_drops_the_vocabulary(name: str, local: str) -> None:
    """Names compare without prefix or address."""
    assert local_type(name) == local


def test_item_of_a_good_block() -> None:
    """The fact carries types, data, vocabulary and node."""
    node = MadeUpNode()
    item = structured_item_of_json_ld(ARTICLE, node)

    assert (item.format, item.types, item.error, item.schema_org, item.node) == (
        "json-ld",
        ("Article",),
        None,
        True,
        node,
    )


def test_item_of_a_broken_block() -> None:
    """A broken block is an item with an error and nothing else."""
    item = structured_item_of_json_ld("{", MadeUpNode())

    assert (item.types, item.data, item.schema_org) == ((), None, False)
    assert item.error
