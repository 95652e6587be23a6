from __future__ import annotations

import asyncio
import platform
import subprocess
import sys
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.gather.confinement import landlock_version
from pagegrade.gather.outgoing_proxy import read_proxy
from pagegrade.model.identity import RELEASED_MS
from pagegrade.sandbox.pool import Children
from pagegrade.service.doctor import machine as module
from pagegrade.service.doctor.machine import (
    Diagnosis,
    format_size,
    look_at_browser,
    look_at_children,
    look_at_clock,
    look_at_guard,
    look_at_name_servers,
    look_at_packages,
    look_at_pdf,
    look_at_provider,
    look_at_proxy,
    look_at_rights,
    look_at_versions,
    try_fetch,
)
from pagegrade.service.options import RenderDefault
from pagegrade.service.runs.options import AnalyzeOptions
from tests.chromium import program
from tests.identity_provider import SECRET, issuer_on_loopback
from tests.kernel import knows_filters
from tests.site.serve import serve_site


def levels(found: list[Diagnosis]) -> list[str]:
    """The level of each finding."""
    return [one.level for one in found]


def test_what_is_installed_here_is_new_enough() -> None:
    """Python, every package the project names, and libcurl."""
    found = list(look_at_versions((3, 11, 14)))

    assert levels(found) == ["ok"] * len(found)
    assert {one.topic for one in found} == {"pagegrade", "python", "packages", "pdf", "libcurl"}


def test_a_missing_pdf_export_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it; everything else works without."""
    monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed
    found = look_at_pdf()

    assert (found.topic, found.level) == ("pdf", "warning")
    assert "pip install 'pagegrade[pdf]'" in found.advice


@pytest.mark.parametrize(
    ("version", "level"),
    [((3, 11, 13), "warning"), ((3, 11, 14), "ok"), ((3, 13, 5), "warning"), ((3, 14, 0), "ok")],
)
def test_an_old_patch_of_python_is_a_warning(version: tuple[int, int, int], level: str) -> None:
    """Not a problem: what it lacks is not used here."""
    found = [one for one in look_at_versions(version) if one.topic == "python"]

    assert levels(found) == [level]


def test_a_package_that_is_missing_or_old_is_a_problem() -> None:
    """Unless it is one that only other systems need."""
    found = list(
        look_at_packages(
            [
                "msgspec>=9999.1",
                "no-such-package>=1",
                "no-such-package>=1; sys_platform == 'win32'",
                "msgspec>=0.1.0,<99",
                "jinja2",
                "SQLAlchemy==2.0",
            ]
        )
    )

    assert levels(found) == ["problem", "problem"]
    assert "msgspec" in found[0].message
    assert "9999.1" in found[0].advice
    assert "no-such-package" in found[1].message


@pytest.mark.parametrize(
    ("now", "newest", "level"),
    [
        (RELEASED_MS, None, "ok"),
        (RELEASED_MS - 1, None, "problem"),
        (RELEASED_MS, RELEASED_MS + 60_000, "ok"),
        (RELEASED_MS, RELEASED_MS + 60_001, "problem"),
        (RELEASED_MS, RELEASED_MS - 1, "ok"),
    ],
)
def test_a_clock_that_cannot_be_right_is_a_problem(now: int, newest: int | None, level: str) -> None:
    """Before this version was made, or behind what it wrote itself."""
    assert look_at_clock(now, newest).level == level
    assert now_ms() >= RELEASED_MS


def test_the_guard_refuses_every_forbidden_address() -> None:
    """With the real guard, also where the operator opens networks and ports of their own."""
    opened = AnalyzeOptions(allow_networks=(ip_network("10.0.0.0/8"),), allow_ports=(22, 80))

    assert levels(list(look_at_guard(AnalyzeOptions()))) == ["ok"]
    assert levels(list(look_at_guard(opened))) == ["ok"]


def test_an_open_way_to_the_metadata_service_is_a_warning() -> None:
    """The operator may want the network, and should know what lives there."""
    found = list(look_at_guard(AnalyzeOptions(allow_networks=(ip_network("169.254.0.0/16"),))))

    assert levels(found) == ["ok", "warning"]
    assert "169.254.169.254" in found[1].message


def test_denied_networks_are_listed_and_close_what_was_opened() -> None:
    """They win over the allowed ones, so there is nothing to warn of."""
    networks = (ip_network("169.254.0.0/16"),)
    found = list(look_at_guard(AnalyzeOptions(allow_networks=networks, deny_networks=networks)))

    assert levels(found) == ["ok"]
    assert "169.254.0.0/16" in found[0].message


def test_a_proxy_that_resolves_is_a_warning() -> None:
    """The operator learns what is not checked then, and no password is shown."""
    proxy = read_proxy("http://agent:s3cr3t@proxy.example:3128")
    plain = list(look_at_proxy(AnalyzeOptions(proxy=proxy)))
    resolving = list(look_at_proxy(AnalyzeOptions(proxy=replace(proxy, resolves=True))))

    assert list(look_at_proxy(AnalyzeOptions())) == []
    assert levels(plain) == ["ok"]
    assert levels(resolving) == ["warning"]
    assert "PAGEGRADE_DENY_NETWORKS does not hold for names" in resolving[0].message
    assert "http://proxy.example:3128" in plain[0].message
    assert "s3cr3t" not in str((plain, resolving))


def test_a_guard_that_lets_something_through_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look can fail."""
    monkeypatch.setattr(module, "REFUSED", ("http://example.com/", "http://127.0.0.1/"))
    found = list(look_at_guard(AnalyzeOptions()))

    assert levels(found) == ["problem"]
    assert found[0].message.endswith("http://example.com/")


