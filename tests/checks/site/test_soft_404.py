from __future__ import annotations

from tests.site_builders import hits

CHECK = "soft-404"


def test_three_bits_are_alike_and_four_are_not() -> None:
    """The text of a page may differ in three of 64 bits, and in few words."""
    probes = [{"key": "probes", "value": [{"status": 200, "simhash": 0, "words": 20}]}]
    pages = [
        {"page_id": 1},
        {"page_id": 2, "words": 20, "simhash": 0b111},
        {"page_id": 3, "words": 20, "simhash": 0b1111},
        {"page_id": 4, "words": 30, "simhash": 0},
        {"page_id": 5, "words": 20, "simhash": 0, "status": 404},
    ]
    found = hits(CHECK, pages=pages, site=probes)
    honest = hits(CHECK, pages=pages, site=[{"key": "probes", "value": [{"status": 404, "simhash": 0, "words": 20}]}])
    shell = hits(CHECK, pages=[{"page_id": 1, "words": 20, "simhash": 0}, *pages[1:]], site=probes)

    assert found == {(2, "soft")}
    assert honest == shell == set()
