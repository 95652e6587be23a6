from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, TableFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_SCOPES: Final = frozenset({"", "row", "col", "rowgroup", "colgroup"})
_DATA_ROLES: Final = frozenset({"table", "grid", "treegrid"})


@check(
    id="table-headers",
    title="Headers of tables",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("clear", "The cells of data tables have headers."),
        State("unmarked", "Data tables have no header cells.", 0.5),
        State("broken", "Headers of data tables are wired wrongly.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/tutorials/tables/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/a25f45/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/d0f69e/",
        "https://html.spec.whatwg.org/multipage/tables.html#attr-tdth-headers",
    ),
)
def table_headers(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """In a table of data, header cells say what the numbers in their row and column are.

    ## What it checks

    Tables that are not hidden and not marked as layout with `role="presentation"`. It fails when

    the `headers` of a cell name an id that is no other cell of the same table; when a header cell has no data cell in
    its row or column; or when a `scope` is none of `row`, `col`, `rowgroup` and `colgroup`, or stands on a cell that is
    no header. The loss grows from half (one cell) to everything (ten or more).

    It costs half when a table says that it holds data, by a caption, a summary, a head or an explicit role, and has no
    header cell at all. Other tables without headers may be layout, and are left out, like tables of one row or column
    and tables in which another one stands.

    ## Why it matters

    A screen reader says the headers with each cell; without them people hear bare numbers.

    ## How to fix

    Mark headers with `<th>`, and in tables with headers at the top and at the side add `scope`.

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
    if not tables:
        return NotApplicable("The page has no tables of data.")
    broken: list[Offender] = []
    unmarked: list[Offender] = []
    for table in tables:
        broken += _wrong_references(table)
        broken += _wrong_scopes(table)
        if any(cell.is_header for cell in table.cells):
            broken += _headers_of_nothing(table)
        elif _says_data(table):
            unmarked.append(Offender(table.node, "no header cell", table.caption or ""))
    if broken:
        return counted(
            document,
            broken,
            "clear",
            "broken",
            "One header of a table is wired wrongly.",
            "{count} headers of tables are wired wrongly.",
        )
    return counted(
        document,
        unmarked,
        "clear",
        "unmarked",
        "One data table has no header cells.",
        "{count} data tables have no header cells.",
        low=0.5,
        high=0.5,
    )


def _says_data(table: TableFact) -> bool:
    """Whether the table itself says that it is no layout."""
    if table.nested or table.row_count < 2 or table.column_count < 2:
        return False
    attrs = table.attrs
    if attrs.get("role", "").strip().lower() in _DATA_ROLES:
        return True
    return bool(table.caption) or table.head or bool(attrs.get("summary", "").strip())


def _wrong_references(table: TableFact) -> Iterator[Offender]:
    ids = {cell.id: cell for cell in table.cells if cell.id}
    for cell in table.cells:
        if not cell.headers:
            continue
        strange = [name for name in cell.headers if name not in ids]
        if strange:
            yield Offender(cell.node, "headers names no cell of this table", strange[0])
        elif ids[cell.headers[0]] is cell and len(cell.headers) == 1:
            yield Offender(cell.node, "headers names the cell itself", cell.headers[0])
        elif not all(ids[name].is_header for name in cell.headers):
            yield Offender(cell.node, "headers names a cell that is no header", cell.headers[0])


def _wrong_scopes(table: TableFact) -> Iterator[Offender]:
    for cell in table.cells:
        if cell.scope is None:
            continue
        if cell.scope not in _SCOPES:
            yield Offender(cell.node, "no such scope", cell.scope)
        elif not cell.is_header and cell.scope:
            yield Offender(cell.node, "scope on a cell that is no header", cell.scope)


def _headers_of_nothing(table: TableFact) -> Iterator[Offender]:
    """Header cells with nothing to be the header of.

    A header is fine when its row has data, or when something stands in its column in a row that has: a corner above
    the headers of rows is an ordinary thing.
    """
    data_rows: set[int] = set()
    named: set[str] = set()
    for cell in table.cells:
        named.update(cell.headers)
        if not cell.is_header:
            data_rows.update(range(cell.row, cell.row + cell.rows))
    filled: set[int] = set()
    for cell in table.cells:
        if not data_rows.isdisjoint(range(cell.row, cell.row + cell.rows)):
            filled.update(range(cell.column, cell.column + cell.columns))
    for cell in table.cells:
        if not cell.is_header or cell.id in named:
            continue
        in_row = not data_rows.isdisjoint(range(cell.row, cell.row + cell.rows))
        if not in_row and filled.isdisjoint(range(cell.column, cell.column + cell.columns)):
            yield Offender(cell.node, "no data cell in its row or column")
