from __future__ import annotations

import time
from dataclasses import fields, replace
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.config import Settings
from pagegrade.model.account import GroupRule, Provider, Role
from pagegrade.model.identity import VERSION
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.system_status import HIDDEN, UNSET, look_at_system, settings_in_force, versions_in_use
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database

ELSEWHERE = {"PAGEGRADE_DATA_DIR", "PAGEGRADE_DATABASE_URL", "PAGEGRADE_HOST", "PAGEGRADE_PORT"}
"""Settings that decide where a server runs; the folder is among the topics."""
OF_COMMANDS = {f"PAGEGRADE_ACCESS_{each}" for each in ("COOKIES", "HEADERS", "ORIGINS", "USER", "USER_AGENT")}
"""Settings of the commands that analyze pages; the service does not use them."""
OF_THE_PROCESS = {
    "PAGEGRADE_BOOTSTRAP_API_KEY",
    "PAGEGRADE_DATABASE_WAIT_SECONDS",
    "PAGEGRADE_LOG_FORMAT",
    "PAGEGRADE_LOG_LEVEL",
    "PAGEGRADE_MIGRATE",
    "PAGEGRADE_SECRET_KEY",
}


@pytest.mark.backend("sqlite", "a shared one is looked at below")
def test_the_state_has_the_queue_the_sizes_and_what_was_looked_at(tmp_path: Path) -> None:
    """As they are at this moment; reading all of the database finds no damage in a good one."""
    services = Services(database=make_database(tmp_path), options=ServiceOptions(workers=3))
    alice, _ = add_owner(services.database)
    queue = Queue(services.database, alice.id)
    for url in ("https://example.com/", "https://example.org/", "https://example.net/"):
        queue.add(url)
    queue.claim(1)
    before = look_at_system(services, NOW_MS + 5_000)
    services.worked_at_s = time.monotonic()
    after = look_at_system(services, NOW_MS + 5_000, all_of_it=True)

    assert (before.queue.depth, before.queue.running, before.queue.oldest_ms) == (2, 1, 5_000)
    assert before.reasons == {"worker": 2, "browser": 0, "account": 0, "target": 0, "leader": 0}
    assert (before.sizes.reports, before.sizes.runs, before.workers) == (3, 3, 3)
    assert set(before.crawls.places.values()) == {0}
    assert before.free_bytes is not None
    assert before.idle_s is None
    assert after.idle_s is not None
    assert 0 <= after.idle_s < 60
    assert "database" not in {one.topic for one in before.diagnoses}
    assert [one.level for one in after.diagnoses if one.topic == "database"] == ["ok"]
    assert {"schema", "durability", "disk", "clock", "guard", "libcurl", "site audits"} <= {
        one.topic for one in before.diagnoses
    }
    services.database.close()
    services.passwords.close()


@pytest.mark.backend("postgresql", "what is looked at is another thing")
def test_the_state_of_a_shared_installation(tmp_path: Path) -> None:
    """The database is looked at, and no folder of this machine."""
    services = Services(database=make_database(tmp_path))
    state = look_at_system(services, now_ms())
    services.database.close()
    services.passwords.close()

    assert state.free_bytes is None
    assert state.sizes.database_bytes > 0
    assert {"database", "postgresql", "clocks", "schema", "connections"} <= {one.topic for one in state.diagnoses}
    assert not {"data folder", "sqlite"} & {one.topic for one in state.diagnoses}


def test_every_option_is_among_the_settings_in_force() -> None:
    """Each setting of the service by its variable, so that a new one is not forgotten."""
    shown = {name for name, _ in settings_in_force(ServiceOptions())}

    assert shown | ELSEWHERE | OF_COMMANDS | OF_THE_PROCESS == {
        f"PAGEGRADE_{name.upper()}" for name in Settings.model_fields
    }
    assert len(shown) >= len(fields(ServiceOptions))


def test_a_secret_is_never_among_them() -> None:
    """The status says only that it is set."""
    plain = dict(settings_in_force(ServiceOptions()))
    provider = Provider(
        issuer="https://login.example.org",
        client_id="pagegrade",
        client_secret="s3cr3t-of-the-client",
        groups=(GroupRule("designers", 12, Role.EDITOR),),
    )
    secret = dict(
        settings_in_force(replace(ServiceOptions(), metrics_token="s3cr3t-of-the-metrics", provider=provider))
    )

    assert plain["PAGEGRADE_METRICS_TOKEN"] == UNSET
    assert secret["PAGEGRADE_METRICS_TOKEN"] == HIDDEN
    assert plain["PAGEGRADE_OIDC_CLIENT_SECRET"] == UNSET
    assert secret["PAGEGRADE_OIDC_CLIENT_SECRET"] == HIDDEN
    assert secret["PAGEGRADE_OIDC_GROUPS"] == "designers: 12 editor"
    assert "s3cr3t" not in str(secret)
    assert plain["PAGEGRADE_ALLOW_PORTS"] == "80, 443, 8080, 8443"
    assert plain["PAGEGRADE_RUN_BUDGET_SECONDS"] == "60"


def test_versions_are_those_of_this_process(tmp_path: Path) -> None:
    """None of them is empty."""
    database = make_database(tmp_path)
    versions = dict(versions_in_use(database))
    database.close()
    kept_by = "PostgreSQL" if database.shared else "SQLite"

    assert versions["Pagegrade"] == VERSION
    assert set(versions) == {"Pagegrade", "Ruleset", "Python", kept_by, "libcurl", "System"}
    assert all(versions.values())
