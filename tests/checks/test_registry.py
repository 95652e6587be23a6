"""Checks are found by walking, and disagreeing names are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pagegrade.checks as package
from pagegrade.checks._registry import all_checks
from pagegrade.model.report import CATEGORIES

MODULE = '''
from pagegrade.checks._check import State, check
from pagegrade.model.outcome import Outcome, Severity

@check(id="{id}", title="X", severity=Severity.LOW, since="0.1.0",
       states=(State("ok", "Fine."), State("bad", "Bad.", loss=1.0)), sources=("https://example.com/",))
def {name}(document):
    """Say."""
    return Outcome("ok")
'''


def test_order_is_category_then_id() -> None:
    """The catalogue reads the same everywhere."""
    order = [(list(CATEGORIES).index(check.category), check.id) for check in all_checks().values()]

    assert order == sorted(order)
    assert {check.category for check in all_checks().values()} == set(CATEGORIES)


@pytest.mark.parametrize(
    ("file", "id_", "name", "says"),
    [
        ("zz_odd.py", "zz-other", "zz_odd", "zz-odd"),
        ("zz_odd.py", "zz-odd", "zz_other", "zz-odd"),
        ("title.py", "title", "title", "two checks"),
    ],
    ids=["id", "function", "twice"],
)
def test_disagreeing_names_are_refused(  # noqa: PLR0917 - one row of a table
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, id_: str, name: str, says: str
) -> None:
    """Id, file and function are one name, and it is used once."""
    folder = tmp_path / "technical"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / file).write_text(MODULE.format(id=id_, name=name))
    technical = sys.modules["pagegrade.checks.technical"]
    monkeypatch.setattr(technical, "__path__", [*technical.__path__, str(folder)])
    monkeypatch.setattr(package, "__path__", list(package.__path__))
    try:
        with pytest.raises(TypeError, match=says):
            all_checks.__wrapped__()
    finally:
        sys.modules.pop(f"pagegrade.checks.technical.{file.removesuffix('.py')}", None)
