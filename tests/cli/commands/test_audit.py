"""``pagegrade audit``, run in this process on generated sites."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.cli.commands.audit import CrawlProgress
from pagegrade.store.analysis.relations import is_installed, open_relations
from tests.cli.command_line import CommandLine
from tests.site_world.server import serving
from tests.site_world.world import make_world

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Runs commands."""
    return CommandLine(tmp_path, capsys)


def test_a_site_is_crawled_into_a_folder(audit: CommandLine, tmp_path: Path) -> None:
    """And again: the crawls are numbered."""
    with serving(make_world(1, pages=12)) as site:
        said = audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"))
        again = audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"), "--quiet", "--max-pages", "5")
    rows = [json.loads(line) for line in (tmp_path / "out" / "1" / "pages.jsonl").read_text().splitlines()]

    assert said.code == 0
    page = tmp_path / "out" / "1" / "audit.html"

    assert ("Fix first" in said.out) if is_installed() else ("pip install 'pagegrade[audit]'" in said.err)
    assert page.exists() == is_installed()
    assert f"{len(rows)} pages of {site.origin}/ were fetched. Every page that was found" in said.err
    assert (again.code, again.err) == (0, "")
    assert (tmp_path / "out" / "2" / "links.jsonl.gz").stat().st_size


def test_files_that_are_missing_are_written_again(audit: CommandLine, tmp_path: Path) -> None:
    """The process may have been killed between the end of the crawl and its last file; nothing is fetched."""
    out = tmp_path / "out"
    with serving(make_world(1, pages=9)) as site:
        audit("audit", f"{site.origin}/", "-o", str(out))
    before = (out / "1" / "pages.jsonl").read_bytes()
    (out / "1" / "pages.jsonl").unlink()
    said = audit("audit", f"{site.origin}/", "-o", str(out), "--resume")

    assert said.code == 0
    assert (out / "1" / "pages.jsonl").read_bytes() == before


def test_a_folder_is_for_one_site(audit: CommandLine, tmp_path: Path) -> None:
    """The crawls of another one would have the same numbers."""
    with serving(make_world(1, pages=9)) as site:
        audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"), "--quiet")
        said = audit("audit", f"{site.origin}/guide/", "-o", str(tmp_path / "out"))

    assert said.code == 2
    assert f"holds the audit of {site.origin}/. Choose another folder" in said.err


