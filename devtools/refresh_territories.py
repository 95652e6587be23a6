"""Write ``parse/data/territory_languages.py`` from the Common Locale Data Repository, as npm has it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devtools.data_sources import Unreachable, npm_package

NAME_OF_TABLE: Final = "territory_languages"
PACKAGE: Final = "cldr-core"
SOURCE: Final = "https://github.com/unicode-org/cldr-json"
DAYS: Final[Mapping[str, str]] = {"48.2.0": "2026-03-25"}
"""Version of the package -> day of its release; the next one is added here."""
WIDTH: Final = 112
COUNTRY_LETTERS: Final = 2
MIN_PERCENT: Final = 0.1
"""Share of the people below which a language without any status is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Territories:
    """The part of the package that is used."""

    day: str
    languages: Mapping[str, tuple[str, ...]]
    """Country -> its languages, sorted."""


def fetch(folder: Path) -> Territories:
    """Return the countries of the package.

    Args:
        folder: Empty; the package is unpacked there.

    Raises:
        Unreachable: npm cannot reach the package, or it is of a version whose day is not known.
    """
    package = npm_package(PACKAGE, folder)
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    if version not in DAYS:
        raise Unreachable(f"the day of version {version} is missing in DAYS")
    facts = json.loads((package / "supplemental" / "territoryInfo.json").read_text("utf-8"))
    return Territories(day=DAYS[version], languages=read_languages(facts["supplemental"]["territoryInfo"]))


def read_languages(territories: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return the languages of each country; scripts are left out."""
    return {
        country: tuple(sorted(set(_languages(facts.get("languagePopulation", {})))))
        for country, facts in sorted(territories.items())
        if len(country) == COUNTRY_LETTERS and country.isalpha()
    }


def _languages(population: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for code, facts in population.items():
        if "_officialStatus" in facts or float(facts.get("_populationPercent", 0)) >= MIN_PERCENT:
            yield code.partition("_")[0]


def module(territories: Territories) -> str:
    """Return the text of the module."""
    packed = " ".join(" ".join((country, *codes)) for country, codes in territories.languages.items() if codes)
    lines = textwrap.wrap(packed, WIDTH, break_on_hyphens=False, break_long_words=False)
    quoted = "\n".join(f'    "{line}{" " if number < len(lines) else ""}"' for number, line in enumerate(lines, 1))
    head = (
        '"""The languages that have speakers or a status in each country, of the Common Locale Data Repository."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        f'SOURCE: Final = "{SOURCE}"\nLICENSE: Final = "Unicode-3.0"\nDATE: Final = "{territories.day}"\n'
    )
    note = '"""A country in capitals, and behind it its languages."""'
    return f"{head}TERRITORY_LANGUAGES: Final = (\n{quoted}\n)\n{note}\n"
