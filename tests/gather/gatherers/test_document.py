"""The document, and all the ways in which there is none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.gatherers.document import (
    KEPT_MARKDOWN_BYTES,
    MAX_CORS_BYTES,
    MAX_MARKDOWN_BYTES,
    MAX_VISITOR_WIRE_BYTES,
    SLOW_MS,
    gather_cors_probe,
    gather_load_samples,
    gather_markdown_probe,
    gather_visitor_view,
    is_html,
    media_type,
)
from pagegrade.gather.guard import Policy
from pagegrade.gather.http import FetchError
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Navigation, NotGathered, Response, WellKnown
from pagegrade.model.errors import RunFailed
from pagegrade.parse.http.access import read_access
from pagegrade.parse.http.cors import PROBE_ORIGIN
from tests.gather.sites import Asked, Names, Reply, Site, Visit, html, make_options, redirect, typed

ALLOW_ALL = WellKnown(requested_url="x", response=Response(url="x", status=404))
BAN = WellKnown(requested_url="x", response=Response(url="x", status=200, body=b"User-agent: *\nDisallow: /a\n"))
PAGE = html("<!doctype html><title>Chairs</title><h1>Chairs</h1>")
HIDDEN = html('<!doctype html><meta name="robots" content="noindex"><title>Chairs</title>')
BY_HEADER = Reply(
    headers=(("Content-Type", "text/html"), ("X-Robots-Tag", "none")), body=b"<!doctype html><title>Chairs</title>"
)
FOR_ONE = html('<!doctype html><meta name="bingbot" content="noindex"><title>Chairs</title>')
DOOR = Reply(status=401, headers=(("WWW-Authenticate", "Basic"),))


def visit(site: Site, path: str = "/", **more: object) -> Navigation:
    """The navigation to a page."""

    async def go() -> Navigation:
        async with site, Visit(site, path, **more) as context:  # type: ignore[arg-type]
            return context.navigation

    return asyncio.run(go())


def failure(site: Site, path: str = "/", **more: object) -> RunFailed:
    """The reason why there is no document."""
    with pytest.raises(RunFailed) as caught:
        visit(site, path, **more)
    return caught.value


def test_redirects_are_followed_and_kept() -> None:
    """The steps come in order, the document with its body, relative addresses resolved."""
    site = Site({"/": redirect("/a/", 301), "/a/": redirect("b?x=1"), "/a/b?x=1": html("<title>Here</title>")})
    found = visit(site)

    assert [hop.status for hop in found.hops] == [301, 302]
    assert found.main_document_url.endswith("/a/b?x=1")
    assert found.response.body == b"<title>Here</title>"


@pytest.mark.parametrize("status", [401, 404, 410, 500, 503])
def test_an_error_status_is_an_answer(status: int) -> None:
    """Fetching a page does not decide whether it may be checked."""
    assert visit(Site({"/": html("<p>Sorry", status=status)})).response.status == status


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("image/png", b"\x89PNG"),
        ("application/pdf", b"%PDF-1.7"),
        ("text/plain", b"<html>"),
        ("application/json", b"{}"),
    ],
)
def test_what_is_no_html_fails(content_type: str, body: bytes) -> None:
    """The declared type decides, as in browsers."""
    error = failure(Site({"/": typed(body, content_type)}))

    assert (error.failure, error.http_status) == ("not_html", 200)
    assert content_type in error.message


def test_undeclared_bytes_that_are_no_html_fail() -> None:
    """Without a type the first bytes decide."""
    assert failure(Site({"/": Reply(body=b"\x00\x01\x02")})).failure == "not_html"


def test_a_closed_port_is_a_failure_to_connect() -> None:
    """The address is right, but the connection is refused."""

    async def go() -> None:
        site = Site({})
        async with site:
            url = site.origin + "/"
        async with Visit(site, url=url):
            pass

    with pytest.raises(RunFailed) as caught:
        asyncio.run(go())

    assert caught.value.failure == "connect"


def test_an_unknown_name_is_a_dns_failure() -> None:
    """The finer word goes into the reason."""
    error = failure(Site({}), url="http://no-such-host.example/", resolver=Names({}), options=make_options())

    assert (error.failure, error.reason) == ("dns", "dns_nxdomain")


def test_a_private_address_is_refused() -> None:
    """Without the operator's permission loopback is not contacted."""
    error = failure(Site({"/": html("")}), options=make_options(policy=Policy()))

    assert error.failure == "address_not_allowed"


def test_a_redirect_to_a_private_address_is_refused() -> None:
    """Every step is checked anew."""
    site = Site({"/": redirect("http://169.254.169.254/latest/meta-data/")})

    assert failure(site).failure == "address_not_allowed"


@pytest.mark.parametrize("target", ["/", "/b"])
def test_endless_redirects_have_their_own_word(target: str) -> None:
    """A loop over one or over two addresses."""
    assert failure(Site({"/": redirect(target), "/b": redirect("/")})).failure == "redirect_loop"


def test_silence_is_a_timeout() -> None:
    """A server that accepts and never answers."""
    options = make_options(limits=GatherLimits(document_s=0.4))

    assert failure(Site({"/": Reply(hangs=True)}), options=options).failure == "timeout"


