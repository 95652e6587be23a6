"""The memory of a whole service while it analyses pages that unpack: all its processes, children included."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from devtools.bench_memory import Memory, hostile_site, measure_pages, warm_up
from pagegrade.gather.decode import MAX_RATIO
from pagegrade.gather.held_bytes import MAX_HELD_BYTES, SHARE_BYTES
from pagegrade.sandbox.pool import SHARED_BYTES, SPARE_BYTES
from pagegrade.service.container import LARGE_PAGES_AT_ONCE
from pagegrade.service.options import ServiceOptions
from pagegrade.worker.slots import PATIENT_PER_SLOT, SPARE_PER_SLOT
from tests.fault.unpacking import FOUR_MB, ONE_MB
from tests.server import Server, running_server

CURL_MAX_WRITE_SIZE = 16_384
"""libcurl gives a callback no more at once."""
ALL_MB = 460
"""Most that all runs of a process with the defaults hold at once, with their parsers."""
KEPT_MB = 40
"""Memory that may be left of it: children that have read a page hold somewhat more than new ones."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with the defaults."""
    folder: Path = tmp_path_factory.mktemp("memory") / "data"
    with running_server(folder) as server:
        yield server


def analyzed(server: Server, *names: str) -> Memory:
    """The pages of these names, at once, where all children run: one may have ended with the page before."""
    warm_up(server)
    with ExitStack() as stack:
        return measure_pages(server, [stack.enter_context(hostile_site(name)) for name in names])


@pytest.mark.parametrize("name", ["style-sheets", "images", "text"])
def test_one_page_costs_little_and_gives_it_back(server: Server, name: str) -> None:
    """Whatever it unpacks to."""
    found = analyzed(server, name)

    assert found.growth < ONE_MB
    assert found.kept < KEPT_MB
    assert all(state.startswith(("completed", "failed too_large")) for state in found.states)


def test_what_a_process_may_hold_adds_up_to_less_than_the_bound() -> None:
    """However many processors there are: parsers, and answers of the largest pages or of all runs at once."""
    parsers = SHARED_BYTES + SPARE_BYTES
    runs = (1 + SPARE_PER_SLOT + PATIENT_PER_SLOT) * ServiceOptions().workers
    in_one_piece = MAX_RATIO * CURL_MAX_WRITE_SIZE
    """Decoded before an exchange can pause."""
    beyond = (LARGE_PAGES_AT_ONCE + 1) * (MAX_HELD_BYTES - SHARE_BYTES)

    assert parsers + 4 * MAX_HELD_BYTES < FOUR_MB << 20
    assert parsers + runs * (SHARE_BYTES + in_one_piece) + beyond < ALL_MB << 20


@pytest.fixture(scope="module")
def many_parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """As on a machine with eight processors."""
    folder: Path = tmp_path_factory.mktemp("parsers") / "data"
    with running_server(folder, PARSERS=8) as server:
        yield server


def test_four_pages_at_once_cost_no_more_with_many_processors(many_parsers: Server) -> None:
    """Those that need all the memory of a parser do not get it at the same time."""
    found = analyzed(many_parsers, "elements", "attributes", "open-elements", "text")

    assert found.growth < (SHARED_BYTES + SPARE_BYTES >> 20) + KEPT_MB
    assert found.kept < KEPT_MB
    assert all(state.startswith(("completed", "failed too_large")) for state in found.states)


def test_four_pages_at_once_cost_less_than_four_times_as_much(server: Server) -> None:
    """They share the children."""
    found = analyzed(server, "style-sheets", "images", "sitemaps", "text")

    assert found.growth < FOUR_MB
    assert found.kept < KEPT_MB
