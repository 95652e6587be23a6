"""The envelope of answers: what lists, single objects and deletions have around their data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pagegrade.web.schemas.problem import AnswerWarning
from pagegrade.web.schemas.shape import URL, Count, Document, about, forget_default, sometimes

_LIST = "https://reports.example.org/api/v1/reports"


class Answer(Document):
    """Members of every successful answer."""

    status: int = about("HTTP status of this answer.", 200, ge=200, le=299)
    warnings: list[AnswerWarning] = sometimes("Warnings about the request; absent if there are none.")


class Deleted(Document):
    """Members of every answer to a deletion."""

    deleted: bool = about("Always true.", True)  # noqa: FBT003
    status: Literal[200] = about("HTTP status of this answer.", 200)
    warnings: list[AnswerWarning] = sometimes("Warnings about the request; absent if there are none.")


class Links(Document):
    """Links to other pages of the list."""

    first: URL = about("The first page.", f"{_LIST}?per_page=10&page=1")
    last: URL = about("The last page.", f"{_LIST}?per_page=10&page=4")
    prev: URL | None = about("The previous page; null on the first page.", None)
    next: URL | None = about("The next page; null on the last page.", f"{_LIST}?per_page=10&page=2")


class Meta(Document):
    """Position of this page in the list."""

    current_page: int = about("Number of this page, from 1.", 1, ge=1)
    from_: int | None = Field(
        alias="from", description="Number of the page's first item, from 1; null if the page is empty.", examples=[1]
    )
    last_page: int = about("Number of the last page, at least 1.", 4, ge=1)
    path: URL = about("URL of the list.", _LIST)
    per_page: int = about("Maximum number of items of a page.", 10, ge=1)
    to: int | None = about("Number of the page's last item; null if the page is empty.", 10)
    total: Count = about("Number of items of all pages.", 37)


class ListAnswer(Answer):
    """Members of every answer with a list."""

    links: Links = about("Links to other pages of the list.")
    meta: Meta = about("Position of this page in the list.")


class ReportListLinks(Document):
    """Links to other parts of the list."""

    first: URL = about("Beginning of the list.", f"{_LIST}?per_page=10&page=1")
    last: URL | None = about("The last page; null with `cursor`.", f"{_LIST}?per_page=10&page=4")
    prev: URL | None = about("The previous part; null on the first one.", None)
    next: URL | None = about("The next part; null on the last one.", f"{_LIST}?per_page=10&page=2")


class ReportListMeta(Document):
    """Position of this page in the list; with `cursor` only the members that are known without counting."""

    current_page: int = sometimes("Not with `cursor`: number of this page, from 1.", 1, ge=1)
    from_: int | None = Field(
        default=None,
        alias="from",
        description="Not with `cursor`: number of the page's first item, from 1; null: the page is empty.",
        examples=[1],
        json_schema_extra=forget_default,
    )
    last_page: int = sometimes("Not with `cursor`: number of the last page, at least 1.", 4, ge=1)
    path: URL = about("URL of the list.", _LIST)
    per_page: int = about("Maximum number of items of an answer.", 10, ge=1)
    to: int | None = sometimes("Not with `cursor`: number of the page's last item; null: the page is empty.", 10)
    total: Count = sometimes("Items of the whole list; with `cursor` only if `count=1` asks for it.", 37)


class CursorListAnswer(Answer):
    """Members of every answer with a part of a list, by page or by cursor."""

    links: ReportListLinks = about("Links to other parts of the list.")
    meta: ReportListMeta = about("Position of this page in the list.")
