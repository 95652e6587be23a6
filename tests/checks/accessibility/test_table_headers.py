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
        "<table><tr><th scope=''>a<tr><td>1</table>",
        "<table><tr><th colspan=2>a<tr><th>b<th>c<tr><td>1<td>2</table>",
        "<table><tr><th rowspan=2>a<td>1<tr><td>2</table>",
        "<table><caption>x</caption><tr><td>a</table>",
        "<table summary=layout><tr><td><table><tr><td>x<tr><td>y</table><td>z<tr><td>1<td>2</table>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Corners, spans and tables that may be layout are fine."""
    assert outcome(table_headers, html).state == "clear"


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
        "<table><tr><th>a<th>b</table>",
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
def test_page_without_anything_to_judge_is_not_judged(html: str) -> None:
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
    """A caption, a summary, a head or a role: nobody writes them for layout."""
    found = outcome(table_headers, start + "<tr><td>a<td>b<tr><td>1<td>2</table>")

    assert (found.state, found.loss) == ("unmarked", 0.5)
