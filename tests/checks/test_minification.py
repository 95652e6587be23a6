from __future__ import annotations

import pytest

from pagegrade.checks._check import Check
from pagegrade.checks.performance.minified_css import minified_css
from pagegrade.checks.performance.minified_js import minified_js
from pagegrade.model.artifacts import Resource
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, make_resource, make_resources, outcome, run

both = pytest.mark.parametrize(("check", "kind"), [(minified_css, "stylesheet"), (minified_js, "script")])


def file(
    kind: str, decoded: int, minified: int | None, *, wire: int | None = None, path: str = "a", own: bool = True
) -> Resource:
    """A file that was read."""
    return make_resource(
        URL + path,
        kind=kind,
        body_bytes=decoded if wire is None else wire,
        decoded_bytes=decoded,
        minified_bytes=minified,
        first_party=own,
    )


@both
def test_bytes_are_those_transferred(check: Check, kind: str) -> None:
    """Compression hides most of the waste."""
    at_the_limit = make_resources(file(kind, 20_000, 10_000, wire=4_096))
    above_it = make_resources(file(kind, 20_000, 10_000, wire=4_098))

    assert outcome(check, resources=at_the_limit).state == "minified"
    assert outcome(check, resources=above_it).state == "unminified"


@both
def test_the_name_proves_nothing(check: Check, kind: str) -> None:
    """Bundles have no ``.min.``, and a file that has may be readable."""
    bundle = make_resources(file(kind, 40_000, 40_000, path="bundle"))
    readable = make_resources(file(kind, 40_000, 9_000, path="x.min.js"))

    assert outcome(check, resources=bundle).state == "minified"
    assert outcome(check, resources=readable).state == "unminified"


@both
def test_files_of_others_and_unread_ones_are_not_evaluated(check: Check, kind: str) -> None:
    """Their owners have to act, or nothing is known."""
    files = make_resources(file(kind, 40_000, 9_000, own=False), file(kind, 40_000, None))
    found = run(check, resources=files)

    assert isinstance(found, NotApplicable)
    assert found.reason == f"No {kind} of the site was read."
    assert isinstance(run(check), NotRun)
