"""Validation of requests before anything is stored; needs no database and no network."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import ip_network
from typing import Annotated, Final

import msgspec

from pagegrade.gather.guard import METADATA, TYPED_NETWORKS, Guard, Network, is_special_name, unwrap
from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidURL, URLNotAllowed, ValidationFailed, Violation
from pagegrade.model.rendering import Device
from pagegrade.model.schema import about
from pagegrade.model.stored import Privacy
from pagegrade.parse.url import Target, host, host_address, parse_target_url, route
from pagegrade.service.accounts.passwords import MAX_CHARACTERS
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions, policy_of

_SECRET: Final = re.compile(
    r"(?:access|api|auth|client|id|private|reset|session|x-amz|sig)?[_.-]?"
    r"(?:token|key|apikey|auth|code|credential|jwt|nonce|otp|pass|passwd|password|pwd|secret|session|sessionid|sid|sig"
    r"|signature)",
    re.IGNORECASE,
)
"""Names of query parameters that tend to hold what only one person should know."""
_PARTS: Final = re.compile(r"[?&#]")


class RequestWarning(msgspec.Struct, frozen=True):
    """Warning about a request that succeeded."""

    field: Annotated[str, about("The field that the warning is about.", "password")]
    code: Annotated[str, about("Stable code of the warning.", "password_ignored")]
    message: Annotated[
        str, about("The warning in one sentence.", "The password was not stored: it is used with privacy 2 only.")
    ]


class NewReport(msgspec.Struct, frozen=True, kw_only=True):
    """A requested report."""

    target: Target
    privacy: Privacy
    password: str | None
    """To be hashed and handed to ``create_report``; ``None`` when none is to be stored."""
    render: int | None = None
    """1: draw the page in a browser, 0: do not; ``None``: as the installation decides."""
    device: Device | None = None
    """Device that a browser imitates; ``None``: the default."""
    access: int | str | None = None
    """Id or name of an access profile, or ``NO_ACCESS``; ``None``: that of the origin."""
    chose_privacy: bool = False
    """The privacy was asked for, and is no default."""
    warnings: tuple[RequestWarning, ...] = ()


class SharingChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of who may see a report or an audit."""

    privacy: Privacy | None = None
    """``None``: stays as it is."""
    password: str | None = None
    """As sent, at most 128 characters; to be hashed. ``None``: none was sent. Whether it is used shows only when the
    privacy is known."""

    @property
    def needs_hash(self) -> bool:
        """Return whether the password may come to be stored."""
        return self.password is not None and self.privacy in {None, Privacy.PASSWORD}


class ReportChange(SharingChange, frozen=True, kw_only=True):
    """Changes to a report."""

    run: bool = False
    """Analyze the page again."""
    render: int | None = None
    """``None``: stays as it is."""
    device: Device | None = None
    """``None``: stays as it is."""
    access: tuple[int | str | None] | None = None
    """Holds the same as of a new report; ``None``: stays as it is."""


ALLOW_NETWORKS: Final = "PAGEGRADE_ALLOW_NETWORKS"
"""The setting that opens private networks."""
_EXAMPLE: Final = ip_network("10.0.0.0/8")
ANY_NETWORK: Final = str(_EXAMPLE)
"""Stands for the network that a name leads to."""
_LOOPBACK: Final = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
PASSWORD_IGNORED: Final = RequestWarning(
    "password", "password_ignored", "The password was not stored: it is used only when privacy is 2."
)
ENGINE_NEXT_TIME: Final = RequestWarning(
    "render", "analysis_under_way", "An analysis is under way already; the new setting applies to the next one."
)
MADE_PRIVATE: Final = RequestWarning(
    "privacy",
    "made_private",
    "The report is private: it is made with an access profile, and shows what is not public. Send privacy to share it.",
)
SHOWS_MORE: Final = RequestWarning(
    "privacy",
    "made_with_access",
    "The report is made with an access profile: whoever can read it sees what is not public.",
)
PASSWORD_REQUIRED: Final = Violation(
    field="password", place="body", code="required", message="Required when privacy is 2."
)


def read_new_report(
    url: str,
    *,
    privacy: int | None,
    password: str | None,
    account: Account,
    options: ServiceOptions,
    render: int | None = None,
    device: Device | None = None,
    access: tuple[int | str | None] | None = None,
) -> NewReport:
    """Validate a new report.

    Args:
        url: As typed.
        privacy: 0, 1 or 2; ``None``: as the account or the installation is set.
        password: As typed, never trimmed; ``None`` or empty: none.
        render: 1: in a browser, 0: without; ``None``: as the installation decides.
        device: That a browser imitates; ``None``: the default.
        access: Holds the id or name of an access profile, ``NO_ACCESS``, or ``None`` for that of the origin, as
            ``None`` does.

    Raises:
        ValidationFailed: A field cannot be used.
        URLNotAllowed: The address is one that must not be contacted.
    """
    violations: list[Violation] = []
    target: Target | None = None
    refused: URLNotAllowed | None = None
    try:
        target = parse_target_url(url)
        check_allowed(target.url, options.analyze)
    except InvalidURL as error:
        violations.append(Violation(field="url", place="body", code=error.reason or error.code, message=error.message))
    except URLNotAllowed as error:
        refused = error
    chosen = options.default_privacy if account.default_privacy is None else Privacy(account.default_privacy)
    if privacy is not None:
        chosen = Privacy(privacy)
    warnings: list[RequestWarning] = []
    kept = password or None
    if chosen is Privacy.PASSWORD:
        violations += _password_violations(kept) if kept else [PASSWORD_REQUIRED]
    elif kept:
        kept = None
        warnings.append(PASSWORD_IGNORED)
    if violations:
        if refused is not None:
            code = refused.reason or refused.code
            violations.insert(0, Violation(field="url", place="body", code=code, message=refused.message))
        raise ValidationFailed(violations)
    if refused is not None or target is None:
        raise refused or InvalidURL
    return NewReport(
        target=target,
        privacy=chosen,
        password=kept,
        render=render,
        device=device,
        access=None if access is None else access[0],
        chose_privacy=privacy is not None,
        warnings=(*_url_warnings(url, target, chosen), *warnings),
    )


