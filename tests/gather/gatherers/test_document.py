"""The document, and all the ways in which there is none."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.gatherers.document import is_html, media_type
from pagegrade.gather.guard import Policy
from pagegrade.model.artifacts import Navigation, Response
from pagegrade.model.errors import RunFailed
from tests.gather.sites import Names, Reply, Site, Visit, html, make_options, redirect, typed


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
