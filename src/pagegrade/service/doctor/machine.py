"""Is this machine fit for the service: versions, clock, guard over outgoing connections, parser, browser.

Every look gives one or more findings and never raises: what cannot be looked at is a finding too. Nothing outside of
this machine is asked, except by ``try_fetch``. Of the browser that draws pages it says which one, whether its sandbox
works, and whether it starts.
"""

from __future__ import annotations

import platform
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata
from typing import Final, Literal

import msgspec

from pagegrade.gather.browser.options import HOW_TO_GET_ONE, RenderingFailed, find_browser
from pagegrade.gather.browser.process import try_browser
from pagegrade.gather.confinement import FILTERED_MACHINES, landlock_version
from pagegrade.gather.context import OffloadFailed
from pagegrade.gather.guard import Guard, Permit
from pagegrade.gather.resolver import configured_servers
from pagegrade.gather.transfer import libcurl_version
from pagegrade.model.account import SINGLE_SIGN_ON_BACK, Provider
from pagegrade.model.errors import InvalidInput
from pagegrade.model.identity import RELEASED_MS, VERSION
from pagegrade.model.report import RULESET, Thresholds
from pagegrade.parse.url import host, parse_target_url, port
from pagegrade.render.english import N_, Phrase, phrase
from pagegrade.render.pdf import is_installed
from pagegrade.sandbox.pool import Children, TaskRunner
from pagegrade.sandbox.worker import remaining_rights
from pagegrade.service.options import RenderDefault
from pagegrade.service.runs.analysis import analyze_target, artifacts_of_document, evaluate_in_child
from pagegrade.service.runs.options import AnalyzeOptions, policy_of
from pagegrade.service.single_sign_on import SignOnFailed, count_keys

Level = Literal["ok", "warning", "problem"]
PATCHED_PYTHON: Final = {(3, 11): 14, (3, 12): 12, (3, 13): 6}
"""Release line -> patch with the repairs of 2025 to the readers of HTML, addresses and URLs."""
REFUSED: Final = (
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:7f00:1::]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://metadata.google.internal/",
    "http://example.com:22/",
    "file:///etc/passwd",
)
"""Addresses that must not be contacted, in the spellings that guards have been fooled with."""
METADATA: Final = ("169.254.169.254", "fd00:ec2::254", "100.100.100.200")
FUTURE_MS: Final = 60_000
AHEAD_MS: Final = 3_600_000
_REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)(?P<rules>[^;]*)(?P<marker>;.*)?")
_AT_LEAST: Final = re.compile(r"(?:>=|==)\s*([\d.]+)")
_SIGN_ON: Final = N_("single sign-on")
_RIGHTS_S: Final = 10.0
_SAMPLE: Final = b"<!doctype html><html lang=en><title>A page to try the parser with</title><h1>It works</h1>"


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    topic: str
    """A word: ``python``, ``clock``, ``database`` ..."""
    level: Level
    observation: str | Phrase
    remedy: str | Phrase = ""
    """Empty if there is nothing to do."""

    @property
    def message(self) -> str:
        """The observation in English."""
        return str(self.observation)

    @property
    def advice(self) -> str:
        """The remedy in English."""
        return str(self.remedy)


def ok(topic: str, observation: str | Phrase) -> Diagnosis:
    """It is as it should be. Literal arguments of this and of the next two are in the catalogue of messages."""
    return Diagnosis(topic=topic, level="ok", observation=observation)


def warning(topic: str, observation: str | Phrase, remedy: str | Phrase) -> Diagnosis:
    """It works, with a limitation."""
    return Diagnosis(topic=topic, level="warning", observation=observation, remedy=remedy)


def problem(topic: str, observation: str | Phrase, remedy: str | Phrase) -> Diagnosis:
    """It does not work, or is not safe."""
    return Diagnosis(topic=topic, level="problem", observation=observation, remedy=remedy)


def look_at_versions(version: tuple[int, int, int] = sys.version_info[:3]) -> Iterator[Diagnosis]:
    """This Pagegrade, Python, and everything that is installed for it."""
    yield ok("pagegrade", phrase("version {0}, ruleset {1}", VERSION, RULESET))
    shown = ".".join(map(str, version))
    floor = PATCHED_PYTHON.get(version[:2])
    if floor is not None and version[2] < floor:
        yield warning(
            "python",
            phrase(
                "{0} lacks repairs of {1}.{2}.{3}; Pagegrade does not use what they repair", shown, *version[:2], floor
            ),
            "Update Python when you can.",
        )
    else:
        yield ok("python", shown)
    yield from look_at_packages(metadata.requires("pagegrade") or [])
    yield look_at_pdf()
    yield ok("libcurl", libcurl_version())


