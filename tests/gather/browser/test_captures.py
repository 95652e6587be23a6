from __future__ import annotations

import base64
import json
from contextlib import suppress
from pathlib import Path

import pytest

from pagegrade.gather.browser import captures
from pagegrade.gather.browser.captures import TraceFile, frames_of, read_picture


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
    monkeypatch.setattr(captures, "MAX_PICTURE_BYTES", len(WEBP))

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
