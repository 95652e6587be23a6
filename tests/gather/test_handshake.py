"""Handshakes with one protocol version each."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from ipaddress import ip_address

import pytest
import trustme

from pagegrade.gather.guard import Guard, Permit, Policy
from pagegrade.gather.handshake import VERSIONS, Handshaker
from pagegrade.gather.http import HTTPClient
from tests.gather.sites import LOOPBACK, Names, Reply, Site

AUTHORITY = trustme.CA()
ALL = ("TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3")


def make_context(lowest: ssl.TLSVersion, highest: ssl.TLSVersion) -> ssl.SSLContext:
    """A server that speaks these versions, the old ones too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = lowest
    context.maximum_version = highest
    AUTHORITY.issue_cert("127.0.0.1", "example.com").configure_cert(context)
    return context


def try_versions(site: Site, *, name: str = "127.0.0.1", timeout_s: float = 2.0) -> dict[str, bool | None]:
    """Version -> accepted."""

    async def go() -> dict[str, bool | None]:
        guard = Guard(replace(LOOPBACK, typed_host=name))
        async with site, HTTPClient(guard=guard, resolver=Names({"example.com": "127.0.0.1"})) as client:
            url = site.origin.replace("127.0.0.1", name).replace("http://", "https://") + "/"
            permit = await client.permit(url)
            return dict(await Handshaker(client.guard).versions(permit, timeout_s=timeout_s))

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("lowest", "highest", "accepted"),
    [
        (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3, {"TLSv1.2", "TLSv1.3"}),
        (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3, {"TLSv1.3"}),
        (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2, {"TLSv1.2"}),
    ],
)
def test_each_version_is_accepted_or_refused(
    lowest: ssl.TLSVersion, highest: ssl.TLSVersion, accepted: set[str]
) -> None:
    """By address and by name alike, whatever the certificate."""
    expected = {version: version in accepted for version in ALL}
    for name in ("127.0.0.1", "example.com"):
        found = try_versions(Site({}, tls=make_context(lowest, highest)), name=name)

        assert found == expected


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.*deprecated:DeprecationWarning")
def test_old_versions_can_be_found() -> None:
    """A server that still speaks TLS 1.0 is caught, although nothing else of ours would."""
    oldest = make_context(ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_2)

    assert try_versions(Site({}, tls=oldest)) == {"TLSv1.0": True, "TLSv1.1": True, "TLSv1.2": True, "TLSv1.3": False}


def test_no_request_is_sent() -> None:
    """A handshake is all that the server sees."""
    site = Site({}, tls=make_context(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3))
    try_versions(site)

    assert site.asked == []


def test_silence_is_no_answer() -> None:
    """A server that accepts connections and says nothing refuses no version."""
    assert try_versions(Site({"": Reply(hangs=True)}), timeout_s=0.2) == dict.fromkeys(ALL)


def test_a_closed_port_is_no_answer() -> None:
    """A refused connection refuses no version either."""

    async def go() -> dict[str, bool | None]:
        async with Site({}) as site:
            url = site.origin.replace("http:", "https:") + "/"
        async with HTTPClient(guard=Guard(LOOPBACK)) as client:
            return dict(await Handshaker(client.guard).versions(await client.permit(url), timeout_s=1.0))

    assert asyncio.run(go()) == dict.fromkeys(ALL)


def test_a_socket_that_was_not_checked_is_not_opened() -> None:
    """The guard has the last look, whatever the permit says."""
    site = Site({}, tls=make_context(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3))

    async def go() -> dict[str, bool | None]:
        async with site:
            port = int(site.origin.rpartition(":")[2])
            permit = Permit("127.0.0.1", port, (ip_address("127.0.0.1"),))
            return dict(await Handshaker(Guard(Policy())).versions(permit, timeout_s=1.0))

    found = asyncio.run(go())

    assert found == dict.fromkeys(ALL)
    assert site.connections == 0


def test_versions_are_named_from_old_to_new() -> None:
    """The model lists them so."""
    assert tuple(VERSIONS) == ALL
