"""The options of the service."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions


@pytest.mark.parametrize(
    ("base_url", "own"),
    [
        ("https://grade.example.com", {("grade.example.com", 443)}),
        ("http://[2a00::1]:8080", {("[2a00::1]", 8080)}),
        ("https://www.example.com/pagegrade", set()),
        ("nonsense", set()),
    ],
)
def test_a_service_never_analyzes_itself(base_url: str, own: set[tuple[str, int]]) -> None:
    """Its own origin follows from its base URL, however the options came about; one that it shares is not its own."""
    given = AnalyzeOptions(own_origins=frozenset({("else.example.com", 80)}), budget_s=5)
    options = ServiceOptions(base_url=base_url, analyze=given)

    assert options.analyze == replace(given, own_origins=frozenset(own))
    assert replace(ServiceOptions(), base_url=base_url).analyze.own_origins == own
