from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from pagegrade.gather.browser.trace_file import TraceFile


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
