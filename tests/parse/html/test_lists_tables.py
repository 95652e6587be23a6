"""Lists and tables."""

from __future__ import annotations

import pytest

from pagegrade.model.accessibility import Accessibility, TableFact
from pagegrade.parse.html import lists_tables
from tests.builders import make_document


def facts(html: str) -> Accessibility:
    """The facts about accessibility of a page."""
    found = make_document(html).accessibility
    assert isinstance(found, Accessibility)
    return found


def table(html: str) -> TableFact:
    """The first table of a page."""
    return facts(html).tables[0]


def test_cells_are_placed_around_those_that_reach_down() -> None:
    """A cell over two rows pushes the next row to the right."""
    cells = table("<table><tr><th rowspan=2>a<td colspan=2>b<tr><td>c<td>d<tr><td>e</table>").cells

    assert [(cell.row, cell.column, cell.rows, cell.columns) for cell in cells] == [
        (0, 0, 2, 1),
        (0, 1, 1, 2),
        (1, 1, 1, 1),
        (1, 2, 1, 1),
        (2, 0, 1, 1),
    ]


@pytest.mark.parametrize(
    ("span", "columns"),
    [("0", 1), ("x", 1), ("-2", 1), ("9999999", 1), ("5000", 200), (" 3 ", 3)],
)
def test_spans_are_read_as_browsers_read_them(span: str, columns: int) -> None:
    """Nonsense is one, and no span is wider than two hundred."""
    assert table(f"<table><tr><td colspan='{span}'>a</table>").cells[0].columns == columns


def test_table_has_its_caption_head_and_size() -> None:
    """Rows of all sections count, those of a table inside do not."""
    found = table(
        "<table><caption> The  prices</caption><thead><tr><th>a<th>b</thead>"
        "<tr><td><table><tr><td>x<tr><td>y</table></table>"
    )

    assert (found.caption, found.head, found.nested) == ("The prices", True, True)
    assert (found.row_count, found.column_count) == (2, 2)


def test_cells_of_all_tables_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later tables are then not read at all."""
    monkeypatch.setattr(lists_tables, "MAX_CELLS", 10)

    assert len(facts("<table><tr><td>a<td>b<tr><td>c<td>d</table>" * 30).tables) < 5


def test_hostile_spans_cost_little() -> None:
    """A thousand cells that each reach over a thousand columns and rows are read in no time."""
    found = table("<table>" + ("<tr>" + "<td colspan=1000 rowspan=65534>x" * 30) * 200 + "</table>")

    assert found.row_count == 200


def test_strays_of_a_list_are_its_children_or_the_list_itself() -> None:
    """Text has no element to point to."""
    strays = facts("<ul>text<li>x</ul><ul><p>a</p><p>b</p></ul>").lists

    assert [[node.tag for node, _ in one.strays] for one in strays] == [["ul"], ["p", "p"]]


def test_items_in_a_shadow_tree_are_not_called_lost() -> None:
    """The surroundings of the root of a shadow tree are decided elsewhere."""
    assert facts("<div><template shadowrootmode=open><slot><li>x</li></slot></template></div>").stray_items == []


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("", False),
        (" <b> </b><!-- x --> ", False),
        ("<b>x</b>", True),
        ("<i><img alt=''></i>", True),
        ("<br>", False),
        ("<i></i>" * lists_tables.MAX_INSIDE_CELL + "<b></b>", True),
    ],
)
def test_cell_with_something_to_see_has_content(inside: str, *, shown: bool) -> None:
    """Text and pictures are content; a cell of very many nodes is taken for one that has some."""
    cell = table(f"<table><tr><td>{inside}</table>").cells[0]

    assert lists_tables.has_content(cell) is shown


@pytest.mark.parametrize(
    ("attribute", "labelled"), [("aria-label=x", True), ("aria-labelledby=x", True), ("id=x", False)]
)
def test_cell_may_bring_a_name_of_its_own(attribute: str, *, labelled: bool) -> None:
    """By either attribute."""
    cell = table(f"<table><tr><td {attribute}>1</table>").cells[0]

    assert lists_tables.has_label(cell) is labelled


@pytest.mark.parametrize(
    ("cell", "empty"),
    [
        ("<th>", True),
        ("<th> <!-- x --> ", True),
        ("<th>x", False),
        ("<th><i></i>", False),
        ("<th aria-label=x>", False),
    ],
)
def test_cell_without_elements_and_text_is_empty(cell: str, *, empty: bool) -> None:
    """A label counts like text."""
    assert lists_tables.is_empty(table(f"<table><tr>{cell}</table>").cells[0]) is empty


def test_hidden_cell_keeps_its_place() -> None:
    """It is known as hidden, and those after it stand where they did."""
    cells = table("<table><tr><th hidden>a<th aria-hidden=true>b<td>c</table>").cells

    assert [(cell.hidden, cell.column) for cell in cells] == [(True, 0), (True, 1), (False, 2)]


def test_presentation_that_browsers_ignore_leaves_a_table() -> None:
    """A table that takes the focus, or has a name, is one whatever its role says."""
    html = "<table role=none><tr><td>a</table><table role=none tabindex=0><tr><td>b</table>"

    assert len(facts(html).tables) == 1
