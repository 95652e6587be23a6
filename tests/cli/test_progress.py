from __future__ import annotations

import io

import pytest

from pagegrade.cli.progress import Progress


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def draw(stream: io.StringIO, *, total: int = 2, quiet: bool = False, term: str = "xterm") -> str:
    """Everything written while two pages are analyzed."""
    progress = Progress(stream, total, quiet=quiet, environment={"TERM": term})
    progress.start("https://example.com/\x1b[31m")
    progress.start("https://example.org/")
    progress.finish("https://example.com/\x1b[31m")
    progress.clear()
    return stream.getvalue()


def test_a_terminal_sees_one_line_that_changes() -> None:
    """No line break, and at the end an empty line as before."""
    drawn = draw(Terminal())

    assert "\n" not in drawn
    assert "1/2 analyzing https://example.org/" in drawn
    assert drawn.endswith("\r\x1b[2K")
    assert "\x1b[31m" not in drawn


@pytest.mark.parametrize(
    ("stream", "quiet", "term"),
    [(io.StringIO(), False, "xterm"), (Terminal(), True, "xterm"), (Terminal(), False, "dumb")],
)
def test_no_progress_is_written_without_a_terminal(stream: io.StringIO, *, quiet: bool, term: str) -> None:
    """Logs hold no progress lines."""
    assert draw(stream, quiet=quiet, term=term) == ""


def test_a_single_page_has_no_count() -> None:
    """One of one says nothing."""
    assert "/1" not in draw(Terminal(), total=1).replace("https://", "")
