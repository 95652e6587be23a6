from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest

from pagegrade import wiring
from pagegrade.config import given_settings
from pagegrade.gather.browser.options import find_browser
from pagegrade.model.account import Brand, GroupRule, Provider, Role
from pagegrade.model.errors import InvalidInput
from pagegrade.observability.tracing import NO_TRACING
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.repositories.installation import note_origin
from pagegrade.wiring import (
    configured_options,
    database_connections,
    database_url,
    make_services,
    make_vault,
    open_database,
    open_notices,
    planned_places,
    public_origin,
    require_browser,
    server_options,
    service_options,
    shown_settings,
    start_tracing,
    typed_options,
)
from tests.otlp import collecting, forget_variables
from tests.store_builders import make_database, make_file


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever the machine sets does not count here, and nothing is kept in its home."""
    monkeypatch.chdir(tmp_path)
    for name in given_settings():
        monkeypatch.delenv(f"PAGEGRADE_{name.upper()}", raising=False)
    forget_variables(monkeypatch)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))


def test_without_settings_the_defaults_hold() -> None:
    """And a private address is not allowed by itself."""
    assert configured_options() == AnalyzeOptions()
    assert configured_options().allow_typed_private is False


def test_settings_become_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one arrives."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "10.0.0.0/8")
    monkeypatch.setenv("PAGEGRADE_DENY_NETWORKS", "10.1.0.0/16, 64:ff9b::/96")
    monkeypatch.setenv("PAGEGRADE_DENY_HOSTS", "Shop.Example, b\u00fccher.example")
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "8000")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "5")
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "95")
    monkeypatch.setenv("PAGEGRADE_DECENT_FROM", "60")
    options = configured_options()

    assert options.allow_networks == (ip_network("10.0.0.0/8"),)
    assert options.deny_networks == (ip_network("10.1.0.0/16"), ip_network("64:ff9b::/96"))
    assert options.deny_hosts == ("shop.example", "xn--bcher-kva.example")
    assert options.allow_ports == (8000,)
    assert options.budget_s == 5
    assert (options.thresholds.good, options.thresholds.decent) == (95, 60)


@pytest.mark.parametrize(
    ("base_url", "own"),
    [
        ("https://grade.example.com", ("grade.example.com", 443)),
        ("http://grade.example.com:8080", ("grade.example.com", 8080)),
        ("", ("127.0.0.1", 8080)),
    ],
)
def test_the_service_knows_its_own_origin(monkeypatch: pytest.MonkeyPatch, base_url: str, own: tuple[str, int]) -> None:
    """By its public address, or by its listening address; the person at its terminal may analyze it."""
    if base_url:
        monkeypatch.setenv("PAGEGRADE_BASE_URL", base_url)
    service = service_options()

    assert service.analyze.own_origins == {own}
    assert typed_options().own_origins == frozenset()


def test_what_is_typed_widens_and_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks add up; the budget of the command line wins; the typed address may be private."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", "10.0.0.0/8")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "5")
    options = typed_options(budget_s=7, subresources=False, allow_networks=["192.168.0.0/16"])

    assert options.allow_networks == (ip_network("10.0.0.0/8"), ip_network("192.168.0.0/16"))
    assert options.budget_s == 7
    assert options.subresources is False
    assert options.allow_typed_private is True
    assert typed_options().budget_s == 5


@pytest.mark.parametrize("budget_s", [0, -1, 3601, float("nan"), float("inf")])
def test_a_budget_that_is_none_is_refused(budget_s: float) -> None:
    """The option is named."""
    with pytest.raises(InvalidInput, match="--budget"):
        typed_options(budget_s=budget_s)


def test_a_network_that_is_none_is_refused() -> None:
    """With the value that was typed."""
    with pytest.raises(InvalidInput, match="nonsense"):
        typed_options(allow_networks=["nonsense"])


def test_nothing_slow_is_loaded_where_nothing_is_set(tmp_path: Path) -> None:
    """Most calls from a terminal set nothing, and need not wait for the reader of settings."""
    code = "import sys, pagegrade.wiring as w; w.configured_options(); print('pydantic' in sys.modules)"

    (tmp_path / ".env").write_text("PAGEGRADE_GOOD_FROM=81")
    without = _run(code, tmp_path)
    ours = _run(code, tmp_path, PAGEGRADE_GOOD_FROM="81")

    assert (without, ours) == ("False", "True")


def _run(code: str, folder: Path, **variables: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_settings_the_service_has_its_defaults() -> None:
    """The settings and the options were written down twice; here they meet."""
    found = service_options()

    assert replace(found, browser=None, browsers=1) == ServiceOptions()
    assert found.browser == find_browser()
    assert found.browsers == max(1, (os.cpu_count() or 1) // 2)


def test_every_setting_of_the_service_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is read and not passed on would be worse than none."""
    values = {
        "BASE_URL": "https://reports.example.org",
        "DEFAULT_PRIVACY": "1",
        "REQUESTS_PER_MINUTE": "1001",
        "ANALYSES_PER_MINUTE": "1002",
        "WRONG_KEYS_PER_MINUTE": "1003",
        "CREATE_WAIT_SECONDS": "4",
        "MAX_REPORTS": "1005",
        "MAX_MONITORS": "1020",
        "ACCOUNT_QUEUE": "1006",
        "QUEUE": "1007",
        "RETENTION_DAYS": "1008",
        "RETENTION_RUNS": "1009",
        "TRUSTED_PROXIES": "10.0.0.1",
        "CORS_ORIGINS": "https://a.example",
        "METRICS_TOKEN": "token",
        "SMTP_URL": "smtp://user:password@mail.example",
        "MAIL_DOMAINS": "Example.org, example.net",
        "SIGN_UP_DOMAINS": "Example.org",
        "OIDC_ISSUER": "https://login.example.org/realms/office/",
        "OIDC_CLIENT_ID": "pagegrade",
        "OIDC_CLIENT_SECRET": "secret of the client",
        "OIDC_NAME": "Office",
        "OIDC_SCOPES": "openid groups",
        "OIDC_SIGN_UP": "true",
        "OIDC_GROUPS": "Web: design: 12 editor, leads: 13 owner",
        "OIDC_GROUPS_CLAIM": "roles",
        "PASSWORD_SIGN_IN": "false",
        "BRAND_NAME": " Host ",
        "BRAND_COLOR": "#ABCDEF",
        "BRAND_FOOTER": "Host GmbH",
        "BRAND_CREDIT": "false",
        "HSTS": "true",
        "WORKERS": "11",
        "GRACE_SECONDS": "12",
        "LEASE_SECONDS": "13",
        "TARGET_RUNS": "14",
        "TARGET_RUNS_PER_MINUTE": "15",
        "RUN_BUDGET_SECONDS": "16",
        "DATABASE_CONNECTIONS": "17",
        "RENDER": "always",
        "RENDER_LOADS": "5",
        "BROWSER": "/bin/true",
        "BROWSERS": "18",
        "PARSERS": "19",
        "CRAWLS": "21",
        "ACCOUNT_CRAWLS": "22",
        "CRAWL_PAGES": "23",
        "PROVED_CRAWL_PAGES": "24",
        "TARGET_PAGES_PER_DAY": "25",
        "CONTACT": "webmaster@example.org",
        "PLANS": "default: reports=9, agency: reports=none",
    }
    for name, value in values.items():
        monkeypatch.setenv(f"PAGEGRADE_{name}", value)
    options, plain = service_options(), ServiceOptions()
    same = [name for name in ServiceOptions.__dataclass_fields__ if getattr(options, name) == getattr(plain, name)]

    assert same == []
    assert options.metrics_token == "token"
    assert options.brand == Brand(name="Host", color="#abcdef", footer="Host GmbH", credit=False)
    assert options.provider == Provider(
        issuer="https://login.example.org/realms/office/",
        client_id="pagegrade",
        client_secret="secret of the client",
        name="Office",
        scopes="openid groups",
        sign_up=True,
        groups=(GroupRule("Web: design", 12, Role.EDITOR), GroupRule("leads", 13, Role.OWNER)),
        groups_claim="roles",
    )
    assert "secret of the client" not in repr(options)
    assert options.mail is not None
    assert (options.mail.sender, options.mail.domains) == (
        "pagegrade@reports.example.org",
        ("example.org", "example.net"),
    )
    assert options.mail.allows("person@EXAMPLE.net")
    assert not options.mail.allows("person@mail.example.net")
    assert options.max_reports == 1005
    assert options.plans == (("default", {"reports": 9}), ("agency", {"reports": -1}))
    assert options.analyze.budget_s == 16
    assert options.analyze.render_loads == 5
    assert options.browser == Path("/bin/true")


