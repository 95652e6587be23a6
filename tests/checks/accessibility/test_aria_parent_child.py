from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_parent_child import aria_parent_child
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tablist><div><div role=tab>x</div></div></div>",
        "<ul role=menu><li role=none><a role=menuitem>x</a></ul>",
        "<div role=listbox><div role=group><div role=option>x</div></div></div>",
        "<div role=tree><div role=treeitem>x<div role=group><div role=treeitem>y</div></div></div></div>",
        "<div role=table><div role=rowgroup><div role=row><i role=cell>x</i></div></div></div>",
        "<div role=list aria-owns=q></div><div role=listitem id=q>x</div>",
        "<div role=list></div>",
        "<div role=menu aria-busy=true><p>Loading</div>",
        "<ul role=list><li>x</ul>",
        "<div role=feed><article>x</article></div>",
        "<select><optgroup label=a><option role=option>x</optgroup><option role=option>y</select>",
        "<div role=tab hidden>x</div><div role=list></div>",
        "<table role=table><tr><td>x</table>",
        "<div role=tablist><div role=tab>x</div><p>y</p></div>",
        "<div role=list><div role=listitem>x</div><div role=button hidden>y</div></div>",
        "<div role=menu><div role=separator></div><div role=menuitem>x</div></div>",
        "<figure><p role=caption>x</figure>",
        "<ul role=tablist><li aria-hidden=true>x<li role=none><a role=tab>x</a></ul>",
        "<div role=menu><ul role=none><li><a role=menuitem>x</a></ul></div>",
        "<div role=list aria-owns=q><p id=p role=listitem>x</div><p id=q role=listitem>y",
        "<ul role=listbox><li role=option tabindex=-1>x</ul>",
        "<div role=grid><div role=caption>x</div><div role=row><i role=gridcell>x</i></div></div>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Elements without meaning may stand between, and ownership counts as standing inside."""
    assert outcome(aria_parent_child, html).state == "together"


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tab>x</div>",
        "<div role=option>x</div>",
        "<div role=group><div role=option>x</div></div>",
        "<div><option role=option>x</div>",
        "<div role=listitem>x</div>",
        "<div role=cell>x</div>",
        "<div role=list>x</div>",
        "<div role=tablist><button>x</button></div>",
        "<div role=tablist><div role=tab>x</div><button>y</button></div>",
        "<ul role=menu><li><a role=menuitem>x</a></ul>",
        "<div role=table><div role=cell>x</div></div>",
        "<div role=radiogroup><div role=treeitem>x</div></div>",
        "<div role=caption>x</div>",
        "<div role=menu><div role=menuitem>x<div role=group><div role=menuitem>y</div></div></div></div>",
        "<div role=list><div aria-live=polite><div role=listitem>x</div></div></div>",
        "<div role=list><div tabindex=-1><div role=listitem>x</div></div></div>",
        "<div role=list><div role=listitem>x</div><p tabindex=0>y</div>",
        "<div role=tablist><b role=none aria-label=x><i role=tab>y</i></b></div>",
        "<div role=list aria-owns=q></div><div role=tablist><div role=tab id=q>x</div></div>",
        "<table role=none><tr><td role=gridcell>x</table>",
        "<ul role=none><li><i role=treeitem>x</i></ul>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Alone, in the wrong place, or with the wrong content."""
    found = outcome(aria_parent_child, html)

    assert found.state == "apart"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<p role=button>x",
        "<div role=tab hidden>x</div>",
        "<div role=doc-bibliography><p role=doc-biblioentry>x</div>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(aria_parent_child, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_parent_child, "<div role=tab>x</div>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_submenu_may_stand_beside_its_item() -> None:
    """In a list item without a role, as the pattern of the W3C has it."""
    item = "<a role=menuitem href=/>x</a>"
    nested = f"<ul role=menubar><li role=none>{item}<ul role=menu><li role=none>{item}</li></ul></li></ul>"

    assert outcome(aria_parent_child, nested).state == "together"
    assert outcome(aria_parent_child, f"<ul role=menubar><li role=none>{item}<ul role=list></ul></ul>").state == "apart"
