"""The laws of the grade are held against results, and what is missing is skipped aloud."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from devtools import calibrate
from devtools.calibrate import label_faults, main, mutation_report, report, spread_faults


def row(label: str | None, result: str | None, score: int | None, name: str = "page", **lost: float) -> dict[str, Any]:
    """One graded page."""
    results = {check: {"lost": points, "passed": False} for check, points in lost.items()}
    return {"id": name, "label": label, "report": {"result": result, "score": score, "results": results}}


RIGHT = [row("good", "good", 90), row("decent", "decent", 60), row("bad", "bad", 20), row("none", None, None)] * 5
SPREAD = [row(None, "bad", 20), row(None, "bad", 40), *[row(None, "decent", 65)] * 3, row(None, "good", 85)]


def test_results_that_keep_the_laws_have_no_faults() -> None:
    """And the text says so."""
    text, faults = report(RIGHT, SPREAD)

    assert faults == []
    assert "right: 20 of 20 (100%)" in text
    assert "corpus: 1 good, 3 decent, 2 bad, 0 none, median 65" in text
    assert text.endswith("All laws hold.\n")


def test_the_laws_are_not_checked_for_some_pages() -> None:
    """One wrong page of one would break them, and one right page would keep them."""
    text, faults = report([row("good", "bad", 20)], None, whole=False)

    assert faults == []
    assert text.endswith("Only some pages were graded: the laws were not checked.\n")


def test_a_failed_analysis_is_a_page_without_a_grade() -> None:
    """No report at all counts as none, like one without a result."""
    assert label_faults([*RIGHT, {"id": "gone", "label": "none", "report": None}]) == []


def test_nineteen_of_twenty_are_enough_and_eighteen_are_not() -> None:
    """95 % to the page."""
    assert label_faults([*RIGHT[1:], row("good", "decent", 70)]) == []
    assert label_faults([*RIGHT[2:], *[row("good", "decent", 70)] * 2]) == [
        "18 of 20 labeled pages are right; it takes 95%"
    ]


@pytest.mark.parametrize(
    ("label", "result"), [("good", "bad"), ("bad", "good"), ("none", "bad"), ("good", None), ("decent", None)]
)
def test_a_result_two_bands_away_is_a_fault(label: str, result: str | None) -> None:
    """However many others are right; a grade where none is due is never near."""
    faults = label_faults([*RIGHT * 3, row(label, result, 70, "odd")])

    assert len(faults) == 1
    assert faults[0].startswith("odd is ")


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([*SPREAD, *[row(None, "good", 81)] * 4], "5 of 10 pages of the corpus are good"),
        ([row(None, "decent", 65)] * 4 + [row(None, "bad", 20)], "1 pages of the corpus are bad or near it"),
        ([row(None, "bad", 40)] * 5, "the median of the corpus is 40"),
        ([*SPREAD, row(None, None, None)], "1 pages of the corpus have no grade"),
        ([], "no page of the corpus was graded"),
    ],
)
def test_a_corpus_that_is_not_spread_is_a_fault(rows: list[dict[str, Any]], fault: str) -> None:
    """Each law by itself."""
    assert fault in spread_faults(rows)


def test_wrong_pages_are_listed_with_what_cost_most() -> None:
    """The most expensive finding first."""
    text, _ = report([row("good", "decent", 70, "museum", hsts=3.0, title=8.0)], SPREAD)

    assert "wrong: museum is decent (70), not good: title 8, hsts 3" in text


def test_without_the_pages_the_skip_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A checkout elsewhere has none of them."""
    assert main(["--shared", str(tmp_path)]) == 0
    assert "1 skipped" in capsys.readouterr().out


def test_without_a_browser_the_skip_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where one is asked for."""
    (tmp_path / "grading").mkdir()
    (tmp_path / "grading" / "serve.py").touch()
    monkeypatch.setattr(calibrate, "find_browser", lambda: None)

    assert main(["--shared", str(tmp_path), "--render"]) == 0
    assert "1 skipped (there is no browser. Install a Chromium" in capsys.readouterr().out


@pytest.mark.parametrize("rows", ["", "[]\n"], ids=["graded", "with mutations"])
def test_pages_that_nobody_has_are_said_to_be_none(
    rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laws that were held against no page hold nothing."""
    (tmp_path / "grading").mkdir()
    (tmp_path / "grading" / "serve.py").touch()

    def written(command: Sequence[str]) -> int:
        Path(command[-1]).write_text(rows, encoding="utf-8")
        return 0

    monkeypatch.setattr(calibrate, "unshare", written)
    mutations = ["--mutations"] if rows else []

    assert main(["--shared", str(tmp_path), "--only", "nosuch", *mutations]) == 2
    assert "the id of none contains 'nosuch'" in capsys.readouterr().out


def test_labeled_pages_alone_are_held_to_their_laws_alone() -> None:
    """A corpus that was not asked for has no spread."""
    text, faults = report(RIGHT, None)

    assert faults == []
    assert "corpus:" not in text


def test_a_fault_that_makes_a_page_better_breaks_the_law() -> None:
    """A grade that is withheld has fallen; a change of a whole bad page may remove a graver fault."""
    rows = [
        ("a.example", "titles", [90, 88, 89, 70]),
        ("b.example", "titles", [90, None, 88, 70]),
        ("a.example", "wrong language", [90, 70]),
        ("b.example", "wrong language", [30, 40]),
    ]
    text, faults = mutation_report(rows)

    assert faults == ["a.example rises by titles: [90, 88, 89, 70]"]
    assert text.endswith("BELOW THE LAWS: a.example rises by titles: [90, 88, 89, 70]\n")


def test_a_grave_fault_that_costs_little_breaks_the_law() -> None:
    """In the median of the pages that have something to lose."""
    _, faults = mutation_report([("a.example", "wrong language", [90, 82]), ("b.example", "wrong language", [40, 0])])

    assert faults == ["the median page loses 8 points by: wrong language"]
