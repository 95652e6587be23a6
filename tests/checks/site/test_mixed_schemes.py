from __future__ import annotations

from tests.site_builders import hits

CHECK = "mixed-schemes"


def test_another_host_may_have_plain_http() -> None:
    """Hosts are looked at one by one, and a redirect is right."""
    pages = [{"page_id": 1, "url": "https://example.com/"}, {"page_id": 2, "url": "http://example.com/", "status": 301}]
    pages += [{"page_id": 3, "url": "http://plain.example.com/", "host": "plain.example.com"}, {"page_id": 4}]
    found = hits(CHECK, pages=pages)

    assert found == {(4, "mixed")}
