"""The plugin as a project of a user has it: a ``conftest.py`` of one line, and tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.site.serve import serve_site

TESTS = """
from pagegrade import Access

def test_score(pagegrade_report):
    report = pagegrade_report("{url}")
    assert report.score >= 1
    assert report is pagegrade_report("{url}")

def test_too_much(pagegrade_report):
    assert pagegrade_report("{url}").score >= 101

def test_missing(pagegrade_report):
    pagegrade_report("http://127.0.0.1:9/")

def test_accesses(pagegrade_report):
    accesses = [Access(user="u", password=password) for password in ("n0t-1", "n0t-2", "n0t-1")]
    first, other, again = [pagegrade_report("{url}", access=access) for access in accesses]
    assert first.run.access.sent == ("basic",)
    assert again is first
    assert other is not first

def test_options(pagegrade_report):
    pagegrade_report("{url}", allow_typed_private=False)
"""


def test_a_test_states_the_score_of_a_page(tmp_path: Path) -> None:
    """One analysis serves all tests; a page that cannot be analyzed fails its test with the reason."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["pagegrade.pytest_plugin"]\n')
    with serve_site() as site:
        (tmp_path / "test_pages.py").write_text(TESTS.format(url=f"{site.http}/about"))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", str(tmp_path)],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    assert "3 failed, 2 passed" in done.stdout
    assert ">= 101" in done.stdout
    assert "http://127.0.0.1:9/ could not be analyzed: " in done.stdout
    assert "URLNotAllowed" in done.stdout