def look_at_system(system: str = sys.platform) -> Diagnosis:
    """Check whether the operating system can limit the memory of the processes that parse pages.

    Args:
        system: As ``sys.platform``.
    """
    if system == "linux":
        return ok("system", "Linux")
    return warning(
        "system",
        phrase("{0} does not limit the memory of the processes that parse pages", system),
        "Run the service on Linux, for instance in a container. The command line and the library work here.",
    )


def look_at_pdf() -> Diagnosis:
    """Check whether reports can be exported as PDF."""
    if is_installed():
        return ok("pdf", phrase("typst {0}", metadata.version("typst")))
    return warning(
        "pdf",
        "reports cannot be exported as PDF: typst is not installed",
        "Install it with pip install 'pagegrade[pdf]' if PDF files are needed.",
    )


def look_at_packages(requirements: list[str]) -> Iterator[Diagnosis]:
    """Check whether each required package is there, and new enough.

    Args:
        requirements: As a distribution names them, e.g. ``brotli>=1.2; python_version < '4'``.
    """
    wrong = 0
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match is None:
            continue
        name, floor = match["name"], _AT_LEAST.search(match["rules"])
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            if match["marker"]:
                continue  # wanted by another system or Python
            wrong += 1
            yield problem(
                "packages", phrase("{0} is not installed", name), "Install Pagegrade again, with its dependencies."
            )
            continue
        if floor is not None and _numbers(installed) < _numbers(floor[1]):
            wrong += 1
            yield problem(
                "packages",
                phrase("{0} {1} is older than {2}", name, installed, floor[1]),
                phrase("Install {0} {1} or later.", name, floor[1]),
            )
    if not wrong:
        yield ok("packages", phrase("{0} required, all of them new enough", len(requirements)))


def _numbers(version: str) -> tuple[int, ...]:
    """The release part of a version, without zeros at its end."""
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", version, maxsplit=1)[0])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def look_at_clock(now_ms: int, newest_ms: int | None, behind_ms: int = 0) -> Diagnosis:
    """Check whether the clock can be right.

    Args:
        now_ms: What it says.
        newest_ms: When the newest row of the database was made; ``None``: there is none.
        behind_ms: By how much the time by which rows are aged is behind the clock.
    """
    advice = N_("Set the clock and keep it with NTP: times, leases and retention depend on it.")
    if now_ms < RELEASED_MS:
        return problem("clock", "it is before this version of Pagegrade was made", advice)
    if newest_ms is not None and now_ms < newest_ms - FUTURE_MS:
        behind_s = (newest_ms - now_ms) // 1000
        return problem("clock", phrase("it is {0} s behind the newest row of the database", behind_s), advice)
    if behind_ms >= AHEAD_MS:
        return warning(
            "clock",
            phrase(
                "it is {0} ahead of what the database has seen: it is wrong, or the service was "
                "stopped for so long; nothing is deleted because of that time",
                format_duration(behind_ms),
            ),
            "If it is wrong, set it and keep it with NTP. If it is right, deletion catches up by "
            "itself, or at once with: pagegrade prune --trust-clock",
        )
    return ok("clock", "plausible")


def look_at_guard(options: AnalyzeOptions) -> Iterator[Diagnosis]:
    """Check whether addresses that must not be contacted are refused, in every spelling; no packet is sent."""
    open_ones = [url for url in REFUSED if not _is_refused(url)]
    if open_ones:
        yield problem(
            "guard",
            phrase("it would contact {0}", ", ".join(open_ones)),
            "Do not run this build; report it as a security vulnerability.",
        )
    else:
        message = phrase("refuses the {0} forbidden addresses it was asked about", len(REFUSED))
        if options.deny_networks:
            message = phrase(
                "{0}; PAGEGRADE_DENY_NETWORKS adds {1}", message, ", ".join(map(str, options.deny_networks))
            )
        yield ok("guard", message)
    reachable = [each for each in METADATA if _is_reachable(each, options)]
    if reachable:
        yield warning(
            "guard",
            phrase("PAGEGRADE_ALLOW_NETWORKS opens {0}, where clouds hand out credentials", ", ".join(reachable)),
            "Name smaller networks in PAGEGRADE_ALLOW_NETWORKS.",
        )