def read_change(
    *,
    privacy: int | None,
    password: str | None,
    results: int = 0,
    render: int | None = None,
    device: Device | None = None,
    access: tuple[int | str | None] | None = None,
) -> ReportChange:
    """Validate a change, as far as that is possible without the report.

    Raises:
        ValidationFailed: A field cannot be used.
    """
    shared = read_sharing(privacy, password)
    return ReportChange(
        privacy=shared.privacy,
        password=shared.password,
        run=results == 1,
        render=render,
        device=device,
        access=access,
    )


def read_sharing(privacy: int | None, password: str | None) -> SharingChange:
    """Validate a change of who may see something, as far as that is possible without it.

    Raises:
        ValidationFailed: A field cannot be used.
    """
    change = SharingChange(privacy=None if privacy is None else Privacy(privacy), password=password or None)
    if change.needs_hash and change.password is not None:
        violations = _password_violations(change.password)
        if violations:
            raise ValidationFailed(violations)
    return change


def check_allowed(url: str, options: AnalyzeOptions) -> None:
    """Refuse an address that must not be contacted, as far as that shows without asking the network.

    Args:
        url: Canonical.

    Raises:
        URLNotAllowed: ``reason`` is ``host_not_allowed``, ``port_not_allowed`` or ``address_not_allowed``.
    """
    refusal = Guard(policy_of(url, options)).check_url(url)
    if refusal is not None:
        networks = _networks_for(url, options)
        how = f" The operator can allow it: {ALLOW_NETWORKS}={networks}" if networks else ""
        raise URLNotAllowed(refusal.detail + how, reason=f"{refusal.reason}_not_allowed")


def _is_allowed(url: str, options: AnalyzeOptions) -> bool:
    """Return whether ``check_allowed`` would accept a canonical URL; cheaper where the reason does not matter."""
    return Guard(policy_of(url, options)).check_url(url) is None


def networks_to_allow(url: str, options: AnalyzeOptions) -> str:
    """The networks that the operator would have to add to ``ALLOW_NETWORKS`` for a refused address to be analyzed.

    Args:
        url: Canonical.

    Returns:
        CIDRs, separated by commas; ``ANY_NETWORK``, an example, for a name that only the operator's own network knows.
        Empty where the address is not refused, or no setting helps: it is this installation itself, in a denied
        network, a metadata service, or public.
    """
    return "" if _is_allowed(url, options) else _networks_for(url, options)


def _networks_for(url: str, options: AnalyzeOptions) -> str:
    name = host(url).removesuffix(".")
    address = host_address(name)
    if name == "localhost" or name.endswith(".localhost"):
        networks: tuple[Network, ...] = _LOOPBACK
    elif address is None:
        networks = (_EXAMPLE,)
    else:
        plain = unwrap(address)
        if plain in METADATA or not any(plain in network for network in TYPED_NETWORKS):
            return ""
        networks = tuple(network for network in _LOOPBACK if plain in network) or (ip_network(plain),)
    allowing = replace(options, allow_networks=(*options.allow_networks, *networks))
    helps = _is_allowed(url, allowing) and (address is not None or is_special_name(name))
    return ",".join(map(str, networks)) if helps else ""


def names_secret(url: str) -> bool:
    """Return whether the query or the route of a canonical URL has a parameter that sounds like a secret."""
    _, *parts = _PARTS.split(url)
    return any(_SECRET.fullmatch(pair.partition("=")[0]) for pair in parts if pair.partition("=")[2])


def _password_violations(password: str) -> list[Violation]:
    if len(password) > MAX_CHARACTERS:
        message = f"Has {len(password)} characters; at most {MAX_CHARACTERS} are accepted."
        return [Violation(field="password", place="body", code="too_long", message=message, limit=MAX_CHARACTERS)]
    if any("\ud800" <= character <= "\udfff" for character in password):
        message = "Holds half of a surrogate pair, which is no character."
        return [Violation(field="password", place="body", code="not_text", message=message)]
    return []


def _url_warnings(typed: str, target: Target, privacy: Privacy) -> list[RequestWarning]:
    warnings = []
    if target.typed_without_scheme:
        scheme = target.url.partition(":")[0]
        warnings.append(RequestWarning("url", "scheme_assumed", f"No scheme was given; {scheme} is used."))
    if "#" in typed and not route(target.url):
        warnings.append(
            RequestWarning("url", "fragment_dropped", "The part from # on was dropped: servers never see it.")
        )
    if privacy is Privacy.PUBLIC and names_secret(target.url):
        warnings.append(
            RequestWarning(
                "url",
                "url_may_contain_secret",
                "The query may hold a secret, and anyone with the link of the report can read its URL. "
                "Make the report private, or analyze the page without it.",
            )
        )
    return warnings
