from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.link_name import link_name
from pagegrade.checks.accessibility.svg_img_alt import svg_img_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<svg role=img><title>Open</title></svg>",
        "<svg role=img aria-label=Open></svg>",
        "<b id=o>Open</b><svg role=graphics-document aria-labelledby=o></svg>",
        "<svg><g role=graphics-symbol><title>Open</title></g></svg>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """The title must be a child of the drawing itself."""
    assert outcome(svg_img_alt, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<svg role=img><path d='M0 0'/></svg>",
        "<svg role=img><g><title>Open</title></g></svg>",
        "<svg role=img><title> </title></svg>",
        "<svg role=graphics-symbol></svg>",
        "<svg><circle role=img /></svg>",
        "<svg role=img><text>Open</text></svg>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A title deeper inside names a part, and text in an image is presentation."""
    found = outcome(svg_img_alt, html)

    assert found.state == "nameless"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<svg><path/></svg>",
        "<svg role=img aria-hidden=true></svg>",
        "<div role=img></div>",
        "<svg role=none></svg>",
        "<p>x",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(svg_img_alt, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(svg_img_alt, "<svg role=img></svg>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_one_cause_is_one_finding() -> None:
    """A link without a name is reported for itself, and what is drawn in it is not reported again."""
    link = "<a href=/map><svg role=img></svg></a>"
    alone = outcome(svg_img_alt, link + "<p><svg role=img></svg></p>")

    assert isinstance(run(svg_img_alt, link), NotApplicable)
    assert outcome(link_name, link).total == 1
    assert alone.total == 1


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("image", "poor"),
        ("IMG_2041.jpg", "poor"),
        ("Bild 2", "poor"),
        ("Найти", "named"),
        ("検索", "named"),
        ("Map of Ulm", "named"),
    ],
)
def test_a_name_has_to_say_something(name: str, state: str) -> None:
    """File names and filler words cost a quarter; where others have no name at all, they are listed with them."""
    html = f"<svg role=img><title>{name}</title></svg>"
    found = outcome(svg_img_alt, html)

    assert (found.state, found.loss or 0) == (state, 0.25 if state == "poor" else 0)
    assert outcome(svg_img_alt, html + "<svg role=img></svg>").state == "nameless"
