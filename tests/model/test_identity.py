"""Request ids by which an installation recognizes its own responses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.identity import is_own_request_id, mark_request_id

KEYS = st.binary(min_size=1, max_size=64)


@given(st.text(), KEYS)
def test_an_id_is_recognized_by_who_marked_it(request_id: str, key: bytes) -> None:
    """Whatever it is."""
    assert is_own_request_id(mark_request_id(request_id, key), key)


@given(st.text(), KEYS, KEYS)
def test_an_id_is_not_recognized_by_others(request_id: str, key: bytes, other: bytes) -> None:
    """With another key, without one, without a mark, and by part of one."""
    marked = mark_request_id(request_id, key)

    assert other == key or not is_own_request_id(marked, other)
    assert not is_own_request_id(marked, b"")
    assert not is_own_request_id(marked[:-1], key)
    assert not is_own_request_id(request_id, key)


def test_any_text_of_a_response_can_be_compared() -> None:
    """Also what no encoding knows."""
    assert not is_own_request_id("\udc80.\udcff", b"k")
