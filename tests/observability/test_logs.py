"""Hostile rows J12 to J14: text from untrusted clients cannot become a line, a color or a secret in the log."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from pagegrade.observability.logs import Lines, about, configure_logs, name_lines

SECRET = "pgk_8Hs2aB9dE3fG7hJ1kL5mN0pQ4rS6tU8vW2xY4zA6bC8d"
HOSTILE = [
    'x\n{"level":"info","event":"fake"}',
    "x\r\nfake",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "\x9b31m",
    "\x00\x08\x7f",
    "a\u2028b\u2029c\u0085d",
    "\u202egnp.exe\u2066",
    "%s%n%d {0.__class__} {event} %(levelname)s",
    "\ud800",
    '" level=fake "',
    "é" * 5_000,
]


@pytest.fixture
def stream() -> Iterator[io.BytesIO]:
    """The stream for the lines; afterwards everything is as it was."""
    root = logging.getLogger()
    handlers, level, hook, show = list(root.handlers), root.level, threading.excepthook, warnings.showwarning
    yield io.BytesIO()
    structlog.contextvars.clear_contextvars()
    root.handlers[:], threading.excepthook = handlers, hook
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    warnings.showwarning = show


def lines_of(stream: io.BytesIO) -> list[dict[str, Any]]:
    """Every line read as JSON."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def fail(text: str = "gone") -> None:
    """Something goes wrong."""
    raise LookupError(text)


def speak(lines: Lines, text: str) -> None:
    """Say something by both ways, in every place."""
    lines.info("said", value=text, more=[text, {text: text}])
    lines.info(text)
    logging.getLogger("pagegrade.test").warning("said %s", text, extra={"host": text})
    try:
        fail(text)
    except LookupError:
        logging.getLogger("pagegrade.test").exception("failed")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("style", ["json", "console"])
def test_no_value_can_forge_a_line_or_steer_a_terminal(stream: io.BytesIO, style: Any, text: str) -> None:
    """J12-J14: only visible ASCII, and as many lines as events."""
    speak(configure_logs(style, stream=stream), text)

    data = stream.getvalue()
    lines = [line for line in data.split(b"\n") if line and not line.startswith(b"    | ")]

    assert len(lines) == 4
    assert all(0x20 <= byte < 0x7F for line in data.split(b"\n") for byte in line)
    assert all(len(line) < 100_000 for line in lines)


@pytest.mark.parametrize("text", HOSTILE[:-1])
def test_json_says_what_was_said(stream: io.BytesIO, text: str) -> None:
    """Escaped is not lost."""
    configure_logs("json", stream=stream).info("said", value=text)

    assert [line["value"] for line in lines_of(stream)] == [text]


def test_long_values_are_cut(stream: io.BytesIO) -> None:
    """And say how long they were."""
    configure_logs("json", stream=stream).info("said", value="a" * 5_000)

    assert lines_of(stream)[0]["value"].endswith("... (5000 characters)")
    assert len(stream.getvalue()) < 3_000


@pytest.mark.parametrize("style", ["json", "console"])
def test_no_key_is_ever_written(stream: io.BytesIO, style: Any) -> None:
    """L08: wherever a key gets in, only what it may be recognised by gets out."""
    speak(configure_logs(style, stream=stream), f"Bearer {SECRET}")

    assert SECRET.encode() not in stream.getvalue()
    assert b"pgk_8Hs2aB9d..." in stream.getvalue()
    assert SECRET[9:20].encode() not in stream.getvalue()


def test_line_says_when_how_bad_and_what(stream: io.BytesIO) -> None:
    """The members every reader of logs looks for."""
    configure_logs("json", stream=stream).warning("report_deleted", report=7, account=None)

    (line,) = lines_of(stream)

    assert list(line) == ["ts", "level", "event", "report", "account"]
    assert (line["level"], line["event"], line["report"]) == ("warning", "report_deleted", 7)
    assert line["ts"].endswith("Z")
    assert len(line["ts"]) == len("2026-01-05T12:34:56.789Z")


def test_libraries_go_the_same_way(stream: io.BytesIO) -> None:
    """Their name, their arguments, what they gave besides, and the traceback in the line itself."""
    configure_logs("json", stream=stream)
    try:
        fail("gone")
    except LookupError:
        logging.getLogger("uvicorn.error").exception("no %s for %d", "room", 3, extra={"run": 9})

    (line,) = lines_of(stream)

    assert (line["level"], line["event"], line["logger"], line["run"]) == ("error", "no room for 3", "uvicorn.error", 9)
    assert line["exception"].endswith("LookupError: gone")