def _is_reachable(address: str, options: AnalyzeOptions) -> bool:
    guard = Guard(policy_of("http://example.com/", options), own_addresses=())
    return isinstance(guard.check_addresses("example.com", 80, [address]), Permit)


def _is_refused(url: str) -> bool:
    try:
        target = parse_target_url(url)
    except InvalidInput:
        return True
    # What the operator opens on purpose is not asked about.
    guard = Guard(policy_of(target.url, AnalyzeOptions()), own_addresses=())
    if guard.check_url(target.url) is None:
        return False
    # And as the answer of a name server, which an attacker could control.
    name = host(target.url).strip("[]")
    if not re.fullmatch(r"[\d.]+|[0-9a-f:.]*:[0-9a-f:.]*", name):
        return True
    return not isinstance(guard.check_addresses("example.com", port(target.url) or 80, [name]), Permit)


def look_at_proxy(options: AnalyzeOptions) -> Iterator[Diagnosis]:
    """Say which proxy is used, and what a proxy that resolves names means for the guard; nothing is sent."""
    proxy = options.proxy
    if proxy is None:
        return
    if not proxy.resolves:
        yield ok("proxy", phrase("{0}, asked for addresses that are resolved and checked here", proxy.url))
        return
    yield warning(
        "proxy",
        phrase(
            "{0} resolves names (PAGEGRADE_PROXY_RESOLVES): names and literal addresses are "
            "checked here, but not the addresses that names lead to, so PAGEGRADE_DENY_NETWORKS "
            "does not hold for names",
            proxy.url,
        ),
        "Have the proxy refuse private addresses, or unset it where a name server of this machine knows the Internet.",
    )


def look_at_name_servers() -> Diagnosis:
    """Check whether this machine has name servers to ask; they are not asked."""
    servers = configured_servers()
    if not servers:
        return problem("dns", "no name server is set", "Set one in /etc/resolv.conf: without it no host is found.")
    return ok("dns", phrase("name servers: {0} (not asked; --online URL does)", ", ".join(servers)))


async def look_at_children(children: Children) -> Diagnosis:
    """Check whether the processes that parse pages start and answer."""
    started = time.monotonic()
    artifacts = artifacts_of_document(_SAMPLE, url="https://example.com/")
    try:
        report = await evaluate_in_child(artifacts, Thresholds(), children=children)
    except OSError:
        return problem("parser", "its process cannot be started", "Let this user start processes (ulimit -u).")
    if report.state != "completed":
        reason = N_("no reason is known") if report.error is None else report.error.message
        busy = report.error is not None and report.error.reason == "busy"
        advice = (
            N_("Try again when the machine has less to do.") if busy else N_("Look for limits on memory (ulimit -v).")
        )
        return problem("parser", phrase("it did not evaluate a small page: {0}", reason), advice)
    return ok(
        "parser", phrase("started and evaluated a small page in {0} ms", f"{1000 * (time.monotonic() - started):.0f}")
    )


async def look_at_rights(children: TaskRunner) -> Diagnosis:
    """Check what a process that parses pages could still do if a page took it over; it tries."""
    machine = platform.machine()
    try:
        left = await children.run(remaining_rights, timeout_s=_RIGHTS_S)
    except (OSError, OffloadFailed):
        return problem("rights", "it was not tried", "See the line about the parser.")
    if not left:
        return ok("rights", "a parser cannot connect, open files, start programs or reach other processes")
    more = phrase("the system lets a parser do more than it needs: {0}", ", ".join(left))
    if landlock_version() and machine not in FILTERED_MACHINES:
        known = ", ".join(FILTERED_MACHINES)
        return warning(
            "rights", more, phrase("System calls are filtered on {0} only; this machine is {1}.", known, machine)
        )
    return warning(
        "rights", more, "Use a Linux kernel with Landlock (5.13 or later) and seccomp; in containers, allow both."
    )


