"""Complete answers: data in its envelope."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pagegrade.web.schemas.account import Account, ListedKey, MadeKey, Project
from pagegrade.web.schemas.batch import Batch, BatchItem
from pagegrade.web.schemas.check import CatalogueMeta, Check, CheckItem
from pagegrade.web.schemas.ignore import Ignore
from pagegrade.web.schemas.monitor import Monitor
from pagegrade.web.schemas.problem import AnswerWarning
from pagegrade.web.schemas.report import ListedReport, Report
from pagegrade.web.schemas.run import Comparison, Run, RunItem
from pagegrade.web.schemas.shape import URL, Count, Document, about, forget_default, sometimes
from pagegrade.web.schemas.webhook import Delivery, Webhook, WebhookWithSecret

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


class ReportAnswer(Answer):
    """One report."""

    data: Report = about("The report.")


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


class ReportList(CursorListAnswer):
    """Reports."""

    data: list[ListedReport] = about("The reports of this page.")


class RunAnswer(Answer):
    """One run."""

    data: Run = about("The run.")


class RunList(ListAnswer):
    """The runs of a report."""

    data: list[RunItem] = about("The runs of this page.")


class ComparisonAnswer(Answer):
    """Comparison of two runs."""

    data: Comparison = about("The comparison.")


class ProjectAnswer(Answer):
    """One project."""

    data: Project = about("The project.")


class ProjectList(ListAnswer):
    """Projects."""

    data: list[Project] = about("The projects of this page.")


class AccountAnswer(Answer):
    """The account of the caller."""

    data: Account = about("The account.")


class CheckAnswer(Answer):
    """One check."""

    data: Check = about("The check.")


class CheckList(Answer):
    """The whole catalogue of checks."""

    data: list[CheckItem] = about("The checks, in the order of the catalogue.")
    meta: CatalogueMeta = about("Metadata of the catalogue.")


class BatchAnswer(Answer):
    """One batch."""

    data: Batch = about("The batch.")


class BatchList(ListAnswer):
    """Batches."""

    data: list[BatchItem] = about("The batches of this page.")


class DeletedBatch(Deleted):
    """Confirmation that a batch was deleted; its reports are kept."""

    id: int = about("The deleted batch.", 7, ge=1)
    object: Literal["batch"] = about("The kind of object.", "batch")


class IgnoreAnswer(Answer):
    """One ignore rule."""

    data: Ignore = about("The rule.")


class IgnoreList(CursorListAnswer):
    """Ignore rules."""

    data: list[Ignore] = about("The rules of this page.")


class DeletedIgnore(Deleted):
    """Confirmation that an ignore rule was deleted."""

    id: int = about("The deleted rule.", 12, ge=1)
    object: Literal["ignore"] = about("The kind of object.", "ignore")


class KeyAnswer(Answer):
    """One API key."""

    data: ListedKey = about("The key, without its secret.")


class MadeKeyAnswer(Answer):
    """A new API key."""

    data: MadeKey = about("The key, with its secret.")


class KeyList(CursorListAnswer):
    """API keys."""

    data: list[ListedKey] = about("The keys of this page.")


class DeletedKey(Deleted):
    """Confirmation that a key was revoked."""

    id: int = about("The revoked key.", 4, ge=1)
    object: Literal["key"] = about("The kind of object.", "key")


class MonitorAnswer(Answer):
    """One monitor."""

    data: Monitor = about("The monitor.")


class MonitorList(CursorListAnswer):
    """Monitors."""

    data: list[Monitor] = about("The monitors of this page.")


class DeletedMonitor(Deleted):
    """Confirmation that a monitor was deleted; its report is kept."""

    id: int = about("The deleted monitor.", 7, ge=1)
    object: Literal["monitor"] = about("The kind of object.", "monitor")


class WebhookAnswer(Answer):
    """One webhook."""

    data: Webhook = about("The webhook.")


class WebhookSecretAnswer(Answer):
    """One webhook with its secret."""

    data: WebhookWithSecret = about("The webhook.")


class WebhookList(CursorListAnswer):
    """Webhooks."""

    data: list[Webhook] = about("The webhooks of this page.")


class DeletedWebhook(Deleted):
    """Confirmation that a webhook was deleted."""

    id: int = about("The deleted webhook.", 5, ge=1)
    object: Literal["webhook"] = about("The kind of object.", "webhook")


class DeliveryAnswer(Answer):
    """One delivery."""

    data: Delivery = about("The delivery.")


class DeliveryList(CursorListAnswer):
    """Deliveries."""

    data: list[Delivery] = about("The deliveries of this page.")


class DeletedReport(Deleted):
    """Confirmation that a report was deleted."""

    id: int = about("The deleted report.", 1042, ge=1)
    object: Literal["report"] = about("The kind of object.", "report")


class DeletedProject(Deleted):
    """Confirmation that the reports of a project were deleted."""

    project: str = about("The host.", "example.com")
    object: Literal["project"] = about("The kind of object.", "project")
    reports: Count = about("Number of deleted reports.", 14)


class Description(Document):
    """An OpenAPI 3.1 document."""

    openapi: str = about("Version of the OpenAPI Specification.", "3.1.0")
    info: dict[str, Any] = about("Title and version of the API.", {"title": "Pagegrade", "version": "1.0.0"})
    servers: list[dict[str, Any]] = about("URLs of the API.", [{"url": "https://reports.example.org"}])
    tags: list[dict[str, Any]] = about("Groups of operations.", [{"name": "Reports"}])
    paths: dict[str, Any] = about("Operations by path.", {})
    webhooks: dict[str, Any] = about("Requests sent to webhooks.", {})
    components: dict[str, Any] = about("Shared schemas, parameters and answers.", {})
