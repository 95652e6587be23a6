from __future__ import annotations

from pagegrade.model.document import Document
from pagegrade.parse.html.parser import parse_document

URL = "https://example.com/"


def drawn(body: str, *, head: str = "") -> Document:
    """A page as the browser's script writes it down."""
    html = f"<!doctype html><html><head><title>t</title>{head}</head><body>{body}"
    return parse_document(html.encode(), url=URL, content_type="text/html; charset=utf-8", drawn=True)


def shown(document: Document) -> list[str]:
    """Ids of the links that are not hidden."""
    return [anchor.attrs["id"] for anchor in document.anchors if not anchor.hidden]


def test_marks_decide_and_style_sheets_do_not() -> None:
    """The browser has read the style sheets already, with those that arrived late."""
    page = drawn(
        "<a href=/ id=a class=x>a</a><a href=/ id=b data-pagegrade-hidden=off>b</a>",
        head="<style>.x{display:none}</style>",
    )

    assert shown(page) == ["a"]
    assert not page.visibility.is_uncertain(page.anchors[0].node)


def test_attributes_that_browsers_overrule_do_not_decide_either() -> None:
    """A closed dialog or a hidden element that a rule shows carries no mark."""
    page = drawn("<div hidden><a href=/ id=a>a</a></div><dialog><a href=/ id=b>b</a></dialog>")

    assert shown(page) == ["a", "b"]


def test_everything_inside_of_what_is_off_is_hidden() -> None:
    """Marked or not."""
    assert shown(drawn("<div data-pagegrade-hidden=off><p><a href=/ id=a>a</a></p></div>")) == []


def test_what_is_visible_inside_of_what_is_veiled_is_shown() -> None:
    """As `visibility` allows."""
    page = drawn(
        "<div data-pagegrade-hidden=veiled><a href=/ id=a data-pagegrade-hidden=veiled>a</a><a href=/ id=b>b</a></div>"
    )

    assert shown(page) == ["b"]


def test_no_mark_is_left_in_the_document() -> None:
    """Evidence shows the page's own markup."""
    page = drawn("<a href=/ id=a data-pagegrade-hidden=clipped>a</a>")

    assert shown(page) == ["a"]
    assert dict(page.anchors[0].attrs) == {"href": "/", "id": "a"}
    assert page.visibility.is_clipped(page.anchors[0].node)
    assert page.visibility.may_clip(())
    assert not drawn("<a href=/ id=a>a</a>").visibility.may_clip(())