def test_a_machine_without_name_servers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read, not asked."""
    monkeypatch.setattr(module, "configured_servers", lambda: ())
    without = look_at_name_servers()
    monkeypatch.setattr(module, "configured_servers", lambda: ("192.0.2.53",))

    assert without.level == "problem"
    assert "192.0.2.53" in look_at_name_servers().message


def test_a_real_child_evaluates_a_page() -> None:
    """Started, asked, ended."""

    async def script() -> Diagnosis:
        children = Children(1)
        try:
            return await look_at_children(children)
        finally:
            await children.close()

    assert asyncio.run(script()).level == "ok"


def test_rights_that_the_system_cannot_take_are_named() -> None:
    """A child tries them."""

    async def script() -> Diagnosis:
        children = Children(1)
        try:
            return await look_at_rights(children)
        finally:
            await children.close()

    class Loose:
        async def run(self, _function: object, *_arguments: object, timeout_s: float) -> Any:
            assert timeout_s > 0
            return ("connect", "read")

    here, loose = asyncio.run(script()), asyncio.run(look_at_rights(Loose()))

    assert here.level == ("ok" if knows_filters() and landlock_version() else "warning")
    assert loose.level == "warning"
    assert "connect, read" in loose.message


@pytest.mark.skipif(not knows_filters() or not landlock_version(), reason="the kernel lacks more than the filter")
def test_a_machine_whose_calls_are_not_known_is_named() -> None:
    """A newer kernel would not help there: a process that takes another machine for its own tries what is left."""
    script = """
import asyncio
from pagegrade.sandbox.pool import Children
from pagegrade.service.doctor.machine import look_at_rights

async def look():
    children = Children(1)
    try:
        return await look_at_rights(children)
    finally:
        await children.close()

