from __future__ import annotations

from tests.site_builders import hits

CHECK = "url-variants"


def test_each_kind_of_spelling_is_one() -> None:
    """Scheme, www, case, slash, index file and order of parameters."""
    addresses = [
        "https://www.example.com/Tea/index.html?b=2&a=1",
        "http://example.com/tea?a=1&b=2",
        "http://example.com/tea/?a=1&b=2",
        "http://example.com/tea/?a=1&b=3",
        "http://example.com/teas/?a=1&b=2",
    ]
    pages = [{"page_id": at, "url": url, "digest": 5, "simhash": 5} for at, url in enumerate(addresses, 1)]
    found = hits(CHECK, pages=pages)
    others = hits(CHECK, pages=[{**page, "digest": page["page_id"]} for page in pages])

    assert {page for page, _ in found} == {1, 2, 3}
    assert others == set()
