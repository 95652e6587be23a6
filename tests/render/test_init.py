from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.access import AccessNote, VisitorView
from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.render import FORMATS, RenderOptions, render
from tests.report_builders import make_failed_report, make_report, poisoned_report


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "report",
    [make_report(), make_failed_report(), make_report(result=None, coverage=0.4, categories={}, page=None)],
    ids=["completed", "failed", "incomplete"],
)
def test_every_format_renders_every_report(name: str, report: object) -> None:
    """One report or several, ending in a line break, encodable."""
    for reports in (report, [report], [report, make_report()]):
        text = render(reports, name)  # type: ignore[arg-type]

        assert text.endswith("\n")
        assert text.encode()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("report", [make_report(), make_failed_report()], ids=["completed", "failed"])
def test_every_format_says_that_a_report_was_made_with_an_access(name: str, report: Report) -> None:
    """Beside one that was made without; that one alone says nothing of it."""
    visitors = VisitorView(status=401, url="https://example.com/", is_elsewhere=False, indexable=None)
    access = AccessNote(name="Staging", origins=("https://example.com",), sent=("basic",), visitors=visitors)
    notes = (f"Analyzed with access profile {access.name}.", "Without it, visitors and search engines get status 401.")
    run = replace(report.run, access=access, notes=notes)
    text = " ".join(render([report, replace(report, run=run)], name).replace("&nbsp;", " ").split())

    assert "access profile Staging" in text
    assert "search engines get status 401" in text
    assert "access profile" not in render([report, report], name)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "payload", ["%s%n{0.__class__}", "{{7*7}}", '\n{"level":"info","msg":"fake"}', "\ud800\x00\x1b"]
)
def test_format_verbs_templates_and_forged_lines_stay_literal(name: str, payload: str) -> None:
    """Nothing of a page is evaluated, and none of its line breaks makes a line of ours."""
    text = render(poisoned_report(payload), name)

    assert not any(line.startswith('{"level"') for line in text.splitlines())
    assert "<class 'str'>" not in text
    assert "\x1b" not in text


def test_an_unknown_format_names_the_known_ones() -> None:
    """The way out is in the error."""
    with pytest.raises(InvalidInput, match="markdown"):
        render(make_report(), "pdf")


def test_options_reach_the_renderer() -> None:
    """Width, colour and quiet are those asked for."""
    assert len(render(make_report(), "text", RenderOptions(quiet=True)).splitlines()) == 1
    assert "\x1b[" in render(make_report(), "text", RenderOptions(color=True))
