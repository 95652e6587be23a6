"""Plugin of pytest: reports of pages inside of tests, ``assert pagegrade_report(url).score >= 90``.

Turned on in ``conftest.py`` with ``pytest_plugins = ["pagegrade.pytest_plugin"]``.
"""

from __future__ import annotations

from typing import Any, Protocol

import pytest

from pagegrade.library import analyze
from pagegrade.model.access import Access
from pagegrade.model.report import Report
from pagegrade.render.view import what_happened


class Analyze(Protocol):
    """Analyzes a page, once for all tests of a session that want the same."""

    def __call__(self, url: str, **options: Any) -> Report:
        """Return the report of a page; fails the test if the page cannot be analyzed.

        Args:
            url: http or https address. It may be private, such as that of a server of the tests.
            options: Those of ``pagegrade.analyze``.
        """


@pytest.fixture(scope="session")
def pagegrade_report() -> Analyze:
    """A function that analyzes pages of the tests, each once in a session."""
    made: dict[tuple[str, str, Access | None], Report] = {}

    def report_of(url: str, **options: Any) -> Report:
        # An access shows no secret, and two that differ in one are not the same.
        wanted = (url, repr(sorted(options.items())), options.get("access"))
        if wanted not in made:
            made[wanted] = analyze(url, **{"allow_typed_private": True, **options})
        report = made[wanted]
        if report.error is not None:
            pytest.fail(f"{url} could not be analyzed: {what_happened(report.error)}", pytrace=False)
        return report

    return report_of
