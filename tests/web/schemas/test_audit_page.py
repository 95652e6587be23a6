"""The JSON objects of pages and links of a crawl have the members that their descriptions name."""

from __future__ import annotations

import msgspec
import pytest

from pagegrade.model.audit import URLState
from pagegrade.service.audits.links import ShownLink
from pagegrade.service.audits.pages import ShownPage
from pagegrade.store.repositories.crawl_segments import LinkRow, PageRow
from pagegrade.store.repositories.crawl_urls import LinkedURL, StoredURL
from pagegrade.web.schemas.audit_page import (
    AuditLink,
    AuditPageDocument,
    AuditPageItem,
    link_object,
    page_item,
    page_object,
)
from tests.api_shapes import assert_described

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")
LINK = LinkRow(from_id=1, to_id=2, kind="a", nofollow=False, place="nav", anchor="Next", hreflang="")


def page(row: PageRow | None, state: URLState = URLState.FETCHED) -> ShownPage:
    """A page of a crawl that links to another one."""
    stored = StoredURL(url_id=1, url="https://a.example/", depth=0, state=state, status=200, error=None, segment=None)
    return ShownPage(stored=stored, row=row, urls={}, links=((LINK, "https://a.example/next"),))


@pytest.mark.parametrize("row", [PageRow(page_id=1, read=True, title="Home"), PageRow(page_id=1), None])
def test_a_page_is_as_it_is_described(row: PageRow | None) -> None:
    """Members of a page that was not read are null."""
    item, whole = msgspec.json.decode(page_item(page(row))), msgspec.json.decode(page_object(page(row)))

    assert_described(AuditPageItem, item)
    assert_described(AuditPageDocument, whole)

    assert item["title"] == ("Home" if row is not None and row.read else None)
    assert [link["url"] for link in whole["links"]] == ["https://a.example/next"]


@pytest.mark.parametrize(
    ("state", "shown", "leads_to"), [(URLState.FETCHED, "fetched", 2), (URLState.OUTSIDE, "outside", None)]
)
def test_a_link_is_as_it_is_described(state: URLState, shown: str, leads_to: int | None) -> None:
    """A target outside of the site has no page."""
    target = LinkedURL(url="https://b.example/", state=state, status=200, is_page=leads_to is not None)
    made = msgspec.json.decode(link_object(ShownLink(id=1, row=LINK, source="https://a.example/", target=target)))

    assert_described(AuditLink, made)

    assert (made["to_state"], made["to_page"]) == (shown, leads_to)
