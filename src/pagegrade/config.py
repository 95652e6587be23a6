"""Settings from the environment and a file, read once at the edge.

Slow to import: only ``wiring`` does, when it must.

The sources, the stronger first: the environment, then a file. ``pagegrade serve``, ``worker`` and the commands that
administer an installation read ``.env`` in the working folder; any other command, which may be run in a folder of other
people, reads only what ``--env-file`` names. A variable that is empty is as if absent. A secret may also be named by
``NAME_FILE``, a file that holds it.
"""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable, Mapping
from difflib import get_close_matches  # lint: allow slow-parser - the operator's own settings
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from pagegrade.model.account import QUOTA_NAMES, Provider
from pagegrade.model.errors import InvalidInput
from pagegrade.setting_values import (
    BaseURL,
    Count,
    GroupRules,
    Hosts,
    Networks,
    Pages,
    Plan,
    Port,
    Score,
    check_address,
    check_key,
    check_proxy,
    check_secret_key,
    check_smtp,
    lower,
    read_cors_origin,
    read_issuer,
    split,
)

PREFIX: Final = "PAGEGRADE_"
MAX_SECRET_BYTES: Final = 64 * 1024


class Settings(BaseSettings):
    """Everything an operator can set; the variable is the field's name in capitals after ``PAGEGRADE_``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    data_dir: Annotated[
        Path | None,
        Field(
            description="Folder of the database and everything else that is kept. Unset: pagegrade in the folder that "
            "the system has for a user's data ($XDG_DATA_HOME or ~/.local/share)."
        ),
    ] = None
    browser: Annotated[
        str | None,
        Field(
            description="Path or command of the Chromium that draws pages. Unset: chromium-headless-shell, "
            "chrome-headless-shell, chromium or google-chrome, whichever is found first."
        ),
    ] = None
    render: Annotated[
        Literal["auto", "never", "always"],
        BeforeValidator(lower),
        Field(
            description="Whether a browser draws the pages of reports that do not say it themselves. auto: where there "
            "is one, in a run that follows a static one. never: no page. always: all, at once; a start without a "
            "browser fails."
        ),
    ] = "auto"
    browsers: Annotated[
        Annotated[int, Field(ge=1, le=64)] | None,
        Field(
            description="Browsers at the same time in each process, at 200 to 600 MB each. Unset: half the processor's "
            "cores, at least 1."
        ),
    ] = None
    render_loads: Annotated[
        int,
        Field(ge=1, le=9, description="Loads of a page in a browser; its metrics are the medians over them."),
    ] = 3
    database_url: Annotated[
        SecretStr | None,
        Field(
            description="Where reports are kept: sqlite:////srv/reports.db for one server, or "
            "postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE for any number of them. Unset: a file in DATA_DIR."
        ),
    ] = None
    database_connections: Annotated[
        int,
        Field(
            ge=2,
            le=200,
            description="Connections to PostgreSQL that each process keeps; it has one more for notices.",
        ),
    ] = 10
    database_wait_seconds: Annotated[
        float,
        Field(ge=0, le=3600, description="How long a start waits for a PostgreSQL that does not answer, in seconds."),
    ] = 60.0
    migrate: Annotated[
        Literal["auto", "never"],
        BeforeValidator(lower),
        Field(
            description="auto: serve and worker bring the tables to their version as they start. never: they start on "
            "the tables there are if they can work with them; run pagegrade migrate yourself."
        ),
    ] = "auto"
    base_url: Annotated[
        BaseURL | None,
        Field(
            description="Public URL that every link is built from, such as https://reports.example.org, or "
            "https://example.org/pagegrade for a service below a path. "
            "Unset: http:// with HOST and PORT; a worker learns it from the server."
        ),
    ] = None
    contact: Annotated[
        Annotated[str, AfterValidator(check_address)] | None,
        Field(description="Mail address of the operator, which the page /robot shows to owners of sites."),
    ] = None
    host: Annotated[
        tuple[Annotated[str, Field(pattern=r"^\S{1,253}$")], ...],
        NoDecode,
        BeforeValidator(split),
        Field(
            min_length=1,
            description="Comma-separated addresses to listen on; 0.0.0.0: all IPv4 addresses of this machine, "
            "[::]: all IPv6 and IPv4 addresses.",
        ),
    ] = ("127.0.0.1",)
    port: Annotated[Port, Field(description="Port to listen on.")] = 8080
    workers: Annotated[int, Field(ge=0, le=256, description="Analyses at the same time; 0: only answer requests.")] = 4
    parsers: Annotated[
        Annotated[int, Field(ge=1, le=256)] | None,
        Field(description="Processes that read and evaluate pages at the same time. Unset: one for each processor."),
    ] = None
    bootstrap_api_key: Annotated[
        SecretStr | None,
        AfterValidator(lambda value: value and check_key(value)),
        Field(
            description="The owner's first API key on an empty database, 20 or more visible ASCII characters. "
            "Unset: one is made and shown once at the first start."
        ),
    ] = None
    requests_per_minute: Annotated[Count, Field(description="Requests a key may send in a minute.")] = 120
    analyses_per_minute: Annotated[Count, Field(description="New reports and re-runs a key may ask in a minute.")] = 30
    wrong_keys_per_minute: Annotated[
        Count, Field(description="Wrong keys a client address may try in a minute before it has to wait.")
    ] = 30
    create_wait_seconds: Annotated[
        float,
        Field(ge=0, le=50, description="How long a call that starts an analysis waits for it, in seconds; 0 to 50."),
    ] = 15.0
    run_budget_seconds: Annotated[
        float, Field(gt=0, le=3600, description="Time for everything one analysis asks the network for, in seconds.")
    ] = 60.0
    grace_seconds: Annotated[
        float, Field(ge=0, le=3600, description="Time to finish work in progress after a stop signal, in seconds.")
    ] = 20.0
    lease_seconds: Annotated[
        float,
        Field(ge=5, le=3600, description="A run whose worker has been silent so many seconds goes to another one."),
    ] = 30.0
    good_from: Annotated[Score, Field(description="Score from which a page is good, 0 to 100.")] = 80
    decent_from: Annotated[Score, Field(description="Score from which a page is decent, at most GOOD_FROM.")] = 50
    default_privacy: Annotated[
        Literal[0, 1],
        # From the environment everything is text, and a choice of numbers does not read it.
        BeforeValidator(lambda value: int(value) if value in {"0", "1"} else value),
        Field(description="Who sees a new report's share page by default; 0: anyone with the link, 1: its account."),
    ] = 0
    retention_days: Annotated[
        Annotated[int, Field(ge=1, le=36500)] | None,
        Field(description="A report is deleted so many days after its last analysis. Unset: never."),
    ] = None
    retention_runs: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None,
        Field(description="Finished runs that are kept of each report. Unset: all."),
    ] = None
    max_reports: Annotated[Count | None, Field(description="Reports an account may have. Unset: no limit.")] = None
    max_monitors: Annotated[Count, Field(description="Monitors an account may have.")] = 100
    plans: Annotated[
        tuple[Plan, ...],
        NoDecode,
        BeforeValidator(split),
        Field(
            description="Comma-separated plans, each with its quotas: default: reports=100 analyses_per_month=1000, "
            "agency: reports=none. An administrator gives an account its plan; default is that of all others. Quotas: "
            f"{', '.join(QUOTA_NAMES)}."
        ),
    ] = ()
    crawls: Annotated[
        int, Field(ge=0, le=100, description="Crawls of site audits at the same time in this process; 0: none.")
    ] = 2
    account_crawls: Annotated[
        Annotated[int, Field(ge=1, le=100)], Field(description="Crawls of an account at the same time.")
    ] = 1
    crawl_pages: Annotated[Pages, Field(description="URLs that a crawl fetches of a site without a proof.")] = 500
    proved_crawl_pages: Annotated[Pages, Field(description="The same with one, or in ALLOW_NETWORKS.")] = 10_000
    target_pages_per_day: Annotated[Count, Field(description="URLs of a site that all of them fetch in a day.")] = 1_000
    account_queue: Annotated[Count, Field(description="Unfinished runs an account may have.")] = 1_000
    queue: Annotated[Count, Field(description="Unfinished runs of all accounts together.")] = 10_000
    target_runs: Annotated[
        Annotated[int, Field(ge=1, le=100)],
        Field(description="Analyses at the same time of one site (registrable domain) or address."),
    ] = 2
    target_runs_per_minute: Annotated[
        Annotated[int, Field(ge=1, le=6000)],
        Field(description="Analyses that may start in a minute of one site (registrable domain) or address."),
    ] = 20
    allow_networks: Annotated[
        Networks,
        Field(
            description="Comma-separated CIDRs of your own networks. An analysis or a webhook whose own host lies "
            "there reaches them on any port and without politeness limits; no public page does."
        ),
    ] = ()
    deny_networks: Annotated[
        Networks,
        Field(
            description="Comma-separated CIDRs that are never contacted, even where ALLOW_NETWORKS names them: public "
            "addresses that lead inside, or the prefix of a NAT64."
        ),
    ] = ()
    deny_hosts: Annotated[
        Hosts,
        Field(
            description="Comma-separated hosts that are never contacted, nor hosts below them: sites that ask for it."
        ),
    ] = ()
    allow_ports: Annotated[
        tuple[Port, ...],
        NoDecode,
        BeforeValidator(split),
        Field(min_length=1, description="Comma-separated ports of public hosts that may be contacted."),
    ] = (80, 443, 8080, 8443)
    proxy: Annotated[
        SecretStr | None,
        AfterValidator(lambda value: value and check_proxy(value)),
        Field(
            description="Forward proxy that sites and webhooks are reached through: http://USER:PASSWORD@HOST:3128, "
            "https://... or socks5h://...; it must permit CONNECT to ALLOW_PORTS. Unset: they are reached directly."
        ),
    ] = None
    no_proxy: Annotated[
        str | None,
        Field(
            description="Comma-separated domains, addresses and CIDRs that are reached without PROXY; this machine "
            "always is. Unset: as NO_PROXY says."
        ),
    ] = None
    proxy_resolves: Annotated[
        bool,
        Field(
            description="Hand names to PROXY instead of addresses, where no name server knows the Internet. Then only "
            "the proxy can refuse a name that leads to a private address."
        ),
    ] = False
    ca_file: Annotated[
        Path | None,
        Field(
            description="File of certificates (PEM) of your own authorities, trusted besides those of everyone by both "
            "engines, webhooks and PROXY."
        ),
    ] = None
    trusted_proxies: Annotated[
        Networks,
        Field(description="Comma-separated CIDRs of your reverse proxies: only they may name the client in a header."),
    ] = ()
    cors_origins: Annotated[
        tuple[Annotated[str, AfterValidator(read_cors_origin)], ...],
        NoDecode,
        BeforeValidator(split),
        Field(description="Comma-separated origins whose pages may call the API; * for all."),
    ] = ("*",)
    metrics_token: Annotated[
        SecretStr | None,
        Field(
            description="Bearer token that /metrics asks for. Unset: it answers this machine and ALLOW_NETWORKS only."
        ),
    ] = None
    smtp_url: Annotated[
        SecretStr | None,
        AfterValidator(lambda value: value and check_smtp(value)),
        Field(
            description="Mail server for messages: smtp://USER:PASSWORD@HOST:587 (STARTTLS) or "
            "smtps://USER:PASSWORD@HOST:465. Unset: no e-mail is sent."
        ),
    ] = None
    mail_from: Annotated[
        Annotated[str, AfterValidator(check_address)] | None,
        Field(description="Sender of e-mail. Unset: pagegrade@ and the host of BASE_URL."),
    ] = None
    mail_domains: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$")], ...],
        NoDecode,
        BeforeValidator(split),
        Field(description="Comma-separated domains of people who may get e-mail. Empty: no one gets any."),
    ] = ()
    brand_name: Annotated[str, Field(max_length=60, description="Name shown to others. Empty: Pagegrade.")] = ""
    brand_color: Annotated[str, Field(pattern=r"^(#[0-9A-Fa-f]{6})?$", description="Of links, like #1b5e50.")] = ""
    brand_logo: Annotated[Path | None, Field(description="PNG, at most 64 KB and 1,024 pixels a side.")] = None
    brand_footer: Annotated[str, Field(max_length=300, description="Line at the end of what others see.")] = ""
    brand_credit: Annotated[bool, Field(description="Say to others that it was made with Pagegrade.")] = True
    sign_up_domains: Annotated[
        tuple[Annotated[str, Field(pattern=r"^(\*|[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+)$")], ...],
        NoDecode,
        BeforeValidator(split),
        Field(
            description="Comma-separated domains of people who may create an account with a link sent to their "
            "address; * for all. Needs SMTP_URL. Empty: accounts are made by administrators and by invitation."
        ),
    ] = ()
    oidc_issuer: Annotated[
        Annotated[str, Field(max_length=255), AfterValidator(read_issuer)] | None,
        Field(
            description="URL of the OpenID Connect provider that people sign in at, as it calls itself, such as "
            "https://login.example.org/realms/office. It is asked wherever it lies, also in a private network. Unset: "
            "there is no single sign-on."
        ),
    ] = None
    oidc_client_id: Annotated[str, Field(max_length=255, description="Name of Pagegrade at that provider.")] = ""
    oidc_client_secret: Annotated[
        SecretStr | None,
        Field(description="Secret of Pagegrade at that provider. Unset: it is a public client there."),
    ] = None
    oidc_name: Annotated[
        str, Field(max_length=60, description="What people call that provider. Empty: single sign-on.")
    ] = ""
    oidc_scopes: Annotated[
        str,
        Field(
            pattern=r"^openid( [!#-\[\]-~]{1,100}){0,20}$",
            description="Scopes that are asked for, separated by blanks, openid first.",
        ),
    ] = "openid profile email"
    oidc_sign_up: Annotated[
        bool,
        Field(
            description="Let everybody whom that provider signs in have an account, made as they sign in. "
            "Others need an invitation, or to be in a group of OIDC_GROUPS."
        ),
    ] = False
    oidc_groups: Annotated[
        GroupRules,
        Field(
            description="Comma-separated groups of that provider whose people are members of a workspace, each with "
            "its id and a role: designers: 12 editor. Who leaves the group is a member until the next sign-in."
        ),
    ] = ()
    oidc_groups_claim: Annotated[
        str, Field(min_length=1, max_length=100, description="Claim of that provider with a person's groups.")
    ] = "groups"
    password_sign_in: Annotated[
        bool,
        Field(
            description="Let people sign in with a password or a passkey. Off needs OIDC_ISSUER; links of pagegrade "
            "accounts login-link work all the same."
        ),
    ] = True
    access_user: Annotated[
        SecretStr | None,
        Field(
            description="USER:PASSWORD of Basic authentication, sent by pagegrade analyze to the origins of the pages "
            "it is asked for. Profiles of the service are kept by accounts."
        ),
    ] = None
    access_headers: Annotated[
        SecretStr | None, Field(description="Headers sent there as well, one Name: value a line.")
    ] = None
    access_cookies: Annotated[
        SecretStr | None, Field(description="Cookies sent there as well, as a browser shows them: a=b; c=d.")
    ] = None
    access_user_agent: Annotated[str | None, Field(description="User agent sent there. Unset: Pagegrade's own.")] = None
    access_origins: Annotated[
        tuple[str, ...],
        NoDecode,
        BeforeValidator(split),
        Field(
            description="Comma-separated origins that ACCESS_* is sent to, such as https://staging.example. Empty: "
            "that of each page asked for."
        ),
    ] = ()
    secret_key: Annotated[
        SecretStr | None,
        AfterValidator(lambda value: value and check_secret_key(value)),
        Field(
            description="Keys that encrypt the secrets of access profiles, of 32 or more visible ASCII characters, "
            "separated by commas: the first one encrypts, the others only decrypt what they have encrypted before. "
            "Unset: one is made in DATA_DIR/secret.key; several servers on one database need the same one."
        ),
    ] = None
    hsts: Annotated[
        bool, Field(description="Send Strict-Transport-Security; only where everything is reached over TLS.")
    ] = False
    log_format: Annotated[
        Literal["auto", "console", "json"],
        BeforeValidator(lower),
        Field(description="How log lines look; auto: for people on a terminal, JSON elsewhere."),
    ] = "auto"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], BeforeValidator(lower), Field(description="Least level logged.")
    ] = "info"

    @property
    def provider(self) -> Provider | None:
        """The provider of ``OIDC_*``."""
        if self.oidc_issuer is None:
            return None
        secret = self.oidc_client_secret
        return Provider(
            issuer=self.oidc_issuer,
            client_id=self.oidc_client_id,
            client_secret=None if secret is None else secret.get_secret_value(),
            name=self.oidc_name,
            scopes=self.oidc_scopes,
            groups_claim=self.oidc_groups_claim,
            groups=self.oidc_groups,
            sign_up=self.oidc_sign_up,
        )

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.decent_from > self.good_from:
            raise ValueError(f"DECENT_FROM ({self.decent_from}) must not be above GOOD_FROM ({self.good_from})")
        if self.sign_up_domains and self.smtp_url is None:
            raise ValueError("SIGN_UP_DOMAINS needs SMTP_URL: a link is sent to each new person")
        if (self.oidc_issuer is None) == bool(self.oidc_client_id):
            raise ValueError("OIDC_ISSUER and OIDC_CLIENT_ID need each other: set both, or neither")
        if not self.password_sign_in and self.oidc_issuer is None:
            raise ValueError("PASSWORD_SIGN_IN=false needs OIDC_ISSUER: people have to sign in somehow")
        return self


@cache
def secret_names() -> frozenset[str]:
    """The settings that are never shown and may be read from a file named by ``NAME_FILE``."""
    return frozenset(
        name for name, field in Settings.model_fields.items() if SecretStr in typing.get_args(field.annotation)
    )


def load_settings(env_file: Path | None = None) -> Settings:
    """The settings of this process.

    Args:
        env_file: File to read besides the environment; it may be missing.

    Raises:
        InvalidInput: Variables have values that cannot be used; the message names each of them, one a line.
    """
    given = given_settings(env_file)
    secrets, problems = _read_secrets(given)
    try:
        settings = Settings(**{"_env_file": env_file, **secrets})
    except ValidationError as error:
        unread = {problem.partition(" ")[0].removesuffix("_FILE") for problem in problems}
        problems += [line for line in _sentences(error, given) if line.partition(" ")[0] not in unread]
    else:
        if not problems:
            return settings
    if len(problems) == 1:
        raise InvalidInput(f"A setting cannot be used: {problems[0]}")
    lines = "\n".join(f"  {problem}" for problem in problems)
    raise InvalidInput(f"{len(problems)} settings cannot be used:\n{lines}")


def given_settings(env_file: Path | None = None) -> dict[str, str]:
    """Return the values that are set, by lower-case name without the prefix; the environment overrides the file.

    Raises:
        InvalidInput: There is a file that cannot be read.
    """
    try:
        # A file that is not there is no settings; one that cannot be read must not be taken for that.
        file = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(
            f"{env_file and env_file.absolute()} cannot be read as UTF-8 text. Fix it or move it away."
        ) from None
    found: dict[str, str] = {}
    for source in (file, os.environ):
        for name, value in source.items():
            if name.upper().startswith(PREFIX) and value:
                found[name[len(PREFIX) :].lower()] = value
    return found


def show_settings(given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """(variable, value) of what is set and known, by name; a secret's value is ``(hidden)``."""
    secrets = secret_names()
    files = {f"{name}_file" for name in secrets}
    return tuple(
        (f"{PREFIX}{name.upper()}", "(hidden)" if name in secrets else value)
        for name, value in sorted(given.items())
        if name in Settings.model_fields or name in files
    )


