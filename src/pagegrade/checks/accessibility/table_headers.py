from collections import Counter
from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, Cell, TableFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.html.lists_tables import has_content, has_label, is_empty

_SCOPES: Final = frozenset({"row", "col", "rowgroup", "colgroup"})
_DATA_ROLES: Final = frozenset({"table", "grid", "treegrid"})
_LARGE: Final = 3
"""Rows and columns from which a cell without any header is hard to place."""

_ROWS_SEEN: Final = 2
"""Rows with data from which a table of roles counts as filled."""


@check(
    id="table-headers",
    title="Table headers",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("clear", "The cells of data tables have headers."),
        State(
            "partial",
            "Some cells of data tables have no header.",
            0.25,
            title="Table cells without a header",
            why="Screen readers read these cells without saying what the value is.",
            fix="Add a `<th>` to the row or column of each listed cell.",
            counted=True,
        ),
        State(
            "unmarked",
            "Data tables have no header cells.",
            0.5,
            title="Data tables without header cells",
            why="Screen readers read bare values without saying what they are.",
            fix=(
                "Mark the headers with `<th>`, and add `scope` in tables with headers at the top and at the side. From "
                "a table that only arranges its content, remove the caption and `summary`."
            ),
            counted=True,
        ),
        State(
            "broken",
            "Headers of data tables are assigned incorrectly.",
            0.5,
            1.0,
            title="Invalid table header references",
            why="Screen readers announce the wrong header or none.",
            fix="Let `headers` refer to ids of header cells in the same table, and use `scope` on `<th>` only.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/tutorials/tables/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/a25f45/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/d0f69e/",
        "https://html.spec.whatwg.org/multipage/tables.html#attr-tdth-headers",
    ),
)
def table_headers(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """In a data table, header cells say what the values in their row and column are.

    ## What it checks

    Tables that are not hidden and not marked as layout with `role="presentation"`. It fails when

    the `headers` of a cell name an id that is no other header cell of the same table; when a header cell has no data in
    its row or column, where cells with `headers` of their own belong only to those; or when a `scope` is none of `row`,
    `col`, `rowgroup` and `colgroup`, is empty, or is on a `<td>`. The loss grows from half (one cell) to everything
    (ten or more). Tables of header cells alone are left out, and header cells that are hidden or empty.

    It costs half when a table says that it holds data, by a caption, a summary, a head over columns or an explicit
    role, and has no header cell at all. It costs a quarter when such a table, or one of three rows and columns or more,
    has headers, and cells with content that have none in their row and none above them in their column; an empty `<th>`
    without an ARIA label is none. Other tables without headers may be layout, and are left out, like tables of one row
    or column and tables that contain another one. In tables that roles make of other elements only a header further
    right than all cells of at least two rows is seen, because scripts usually fill them.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <table><caption>Prices</caption><tr><td>Size<td>Price<tr><td>S<td>10<tr><td>M<td>12</table>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <table><caption>Prices</caption><tr><th>Size<th>Price<tr><td>S<td>10<tr><td>M<td>12</table>
    ```
    """
    tables = [table for table in accessibility.tables if table.cells]
    broken = list(_headers_beyond_the_cells(accessibility))
    if not tables and not broken:
        return NotApplicable("The page has no data tables.")
    unmarked: list[Offender] = []
    partial: list[Offender] = []
    says_data = False
    for table in tables:
        broken += _wrong_references(table)
        broken += _wrong_scopes(table)
        if any(cell.is_header for cell in table.cells):
            says_data = True
            broken += _headers_of_nothing(table)
            partial += _cells_without(table)
        elif _says_data(table):
            unmarked.append(Offender(table.node, "no header cell", table.caption or ""))
    if broken:
        return counted(
            document,
            broken,
            "clear",
            "broken",
            "One table header is assigned incorrectly.",
            "{count} table headers are assigned incorrectly.",
            lesser={"unmarked": unmarked, "partial": partial},
        )
    if unmarked:
        return counted(
            document,
            unmarked,
            "clear",
            "unmarked",
            "One data table has no header cells.",
            "{count} data tables have no header cells.",
            low=0.5,
            high=0.5,
            lesser={"partial": partial},
        )
    if not (broken or unmarked or partial or says_data):
        return NotApplicable("No table of the page says that it holds data, so that all may be layout.")
    return counted(
        document,
        partial,
        "clear",
        "partial",
        "One cell of a table has no header.",
        "{count} cells of tables have no header.",
        low=0.25,
        high=0.25,
    )


def _says_data(table: TableFact) -> bool:
    """Return whether the markup of the table says that it is no layout table."""
    if table.nested or table.row_count < 2 or table.column_count < 2:
        return False
    attrs = table.attrs
    if attrs.get("role", "").strip().lower() in _DATA_ROLES:
        return True
    return bool(table.caption) or bool(attrs.get("summary", "").strip()) or (table.head and _has_columns(table))


def _has_columns(table: TableFact) -> bool:
    """Return whether cells stand side by side in two rows at least; a box with a title bar has a head as well."""
    rows = Counter(cell.row for cell in table.cells)
    return sum(count > 1 for count in rows.values()) > 1


def _wrong_references(table: TableFact) -> Iterator[Offender]:
    ids = {cell.id: cell for cell in table.cells if cell.id}
    for cell in table.cells:
        if not cell.headers or cell.hidden:
            continue
        strange = [name for name in cell.headers if name not in ids]
        if strange:
            yield Offender(cell.node, "headers names no cell of this table", strange[0])
        elif cell.id in cell.headers:
            yield Offender(cell.node, "headers names the cell itself", cell.id)
        elif not all(ids[name].is_header for name in cell.headers):
            yield Offender(cell.node, "headers names a cell that is no header", cell.headers[0])


def _wrong_scopes(table: TableFact) -> Iterator[Offender]:
    for cell in table.cells:
        if cell.scope is None or cell.hidden:
            continue
        if cell.tag != "th":
            yield Offender(cell.node, "scope on a cell that is no header", cell.scope)
        elif cell.scope not in _SCOPES:
            yield Offender(cell.node, "no such scope", cell.scope)


def _headers_of_nothing(table: TableFact) -> Iterator[Offender]:
    """Header cells with nothing to be the header of.

    A header is fine when its row has data, or when something stands in its column in a row that has: a corner above
    the headers of rows is an ordinary thing. Cells that name their headers have no others.
    """
    if all(cell.is_header for cell in table.cells):
        return
    named = {name for cell in table.cells for name in cell.headers}
    data_rows = {row for cell in table.cells if not cell.is_header for row in _rows(cell)}
    own_rows = {row for cell in table.cells if not cell.is_header and not cell.headers for row in _rows(cell)}
    filled = {
        column
        for cell in table.cells
        if not cell.headers and not data_rows.isdisjoint(_rows(cell))
        for column in _columns(cell)
    }
    for cell in table.cells:
        if not cell.is_header or cell.hidden or cell.id in named:
            continue
        if own_rows.isdisjoint(_rows(cell)) and filled.isdisjoint(_columns(cell)) and has_content(cell):
            yield Offender(cell.node, "no data cell in its row or column")


def _cells_without(table: TableFact) -> Iterator[Offender]:
    """Data cells with neither a header in their row nor one above them in their column, in tables that need both eyes.

    Headers are searched for upwards (https://html.spec.whatwg.org/multipage/tables.html#header-and-data-cell-semantics).
    """
    is_large = not table.nested and table.row_count >= _LARGE and table.column_count >= _LARGE
    if not is_large and not _says_data(table):
        return
    headers = [cell for cell in table.cells if cell.is_header and not is_empty(cell)]
    rows = {row for cell in headers for row in _rows(cell)}
    highest: dict[int, int] = {}
    for cell in headers:
        for column in _columns(cell):
            highest[column] = min(cell.row, highest.get(column, cell.row))
    for cell in table.cells:
        if (
            not (cell.is_header or cell.headers or cell.hidden)
            and rows.isdisjoint(_rows(cell))
            and all(highest.get(column, cell.row) >= cell.row for column in _columns(cell))
            and has_content(cell)
            and not has_label(cell)
        ):
            yield Offender(cell.node, "no header in its row or above it in its column")


def _headers_beyond_the_cells(accessibility: Accessibility) -> Iterator[Offender]:
    """Column headers of tables made by roles that stand further right than any cell."""
    grids = [
        role
        for role in accessibility.roles
        if role.role in _DATA_ROLES and role.node.tag != "table" and not role.hidden and role.inside
    ]
    if not grids:
        return
    facts = {role.node: role for role in accessibility.roles}
    for grid in grids:
        rows = [facts[node].inside for kind, node in grid.inside if kind == "row" and node in facts]
        cells = [facts[node].attrs for row in rows for _, node in row if node in facts]
        if any("aria-colspan" in attrs or "aria-colindex" in attrs for attrs in cells):
            continue
        filled = [len(row) for row in rows if any(kind != "columnheader" for kind, _ in row)]
        if len(filled) < _ROWS_SEEN:
            continue
        for row in rows:
            if all(kind == "columnheader" for kind, _ in row):
                for _, node in row[max(filled) :]:
                    yield Offender(node, "no data cell in its row or column")


def _rows(cell: Cell) -> range:
    return range(cell.row, cell.row + cell.rows)


def _columns(cell: Cell) -> range:
    return range(cell.column, cell.column + cell.columns)
