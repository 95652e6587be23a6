from __future__ import annotations

import pytest

from pagegrade.checks.performance.duplicate_assets import duplicate_assets
from pagegrade.model.artifacts import Resource
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, make_response, outcome, run


def file(path: str, digest: str = "5f", size: int = 1_400, *, kind: str = "script", ends_at: str = "") -> Resource:
    """A file with a hash of its content."""
    response = make_response(url=URL + (ends_at or path), headers=(), wire_bytes=size)
    return make_resource(URL + path, kind=kind, response=response, digest=digest)


@pytest.mark.parametrize(("count", "loss"), [(1, 0), (2, 0.2), (4, 0.2), (5, 0.4), (16, 1), (40, 1)])
def test_each_copy_too_many_counts(count: int, loss: float) -> None:
    """The first one is needed."""
    files = make_resources(*(file(f"{n}.js") for n in range(count)))

    assert evaluated(duplicate_assets, resources=files).loss == pytest.approx(loss)


def test_another_query_is_another_address() -> None:
    """Caches keep both."""
    found = outcome(duplicate_assets, resources=make_resources(file("a.js?v=1"), file("a.js?v=2")))

    assert found.evidence[0].url == URL + "a.js?v=2"
    assert found.evidence[0].reason == f"the same as {URL}a.js?v=1"


@pytest.mark.parametrize(
    "other",
    [
        file("b.js", "6f"),
        file("b.js", ""),
        file("b.js", size=1_399),
        file("b.js", kind="icon"),
        file("b.js", ends_at="a.js"),
    ],
    ids=["different", "unknown", "tiny", "icon", "redirect"],
)
def test_what_is_no_copy(other: Resource) -> None:
    """Tracking pixels are all alike, and redirects lead to one file."""
    assert outcome(duplicate_assets, resources=make_resources(file("a.js"), other)).state == "unique"


def test_an_application_shell_in_place_of_files_is_no_copy() -> None:
    """It answers every address with itself."""
    shells = [
        make_resource(
            f"{URL}{n}.js", kind="script", digest="5f", body_bytes=9_000, headers=(("Content-Type", "text/html"),)
        )
        for n in range(3)
    ]

    assert isinstance(run(duplicate_assets, resources=make_resources(*shells)), NotApplicable)
    assert isinstance(run(duplicate_assets), NotRun)
