"""The test of each row of the hostile-input matrix about the service: no row is forgotten.

A row is covered where a test names it. Rows whose test lives under another name, and rows that have to wait, are
listed here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SIZES = {"J": 22, "K": 18, "L": 14, "M": 18, "N": 14, "O": 17, "P": 12, "Q": 10, "S": 10}
"""Letter of a part of the matrix -> its rows; S is of sites that are crawled."""
ROWS = [f"{letter}{number:02d}" for letter, size in SIZES.items() for number in range(1, size + 1)]
NAMED = re.compile(r"\b([J-QS]\d\d)\b")
PACKAGES = {"browser", "contract", "e2e", "fault", "web"}
"""Folders of tests that name rows."""

UNDER_ANOTHER_NAME = {
    "J08": ("render/test_csv.py", "test_no_cell_is_a_formula"),
    "J09": ("render/test_csv.py", "test_whatever_a_page_holds_the_table_keeps_its_shape"),
    "J10": ("report/test_serialize.py", "test_hostile_text_stays_valid_json"),
    "J11": ("render/test_pdf.py", "test_page_text_is_inert"),
    "J13": ("render/test_text.py", "test_page_text_cannot_touch_the_terminal"),
    "J21": ("mcp/test_local_server.py", "test_page_text_is_in_page_data_only"),
    "J22": ("mcp/test_service_tools.py", "test_text_of_a_page_stands_in_page_data_only"),
    "J18": ("web/pages/reports/test_report_page.py", "test_bytes_that_are_no_image_are_never_sent"),
    "K07": ("contract/test_api_matrix.py", "test_every_caller_gets_what_the_rules_say"),
    "L11": ("service/accounts/test_own_keys.py", "test_there_is_an_end_to_how_many_keys_work"),
    "N07": ("store/queue/test_claim.py", "test_many_workers_claim_each_run_once"),
    "N13": ("store/engine/test_sqlite_database.py", "test_twenty_writers_never_see_a_lock"),
    "N14": ("worker/test_worker.py", "test_a_clock_that_jumps_takes_no_live_run"),
    "O08": ("fault/test_browser_crashes.py", "test_a_killed_browser_costs_its_report_nothing_but_its_part"),
    "O16": ("fault/test_cluster_crashes.py", "test_a_database_that_is_restarted_under_load_keeps_every_promise"),
    "P08": ("store/engine/test_postgresql_transactions.py", "test_too_many_connections_are_reported"),
    "P06": ("sandbox/test_pool.py", "test_a_child_that_was_killed_while_idle_is_replaced"),
    "P07": ("store/engine/test_sqlite.py", "test_one_process_only_moves_the_log_into_the_database"),
    "P09": ("fault/test_killed_migrations.py", "test_a_migration_that_is_killed_is_done_at_the_next_start"),
    "P10": ("store/schema/test_migrate.py", "test_a_database_of_a_later_version_is_refused"),
    "P11": ("fault/test_crashes.py", "test_copies_of_a_moment_hold_what_was_promised"),
    "P12": ("store/schema/test_sqlite_inspection.py", "test_the_version_with_safe_checkpoints_is_known"),
    "S01": ("service/audits/test_frontier.py", "test_endless_sites_end"),
    "S02": ("service/runs/test_crawl_page.py", "test_what_a_page_may_cost_is_bounded"),
    "S03": ("service/audits/test_pace.py", "test_a_slow_server_is_asked_more_slowly"),
    "S04": ("site_world/test_hostile_sites.py", "test_no_site_leads_a_crawl_inward"),
    "S05": ("site_world/test_hostile_sites.py", "test_a_million_links_cost_as_much_as_the_first_of_them"),
    "S06": ("service/runs/test_crawl_page.py", "test_each_way_to_name_an_address_is_known"),
    "S07": ("parse/urls/test_identity.py", "test_a_hash_needs_its_key"),
    "S08": ("parse/files/test_sitemap.py", "test_a_bomb_stops_at_the_protocols_limit"),
    "S09": ("service/audits/test_analysis.py", "test_an_analysis_without_memory_fails_with_the_reason"),
    "S10": ("worker/test_slice.py", "test_reports_of_others_start_while_crawls_run"),
    "Q07": ("worker/test_deliver.py", "test_after_a_rotation_either_secret_verifies"),
    "Q08": ("worker/test_deliver.py", "test_a_failed_attempt_is_recorded"),
    "Q05": ("service/audits/test_slice.py", "test_each_url_is_fetched_once_and_robots_txt_is_obeyed"),
    "Q06": ("service/audits/test_pace.py", "test_a_long_crawl_delay_is_obeyed_up_to_thirty_seconds"),
    "Q09": ("service/test_administration.py", "test_nothing_of_monitors_rules_and_webhooks_is_left_after_the_account"),
    "Q10": ("store/queue/test_runs.py", "test_deleting_the_account_cancels_all_its_runs"),
}
"""Row -> (file below ``tests``, test)."""

LATER = {
    "J19": "bodies of analyzed pages are not kept",
    "P03": "pictures are rows of the database: there is no volume of their own",
    "P04": "only browsers write to the temporary folder, and a full one has not been tried",
    "Q04": "a target's Retry-After is not read: at most 20 analyses a minute reach a site, whatever asks for them",
}
"""Row -> why it cannot be covered yet."""


def named_in_tests() -> dict[str, list[str]]:
    """Row -> test files that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        if path != Path(__file__).resolve() and path.relative_to(TESTS).parts[0] in PACKAGES:
            for row in set(NAMED.findall(path.read_text(encoding="utf-8"))):
                found.setdefault(row, []).append(path.relative_to(TESTS).as_posix())
    return found


def test_every_row_is_covered_or_says_why_not() -> None:
    """A new row, or a test that is removed, shows here."""
    covered = named_in_tests().keys() | UNDER_ANOTHER_NAME.keys()

    assert [row for row in ROWS if row not in covered and row not in LATER] == []


def test_no_row_is_excused_that_is_covered() -> None:
    """The list of what has to wait only shrinks."""
    covered = named_in_tests().keys() | UNDER_ANOTHER_NAME.keys()

    assert [row for row in LATER if row in covered] == []
    assert [row for row in (*LATER, *UNDER_ANOTHER_NAME) if row not in ROWS] == []


@pytest.mark.parametrize("row", UNDER_ANOTHER_NAME)
def test_the_test_behind_a_row_exists(row: str) -> None:
    """A test that is renamed takes its row along."""
    path, name = UNDER_ANOTHER_NAME[row]

    assert re.search(rf"^(async )?def {name}\(", (TESTS / path).read_text(encoding="utf-8"), re.MULTILINE) is not None
