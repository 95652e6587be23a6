"""Reports as JSON: one value, or one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from pagegrade.model.report import Report
from pagegrade.report.serialize import report_to_dict

_UNSAFE_IN_TERMINALS: Final = re.compile("[\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Allowed in JSON, but they move a terminal's cursor, reorder its text or break its lines."""


def render_json(reports: Sequence[Report]) -> str:
    """One report as an object, several as a list; RFC 8259, indented, ending in a line break."""
    plain = [report_to_dict(report) for report in reports]
    return _dump(plain[0] if len(plain) == 1 else plain, indent=2)


def render_jsonl(reports: Sequence[Report]) -> str:
    """One report a line."""
    return "".join(_dump(report_to_dict(report), indent=None) for report in reports)


def _dump(value: object, *, indent: int | None) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # These characters can only stand inside strings, where the escape means the same.
    return _UNSAFE_IN_TERMINALS.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"
