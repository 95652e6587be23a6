"""Warnings about names in a request that mean nothing here, each with the known name it resembles most."""

from __future__ import annotations

import difflib  # lint: allow slow-parser - at most 10 names of 40 characters against a fixed list
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from pagegrade.service.reports.validation import RequestWarning

MAX_NAMES: Final = 10
"""So many are looked at; a form may have a hundred times as many."""
MAX_CHARACTERS: Final = 40
"""Of a name that is compared, and of one that is repeated."""
SIMILAR: Final = 0.6
"""Of 1: how alike two names are before one is taken for a slip of the other."""
CODE: Final = "unknown_parameter"


def shortened(name: str) -> str:
    """Return what was sent as a warning repeats it."""
    return name if len(name) <= MAX_CHARACTERS else f"{name[:MAX_CHARACTERS]}…"


def unknown_warnings(names: Iterable[str], known: Sequence[str]) -> Iterator[RequestWarning]:
    """A warning about each of the first names.

    Args:
        names: As sent, none of which is known.
        known: Names that have a meaning here.
    """
    for name in islice(names, MAX_NAMES):
        shown = shortened(name)
        alike = difflib.get_close_matches(name[:MAX_CHARACTERS].lower(), known, n=1, cutoff=SIMILAR)
        hint = f" Did you mean {alike[0]}?" if alike else ""
        yield RequestWarning(shown, CODE, f"This parameter is not known here and was ignored.{hint}")
