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
        "<table role=grid><tr><td aria-selected=true>x</table>",
        "<table role=treegrid><tr aria-level=1><td>x</table>",
        "<div role=row aria-level=1></div>",
        "<input type=checkbox aria-checked=false>",
        "<input type=checkbox aria-checked=true checked>",
        "<input type=radio aria-checked='' checked>",
        "<input type=checkbox role=switch aria-checked=true>",
        "<button><b><i aria-label=x></i></b></button>",
        "<a href=/><span aria-label=x></span></a>",
        "<div role=option><strong><span aria-label=x></span></strong></div>",
        "<img alt='' src=a aria-label=x>",
        "<dt aria-label=x>",
        "<dd aria-expanded=true>",
        "<svg aria-label=x><g aria-label=y></g></svg>",
        "<svg><a href=/ aria-expanded=true></a></svg>",
        "<svg role=button aria-pressed=true></svg>",
        "<h1 role=none aria-label=x>y</h1>",
        "<time role=time aria-label=x></time>",
        "<div role=group aria-roledescription=slide>x</div>",
        "<div role=combobox aria-orientation=vertical></div>",
        "<div role=banner aria-expanded=true>x</div>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Global attributes, what the element supports, and elements whose role is unknown."""
    assert outcome(aria_allowed_attr, "<hr aria-label=x>" + html).state == "fitting"


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
        "<table><tr aria-level=1><td>x</table>",
        "<table role=grid><tr role=row aria-setsize=3><td>x</table>",
        "<table><tr aria-expanded=false><td>x</table>",
        "<input type=checkbox aria-checked=mixed>",
        "<input type=checkbox aria-checked=true>",
        "<input type=radio aria-checked=false checked>",
        "<input type=checkbox aria-checked=nope checked>",
        "<table><tr><td aria-selected=true>x</table>",
        "<svg aria-checked=true></svg>",
        "<svg role=img aria-checked=true></svg>",
        "<svg><g aria-level=1></g></svg>",
        "<input type=date aria-expanded=true>",
        "<blockquote aria-expanded=true>x</blockquote>",
        "<div role=spinbutton aria-expanded=true></div>",
        "<div role=menuitemradio aria-required=true></div>",
        "<div role=row aria-multiselectable=true></div>",
        "<code role=code aria-braillelabel=x>y</code>",
        "<p role=generic aria-roledescription=x>y",
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


@pytest.mark.parametrize("tag", ["div", "span", "p", "b", "figcaption", "abbr", "mark", "time"])
def test_name_on_an_element_without_a_role_costs_a_quarter(tag: str) -> None:
    """Some screen readers read it, most do not."""
    found = outcome(aria_allowed_attr, f"<{tag} aria-label=x>y</{tag}>" * 12)

    assert (found.state, found.loss, found.evidence[0].value) == ("unheard", 0.25, "x")


@pytest.mark.parametrize(
    "html",
    [
        "<div aria-roledescription=slide>x</div>",
        "<h1 role=none aria-brailleroledescription=x>y</h1>",
        "<p aria-braillelabel=x>y",
        "<button><span role=grid><i aria-label=x></i></span></button>",
        "<div role=grid><i aria-label=x></i></div>",
    ],
)
def test_words_for_what_has_no_role_are_unheard(html: str) -> None:
    """A name is read inside of a control only, and a role that is not there has no other word."""
    assert outcome(aria_allowed_attr, html).state == "unheard"


def test_line_breaks_may_be_hidden_only() -> None:
    """HTML allows no other attribute of ARIA on them."""
    assert outcome(aria_allowed_attr, "<br aria-hidden=true><wbr aria-hidden=true>").state == "fitting"
    for html in ("<br aria-label=x>", "<wbr aria-live=polite>", "<br aria-expanded=true>"):
        assert outcome(aria_allowed_attr, html).state == "unfitting"


def test_label_element_has_no_name_of_its_own() -> None:
    """It names a field."""
    assert outcome(aria_allowed_attr, "<label aria-label=x>y <input></label>").state == "unheard"
    assert outcome(aria_allowed_attr, "<label>y <input aria-label=x></label>").state == "fitting"


@pytest.mark.parametrize("tag", ["br", "wbr"])
def test_a_break_has_no_role(tag: str) -> None:
    """HTML allows no role on it but that it has none."""
    assert outcome(aria_allowed_attr, f"<p>a<{tag} role=separator>b").state == "unfitting"
    assert (
        outcome(aria_allowed_attr, f"<p>a<{tag} role=none>b<{tag} role=presentation aria-hidden=true>").state
        == "fitting"
    )
