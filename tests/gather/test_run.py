"""From a target to artifacts."""

from __future__ import annotations

import asyncio
import pkgutil
from dataclasses import replace
from typing import Any

import pytest

from pagegrade.gather import gatherers
from pagegrade.gather.context import GatherLimits
from pagegrade.gather.run import all_gatherers, gather, is_evaluable
from pagegrade.model.artifacts import (
    GATHERED,
    Artifacts,
    DNSFacts,
    Navigation,
    NotGathered,
    Resources,
    Response,
    Sitemaps,
    WellKnown,
)
from pagegrade.model.errors import RunFailed
from pagegrade.model.identity import USER_AGENT, VERSION
from pagegrade.parse.files.agent_files import PATHS
from pagegrade.parse.http.access import read_access
from pagegrade.parse.url import Target
from tests.gather.sites import (
    LOOPBACK,
    NOW,
    Dying,
    Names,
    Reply,
    Site,
    direct,
    gather_page,
    html,
    make_options,
    redirect,
    typed,
)
from tests.waiting import wait_for

PAGE = html("<!doctype html><title>x</title><link rel=stylesheet href=/a.css><img src=/b.png>")
ROUTES = {
    "/": PAGE,
    "/a.css": typed("p{}", "text/css"),
    "/robots.txt": typed("Sitemap: /s.xml\n", "text/plain"),
    "/s.xml": typed("<urlset><url><loc>https://example.com/</loc></url></urlset>", "application/xml"),
    "/favicon.ico": typed(b"\0\0\1\0", "image/x-icon"),
}
OPTIONAL = tuple(name for name in GATHERED if name != "rendering")


def run(site: Site, path: str = "/", **more: Any) -> Artifacts:
    """Artifacts of a page."""

    async def go() -> Artifacts:
        async with site:
            return await gather_page(site, path, **more)

    return asyncio.run(go())


def codes(artifacts: Artifacts) -> dict[str, str]:
    """The reason for each missing artifact."""
    values = {name: getattr(artifacts, name) for name in OPTIONAL}
    return {name: value.code for name, value in values.items() if isinstance(value, NotGathered)}


def test_a_page_is_gathered_whole() -> None:
    """Every artifact is there, or says why it cannot be."""
    site = Site(ROUTES)
    found = run(site)

    assert codes(found) == dict.fromkeys(
        ("insecure_probe", "sibling_probe", "canonical_probe", "tls", "dns", "preview_images", "visitor_view"),
        "not_applicable",
    )
    assert isinstance(found.robots_txt, WellKnown)
    assert isinstance(found.sitemaps, Sitemaps)
    assert [file.kind for file in found.sitemaps.files] == ["urlset"]
    assert isinstance(found.resources, Resources)
    assert [item.kinds for item in found.resources.items] == [("stylesheet",), ("image",)]
    assert isinstance(found.not_found_probe, WellKnown)
    assert found.not_found_probe.response.status == 404
    assert (len(found.load_samples_ms), found.engine, found.gathered_at) == (3, VERSION, NOW)
    assert USER_AGENT in found.vantage
    assert found.duration_ms is not None
    assert site.open_connections == 0


def test_every_request_is_accounted_for() -> None:
    """The site sees these and no others, each with our name on it."""
    site = Site(ROUTES)
    run(site)

    assert sorted(site.paths()) == sorted(
        [
            *(*["/"] * 5, *PATHS.values(), "/.well-known/security.txt", "/a.css", "/b.png", "/favicon.ico"),
            *("/llms.txt", "/robots.txt", "/s.xml", "/zebra-lantern-c0ffee"),
        ]
    )
    assert {asked.headers["user-agent"] for asked in site.asked} == {USER_AGENT}
    assert not any("cookie" in asked.headers for asked in site.asked)


def test_the_callback_hears_of_every_gatherer() -> None:
    """The document first, each once, with the seconds it took and why there is nothing."""
    events: list[tuple[str, float, str | None]] = []
    found = run(Site(ROUTES), settled=lambda *about: events.append(about))

    assert events[0][0] == "document"
    assert sorted(name for name, _, _ in events) == sorted({"document", *all_gatherers()})
    assert {name: code for name, _, code in events if code is not None} == {**codes(found), "rendering": "no_browser"}
    assert all(0 <= seconds < 20 for _, seconds, _ in events)


def test_the_callback_gets_the_reason_for_a_missing_document() -> None:
    """And nothing else."""
    events: list[tuple[str, str | None]] = []
    with pytest.raises(RunFailed):
        run(
            Site({"/": typed(b"%PDF", "application/pdf")}),
            settled=lambda name, _seconds, code: events.append((name, code)),
        )

    assert events == [("document", "not_html")]


