from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.nested_interactive import nested_interactive
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<button>x <b>y</b></button>",
        "<button><span tabindex=0>x</span></button>",
        "<div role=button><input disabled></div>",
        "<div role=menuitem><a href=/>x</a></div>",
        "<label><input></label>",
        "<div role=button><a>x</a></div>",
        "<div role=slider><a href=/ hidden>x</a></div>",
        "<div role=button aria-hidden=true><a href=/>x</a></div>",
        "<details><summary><a href=/>x</a></summary></details>",
        "<div role=button><div role=link>x</div></div>",
        "<div role=button><div inert><button>x</button></div></div>",
        "<div role=button><fieldset disabled><input></fieldset></div>",
        "<button><summary>x</summary></button>",
        "<a href=/><span tabindex=0>x</span></a>",
        "<a><button>x</button></a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Only controls that take the focus, in elements whose content is presentation."""
    assert outcome(nested_interactive, "<input>" + html).state == "separate"


@pytest.mark.parametrize(
    "html",
    [
        "<button><a href=/>x</a></button>",
        "<a href=/><button>x</button></a>",
        "<a href=/><p><select><option>x</select></p></a>",
        "<button><a href=/ tabindex=-1>x</a></button>",
        "<div role=button><input></div>",
        "<div role=tab><b><button>x</button></b></div>",
        "<div role=img><a href=/>x</a></div>",
        "<div role=checkbox><div role=button tabindex=0>x</div></div>",
        "<div role=option><select></select></div>",
        "<button><details><summary>x</summary></details></button>",
        "<div role=button><input type=password></div>",
        "<div role=tab><div role=progressbar tabindex=0></div></div>",
        "<div role=button><fieldset disabled><legend><input></legend></fieldset></div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A negative tabindex hides nothing from a screen reader."""
    found = outcome(nested_interactive, html)

    assert found.state == "nested"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(nested_interactive, "<div role=button><input></div>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_players_with_controls_are_interactive() -> None:
    """Without controls nothing inside them takes the focus."""
    assert outcome(nested_interactive, "<button>x<audio controls src=a></audio></button>").state == "nested"
    assert outcome(nested_interactive, "<button>x<video controls src=a></video></button>").state == "nested"
    assert outcome(nested_interactive, "<button>x<video src=a></video></button>").state == "separate"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<button>y</button>", "nested"),
        ("<span role=button tabindex=0>y</span>", "nested"),
        ("<video controls src=a></video>", "nested"),
        ("<iframe src=/y title=y></iframe>", "nested"),
        ("<details><summary>y</summary>z</details>", "nested"),
        ("<object><a href=/y>y</a></object>", "nested"),
        ("<video src=a></video>", "separate"),
        ("<span tabindex=-1>y</span>", "separate"),
        ("<button disabled>y</button>", "separate"),
    ],
)
def test_what_html_forbids_in_a_link(inside: str, expected: str) -> None:
    """By element or by role; a box that only takes the focus is left out."""
    assert outcome(nested_interactive, f"<a href=/>x {inside}</a>").state == expected


def test_a_link_made_into_a_button_hides_what_is_inside() -> None:
    """The link itself takes the focus and is not inside."""
    assert outcome(nested_interactive, "<a href=/ role=button>x<b role=button tabindex=0>y</b></a>").state == "nested"
    assert outcome(nested_interactive, "<a href=/ role=button>x</a>").state == "separate"
