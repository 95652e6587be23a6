"""The answers whole: data in its envelope."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pagegrade.web.schemas.account import Account, Project
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
    """What every success has in common."""

    status: int = about("HTTP status of this answer.", 200, ge=200, le=299)
    warnings: list[AnswerWarning] = sometimes("What the caller should know; only when there is something.")


class Deleted(Document):
    """What every deletion has in common."""

    deleted: bool = about("Always true.", True)  # noqa: FBT003
    status: Literal[200] = about("HTTP status of this answer.", 200)
    warnings: list[AnswerWarning] = sometimes("What the caller should know; only when there is something.")


class Links(Document):
    """Where the other pages of the list are."""

    first: URL = about("The first page.", f"{_LIST}?per_page=10&page=1")
    last: URL = about("The last page.", f"{_LIST}?per_page=10&page=4")
    prev: URL | None = about("The page before; null: this is the first.", None)
    next: URL | None = about("The page after; null: this is the last.", f"{_LIST}?per_page=10&page=2")


class Meta(Document):
    """Which part of the list this is."""

    current_page: int = about("Number of this page, from 1.", 1, ge=1)
    from_: int | None = Field(
        alias="from", description="Number of its first item, from 1; null: it is empty.", examples=[1]
    )
    last_page: int = about("Number of the last page, at least 1.", 4, ge=1)
    path: URL = about("Address of the list.", _LIST)
    per_page: int = about("Items of a page.", 10, ge=1)
    to: int | None = about("Number of its last item; null: it is empty.", 10)
    total: Count = about("Items of all pages.", 37)


class ListAnswer(Answer):
    """What every list has in common."""

    links: Links = about("Where the other pages are.")
    meta: Meta = about("Which part of the list this is.")


class ReportAnswer(Answer):
    """One report."""

    data: Report = about("The report.")


class ReportListLinks(Document):
    """Where the other parts of the list are."""

    first: URL = about("Where the list begins.", f"{_LIST}?per_page=10&page=1")
    last: URL | None = about("The last page; null with `cursor`.", f"{_LIST}?per_page=10&page=4")
    prev: URL | None = about("What comes before; null: nothing does.", None)
    next: URL | None = about("What comes after; null: nothing does.", f"{_LIST}?per_page=10&page=2")


class ReportListMeta(Document):
    """Which part of the list this is; with `cursor` only what is known without counting."""

    current_page: int = sometimes("Not with `cursor`: number of this page, from 1.", 1, ge=1)
    from_: int | None = Field(
        default=None,
        alias="from",
        description="Not with `cursor`: number of the page's first item, from 1; null: the page is empty.",
        examples=[1],
        json_schema_extra=forget_default,
    )
    last_page: int = sometimes("Not with `cursor`: number of the last page, at least 1.", 4, ge=1)
    path: URL = about("Address of the list.", _LIST)
    per_page: int = about("Most items of one answer.", 10, ge=1)
    to: int | None = sometimes("Not with `cursor`: number of the page's last item; null: the page is empty.", 10)
    total: Count = sometimes("Items of the whole list; with `cursor` only if `count=1` asks for it.", 37)


class ReportList(Answer):
    """Reports."""

    links: ReportListLinks = about("Where the other parts are.")
    meta: ReportListMeta = about("Which part of the list this is.")
    data: list[ListedReport] = about("The reports of this page.")


class RunAnswer(Answer):
    """One run."""

    data: Run = about("The run.")


class RunList(ListAnswer):
    """The runs of a report."""

    data: list[RunItem] = about("The runs of this page.")


class ComparisonAnswer(Answer):
    """What changed between two runs."""

    data: Comparison = about("What changed.")


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
    meta: CatalogueMeta = about("About the catalogue.")


class BatchAnswer(Answer):
    """One batch."""

    data: Batch = about("The batch.")


class BatchList(ListAnswer):
    """Batches."""

    data: list[BatchItem] = about("The batches of this page.")


class DeletedBatch(Deleted):
    """The batch is gone; its reports are not."""

    id: int = about("The batch that is gone.", 7, ge=1)
    object: Literal["batch"] = about("The kind of object.", "batch")


class IgnoreAnswer(Answer):
    """One ignore rule."""

    data: Ignore = about("The rule.")


class IgnoreList(ListAnswer):
    """Ignore rules."""

    data: list[Ignore] = about("The rules of this page.")


class DeletedIgnore(Deleted):
    """The rule is gone."""

    id: int = about("The rule that is gone.", 12, ge=1)
    object: Literal["ignore"] = about("The kind of object.", "ignore")


class MonitorAnswer(Answer):
    """One monitor."""

    data: Monitor = about("The monitor.")


class MonitorList(Answer):
    """Monitors."""

    links: ReportListLinks = about("Where the other parts are.")
    meta: ReportListMeta = about("Which part of the list this is.")
    data: list[Monitor] = about("The monitors of this page.")


class DeletedMonitor(Deleted):
    """The monitor is gone; its report is not."""

    id: int = about("The monitor that is gone.", 7, ge=1)
    object: Literal["monitor"] = about("The kind of object.", "monitor")


class WebhookAnswer(Answer):
    """One webhook."""

    data: Webhook = about("The webhook.")


class WebhookSecretAnswer(Answer):
    """One webhook with its secret."""

    data: WebhookWithSecret = about("The webhook.")


class WebhookList(ListAnswer):
    """Webhooks."""

    data: list[Webhook] = about("The webhooks of this page.")


class DeletedWebhook(Deleted):
    """The webhook is gone."""

    id: int = about("The webhook that is gone.", 5, ge=1)
    object: Literal["webhook"] = about("The kind of object.", "webhook")


class DeliveryAnswer(Answer):
    """One delivery."""

    data: Delivery = about("The delivery.")


class DeliveryList(ListAnswer):
    """Deliveries."""

    data: list[Delivery] = about("The deliveries of this page.")


class DeletedReport(Deleted):
    """The report is gone."""

    id: int = about("The report that is gone.", 1042, ge=1)
    object: Literal["report"] = about("The kind of object.", "report")


class DeletedProject(Deleted):
    """The reports of the project are gone."""

    project: str = about("The host.", "example.com")
    object: Literal["project"] = about("The kind of object.", "project")
    reports: Count = about("How many reports there were.", 14)


class Description(Document):
    """An OpenAPI 3.1 document."""

    openapi: str = about("Version of the OpenAPI Specification it follows.", "3.1.0")
    info: dict[str, Any] = about("What it describes.", {"title": "Pagegrade", "version": "1.0.0"})
    servers: list[dict[str, Any]] = about("Where it is.", [{"url": "https://reports.example.org"}])
    tags: list[dict[str, Any]] = about("How its operations are grouped.", [{"name": "Reports"}])
    paths: dict[str, Any] = about("Its operations.", {})
    webhooks: dict[str, Any] = about("Requests that webhooks get.", {})
    components: dict[str, Any] = about("What they share.", {})