def unknown_settings(given: Iterable[str]) -> tuple[str, ...]:
    """A sentence for every variable that is set and means nothing here: most likely it is misspelled."""
    known = {*Settings.model_fields, *(f"{name}_file" for name in secret_names())}
    sentences = []
    for name in sorted(set(given) - known):
        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {PREFIX}{close[0].upper()}?" if close else ""
        sentences.append(f"{PREFIX}{name.upper()} is no setting and has no effect.{hint}")
    return tuple(sentences)


def _read_secrets(given: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """(field -> text, problems) of the secrets that are named by files."""
    found: dict[str, Any] = {}
    problems = []
    for name in sorted(secret_names()):
        path = given.get(f"{name}_file")
        if path is None:
            continue
        variable = f"{PREFIX}{name.upper()}"
        if name in given:
            problems.append(f"{variable}_FILE and {variable} are both set; unset one of them.")
            continue
        try:
            text = _read_file(Path(path))
        except (OSError, UnicodeDecodeError, ValueError):
            problems.append(f"{variable}_FILE={path!r} cannot be read as a text file of at most 64 KiB.")
            continue
        # Editors and `echo` end a file with a line break, which is never part of a secret.
        text = text.rstrip("\r\n")
        if text:
            found[name] = SecretStr(text)
        else:
            problems.append(f"{variable}_FILE={path!r} is empty.")
    return found, problems


def _read_file(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(MAX_SECRET_BYTES + 1)
    if len(content) > MAX_SECRET_BYTES:
        raise ValueError("too large")
    return content.decode()


def _sentences(error: ValidationError, given: Mapping[str, str]) -> list[str]:
    """List the errors of each variable, once, in the order of the settings."""
    found: dict[str, str] = {}
    for problem in error.errors(include_url=False):
        reason = problem["msg"].removeprefix("Value error, ")
        if not problem["loc"]:
            found.setdefault("", f"{PREFIX}{reason}.")
            continue
        name = str(problem["loc"][0])
        value = given.get(name)
        shown = "" if value is None or name in secret_names() else f"={value!r}"
        found.setdefault(name, f"{PREFIX}{name.upper()}{shown} cannot be used: {reason}.")
    return list(found.values())
