"""Write ``parse/data/ai_crawlers.py`` from the npm package ``crawler-user-agents``."""

from __future__ import annotations

import json
import pprint
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from devtools.data_sources import npm_package

NAME_OF_TABLE: Final = "ai_crawlers"
PACKAGE: Final = "crawler-user-agents"
SOURCE: Final = "https://github.com/monperrus/crawler-user-agents"
TAG: Final = "ai-crawler"
EITHER_CASE: Final = re.compile(r"\[([A-Za-z])([A-Za-z])\]")
"""``[cC]``: both cases of a letter; names in robots.txt are read without regard to case."""
PRODUCT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Names that robots.txt can hold."""


def fetch(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return version and entries of the newest package.

    Args:
        folder: Empty; the package is unpacked there.

    Raises:
        Unreachable: The package cannot be read.
    """
    package = npm_package(PACKAGE, folder)
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    return str(version), json.loads((package / "crawler-user-agents.json").read_text("utf-8"))


def names(entries: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the product tokens of AI crawlers, sorted; patterns that are no plain name are left out."""
    found = set()
    for entry in entries:
        if TAG in entry.get("tags", ()):
            pattern = EITHER_CASE.sub(_upper, entry["pattern"]).removesuffix("\\/")
            if PRODUCT.fullmatch(pattern):
                found.add(pattern)
    return tuple(sorted(found, key=str.lower))


def _upper(match: re.Match[str]) -> str:
    first, second = match.groups()
    return second.upper() if first.lower() == second.lower() else match.group()


def module(version: str, entries: Iterable[Mapping[str, Any]], day: str = "") -> str:
    """Return the text of the module.

    Args:
        version: Of the package.
        entries: Of the package.
        day: On which it was read, ``YYYY-MM-DD``; "": today.
    """
    day = day or time.strftime("%Y-%m-%d", time.gmtime())
    table = pprint.pformat(names(entries), width=110, compact=True)
    return (
        '"""Crawlers that read pages for AI services, by the names that robots.txt uses.\n\n'
        f"From the npm package ``{PACKAGE}`` {version}, entries tagged ``{TAG}`` whose pattern is a plain name.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n'
        f'\nSOURCE: Final = "{SOURCE}"\nLICENSE: Final = "MIT"\nDATE: Final = "{day}"\n'
        f'AI_CRAWLERS: Final = {table}\n"""Product tokens, in alphabetical order."""\n'
    )
