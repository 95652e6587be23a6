from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.marquee_blink import marquee_blink
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<marquee hidden>x</marquee>",
        "<center>x</center>",
        "<template><blink>x</blink></template>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Other obsolete elements stand still."""
    assert outcome(marquee_blink, html).state == "still"


@pytest.mark.parametrize(
    "html",
    [
        "<marquee>x</marquee>",
        "<blink>x</blink>",
        "<marquee aria-hidden=true>x</marquee>",
        "<div aria-hidden=true><blink>x</blink></div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Both elements move."""
    found = outcome(marquee_blink, html)

    assert found.state == "moving"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(marquee_blink, "<blink>x</blink>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
