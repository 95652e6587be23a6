"""The context that gatherers get."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal, TypeVar

import pytest

from pagegrade.gather.context import (
    MAX_CONCURRENT,
    MAX_REDIRECTS,
    MIN_TIMEOUT_S,
    GatherLimits,
    GatherOptions,
    OffloadFailed,
    ask_all,
)
from pagegrade.gather.exchange import Request
from pagegrade.gather.guard import Policy
from pagegrade.model.artifacts import NotGathered, Probe, Response, Sitemaps, WellKnown
from tests.gather.sites import Asked, Dying, Reply, Site, Visit, html, make_options, redirect, typed

T = TypeVar("T")
TIMEOUT_S = 5.0


def test_an_ordinary_analysis_is_polite() -> None:
    """The limits that are promised to sites."""
    options = GatherOptions()

    assert (options.budget_s, options.load_samples, options.policy) == (60.0, 3, Policy())
    assert options.limits == GatherLimits(
        requests=200, hosts=50, total_wire_bytes=20_000_000, resource_bytes=5_000_000, sitemap_files=10
    )


def test_places_are_those_of_the_document_after_redirects() -> None:
    """Origin and host belong to where the page is, not to what was typed."""

    async def go() -> tuple[str, str, str]:
        async with Site({"/a": html("<p>")}) as site, Visit(site, "/a") as page:
            return page.origin.removeprefix(site.origin), page.host, page.main_document_url.removeprefix(site.origin)

    assert asyncio.run(go()) == ("", "127.0.0.1", "/a")


def test_another_artifact_is_waited_for_by_name_and_kind() -> None:
    """An artifact that could not be gathered, is of another kind or is not asked for at all is nothing."""
    known = {"sitemaps": Sitemaps(), "robots_txt": NotGathered(code="timeout")}

    async def go() -> list[object]:
        async with Site({"/": html("<p>")}) as site, Visit(site, artifacts=known) as page:
            return [
                await page.artifact("sitemaps", Sitemaps),
                await page.artifact("sitemaps", WellKnown),
                await page.artifact("robots_txt", WellKnown),
                await page.artifact("favicon", WellKnown),
            ]

    assert asyncio.run(go()) == [Sitemaps(), None, None, None]


@pytest.mark.parametrize(("status", "found"), [(404, ("/a", "/b")), (503, ())])
def test_a_missing_robots_txt_needs_no_child(status: int, found: tuple[str, ...]) -> None:
    """Its status alone says what may be asked for; a file that is there is read where it can do no harm."""
    paths = ("/a", "/b")

    async def go() -> tuple[object, object]:
        async with Site({"/": html("<p>")}) as site:
            known = {"robots_txt": robots_txt(site.origin, status)}
            async with Visit(site, offload=Dying("permitted"), artifacts=known) as page:
                permitted = await page.permitted_urls(tuple(page.origin + path for path in paths))
            known = {"robots_txt": robots_txt(site.origin, 200)}
            async with Visit(site, offload=Dying("permitted"), artifacts=known) as page:
                with pytest.raises(OffloadFailed):
                    await page.permitted_urls((page.origin,))
            return permitted, tuple(site.origin + path for path in found)

    permitted, wanted = asyncio.run(go())

    assert permitted == wanted


class Counting:
    """Parses here, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    async def __call__(self, function: Callable[..., T], *args: object, timeout_s: float) -> T:
        self.asked.append(args)
        await asyncio.sleep(0)
        return function(*args)


def test_one_look_at_robots_txt_answers_all_who_ask_at_the_same_time() -> None:
    """Each gets its own URLs in order, and what was asked before needs no child any more."""

    async def go() -> tuple[list[tuple[str, ...] | None], list[tuple[object, ...]], tuple[str, ...]]:
        offload = Counting()
        async with Site({"/": html("<p>")}) as site:
            body = b"User-agent: *\nDisallow: /no"
            url = f"{site.origin}/robots.txt"
            file = WellKnown(requested_url=url, response=Response(url=url, status=200, body=body))
            async with Visit(site, offload=offload, artifacts={"robots_txt": file}) as page:
                a, b, no = (f"{page.origin}/{name}" for name in ("a", "b", "no"))
                found = await asyncio.gather(*map(page.permitted_urls, ((b, no, a), (a,), (no,))))
                found.append(await page.permitted_urls((a, no)))
                return found, offload.asked, (a, b, no)

    found, asked, (a, b, no) = asyncio.run(go())

    assert found == [(b, a), (a,), (), (a,)]
    assert asked == [((b, no, a),)]


