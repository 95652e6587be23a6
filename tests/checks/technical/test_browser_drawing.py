from __future__ import annotations

import pytest

from pagegrade.checks._check import Verdict
from pagegrade.checks.technical.browser_drawing import browser_drawing
from pagegrade.model.artifacts import NOT_RENDERED, NotGathered
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import ConsoleMessage, RenderedRequest, Timeline
from tests.builders import evaluated, run
from tests.rendering_builders import make_rendering, make_timeline

BLANK = Timeline(load_ms=300.0, end_ms=15_000.0)


def failed(code: str, reason: str) -> NotGathered:
    """A page that was not drawn."""
    return NotGathered(code=code, detail="It was not drawn.", reason=reason)


@pytest.mark.parametrize(
    ("code", "reason", "state"),
    [
        ("timeout", "unresponsive", "hangs"),
        ("browser_crash", "page_crash", "crashes"),
        ("too_large", "memory", "memory"),
        ("navigation", "reloads", "reloads"),
        ("navigation", "left", "leaves"),
    ],
)
def test_what_the_page_does_to_a_browser_is_a_finding_with_a_cap(code: str, reason: str, state: str) -> None:
    """Each by its reason, with the sentence of the browser."""
    found = evaluated(browser_drawing, rendering=failed(code, reason))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == 1
    assert found.verdict.evidence[0].value == "It was not drawn."
    assert [cap.max_score for cap in browser_drawing.caps] == [49]


@pytest.mark.parametrize(
    "rendering",
    [NOT_RENDERED, failed("timeout", "time_limit"), failed("browser_crash", ""), failed("browser_sandbox", "")],
)
def test_a_failure_of_ours_says_nothing_of_the_page(rendering: NotGathered) -> None:
    """Nor does the check take coverage from a report without a browser."""
    assert isinstance(run(browser_drawing, rendering=rendering), NotRun)
    assert browser_drawing.needs_browser


def drawn(*loads: Timeline, notes: tuple[str, ...] = (), console: tuple[ConsoleMessage, ...] = ()) -> Verdict:
    """The verdict on a page that a browser opened."""
    return run(browser_drawing, rendering=make_rendering(*loads, notes=notes, console=console))


def test_a_blank_page_is_named_with_the_errors_of_its_scripts() -> None:
    """They are the usual reason."""
    error = ConsoleMessage(level="error", source="exception", text="TypeError: app is null")
    found = drawn(BLANK, notes=("nothing_painted",), console=(error,))

    assert isinstance(found, Outcome)
    assert found.state == "blank"
    assert [one.snippet or one.value for one in found.evidence] == ["nothing was painted", "TypeError: app is null"]


def test_a_blank_page_is_named_with_what_it_waits_for() -> None:
    """A file that never came is the reason for a load that did not end."""
    script = RenderedRequest(url="https://example.com/a.js", method="GET", kind="script", start_ms=9.0)
    page = make_rendering(BLANK, notes=("unfinished", "nothing_painted"), requests=(script,))
    found = run(browser_drawing, rendering=page)

    assert isinstance(found, Outcome)
    assert [(one.url, one.value) for one in found.evidence[1:]] == [("https://example.com/a.js", "did not arrive")]


def test_only_what_was_seen_to_be_blank_is_blank() -> None:
    """A load that was painted, or frames whose paint is not seen, are not."""
    painted = drawn(BLANK, make_timeline(), notes=("nothing_painted",))

    assert isinstance(painted, Outcome)
    assert painted.state == "drawn"
    assert isinstance(drawn(BLANK, notes=("nothing_painted", "frames_not_checked")), NotRun)
