from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_name import aria_name
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<div role=dialog aria-label=x>y</div>",
        "<div role=dialog aria-labelledby=t><b id=t>x</b></div>",
        "<div role=alertdialog title=x></div>",
        "<div role=menuitem>x</div>",
        "<div role=tooltip>x</div>",
        "<div role=treeitem><img src=a alt=x></div>",
        "<div role=switch>x</div>",
        "<div role=slider aria-label=x></div>",
        "<div role=combobox aria-label=x aria-controls=l></div><div role=listbox id=l></div>",
        "<div role=option>x</div>",
        "<div role=combobox><input aria-label=x></div><div role=option>x</div>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """The role says whether the content is a name."""
    assert outcome(aria_name, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<div role=dialog><h2>x</h2></div>",
        "<div role=alertdialog>x</div>",
        "<div role=progressbar>x</div>",
        "<div role=meter></div>",
        "<div role=tooltip></div>",
        "<div role=treeitem></div>",
        "<div role=menuitem></div>",
        "<div role=switch></div>",
        "<div role=textbox>typed</div>",
        "<div role=listbox></div>",
        "<label>x <div role=switch></div></label>",
        "<div role=slider></div>",
        "<a href=/ role=menuitem></a>",
        "<button role=menuitem><img src=a alt=''></button>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A label names only fields of HTML, and what is typed is no name."""
    found = outcome(aria_name, html)

    assert found.state == "nameless"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<input role=switch type=checkbox>",
        "<dialog open>x</dialog>",
        "<div role=dialog hidden></div>",
        "<div role=button></div>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(aria_name, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_name, "<div role=dialog></div>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tree></div>",
        "<div role=grid>x</div>",
        "<div role=treegrid></div>",
        "<div role=radiogroup>x</div>",
        "<div role=tabpanel>x</div>",
    ],
)
def test_groups_without_a_name_cost_a_quarter(html: str) -> None:
    """Their parts are named all the same."""
    found = outcome(aria_name, html)

    assert (found.state, found.loss) == ("unnamed_groups", 0.25)


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tree aria-label=x></div>",
        "<table role=grid><caption>x</caption></table>",
        "<fieldset role=radiogroup><legend>x</legend></fieldset>",
        "<div role=tab id=t>x</div><div role=tabpanel aria-labelledby=t></div>",
        "<div role=combobox aria-label=x><div role=listbox></div></div>",
        "<div role=combobox aria-label=x><div><ul role=listbox></ul></div></div>",
        "<label for=b>x</label><button id=b role=switch aria-checked=true></button>",
        "<label>x <button role=combobox aria-expanded=false></button></label>",
        "<span role=doc-biblioref>x</span>",
    ],
)
def test_groups_lists_of_comboboxes_and_labelled_buttons_are_named(html: str) -> None:
    """Captions, legends and labels name them; the list in a combobox needs no name."""
    assert outcome(aria_name, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tab></div>",
        "<span role=doc-biblioref tabindex=0></span>",
        "<label for=b>x</label><button id=c role=switch></button>",
        "<label for=b>x</label><div id=b role=switch></div>",
        "<div role=listbox></div><div role=combobox aria-label=x></div>",
        "<div role=tree></div><div role=slider></div>",
    ],
)
def test_tabs_references_and_what_no_label_reaches_are_nameless(html: str) -> None:
    """A label names the button it points to, and no other element."""
    assert outcome(aria_name, html).state == "nameless"
