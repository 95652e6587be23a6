from __future__ import annotations

from ipaddress import ip_network

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.service.analysis import AnalyzeOptions
from pagegrade.wiring import configured_options, typed_options


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine sets does not count here."""
    for name in ("ALLOW_NETWORKS", "ALLOW_PORTS", "RUN_BUDGET_SECONDS", "GOOD_FROM", "DECENT_FROM"):
        monkeypatch.delenv(f"PAGEGRADE_{name}", raising=False)


def test_without_settings_the_defaults_hold() -> None:
    """And a private address is not allowed by itself."""
    assert configured_options() == AnalyzeOptions()
    assert configured_options().allow_typed_private is False


def test_settings_become_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one arrives."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "10.0.0.0/8")
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "8000")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "5")
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "95")
    monkeypatch.setenv("PAGEGRADE_DECENT_FROM", "60")
    options = configured_options()

    assert options.allow_networks == (ip_network("10.0.0.0/8"),)
    assert options.allow_ports == (8000,)
    assert options.budget_s == 5
    assert (options.thresholds.good, options.thresholds.decent) == (95, 60)


def test_what_is_typed_widens_and_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks add up; the budget of the command line wins; the typed address may be private."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "10.0.0.0/8")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "5")
    options = typed_options(budget_s=7, subresources=False, allow_networks=["192.168.0.0/16"])

    assert options.allow_networks == (ip_network("10.0.0.0/8"), ip_network("192.168.0.0/16"))
    assert options.budget_s == 7
    assert options.subresources is False
    assert options.allow_typed_private is True
    assert typed_options().budget_s == 5


@pytest.mark.parametrize("budget_s", [0, -1, 3601, float("nan"), float("inf")])
def test_a_budget_that_is_none_is_refused(budget_s: float) -> None:
    """The option is named."""
    with pytest.raises(InvalidInput, match="--budget"):
        typed_options(budget_s=budget_s)


def test_a_network_that_is_none_is_refused() -> None:
    """With the value that was typed."""
    with pytest.raises(InvalidInput, match="nonsense"):
        typed_options(allow_networks=["nonsense"])
