from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.summary_name import summary_name
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>x</summary></details>",
        "<details><summary title=x></summary></details>",
        "<details><summary aria-label=x></summary></details>",
        "<details><summary><img src=a alt=x></summary></details>",
        "<details><summary>x</summary><summary></summary></details>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Every source of a name counts."""
    assert outcome(summary_name, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary></summary>x</details>",
        "<details><summary><img src=a alt=''></summary></details>",
        "<details><summary><i class=icon></i></summary></details>",
        "<details><summary></summary><summary>x</summary></details>",
        "<details><p>x</p><summary role=none></summary></details>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """The part that it opens is no name."""
    found = outcome(summary_name, html)

    assert found.state == "nameless"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<summary></summary>",
        "<details>x</details>",
        "<details hidden><summary></summary></details>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(summary_name, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(summary_name, "<details><summary></summary></details>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_image_without_alternative_inside_is_no_second_fault() -> None:
    """The image is reported by the check of images; other summaries count as ever."""
    summary = '<details><summary><img src="a.png"></summary>x</details>'

    assert isinstance(run(summary_name, summary), NotApplicable)
    assert outcome(summary_name, f"{summary}<details><summary></summary>x</details>").total == 1
