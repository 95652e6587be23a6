"""Reports of every version that was ever written still open: one small file each, never edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagegrade.render import FORMATS, render
from pagegrade.report.serialize import report_from_dict, report_to_dict

REPORTS = sorted(Path(__file__).parent.glob("report-*.json"))


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
@pytest.mark.parametrize("format_name", FORMATS)
def test_old_report_still_renders(path: Path, format_name: str) -> None:
    """Whoever kept a report can still read it, in every format of today."""
    report = report_from_dict(json.loads(path.read_text()))
    shown = "image-alt" if format_name in {"sarif", "junit", "github"} else f"{report.score}"

    assert shown in render(report, format_name)


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
def test_old_report_loses_nothing(path: Path) -> None:
    """Read and written again, every member is there with its value; new ones may have come."""
    before = json.loads(path.read_text())
    after = report_to_dict(report_from_dict(before))
    apart = {"run", "page", "results"}

    assert {name: after[name] for name in before if name not in apart} == {
        name: value for name, value in before.items() if name not in apart
    }
    assert {
        check: {name: after["results"][check][name] for name in result} for check, result in before["results"].items()
    } == before["results"]
    assert before["run"].items() <= after["run"].items()


def test_there_is_a_report_of_every_version() -> None:
    """The suite is not empty."""
    assert [path.name for path in REPORTS] == ["report-1.json"]
