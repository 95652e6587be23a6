"""The memory budget of a run."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagegrade.gather.held_bytes import MAX_HEAD_BYTES, HeldBytes, Hold


def test_the_last_byte_is_given_and_one_more_is_not() -> None:
    """The limit itself is allowed."""
    budget = HeldBytes(100)
    hold = Hold(budget)

    assert hold.take(100)
    assert not hold.take(1)
    assert (hold.count, budget.held_bytes, budget.peak_bytes) == (100, 100, 100)


def test_heads_have_a_share_of_their_own() -> None:
    """What heads take is limited beside the total."""
    budget = HeldBytes(MAX_HEAD_BYTES + 10)
    hold = Hold(budget)

    assert hold.take_head(MAX_HEAD_BYTES)
    assert not hold.take_head(1)
    assert hold.take(10)


def test_a_released_body_leaves_its_head() -> None:
    """Whoever keeps the headers of an answer still pays for them."""
    budget = HeldBytes(100)
    hold = Hold(budget)
    hold.take_head(30)
    hold.take(50)
    hold.release_body()
    with_head = budget.held_bytes
    hold.release()

    assert with_head == 30
    assert (budget.held_bytes, budget.left_for_heads) == (0, MAX_HEAD_BYTES)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["take", "head", "body", "all"]), st.integers(0, 60))),
    st.integers(0, 100),
)
def test_never_more_than_the_total_and_all_of_it_comes_back(steps: list[tuple[int, str, int]], total: int) -> None:
    """Whatever order answers charge and release in."""
    budget = HeldBytes(total)
    holds = [Hold(budget) for _ in range(5)]
    for index, step, count in steps:
        hold = holds[index]
        if step in ("take", "head"):
            (hold.take if step == "take" else hold.take_head)(count)
        else:
            (hold.release_body if step == "body" else hold.release)()
        assert 0 <= budget.held_bytes == sum(each.count for each in holds) <= total
    for hold in holds:
        hold.release()

    assert budget.held_bytes == 0
    assert budget.peak_bytes <= total
