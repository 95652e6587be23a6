"""Rows that are stored of one request."""

from __future__ import annotations

import msgspec
import pytest

from pagegrade.model.audit import Link, PageRecord, URLState, WaitingURL
from pagegrade.service.audits.visits import (
    ASSET,
    MAX_TRIES,
    RETRY_LANE,
    Visit,
    content_of,
    digest_of,
    name_of,
    segments_of,
    settled_of,
)
from pagegrade.store.repositories.crawl_segments import LinkRow, pack_segment

ROW = WaitingURL(7, "http://example.com/tea", 0, 3, 1, 0, 0)


@pytest.mark.parametrize("tries", range(MAX_TRIES))
def test_a_url_without_an_answer_is_tried_three_times(tries: int) -> None:
    """Each time behind more of the others, then it has failed."""
    row = WaitingURL(7, ROW.url, 0, 3, 1, 0, tries)
    settled = settled_of(Visit(row=row, state=URLState.WAITING, error="timeout"), 4)

    assert settled.state is (URLState.WAITING if tries + 1 < MAX_TRIES else URLState.FAILED)
    assert (settled.lane, settled.tries, settled.error) == (RETRY_LANE + tries, tries + 1, "timeout")


@pytest.mark.parametrize("state", [URLState.FETCHED, URLState.BLOCKED, URLState.VARIANT])
def test_what_has_an_end_is_not_tried_again(state: URLState) -> None:
    """A page is in the segment of its batch; what was not fetched is in none."""
    settled = settled_of(Visit(row=ROW, state=state), 4)

    assert (settled.state, settled.tries) == (state, 0)
    assert settled.segment == (4 if state is URLState.FETCHED else None)


def test_content_is_signed_as_databases_store_it() -> None:
    """64 bits; a page without content has none."""
    page = Visit(row=ROW, state=URLState.FETCHED, record=PageRecord(digest=(1 << 64) - 1))

    assert (digest_of(page), content_of(page)) == (-1, (3, -1))
    assert content_of(Visit(row=ROW, state=URLState.FETCHED, record=PageRecord())) == (3, 0)


def test_links_of_a_page_lead_to_ids() -> None:
    """A file is another target than a page of the same URL; what got no id is left out."""
    file, page = (Link("http://example.com/a.css", kind) for kind in ("asset", "a"))
    lost = Link("http://example.com/lost", "a")
    record = PageRecord(title="Tea", links=(file, page, lost))
    ids = {name_of(file): 8, name_of(page): 9}
    kept = segments_of([Visit(row=ROW, state=URLState.FETCHED, record=record)], ids, [], "", [])
    rows = [(7, to, kind, False, "main", "", "") for to, kind in ((8, "asset"), (9, "a"))]

    assert name_of(file) == ASSET + name_of(page)
    assert set(kept) == {"pages", "links"}
    assert kept["links"] == pack_segment(msgspec.convert(rows, list[LinkRow]))