def test_a_service_that_must_draw_every_page_needs_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not start without one, and says how to get one; one that may do without starts, as do other commands."""
    monkeypatch.setenv("PAGEGRADE_BROWSER", "/no/such/browser")
    require_browser(service_options())
    monkeypatch.setenv("PAGEGRADE_RENDER", "always")
    require_browser(service_options(workers=0))
    options = service_options()

    with pytest.raises(InvalidInput, match=r"PAGEGRADE_RENDER=always: PAGEGRADE_BROWSER: /no/such/browser .*Install"):
        require_browser(options)


def test_a_service_that_draws_no_page_looks_for_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even for one that is there."""
    monkeypatch.setenv("PAGEGRADE_BROWSER", "/bin/true")
    monkeypatch.setenv("PAGEGRADE_RENDER", "never")

    assert service_options().browser is None


@pytest.mark.parametrize(
    ("host", "port", "origin"),
    [
        (None, None, "http://127.0.0.1:8080"),
        ("0.0.0.0", 8000, "http://127.0.0.1:8000"),
        ("::", 80, "http://127.0.0.1"),
        ("::1", 8000, "http://[::1]:8000"),
        ("reports.example.org", 80, "http://reports.example.org"),
    ],
)
def test_links_lead_to_where_the_server_listens(host: str | None, port: int | None, origin: str) -> None:
    """Until the public origin is set."""
    assert service_options(hosts=[host or ""], port=port).base_url == origin


