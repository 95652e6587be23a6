"""The site and the server that the generated clients work with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server import Server, running_server
from tests.site.serve import Site, serve_site


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
