"""The installation's own origin is not fetched, whichever way leads to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from pagegrade.gather.resolver import Answer
from pagegrade.gather.run import all_gatherers
from pagegrade.model.account import Account
from pagegrade.model.errors import RunFailed
from pagegrade.model.webhooks import ClaimedWebhook, DueDelivery, StoredWebhook
from pagegrade.parse.files.agent_files import PATHS
from pagegrade.parse.url import port
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.service.webhooks.deliveries import Prepared, attempt
from tests.gather.sites import LOOPBACK, Names, Reply, Site, gather_page, html, make_options, redirect, typed

OWN_ADDRESS = "127.0.0.9"
NAMES = {"grade.example.com": OWN_ADDRESS, "alias.example.net": OWN_ADDRESS, "page.example.org": "127.0.0.1"}
SPELLINGS = ("grade.example.com", "alias.example.net", OWN_ADDRESS, "[::ffff:7f00:9]")
"""The name of the base URL, another name with the same address, and the address twice."""

Routes = dict[str, Any]
CHANNELS: dict[str, Callable[[str], Routes]] = {
    "redirect": lambda own: {"/": redirect(own)},
    "style sheet": lambda own: {"/": html(f'<link rel=stylesheet href="{own}a.css">')},
    "image": lambda own: {"/": html(f'<img src="{own}a.png">')},
    "redirected sub-resource": lambda own: {"/": html("<script src=/a.js></script>"), "/a.js": redirect(own)},
    "import": lambda own: {
        "/": html("<link rel=stylesheet href=/a.css>"),
        "/a.css": typed(f'@import "{own}b.css";', "text/css"),
    },
    "sitemap": lambda own: {
        "/": html("<p>"),
        "/robots.txt": typed(f"User-agent: *\nDisallow:\nSitemap: {own}s.xml\n", "text/plain"),
    },
    "sitemap of an index": lambda own: {
        "/": html("<p>"),
        "/sitemap.xml": typed(
            '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            f"<sitemap><loc>{own}s.xml</loc></sitemap></sitemapindex>",
            "application/xml",
        ),
    },
    "link": lambda own: {
        "/": html("<a href=/next>Next</a>"),
        "/next": redirect(own),
        "/robots.txt": typed("", "text/plain"),
    },
    "canonical URL": lambda own: {
        "/": html("<link rel=canonical href=/b>"),
        "/b": redirect(own),
        "/robots.txt": typed("", "text/plain"),
    },
    "language version": lambda own: {"/": html(f'<link rel=alternate hreflang=de href="{own}de">')},
    "robots.txt": lambda own: {"/": html("<p>"), "/robots.txt": redirect(f"{own}robots.txt")},
    "icon": lambda own: {"/": html("<p>"), "/favicon.ico": redirect(f"{own}favicon.ico")},
    "security.txt": lambda own: {"/": html("<p>"), "/.well-known/security.txt": redirect(own)},
    "source map": lambda own: {
        "/": html("<script src=/a.js></script>"),
        "/a.js": typed("1\n//# sourceMappingURL=/a.map\n", "text/javascript"),
        "/a.map": redirect(own),
    },
    "image of a preview": lambda own: {"/": html(f'<meta property="og:image" content="{own}a.png">')},
    "icon of a preview": lambda own: {"/": html(f'<link rel=icon href="{own}a.png">')},
    "llms.txt": lambda own: {"/": html("<p>"), "/llms.txt": redirect(f"{own}llms.txt")},
    "file for agents": lambda own: {
        "/": html("<p>"),
        "/robots.txt": typed("", "text/plain"),
        **{path: redirect(own) for path in PATHS.values()},
    },
    "manifest": lambda own: {"/": html(f'<link rel=manifest href="{own}m.json">')},
    "frame": lambda own: {"/": html(f'<iframe src="{own}frame"></iframe>')},
}
CHANNELS_OF: dict[str, str] = {
    "agent_files": "file for agents",
    "alternates": "language version",
    "canonical_probe": "canonical URL",
    "document": "redirect",
    "favicon": "icon",
    "link_probes": "link",
    "llms_txt": "llms.txt",
    "preview_images": "image of a preview",
    "resources": "image",
    "robots_txt": "robots.txt",
    "security_txt": "security.txt",
    "sitemaps": "sitemap",
    "source_maps": "source map",
}
"""Gatherer -> a channel of it."""
OF_THE_PAGE = {
    "cors_probe", "dns", "insecure_probe", "load_samples", "markdown_probe", "not_found_probe", "rendering",
    "sibling_probe", "tls", "visitor_view",
}  # fmt: skip
"""Gatherers that ask the page's own host only, or through the same guard as all others: a browser (``tests/lab``)."""


