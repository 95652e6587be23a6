from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, TableFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_DATA_ROLES: Final = frozenset({"table", "grid", "treegrid"})


@check(
    id="table-caption-misuse",
    title="Table captions",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("proper", "Table captions are marked as captions."),
        State(
            "imitated",
            "Table captions are imitated by a cell or repeated.",
            title="Tables with an imitated or repeated caption",
            why=(
                "Screen readers announce a caption when they reach the table; a wide cell is just a cell, and a "
                "repeated caption is read twice."
            ),
            fix="Move the text of the wide cell into a `<caption>`, and remove a `summary` that repeats it.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/tutorials/tables/caption-summary/",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H39",
    ),
)
def table_caption_misuse(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """The title of a table belongs in its `<caption>`, not into a cell that spans all columns.

    ## What it checks

    Tables that are neither hidden nor marked as layout with a role: those whose `summary` says the same as their
    caption, and those of data with at least two rows and columns and without a caption, whose first row is one cell
    across all columns. A table holds data when it has a header cell or the role of a table or grid. It is informative
    and costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <table><tr><td colspan="2">Prices<tr><th>Size<th>Price<tr><td>S<td>10</table>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <table><caption>Prices</caption><tr><th>Size<th>Price<tr><td>S<td>10</table>
    ```
    """
    found = []
    evaluated = 0
    for table in accessibility.tables:
        summary = " ".join(table.attrs.get("summary", "").split())
        if table.caption and summary:
            evaluated += 1
            if summary.casefold() == table.caption.casefold():
                found.append(Offender(table.node, "summary and caption are the same", summary))
                continue
        if table.row_count < 2 or table.column_count < 2 or not _holds_data(table):
            continue
        evaluated += 1
        first = [cell for cell in table.cells if cell.row == 0]
        if table.caption is None and len(first) == 1 and first[0].columns >= table.column_count:
            found.append(Offender(first[0].node, "a cell across the whole table instead of a caption"))
    if not evaluated:
        return NotApplicable("The page has no data tables.")
    return counted(
        document,
        found,
        "proper",
        "imitated",
        "One table caption is imitated by a cell or repeated.",
        "{count} table captions are imitated by a cell or repeated.",
        low=0,
        high=0,
    )


def _holds_data(table: TableFact) -> bool:
    return table.attrs.get("role", "").strip().lower() in _DATA_ROLES or any(cell.is_header for cell in table.cells)