async def try_fetch(url: str, options: AnalyzeOptions, children: Children) -> Diagnosis:
    """Fetch one page as an analysis would, through the guard.

    Args:
        url: As typed; a private address is refused as for any other client.
    """
    try:
        target = parse_target_url(url)
        wanted = replace(options, subresources=False, load_samples=1, allow_typed_private=False)
        report = (await analyze_target(target, options=wanted, children=children)).report
    except InvalidInput as error:
        return problem("online", error.message, "Give a public http or https URL.")
    if report.page is None or report.state != "completed":
        reason = N_("It could not be fetched.") if report.error is None else report.error.message
        return problem(
            "online",
            phrase("{0}: {1}", target.url, reason),
            "Look at name servers, routes and firewalls of this machine.",
        )
    page = report.page
    took = sum(value or 0 for value in page.timing_ms.values())
    return ok(
        "online",
        phrase("{0} answered {1} over {2} in {3} ms", target.url, page.http_status, page.http_version, f"{took:.0f}"),
    )


async def look_at_provider(provider: Provider, options: AnalyzeOptions, base_url: str | None) -> Diagnosis:
    """Ask the OpenID Connect provider for its description and its keys, as each sign-in does.

    Args:
        base_url: ``PAGEGRADE_BASE_URL`` of this machine; ``None``: it is not set.
    """
    try:
        count = await count_keys(provider, options)
    except SignOnFailed as error:
        return problem(
            _SIGN_ON,
            error.detail,
            "Nobody can sign in there. Correct PAGEGRADE_OIDC_ISSUER, or what lies between this "
            "machine and it (docs/howto/single-sign-on.md).",
        )
    if base_url is None:
        return warning(
            _SIGN_ON,
            phrase(
                "{0} answers; keys that may sign: {1}. It has no address to send people back to", provider.issuer, count
            ),
            phrase(
                "Set PAGEGRADE_BASE_URL to what people open, and register it with {0} behind it as redirect URI.",
                SINGLE_SIGN_ON_BACK,
            ),
        )
    back = f"{base_url}{SINGLE_SIGN_ON_BACK}"
    return ok(
        _SIGN_ON,
        phrase(
            "{0} answers; keys that may sign: {1}. Redirect URI to register there: {2}", provider.issuer, count, back
        ),
    )


def format_duration(duration_ms: int) -> Phrase:
    """Return a long time for people, in days or hours."""
    hours = duration_ms // 3_600_000
    if hours >= 48:  # noqa: PLR2004 - two days
        return phrase("{0} days", hours // 24)
    return phrase("1 hour") if hours == 1 else phrase("{0} hours", hours)


def format_size(count: int) -> Phrase:
    """Bytes for people, in powers of 1,000 as on pages."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:  # noqa: PLR2004 - the step between the units
            return phrase("{0} {1}", count if unit == "B" else round(size, 1), unit)
        size /= 1000
    return phrase("{0} {1}", round(size, 1), "TB")


_TOPIC = N_("browser")


async def look_at_browser(configured: str | None, render: RenderDefault, *, platform: str = sys.platform) -> Diagnosis:
    """Start the browser once and report on it; where it is required, its absence is a problem.

    Args:
        configured: ``PAGEGRADE_BROWSER``; ``None`` to look for one.
        render: ``PAGEGRADE_RENDER``.
        platform: As ``sys.platform``.
    """
    if render == "never":
        return ok(_TOPIC, "not used: PAGEGRADE_RENDER is never")
    serious = problem if render == "always" else warning
    if platform != "linux":
        message = phrase("pages are not drawn on {0}, where a browser cannot be isolated", platform)
        return ok(_TOPIC, message) if render == "auto" else problem(_TOPIC, message, "Run the service on Linux.")
    program = find_browser(configured)
    if program is None:
        if configured is not None:
            return serious(
                _TOPIC, phrase("{0} is no program that can be run", configured), "Correct PAGEGRADE_BROWSER."
            )
        message = phrase("none found; pages are analyzed without one")
        return ok(_TOPIC, message) if render == "auto" else problem(_TOPIC, message, HOW_TO_GET_ONE)
    try:
        trial = await try_browser(program)
    except RenderingFailed as error:
        return serious(_TOPIC, phrase("{0}: {1}", program, error.detail), "Fix it, or set PAGEGRADE_RENDER=never.")
    if not trial.sandboxed:
        return serious(
            _TOPIC,
            phrase("{0} ({1}) draws pages without a filter for system calls", trial.product, program),
            "Install a Chromium of your distribution, or set PAGEGRADE_RENDER=never.",
        )
    return ok(
        _TOPIC,
        phrase("{0} ({1}), isolated and sandboxed, started in {2} s", trial.product, program, round(trial.seconds, 1)),
    )
