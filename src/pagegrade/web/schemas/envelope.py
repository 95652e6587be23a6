"""The envelope of answers: what lists, single objects and deletions have around their data; problems (RFC 9457)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from pagegrade.model.schema import URL, Count, about
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.schemas.shape import D, Document

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


class DeletedObject(Deleted, frozen=True, kw_only=True):
    """Members of every answer to the deletion of an object with a number."""

    id: Annotated[int, about("The deleted object.", 4, minimum=1)]
    object: Annotated[str, about("The kind of object.", "report")] = ""


def answer_with(name: str, data: type[Struct], description: str, of_data: str) -> type[Answer]:
    """Declare the answer with an object."""
    return _answer(name, data, description, of_data, Answer)


def numbered_list(name: str, item: type[Struct], description: str, of_data: str) -> type[Answer]:
    """Declare the answer with a page of a list."""
    return _answer(name, list[item], description, of_data, ListAnswer)  # type: ignore[valid-type]


def cursor_list(name: str, item: type[Struct], description: str, of_data: str) -> type[Answer]:
    """Declare the answer with a part of a list, by page or by cursor."""
    return _answer(name, list[item], description, of_data, CursorListAnswer)  # type: ignore[valid-type]


def deleted(name: str, kind: str, happened: str, of_id: str, example: int) -> type[DeletedObject]:
    """Declare the answer to the deletion of an object of a kind."""
    return _declared(
        name,
        DeletedObject,
        f"Confirmation that {happened}.",
        ("id", Annotated[int, about(of_id, example, minimum=1)]),
        ("object", Annotated[Literal.__getitem__(kind), about("The kind of object.", kind)], kind),
    )


def _answer(name: str, data: Any, description: str, of_data: str, base: type[Answer]) -> type[Answer]:
    return _declared(name, base, description, ("data", Annotated[data, about(of_data)]))


def _declared(name: str, base: type[D], description: str, *fields: Any) -> type[D]:
    made: Any = msgspec.defstruct(
        name, fields, bases=(base,), namespace={"__doc__": description}, module=__name__, frozen=True, kw_only=True
    )
    return made  # type: ignore[no-any-return]


class ProblemViolation(Document, frozen=True, kw_only=True):
    """Violation of one field, for programs."""

    field: Annotated[str, about("Name of the field.", "privacy")]
    in_: Annotated[Literal["query", "body"], about("Place of the field in the request.", "body")] = msgspec.field(
        name="in"
    )
    code: Annotated[str, about("Stable code of the violation.", "not_in")]
    allowed: Annotated[list[str | int], about("The values there are.", [0, 1, 2])] | UnsetType = UNSET
    limit: Annotated[int, about("The bound that was crossed.", 2048)] | UnsetType = UNSET


class Problem(Document, frozen=True, kw_only=True):
    """Reason why the request failed. Match on `code`; the sentences may change."""

    type: Annotated[
        URL, about("A page that explains this kind of problem.", "https://reports.example.org/problems/not-found")
    ]
    title: Annotated[str, about("Name of the kind of problem.", "Not found")]
    status: Annotated[int, about("HTTP status of the answer.", 404, minimum=400, maximum=599)]
    detail: Annotated[str, about("Description of the problem and its solution.", "There is nothing here.")]
    instance: Annotated[str, about("Path of the request.", "/api/v1/reports/7")]
    code: Annotated[str, about("Stable name of the kind of problem.", "not_found")]
    message: Annotated[str, about("The same as `detail`.", "There is nothing here.")]
    request_id: Annotated[
        str, about("Identifies the request in the logs; include it in bug reports.", "5f0d9c1be2a74c33")
    ]


class ValidationProblem(Problem, frozen=True, kw_only=True):
    """Problem of a request with fields that are not valid."""

    errors: Annotated[dict[str, list[str]], about("Messages by field.", {"privacy": ["Must be one of 0, 1, 2."]})]
    violations: Annotated[list[ProblemViolation], about("The same as codes, for programs.")]
