from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.image_redundant_alt import image_redundant_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/><img src=a alt=''>A</a>",
        "<a href=/><img src=a alt=B>A</a>",
        "<a href=/><img src=a alt=A>A and more</a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """An empty alternative, or one that says something else."""
    assert outcome(image_redundant_alt, html).state == "once"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/><img src=a alt=A>A</a>",
        "<a href=/><img src=a alt='The  boat'> the boat </a>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Case and blanks make no difference."""
    found = outcome(image_redundant_alt, html)

    assert found.state == "twice"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<a href=/><img src=a alt=A></a>",
        "<img src=a alt=A>A",
        "<a href=/ hidden><img src=a alt=A>A</a>",
    ],
)
def test_page_without_anything_to_judge_is_not_judged(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(image_redundant_alt, html), NotApplicable)
