"""The measures count what the page about the architecture says they do."""

from __future__ import annotations

import pytest

from devtools.measures import main, measured, next_door


def test_checks_tables_and_packages_are_not_counted() -> None:
    """A module is counted once, by its name."""
    names = measured()

    assert {"pagegrade.clock", "pagegrade.gather.guard"} < set(names)
    assert len(names) == len(set(names))
    assert [name for name in names if name.startswith(("pagegrade.checks.", "pagegrade.parse.data."))] == []
    assert "pagegrade.gather" not in names


def test_a_module_next_door_is_imported_by_one_beside_it() -> None:
    """The guard is imported from many places, the kinds of a page from other packages."""
    pairs = dict(next_door())

    assert pairs
    assert all(name.rpartition(".")[0] == importer.rpartition(".")[0] for name, importer in pairs.items())
    assert "pagegrade.gather.guard" not in pairs


def test_each_measure_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines, modules, and each module next door."""
    main()
    printed = capsys.readouterr().out.splitlines()

    assert [line.split()[1] for line in printed[:3]] == ["lines", "modules", "modules"]
    assert len(printed) == 3 + int(printed[2].split()[0])