def test_nothing_is_permitted_where_robots_txt_could_not_be_fetched() -> None:
    """``None`` is not the same as a file that forbids everything."""

    async def go() -> object:
        async with Site({"/": html("<p>")}) as site, Visit(site) as page:
            return await page.permitted_urls((page.origin,))

    assert asyncio.run(go()) is None


def robots_txt(origin: str, status: int) -> WellKnown:
    """The response to the request for the file."""
    url = f"{origin}/robots.txt"
    return WellKnown(requested_url=url, response=Response(url=url, status=status, body=b"User-agent: *\nDisallow: /"))


def test_time_outs_shrink_with_the_budget() -> None:
    """Never to nothing, because that would mean for ever."""

    async def go() -> list[float]:
        async with Site({"/": html("<p>")}) as site, Visit(site, options=make_options(budget_s=5.0)) as page:
            found = [page.timeout_s(1.0), page.timeout_s(99.0)]
            page.deadline -= 10.0
            return [*found, page.timeout_s(1.0), page.left_s()]

    short, long, late, left = asyncio.run(go())

    assert short == 1.0
    assert 4.0 < long <= 5.0
    assert (late, left) == (MIN_TIMEOUT_S, 0.0)


@pytest.mark.parametrize(("size", "kept", "cut"), [(10, 4, None), (11, 4, "limit")])
def test_well_known_files_are_bounded(size: int, kept: int, cut: str | None) -> None:
    """Read up to one limit, kept up to another."""

    async def go() -> WellKnown:
        site = Site({"/": html("<p>"), "/x": typed(b"x" * size, "text/plain")})
        async with site, Visit(site) as page:
            return await page.fetch_well_known(f"{page.origin}/x", max_bytes=10, keep_bytes=kept)

    response = asyncio.run(go()).response

    assert (len(response.body), response.truncated) == (kept, cut)


def test_a_parser_that_dies_has_its_word() -> None:
    """The failure becomes the artifact that is missing."""

    async def go() -> None:
        async with Site({"/": html("<p>")}) as site, Visit(site, offload=Dying("len")) as page:
            await page.parse(len, b"")

    with pytest.raises(OffloadFailed) as caught:
        asyncio.run(go())

    assert caught.value.not_gathered().code == "parser_limit"


def test_a_page_uses_one_parser_at_a_time() -> None:
    """However many gatherers want to read something."""
    at_once = most = 0

    async def offload(function: Any, *args: Any, timeout_s: float) -> Any:
        nonlocal at_once, most
        del timeout_s
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return function(*args)

    async def go() -> list[int]:
        async with Site({"/": html("<p>")}) as site, Visit(site, offload=offload) as page:
            return await asyncio.gather(*(page.parse(len, b"x" * number) for number in range(5)))

    assert asyncio.run(go()) == [0, 1, 2, 3, 4]
    assert most == 1


def ask(
    routes: dict[str, Any],
    *paths: str,
    method: Literal["GET", "HEAD"] = "HEAD",
    within_s: float = 10.0,
    timeout_s: float = TIMEOUT_S,
) -> tuple[tuple[Probe, ...], Site]:
    """The results of the probes of these paths, and the site that was asked."""
    site = Site({"/": html("<p>"), **routes})

    async def go() -> tuple[Probe, ...]:
        async with site, Visit(site, options=make_options()) as context:
            del site.asked[:]
            requests = [
                Request(
                    url=site.origin + path,
                    method=method,
                    keep_bytes=0,
                    max_wire_bytes=1_024,
                    max_decoded_bytes=1_024,
                    timeout_s=timeout_s,
                    max_redirects=MAX_REDIRECTS,
                )
                for path in paths
            ]
            return await ask_all(context, requests, within_s=within_s)

    return asyncio.run(go()), site


