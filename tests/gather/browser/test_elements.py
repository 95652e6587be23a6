from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.gather.browser.elements import MAX_STORED, read_storage
from pagegrade.model.rendering import Rendering, StoredEntry
from pagegrade.parse.rendering.causes import largest_paint, shifted_elements
from tests.gather.browser.pages import draw

MOVING = """<!doctype html><html lang=en><title>Moving</title>
<body style="margin:0"><h1>Shop with a long name</h1><div id=notice></div>
<h2>News of the week</h2><p>Words that are read by visitors while the page loads.</p>
<script>
localStorage.setItem("seen", "four");
sessionStorage.setItem("tab", "1");
document.cookie = "visitor=12";
indexedDB.open("shop");
setTimeout(() => { notice.innerHTML = "<div style='height:200px'>Notice</div>"; }, 700);
</script>"""


@pytest.fixture(scope="module")
def moving(program: Path) -> Rendering:
    """A page that inserts a notice above what is read, and keeps things in the browser."""
    return draw(program, {"/": MOVING})[0]


def test_a_moved_element_names_what_pushed_it_and_when(moving: Rendering) -> None:
    """The element before it that is as high as it moved."""
    heading = next(one for one in shifted_elements(moving) if one.selector.endswith("h2"))

    assert heading.down_px == pytest.approx(210, abs=20)
    assert (heading.time_ms or 0) >= 700
    assert heading.score > 0
    assert heading.pushed_by is not None
    assert heading.pushed_by.selector == "#notice"
    assert heading.cause == "content"


def test_the_phases_of_the_largest_paint_are_measured(moving: Rendering) -> None:
    """From the navigation on, by the clock of the trace."""
    paint = largest_paint(moving)

    assert paint is not None
    assert 0 < paint.first_byte_ms < paint.time_ms
    assert paint.kind == "text"


def test_what_the_page_keeps_is_listed_without_values(moving: Rendering) -> None:
    """Cookies, storage of both kinds, and databases."""
    kept = {(one.kind, one.name): one.size_bytes for one in moving.storage}

    assert kept["local_storage", "seen"] == len("seen") + len("four")
    assert kept["session_storage", "tab"] == len("tab") + 1
    assert ("cookie", "visitor") in kept
    assert ("indexed_db", "shop") in kept


def test_a_browser_that_was_taken_over_lists_no_more_than_is_kept() -> None:
    """Entries of another shape are left out; a cookie that an answer set is not of a script."""
    cookies = [{"name": f"c{number}", "size": 9} for number in range(MAX_STORED + 9)]

    assert len(read_storage(cookies, set(), [{"kind": "cache", "name": "v1"}])) == MAX_STORED
    assert read_storage([{"name": "sid", "size": "x"}, 7], {"sid"}, [{"kind": "safe", "name": 4}]) == (
        StoredEntry(kind="cookie", name="sid", size_bytes=None, by_script=False),
        StoredEntry(kind="cookie", name=""),
    )
