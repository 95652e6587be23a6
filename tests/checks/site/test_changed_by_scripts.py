from __future__ import annotations

from tests.site_builders import hits

CHECK = "changed-by-scripts"


def test_a_canonical_url_weighs_more_than_content() -> None:
    """Each page has one state, the worst."""
    outcomes = (
        (1, "metadata-by-scripts", "canonical"),
        (1, "js-dependent-content", "shell"),
        (2, "metadata-by-scripts", "changed"),
        (3, "metadata-by-scripts", "same"),
        (3, "js-dependent-content", "served"),
    )
    rendered = [
        {"page_id": page_id, "check_id": check, "state": state, "loss": 0, "value": state}
        for page_id, check, state in outcomes
    ]
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 3}], rendered=rendered)

    assert found == {(1, "canonical"), (2, "content")}
