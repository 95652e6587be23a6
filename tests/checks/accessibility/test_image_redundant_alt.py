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
        "<a href=/><img src=a alt=A></a>",
        "<a href=/><img src=a alt=A></a> <a href=/>A</a>",
        "<div><img src=a alt=A>A</div>",
        "<figure><img src=a alt=A><figcaption>A and more</figcaption></figure>",
        "<figure><img src=a alt=A></figure>",
        "<p><a href=/><img src=a alt=A></a>A</p>",
        "<a href=/><img src=a alt=A><span hidden>A</span></a>",
        "<a href=/><img src=a alt=A role=none>A</a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """An empty alternative, one that says something else, or one without text beside it."""
    assert outcome(image_redundant_alt, html).state == "once"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/><img src=a alt=A>A</a>",
        "<a href=/><img src=a alt='The  boat'> the boat </a>",
        "<button><img src=a alt=A>A</button>",
        "<a href=/><figure><img src=a alt=A></figure>A</a>",
        "<figure><img src=a alt='池の 鷺'><p>x</p><figcaption><b>池の鷺</b></figcaption></figure>",
        "<div role=button><img src=a alt=A>A</div>",
        "<p><img src=a alt=A> <b>A</b></p>",
        "<ul><li><img src=a alt=A>A</ul>",
        "<table><tr><td><img src=a alt=A>A</table>",
        "<table><tr><th><img src=a alt=A>A</table>",
        "<a href=/><img src=a aria-label=A>A</a>",
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
        "<a href=/ hidden><img src=a alt=A>A</a>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(image_redundant_alt, html), NotApplicable)
