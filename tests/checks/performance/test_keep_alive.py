from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.keep_alive import keep_alive
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, make_response, outcome, run


def answers(*connections: str, version: str = "HTTP/1.1", status: int = 200) -> Any:
    """Files that were answered so."""
    return make_resources(
        *(
            make_resource(
                f"{URL}{n}",
                response=make_response(
                    url=f"{URL}{n}",
                    status=status,
                    headers=(("Connection", value),) if value else (),
                    http_version=version,
                ),
            )
            for n, value in enumerate(connections)
        )
    )


@pytest.mark.parametrize(
    ("connections", "loss"),
    [
        (("close", "close"), 0.5),
        (("Close, TE",) * 15, 1),
        (("close", "keep-alive"), 0),
        (("", ""), 0),
        (("close", "close", "", "", ""), 0),
    ],
)
def test_most_answers_must_close(connections: tuple[str, ...], loss: float) -> None:
    """One may be the hundredth of its connection."""
    assert evaluated(keep_alive, resources=answers(*connections)).loss == pytest.approx(loss)


def test_http_1_0_closes_by_default() -> None:
    """Unless it says otherwise."""
    assert outcome(keep_alive, resources=answers("", "", version="HTTP/1.0")).state == "closed"
    assert outcome(keep_alive, resources=answers("keep-alive", "Keep-Alive", version="HTTP/1.0")).state == "kept"


def test_newer_versions_errors_and_single_answers_are_not_evaluated() -> None:
    """Their connections are kept, or were closed for a reason."""
    assert isinstance(run(keep_alive, resources=answers("close", "close", version="HTTP/2")), NotApplicable)
    assert isinstance(run(keep_alive, resources=answers("close", "close", status=503)), NotApplicable)
    assert isinstance(run(keep_alive, resources=answers("close")), NotApplicable)
    assert isinstance(run(keep_alive), NotRun)
