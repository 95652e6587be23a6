from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks._run import Evaluated
from pagegrade.checks.technical.console_errors import console_errors
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import ConsoleMessage
from tests.builders import evaluated, make_artifacts
from tests.rendering_builders import make_rendering


def make_message(text: str = "TypeError: x", *, level: str = "error", source: str = "exception") -> ConsoleMessage:
    """A line of the console."""
    return ConsoleMessage(level=level, source=source, text=text, url="https://example.com/a.js", line=4)  # type: ignore[arg-type]


def evaluate(*messages: ConsoleMessage) -> Evaluated:
    """The verdict on a console."""
    return evaluated(console_errors, rendering=make_rendering(console=messages))


@pytest.mark.parametrize(("count", "loss"), [(0, 0), (1, 0.5), (10, 1), (60, 1)])
def test_every_error_costs_up_to_ten(count: int, loss: float) -> None:
    """Thirty are listed, all are counted."""
    found = evaluate(*(make_message(str(number)) for number in range(count)))

    assert isinstance(found.verdict, Outcome)
    assert found.loss == pytest.approx(loss)
    assert len(found.verdict.evidence) == min(count, 30)
    assert found.verdict.value == count


def test_lines_are_counted_from_1() -> None:
    """The browser counts from 0, editors do not."""
    found = evaluate(make_message()).verdict

    assert isinstance(found, Outcome)
    assert found.evidence[0].line == 5


@pytest.mark.parametrize(
    "message",
    [
        make_message(level="warning"),
        make_message("Failed to load resource: net::ERR_SOCKS_CONNECTION_FAILED", source="network"),
        make_message("Feature X is deprecated", source="deprecation"),
        make_message("Refused to load the script", source="security"),
        make_message("EvalError: violates the following Content Security Policy directive", source="exception"),
    ],
)
def test_some_messages_are_no_fault_of_the_page_or_counted_elsewhere(message: ConsoleMessage) -> None:
    """Warnings, hosts that were not contacted, and what has a check of its own."""
    rendering = make_rendering(console=(message,), refused_hosts=(("example.com", 1),))

    assert evaluated(console_errors, rendering=rendering).loss == 0


def test_a_file_of_a_host_that_does_not_answer_is_an_error() -> None:
    """It was tried, and visitors do not get it either."""
    message = make_message("Failed to load resource: net::ERR_SOCKS_CONNECTION_FAILED", source="network")

    assert evaluate(message).loss == 0.5


def test_without_a_network_no_host_is_called_dead() -> None:
    """Of a page on this machine, where no name could be looked up: nothing is known of the hosts."""
    message = make_message("Failed to load resource: net::ERR_SOCKS_CONNECTION_FAILED", source="network")
    local = make_artifacts("<p>x", url="http://127.0.0.1:8000/", rendering=make_rendering(console=(message,)))

    assert evaluated(console_errors, local).loss == 0


def test_a_host_that_does_not_answer_is_named_without_our_proxy() -> None:
    """Visitors have none."""
    found = evaluate(
        make_message("Failed to load resource: net::ERR_SOCKS_CONNECTION_FAILED", source="network")
    ).verdict

    assert isinstance(found, Outcome)
    assert found.evidence[0].snippet == "Failed to load resource: its host does not exist or does not answer"


def test_the_page_that_the_browser_shows_for_a_refused_frame_is_no_place() -> None:
    """Nobody can open it."""
    message = replace(make_message("Refused to display 'https://maps.test/'"), url="chrome-error://chromewebdata/")
    found = evaluate(message).verdict

    assert isinstance(found, Outcome)
    assert found.evidence[0].url == ""
