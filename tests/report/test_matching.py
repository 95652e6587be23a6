from __future__ import annotations

from msgspec.structs import replace

from pagegrade.model.outcome import Evidence
from pagegrade.report.matching import match


def link(target: str, selector: str = "a", text: str = "Read") -> Evidence:
    """Evidence for a link."""
    return Evidence(selector=selector, snippet=f'<a href="{target}">{text}</a>')


def test_elements_that_look_alike_are_counted() -> None:
    """Three before and two after are two pairs and one that is gone."""
    old = [link("/x", f"li:nth-of-type({n}) > a") for n in (1, 2, 3)]
    matched = match(old, old[:2])

    assert len(matched.both) == 2
    assert matched.gone == (old[2],)
    assert matched.come == ()


def test_of_elements_that_look_alike_the_one_whose_place_is_free_is_gone() -> None:
    """The second of three was fixed: the others keep their places, in whatever lines they stand now."""
    old = [replace(link("/x", f"li:nth-of-type({n}) > a"), line=n) for n in (1, 2, 3)]
    now = [replace(old[0], line=11), replace(old[2], line=13)]
    there, back = match(old, now), match(now, old)

    assert there.gone == back.come == (old[1],)
    assert there.come == back.gone == ()
    assert there.both == ((old[0], now[0]), (old[2], now[1]))


def test_entries_that_show_nothing_different_are_one() -> None:
    """Else one of them would be gone while the other one is still there."""
    there, back = match([link("/x")] * 3, [link("/x")] * 2), match([link("/x")], [link("/x")] * 2)

    assert there == back
    assert there.both == ((link("/x"), link("/x")),)


def test_the_closest_partner_is_taken_first() -> None:
    """The one that changed its text waits until the one that did not has found its partner."""
    old = [link("/x", text="One"), link("/x", text="Two")]
    now = [link("/x", text="Three"), link("/x", text="One")]
    matched = match(old, now)

    assert matched.both == ((old[0], now[1]), (old[1], now[0]))
    assert matched.gone == matched.come == ()


def test_a_swap_of_the_lists_swaps_what_is_left() -> None:
    """New entries become gone ones, and the other way round."""
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
