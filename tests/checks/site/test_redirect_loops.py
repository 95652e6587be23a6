from __future__ import annotations

from tests.site_builders import hits

CHECK = "redirect-loops"


def test_what_leads_into_a_loop_belongs_to_it() -> None:
    """A long chain is no loop; a URL that redirects to itself is one."""
    pages = [
        {"page_id": 1, "status": 301, "redirect_id": 2},
        {"page_id": 2, "status": 301, "redirect_id": 3},
        {"page_id": 3, "status": 301, "redirect_id": 2},
        {"page_id": 4, "status": 301, "redirect_id": 4},
    ]
    chain = [{"page_id": number, "status": 301, "redirect_id": number + 1} for number in range(10, 30)]
    found = hits(CHECK, pages=[*pages, *chain, {"page_id": 30}])

    assert {page for page, _ in found} == {1, 2, 3, 4}
