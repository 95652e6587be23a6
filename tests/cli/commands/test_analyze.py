from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.cli.app import run
from pagegrade.cli.commands.analyze import Progress
from pagegrade.gather.run import gather
from pagegrade.model.artifacts import Artifacts
from pagegrade.parse.url import Target
from pagegrade.report.artifacts_file import save_artifacts
from pagegrade.service.runs import analysis
from tests.builders import make_artifacts
from tests.cli.site import PAGE, Site, running_site

URL = "https://example.com/"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def test_a_page_the_person_typed_may_be_private(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """One's own machine can be analyzed without any setting; the report is alone on stdout."""
    code = run(["analyze", site.url, "-f", "json", "--budget", "20"])
    captured = capsys.readouterr()
    report = json.loads(captured.out)

    assert code == 0
    assert report["url"] == site.url
    assert report["results"]["image-alt"]["passed"] is False
    assert report["page"]["requests"] == 1
    assert f"{site.url}: {report['score']} of 100" in captured.err


def test_sub_resources_can_be_left_out(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Then what needs them is not evaluated."""
    run(["analyze", site.url, "-f", "json", "--no-subresources", "--quiet"])
    captured = capsys.readouterr()

    assert json.loads(captured.out)["results"]["asset-errors"]["outcome"] == "not_evaluated"
    assert captured.err == ""


def test_many_pages_come_in_the_order_they_were_asked_for(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From arguments and from stdin, each once; comments and empty lines do not count."""
    listed = f"# two pages\n\n{site.url}other\n  {site.url}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(listed.encode())))
    code = run(["analyze", f"{site.url}missing", "-", "-f", "json", "--concurrency", "2"])
    captured = capsys.readouterr()
    reports = json.loads(captured.out)

    assert code == 3
    assert [report["url"] for report in reports] == [f"{site.url}missing", f"{site.url}other", site.url]
    assert [report["state"] for report in reports] == ["failed", "completed", "completed"]
    assert "3 pages:" in captured.err


def test_a_line_is_written_when_its_page_is_done(tmp_path: Path) -> None:
    """Not when all are: a page that hangs keeps no other from being read, on the terminal or in a file."""
    file = tmp_path / "reports.jsonl"
    options = ["-f", "jsonl", "-f", "jsonl", "-o", "-", "-o", str(file), "-q"]
    with (
        running_site() as site,
        subprocess.Popen(
            [sys.executable, "-m", "pagegrade", "analyze", f"{site.url}slow", site.url, *options],
            stdout=subprocess.PIPE,
        ) as command,
    ):
        assert command.stdout is not None
        first = command.stdout.readline()
        running = command.poll() is None
        in_file = file.read_bytes()
        site.release()
        rest = command.stdout.read()

    assert (json.loads(first)["url"], running) == (site.url, True)
    assert json.loads(rest)["url"] == f"{site.url}slow"
    assert file.read_bytes() == first + rest
    assert first.startswith(in_file)  # it may be in the middle of being written


def test_a_source_that_is_none_is_refused_before_anything_is_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    """Not after a minute of work."""
    assert run(["analyze", "https://example.com/", "-f", "sarif", "--source", "site/"]) == 2
    assert "'--source'" in capsys.readouterr().err


def test_every_bad_line_of_a_list_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All mistakes at once, with their line numbers, before anything is fetched."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"https://example.com/\nftp://x/\nhttp://\n")))
    code = run(["analyze", "-"])
    error = capsys.readouterr().err

    assert code == 2
    assert "line 2" in error
    assert "line 3" in error


def test_an_empty_list_is_reported(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to do is a mistake, not a success."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n# nothing\n")))

    assert run(["analyze", "-"]) == 2
    assert "stdin" in capsys.readouterr().err


def test_saved_artifacts_are_evaluated_the_same(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fresh report and the one from the file are equal to the last byte."""
    path = tmp_path / "page.gz"
    run(["analyze", site.url, "-f", "json", "--quiet", "--save-artifacts", str(path)])
    fresh = capsys.readouterr().out
    run(["evaluate", str(path), "-f", "json"])

    assert capsys.readouterr().out == fresh


def test_several_pages_save_into_a_folder(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each under a name of its own; a failed page that answered is kept too."""
    pages = [site.url, f"{site.url}other"]
    code = run(["analyze", *pages, "--quiet", "--save-artifacts", str(tmp_path)])
    refused = run(["analyze", *pages, "--save-artifacts", str(tmp_path / "one.gz")])

    assert (code, refused) == (0, 2)
    assert len(list(tmp_path.glob("pagegrade-127.0.0.1-*-artifacts.json.gz"))) == len(pages)
    assert len(list(tmp_path.iterdir())) == len(pages)
    assert "existing folder" in capsys.readouterr().err


def test_artifacts_that_cannot_be_saved_do_not_cost_the_report(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work of a minute is printed all the same, and the code says that something could not be done."""

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    code = run(["analyze", site.url, "-q", "--save-artifacts", str(tmp_path / "a.gz")])
    captured = capsys.readouterr()

    assert code == 2
    assert site.url in captured.out
    assert "No space left on device" in captured.err


def test_reports_go_to_files_beside_the_text(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One analysis, as many forms as wanted."""
    html, sarif = tmp_path / "report.html", tmp_path / "report.sarif"
    code = run(
        ["analyze", site.url, "-f", "text", "-f", "html", "-f", "sarif", "-o", "-", "-o", str(html), "-o", str(sarif)]
    )
    captured = capsys.readouterr()

    assert code == 0
    assert "Fix first" in captured.out
    assert captured.err == ""
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(sarif.read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_a_baseline_shows_what_is_new(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same page against itself has nothing new, so the gate stays open."""
    baseline = tmp_path / "baseline.json"
    run(["analyze", site.url, "-o", str(baseline), "--quiet"])
    code = run(["analyze", site.url, "--baseline", str(baseline), "--fail-on-new", "high"])

    assert code == 0
    assert "New        0 findings" in capsys.readouterr().out


def test_a_page_that_cannot_be_reached_is_a_report_and_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    """The connection is refused; the reader learns what happened and what to do."""
    code = run(["analyze", "http://127.0.0.1:9/", "--budget", "5"])
    out = capsys.readouterr().out

    assert code == 3
    assert "NOT ANALYZED" in out
    assert "To do" in out


def test_a_mistake_of_ours_costs_one_page_only(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other pages are still reported, and the mistake is called one."""

    async def breaks_once(target: Target, **more: Any) -> Artifacts:
        if target.url.endswith("other"):
            raise ZeroDivisionError
        return await gather(target, **more)

    monkeypatch.setattr(analysis, "gather", breaks_once)
    code = run(["analyze", site.url, f"{site.url}other", "-f", "json", "-q"])
    first, second = json.loads(capsys.readouterr().out)

    assert code == 3
    assert first["state"] == "completed"
    assert second["error"]["code"] == "internal"
    assert "ZeroDivisionError" in second["error"]["message"]


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
