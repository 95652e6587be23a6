"""Rules by what an element must have, and what the elements of a document have."""

from __future__ import annotations

import pytest
import turbohtml

from pagegrade.parse.cascade.rule_index import NO_NAMES, DocumentNames, Rule, RuleIndex

PAGE = (
    "<!doctype html><body class='a  b\n\u00a0c'><p id=One class=''>x<svg class='Drawn'><linearGradient class=g />"
    "</svg><template shadowrootmode=open><b class=inside id=deep>y</b></template><i title=t>z</i>"
)


def names_of(html: str = PAGE, *, quirks: bool = False) -> DocumentNames:
    """The names of a page."""
    return DocumentNames(
        turbohtml.parse(html.encode(), scripting=True, allow_declarative_shadow_roots=False), quirks=quirks
    )


def index_of(*keys: str) -> RuleIndex:
    """One rule for each of the keys."""
    index = RuleIndex()
    for number, key in enumerate(keys):
        index.add(Rule(number, 3, 3, "", "d-", "0.1.0", key), key)
    return index


def test_names_are_those_of_html() -> None:
    """Its white space separates classes, ids are taken whole, and shadow trees count."""
    names = names_of()

    assert {"a", "b", "\u00a0c", "Drawn", "g", "inside"} <= set(names.classes)
    assert set(names.ids) == {"One", "deep"}
    assert "drawn" not in names.classes
    assert {"drawn", "one"} <= {*names_of(quirks=True).classes, *names_of(quirks=True).ids}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        *((".a", True), (".absent", False), ("#One", True), ("#one", False)),
        *(("p", True), ("dialog", True), ("[x", True), ("*", True)),
    ],
)
def test_only_classes_and_ids_are_ruled_out(key: str, expected: bool) -> None:  # noqa: FBT001 - a column
    """Everything else may match."""
    assert names_of().may_have(key) is expected


@pytest.mark.parametrize(
    ("keys", "tags"),
    [
        ([".b"], ["body"]),
        (["#One"], ["p"]),
        (["#one"], []),
        ([".inside"], ["b"]),
        ([".g", "i"], ["i", "linearGradient"]),
        (["[title"], ["i"]),
        (["b"], ["b"]),
        (["lineargradient"], []),
    ],
)
def test_bearers_are_the_elements_that_may_match(keys: list[str], tags: list[str]) -> None:
    """By class, id, tag and attribute."""
    assert sorted(node.tag for node in names_of().bearers(index_of(*keys))) == tags


def test_all_elements_may_match_what_has_no_key() -> None:
    """Rather one too many than one too few."""
    found = sorted(node.tag for node in names_of().bearers(index_of("*")))

    assert found == ["b", "body", "head", "html", "i", "linearGradient", "p", "svg", "template"]


def test_many_tags_and_attributes_take_one_walk() -> None:
    """As do names that a selector would have to escape."""
    names = names_of("<!doctype html><body><p>x<i odd:name=1>y</i><b title=t>z</b>")
    many = [f"x{number}" for number in range(30)]

    assert [node.tag for node in names.bearers(index_of("i", *many))] == ["i"]
    assert [node.tag for node in names.bearers(index_of("[title", *(f"[{name}" for name in many)))] == ["b"]
    assert [node.tag for node in names.bearers(index_of("[odd:name"))] == ["i"]


def test_case_does_not_matter_in_quirks_mode() -> None:
    """Keys are in lower case there."""
    names = names_of(quirks=True)

    assert [node.tag for node in names.bearers(index_of(".drawn"))] == ["svg"]
    assert [node.tag for node in names.bearers(index_of("#one"))] == ["p"]


def test_no_document_has_no_names() -> None:
    """Every class and every id is ruled out."""
    assert not NO_NAMES.may_have(".a")
    assert not NO_NAMES.bearers(index_of("p"))
