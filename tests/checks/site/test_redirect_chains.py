from __future__ import annotations

from tests.site_builders import hits

CHECK = "redirect-chains"


def test_two_steps_are_a_chain_and_five_a_long_one() -> None:
    """Each URL is measured from where it stands."""
    pages = [{"page_id": number, "status": 301, "redirect_id": number + 1} for number in range(1, 6)]
    found = hits(CHECK, pages=[*pages, {"page_id": 6}])

    assert found == {(1, "long"), (2, "chain"), (3, "chain"), (4, "chain")}
