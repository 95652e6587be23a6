from __future__ import annotations

from ipaddress import ip_network

import pytest

from pagegrade.config import PREFIX, Settings, load_settings
from pagegrade.model.errors import InvalidInput
from pagegrade.service.analysis import AnalyzeOptions


def test_without_variables_the_defaults_are_those_of_the_use_case() -> None:
    """Two homes of one number would drift apart; this holds them together."""
    settings, options = Settings(), AnalyzeOptions()

    assert settings.allow_networks == options.allow_networks
    assert sorted(settings.allow_ports) == sorted(options.allow_ports)
    assert settings.run_budget_seconds == options.budget_s
    assert (settings.good_from, settings.decent_from) == (options.thresholds.good, options.thresholds.decent)


def test_every_setting_is_documented() -> None:
    """The reference page is made of these descriptions."""
    assert all((field.description or "").endswith(".") for field in Settings.model_fields.values())


def test_values_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are separated by commas; blanks and empty items do not count."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", " 10.0.0.0/8, fd00::/8,, 192.0.2.7/24 ")
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "80,8000")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "12.5")
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "90")
    settings = load_settings()

    assert settings.allow_networks == tuple(map(ip_network, ("10.0.0.0/8", "fd00::/8", "192.0.2.0/24")))
    assert settings.allow_ports == (80, 8000)
    assert settings.run_budget_seconds == 12.5
    assert settings.good_from == 90


def test_an_empty_variable_is_as_if_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose files pass empty variables on."""
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "")

    assert load_settings().good_from == 80


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ALLOW_NETWORKS", "10.0.0.0/99", "10.0.0.0/99"),
        ("ALLOW_NETWORKS", "everything", "everything"),
        ("ALLOW_PORTS", "0", "greater than or equal to 1"),
        ("ALLOW_PORTS", "http", "http"),
        ("ALLOW_PORTS", ",", "at least 1"),
        ("RUN_BUDGET_SECONDS", "0", "greater than 0"),
        ("RUN_BUDGET_SECONDS", "nan", "nan"),
        ("RUN_BUDGET_SECONDS", "9999", "3600"),
        ("GOOD_FROM", "101", "100"),
        ("GOOD_FROM", "forty", "forty"),
        ("GOOD_FROM", "40", "DECENT_FROM"),
    ],
)
def test_a_value_that_cannot_be_used_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    """The operator sees what to change, and to what."""
    monkeypatch.setenv(PREFIX + name, value)

    with pytest.raises(InvalidInput, match="PAGEGRADE_") as caught:
        load_settings()

    assert words in caught.value.message
    assert name in caught.value.message
