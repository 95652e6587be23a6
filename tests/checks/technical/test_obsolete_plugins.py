"""The traps of ``obsolete-plugins``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import outcome


@pytest.mark.parametrize(
    ("element", "name"),
    [
        ('<embed src="/a.swf">', "Flash"),
        ('<embed src="/a.SWF?x=1">', "Flash"),
        ('<object data="/a" type="Application/X-Shockwave-Flash"></object>', "Flash"),
        ('<object data="/a.xap" type="application/x-silverlight-2"></object>', "Silverlight"),
        ('<object data="/a.class"></object>', "Java"),
        ('<embed type="application/x-java-applet;jpi-version=1.4">', "Java"),
        ('<applet code="A.class"></applet>', "Java"),
        ('<object><embed src="/a.swf"></object>', "Flash"),
        ('<object type="application/x-shockwave-flash"><param name="movie" value="/a.swf"></object>', "Flash"),
        ('<object><param name="movie" value="/a.swf?id=1"></object>', "Flash"),
        ('<object><param name="quality" value="low"><param name="CODE" value="../A.class"></object>', "Java"),
        ('<object classid="CLSID:D27CDB6E-AE6D-11cf-96B8-444553540000"></object>', "Flash"),
    ],
)
def test_what_needs_a_plugin(element: str, name: str) -> None:
    """By its type, else by its file."""
    found = outcome("obsolete-plugins", element)

    assert (found.state, found.evidence[0].reason, found.evidence[0].value) == ("some", f"needs {name}", "")


@pytest.mark.parametrize(
    "element",
    [
        '<object data="/a.pdf" type="application/pdf"></object>',
        '<object data="/a.svg"></object>',
        '<embed src="/player.html?file=a.swf" type="text/html">',
        '<a href="/a.swf">x</a>',
        "<object></object>",
        "<embed>",
        '<object data="/a.svg"><param name="quality" value="low"></object>',
        '<object type="text/html"><param name="movie" value="/a.swf"></object>',
        '<object><param name="title" value="a.swf"><param name="movie" value="a"></object>',
        '<object data="/a.pdf" classid="clsid:CA8A9780-280D-11CF-A24D-444553540000"></object>',
        "<pre>&lt;embed src=a.swf&gt;</pre>",
        '<video src="/a.mp4"></video>',
    ],
)
def test_what_needs_none(element: str) -> None:
    """Other types, a file name in a query, links and code."""
    assert outcome("obsolete-plugins", element).state == "none"
