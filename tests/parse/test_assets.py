"""The sub-resources that arrived, sorted by use."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.artifacts import FontFace, NotGathered, Resource
from pagegrade.parse.assets import font_faces, lost_files, read_assets
from tests.builders import URL, make_document, make_resource, make_resources

EMPTY = make_document("<p>x")


@pytest.mark.parametrize(
    ("kinds", "media_type", "purpose"),
    [
        (("image", "preload"), "", "image"),
        (("preload",), "text/css; charset=utf-8", "stylesheet"),
        (("preload",), "Font/WOFF2", "font"),
        (("preload",), "application/json", "other"),
        (("icon", "image"), "image/png", "image"),
        (("script",), "image/png", "script"),
    ],
)
def test_use_comes_before_type(kinds: tuple[str, ...], media_type: str, purpose: str) -> None:
    """The purpose of a fetch decides; only a preload is classified by its type."""
    item = replace(make_resource(URL + "a", headers=(("Content-Type", media_type),)), kinds=kinds)

    assert [asset.purpose for asset in read_assets(EMPTY, make_resources(item)).items] == [purpose]


def test_failures_errors_and_pages_in_place_of_files_are_no_assets() -> None:
    """A frame is a page, though."""
    html = (("Content-Type", "text/html"),)
    found = read_assets(
        EMPTY,
        make_resources(
            make_resource(URL + "1", status=404),
            Resource(url=URL + "2", kinds=("image",), initiator_url=URL, failure=NotGathered(code="timeout")),
            make_resource(URL + "3", kind="script", headers=html),
            make_resource(URL + "4", kind="frame", headers=html),
        ),
    )

    assert [asset.url for asset in found.items] == [URL + "4"]


def test_certain_is_what_the_html_makes_a_browser_fetch_at_once() -> None:
    """Not what is lazy, an alternative, an icon, or named by a stylesheet."""
    document = make_document(
        "<img src=/1><img src=/2 loading=lazy><img src=/1 srcset='/3 2x'><link rel=icon href=/4>"
        "<style>p{background:url(/5)}</style><p style='background:url(/6)'>"
    )
    found = read_assets(document, make_resources(*(make_resource(f"{URL}{n}") for n in range(1, 8))))

    assert [asset.url[-1] for asset in found.items if asset.certain] == ["1", "6"]


def test_unseen_is_what_our_limits_kept_away() -> None:
    """Candidates that a browser would pass over are not missed."""
    document = make_document("<img src=/1><img src=/2><img src=/3 loading=lazy>")
    left_out = ((URL + "1", "budget"), (URL + "2", "skipped"), (URL + "3", "count"), (URL + "9", "bytes"))

    assert read_assets(document, make_resources(not_fetched=left_out)).unseen == {URL + "1"}


def test_faces_of_the_page_and_of_own_stylesheets_are_own() -> None:
    """A redirected sheet is known by where it came from."""
    document = make_document("<style>@font-face{font-family:page;src:url(/a.woff2)}</style>")
    own = make_resource(URL + "b.css", kind="stylesheet")
    foreign = make_resource("https://fonts.example/c.css", kind="stylesheet", first_party=False)
    faces = (
        FontFace(family="own", stylesheet_url=own.url),
        FontFace(family="foreign", stylesheet_url=foreign.url),
        FontFace(family="unknown", stylesheet_url="https://gone.example/d.css"),
    )
    found = font_faces(document, make_resources(own, foreign, font_faces=faces))

    assert [(face.face.family, face.own) for face in found] == [
        ("page", True),
        ("own", True),
        ("foreign", False),
        ("unknown", False),
    ]


def test_files_that_browsers_do_not_get_either_are_lost() -> None:
    """Not those that turn programs away, and none for want of a network."""
    gone = make_resource(URL + "gone.js", kind="script", status=404)
    shut = replace(make_resource("https://other.example/shut.js", kind="script", status=403), first_party=False)
    nameless = Resource(
        url="https://no.example/a.js",
        kinds=("script",),
        initiator_url=URL,
        failure=NotGathered(code="dns", reason="dns_nxdomain"),
    )
    resources = make_resources(gone, shut, nameless, make_resource(URL + "here.js", kind="script"))

    assert lost_files(resources, URL) == {URL + "gone.js", "https://no.example/a.js"}
    assert lost_files(make_resources(nameless), "http://127.0.0.1/") == frozenset()
