"""Log lines: one event, one line, whatever is in it.

Everything goes one way: our own events, the access lines and what libraries say through ``logging``. A line is JSON, or
``key=value`` for people at a terminal. Unsafe characters of a value (line breaks, terminal escapes, bidirectional
controls) are escaped, and what looks like an API key is shortened to what it may be recognized by.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator, MutableMapping
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final, Literal

import msgspec
import structlog
from structlog.contextvars import merge_contextvars

from pagegrade.clock import now_ms

Format = Literal["auto", "console", "json"]
Level = Literal["debug", "info", "warning", "error"]
Event = MutableMapping[str, Any]

LEVELS: Final[dict[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
MAX_TEXT: Final = 2_000
"""Characters of one value; the rest is cut off and said to be."""
MAX_TRACE: Final = 8_000
"""Characters of a traceback, of which the end matters most."""
MAX_LINE_BYTES: Final = 64 * 1024
MAX_LISTED: Final = 400
"""Characters of each value of a line that would be longer than that."""
NOISY: Final = ("asyncio", "alembic", "fido2", "opentelemetry", "procrastinate", "urllib3", "uvicorn", "sqlalchemy")
"""Libraries of which only warnings are of interest."""
KEY: Final = re.compile(rb"(pgk_[0-9A-Za-z]{8})[0-9A-Za-z_-]+")
PLAIN: Final = re.compile(r"[!#-<>-~]+")
"""Text that can stand in ``key=value`` as it is: visible ASCII without quotes and equals signs."""
PLAIN_SENTENCE: Final = re.compile(r"[ -~]+")
_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
"""Attributes of every log record; all others were given as ``extra``."""

Lines = structlog.typing.FilteringBoundLogger


def configure_logs(style: Format = "auto", level: Level = "info", *, stream: BinaryIO | None = None) -> Lines:
    """Send everything that is logged in this process to ``stream``, and give a logger for our own events.

    Args:
        style: ``auto``: for people where the stream is a terminal, JSON elsewhere.
        level: The least that is written.
        stream: Takes bytes; ``None``: standard error.
    """
    if stream is None:
        stream = sys.stderr.buffer
    people = style == "console" or (style == "auto" and stream.isatty())
    sink = _Sink(stream)
    render = render_console if people else render_json
    processors: list[Any] = [merge_contextvars, structlog.stdlib.add_log_level, render]
    handler = _Handler(processors, sink)
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(LEVELS[level])
    for name in NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, LEVELS[level]))
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread_error
    lines: Lines = structlog.wrap_logger(
        sink,
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        cache_logger_on_first_use=True,
    ).bind()
    return lines


@contextlib.contextmanager
def about(**names: object) -> Iterator[None]:
    """Lines written inside the block, by whomever, say these names too, such as the run they are about."""
    with structlog.contextvars.bound_contextvars(**names):
        yield


def name_lines(**names: object) -> None:
    """From here on, lines written by this task and those it starts say these names too."""
    structlog.contextvars.bind_contextvars(**names)


def render_json(_logger: object, _method: str, event: Event) -> bytes:
    """One line of JSON: when, how bad, what, and the rest in the order it was given."""
    line = {"ts": _stamp(now_ms()), "level": event.pop("level", "info"), "event": event.pop("event", ""), **event}
    trace = _trace(line.pop("exc_info", None))
    if trace:
        line["exception"] = trace
    for name, value in line.items():
        if type(value) is str and len(value) > MAX_TEXT and name != "exception":
            line[name] = _cut(value)
    try:
        data = msgspec.json.encode(line, enc_hook=_as_text)
    except (TypeError, ValueError, RecursionError):
        data = _ascii_json(line)
    if not data.isascii():
        # C1 controls, line separators and direction marks are fine in JSON, and do harm on a screen.
        data = _ascii_json(line)
    if len(data) > MAX_LINE_BYTES:
        data = _ascii_json({name: _as_text(value)[:MAX_LISTED] for name, value in line.items()})
    return _finish(data)


def render_console(_logger: object, _method: str, event: Event) -> bytes:
    """One line for people, and below it the traceback, every line of which is marked as such."""
    stamp = _stamp(now_ms())
    trace = _trace(event.pop("exc_info", None))
    level, name = event.pop("level", "info"), event.pop("event", "")
    parts = [stamp[11:23], f"{level:<7}", _quoted(name, plain=PLAIN_SENTENCE)]
    parts += [f"{key}={_quoted(value)}" for key, value in event.items() if value is not None]
    if trace:
        parts.append("".join(f"\n    | {json.dumps(line)[1:-1]}" for line in trace.splitlines()))
    return _finish(" ".join(parts).encode("ascii", "backslashreplace"))


class _Sink:
    """Writes whole lines. A closed log stream must not stop the work."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def msg(self, line: bytes) -> None:
        """Write one line."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.write(line)
            self._stream.flush()

    debug = info = warning = error = exception = critical = msg


class _Handler(logging.Handler):
    """Convert records of the ``logging`` module into events."""

    def __init__(self, processors: list[Any], sink: _Sink) -> None:
        super().__init__()
        self._processors = processors
        self._sink = sink

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; one that cannot be formatted is still mentioned."""
        try:
            event: Any = {"event": record.getMessage(), "logger": record.name}
        except Exception:  # noqa: BLE001 - a wrong format string is no reason to fail
            event = {"event": "log_line_unreadable", "logger": record.name}
        event |= {name: value for name, value in vars(record).items() if name not in _KNOWN}
        if record.exc_info:
            event["exc_info"] = record.exc_info
        method = record.levelname.lower() if record.levelname.lower() in LEVELS else "error"
        for processor in self._processors:
            event = processor(None, method, event)
        self._sink.msg(event)


