"""The whole trip with the client that openapi-python-client makes: ORIGIN KEY TARGET."""

from __future__ import annotations

import sys
from datetime import datetime

from pagegrade_generated import AuthenticatedClient
from pagegrade_generated.api.reports import create_report, delete_report, list_reports, show_report, update_report
from pagegrade_generated.models import (
    CreateReportForm,
    CreateReportFormPrivacy,
    ListReportsPerPage,
    UpdateReportForm,
    UpdateReportFormPrivacy,
    UpdateReportMultipart,
    UpdateReportMultipartPrivacy,
)


def main(origin: str, key: str, target: str) -> None:
    """Create, list, show, update by every kind of body and delete; an undescribed answer raises."""
    with AuthenticatedClient(base_url=origin, token=key, raise_on_unexpected_status=True, timeout=60.0) as client:
        made = create_report.sync(
            client=client, body=CreateReportForm(url=target, privacy=CreateReportFormPrivacy.VALUE_1)
        ).data
        listed = list_reports.sync(client=client, per_page=ListReportsPerPage.VALUE_100).data
        shown = show_report.sync(made.id, client=client).data
        bodies = (
            UpdateReportForm(privacy=UpdateReportFormPrivacy.VALUE_2, password="correct horse"),
            UpdateReportMultipart(privacy=UpdateReportMultipartPrivacy.VALUE_1),
            UpdateReportForm(),
        )
        privacies = [update_report.sync(made.id, client=client, body=body).data.privacy for body in bodies]
        gone = delete_report.sync(made.id, client=client)
    if made.id not in [each.id for each in listed] or shown.url != target or not isinstance(shown.created_at, datetime):
        raise SystemExit(f"{made.id} {shown.url} {shown.created_at!r}")
    if privacies != [2, 1, 1] or not gone.deleted or gone.id != made.id:
        raise SystemExit(f"{privacies} {gone}")


main(*sys.argv[1:])
