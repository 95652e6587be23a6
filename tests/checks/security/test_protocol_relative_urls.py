from __future__ import annotations

import pytest

from pagegrade.checks.security.protocol_relative_urls import protocol_relative_urls
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<script src=//a.test/x.js></script>", 1),
        ("<img src=' //a.test/x.png' alt=''>", 1),
        ("<link rel=stylesheet href=//a.test/x.css>", 1),
        ("<img srcset='//a.test/x.png 1x, //a.test/y.png 2x' alt=''>", 1),
        ("<video poster=//a.test/x.jpg></video>", 1),
        ("<iframe src=//a.test/ title=x></iframe>", 1),
        ("<img src=https://a.test//x.png alt=''><img src=/x.png alt=''>", 0),
        ("<a href=//a.test/>x</a>", 1),
        ("<map name=m><area href=' //a.test/' alt=x></map>", 1),
        ("<a href=/a>x</a><a href=https://a.test//x>x</a><a href=/\\\\a.test>x</a><a>x</a>", 0),
        ("<link rel=canonical href=//a.test/><link rel=dns-prefetch href=//a.test>", 0),
        ("<p style='background:url(//a.test/x.png)'>", 0),
        ("<script>var a='//a.test/x.js'</script>", 0),
    ],
)
def test_addresses_that_begin_with_two_slashes(html: str, count: int) -> None:
    """Of files that are loaded and of links, each element once."""
    found = outcome(protocol_relative_urls, html)

    assert (found.value, found.state) == (count, "relative" if count else "explicit")
    assert evaluated(protocol_relative_urls, html).outcome == "informative"
