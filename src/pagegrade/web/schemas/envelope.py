"""The envelope of answers: what lists, single objects and deletions have around their data."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType, field

from pagegrade.model.schema import URL, Count, about
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.schemas.shape import Document

_LIST = "https://reports.example.org/api/v1/reports"


class Answer(Document, frozen=True, kw_only=True):
    """Members of every successful answer."""

    status: Annotated[int, about("HTTP status of this answer.", 200, minimum=200, maximum=299)]
    warnings: (
        Annotated[list[RequestWarning], about("Warnings about the request; absent if there are none.")] | UnsetType
    ) = UNSET


class Deleted(Document, frozen=True, kw_only=True):
    """Members of every answer to a deletion."""

    deleted: Annotated[bool, about("Always true.", True)] = True  # noqa: FBT003
    status: Annotated[Literal[200], about("HTTP status of this answer.", 200)] = 200
    warnings: (
        Annotated[list[RequestWarning], about("Warnings about the request; absent if there are none.")] | UnsetType
    ) = UNSET


class Links(Document, frozen=True, kw_only=True):
    """Links to other pages of the list."""

    first: Annotated[URL, about("The first page.", f"{_LIST}?per_page=10&page=1")]
    last: Annotated[URL, about("The last page.", f"{_LIST}?per_page=10&page=4")]
    prev: Annotated[URL | None, about("The previous page; null on the first page.", None)]
    next: Annotated[URL | None, about("The next page; null on the last page.", f"{_LIST}?per_page=10&page=2")]


class Meta(Document, frozen=True, kw_only=True):
    """Position of this page in the list."""

    current_page: Annotated[int, about("Number of this page, from 1.", 1, minimum=1)]
    from_: Annotated[int | None, about("Number of the page's first item, from 1; null if the page is empty.", 1)] = (
        field(name="from")
    )
    last_page: Annotated[int, about("Number of the last page, at least 1.", 4, minimum=1)]
    path: Annotated[URL, about("URL of the list.", _LIST)]
    per_page: Annotated[int, about("Maximum number of items of a page.", 10, minimum=1)]
    to: Annotated[int | None, about("Number of the page's last item; null if the page is empty.", 10)]
    total: Annotated[Count, about("Number of items of all pages.", 37)]


class ListAnswer(Answer, frozen=True, kw_only=True):
    """Members of every answer with a list."""

    links: Annotated[Links, about("Links to other pages of the list.")]
    meta: Annotated[Meta, about("Position of this page in the list.")]


class ReportListLinks(Document, frozen=True, kw_only=True):
    """Links to other parts of the list."""

    first: Annotated[URL, about("Beginning of the list.", f"{_LIST}?per_page=10&page=1")]
    last: Annotated[URL | None, about("The last page; null with `cursor`.", f"{_LIST}?per_page=10&page=4")]
    prev: Annotated[URL | None, about("The previous part; null on the first one.", None)]
    next: Annotated[URL | None, about("The next part; null on the last one.", f"{_LIST}?per_page=10&page=2")]


class ReportListMeta(Document, frozen=True, kw_only=True):
    """Position of this page in the list; with `cursor` only the members that are known without counting."""

    current_page: Annotated[int, about("Not with `cursor`: number of this page, from 1.", 1, minimum=1)] | UnsetType = (
        UNSET
    )
    from_: (
        Annotated[
            int | None, about("Not with `cursor`: number of the page's first item, from 1; null: the page is empty.", 1)
        ]
        | UnsetType
    ) = field(default=UNSET, name="from")
    last_page: (
        Annotated[int, about("Not with `cursor`: number of the last page, at least 1.", 4, minimum=1)] | UnsetType
    ) = UNSET
    path: Annotated[URL, about("URL of the list.", _LIST)]
    per_page: Annotated[int, about("Maximum number of items of an answer.", 10, minimum=1)]
    to: (
        Annotated[int | None, about("Not with `cursor`: number of the page's last item; null: the page is empty.", 10)]
        | UnsetType
    ) = UNSET
    total: (
        Annotated[Count, about("Items of the whole list; with `cursor` only if `count=1` asks for it.", 37)] | UnsetType
    ) = UNSET


class CursorListAnswer(Answer, frozen=True, kw_only=True):
    """Members of every answer with a part of a list, by page or by cursor."""

    links: Annotated[ReportListLinks, about("Links to other parts of the list.")]
    meta: Annotated[ReportListMeta, about("Position of this page in the list.")]
