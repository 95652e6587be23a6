from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.landmark_main import landmark_main
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<main>a</main>",
        "<div role=main>a</div>",
        "<main>a</main><main hidden>b</main>",
        "<main>a</main><main role=none>b</main>",
        "<main>a</main><main style='display: none'>b</main>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Hidden ones do not count."""
    assert outcome(landmark_main, html).state == "one"


@pytest.mark.parametrize(
    "html",
    [
        "<main>a</main><main>b</main>",
        "<main>a</main><div role=main>b</div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An element and a role are the same."""
    found = outcome(landmark_main, html)

    assert found.state == "several"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


def test_page_without_a_main_part_loses_half() -> None:
    """No success criterion asks for it."""
    found = outcome(landmark_main, "<div id=main><h1>x</h1></div>")

    assert found.state == "missing"
    assert landmark_main.state("missing").loss == 0.5


def test_page_that_scripts_draw_is_not_evaluated() -> None:
    """Its parts come later."""
    assert isinstance(run(landmark_main, "<div id=root></div><script src=/a.js></script>"), NotRun)


@pytest.mark.parametrize("role", ["dialog", "alertdialog"])
def test_page_behind_an_open_dialog_is_not_evaluated(role: str) -> None:
    """Its main part is hidden for as long as the dialog is open."""
    html = f"<main aria-hidden=true><h1>x</h1></main><div role={role}>y</div>"

    assert isinstance(run(landmark_main, html), NotApplicable)


@pytest.mark.parametrize(
    "html",
    [
        "<main aria-hidden=true>x</main>",
        "<div role=main hidden>x</div><p>y</p>",
        "<main hidden>x</main><div role=dialog hidden>y</div>",
        "<div role=dialog>y</div>",
    ],
)
def test_hidden_main_part_alone_is_none(html: str) -> None:
    """Without a dialog over it no screen reader finds it, and a dialog without it covers nothing."""
    assert outcome(landmark_main, html).state == "missing"
