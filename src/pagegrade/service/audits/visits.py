"""The outcome of one request of a crawl, and the rows that are stored of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.audit import Link, PageRecord, SettledURL, Sheet, URLState, WaitingURL
from pagegrade.store.repositories.crawl_segments import (
    FoundRow,
    LinkRow,
    PageRow,
    Row,
    SegmentKind,
    SitemapRow,
    pack_segment,
)

ASSET: Final = "asset "
"""Before the name of a file that pages load where it stands among URLs: a link to the same URL is another row."""
MAX_TRIES: Final = 3
RETRY_LANE: Final = 3
_RECORD_FIELDS: Final = frozenset(PageRecord.__struct_fields__)


class Visit(msgspec.Struct, kw_only=True):
    """Outcome of one waiting URL."""

    row: WaitingURL
    state: URLState
    """``WAITING``: it is to be tried again."""
    status: int | None = None
    error: str = ""
    redirect: str = ""
    content_type: str = ""
    bytes: int = 0
    time_ms: float = 0.0
    record: PageRecord | None = None
    validator: str = ""
    seen: int = 0
    """This and the one before as of ``PageRow``."""
    carried: PageRow | None = None
    """Of the crawl before, whose ``record`` this is; it says also in which crawl it was read."""


def settled_of(visit: Visit, segment: int) -> SettledURL:
    """The state that is stored of a URL: its end, and where its page is kept, or when it is tried again."""
    row = visit.row
    digest = digest_of(visit)
    if visit.state in {URLState.FETCHED, URLState.BLOCKED, URLState.VARIANT}:
        place = segment if visit.state is URLState.FETCHED else None
        return SettledURL(
            row.url_id, visit.state, row.lane, row.tries, visit.status, visit.error or None, digest, place
        )
    tries = row.tries + 1
    state = visit.state if visit.state is not URLState.WAITING or tries < MAX_TRIES else URLState.FAILED
    if state is URLState.THROTTLED and tries < MAX_TRIES:
        state = URLState.WAITING
    # At once, at the end of the others, at the end of all.
    lane = max(row.lane, RETRY_LANE + tries - 1)
    return SettledURL(row.url_id, state, lane, tries, visit.status, visit.error or None, digest)


def digest_of(visit: Visit) -> int | None:
    """Of the main content of a page, as databases store it."""
    return _signed(visit.record.digest) if visit.record is not None and visit.record.digest else None


def content_of(visit: Visit) -> tuple[int, int]:
    """Pattern and main content of a page."""
    return visit.row.pattern_no, digest_of(visit) or 0


def segments_of(
    visits: Sequence[Visit],
    ids: Mapping[str, int],
    listed: Sequence[tuple[str, str]],
    file: str,
    sheets: Sequence[Sheet],
) -> dict[SegmentKind, bytes]:
    """The rows that are kept of the pages of a batch, and of a sitemap."""
    links: list[Row] = []
    findings: list[Row] = []
    for visit in visits:
        if visit.redirect:
            links.append(_link_row(visit.row.url_id, Link(visit.redirect, "redirect"), ids))
        if visit.record is not None:
            links += [_link_row(visit.row.url_id, link, ids) for link in visit.record.links if name_of(link) in ids]
            if visit.record.found:
                findings.append(FoundRow(visit.row.url_id, visit.record.found))
    kinds: dict[SegmentKind, Sequence[Row]] = {
        "pages": [_page_row(visit, ids) for visit in visits],
        "links": links,
        "found": findings,
        "sitemap": [SitemapRow(ids[url], lastmod, file) for url, lastmod in listed],
        "sheets": sheets,
    }
    return {kind: pack_segment(rows) for kind, rows in kinds.items() if rows}


def _page_row(visit: Visit, ids: Mapping[str, int]) -> PageRow:
    record = visit.record
    row = PageRow(
        page_id=visit.row.url_id,
        redirect_id=ids.get(visit.redirect),
        content_type=visit.content_type,
        bytes=visit.bytes,
        time_ms=visit.time_ms,
        validator=visit.validator,
        seen=visit.seen,
    )
    if visit.carried is not None:
        marks = ("content_type", "bytes", "time_ms", "validator", "seen", "carried_from")
        row = replace(row, **{name: getattr(visit.carried, name) for name in marks})
    if record is None:
        return row
    same = {name: getattr(record, name) for name in PageRow.__struct_fields__ if name in _RECORD_FIELDS}
    return replace(
        row,
        read=not record.refusal,
        unread=bool(record.unread_sheets),
        canonical_id=ids.get(record.canonical),
        next_id=ids.get(record.next),
        prev_id=ids.get(record.prev),
        **same,
    )


def name_of(link: Link) -> str:
    """The name of a target among those of a batch."""
    return ASSET + link.url if link.kind == "asset" else link.url


def _link_row(from_id: int, link: Link, ids: Mapping[str, int]) -> LinkRow:
    kept = (link.kind, link.nofollow, link.place, link.anchor, link.hreflang, link.session, link.hidden)
    return LinkRow(from_id, ids[name_of(link)], *kept)


def _signed(number: int) -> int:
    """A number of 64 bits as databases store it."""
    return number - (1 << 64) if number >> 63 else number
