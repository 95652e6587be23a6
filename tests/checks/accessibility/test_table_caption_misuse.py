from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.table_caption_misuse import table_caption_misuse
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<table><caption>P</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<table summary=Q><caption>P</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
        "<table><caption></caption><tr><th>a<th>b<tr><td>1<td>2</table>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """A caption is a caption."""
    assert outcome(table_caption_misuse, html).state == "proper"


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td colspan=2>P<tr><th>a<th>b<tr><td>1<td>2</table>",
        "<table><tr><th colspan=3>P<tr><th>a<th>b<th>c<tr><td>1<td>2<td>3</table>",
        "<table role=grid><tr><td colspan=2>P<tr><td>1<td>2</table>",
        "<table summary=P><caption>p</caption><tr><td>1</table>",
        "<table summary=' the  P'><caption>The P</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A cell across the whole table, or the same words twice."""
    found = outcome(table_caption_misuse, html)

    assert found.state == "imitated"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<table><tr><td colspan=2>x<tr><td>1<td>2</table>",
        "<table><tr><th>a<tr><td>1</table>",
        "<table role=none summary=P><caption>P</caption><tr><th>a<td>b</table>",
        "<table><caption>P</caption><tr><td>1</table>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(table_caption_misuse, html), NotApplicable)
