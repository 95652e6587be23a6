from __future__ import annotations

from pagegrade.checks.technical.bom import bom
from tests.builders import evaluated, make_artifacts, make_resource, make_resources, outcome

MARK = b"\xef\xbb\xbf"


def test_page_with_a_mark() -> None:
    """Of UTF-8 or UTF-16; the same bytes later are text."""
    assert outcome(bom, make_artifacts(MARK + b"<!doctype html>")).state == "present"
    assert outcome(bom, make_artifacts("\ufeff<!doctype html>".encode("utf-16-le"))).state == "present"
    assert outcome(bom, make_artifacts(b"<!doctype html>" + MARK)).state == "absent"
    assert outcome(bom, make_artifacts(b"")).state == "absent"


def test_files_with_a_mark() -> None:
    """Scripts, stylesheets and manifests; images may begin with anything."""
    files = make_resources(
        make_resource("https://example.com/a.css", kind="stylesheet", byte_order_mark=True),
        make_resource("https://example.com/a.js", kind="script", byte_order_mark=True),
        make_resource("https://example.com/b.js", kind="script"),
        make_resource("https://example.com/a.png", kind="image", byte_order_mark=True),
    )
    found = outcome(bom, "<!doctype html>", resources=files)

    assert [place.url for place in found.evidence] == ["https://example.com/a.css", "https://example.com/a.js"]
    assert evaluated(bom, "<!doctype html>", resources=files).outcome == "informative"
