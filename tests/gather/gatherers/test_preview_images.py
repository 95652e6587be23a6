"""The images of previews: one request each, and what must not be stored."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from pagegrade.gather.gatherers.preview_images import MAX_BYTES, MAX_SIDE_PX, gather_preview_images
from pagegrade.model.artifacts import NOT_SHOWN, NotGathered, PreviewImage, PreviewImages
from tests.gather.sites import Reply, Site, Visit, html, make_options, redirect, typed
from tests.parse.files.test_image import gif, icon, iso_image, jpeg, png, webp

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
PAGE = "<!doctype html><meta property=og:image content={origin}/card><link rel=icon href=/icon>"


def gather(reply: Reply, markup: str = PAGE, *, asked: bool = True) -> tuple[PreviewImages | NotGathered, list[str]]:
    """The artifact of a site that answers so for the card, and the paths it was asked for."""

    async def go() -> tuple[PreviewImages | NotGathered, list[str]]:
        routes = {"/card": reply, "/icon": typed(png(32, 32), "image/png")}
        async with Site(routes) as site:
            site.routes = {**routes, "/": html(markup.format(origin=site.origin))}
            async with Visit(site, options=make_options(preview_images=asked)) as page:
                return await gather_preview_images(page), site.paths()[1:]

    return asyncio.run(go())


def card(reply: Reply) -> PreviewImage:
    """The image for shared links."""
    found, _ = gather(reply, PAGE)
    assert isinstance(found, PreviewImages)
    return next(image for image in found.items if image.kind == "social")


def padded(size: int) -> bytes:
    """A PNG of that many bytes."""
    return png().ljust(size, b"\0")


def test_each_image_is_asked_for_once() -> None:
    """That for shared links and the icon, whole."""
    found, paths = gather(typed(jpeg(1200, 630), "image/jpeg"))

    assert isinstance(found, PreviewImages)
    assert sorted(paths) == ["/card", "/icon"]
    assert {image.kind: (image.data, image.problem) for image in found.items} == {
        "icon": (png(32, 32), ""),
        "social": (jpeg(1200, 630), ""),
    }


def test_a_report_without_previews_costs_no_request() -> None:
    """The command line shows none."""
    assert gather(typed(png(), "image/png"), asked=False) == (NOT_SHOWN, [])


@pytest.mark.parametrize(
    "data",
    [png(), jpeg(), gif(), webp(b"VP8L", b"\x2f" + b"\0" * 8), iso_image(b"avif", (3, 2))],
    ids=["png", "jpeg", "gif", "webp", "avif"],
)
def test_the_type_is_that_of_the_bytes(data: bytes) -> None:
    """The declared type does not count."""
    assert card(typed(data, "text/html")).data == data


@pytest.mark.parametrize(
    "data",
    [SVG, b"<!doctype html><title>Home", iso_image(b"heic", (3, 2)), icon(b"BM"), png()[:16], b"GIF89a"],
    ids=["svg", "html", "heic", "bitmaps", "png without a size", "gif without a size"],
)
def test_other_files_are_not_stored(data: bytes) -> None:
    """Drawings hold scripts, and what has no size has no bound."""
    found = card(typed(data, "image/png"))

    assert (found.problem, found.data) == ("type", b"")


def test_a_png_in_an_icon_file_is_taken_out() -> None:
    """The largest one."""
    found = card(typed(icon(b"BM", png(16, 16), png(48, 48)), "image/x-icon"))

    assert (found.data, found.problem) == (png(48, 48), "")


@pytest.mark.parametrize(("size", "problem"), [(MAX_BYTES["social"], ""), (MAX_BYTES["social"] + 1, "bytes")])
@pytest.mark.parametrize("coded", [False, True])
def test_bytes_are_limited_on_the_wire_and_decoded(size: int, problem: str, coded: bool) -> None:  # noqa: FBT001
    """A file that is small only while it is compressed is none."""
    body = padded(size)
    reply = Reply(body=gzip.compress(body), headers=(("Content-Encoding", "gzip"),)) if coded else Reply(body=body)
    found = card(reply)

    assert (found.problem, len(found.data)) == (problem, 0 if problem else size)


def test_a_file_without_end_is_cut() -> None:
    """It says no length, and is left when the limit is reached."""
    raw = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + padded(4 * MAX_BYTES["social"])

    assert card(Reply(raw=raw)).problem == "bytes"


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ((4096, 4096), ""),
        ((4096, 4097), "pixels"),
        ((MAX_SIDE_PX, 2048), ""),
        ((MAX_SIDE_PX + 1, 1), "pixels"),
        ((1, MAX_SIDE_PX + 1), "pixels"),
    ],
)
def test_pixels_are_limited(size: tuple[int, int], problem: str) -> None:
    """A browser that shows it needs four bytes for each."""
    assert card(typed(png(*size), "image/png")).problem == problem


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=404, body=png()),
        Reply(),
        Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + png()),
        redirect("http://10.0.0.1/card.png"),
        redirect("http://169.254.169.254/card.png"),
        redirect("/card"),
        Reply(raw=b"nonsense\r\n\r\n"),
    ],
    ids=["not found", "empty", "cut off", "private", "metadata", "loop", "no HTTP"],
)
def test_what_brings_no_image_is_no_image(reply: Reply) -> None:
    """Also where a redirect leads to an address that is not contacted."""
    found = card(reply)

    assert (found.problem, found.data) == ("not_loaded", b"")


@pytest.mark.parametrize("written", ["/card", "card", "javascript:alert(1)", "data:image/png;base64,AA", "http://"])
def test_networks_load_absolute_urls_only(written: str) -> None:
    """So nothing is asked for."""
    found, paths = gather(typed(png(), "image/png"), f'<meta property="og:image" content="{written}">')

    assert isinstance(found, PreviewImages)
    assert [image.problem for image in found.items if image.kind == "social"] == ["relative"]
    assert paths == ["/favicon.ico"]


@pytest.mark.parametrize(
    ("markup", "path"),
    [
        ("<link rel=icon href=/a.svg><link rel=icon href=/icon><link rel=icon href=/b>", "/icon"),
        ("<link rel=icon href=/a.svg>", "/favicon.ico"),
        ("<p>", "/favicon.ico"),
    ],
)
def test_the_icon_is_the_first_that_is_no_drawing(markup: str, path: str) -> None:
    """Else the default one."""
    assert gather(Reply(), markup)[1] == [path]
