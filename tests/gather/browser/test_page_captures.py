from __future__ import annotations

import base64
import json
from contextlib import suppress
from pathlib import Path

import pytest

from pagegrade.gather.browser import page
from pagegrade.gather.browser.page import MAX_STORED, TraceFile, frames_of, read_picture, read_storage
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


def test_pictures_start_with_the_navigation() -> None:
    """The page before it is none of the load; equal neighbours are one."""
    shots = [(-90.0, "x"), (-10.0, "a"), (0.0, "a"), (40.0, "b"), (60.0, "b"), (80.0, "a")]

    assert frames_of(shots) == [(0.0, "a"), (40.0, "b"), (80.0, "a")]


@pytest.mark.parametrize(("count", "kept"), [(0, 0), (1, 1), (60, 60), (61, 60), (1_000, 60)])
def test_at_most_sixty_pictures_are_compared(count: int, kept: int) -> None:
    """The first and the last are always among them."""
    shots = [(float(number), str(number)) for number in range(1, count + 1)]
    found = frames_of(shots)

    assert len(found) == kept
    assert found[:1] == shots[:1]
    assert found[-1:] == shots[-1:]


WEBP = b"RIFF\x04\x00\x00\x00WEBP"


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        [1, 2],
        ["1", 2, base64.b64encode(WEBP).decode()],
        [1, 2, "not base64!"],
        [1, 2, base64.b64encode(b"GIF89a").decode()],
        [1, 2, None],
    ],
)
def test_what_is_no_picture_is_left_out(entry: object) -> None:
    """It comes from a browser that a page may have taken over."""
    assert read_picture("frame", entry) is None


def test_a_picture_may_be_as_large_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not one byte larger."""
    monkeypatch.setattr(page, "MAX_PICTURE_BYTES", len(WEBP))

    assert read_picture("frame", [1, 2, base64.b64encode(WEBP).decode()]) is not None
    assert read_picture("frame", [1, 2, base64.b64encode(WEBP + b"x").decode()]) is None


@pytest.mark.parametrize("parts", [[], [[]], [[{"name": "a"}], [], [{"name": "b"}, {"name": "c"}]]])
def test_the_file_holds_all_events_in_order(parts: list[list[dict[str, str]]], tmp_path: Path) -> None:
    """In the format that tools open, an empty trace included."""
    with TraceFile(tmp_path / "trace.json") as trace:
        for part in parts:
            trace.add(part)

    assert json.loads((tmp_path / "trace.json").read_bytes()) == {
        "traceEvents": [one for part in parts for one in part]
    }


def test_a_load_that_fails_leaves_a_whole_file(tmp_path: Path) -> None:
    """With what had arrived, in place of an older one."""
    path = tmp_path / "trace.json"
    path.write_text("older")
    with suppress(KeyError), TraceFile(path) as trace:
        trace.add([{"name": "a"}])
        raise KeyError

    assert json.loads(path.read_bytes()) == {"traceEvents": [{"name": "a"}]}


def test_without_a_path_nothing_is_kept_and_nothing_more_is_recorded() -> None:
    """Metrics need no further categories."""
    with TraceFile(None) as trace:
        trace.add([{"name": "a"}])

    assert trace.categories == ()


def test_secrets_are_masked(tmp_path: Path) -> None:
    """The file is sent to others."""
    with TraceFile(tmp_path / "trace.json", ("s3cr3t-R4nd0m",)) as trace:
        trace.add([{"name": "a", "args": {"url": "/?key=s3cr3t-R4nd0m"}}])

    assert json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"][0]["args"] == {"url": "/?key=…"}


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
