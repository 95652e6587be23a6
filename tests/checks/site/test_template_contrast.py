from __future__ import annotations

from tests.site_builders import hits

CHECK = "template-contrast"


def test_only_drawn_pages_with_measured_text_count() -> None:
    """Text over pictures cannot be decided, and says nothing."""
    states = ("low", "enough", "partly")
    rendered = [
        {"page_id": number, "check_id": "color-contrast", "state": state, "loss": 0.5 * (state == "low"), "value": "p"}
        for number, state in enumerate(states, 1)
    ]
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 4}], rendered=rendered)

    assert found == {(1, "faint")}