def test_what_is_typed_wins_over_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """``serve --port 9 --workers 0``."""
    monkeypatch.setenv("PAGEGRADE_PORT", "8090")
    monkeypatch.setenv("PAGEGRADE_WORKERS", "7")
    monkeypatch.setenv("PAGEGRADE_PARSERS", "3")
    monkeypatch.setenv("PAGEGRADE_BOOTSTRAP_API_KEY", "k" * 20)
    monkeypatch.setenv("PAGEGRADE_PROT", "1")
    server = server_options(hosts=["::1"])

    assert (server.hosts, server.port, server.bootstrap_api_key) == (("::1",), 8090, "k" * 20)
    assert server_options(port=0).port == 0
    assert service_options(workers=0).workers == 0
    assert service_options().workers == 7
    assert service_options().parsers == 3
    assert server.warnings == ("PAGEGRADE_PROT is no setting and has no effect. Did you mean PAGEGRADE_PORT?",)


def test_a_key_file_without_effect_is_named_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key that is set replaces it."""
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path))
    make_vault().seal(b"x")
    alone = server_options().warnings
    monkeypatch.setenv("PAGEGRADE_SECRET_KEY", "k" * 32)
    (warning,) = server_options().warnings

    assert alone == ()
    assert warning.startswith(f"{tmp_path / 'secret.key'} has no effect")


def test_the_database_lies_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For its owner only, wherever it is."""
    assert database_url() == f"sqlite:///{tmp_path}/share/pagegrade/pagegrade.db"
    assert (tmp_path / "share/pagegrade").stat().st_mode & 0o777 == 0o700

    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path / "data"))

    assert database_url() == f"sqlite:///{tmp_path}/data/pagegrade.db"

    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", f"sqlite:///{tmp_path}/other/reports.db")

    assert database_url() == f"sqlite:///{tmp_path}/other/reports.db"
    assert (tmp_path / "other").is_dir()


def test_a_database_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what would do, and without the address, which may hold a password."""
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "mysql://alice:secret@db/reports")

    with pytest.raises(InvalidInput, match="postgresql") as caught:
        open_database()

    assert "secret" not in caught.value.message


def test_a_database_on_a_server_needs_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is made on this machine; the server is not asked before a connection is needed."""
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "postgresql+psycopg://alice:s3cret@127.0.0.1:1/reports")
    monkeypatch.setenv("PAGEGRADE_DATABASE_WAIT_SECONDS", "7")
    server = server_options()
    services = make_services()
    notices = open_notices(services)
    services.database.close()
    services.passwords.close()

    assert (server.data_folder, server.database_wait_s, server.is_origin_known) == (None, 7.0, False)
    assert services.database.shared
    assert notices is not None
    assert not notices.healthy
    assert database_connections() == 10
    assert not (tmp_path / "share").exists()


