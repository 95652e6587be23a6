"""Regions in which links lie."""

from __future__ import annotations

from pagegrade.parse.html.regions import Regions
from tests.builders import make_document

PAGE = (
    "<body><header><nav><a href=/1></a></nav><a href=/2></a></header><div role=navigation><a href=/3></a></div>"
    "<main><article><header><a href=/4></a></header><footer><a href=/5></a></footer></article>"
    "<nav><a href=/6></a></nav></main><div><a href=/7></a></div><footer><ul><li><a href=/8></a></ul></footer>"
    "<div role=contentinfo><a href=/9></a></div>"
)


def test_the_nearest_region_counts() -> None:
    """The header of an article is no header of the page; what lies in no region is the main part."""
    regions = Regions()
    found = [regions.of(anchor.node) for anchor in make_document(PAGE).anchors]

    assert found == ["nav", "header", "nav", "main", "main", "nav", "main", "footer", "footer"]