def test_wrong_format_string_is_reported_and_not_raised(stream: io.BytesIO) -> None:
    """A mistake in a log call must not become one of the request."""
    logging.getLogger().handlers[:] = []  # that of the test runner fails on purpose
    configure_logs("json", stream=stream)

    logging.getLogger("pagegrade.test").warning("%d", "no number")  # noqa: PLE1205, PLE1206, RUF100 - the mistake

    assert [line["event"] for line in lines_of(stream)] == ["log_line_unreadable"]


def test_values_of_any_kind_can_be_logged(stream: io.BytesIO) -> None:
    """Also those that cannot even say what they are."""

    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError

    recursive: list[object] = []
    recursive.append(recursive)
    lines = configure_logs("json", stream=stream)
    for value in (Mute(), recursive, {1: {2, 3}}, b"\xff", float("nan"), object):
        lines.info("said", value=value)

    assert len(lines_of(stream)) == 6


def test_least_level_holds_for_all_loggers(stream: io.BytesIO) -> None:
    """A line below it costs nothing and is not written."""
    lines = configure_logs("json", "warning", stream=stream)
    lines.info("quiet")
    logging.getLogger("pagegrade.test").info("quiet")
    lines.warning("loud")
    logging.getLogger("pagegrade.test").error("loud")

    assert [line["event"] for line in lines_of(stream)] == ["loud", "loud"]


def test_chatty_libraries_only_warn(stream: io.BytesIO) -> None:
    """A line for each statement or connection would bury ours."""
    configure_logs("json", "debug", stream=stream)
    for name in ("uvicorn.error", "sqlalchemy.engine", "asyncio"):
        logging.getLogger(name).info("chat")

    assert stream.getvalue() == b""


def test_configuring_again_replaces(stream: io.BytesIO) -> None:
    """One event stays one line."""
    configure_logs("json", stream=io.BytesIO())
    configure_logs("json", stream=stream)
    logging.getLogger("pagegrade.test").warning("once")

    assert len(lines_of(stream)) == 1


def test_auto_is_json_without_a_terminal(stream: io.BytesIO) -> None:
    """A file, a pipe and a journal are read by programs."""
    configure_logs("auto", stream=stream).info("said")

    assert lines_of(stream)[0]["event"] == "said"


def test_auto_is_for_people_on_a_terminal(stream: io.BytesIO) -> None:
    """Time, level, event and the rest in one row."""
    stream.isatty = lambda: True  # type: ignore[method-assign]
    configure_logs("auto", stream=stream).info("report deleted", report=7, host="a b", nothing=None)

    assert stream.getvalue()[13:] == b'info    report deleted report=7 host="a b"\n'


def test_lines_inside_a_block_say_what_they_are_about(stream: io.BytesIO) -> None:
    """Also those of libraries; and afterwards no longer."""
    lines = configure_logs("json", stream=stream)
    with about(run=7):
        name_lines(request_id="abc")
        logging.getLogger("pagegrade.test").warning("inside")
        lines.info("inside")
    lines.info("outside")

    assert [line.get("run") for line in lines_of(stream)] == [7, 7, None]
    assert [line.get("request_id") for line in lines_of(stream)] == ["abc", "abc", "abc"]


def test_failed_thread_is_one_line(stream: io.BytesIO) -> None:
    """Python's own way is many lines on standard error."""
    configure_logs("json", stream=stream)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()

    assert [line["event"] for line in lines_of(stream)] == ["thread_failed"]
    assert lines_of(stream)[0]["exception"].endswith("LookupError: gone")


def test_a_blocked_log_does_not_stop_the_work(stream: io.BytesIO) -> None:
    """A closed pipe or a full disk under the log."""
    lines = configure_logs("json", stream=stream)
    stream.close()

    lines.info("said")
    logging.getLogger("pagegrade.test").warning("said")

    assert stream.closed


def test_standard_error_is_where_lines_go_by_default(
    stream: io.BytesIO, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard output belongs to results."""
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(stream))
    configure_logs("json").info("said")

    assert lines_of(stream)[0]["event"] == "said"
    assert capfdbinary.readouterr().out == b""
