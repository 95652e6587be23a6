from __future__ import annotations

from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest

from pagegrade.config import (
    PREFIX,
    Settings,
    given_settings,
    load_settings,
    secret_names,
    unknown_settings,
)
from pagegrade.model.errors import InvalidInput
from pagegrade.service.accounts.access import MAX_CHARACTERS, MIN_CHARACTERS
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.setting_values import MAX_KEY_CHARACTERS, MIN_KEY_CHARACTERS


@pytest.fixture(autouse=True)
def _an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's variables do not count here."""
    monkeypatch.chdir(tmp_path)
    for name in given_settings():
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)


def test_without_variables_the_defaults_are_those_of_the_use_case() -> None:
    """Two homes of one number would drift apart; this holds them together."""
    settings, options = Settings(), AnalyzeOptions()

    assert settings.allow_networks == options.allow_networks
    assert sorted(settings.allow_ports) == sorted(options.allow_ports)
    assert settings.run_budget_seconds == options.budget_s
    assert (settings.good_from, settings.decent_from) == (options.thresholds.good, options.thresholds.decent)


def test_the_service_has_the_same_defaults() -> None:
    """Options made without settings are those of an operator without settings."""
    settings, options = Settings(), ServiceOptions()
    renamed = {"create_wait_s": "create_wait_seconds", "grace_s": "grace_seconds", "lease_s": "lease_seconds"}
    names = {field.name for field in fields(ServiceOptions)} - {
        *("analyze", "base_url", "brand", "browser", "browsers", "mail", "provider")
    }

    assert {name: getattr(settings, renamed.get(name, name)) for name in names} == {
        name: getattr(options, name) for name in names
    }


def test_a_first_key_that_can_be_set_is_one_that_works() -> None:
    """The bounds are those of keys."""
    assert (MIN_KEY_CHARACTERS, MAX_KEY_CHARACTERS) == (MIN_CHARACTERS, MAX_CHARACTERS)


def test_every_setting_is_documented() -> None:
    """The reference page is made of these descriptions."""
    assert all((field.description or "").endswith(".") for field in Settings.model_fields.values())


def test_values_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are separated by commas; blanks and empty items do not count."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORKS", " 10.0.0.0/8, fd00::/8,, 192.0.2.7/24 ")
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "80,8000")
    monkeypatch.setenv("PAGEGRADE_RUN_BUDGET_SECONDS", "12.5")
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "90")
    settings = load_settings()

    assert settings.allow_networks == tuple(map(ip_network, ("10.0.0.0/8", "fd00::/8", "192.0.2.0/24")))
    assert settings.allow_ports == (80, 8000)
    assert settings.run_budget_seconds == 12.5
    assert settings.good_from == 90


def test_an_empty_variable_is_as_if_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose files pass empty variables on."""
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "")

    assert load_settings().good_from == 80


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ALLOW_NETWORKS", "10.0.0.0/99", "10.0.0.0/99"),
        ("ALLOW_NETWORKS", "everything", "everything"),
        ("ALLOW_PORTS", "0", "greater than or equal to 1"),
        ("ALLOW_PORTS", "http", "http"),
        ("ALLOW_PORTS", ",", "at least 1"),
        ("RUN_BUDGET_SECONDS", "0", "greater than 0"),
        ("RUN_BUDGET_SECONDS", "nan", "nan"),
        ("RUN_BUDGET_SECONDS", "9999", "3600"),
        ("GOOD_FROM", "101", "100"),
        ("GOOD_FROM", "forty", "forty"),
        ("GOOD_FROM", "40", "DECENT_FROM"),
        ("SIGN_UP_DOMAINS", "example.org", "needs SMTP_URL"),
        ("SIGN_UP_DOMAINS", "*.example.org", "pattern"),
        ("OIDC_ISSUER", "https://login.example.org", "need each other"),
        ("OIDC_CLIENT_ID", "pagegrade", "OIDC_ISSUER"),
        ("PASSWORD_SIGN_IN", "false", "OIDC_ISSUER"),
        ("OIDC_SCOPES", "profile", "pattern"),
        ("PORT", "70000", "65535"),
        ("HOST", " ", "at least 1"),
        ("HOST", "a b", "pattern"),
        ("WORKERS", "-1", "greater than or equal to 0"),
        ("REQUESTS_PER_MINUTE", "0", "greater than or equal to 1"),
        ("CREATE_WAIT_SECONDS", "51", "50"),
        ("CREATE_WAIT_SECONDS", "-1", "0"),
        ("DEFAULT_PRIVACY", "2", "0 or 1"),
        ("DEFAULT_PRIVACY", "private", "0 or 1"),
        ("RETENTION_DAYS", "0", "greater than or equal to 1"),
        ("RETENTION_RUNS", "0", "greater than or equal to 1"),
        ("BASE_URL", "https://reports.example.org/a//b", "below a path"),
        ("BASE_URL", "https://reports.example.org/a/../b", "below a path"),
        ("BASE_URL", "https://reports.example.org/%61", "below a path"),
        ("BASE_URL", 'https://reports.example.org/"onclick', "below a path"),
        ("BASE_URL", "reports.example.org", "below a path"),
        ("BASE_URL", "ftp://reports.example.org", "below a path"),
        ("BASE_URL", "https://alice:secret@reports.example.org", "below a path"),
        ("BASE_URL", "https://reports.example.org?x", "below a path"),
        ("BASE_URL", "https://reports.example.org/a?x", "below a path"),
        ("TRUSTED_PROXIES", "proxy", "proxy"),
        ("PROXY", "socks4://proxy.example", "socks5h"),
        ("CORS_ORIGINS", "https://a.example/x", "origin"),
        ("LOG_FORMAT", "xml", "json"),
        ("LOG_LEVEL", "loud", "debug"),
        ("HSTS", "perhaps", "boolean"),
    ],
)
def test_a_value_that_cannot_be_used_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    """The operator sees what to change, and to what."""
    monkeypatch.setenv(PREFIX + name, value)

    with pytest.raises(InvalidInput, match="PAGEGRADE_") as caught:
        load_settings()

    assert words in caught.value.message
    assert name in caught.value.message


def test_all_wrong_values_are_reported_at_once_one_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server need not be started five times to learn of five mistakes."""
    monkeypatch.setenv("PAGEGRADE_PORT", "many")
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "0,99999")
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN_FILE", "/nowhere")

    with pytest.raises(InvalidInput) as caught:
        load_settings()
    lines = caught.value.message.splitlines()

    assert lines[0] == "3 settings cannot be used:"
    assert sorted(line.split("=")[0].strip() for line in lines[1:]) == [
        "PAGEGRADE_ALLOW_PORTS",
        "PAGEGRADE_METRICS_TOKEN_FILE",
        "PAGEGRADE_PORT",
    ]


