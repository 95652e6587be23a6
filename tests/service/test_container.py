from __future__ import annotations

from pathlib import Path

from pagegrade.service.container import Services
from pagegrade.store.repositories.accounts import add_account
from tests.store_builders import NOW_MS, make_database


def test_every_process_has_a_name_of_its_own(tmp_path: Path) -> None:
    """It distinguishes leases and answers under way."""
    database = make_database(tmp_path)
    one, other = Services(database=database), Services(database=database)

    assert one.process != other.process
    database.close()


def test_a_process_without_workers_can_be_woken(tmp_path: Path) -> None:
    """The caller that stores a run need not know which process works."""
    database = make_database(tmp_path)
    services = Services(database=database)
    services.wake()

    assert not services.draining
    database.close()


def test_commits_are_counted(tmp_path: Path) -> None:
    """The metrics of a process are those of the database it works with."""
    database = make_database(tmp_path)
    services = Services(database=database)
    database.submit(lambda tx: add_account(tx, name="Alice", email="a@example.org", now_ms=NOW_MS)).result()
    database.close()

    assert services.observation.registry.get_sample_value("pagegrade_database_write_batch_count") == 1
