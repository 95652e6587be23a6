from __future__ import annotations

from pagegrade.model.outcome import Evidence
from pagegrade.report.matching import match


def link(target: str, selector: str = "a", text: str = "Read") -> Evidence:
    """Evidence for a link."""
    return Evidence(selector=selector, snippet=f'<a href="{target}">{text}</a>')


def test_equal_entries_are_counted() -> None:
    """Three before and two after are two pairs and one that is gone."""
    matched = match([link("/x")] * 3, [link("/x")] * 2)

    assert len(matched.both) == 2
    assert matched.gone == (link("/x"),)
    assert matched.come == ()


def test_the_closest_partner_is_taken_first() -> None:
    """The one that changed its text waits until the one that did not has found its partner."""
    old = [link("/x", text="One"), link("/x", text="Two")]
    now = [link("/x", text="Three"), link("/x", text="One")]
    matched = match(old, now)

    assert matched.both == ((old[0], now[1]), (old[1], now[0]))
    assert matched.gone == matched.come == ()


def test_a_swap_of_the_lists_swaps_what_is_left() -> None:
    """What is new one way is gone the other way."""
    old, now = [link("/x"), link("/y", "b")], [link("/z"), link("/y", "c")]
    there, back = match(old, now), match(now, old)

    assert (there.gone, there.come) == (back.come, back.gone) == ((old[0],), (now[0],))


def test_copies_on_two_hosts_have_equal_addresses() -> None:
    """The own host of each list is left out."""
    old, now = [Evidence(url="https://a.test/x.css")], [Evidence(url="https://b.test/x.css")]
    matched = match(old, now, old_origins=("https://a.test",), now_origins=("https://b.test",))

    assert len(matched.both) == 1
    assert len(match(old, now).both) == 0


def test_nothing_matches_nothing() -> None:
    """Empty lists are fine."""
    assert match([], []).both == ()
    assert match([link("/x")], []).gone == (link("/x"),)
