"""The options of the service."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.model.identity import PROJECT_URL, user_agent_of
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

    assert options.analyze == replace(given, own_origins=frozenset(own), user_agent=options.analyze.user_agent)
    assert replace(ServiceOptions(), base_url=base_url).analyze.own_origins == own


@pytest.mark.parametrize(
    ("base_url", "about"),
    [
        ("https://reports.example.org", "https://reports.example.org/robot"),
        ("https://example.org/pagegrade", "https://example.org/pagegrade/robot"),
        ("http://127.0.0.1:8080", PROJECT_URL),
        ("http://grade:8080", PROJECT_URL),
    ],
)
def test_the_user_agent_names_the_page_of_the_robot_where_everyone_can_open_it(base_url: str, about: str) -> None:
    """Else that of the project."""
    assert ServiceOptions(base_url=base_url).analyze.user_agent == user_agent_of(about)
