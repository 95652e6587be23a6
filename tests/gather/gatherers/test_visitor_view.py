from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pagegrade.gather.gatherers.visitor_view import MAX_WIRE_BYTES, gather_visitor_view
from pagegrade.gather.http import FetchError
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import NotGathered
from pagegrade.parse.http.access import read_access
from tests.gather.sites import Asked, Reply, Site, Visit, html, make_options, redirect

PAGE = html("<!doctype html><title>Chairs</title><h1>Chairs</h1>")
HIDDEN = html('<!doctype html><meta name="robots" content="noindex"><title>Chairs</title>')
BY_HEADER = Reply(
    headers=(("Content-Type", "text/html"), ("X-Robots-Tag", "none")), body=b"<!doctype html><title>Chairs</title>"
)
FOR_ONE = html('<!doctype html><meta name="bingbot" content="noindex"><title>Chairs</title>')
DOOR = Reply(status=401, headers=(("WWW-Authenticate", "Basic"),))


def seen(visitors: Reply, *, origin: str = "", **parts: Any) -> tuple[VisitorView | NotGathered, list[Asked]]:
    """The artifact where readers get a page and visitors something else, and what was asked for."""

    def answer(asked: Asked) -> Reply:
        return PAGE if "authorization" in asked.headers else visitors

    async def go() -> VisitorView | NotGathered:
        async with site:
            given = parts or {"user": "reader", "password": "n0t-Shown-1"}
            access = read_access(origins=[origin or site.origin], **given)
            options = make_options(access=access)
            async with Visit(site, "/a?key=1#/route", options=options, artifacts={"load_samples": (1.0,)}) as context:
                del site.asked[:]
                return await gather_visitor_view(context)

    site = Site({"/a?key=1": answer, "/login?next=/a": PAGE})
    return asyncio.run(go()), site.asked


@pytest.mark.parametrize(
    ("visitors", "status", "is_elsewhere", "indexable"),
    [
        (DOOR, 401, False, None),
        (PAGE, 200, False, True),
        (HIDDEN, 200, False, False),
        (BY_HEADER, 200, False, False),
        (FOR_ONE, 200, False, True),
        (redirect("/login?next=/a"), 200, True, True),
    ],
    ids=["door", "page", "meta", "header", "another crawler", "sign-in"],
)
def test_the_page_is_seen_as_everybody_sees_it(
    visitors: Reply, status: int, *, is_elsewhere: bool, indexable: bool | None
) -> None:
    """Nothing of the access goes with that request, and no query is kept."""
    found, asked = seen(visitors)

    assert isinstance(found, VisitorView)
    assert (found.status, found.is_elsewhere, found.indexable) == (status, is_elsewhere, indexable)
    assert "?" not in found.url
    assert not any("authorization" in each.headers for each in asked)


def test_nothing_is_asked_for_without_a_reason() -> None:
    """The access is for another origin, or sends nothing."""
    for origin, parts in (("https://staging.example", {}), ("", {"certificates": ""})):
        found, asked = seen(PAGE, origin=origin, **parts)

        assert isinstance(found, NotGathered)
        assert (found.code, asked) == ("not_applicable", [])


@pytest.mark.parametrize("more", [0, 1])
def test_a_long_page_is_read_to_its_limit(more: int) -> None:
    """A rule that ends there is seen, and one that is cut is not."""
    start, rule = "<!doctype html><title>Chairs</title>", '<meta name="robots" content="noindex">'
    text = f"{start}{' ' * (MAX_WIRE_BYTES - len(start) - len(rule) + more)}{rule}"
    found, _ = seen(html(text))

    assert isinstance(found, VisitorView)
    assert found.indexable is bool(more)


def test_no_answer_is_an_error() -> None:
    """The report names it among what is missing."""
    with pytest.raises(FetchError):
        seen(redirect("/a?key=1"))
