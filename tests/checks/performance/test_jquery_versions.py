from __future__ import annotations

import pytest

from pagegrade.checks.performance.jquery_versions import jquery_versions
from pagegrade.model.artifacts import Resource, ScriptFacts
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def script(path: str, *versions: str, own: bool = True) -> Resource:
    """A script that was read."""
    facts = ScriptFacts(jquery_versions=versions)
    return make_resource(URL + path, kind="script", script=facts, first_party=own)


@pytest.mark.parametrize(
    ("versions", "state", "loss"),
    [
        (["3.5.0"], "single", 0),
        (["4.0.0"], "single", 0),
        (["3.4.1"], "old", 0),
        (["1.12.4"], "old", 0),
        (["3.7.1", "3.7.1"], "several", 1),
        (["3.7.1", "1.4"], "several", 1),
        (["3.10.0"], "single", 0),
    ],
)
def test_number_and_version_decide(versions: list[str], state: str, loss: float) -> None:
    """Versions are numbers, not text."""
    files = make_resources(*(script(f"{n}.js", version) for n, version in enumerate(versions)))
    found = evaluated(jquery_versions, resources=files)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, loss)


def test_a_copy_of_another_host_and_an_inline_one_count() -> None:
    """The page runs them all."""
    html = "<!doctype html><script>/*! jQuery v2.2.4 | (c) jQuery Foundation */</script>"
    found = outcome(jquery_versions, html, resources=make_resources(script("a.js", "3.7.1", own=False)))

    assert (found.state, found.value) == ("several", "3.7.1, 2.2.4")
    assert found.evidence[1].selector


@pytest.mark.parametrize("text", ["// needs jQuery v1.7", "/*! jQuery UI - v1.12.1 */", "window.jquery = 1"])
def test_plugins_and_mentions_are_no_copies(text: str) -> None:
    """They only speak of it."""
    assert isinstance(run(jquery_versions, f"<script>{text}</script>", resources=make_resources()), NotApplicable)


def test_without_files_nothing_is_known() -> None:
    """Names of files prove nothing."""
    assert isinstance(run(jquery_versions, "<script src=/jquery-1.2.min.js></script>"), NotRun)
