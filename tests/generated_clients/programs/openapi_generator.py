"""The whole trip with the client that openapi-generator makes: ORIGIN KEY TARGET."""

from __future__ import annotations

import sys
from datetime import datetime

import pagegrade_generated as client


def main(origin: str, key: str, target: str) -> None:
    """Create, list, show, update and delete; an answer that cannot be read raises."""
    with client.ApiClient(client.Configuration(host=origin, access_token=key)) as connection:
        api = client.ReportsApi(connection)
        made = api.create_report(url=target, privacy=1).data
        listed = api.list_reports(per_page=100).data
        shown = api.show_report(made.id).data
        updated = api.update_report(made.id, privacy=2, password="correct horse").data
        patched = api.patch_report(made.id, update_report_body=client.UpdateReportBody(privacy=0)).data
        gone = api.delete_report(made.id)
    if made.id not in [each.id for each in listed] or shown.url != target or not isinstance(shown.created_at, datetime):
        raise SystemExit(f"{made.id} {shown.url} {shown.created_at!r}")
    if (updated.privacy, updated.password, patched.privacy, patched.password) != (2, True, 0, False):
        raise SystemExit(f"{updated} {patched}")
    if not gone.deleted or gone.id != made.id:
        raise SystemExit(f"{gone}")


main(*sys.argv[1:])
