from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_hidden_focus import aria_hidden_focus
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/>x</a>",
        "<div aria-hidden=true><a href=/ tabindex=-1>x</a></div>",
        "<div aria-hidden=true><button disabled>x</button></div>",
        "<div aria-hidden=true><fieldset disabled><input></fieldset></div>",
        "<div aria-hidden=true><a>x</a></div>",
        "<div aria-hidden=true><div hidden><a href=/>x</a></div></div>",
        "<div aria-hidden=true><div inert><a href=/>x</a></div></div>",
        "<div aria-hidden=true style='display:none'><a href=/>x</a></div>",
        "<div aria-hidden=true><iframe src=a></iframe></div>",
        "<div aria-hidden=true><video src=a></video></div>",
        "<div aria-hidden=true><input type=hidden></div>",
        "<div aria-hidden=true><p tabindex=x>x</p></div>",
        "<div aria-hidden=false><a href=/>x</a></div>",
        "<div aria-hidden=true><template><a href=/>x</a></template></div>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Elements that are disabled, out of the order or hidden from all visitors are not reached."""
    assert outcome(aria_hidden_focus, "<i aria-hidden=true></i>" + html).state == "closed"


@pytest.mark.parametrize(
    "html",
    [
        "<div aria-hidden=true><a href=/>x</a></div>",
        "<div aria-hidden=true><p tabindex=0>x</p></div>",
        "<div aria-hidden=true><input></div>",
        "<div aria-hidden=true><fieldset disabled><legend><input></legend></fieldset></div>",
        "<a href=/ aria-hidden=true>x</a>",
        "<div aria-hidden=true><div aria-hidden=false><button>x</button></div></div>",
        "<div aria-hidden=true><details><summary>x</summary></details></div>",
        "<div aria-hidden=true><p contenteditable>x</p></div>",
        "<video controls aria-hidden=true></video>",
        "<div aria-hidden=true><iframe src=a tabindex=0></iframe></div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Nothing inside can be shown again."""
    found = outcome(aria_hidden_focus, html)

    assert found.state == "reached"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.25), (10, 0.5), (30, 0.5)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_hidden_focus, "<a href=/ aria-hidden=true>x</a>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_details_without_a_summary_takes_the_focus() -> None:
    """Browsers show a summary of their own."""
    inert = "<div aria-hidden=true inert><details>x</details></div>"

    assert outcome(aria_hidden_focus, "<div aria-hidden=true><details>x</details></div>").state == "reached"
    assert outcome(aria_hidden_focus, "<details aria-hidden=true>x</details>").state == "reached"
    assert outcome(aria_hidden_focus, "<i aria-hidden=true></i><details>x</details>").state == "closed"
    assert outcome(aria_hidden_focus, inert).state == "closed"


@pytest.mark.parametrize("root", ["<html aria-hidden=true><body>", "<html><body aria-hidden=true>"])
def test_a_page_that_is_hidden_as_a_whole_is_one_finding(root: str) -> None:
    """``aria-hidden-body`` reports it; its links are not charged once more."""
    page = f"<!doctype html>{root}<a href=/>x</a>"

    assert isinstance(run(aria_hidden_focus, page), NotApplicable)
    assert outcome("aria-hidden-body", page).state == "hidden"
