from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.report import Preview, PreviewPicture, Report
from pagegrade.parse.text_width import TITLE_SIZE_PX, text_width_px
from pagegrade.render.i18n import texts_for
from pagegrade.render.previews import (
    SOCIAL_TITLE_CHARS,
    TITLE_PX,
    cut_to_width,
    image_note,
    search_result,
    shared_link,
)
from tests.report_builders import make_failed_report, make_report

URL = "https://example.com/card.png"
PICTURE = PreviewPicture(name="social", format="png", width_px=1200, height_px=630, bytes=84_211)


def page_with(title: str = "", **more: Any) -> Report:
    """A report on a page with that title, and nothing else that previews show."""
    report = make_report()
    if report.page is None:
        raise AssertionError("make_report gives page facts")
    return replace(report, page=replace(report.page, title=title, preview=Preview(**more)))


def test_a_search_result_is_cut_where_engines_cut() -> None:
    """By width, between two words."""
    found = search_result(page_with("Running shoes for women and men " * 5))

    assert found is not None
    assert found.title_cut
    assert found.title.endswith("…")
    assert text_width_px(found.title) <= TITLE_PX
    assert found.title.removesuffix("…").split()[-1] in {"Running", "shoes", "for", "women", "and", "men"}


def test_a_search_result_says_what_the_page_does_not() -> None:
    """Without words of its own it is the address that stands there."""
    found = search_result(page_with())

    assert found is not None
    assert (found.title, found.description, found.site) == ("", "", "example.com")
    assert found.crumbs == ("example.com", "pricing")


def test_the_query_of_an_address_is_no_crumb() -> None:
    """It may hold a key."""
    found = search_result(replace(page_with("x"), final_url="https://example.com/a/b/c/d?token=secret#top"))

    assert found is not None
    assert found.crumbs == ("example.com", "b", "c", "d")


def test_an_address_that_leads_nowhere_is_shown_as_it_is() -> None:
    """A masked or a hostile one is text."""
    found = search_result(replace(page_with("x"), final_url="javascript:alert(1)"))

    assert found is not None
    assert found.crumbs == ("javascript:alert(1)",)


def test_a_shared_link_prefers_what_is_said_to_networks() -> None:
    """Else it takes what is said to search engines."""
    own = shared_link(page_with("Title", description="For engines.", social_title="Social", image_url="/a.png"))
    other = shared_link(page_with("Title", description="For engines."))

    assert own is not None
    assert other is not None
    assert (own.title, own.description, own.image_url) == ("Social", "For engines.", "/a.png")
    assert (other.title, other.description, other.image_url) == ("Title", "For engines.", "")


def test_a_shared_title_is_cut_between_letters_as_readers_see_them() -> None:
    """A flag is one letter, and stays one."""
    found = shared_link(page_with("🇩🇪" * 120))

    assert found is not None
    assert found.title == "🇩🇪" * (SOCIAL_TITLE_CHARS - 1) + "…"


def test_a_page_that_was_not_evaluated_has_no_previews() -> None:
    """A failed analysis, and a report of before there were any."""
    old = make_report()

    assert search_result(make_failed_report()) is None
    assert shared_link(make_failed_report()) is None
    assert old.page is not None
    assert search_result(replace(old, page=replace(old.page, preview=None))) is None


@pytest.mark.parametrize("text", ["", "short", "漢" * 200, "x" * 5000, "a " * 2000, "ب" * 300, "\u202e" * 300])
def test_no_text_is_wider_than_its_room(text: str) -> None:
    """With and without spaces, in any script."""
    assert text_width_px(cut_to_width(text, TITLE_PX, TITLE_SIZE_PX)) <= TITLE_PX


@pytest.mark.parametrize(
    ("more", "can_show", "note"),
    [
        ({}, True, "The page names no picture for shared links (og:image)."),
        ({"image_url": "/a.png", "image_problem": "relative"}, True, "The URL of the picture is not absolute"),
        ({"image_url": URL, "image_problem": "not_loaded"}, True, "The picture could not be loaded."),
        ({"image_url": URL, "image_problem": "bytes"}, True, "more than 500 kB"),
        ({"image_url": URL, "image_problem": "pixels"}, True, "too many pixels"),
        ({"image_url": URL, "image_problem": "type"}, True, "no PNG, JPEG, WebP, GIF or AVIF file"),
        ({"image_url": URL, "image": PICTURE}, True, "The picture has 1,200 × 630 pixels and 84.2 kB."),
        ({"image_url": URL, "image": PICTURE}, False, "The picture is named and not shown here."),
        ({"image_url": URL}, True, "The picture is named and not shown here."),
    ],
)
def test_a_card_says_what_is_known_of_its_picture(more: Any, can_show: bool, note: str) -> None:  # noqa: FBT001
    """And why there is none."""
    assert note in image_note(page_with("x", **more), can_show, texts_for("en"))
