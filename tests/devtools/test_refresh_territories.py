"""Tests of the table of the languages of countries."""

from __future__ import annotations

from devtools.refresh_territories import Territories, module, read_languages


def test_languages_have_a_status_or_speakers() -> None:
    """Scripts are left out, and so are regions that are no country."""
    rare, few = {"_populationPercent": "0.01"}, {"_populationPercent": "5.8"}
    official = {"_populationPercent": "0.01", "_officialStatus": "official_regional"}
    found = read_languages(
        {
            "LA": {"languagePopulation": {"lo": few, "kjg": few, "es": rare}},
            "TW": {"languagePopulation": {"zh_Hant": few, "zh": few, "trv": official}},
            "AQ": {},
            "419": {"languagePopulation": {"es": few}},
        }
    )

    assert found == {"AQ": (), "LA": ("kjg", "lo"), "TW": ("trv", "zh")}


def test_module_is_packed() -> None:
    """A country in capitals, then its languages; one without any is left out."""
    text = module(Territories(day="2026-03-25", languages={"AQ": (), "AT": ("de",), "LA": ("kjg", "lo")}))

    assert 'DATE: Final = "2026-03-25"' in text
    assert '    "AT de LA kjg lo"' in text