def _log_thread_error(about_it: threading.ExceptHookArgs) -> None:
    if about_it.exc_type is SystemExit or about_it.exc_value is None:
        return
    error = about_it.exc_value
    logging.getLogger("pagegrade").error("thread_failed", exc_info=(type(error), error, error.__traceback__))


def _stamp(ms: int) -> str:
    """RFC 3339 in UTC with milliseconds."""
    second, rest = divmod(ms, 1000)
    known, text = _last_second
    if known != second:
        text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        _last_second[:] = second, text
    return f"{text}.{rest:03d}Z"


_last_second: list[Any] = [-1, ""]
"""Lines come by the thousand in a second; its text is made once."""


def _trace(exc_info: Any) -> str:
    """The traceback, its beginning cut off where it is long."""
    if exc_info is True:
        exc_info = sys.exc_info()
    if isinstance(exc_info, BaseException):
        exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
    if not isinstance(exc_info, tuple) or exc_info[0] is None:
        return ""
    text = "".join(traceback.format_exception(*exc_info)).rstrip()
    return text if len(text) <= MAX_TRACE else f"...{text[-MAX_TRACE:]}"


def _cut(text: str) -> str:
    return f"{text[:MAX_TEXT]}... ({len(text)} characters)"


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return _cut(text) if len(text := repr(value)) > MAX_TEXT else text
    except Exception:  # noqa: BLE001 - foreign objects may not even have a name
        return type(value).__name__


def _ascii_json(line: Event) -> bytes:
    try:
        return json.dumps(line, default=_as_text, skipkeys=True).encode("ascii")
    except (TypeError, ValueError, RecursionError):
        return json.dumps({name: _as_text(value) for name, value in line.items()}).encode("ascii")


def _quoted(value: object, *, plain: re.Pattern[str] = PLAIN) -> str:
    text = value if isinstance(value, str) else _as_text(value)
    text = _cut(text) if len(text) > MAX_TEXT else text
    return text if plain.fullmatch(text) else json.dumps(text)


def _finish(data: bytes) -> bytes:
    if b"pgk_" in data:
        data = KEY.sub(rb"\1...", data)
    if b"\x7f" in data:
        data = data.replace(b"\x7f", b"\\u007f")
    return data + b"\n"