def test_a_file_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    """So its changes are not announced."""
    services = make_services(make_file(tmp_path))
    notices = open_notices(services)
    services.database.close()
    services.passwords.close()

    assert notices is None


def test_a_database_works_and_services_share_it(tmp_path: Path) -> None:
    """The results of wiring can be used at once."""
    services = make_services()
    try:
        answer = asyncio.run(services.database.write(lambda tx: tx.exec_driver_sql("SELECT 42").scalar()))
    finally:
        services.database.close()
        services.passwords.close()

    assert answer == 42
    assert (tmp_path / "share/pagegrade/pagegrade.db").exists()
    assert services.options == service_options()


def test_places_can_be_asked_for_without_making_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Looking changes nothing."""
    assert planned_places() == (
        tmp_path / "share/pagegrade",
        f"sqlite:///{tmp_path}/share/pagegrade/pagegrade.db",
    )

    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "sqlite:////srv/reports.db")
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", "relative")

    assert planned_places() == (tmp_path / "relative", "sqlite:////srv/reports.db")
    assert list(tmp_path.iterdir()) == []


def test_settings_are_shown_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is set and means nothing beside them."""
    monkeypatch.setenv("PAGEGRADE_PORT", "8090")
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN", "the-token-itself")
    monkeypatch.setenv("PAGEGRADE_ZZZ", "1")

    assert shown_settings() == (
        (("PAGEGRADE_METRICS_TOKEN", "(hidden)"), ("PAGEGRADE_PORT", "8090")),
        ("PAGEGRADE_ZZZ is no setting and has no effect.",),
    )


def test_addresses_for_people_lead_to_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is set; else as it said itself when it ran last; else where it would listen."""
    database = make_database(tmp_path)
    never = public_origin(database)
    database.write_here(lambda tx: note_origin(tx, "http://127.0.0.1:9000"))
    noted = public_origin(database)
    monkeypatch.setenv("PAGEGRADE_BASE_URL", "https://reports.example.org")
    configured = public_origin(database)
    database.close()

    assert (never, noted) == ("http://127.0.0.1:8080", "http://127.0.0.1:9000")
    assert configured == "https://reports.example.org"


def test_traces_are_sent_where_the_variables_name_a_collector(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The services of a process bring what sends them; without a collector they bring nothing."""
    quiet = make_services(make_database(tmp_path), ServiceOptions())
    quiet.database.close()
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
        services = make_services(make_database(tmp_path), ServiceOptions())
        services.tracing.start("GET", kind="server").end()
        services.tracing.close()
        services.database.close()

    assert quiet.tracing is NO_TRACING
    assert [span.name for span in collector.spans] == ["GET"]
    assert collector.spans[0].service["service.instance.id"] == services.process
    assert caplog.messages == []


def test_a_missing_extra_is_said_and_nothing_else_happens(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A person who wants traces learns what to install."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "pagegrade.observability.otel", None)
    tracing = start_tracing("one")

    assert tracing is NO_TRACING
    assert caplog.messages == ["traces_not_sent"]
    assert "pip install 'pagegrade[otel]'" in vars(caplog.records[0])["reason"]


def test_variables_that_cannot_be_used_are_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mistake in the settings of traces is no reason not to serve."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
    tracing = start_tracing("one")

    assert tracing is NO_TRACING
    assert caplog.messages == ["traces_set_up_strangely", "traces_not_sent"]
    assert "http/protobuf" in vars(caplog.records[0])["reason"]


def test_settings_are_read_once_and_again_when_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start asks seven times, and each reading takes a fiftieth of a second of a processor."""
    first = wiring._settings()
    again = wiring._settings()
    monkeypatch.setenv("PAGEGRADE_PORT", "8123")

    assert again is first
    assert wiring._settings().port == 8123
