from __future__ import annotations

import pytest

from pagegrade.checks.performance.css_import import css_import
from pagegrade.model.artifacts import StylesheetReference
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, make_resource, make_resources, outcome, run

LINKED = "<link rel=stylesheet href=/a.css>"


def files(*imports: tuple[str, str], own: bool = True) -> object:
    """One sheet that was fetched, and what sheets name."""
    return make_resources(
        make_resource(URL + "a.css", kind="stylesheet", first_party=own),
        stylesheet_references=tuple(
            StylesheetReference(url=URL + "b", kind=kind, stylesheet_url=URL + sheet)  # type: ignore[arg-type]
            for sheet, kind in imports
        ),
    )


@pytest.mark.parametrize(
    ("css", "count"),
    [
        ("@import '/b.css';", 1),
        ("@import url(/b.css) screen; @import '/c.css';", 2),
        ("/* @import '/b.css'; */ p{}", 0),
        ("p{} @import '/b.css';", 0),
        ("p::before{content:'@import'}", 0),
    ],
)
def test_rules_that_a_browser_follows_count(css: str, count: int) -> None:
    """Comments, texts and imports behind other rules load nothing."""
    assert outcome(css_import, f"<style>{css}</style>").value == count


@pytest.mark.parametrize(
    ("named", "own", "state"),
    [
        (("a.css", "stylesheet"), True, "imports"),
        (("a.css", "stylesheet"), False, "none"),
        (("a.css", "font"), True, "none"),
    ],
)
def test_sheets_of_the_site_are_evaluated(named: tuple[str, str], own: bool, state: str) -> None:  # noqa: FBT001 - a table
    """Those of others are not the owner's."""
    assert outcome(css_import, LINKED, resources=files(named, own=own)).state == state


def test_without_the_files_a_clean_page_proves_nothing() -> None:
    """An import in the page itself does, whatever the files say."""
    assert isinstance(run(css_import, LINKED), NotRun)
    assert isinstance(run(css_import, "<p>x"), NotApplicable)
    assert outcome(css_import, LINKED + "<style>@import '/b.css';</style>").state == "imports"
