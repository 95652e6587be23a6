"""On paper: the verdict and every finding with its remedy, and nothing that only a screen can do."""

from __future__ import annotations

import io
import unicodedata
from typing import Final

import pytest
from pypdf import PdfReader

from tests.browser.conftest import Tabs
from tests.browser.instance import Instance
from tests.report_builders import make_report

ONLY_ON_SCREEN: Final = ("Sign out", "Skip to the content", "Analyze again", "Settings")


def printed(instance: Instance, tabs: Tabs, person: str, path: str) -> str:
    """The text of the paper, in one line."""
    window = tabs(person)
    window.go(instance.fill(path))
    window.page.emulate_media(media="print")
    paper = window.page.pdf(format="A4")
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(paper)).pages)
    # Fonts set two letters as one.
    return " ".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize(("person", "path"), [("Alice", "/reports/{bad.id}"), ("Charlie", "/r/{bad.slug}")])
def test_a_printed_report_is_whole(person: str, path: str, instance: Instance, tabs: Tabs) -> None:
    """Also what is folded on the screen."""
    text = printed(instance, tabs, person, path)
    report = make_report()
    findings = [result for result in report.results if result.passed is False and result.inherited_from is None]

    assert "18" in text
    assert "bad" in text.lower()
    assert [result.title for result in findings if result.title not in text] == []
    assert [result.check for result in findings if result.message[:40] not in text] == []
    assert [result.check for result in findings if result.fix.split("`")[0][:30] not in text] == []
    assert [word for word in ONLY_ON_SCREEN if word in text] == []


def test_a_printed_failure_says_what_happened(instance: Instance, tabs: Tabs) -> None:
    """And nothing of a score."""
    text = printed(instance, tabs, "Alice", "/reports/{failed_blocked.id}")

    assert "failing.example" in text
    assert "403" in text
    assert [word for word in ONLY_ON_SCREEN if word in text] == []