def test_a_named_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The usual order for ``.env``; an empty variable does not win, and a file that is not named is not read."""
    (tmp_path / ".env").write_text(
        "# ours\nPAGEGRADE_GOOD_FROM=91\nPAGEGRADE_PORT='8090'\npagegrade_decent_from=41\nOTHER=1\n"
    )
    monkeypatch.setenv("PAGEGRADE_GOOD_FROM", "92")
    monkeypatch.setenv("PAGEGRADE_PORT", "")
    settings = load_settings(Path(".env"))

    assert (settings.good_from, settings.port, settings.decent_from) == (92, 8090, 41)
    assert load_settings().decent_from == 50


def test_a_file_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    """A server that starts with the defaults instead of its settings is worse than one that does not start."""
    (tmp_path / ".env").write_bytes(b"PAGEGRADE_PORT=\xff\xfe")

    with pytest.raises(InvalidInput, match=r"\.env cannot be read"):
        load_settings(Path(".env"))


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("https://Reports.Example.org", "https://reports.example.org"),
        ("https://reports.example.org/", "https://reports.example.org"),
        ("https://reports.example.org:443", "https://reports.example.org"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://Example.org:443/Tools/page.grade/", "https://example.org/Tools/page.grade"),
    ],
)
def test_a_public_url_has_one_form(monkeypatch: pytest.MonkeyPatch, typed: str, origin: str) -> None:
    """Links are made by putting paths after it."""
    monkeypatch.setenv("PAGEGRADE_BASE_URL", typed)

    assert load_settings().base_url == origin


def test_every_secret_can_be_read_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As container platforms mount them; the line break at the end does not count."""
    texts = dict.fromkeys(secret_names(), "smtp://user:a-secret-of-more-than-20@mail.example")
    texts["proxy"] = "http://user:a-secret@proxy.example:3128"
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
        monkeypatch.setenv(f"{PREFIX}{name.upper()}_FILE", str(tmp_path / name))
    settings = load_settings()

    assert secret_names() == {
        "access_cookies",
        "access_headers",
        "access_user",
        "bootstrap_api_key",
        "database_url",
        "metrics_token",
        "oidc_client_secret",
        "proxy",
        "secret_key",
        "smtp_url",
    }
    assert {name: getattr(settings, name).get_secret_value() for name in secret_names()} == texts


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff" * 30, b"x" * 70_000], ids=repr)
def test_a_file_without_a_secret_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    """Missing, empty, not text, or far too long: never an open door."""
    if content is not None:
        (tmp_path / "token").write_bytes(content)
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN_FILE", str(tmp_path / "token"))

    with pytest.raises(InvalidInput, match="PAGEGRADE_METRICS_TOKEN_FILE"):
        load_settings()


def test_a_secret_is_given_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two values would leave it to chance which one counts."""
    (tmp_path / "token").write_text("one")
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN", "two")

    with pytest.raises(InvalidInput, match="PAGEGRADE_METRICS_TOKEN_FILE and PAGEGRADE_METRICS_TOKEN are both set"):
        load_settings()


@pytest.mark.parametrize("key", ["too-short", "with blanks in between and long", "ümlaute-ümlaute-ümlaute", "k" * 513])
def test_a_bad_key_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """An error message ends up in logs."""
    monkeypatch.setenv("PAGEGRADE_BOOTSTRAP_API_KEY", key)

    with pytest.raises(InvalidInput, match="PAGEGRADE_BOOTSTRAP_API_KEY") as caught:
        load_settings()

    assert key not in caught.value.message


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings end up in tracebacks."""
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN", "the-token-itself")

    assert "the-token-itself" not in repr(load_settings())


def test_a_misspelled_variable_is_reported_with_the_likely_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is not an error: a later version may know it."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_NETWORK", "10.0.0.0/8")
    monkeypatch.setenv("PAGEGRADE_PORT", "8090")
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN_FILE", "")
    (tmp_path / ".env").write_text("PAGEGRADE_ZZZ=1\n")

    assert load_settings().port == 8090
    assert unknown_settings(given_settings(Path(".env"))) == (
        "PAGEGRADE_ALLOW_NETWORK is no setting and has no effect. Did you mean PAGEGRADE_ALLOW_NETWORKS?",
        "PAGEGRADE_ZZZ is no setting and has no effect.",
    )
