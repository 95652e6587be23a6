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


def test_a_spelling_that_was_not_fetched_counts() -> None:
    """The crawl leaves out one of two spellings that the host shows alike; it is named with its page."""
    pages = [
        {"page_id": 1, "url": "http://example.com/tea", "digest": 5, "simhash": 5},
        {"page_id": 2, "url": "http://example.com/tea/", "state": "not_fetched", "status": None, "trap": "variant"},
        {"page_id": 3, "url": "http://example.com/milk"},
        {"page_id": 4, "url": "http://example.com/milk/", "state": "not_fetched", "status": None, "trap": "limit"},
    ]

    assert {page for page, _ in hits(CHECK, pages=pages)} == {1, 2}
