"""Asking whether addresses answer."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from pagegrade.gather.exchange import Request
from pagegrade.gather.probing import MAX_CONCURRENT, MAX_REDIRECTS, ask_all
from pagegrade.model.artifacts import Probe
from tests.gather.sites import Asked, Reply, Site, Visit, html, make_options, redirect

TIMEOUT_S = 5.0


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
