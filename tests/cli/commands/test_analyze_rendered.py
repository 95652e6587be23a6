from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.cli.app import run
from tests.chromium import program
from tests.cli.site import Site, running_site

__all__ = ["program"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def test_a_page_is_drawn_and_what_the_browser_saw_is_saved(
    site: Site, program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report, the pictures in their folder, and the requests as HAR."""
    monkeypatch.setenv("PAGEGRADE_RENDER_LOADS", "1")
    monkeypatch.setenv("PAGEGRADE_BROWSER", str(program))
    har, pictures = tmp_path / "page.har", tmp_path / "pictures"
    trace = tmp_path / "page.trace.json"
    files = ("--har", str(har), "--pictures", str(pictures), "--save-trace", str(trace), "--cpu-slowdown", "2")
    code = run(["analyze", site.url, "--render", "--device", "desktop", "--network", "none", "-f", "json", *files])
    report = json.loads(capsys.readouterr().out)
    log = json.loads(har.read_text(encoding="utf-8"))["log"]

    events = {event["name"] for event in json.loads(trace.read_bytes())["traceEvents"]}

    assert code == 0
    assert {"navigationStart", "firstContentfulPaint", "thread_name"} <= events
    assert "cpu_slowdown_2" in report["rendered"]["notes"]
    assert report["analysis"] == {"engine": "rendered", "device": "desktop"}
    assert report["rendered"]["load_count"] == 1
    assert log["entries"][0]["request"]["url"] == site.url
    assert len(list(pictures.glob("*.webp"))) == len(report["rendered"]["pictures"])


@pytest.mark.parametrize("option", ["--har", "--save-trace"])
@pytest.mark.parametrize("others", [[], ["https://b.example/", "--render"]])
def test_files_for_one_page_that_a_browser_draws_take_no_other(
    option: str, others: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said before anything is fetched."""
    monkeypatch.setenv("PAGEGRADE_BROWSER", "/bin/true")
    code = run(["analyze", "https://a.example/", *others, option, "file"])

    assert code == 2
    assert option in capsys.readouterr().err


def test_a_trace_that_cannot_be_saved_is_refused_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a browser starts."""
    monkeypatch.setenv("PAGEGRADE_BROWSER", "/bin/true")
    code = run(["analyze", "https://a.example/", "--render", "--save-trace", str(tmp_path / "missing" / "file")])

    assert code == 2
    assert "--save-trace" in capsys.readouterr().err
