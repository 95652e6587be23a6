"""The elements that the walk sets aside."""

from __future__ import annotations

import pytest

from pagegrade.model.accessibility import Accessibility
from pagegrade.parse.aria import parts
from tests.builders import make_document


def facts(html: str) -> Accessibility:
    """The facts about accessibility of a page."""
    found = make_document(html).accessibility
    assert isinstance(found, Accessibility)
    return found


def test_only_elements_that_say_something_are_kept() -> None:
    """``aria-hidden`` alone, right and common, is not worth a fact; a wrong one is."""
    found = facts("<i aria-hidden=true></i><i aria-hidden=yes></i><i role=img></i><i aria-foo></i><i class=a id=b></i>")

    assert len(found.roles) == 3


def test_lists_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page cannot make them grow."""
    monkeypatch.setattr(parts, "MAX_PARTS", 3)
    found = facts("<p role=none tabindex=1 id=a lang=xx-yy accesskey=a>x" * 9)

    assert (len(found.roles), len(found.tabindexes), len(found.accesskeys)) == (3, 3, 3)
    assert len(found.doubled["a"]) == 8


def test_every_repeated_id_is_kept_after_its_first() -> None:
    """The first one is the one that references find."""
    found = facts("<p id=a>x<p id=b>y<p id=a>z<p id=a>z")

    assert {name: len(more) for name, more in found.doubled.items()} == {"a": 2}


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<div aria-hidden=true><a href=/>x</a><p tabindex=0>y<b contenteditable=false>z</b></div>", 2),
        ("<div aria-hidden=true hidden><a href=/>x</a></div>", 0),
        ("<a href=/>x</a>", 0),
    ],
)
def test_what_takes_the_focus_inside_hidden_parts_is_kept(html: str, count: int) -> None:
    """Hidden from all visitors is not hidden from assistive technology alone."""
    assert len(facts(html).hidden_focusables) == count
