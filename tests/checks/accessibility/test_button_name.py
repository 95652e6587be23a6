from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.button_name import button_name
from tests.builders import outcome


@pytest.mark.parametrize(
    "button",
    [
        "<button>Menu</button>",
        '<button><img src="m.svg" alt="Menu"></button>',
        '<button aria-label="Menu"><i></i></button>',
        '<button title="Menu"></button>',
        '<div role="button">Menu</div>',
        "<details><summary>More</summary></details>",
        '<input type="button" value="Menu">',
        '<input type="submit" value="Send">',
        '<a href="#" role="button">Menu</a>',
    ],
)
def test_button_with_a_name_passes(button: str) -> None:
    """Every source of a name that needs no stylesheet counts."""
    assert outcome(button_name, "<button>Menu</button>" + button).state == "named"


@pytest.mark.parametrize(
    "button",
    [
        "<button></button>",
        '<button><i class="fa fa-bars"></i></button>',
        '<button><img src="m.svg" alt=""></button>',
        '<div role="button" tabindex="0"></div>',
        '<a href="#" role="button"></a>',
        '<a role="button"></a>',
    ],
)
def test_button_without_a_name_is_found(button: str) -> None:
    """One button costs half and is shown."""
    found = outcome(button_name, button)

    assert (found.state, found.loss, found.total) == ("nameless", 0.5, 1)
    assert found.evidence[0].snippet
    assert found.message == "One button has no accessible name."


@pytest.mark.parametrize(
    "other",
    ['<input type="image" src="go.png">', '<input type="button">', "<details><summary></summary></details>"],
)
def test_input_buttons_image_buttons_and_summaries_are_left_to_their_checks(other: str) -> None:
    """One fault is not charged twice."""
    assert outcome(button_name, "<button>Menu</button>" + other).state == "named"


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<label>Go <button></button></label>", "named"),
        ("<label for=g>Go</label><button id=g></button>", "named"),
        ("<label for=g title=Go></label><button id=g></button>", "named"),
        ("<button role=none></button>", "nameless"),
        ("<button role=none disabled></button>", "named"),
        ("<button disabled></button>", "nameless"),
        ("<button value=Go></button>", "nameless"),
        ("<button><img src=m.svg alt='' title=Menu></button>", "nameless"),
        ("<button aria-labelledby=no></button>", "nameless"),
        ("<button role=tab></button>", "nameless"),
    ],
)
def test_label_names_a_button_and_no_role_takes_its_meaning(html: str, state: str) -> None:
    """A button takes the focus, so ``role=none`` does not hold, unless it is disabled."""
    assert outcome(button_name, "<button>Menu</button>" + html).state == state


@pytest.mark.parametrize("role", ["link", "doc-noteref", "menuitem", "checkbox", "switch"])
def test_button_with_the_role_of_something_else_is_left_to_another_check(role: str) -> None:
    """One fault is not charged twice."""
    assert outcome(button_name, f"<button>Menu</button><button role={role}></button>").state == "named"


@pytest.mark.parametrize("button", ["<button hidden></button>", '<button aria-hidden="true"></button>'])
def test_hidden_buttons_are_left_out(button: str) -> None:
    """No visitor reaches them."""
    assert outcome(button_name, "<button>Menu</button>" + button).state == "named"


@pytest.mark.parametrize(("count", "loss"), [(2, 0.5 + 0.5 / 9), (10, 1.0), (11, 1.0)])
def test_loss_grows_with_the_number(count: int, loss: float) -> None:
    """Everything is lost from ten buttons on."""
    assert outcome(button_name, "<button></button>" * count).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "button",
    [
        '<button><i></i><span class="wide">Menu</span></button>',
        '<a href="/" role="button"><span class="wide">Menu</span></a>',
        '<div role="button" tabindex="0"><span class="wide">Menu</span></div>',
    ],
)
def test_button_with_a_name_on_one_screen_only_is_reported(button: str) -> None:
    """It is shown there without its text."""
    style = "<style>@media (max-width:600px){.wide{display:none}}</style>"
    found = outcome(button_name, f'<meta name="viewport" content="width=device-width">{style}{button}')

    assert [one.reason for one in found.evidence] == ["no accessible name on a narrow screen"]


def test_button_with_a_label_has_a_name_on_every_screen() -> None:
    """The label is not part of the button."""
    style = "<style>@media (max-width:600px){.wide{display:none}}</style>"
    html = '<label for="b">Menu</label><button id="b"><span class="wide">Menu</span></button>'

    assert outcome(button_name, f'<meta name="viewport" content="width=device-width">{style}{html}').state == "named"
