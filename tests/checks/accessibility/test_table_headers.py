from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.table_headers import table_headers
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<table><tr><th><th>Mon<tr><th>9:00<td>x</table>",
        "<table><tr><th>Mon<th>Tue<tr><th>9:00<td>x</table>",
        "<table><tr><td>a<td>b<tr><td>1<td>2</table>",
        "<table><tr><th id=a>x<td headers=a>y</table>",
        "<table><tr><th scope=COL>a<tr><td>1</table>",
        "<table><tr><th id=a>x<th id=b>y<tr><td colspan=2 headers='a b'>1</table>",
        "<table><tr><td role=columnheader id=a>x<tr><td headers=a>1</table>",
        "<table><tr><th id=a>x<th id=b>y<tr><td>1<tr><td headers=b>2</table>",
        "<table><tr><th>a<th>b</table>",
        "<table><tr><th id=a colspan=2>x<tr><th headers=a>y<th headers=a>z</table>",
        "<table><tr><th>a<th><tr><td>1</table>",
        "<table><tr><th>a<th>b<td><tr><td>1<td>2<td aria-label=x>3<tr><td>1<td>2<td></table>",
        "<table><tr><th>a<tr><td>1<td>2</table>",
        "<table><tr><th hidden>a<td>x<tr><td>y</table>",
        "<table><tr><th><td aria-hidden=true headers=q>a<td style='display:none' scope=x>b</table>",
        "<table><tr><th>a<td headers=''>b</table>",
        "<table><tr><th>a<th>b<td><tr><td>1<td>2<td><tr><td>1<td>2<td> </table>",
        "<table><tr><th colspan=2>a<tr><th>b<th>c<tr><td>1<td>2</table>",
        "<table><tr><th rowspan=2>a<td>1<tr><td>2</table>",
        "<table><caption>x</caption><tr><td>a</table>",
        "<table summary=layout><tr><td><table><tr><td>x<tr><td>y</table><td>z<tr><td>1<td>2</table>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Corners, spans and tables that may be layout are fine."""
    assert outcome(table_headers, "<table><tr><th>a<td>b</table>" + html).state == "clear"


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>x<td headers=no>y</table>",
        "<b id=q>x</b><table><tr><th>x<td headers=q>y</table>",
        "<table><tr><td id=a>x<td headers=a>y</table>",
        "<table><tr><th>x<td headers=b id=b>y</table>",
        "<table><tr><th scope=foo>a<tr><td>1</table>",
        "<table><tr><td scope=col>a<tr><td>1</table>",
        "<table><thead><tr><th>a<th>b<tbody><tr><td>1</table>",
        "<table><tr><th id=a>x<th id=b>y<tr><td>1<td headers=a>2</table>",
        "<table><tr><th>a<th><img alt=x><tr><td>1</table>",
        "<table><tr><th id=a>x</table><table><tr><td headers=a>1</table>",
        "<table><tr><th id=a>x<td id=b headers='a b'>1</table>",
        "<table><tr><th role=cell id=a>x<td headers=a>1</table>",
        "<table><tr><th scope=''>a<tr><td>1</table>",
        "<table><tr><th scope=' row '>a<td>1</table>",
        "<table><tr><td role=rowheader scope=row>a<td>1</table>",
        "<table role=none tabindex=0><tr><td headers=q>a</table>",
        "<table role=none aria-label=x><tr><td headers=q>a</table>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """References, scopes and headers of nothing."""
    found = outcome(table_headers, html)

    assert found.state == "broken"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<table role=presentation><tr><th>a</table>",
        "<table></table>",
        "<table hidden><tr><th>a</table>",
        "<table role=none><tr><td headers=q>a</table>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(table_headers, html), NotApplicable)


@pytest.mark.parametrize(
    "start",
    [
        "<table><caption>Prices</caption>",
        "<table summary=Prices>",
        "<table role=table>",
        "<table><thead><tr><td>a<td>b</thead>",
    ],
)
def test_table_that_says_it_holds_data_needs_headers(start: str) -> None:
    """A caption, a summary, a head or a role: layout has none of them."""
    found = outcome(table_headers, start + "<tr><td>a<td>b<tr><td>1<td>2</table>")

    assert (found.state, found.loss) == ("unmarked", 0.5)


def test_head_over_a_single_cell_is_the_title_bar_of_a_box() -> None:
    """Forums draw such boxes with tables; one row of two cells is no column yet."""
    bar = "<table><thead><tr><td>Rules<td><a href=#top>Up</a></thead>"

    assert (
        outcome(table_headers, f"<table><tr><th>a<td>b</table>{bar}<tr><td colspan=2>Be kind to others.</table>").state
        == "clear"
    )
    assert outcome(table_headers, f"{bar}<tr><td>Be<td>kind.</table>").state == "unmarked"


@pytest.mark.parametrize(
    "rows",
    [
        "<tr><th>a<th>b<td>c<tr><td>1<td>2<td>3<tr><td>1<td>2<td>3",
        "<tr><th>a<td>1<td>2<tr><th>b<td>3<td>4<tr><td headers=h>x<td>y<td>z<tr><th id=h>d<td>5<td>6",
        "<tr><th>a<th>b<td><tr><td>1<td>2<td><img alt=x><tr><td>1<td>2<td>",
        "<caption>Hours</caption><tr><th>a<tr><td>1<td>2",
        "<caption>Hours</caption><tr><td>1<td>2<tr><td>3<td>4<tr><th>a<th>b<tr><td>5<td>6",
    ],
)
def test_cells_of_a_table_that_is_large_or_says_data_need_a_header_in_their_row_or_column(rows: str) -> None:
    """In a table with some header cells, the others are missed; it costs little, however many there are."""
    found = outcome(table_headers, f"<table>{rows}</table>")

    assert (found.state, found.loss) == ("partial", 0.25)


def test_tables_that_may_all_be_layout_are_left_out() -> None:
    """No cell of theirs is known to have a header, or to need one."""
    rows = "<tr><td>Month<td>Depth<tr><td>May<td>80"

    assert isinstance(run(table_headers, f"<table>{rows}</table>" * 2), NotApplicable)
    assert outcome(table_headers, f"<table>{rows}</table><table><caption>x</caption>{rows}</table>").total == 1


def test_scope_counts_as_browsers_read_it() -> None:
    """In any case."""
    assert outcome(table_headers, "<table><tr><th scope=RowGroup>a<td>1</table>").state == "clear"


def grid(*rows: str) -> str:
    """A table made by roles: a row for each word, a letter for each cell, headers in upper case."""
    made = (
        "".join(f"<i role={'columnheader' if cell.isupper() else 'gridcell'}>{cell}</i>" for cell in row)
        for row in rows
    )
    return "<div role=grid>" + "".join(f"<div role=row>{row}</div>" for row in made) + "</div>"


def test_header_right_of_all_cells_of_a_grid_is_found() -> None:
    """Nothing stands under it in any row."""
    found = outcome(table_headers, grid("AB", "c", "d"))

    assert (found.state, found.total) == ("broken", 1)


@pytest.mark.parametrize(
    "html",
    [
        grid("AB", "cd", "ef"),
        grid("AB", "c", "de"),
        grid("AB", "c"),
        grid("AB"),
        grid("ABC", "c", "d").replace("gridcell", "'gridcell' aria-colspan=3"),
        grid("ABC", "c", "d").replace("columnheader", "'columnheader' aria-colindex=1"),
        grid("ABC", "c", "d").replace("role=grid", "role=grid hidden"),
        "<div role=grid></div>",
        "<div role=table><p>x</div>",
    ],
)
def test_grids_that_may_be_whole_are_not_evaluated(html: str) -> None:
    """Spans, rows that scripts add, and hidden grids."""
    assert isinstance(run(table_headers, html), NotApplicable)


def test_empty_header_heads_nothing() -> None:
    """The last column has none: an empty cell is no header, unless it has a label or an element in it."""
    rows = "<tr><td>a<td>b<td><a href=/>Edit</a>" * 2
    states = [
        outcome(table_headers, f"<table><tr><th>A<th>B{last}{rows}</table>").state
        for last in ("<th> ", "<th aria-label=Actions>", "<th><i></i>", "<th>Actions")
    ]

    assert states == ["partial", "clear", "clear", "clear"]
