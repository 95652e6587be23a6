"""The site and the servers of all tests of this folder that do not need special ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server import Server, running_server
from tests.site.serve import Site, serve_site


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker of ``tests.e2e.asking.rows`` known."""
    config.addinivalue_line("markers", "rows(*ids): rows of the hostile-input matrix that a test covers.")


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The web site that is analyzed."""
    with serve_site() as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with limits that no test reaches by accident."""
    with running_server(tmp_path_factory.mktemp("server") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without workers: what is asked stays in the queue. Wrong keys are not counted."""
    folder = tmp_path_factory.mktemp("idle") / "data"
    with running_server(folder, WORKERS=0, WRONG_KEYS_PER_MINUTE=100_000) as running:
        yield running