def test_an_application_that_answers_everything_with_its_page_is_kept_as_it_is() -> None:
    """Its fallback is recorded in each artifact, and nothing breaks."""
    found = run(Site({}, missing=PAGE), options=make_options(load_samples=1))

    assert isinstance(found.sitemaps, Sitemaps)
    assert [file.error for file in found.sitemaps.files] == ["html", "html"]
    assert isinstance(found.not_found_probe, WellKnown)
    assert found.not_found_probe.response.status == 200
    assert isinstance(found.favicon, WellKnown)
    assert found.favicon.response.body.startswith(b"<!doctype")


def test_the_way_to_the_page_is_kept() -> None:
    """The requested URL, the typed text, and each redirect."""

    async def go() -> Navigation:
        async with Site({"/old": redirect("/"), **ROUTES}) as site:
            target = Target(url=f"{site.origin}/old", typed_without_scheme=True)
            found = await gather(target, options=make_options(), offload=direct, gathered_at=NOW)
            return found.navigation

    navigation = asyncio.run(go())

    assert navigation.requested_url.endswith("/old")
    assert navigation.typed_without_scheme
    assert [hop.status for hop in navigation.hops] == [302]


def test_a_probe_without_a_given_token_is_random() -> None:
    """Two analyses do not ask for the same address."""

    async def go() -> list[str]:
        async with Site(ROUTES) as site:
            for _ in range(2):
                await gather(Target(url=site.origin + "/"), options=make_options(), offload=direct, gathered_at=NOW)
            return [path for path in site.paths() if path.startswith("/zebra-lantern-")]

    first, second = asyncio.run(go())

    assert first != second


@pytest.mark.parametrize(
    "reply",
    [
        html("<h1>Forbidden", status=403),
        html("<h1>Oops", status=500),
        Reply(
            status=200,
            body=b"<title>Just a moment...",
            headers=(("Content-Type", "text/html"), ("CF-Mitigated", "challenge")),
        ),
        Reply(status=304),
    ],
)
def test_what_cannot_be_checked_is_returned_and_nothing_else_is_asked_for(reply: Reply) -> None:
    """An error page or a challenge says nothing about the site, so it is left in peace."""
    site = Site({"/": reply})
    found = run(site)

    assert set(codes(found)) == set(OPTIONAL)
    assert set(codes(found).values()) == {"skipped"}
    assert site.paths() == ["/"]
    assert len(found.load_samples_ms) == 1


def test_no_document_is_a_failed_run() -> None:
    """And nothing else is asked for."""
    site = Site({"/": typed(b"%PDF", "application/pdf")})
    with pytest.raises(RunFailed) as caught:
        run(site)

    assert caught.value.failure == "not_html"
    assert site.paths() == ["/"]


@pytest.mark.parametrize("path", ["/robots.txt", "/favicon.ico", "/s.xml", "/a.css", "/zebra-lantern-c0ffee"])
@pytest.mark.parametrize("reply", [Reply(raw=b"nonsense\r\n\r\n"), Reply(raw=b""), redirect("http://10.0.0.1/")])
def test_the_failure_of_one_gatherer_is_data(path: str, reply: Reply) -> None:
    """The other artifacts do not notice."""
    found = run(Site({**ROUTES, path: reply}), options=make_options(load_samples=1))
    allowed = {
        "/robots.txt": {"robots_txt"},
        "/favicon.ico": {"favicon"},
        "/zebra-lantern-c0ffee": {"not_found_probe"},
    }
    # Without robots.txt some addresses are not asked for at all.
    failed = {name: code for name, code in codes(found).items() if code not in {"not_applicable", "skipped"}}

    assert set(failed) == allowed.get(path, set())
    assert set(failed.values()) <= {"protocol", "address_not_allowed", "connect"}


def test_slow_places_end_with_their_own_time_out() -> None:
    """Before the budget does."""
    limits = GatherLimits(well_known_s=1.0)
    found = run(Site({**ROUTES, "/robots.txt": Reply(hangs=True)}), options=make_options(limits=limits, load_samples=1))

    assert codes(found)["robots_txt"] == "timeout"
    assert isinstance(found.sitemaps, Sitemaps)
    assert {file.source for file in found.sitemaps.files} == {"guessed"}


def test_the_budget_ends_everything_and_keeps_what_is_there() -> None:
    """One clock for all: what hangs is called out of budget, the rest is whole."""
    routes = {**ROUTES, "/robots.txt": Reply(hangs=True), "/b.png": Reply(hangs=True)}
    site = Site(routes)
    found = run(site, options=make_options(budget_s=1.5, load_samples=1))

    assert {name: codes(found)[name] for name in ("robots_txt", "sitemaps")} == {
        "robots_txt": "budget",
        "sitemaps": "budget",
    }
    assert isinstance(found.resources, Resources)
    assert [item.kinds for item in found.resources.items] == [("stylesheet",)]
    assert [why for _, why in found.resources.not_fetched] == ["budget"]
    assert isinstance(found.favicon, WellKnown)
    assert found.duration_ms is not None
    assert found.duration_ms < 4_000
    assert site.open_connections == 0


