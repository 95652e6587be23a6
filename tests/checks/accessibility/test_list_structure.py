from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.list_structure import list_structure
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>x</ul>",
        "<ol><li>x<script></script><template></template></ol>",
        "<ul></ul>",
        "<ul role=menu><div>x</div></ul>",
        "<ul><div role=listitem>x</div></ul>",
        "<ul><p hidden>x</p><li>y</ul>",
        "<ul><!-- x --><li>y</ul>",
        "<menu><li>x</menu>",
        "<div role=list><li>x</div>",
        "<ul role=none><li>x</ul>",
        "<ul role=directory><li>x</ul>",
        "<dl><dt>a<dd>b</dl>",
        "<dl><div><dt>a<dd>b</div></dl>",
        "<dl></dl>",
        "<dl><dt>a<dt>b<dd>c<dd>d</dl>",
        "<li role=tab>x",
        "<li hidden>x",
        "<dl><script></script><dt>a<dd>b</dl>",
        "<ul><li>x<input type=hidden></ul>",
        "<ul><input type=HIDDEN><base href=/><slot></slot><li>x</ul>",
        "<dl><input type=hidden><dt>a<dd>b</dl>",
        "<dl><dt role=listitem>a<dd role=listitem>b</dl>",
        "<dl role=section><dt>a<dd>b</dl>",
        "<dl role=list><dt>a<dd>b</dl>",
        "<ul role=foo><li>x</ul>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Elements that show nothing may stand anywhere, and roles make other things of lists."""
    assert outcome(list_structure, html).state == "sound"


@pytest.mark.parametrize(
    "html",
    [
        "<ul><div>x</div></ul>",
        "<ul>x</ul>",
        "<ul><li role=tab>x</ul>",
        "<ul><a href=/>x</a></ul>",
        "<ul><ul><li>x</ul></ul>",
        "<li>x",
        "<div><li>x</div>",
        "<ul role=menu><li>x</ul>",
        "<dl><p>x</dl>",
        "<dl><dt>a</dl>",
        "<dl><dd>a</dl>",
        "<dl>x</dl>",
        "<dt>x",
        "<ul><li>x</li><input></ul>",
        "<dl><dd>a<dt>b</dl>",
        "<dl><div role=list><dt>a<dd>b</div></dl>",
        "<dl><div><div><dt>a<dd>b</div></div></dl>",
        "<ul><li>x</li><li role=tab>y</ul>",
        "<div><dd>x</div>",
        "<dl role=menu><dt>x<dd>y</dl>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Other elements in a list, and items without one."""
    found = outcome(list_structure, html)

    assert found.state == "broken"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(list_structure, "<ul><div>x</div></ul>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_groups_without_meaning_and_custom_elements_may_hold_items() -> None:
    """An element that a script defines may be a list; a role that says something else breaks it."""
    for html in (
        "<dl><div role=presentation><dt>x<dd>y</div></dl>",
        "<dl><div role=none><dt>x<dd>y</div></dl>",
        "<my-list><li>x</li></my-list>",
    ):
        assert outcome(list_structure, html).state == "sound"
    for html in ("<dl><div role=group><dt>x<dd>y</div></dl>", "<div><li>x</li></div>", "<ul><my-item>x</my-item></ul>"):
        assert outcome(list_structure, html).state == "broken"