async def visits(routes: Callable[[str], Routes], spelling: str, *, knows_itself: bool) -> list[str]:
    """Return the paths that the installation was asked for while a page with these routes was analyzed."""
    async with Site({"/": Reply(body=b"reports")}, address=OWN_ADDRESS) as own:
        number = port(own.origin)
        assert number is not None
        origins = frozenset({("grade.example.com", number)}) if knows_itself else frozenset()
        options = make_options(policy=replace(LOOPBACK, own_origins=origins), load_samples=1, preview_images=True)
        async with Site(routes(f"http://{spelling}:{number}/")) as site:
            with suppress(RunFailed):
                await gather_page(site, options=options, resolver=Names(NAMES))
        return own.paths()


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_no_channel_leads_to_the_installation(channel: str, spelling: str) -> None:
    """Although its network is allowed; and the same page reaches it where it does not know itself."""
    asked = asyncio.run(visits(CHANNELS[channel], spelling, knows_itself=True))
    reached = asyncio.run(visits(CHANNELS[channel], spelling, knows_itself=False))

    assert asked == []
    assert reached != []


def test_every_gatherer_has_a_channel() -> None:
    """A new one is tried, or asks for nothing that a page names."""
    assert {"document", *all_gatherers()} == set(CHANNELS_OF) | OF_THE_PAGE
    assert set(CHANNELS_OF.values()) <= set(CHANNELS)


async def deliver(number: int, spelling: str, *, knows_itself: bool) -> str | None:
    """Return the code of a failed delivery to an address; ``None``: it did not fail."""
    webhook = StoredWebhook(
        id=1, account_id=1, kind="webhook", url=f"http://{spelling}:{number}/", events=("report.completed",),
        project="", secret_salt=b"s" * 32, previous_salt=None, previous_until_ms=None, failures=0,
        failing_since_ms=None, disabled_at_ms=None, disabled_reason=None, created_at_ms=0, revision=1,
    )  # fmt: skip
    due = DueDelivery(
        id=1,
        attempts=0,
        event_id="evt_1",
        type="report.completed",
        report_id=1,
        audit_id=None,
        run_number=1,
        data=b"{}",
        at_ms=0,
    )
    account = Account(id=1, name="Alice", email="alice@example.org", created_at_ms=0)
    options = AnalyzeOptions(allow_networks=LOOPBACK.allow_networks, allow_ports=(number,))
    base_url = f"http://grade.example.com:{number}" if knows_itself else "http://another.example.com"
    (outcome,) = await attempt(
        ClaimedWebhook(webhook=webhook, deliveries=(due,)),
        Prepared(key=b"k" * 32, account=account, payloads=({"type": "report.completed"},)),
        ServiceOptions(analyze=options, base_url=base_url),
        now_ms=0,
        resolver=Names(NAMES),
    )
    return outcome.error


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_webhook_is_sent_to_the_installation(spelling: str) -> None:
    """Whatever it is called; and it is reached where the installation does not know itself."""

    async def go() -> list[tuple[str | None, list[str]]]:
        async with Site({"/": Reply(body=b"ok")}, address=OWN_ADDRESS) as own:
            number = port(own.origin)
            assert number is not None
            first = await deliver(number, spelling, knows_itself=True), own.paths()
            return [first, (await deliver(number, spelling, knows_itself=False), own.paths())]

    assert asyncio.run(go()) == [("address_not_allowed", []), (None, ["/"])]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_page_itself_is_not_the_installation(spelling: str) -> None:
    """Whatever was typed."""

    async def go() -> tuple[str, list[str]]:
        async with Site({"/": html("<p>")}, address=OWN_ADDRESS) as own:
            number = port(own.origin)
            assert number is not None
            policy = replace(LOOPBACK, own_origins=frozenset({("grade.example.com", number)}))
            asked = replace(own)
            asked.address = spelling
            with pytest.raises(RunFailed) as caught:
                await gather_page(asked, options=make_options(policy=policy), resolver=Names(NAMES))
            return caught.value.failure, own.paths()

    assert asyncio.run(go()) == ("address_not_allowed", [])


def test_a_name_without_an_address_is_refused_as_a_name() -> None:
    """The look-up of the installation may fail; other pages are analyzed all the same."""

    async def go() -> int:
        policy = replace(LOOPBACK, own_origins=frozenset({("gone.example.com", 80)}))
        async with Site({"/": html("<p>")}) as site:
            found = await gather_page(site, options=make_options(policy=policy), resolver=Names(NAMES))
            return found.navigation.response.status

    assert asyncio.run(go()) == 200


def test_the_installation_is_looked_up_once_in_each_way() -> None:
    """By the name servers and by the machine's own tables, however many clients and answers there are."""
    asked: list[tuple[str, bool]] = []

    class Counting(Names):
        async def texts(self, name: str) -> tuple[str, ...]:
            return ()

        async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
            asked.append((host, local_names))
            return await super().resolve(host, local_names=local_names)

    async def go() -> None:
        policy = replace(LOOPBACK, own_origins=frozenset({("grade.example.com", 80)}))
        async with Site({"/": html("<img src=/a.png>")}) as site:
            await gather_page(site, options=make_options(policy=policy), resolver=Counting(NAMES))

    asyncio.run(go())

    assert sorted(asked) == [("grade.example.com", False), ("grade.example.com", True)]
