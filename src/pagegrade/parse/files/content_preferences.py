"""Reads what a site states about the use of its content: ``Content-Signal`` and ``Content-Usage``.

Sources: https://contentsignals.org/ (draft-romm-aipref-contentsignals) and
https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pagegrade.parse.http.structured_fields import parse_dictionary

SIGNALS: Final = frozenset({"search", "ai-input", "ai-train"})
MAX_PREFERENCES: Final = 50
"""Read of one line."""
_ANSWERS: Final = {"yes": True, "no": False, "y": True, "n": False}
_PATH: Final = re.compile(r"/[^ \t]*+[ \t]++")
"""A rule of robots.txt may name the path that it holds for."""


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """Statement of one line."""

    allowed: dict[str, bool]
    """Kind of use -> whether it is allowed, in order."""
    faults: tuple[str, ...] = ()
    """The parts that programs cannot read, as phrases for people."""


def read_content_signal(value: str) -> Preferences:
    """Read ``search=yes, ai-train=no``; names and values in any case. Never raises."""
    allowed: dict[str, bool] = {}
    faults: list[str] = []
    for part in value.split(",", MAX_PREFERENCES)[:MAX_PREFERENCES]:
        name, equals, answer = (piece.strip().lower() for piece in part.partition("="))
        if not name and not equals:
            continue
        if not equals or answer not in {"yes", "no"}:
            faults.append(f"{name[:40] or answer[:40]}: neither yes nor no")
        elif name not in SIGNALS:
            faults.append(f"{name[:40]}: not a known signal")
        elif allowed.get(name, _ANSWERS[answer]) is not _ANSWERS[answer]:
            faults.append(f"{name}: both yes and no")
        else:
            allowed[name] = _ANSWERS[answer]
    if not allowed and not faults:
        faults.append("no signal")
    return Preferences(allowed=allowed, faults=tuple(faults))


def read_content_usage(value: str, *, in_robots_txt: bool = False) -> Preferences:
    """Read ``train-ai=n, search=y``, a dictionary of structured fields. Never raises.

    Names are not checked: the vocabulary is a draft that still changes. A mistake in the grammar makes programs ignore
    the whole line.

    Args:
        value: Of the header field or the line.
        in_robots_txt: A path may come first.
    """
    path = _PATH.match(value) if in_robots_txt else None
    fields = parse_dictionary([value if path is None else value[path.end() :]])
    if fields is None:
        return Preferences(allowed={}, faults=("not a structured field, so it is ignored",))
    allowed: dict[str, bool] = {}
    faults: list[str] = []
    for name, items in list(fields.items())[:MAX_PREFERENCES]:
        answer = items[0].text if len(items) == 1 and items[0].kind == "token" else ""
        if answer in {"y", "n"}:
            allowed[name] = _ANSWERS[answer]
        else:
            faults.append(f"{name[:40]}: neither y nor n")
    if not allowed and not faults:
        faults.append("no preference")
    return Preferences(allowed=allowed, faults=tuple(faults))