found = asyncio.run(look())
print(found.level, found.message, found.advice, sep=chr(10))
"""
    # Linux names the 32-bit machine to a program that asks for it, and the program stays what it is.
    other = ["setarch", "linux32", sys.executable, "-c", script]
    level, message, advice = subprocess.run(
        other, capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()  # fmt: skip

    assert level == "warning"
    assert "connect" in message
    assert "read" not in message.partition(": ")[2]
    assert "x86_64, aarch64 only" in advice
    assert platform.machine() not in advice.partition("this machine is ")[2]


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_a_child_that_cannot_work_is_a_problem(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """It does not start, or it does not answer."""
    monkeypatch.setattr(sys, "executable", program)

    async def script() -> Diagnosis:
        children = Children(1)
        try:
            return await look_at_children(children)
        finally:
            await children.close()

    found = asyncio.run(script())

    assert found.level == "problem"
    assert found.advice


def test_a_page_is_fetched_through_the_guard() -> None:
    """A private address is refused until its network is opened; then the answer is reported."""

    async def script(url: str, options: AnalyzeOptions) -> Diagnosis:
        children = Children(1)
        try:
            return await try_fetch(url, options, children)
        finally:
            await children.close()

    with serve_site() as site:
        url = site.http
        refused = asyncio.run(script(url, AnalyzeOptions()))
        fetched = asyncio.run(script(url, AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),))))
        missing = asyncio.run(
            script(f"{url}/no-such-page", AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),)))
        )

    assert refused.level == "problem"
    assert fetched.level == "ok"
    assert "answered 200" in fetched.message
    assert missing.level == "problem"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_500_000, "1.5 MB"), (2 * 10**9, "2.0 GB"), (10**13, "10.0 TB")],
)
def test_sizes_are_in_powers_of_1000_as_on_pages(count: int, text: str) -> None:
    """The system page shows both kinds of figures beside each other."""
    assert str(format_size(count)) == text


def test_a_provider_that_answers_is_named_with_the_address_to_register() -> None:
    """Also where it lies in a private network; without a public URL nobody comes back from it."""
    with issuer_on_loopback() as issuer:
        found, without = (
            asyncio.run(look_at_provider(issuer.provider(), AnalyzeOptions(), base_url))
            for base_url in ("https://reports.example.org", None)
        )

    assert found.level == "ok"
    assert f"{issuer.origin} answers; keys that may sign: 1." in found.message
    assert found.message.endswith(" https://reports.example.org/single-sign-on/back")
    assert without.level == "warning"
    assert "PAGEGRADE_BASE_URL" in without.advice
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"] * 2
    assert SECRET not in str((found, without))


@pytest.mark.parametrize(
    ("metadata", "keys", "words"),
    [
        ({"issuer": "https://other.example"}, None, "set OIDC_ISSUER to that"),
        ({"jwks_uri": "http://127.0.0.1:1/keys"}, None, "target_refused"),
        ({}, [], "publishes no key"),
        ({}, [{"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"}, {"kty": "RSA", "use": "enc"}], "publishes no key"),
    ],
    ids=["name", "private", "none", "secret"],
)
def test_a_provider_that_signs_nobody_in_is_a_problem(
    metadata: dict[str, str], keys: list[dict[str, str]] | None, words: str
) -> None:
    """As the person at the door would find out."""
    with issuer_on_loopback() as issuer:
        issuer.metadata |= metadata
        issuer.keys = issuer.keys if keys is None else keys
        found = asyncio.run(look_at_provider(issuer.provider(), AnalyzeOptions(), None))

    assert found.level == "problem"
    assert words in found.message


def test_a_provider_that_does_not_answer_is_a_problem() -> None:
    """It was stopped."""
    with issuer_on_loopback() as issuer:
        pass
    found = asyncio.run(look_at_provider(issuer.provider(), AnalyzeOptions(), None))

    assert (found.level, "127.0.0.1" in found.message) == ("problem", True)


__all__ = ["program"]


def look(configured: str | None, render: RenderDefault, platform: str = "linux") -> Diagnosis:
    """The finding."""
    return asyncio.run(look_at_browser(configured, render, platform=platform))


def test_the_browser_is_named_and_was_started(program: Path) -> None:
    """With its sandbox on."""
    found = look(str(program), "always")

    assert found.level == "ok"
    assert "isolated and sandboxed" in found.message
    assert str(program) in found.message


@pytest.mark.parametrize(
    ("configured", "render", "platform", "level"),
    [
        ("/no/such/browser", "never", "linux", "ok"),
        ("/no/such/browser", "auto", "linux", "warning"),
        ("/no/such/browser", "always", "linux", "problem"),
        ("/bin/true", "auto", "linux", "warning"),
        ("/bin/true", "always", "linux", "problem"),
        (None, "auto", "darwin", "ok"),
        (None, "always", "darwin", "problem"),
    ],
)
def test_what_is_missing_is_as_serious_as_it_is_required(
    configured: str | None, render: RenderDefault, platform: str, level: str
) -> None:
    """It is no finding for those who need none; every other finding says what to do."""
    found = look(configured, render, platform)

    assert found.level == level
    assert bool(found.advice) == (level != "ok")


def test_without_a_browser_there_is_nothing_to_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pages are analyzed without one, unless it is required."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert look(None, "auto").level == "ok"
    assert look(None, "always").advice.startswith("Install a Chromium")
