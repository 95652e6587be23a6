"""The tutorial, done step by step: its pages are served, its commands run, and its figures are what they print."""

from __future__ import annotations

import functools
import re
import shlex
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pagegrade.cli.app import run

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs/tutorial/first-report.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000/"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class QuietHandler(SimpleHTTPRequestHandler):
    """The handler of ``python3 -m http.server``, without its log."""

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address at which the folder of the test is served."""
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_the_tutorial_works(
    tmp_path: Path, served: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every page is saved and every command run in its order; the text names the results and scores they print."""
    monkeypatch.chdir(tmp_path)
    printed, commands, quoted, statuses = "", [], [], {}
    for language, text in BLOCK.findall(TUTORIAL):
        if language == "html":
            (tmp_path / "index.html").write_text(text, encoding="utf-8")
        elif language == "text":
            quoted.append((" ".join(text.split()), " ".join(printed.split())))
        for line in text.splitlines() if language == "console" else ():
            words = shlex.split(line.removeprefix("$ "))
            commands.append(words[:2])
            if words[0] == "pagegrade":
                statuses[line] = run([word.replace(ADDRESS, served) for word in words[1:]])
                printed += capsys.readouterr().out

    shown = re.findall(r"\b(GOOD|DECENT|BAD)\s+(\d+) of 100", printed)
    (change,) = re.findall(r"`(Score \d+ → \d+\.)`", TUTORIAL)

    assert {line: status for line, status in statuses.items() if status} == {}
    assert quoted
    assert [text for text, so_far in quoted if text not in so_far] == []
    assert shown == re.findall(r"\*\*([A-Z]+)\*\*, \*\*(\d+) of", TUTORIAL)
    assert change in printed
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [words for words in commands if words[0] != "pagegrade"] == [
        ["make", "setup"],
        ["source", ".venv/bin/activate"],
        ["python3", "-m"],
    ]