def test_a_site_without_an_answer_pauses(audit: CommandLine, tmp_path: Path) -> None:
    """It says how to go on, and that it did not end; a second crawl needs a decision."""
    with serving(make_world(1, pages=9)) as site:
        pass
    said = audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"))
    second = audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"))

    assert said.code == 3
    assert "robots.txt could not be had" in said.err
    assert "--resume" in said.err
    assert second.code == 2
    assert "Add --resume to go on with it" in second.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--exclude", "blog"), "--exclude: blog is no pattern."),
        (("--rate", "5"), "Add --own-site if it is yours."),
        (("--rate", "50", "--own-site"), "--rate: 50 requests a second is no rate"),
        (("--resume",), "--resume: there is no crawl in"),
        (("--list", "missing.txt"), "missing.txt"),
        (
            ("--format", "xml"),
            "--format: xml is no format of an audit. Use text, json, html, csv, sarif,",
        ),
        (("--fail-on", "lcp_ms>1"), "--fail-on: lcp_ms>1: an audit does not have that."),
    ],
)
def test_what_cannot_be_used_is_named(
    audit: CommandLine, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """The option, the value and the way out."""
    said = audit("audit", "https://example.com/", "-o", str(tmp_path / "out"), *arguments)

    assert said.code == 2
    assert words in said.err


def test_an_address_that_must_not_be_contacted_is_refused(audit: CommandLine, tmp_path: Path) -> None:
    """As by ``analyze``."""
    said = audit("audit", "http://169.254.169.254/", "-o", str(tmp_path / "out"))

    assert said.code == 2


def test_progress_is_quiet_where_it_should_be() -> None:
    """Nothing is written before there is something to say."""
    stream = io.StringIO()
    CrawlProgress(stream, quiet=True, environment={}).clear()

    assert stream.getvalue() == ""


def test_the_result_is_written_in_every_format(audit: CommandLine, tmp_path: Path) -> None:
    """The table has a row for every page of every finding; each evaluates the crawl that has ended again."""
    out = tmp_path / "out"
    with serving(make_world(1, pages=12)) as site:
        audit("audit", f"{site.origin}/", "-o", str(out), "--quiet")
        said = {
            name: audit("audit", f"{site.origin}/", "-o", str(out), "--resume", "--quiet", "-f", name)
            for name in ("json", "html", "csv", "prompt", "text")
        }
    result = json.loads(said["json"].out)
    rows = list(csv.DictReader(io.StringIO(said["csv"].out.removeprefix("\ufeff"))))
    pages = {one["number"]: one["pages"] for one in result["findings"]}

    assert {one.code for one in said.values()} == {0}
    assert said["html"].out == (out / "1" / "audit.html").read_text(encoding="utf-8")
    assert said["text"].out == ""
    assert said["prompt"].out.startswith(f"# Fix {len(pages)} finding")
    assert {number: len({row["page"] for row in rows if row["finding"] == str(number)}) for number in pages} == pages


def test_documents_and_tables_are_written_as_bytes(audit: CommandLine, tmp_path: Path) -> None:
    """PDF, and Parquet with the rows of the table."""
    out = tmp_path / "out"
    with serving(make_world(1, pages=12)) as site:
        audit("audit", f"{site.origin}/", "-o", str(out), "--quiet")
        command = [sys.executable, "-m", "pagegrade", "audit", f"{site.origin}/", "-o", str(out), "--resume", "--quiet"]
        made = {
            name: subprocess.run([*command, "-f", name], capture_output=True, check=True).stdout
            for name in ("pdf", "parquet", "csv")
        }
    (tmp_path / "t.parquet").write_bytes(made["parquet"])
    with open_relations(tmp_path) as relations:
        rows = relations.rows(f"SELECT finding, page FROM read_parquet('{tmp_path}/t.parquet')")  # noqa: S608 - a path
    table = csv.DictReader(io.StringIO(made["csv"].decode("utf-8-sig")))

    assert made["pdf"].startswith(b"%PDF-")
    assert [(str(number), page) for number, page in rows] == [(row["finding"], row["page"]) for row in table]


def test_a_result_that_could_not_be_written_is_no_success(
    audit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table takes longer than it may: nothing is written, and the exit code says so; the text is another matter."""
    monkeypatch.setattr("pagegrade.cli.commands.audit.SECONDS", 0.001)
    out = tmp_path / "out"
    with serving(make_world(1, pages=12)) as site:
        said = {
            name: audit("audit", f"{site.origin}/", "-o", str(out), *resumed, "-f", name)
            for name, resumed in (("parquet", ()), ("text", ("--resume",)))
        }

    assert (said["parquet"].code, said["parquet"].out) == (3, "")
    assert "The table could not be written within 0.001 s." in said["parquet"].err
    assert said["text"].code == 0


@pytest.mark.parametrize(("condition", "code"), [("score<101", 2), ("score<=100", 1), ("score<1", 0)])
def test_a_condition_becomes_the_exit_code(audit: CommandLine, tmp_path: Path, condition: str, code: int) -> None:
    """As of ``analyze``; one that is none is refused before anything is fetched."""
    with serving(make_world(1, pages=12)) as site:
        said = audit("audit", f"{site.origin}/", "-o", str(tmp_path / "out"), "--quiet", "--fail-on", condition)

    assert said.code == code
    assert ("Gate failed: score<=100: the score is" in said.err) == (code == 1)
    assert bool(site.starts) == (code != 2)


def test_options_of_curl_let_a_crawl_in(audit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed or from the environment; every output says so, and no file holds the password."""
    out = tmp_path / "out"
    with serving(make_world(1, pages=9)) as site:
        typed = audit("audit", f"{site.origin}/", "-o", str(out), "--user", "reader:n0t-Shown-1", "--format", "json")
        asked = {one.path for one in site.starts if one.authorization}
        del site.starts[:]
        monkeypatch.setenv("PAGEGRADE_ACCESS_USER", "reader:n0t-Shown-1")
        audit("audit", f"{site.origin}/", "-o", str(out), "--quiet")
        again = {one.path for one in site.starts if one.authorization}
        wrong = audit("audit", f"{site.origin}/", "-o", str(out), "-H", "no header")

    assert "/" in asked & again
    assert len(asked) == len(again)
    assert wrong.code == 2
    assert "--header" in wrong.err
    assert not [path for path in out.rglob("*") if path.is_file() and b"n0t-Shown-1" in path.read_bytes()]
    if is_installed():
        note = "Analyzed with an access that visitors without it do not have."
        public = "Without it, visitors get a page there as well, which search engines may index."
        assert json.loads(typed.out)["notes"] == [note, public]
        assert note in (out / "1" / "audit.html").read_text()


def test_two_crawls_of_a_folder_are_compared(audit: CommandLine, tmp_path: Path) -> None:
    """A fault that is repaired in between is fixed, with its points; a folder that holds none is named."""
    out, world = tmp_path / "out", make_world(1, pages=12)
    with serving(world) as site:
        for more in ((), (), ("--fresh",)):
            audit("audit", f"{site.origin}/", "-o", str(out), "--quiet", *more)
    same = audit("compare-audits", str(out / "1"), str(out / "2"))
    result = json.loads((out / "1" / "audit.json").read_text())
    carried = [json.loads((out / number / "audit.json").read_text())["carried"] for number in "123"]
    # As another crawl of the same site would write it that found nothing.
    other = {**result, "findings": [], "score": 100, "exact": 100.0}
    (out / "2" / "audit.json").write_text(json.dumps(other))
    fixed = audit("compare-audits", str(out / "1"), str(out / "2"), "--json")
    none = audit("compare-audits", str(out), str(out / "2"))

    assert carried == [0, result["read"], 0]
    assert "have not changed since an earlier crawl" in (out / "2" / "audit.html").read_text()
    assert (same.code, "Crawl 1 and crawl 2" in same.out) == (0, True)
    assert f"Still there: {len(result['findings'])}" in same.out
    assert "Fixed" not in same.out
    members = json.loads(fixed.out)

    assert (members["counts"]["fixed"], members["counts"]["new"]) == (len(result["findings"]), 0)
    assert members["uncapped_score_before"] == result["exact"]
    assert (none.code, "is not the folder of an evaluated crawl" in none.err) == (2, True)
