"""Write ``parse/data/schema_types.py`` from the npm package ``schema-dts``."""

from __future__ import annotations

import json
import re
import textwrap
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from devtools.data_sources import npm_package

NAME_OF_TABLE: Final = "schema_types"
PACKAGE: Final = "schema-dts"
SOURCE: Final = "https://schema.org/docs/full.html"
TYPE: Final = re.compile(r'"@type": "([A-Z0-9][A-Za-z0-9]*)"')
"""A type of schema.org itself; those of other vocabularies are URLs."""


def fetch(folder: Path) -> tuple[str, str]:
    """Return version and declarations of the newest package.

    Args:
        folder: Empty; the package is unpacked there.

    Raises:
        Unreachable: The package cannot be read.
    """
    package = npm_package(PACKAGE, folder)
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    return str(version), (package / "dist" / "schema.d.ts").read_text("utf-8")


def names(declarations: str) -> tuple[str, ...]:
    """Return the names of the types, sorted."""
    return tuple(sorted(set(TYPE.findall(declarations))))


def module(version: str, declarations: str, day: str = "") -> str:
    """Return the text of the module.

    Args:
        version: Of the package.
        declarations: Of the package.
        day: On which it was read, ``YYYY-MM-DD``; "": today.
    """
    day = day or time.strftime("%Y-%m-%d", time.gmtime())
    return (
        '"""Types of schema.org, those that are pending or retired included.\n\n'
        f"From the npm package ``{PACKAGE}`` {version}, which is made from the vocabulary.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n'
        f'\nSOURCE: Final = "{SOURCE}"\nLICENSE: Final = "facts"\nDATE: Final = "{day}"\n'
        f'SCHEMA_TYPES: Final = frozenset(\n    """\n{_lines(names(declarations))}\n    """.split()\n)\n'
    )


def _lines(words: Iterable[str]) -> str:
    return textwrap.fill(" ".join(words), 110, initial_indent=" " * 4, subsequent_indent=" " * 4)
