from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from pagegrade.cli.app import run
from pagegrade.report.artifacts_file import save_artifacts
from tests.builders import make_artifacts
from tests.cli.site import PAGE

URL = "https://example.com/"


def report_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The report on stdout."""
    data = json.loads(capsys.readouterr().out)

    assert isinstance(data, dict)
    return data


@pytest.fixture
def page(tmp_path: Path) -> str:
    """An HTML file."""
    path = tmp_path / "page.html"
    path.write_bytes(PAGE)
    return str(path)


def test_an_html_file_is_evaluated_without_network(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Score and findings; checks that need the network are not evaluated."""
    code = run(["evaluate", "--html", page, "--url", URL, "-f", "json"])
    report = report_of(capsys)

    assert code == 0
    assert report["state"] == "completed"
    assert report["results"]["title"]["outcome"] == "passed"
    assert report["results"]["image-alt"]["passed"] is False
    assert report["counts"]["not_evaluated"] > 0


def test_headers_and_robots_txt_count(page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values given on the command line are evaluated like those of the network."""
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: *\nDisallow: /\n", encoding="utf-8")
    arguments = ["evaluate", "--html", page, "--url", URL, "-f", "json"]
    run(
        [
            *arguments,
            "-H",
            "X-Content-Type-Options: nosniff",
            "-H",
            "Content-Type: text/html",
            "--robots-txt",
            str(robots),
        ]
    )
    results = report_of(capsys)["results"]
    run(arguments)
    untold = report_of(capsys)["results"]

    assert results["x-content-type-options"]["passed"] is True
    assert results["robots-txt-allows"]["passed"] is False
    assert untold["x-content-type-options"]["outcome"] == "not_evaluated"
    assert untold["robots-txt-allows"]["outcome"] == "not_evaluated"


def test_a_status_that_is_no_page_is_not_graded(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An error page has no score, and the code says so."""
    code = run(["evaluate", "--html", page, "--url", URL, "--status", "503", "-f", "json"])
    report = report_of(capsys)

    assert code == 3
    assert report["score"] is None
    assert report["error"]["http_status"] == 503


def test_saved_artifacts_give_the_same_report_every_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a file or from stdin, byte for byte."""
    data = save_artifacts(make_artifacts(PAGE))
    path = tmp_path / "page.artifacts.json.gz"
    path.write_bytes(data)
    run(["evaluate", str(path), "-f", "json"])
    first = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    run(["evaluate", "-", "-f", "json"])

    assert capsys.readouterr().out == first
    assert json.loads(first)["score"] is not None


def test_a_gate_fails_the_evaluation(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same gates as for a fresh page."""
    code = run(["evaluate", "--html", page, "--url", URL, "-q", "--fail-on", "severity>=low"])
    captured = capsys.readouterr()

    assert code == 1
    assert "Gate failed: severity>=low" in captured.err
    assert len(captured.out.splitlines()) == 1


def test_the_operators_thresholds_grade_the_page(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting decides, and the report says by which scale it was graded."""
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "100")
    monkeypatch.setenv("PAGEGRADE_DECENT_FROM", "100")
    run(["evaluate", "--html", page, "--url", URL, "-f", "json"])
    report = report_of(capsys)

    assert report["run"]["thresholds"] == {"good": 100, "decent": 100}
    assert report["categories"]["accessibility"]["result"] == "bad"


def test_a_damaged_file_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the file, the fault, and the way to get a good one."""
    path = tmp_path / "cut.gz"
    path.write_bytes(save_artifacts(make_artifacts())[:-20])
    code = run(["evaluate", str(path)])
    error = capsys.readouterr().err

    assert code == 2
    assert "cut off" in error
    assert "--save-artifacts" in error
