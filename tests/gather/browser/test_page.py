from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pagegrade.gather.browser.access import RequestAccess
from pagegrade.gather.browser.page import MAX_DEPARTURES, MAX_DOCUMENTS, Page


class Wire:
    """Takes handlers, and plays events to them."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def play(self, event: str, *, session: str = "s", **params: Any) -> None:
        self.handlers[event](params, session)


def visited(*steps: tuple[str, str], session: str = "s", parent: str | None = None) -> Page:
    """A page that shows one document, and then others: (cause in the browser's words, URL)."""
    page, wire = Page(session="s", target="t", frame="f"), Wire()

    async def play() -> None:
        page.listen(wire, RequestAccess(wire, None))  # type: ignore[arg-type]
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/"})
        for reason, url in steps:
            wire.play("Page.frameRequestedNavigation", frameId="f", reason=reason, session=session)
            wire.play("Page.frameNavigated", frame={"id": "f", "url": url, "parentId": parent}, session=session)

    asyncio.run(play())
    return page


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("metaTagRefresh", "meta"),
        ("httpHeaderRefresh", "header"),
        ("reload", "reload"),
        ("scriptInitiated", "script"),
        ("formSubmissionPost", "script"),
    ],
)
def test_a_departure_has_its_kind_and_its_address(reason: str, kind: str) -> None:
    """The first document is the page itself."""
    (departure,) = visited((reason, "https://example.com/next")).departures

    assert (departure.kind, departure.url) == (kind, "https://example.com/next")


def test_a_page_that_leaves_before_it_is_known_has_its_kind() -> None:
    """The browser's events may come before the answer that names the page's frame."""
    page, wire = Page(session="s", target="t"), Wire()

    async def play() -> None:
        page.listen(wire, RequestAccess(wire, None))  # type: ignore[arg-type]
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/"})
        wire.play("Page.frameRequestedNavigation", frameId="f", reason="metaTagRefresh")
        wire.play("Page.frameRequestedNavigation", frameId="inner", reason="scriptInitiated")
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/next"})

    asyncio.run(play())

    assert [departure.kind for departure in page.departures] == ["meta"]


def test_frames_leave_without_the_page() -> None:
    """Those of other processes have a session of their own."""
    assert visited(("scriptInitiated", "https://example.net/"), parent="f").departures == []
    assert visited(("scriptInitiated", "https://example.net/"), session="frame").departures == []


def test_departures_are_bounded() -> None:
    """As many documents are counted as show that it does not end."""
    page = visited(*[("reload", "https://example.com/")] * 100)

    assert len(page.departures) == MAX_DEPARTURES
    assert len(page.documents) == MAX_DOCUMENTS + 1


def test_only_the_process_of_the_page_crashes_it() -> None:
    """A frame of another site may crash alone."""
    page = Page(session="s", target="t")
    page.crash({}, "frame")

    assert not page.crashed
    page.crash({}, "s")

    assert page.crashed
