"""Every promise of this package is tested on each kind of database that can be used."""

from __future__ import annotations

import pytest

from tests.store_builders import BACKENDS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Try each test on every kind of database, unless it says that it is about one of them."""
    marker = metafunc.definition.get_closest_marker("backend")
    wanted = BACKENDS if marker is None else (marker.args[0],)
    metafunc.parametrize("backend", wanted, indirect=True, ids=wanted)