def lines(site: Site) -> list[str]:
    """Method and path of each request."""
    return [asked.line.rpartition(" ")[0] for asked in site.asked]


def statuses(probes: tuple[Probe, ...]) -> list[int | None]:
    """The answered statuses."""
    return [None if probe.response is None else probe.response.status for probe in probes]


def test_head_is_enough_where_it_succeeds() -> None:
    """One request each, without content, in order."""
    found, site = ask({"/a": html("x" * 5_000), "/b": html("y")}, "/a", "/b")

    assert sorted(lines(site)) == ["HEAD /a", "HEAD /b"]
    assert statuses(found) == [200, 200]
    assert [probe.url.rpartition("/")[2] for probe in found] == ["a", "b"]
    assert all(probe.response is not None and probe.response.body == b"" for probe in found)


@pytest.mark.parametrize("status", [400, 403, 404, 405, 501, 503])
def test_get_decides_where_head_does_not_succeed(status: int) -> None:
    """Servers exist that know only GET."""

    def page(asked: Asked) -> Reply:
        return html("here" * 5_000) if asked.line.startswith("GET") else html("", status=status)

    found, site = ask({"/a": page}, "/a")

    assert lines(site) == ["HEAD /a", "GET /a"]
    assert statuses(found) == [200]


def test_a_server_that_hangs_up_on_head_is_asked_again() -> None:
    """Likewise."""

    def page(asked: Asked) -> Reply:
        return html("here") if asked.line.startswith("GET") else Reply(raw=b"")

    found, _ = ask({"/a": page}, "/a")

    assert statuses(found) == [200]


def test_who_has_had_enough_is_not_asked_again() -> None:
    """429 is an answer."""
    found, site = ask({"/a": html("", status=429)}, "/a")

    assert lines(site) == ["HEAD /a"]
    assert statuses(found) == [429]


def test_a_get_is_asked_for_once() -> None:
    """Whatever comes."""
    found, site = ask({}, "/gone", method="GET")

    assert lines(site) == ["GET /gone"]
    assert statuses(found) == [404]


def test_redirects_are_followed_a_little() -> None:
    """With where they lead; one too many is a failure."""
    routes: dict[str, Any] = {f"/{n}": redirect(f"/{n + 1}", 301) for n in range(MAX_REDIRECTS + 1)}
    routes[f"/{MAX_REDIRECTS + 1}"] = html("<p>")
    (short, long), _ = ask(routes, "/1", "/0")

    assert (len(short.hops), short.response is not None and short.response.status) == (MAX_REDIRECTS, 200)
    assert [hop.header("location") for hop in short.hops][:2] == ["/2", "/3"]
    assert long.failure is not None
    assert long.failure.reason == "too_many_redirects"


def test_headers_that_say_nothing_of_the_page_are_dropped() -> None:
    """A site repeats its own on every answer."""
    page = Reply(headers=(("Content-Type", "text/html"), ("Set-Cookie", "a=b"), ("Retry-After", "9")))
    (probe,), _ = ask({"/a": page}, "/a")

    assert probe.response is not None
    assert sorted(name for name, _ in probe.response.headers) == ["Content-Type", "Retry-After"]


def test_what_hangs_holds_up_nothing_else() -> None:
    """Its own time is over first, and its result says so."""
    found, _ = ask({"/a": Reply(hangs=True), "/b": html("<p>")}, "/a", "/b", timeout_s=0.3)

    assert statuses(found) == [None, 200]
    assert found[0].failure is not None
    assert found[0].failure.code == "timeout"


def test_the_time_for_all_is_kept() -> None:
    """Answers until then stand, the rest is left out."""
    routes: dict[str, Any] = {f"/{n}": Reply(hangs=True) for n in range(MAX_CONCURRENT)}
    found, site = ask({**routes, "/fast": html("<p>")}, "/fast", *routes, "/never", within_s=0.5)

    assert [probe.url.rpartition("/")[2] for probe in found] == ["fast"]
    assert "HEAD /never" not in lines(site)
