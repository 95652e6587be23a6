from __future__ import annotations

from pagegrade.model.access import Access, AccessNote


def test_a_note_says_what_was_sent_by_kind_alone() -> None:
    """It goes into the report."""
    access = Access(
        name="Staging",
        origins=("https://staging.example",),
        password="n0t-shown",
        headers=(("X-Door", "n0t-shown"),),
        query=(("key", "n0t-shown"),),
    )

    assert access.note == AccessNote(
        name="Staging", origins=("https://staging.example",), sent=("basic", "headers", "query")
    )
    assert "n0t-shown" not in repr(access.note)
