from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_allowed_attr import aria_allowed_attr
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ aria-current=page>x</a>",
        "<a href=/ aria-expanded=true>x</a>",
        "<button aria-pressed=true>x</button>",
        "<p aria-live=polite>x",
        "<summary aria-expanded=true>x</summary>",
        "<input type=date aria-required=true>",
        "<tr aria-level=1>",
        "<my-card aria-label=x aria-checked=true>x</my-card>",
        "<li aria-expanded=true>x",
        "<section aria-label=x>x</section>",
        "<td aria-label=x>",
        "<b aria-label=''>x</b>",
        "<p aria-checked=true hidden>x",
        "<button role=none aria-label=x></button>",
        "<svg aria-label=x aria-foo=y></svg>",
        "<a aria-disabled=true>x</a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Global attributes, what the element supports, and elements whose role is unknown."""
    assert outcome(aria_allowed_attr, html).state == "fitting"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ aria-checked=true>x</a>",
        "<p aria-checked=true>x",
        "<div aria-expanded=true>x</div>",
        "<button aria-selected=true>x</button>",
        "<div aria-modal=true>x</div>",
        "<p role=img aria-checked=true>x",
        "<ul aria-orientation=vertical></ul>",
        "<code role=code aria-label=x>x</code>",
        "<p role=paragraph aria-labelledby=a>x<b id=a>y</b>",
        "<iframe aria-valuenow=1></iframe>",
        "<input aria-expanded=true>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """The role decides, whether written or native."""
    found = outcome(aria_allowed_attr, html)

    assert found.state == "unfitting"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_allowed_attr, "<p aria-checked=true>x" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


@pytest.mark.parametrize("tag", ["div", "span", "p", "b", "figcaption", "abbr"])
def test_name_on_an_element_without_a_role_costs_a_quarter(tag: str) -> None:
    """Some screen readers read it, most do not."""
    found = outcome(aria_allowed_attr, f"<{tag} aria-label=x>y</{tag}>" * 12)

    assert (found.state, found.loss, found.evidence[0].value) == ("unheard", 0.25, "x")
