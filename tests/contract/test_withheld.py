"""A report without a grade shows no figure, no word of a grade and no cost, in whatever form it is read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pagegrade.model.report import CATEGORIES, CategoryScore, Report, Withheld
from pagegrade.render.csv import render_csv
from pagegrade.render.github import render_github
from pagegrade.render.html import render_html
from pagegrade.render.junit import render_junit
from pagegrade.render.markdown import render_markdown
from pagegrade.render.pdf_model import sheet
from pagegrade.render.prompt import render_prompt
from pagegrade.render.sarif import render_sarif
from pagegrade.render.shared_pictures import render_badge
from pagegrade.render.text import render_text
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_passed, make_report, make_result

PARKED = Withheld(
    kind="parked_domain",
    message="The domain is parked: its registrar answers in the place of the site.",
    fix="Point the domain at the site and analyze it again.",
)


def withheld_report(**more: Any) -> Report:
    """A parked domain whose missing header was found all the same."""
    return make_report(
        make_result("hsts", category="security", title="Send HSTS", price=0.0, lost=0.0, evidence=()),
        make_passed("tls-certificate", category="security", price=0.0),
        **{
            "result": None,
            "score": None,
            "uncapped_score": None,
            "withheld": PARKED,
            "caps": (),
            "categories": {name: CategoryScore(score=None, result=None, passed=1, failed=0) for name in CATEGORIES},
            **more,
        },
    )


FORMS = {
    "text": lambda report: render_text([report]),
    "one line": lambda report: render_text([report], quiet=True),
    "markdown": lambda report: render_markdown([report]),
    "prompt": lambda report: render_prompt([report]),
    "html": lambda report: re.sub(r"<style>.*?</style>", "", render_html([report]), flags=re.DOTALL),
    "several as html": lambda report: re.sub(r"<style>.*?</style>", "", render_html([report] * 2), flags=re.DOTALL),
    "paper": lambda report: json.dumps(sheet(report)),
    "csv": lambda report: render_csv([report]),
    "github": lambda report: render_github([report]),
    "sarif": lambda report: render_sarif([report]),
    "junit": lambda report: render_junit([report]),
    "json": lambda report: json.dumps(report_to_dict(report)),
    "badge": lambda report: render_badge(report.state, result=report.result, score=report.score),
}
every_form = pytest.mark.parametrize("form", FORMS)


@every_form
def test_no_figure_and_no_word_of_a_grade(form: str) -> None:
    """Neither a score nor a result, not even of a category; the scale is not the page's."""
    shown = FORMS[form](withheld_report())

    assert not re.search(r"in good shape|is decent|needs work|of 100|costs \d|Costs \d|worth \d", shown)
    assert not re.search(r"\b(good|decent|bad)\b(?!\")", re.sub(r"class=\"[^\"]*\"", "", shown)), shown
    assert "None" not in shown


@pytest.mark.parametrize("form", ["text", "markdown", "prompt", "html", "paper", "json"])
def test_what_was_seen_and_what_to_do_is_said(form: str) -> None:
    """A reader is not left alone with a dash."""
    shown = FORMS[form](withheld_report()).replace("\u200b", "")
    flat = " ".join(shown.split())

    assert "The domain is parked" in flat
    assert "Point the domain at the site" in flat


@pytest.mark.parametrize("form", ["text", "markdown", "prompt", "html", "paper", "csv", "github", "sarif", "junit"])
def test_what_holds_all_the_same_is_listed(form: str) -> None:
    """A missing header is one, whatever page answered."""
    assert "HSTS" in FORMS[form](withheld_report()) or "hsts" in FORMS[form](withheld_report())


def test_the_badge_says_that_there_is_no_grade() -> None:
    """It is grey, and does not promise one."""
    shown = render_badge("completed")

    assert "no grade" in shown
    assert "pending" in render_badge("running")


def test_build_servers_show_why_there_is_no_grade() -> None:
    """A case of its own, skipped: the page neither failed nor passed."""
    shown = render_junit([withheld_report()])

    assert '<skipped message="no grade: The domain is parked' in shown
