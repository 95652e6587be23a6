"""Repeated measurements of the document."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from pagegrade.gather.gatherers.load_samples import SLOW_MS, gather_load_samples
from tests.gather.sites import Asked, Reply, Site, Visit, html, make_options, redirect


def sample(site: Site, *, wanted: int = 3, first_ms: float | None = None, left: float = 1.0) -> tuple[float, ...]:
    """The artifact; ``left`` is the share of the budget that remains."""

    async def go() -> tuple[float, ...]:
        async with site, Visit(site, options=make_options(load_samples=wanted)) as page:
            if first_ms is not None:
                response = page.navigation.response
                slow = replace(response, timings=replace(response.timings, total_ms=first_ms))
                page.navigation = replace(page.navigation, response=slow)
            page.deadline -= (1 - left) * page.options.budget_s
            return await gather_load_samples(page)

    return asyncio.run(go())


@pytest.mark.parametrize("wanted", [1, 2, 3])
def test_the_final_document_is_fetched_as_often_as_wanted(wanted: int) -> None:
    """The first fetch counts, redirects are not repeated."""
    site = Site({"/": redirect("/page"), "/page": html("<p>")})
    samples = sample(site, wanted=wanted)

    assert site.paths() == ["/", *["/page"] * wanted]
    assert len(samples) == wanted
    assert all(one > 0 for one in samples)


@pytest.mark.parametrize(("first_ms", "count"), [(SLOW_MS, 3), (SLOW_MS + 1, 1)])
def test_a_slow_page_is_not_asked_again(first_ms: float, count: int) -> None:
    """More than five seconds are enough of an answer."""
    assert len(sample(Site({"/": html("<p>")}), first_ms=first_ms)) == count


@pytest.mark.parametrize(("left", "count"), [(0.9, 3), (0.3, 1)])
def test_a_short_budget_is_kept_for_other_things(left: float, count: int) -> None:
    """Samples are a luxury."""
    assert len(sample(Site({"/": html("<p>")}), left=left)) == count


def test_another_answer_is_no_sample() -> None:
    """A rate limit that sets in says nothing about the page."""
    replies = iter([html("<p>"), html("<p>"), html("slow down", status=429)])

    def answer(_: Asked) -> Reply:
        return next(replies)

    assert len(sample(Site({"/": answer}))) == 2


def test_a_failed_exchange_ends_the_series() -> None:
    """Earlier measurements stay."""
    replies = iter([html("<p>"), Reply(raw=b"nonsense\r\n\r\n")])

    assert len(sample(Site({"/": lambda _: next(replies)}))) == 1


def test_a_page_behind_its_own_cookie_is_measured_with_it() -> None:
    """Without it, the answer would be the redirect that sets it."""

    def answer(asked: Asked) -> Reply:
        wall = Reply(status=302, headers=(("Location", "/"), ("Set-Cookie", "a=b")))
        return html("<p>") if asked.headers.get("cookie") == "a=b" else wall

    assert len(sample(Site({"/": answer}))) == 3