def test_a_body_over_the_limit_is_cut_and_says_so() -> None:
    """One byte past the limit nothing is lost but the rest."""
    for size, cut in ((10_000, None), (10_001, "limit")):
        limits = GatherLimits(document_wire_bytes=20_000, document_decoded_bytes=10_000)
        response = visit(Site({"/": html("x" * size)}), options=make_options(limits=limits)).response

        assert (len(response.body), response.truncated) == (10_000, cut)


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ((("Content-Type", "text/html"),), b"", True),
        ((("content-type", "TEXT/HTML; charset=x"),), b"PK\x03\x04", True),
        ((("Content-Type", "application/xhtml+xml"),), b"", True),
        ((("Content-Type", "image/png"),), b"<html>", False),
        ((("Content-Type", "image/png"), ("Content-Type", "text/html")), b"", True),
        ((("Content-Type", "html"),), b"<!DOCTYPE HTML>", True),
        ((("Content-Type", ""),), b"\xef\xbb\xbf \n<p>x", True),
        ((), b"<!--x", True),
        ((), b"<b>", True),
        ((), b"<bogus>", False),
        ((), b"words", False),
        ((), b" \n", True),
    ],
)
def test_html_is_recognized_as_browsers_do(
    headers: tuple[tuple[str, str], ...], body: bytes, *, expected: bool
) -> None:
    """The last declared type counts; the first bytes only where there is none."""
    response = Response(url="https://example.com/", status=200, headers=headers, body=body)

    assert is_html(response) is expected
    assert media_type(replace(response, headers=())) == ""


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


def test_page_is_asked_for_once_more_from_another_site() -> None:
    """Only this request says so, and its body is not kept."""

    def page(asked: Asked) -> Reply:
        return html(f"<p>{asked.headers.get('origin', 'none')}" + "x" * 2 * MAX_CORS_BYTES)

    async def go() -> None:
        async with Site({"/a/b": page}) as site, Visit(site, "/a/b") as visit:
            found = await gather_cors_probe(visit)

            assert found.response.status == 200
            assert found.response.body == b""
            assert [asked.headers.get("origin") for asked in site.asked] == [None, PROBE_ORIGIN]

    asyncio.run(go())


def test_redirect_is_not_followed() -> None:
    """Its headers are the answer."""
    first = [html("<p>"), redirect("/elsewhere")]

    async def go() -> None:
        async with Site({"/": lambda _: first.pop(0)}) as site, Visit(site, "/") as visit:
            found = await gather_cors_probe(visit)

            assert found.response.status == 302
            assert site.paths() == ["/", "/"]

    asyncio.run(go())


def answer(asked: Asked) -> Reply:
    """A server that looks at what is preferred."""
    if asked.headers["accept"].startswith("text/markdown"):
        return typed("# Chairs\n" + "x" * MAX_MARKDOWN_BYTES, "text/markdown")
    return html("<h1>Chairs</h1>")


def gathered(*, known: dict[str, object] | None = None, **more: Any) -> tuple[WellKnown | NotGathered, list[str]]:
    """The artifact, and what was asked for."""
    site = Site({"/a": answer})
    artifacts = {"robots_txt": ALLOW_ALL, "load_samples": (1.0,)} if known is None else known

    async def go() -> WellKnown | NotGathered:
        async with site, Visit(site, "/a", artifacts=artifacts, **more) as context:
            del site.asked[:]
            return await gather_markdown_probe(context)

    found = asyncio.run(go())
    return found, [asked.headers["accept"] for asked in site.asked]


def test_page_is_asked_for_once_as_markdown() -> None:
    """Only the beginning is kept, and HTML is welcome where there is none."""
    found, accepts = gathered()

    assert isinstance(found, WellKnown)
    assert accepts == ["text/markdown,text/html;q=0.9,*/*;q=0.1"]
    assert (found.response.header("content-type"), found.response.truncated) == ("text/markdown", "limit")
    assert len(found.response.body) == KEPT_MARKDOWN_BYTES


def test_robots_txt_is_respected() -> None:
    """And where it is not known, nothing is asked for."""
    without: dict[str, object] = {"load_samples": (1.0,)}
    for known in ({"robots_txt": BAN, **without}, without):
        found, accepts = gathered(known=known)

        assert isinstance(found, NotGathered)
        assert (found.code, accepts) == ("skipped", [])


def test_it_is_skipped_by_choice() -> None:
    """With the other requests that are not needed for the page."""
    found, accepts = gathered(options=make_options(subresources=False))

    assert isinstance(found, NotGathered)
    assert accepts == []


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
    text = f"{start}{' ' * (MAX_VISITOR_WIRE_BYTES - len(start) - len(rule) + more)}{rule}"
    found, _ = seen(html(text))

    assert isinstance(found, VisitorView)
    assert found.indexable is bool(more)


def test_no_answer_is_an_error() -> None:
    """The report names it among what is missing."""
    with pytest.raises(FetchError):
        seen(redirect("/a?key=1"))
