from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from devtools import refresh_data
from devtools.data_sources import Unreachable
from devtools.refresh_data import DATA, GENERATED, check, day_of, is_unedited, main, refresh, sealed
from pagegrade.clock import utc_now

TEXT = 'from typing import Final\n\nDATE: Final = "2026-01-02"\nNAMES: Final = ["a"]\n'


def from_source(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let the source of ``baseline`` be this text."""
    monkeypatch.setitem(refresh_data.GENERATED, "baseline", lambda _folder: text)


def test_committed_tables_have_a_source_a_licence_and_a_day_and_were_not_edited() -> None:
    """Every module of the folder, not only the generated ones."""
    errors, _ = check(utc_now().date())
    tables = sorted(DATA.glob("[a-z]*.py"))

    assert errors == []
    assert {path.stem for path in tables} >= set(GENERATED)
    for path in tables:
        text = path.read_text("utf-8")

        assert "\nSOURCE: Final = " in text, path.name
        assert "\nLICENSE: Final = " in text, path.name
        assert day_of(text) >= date(2026, 1, 1), path.name


@pytest.mark.parametrize("edited", ['["a", "b"]', '["b"]', '["a"]  # a note'])
def test_any_change_by_hand_is_noticed(edited: str) -> None:
    """Also one that the formatter would not touch; untouched text is accepted."""
    made = sealed(TEXT)

    assert is_unedited(made)
    assert not is_unedited(made.replace('["a"]', edited))
    assert not is_unedited(TEXT)


def test_edited_and_undated_tables_are_errors_and_old_ones_warnings(tmp_path: Path) -> None:
    """A year is not old yet; a day more is."""
    (tmp_path / "baseline.py").write_text(sealed(TEXT).replace('"a"', '"b"'))
    (tmp_path / "by_hand.py").write_text(TEXT)
    (tmp_path / "undated.py").write_text("NAMES = []\n")
    errors, fresh = check(date(2027, 1, 2), tmp_path)
    _, old = check(date(2027, 1, 3), tmp_path)

    assert [line.split()[0] for line in errors] == ["baseline.py", "undated.py:"]
    assert fresh == []
    assert [line.split()[1] for line in old] == ["baseline.py", "by_hand.py"]


def test_a_table_is_written_with_its_seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in place of an earlier one."""
    from_source(monkeypatch, TEXT)
    path = tmp_path / "baseline.py"
    first, second = refresh("baseline", path), refresh("baseline", path)

    assert first == second == "baseline: written, data of 2026-01-02."
    assert is_unedited(path.read_text("utf-8"))


def test_an_older_source_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package may lag behind the registry that it repeats."""
    path = tmp_path / "baseline.py"
    path.write_text(TEXT.replace("01-02", "01-03"))
    from_source(monkeypatch, TEXT)
    said = refresh("baseline", path)

    assert said == "baseline: kept, because its source is of 2026-01-02 and the table of 2026-01-03."
    assert path.read_text("utf-8") == TEXT.replace("01-02", "01-03")


def test_an_unreachable_source_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is named."""

    def unreachable(_folder: Path) -> str:
        raise Unreachable("https://example.org/: no answer")

    monkeypatch.setitem(refresh_data.GENERATED, "baseline", unreachable)
    path = tmp_path / "baseline.py"

    assert refresh("baseline", path) == (
        "baseline: kept, because its source cannot be read: https://example.org/: no answer"
    )
    assert not path.exists()


def test_an_unknown_table_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    """The message names those that exist."""
    with pytest.raises(SystemExit):
        main(["bassline"])

    assert "baseline" in capsys.readouterr().err
