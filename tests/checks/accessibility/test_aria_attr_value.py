from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_attr_value import aria_attr_value
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-hidden=TRUE>x",
        "<p aria-hidden=''>x",
        "<button aria-expanded=' true '>x</button>",
        "<p role=slider aria-valuenow=-1.5>x",
        "<p role=heading aria-level=3>x",
        "<p aria-relevant='text additions'>x",
        "<p role=table aria-colcount=-1>x",
        "<a href=/ aria-current=foo>x</a>",
        "<button aria-controls=no aria-expanded=false>x</button>",
        "<button aria-controls=no aria-haspopup=menu>x</button>",
        "<p aria-owns='no a'><b id=a></b>",
        "<p aria-labelledby=''>x",
        "<p aria-hidden=yes hidden>x",
        "<input aria-errormessage=no>",
        "<input aria-errormessage=no aria-invalid=false>",
        "<input aria-errormessage=a aria-invalid=true><b id=a></b>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Case and blanks do not matter, and empty is unset."""
    assert outcome(aria_attr_value, html).state == "valid"


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-hidden=yes>x",
        "<button aria-expanded=1>x</button>",
        "<p role=heading aria-level=two>x",
        "<p role=heading aria-level=0>x",
        "<p role=heading aria-level=1.5>x",
        "<p role=slider aria-valuenow=half>x",
        "<p aria-live=loud>x",
        "<p aria-relevant='text nothing'>x",
        "<button aria-haspopup=yes>x</button>",
        "<p role=row aria-rowindex=0>x",
        "<p role=listbox aria-activedescendant='a b'><b id=a></b><b id=b></b>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Words, numbers and lists have their own kinds."""
    found = outcome(aria_attr_value, html)

    assert found.state == "invalid"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_attr_value, "<p aria-live=loud>x" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


@pytest.mark.parametrize(
    "html", ["<p aria-labelledby=no>x", "<button aria-controls=no>x</button>", "<p aria-owns='no nowhere'>x"]
)
def test_ids_that_scripts_may_add_cost_a_quarter(html: str) -> None:
    """They are not there now, and that is all that is known."""
    found = outcome(aria_attr_value, html)

    assert (found.state, found.loss) == ("unresolved", 0.25)


def test_page_that_scripts_draw_is_not_asked_for_its_ids() -> None:
    """Nothing is there yet."""
    html = "<div id=root aria-describedby=later></div><script src=/a.js></script>"

    assert outcome(aria_attr_value, html).state == "valid"
