from __future__ import annotations

import pytest

from pagegrade.checks.technical.deprecated_apis import deprecated_apis
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import BrowserIssue
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def issue(subject: str = "UnloadHandler", url: str = "https://example.com/a.js", line: int = 4) -> BrowserIssue:
    """A deprecated feature that a file uses."""
    return BrowserIssue(kind="deprecation", subject=subject, url=url, line=line)


@pytest.mark.parametrize(("count", "loss"), [(0, 0), (1, 0.5), (5, 1), (9, 1)])
def test_each_feature_counts(count: int, loss: float) -> None:
    """Up to five."""
    issues = tuple(issue(f"Feature{number}") for number in range(count))

    assert evaluated(deprecated_apis, rendering=make_rendering(issues=issues)).loss == loss


def test_a_feature_counts_once_for_each_file() -> None:
    """Lines do not matter, and the first one is shown, counted from 1."""
    found = evaluated(deprecated_apis, rendering=make_rendering(issues=(issue(line=4), issue(line=9)))).verdict

    assert isinstance(found, Outcome)
    assert [(one.value, one.line) for one in found.evidence] == [("UnloadHandler", 5)]


def test_third_parties_cost_nothing() -> None:
    """The owner of the page cannot change their files; in a mixed list the own ones are counted."""
    theirs = issue(url="https://widgets.example.net/w.js")
    alone = evaluated(deprecated_apis, rendering=make_rendering(issues=(theirs,)))
    mixed = evaluated(deprecated_apis, rendering=make_rendering(issues=(theirs, issue(url="")))).verdict

    assert isinstance(alone.verdict, Outcome)
    assert (alone.verdict.state, alone.loss) == ("third_party", 0)
    assert isinstance(mixed, Outcome)
    assert (mixed.state, mixed.count, mixed.total) == ("own", 1, 2)


def test_violations_of_policies_are_no_deprecations() -> None:
    """They have a check of their own."""
    other = BrowserIssue(kind="csp", subject="script-src", url="https://example.com/")

    assert evaluated(deprecated_apis, rendering=make_rendering(issues=(other,))).loss == 0
