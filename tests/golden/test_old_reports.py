"""Reports of every version that was ever written still open: one small file each, never edited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagegrade.render import FORMATS, render
from pagegrade.report.serialize import report_from_dict, report_to_dict

REPORTS = sorted(Path(__file__).parent.glob("report-*.json"))


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
@pytest.mark.parametrize("format_name", FORMATS)
def test_old_report_still_renders(path: Path, format_name: str) -> None:
    """A kept report can still be read, in every format of today."""
    report = report_from_dict(json.loads(path.read_text()))
    of_criteria = dict.fromkeys(("conformance", "criteria", "earl", "statement"), "1.1.1")
    shown = of_criteria.get(format_name, f"{report.score}")
    shown = "image-alt" if format_name in {"sarif", "junit", "github"} else shown

    assert shown in render(report, format_name)


def lost(before: Any, after: Any, where: str = "report") -> list[str]:
    """Every member of ``before`` that ``after`` lacks or changes; new members are no loss."""
    if isinstance(before, dict) and isinstance(after, dict):
        missing = [f"{where}.{name}" for name in before if name not in after]
        return missing + [
            each for name in before if name in after for each in lost(before[name], after[name], f"{where}.{name}")
        ]
    return [] if before == after else [where]


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
def test_old_report_loses_nothing(path: Path) -> None:
    """Read and written again, every member is there with its value; new ones may have come."""
    before = json.loads(path.read_text())

    assert lost(before, report_to_dict(report_from_dict(before))) == []


def test_there_is_a_report_of_every_version() -> None:
    """The suite is not empty."""
    assert [path.name for path in REPORTS] == ["report-1.json"]
