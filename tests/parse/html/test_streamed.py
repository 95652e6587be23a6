"""Content that a server streams in hidden parts is part of the page; what waits for a click is not shown."""

from __future__ import annotations

import pytest

from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

PAGE = (
    "<main><template id='B:0'></template></main><div hidden id='S:0'><p>این چراغ با مس ساخته شده است</p></div>"
    "<script>{}</script><script>function add(a){{document.head.appendChild(a)}}</script>"
)


@pytest.mark.parametrize(
    "script",
    [
        "$RC=function(b,c){b=document.getElementById(b);b.parentNode.replaceChild(document.getElementById(c),b)};"
        "$RC('B:0','S:0')",
        'document.querySelector("main").append(...document.getElementById("S:0").childNodes)',
        'document.getElementById("B:0").replaceWith(document.getElementById("S:0"))',
    ],
)
def test_moved_part_is_text_of_the_page(script: str) -> None:
    """Of any framework, as long as the script names the part and moves at once."""
    assert "چراغ" in make_document(PAGE.format(script)).text


@pytest.mark.parametrize(
    "script",
    [
        "",
        "var s=document.createElement('script');document.head.appendChild(s)",
        "b.addEventListener('click',()=>document.body.append(document.getElementById('S:0')))",
        "b.onclick=()=>document.body.append(document.getElementById('S:0'))",
        "track('S:0')",
    ],
)
def test_part_that_stays_hidden_is_none(script: str) -> None:
    """Dialogs and menus wait for a click; a script that adds another script moves nothing."""
    assert make_document(PAGE.format(script)).text == ""


def test_many_parts_take_linear_time() -> None:
    """Each script names its own part."""
    line = "<div hidden id=S:{0}>x</div><script>$RC('B:{0}','S:{0}')</script>"
    start = "<script>function $RC(a,b){a.replaceWith(b)}</script>"

    assert growth(lambda n: make_document(start + "".join(line.format(i) for i in range(n))), 100) <= MAX_RATIO