def test_a_document_that_never_comes_is_a_time_out() -> None:
    """The budget holds for it as well."""
    with pytest.raises(RunFailed) as caught:
        run(Site({"/": Reply(hangs=True)}), options=make_options(budget_s=0.4))

    assert caught.value.failure == "timeout"


def test_a_parser_that_dies_costs_one_artifact() -> None:
    """The page's references could not be read; all else is there."""
    found = run(Site(ROUTES), offload=Dying("find_named_urls"), options=make_options(load_samples=1))

    assert codes(found)["resources"] == "parser_limit"
    assert isinstance(found.sitemaps, Sitemaps)


def test_a_mistake_of_ours_costs_one_artifact(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged, and the report says only that."""

    async def crash(function: Any, *args: object, timeout_s: float) -> Any:
        if "find_named_urls" in repr(function):
            raise RuntimeError("secret detail")
        return function(*args)

    found = run(Site(ROUTES), offload=crash, options=make_options(load_samples=1))

    assert codes(found)["resources"] == "internal"
    assert isinstance(found.resources, NotGathered)
    assert "secret" not in found.resources.detail
    assert "secret detail" in caplog.text


def test_names_are_looked_up_through_the_given_resolver() -> None:
    """The document and the facts share one answer."""

    async def go() -> Artifacts:
        async with Site(ROUTES) as site:
            url = site.origin.replace("127.0.0.1", "example.com") + "/"
            options = make_options(load_samples=1, policy=replace(LOOPBACK, typed_host="example.com"))
            names = Names({"example.com": "127.0.0.1"})
            return await gather(Target(url=url), options=options, offload=direct, gathered_at=NOW, resolver=names)

    found = asyncio.run(go())

    assert isinstance(found.dns, DNSFacts)
    assert found.dns.canonical_name == "edge.example.net"


def test_cancelling_leaves_nothing_behind() -> None:
    """No task, no connection, nothing that is reported later."""

    async def go() -> tuple[int, int]:
        routes = {**ROUTES, "/b.png": Reply(hangs=True), "/robots.txt": Reply(hangs=True)}
        async with Site(routes) as site:
            before = len(asyncio.all_tasks())
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await gather_page(site)
            await wait_for(lambda: len(asyncio.all_tasks()) == before and not site.open_connections)
            return len(asyncio.all_tasks()) - before, site.open_connections

    assert asyncio.run(go()) == (0, 0)


def test_every_module_has_gatherers_of_artifacts() -> None:
    """Found by walking: no list can forget one."""
    modules = {f"{gatherers.__name__}.{module.name}" for module in pkgutil.iter_modules(gatherers.__path__)}
    artifacts = set(Artifacts.__struct_fields__)

    assert {gatherer.__module__ for gatherer in all_gatherers().values()} == modules
    assert "document" not in all_gatherers()
    assert set(all_gatherers()) - {"load_samples", "rendering"} == set(OPTIONAL)
    assert set(OPTIONAL) <= artifacts


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, (), True),
        (299, (), True),
        (199, (), False),
        (300, (), False),
        (404, (), False),
        (200, (("cf-mitigated", "challenge"),), False),
    ],
)
def test_only_a_success_that_is_no_challenge_is_checked(
    status: int, headers: tuple[tuple[str, str], ...], *, expected: bool
) -> None:
    """Whatever else the answer holds."""
    assert is_evaluable(Response(url="https://example.com/", status=status, headers=headers)) is expected


@pytest.mark.parametrize("with_access", [True, False])
def test_files_for_crawlers_are_asked_for_as_crawlers_do(*, with_access: bool) -> None:
    """Of robots.txt and sitemaps a run says what everybody gets; the other files come with the access."""

    async def go() -> None:
        async with site:
            access = read_access(origins=[site.origin], user="reader", password="n0t-Shown-1")
            await gather_page(site, options=make_options(access=access if with_access else None))

    site = Site({"/": html("<!doctype html><title>Chairs</title><link rel=stylesheet href=/a.css>")})
    asyncio.run(go())
    sent = {each.target for each in site.asked if "authorization" in each.headers}
    bare = {each.target for each in site.asked if "authorization" not in each.headers}

    assert {"/robots.txt", "/sitemap.xml", "/sitemap_index.xml"} <= bare - sent
    assert ({"/", "/a.css", "/llms.txt"} <= sent) is with_access
    assert bool(sent) is with_access
