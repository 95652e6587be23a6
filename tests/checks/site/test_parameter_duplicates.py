from __future__ import annotations

from tests.site_builders import hits

CHECK = "parameter-duplicates"


def test_the_same_path_with_other_parameters_is_enough() -> None:
    """Another path, and the same parameters in another order, are other findings."""
    addresses = ["tea", "tea?a=1", "tea?a=2", "coffee?a=1", "milk?a=1&b=2", "milk?b=2&a=1"]
    pages = [
        {"page_id": at, "url": f"http://example.com/{path}", "digest": 5, "simhash": 5}
        for at, path in enumerate(addresses, 1)
    ]
    found = hits(CHECK, pages=pages)

    assert {page for page, _ in found} == {1, 2, 3}
