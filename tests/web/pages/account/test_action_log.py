from __future__ import annotations

import csv
import io
from collections.abc import Awaitable
from pathlib import Path

import httpx

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Role
from pagegrade.report.serialize import timestamp
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.members import add_action, add_membership, list_actions
from pagegrade.web.operations import PAGES
from pagegrade.web.pages.account.action_log import KINDS
from pagegrade.web.routes import ALL_OPERATIONS
from tests.store_builders import add_key, add_owner
from tests.web.calling import Instance, with_instance

ACTIONS_OF_PAGES = """
    act_on_selected begin_silence change_admin change_audit_from_form change_quotas change_role check_database
    create_access_page create_audit_from_form create_in_bulk create_report_from_form create_webhook_page
    create_workspace delete_access_page delete_audit_for_good delete_project_for_good delete_report_for_good
    delete_webhook_page disable_account enable_account erase_account erase_workspace give_link ignore_finding
    invite_account invite_to_team leave_team make_own_key record_criterion remove_from_team remove_monitor
    remove_rule rename_workspace retry_delivery_page revoke_own_key rotate_webhook_page run_again save_access_page
    save_audit_sharing save_look save_monitor save_settings start_to_monitor start_to_monitor_audit
    start_to_monitor_many stop_silence switch_webhook test_webhook_page withdraw_invitation
""".split()


def logged(instance: Instance) -> list[tuple[str, int | None]]:
    """Operation and target of each action, the oldest first."""
    found = instance.services.database.read_here(lambda tx: list_actions(tx, instance.alice.id))
    return [(each.operation, each.target) for each in reversed(found)]


def test_the_log_names_who_changed_what(tmp_path: Path) -> None:
    """People and keys, in the language of the reader; a refused change is not in it."""

    async def script(instance: Instance) -> None:
        report = await instance.create("https://example.com/")
        await instance.call("PATCH", f"/api/v1/reports/{report['id']}", json={"privacy": 1})
        await instance.call("PATCH", f"/api/v1/reports/{report['id']}", json={"privacy": 9})
        await instance.page("POST", "/team/invitations", data={"label": "Bob", "role": "2"})
        await instance.page("POST", "/team/invitations", data={"label": "", "role": "2"})
        await instance.page("POST", f"/reports/{report['id']}/delete")
        page = await instance.page("GET", "/team/log")
        german = await instance.page("GET", "/team/log", headers={"Accept-Language": "de"})

        assert logged(instance) == [
            ("patch_report", report["id"]),
            ("invite_to_team", 1),
            ("delete_report_for_good", report["id"]),
        ]
        assert page.status_code == 200
        assert "Change a report or analyze it again" in page.text
        assert f'<a href="/reports/{report["id"]}">' in page.text
        assert "Key <bdi>" in page.text
        assert "<bdi>Alice</bdi>" in page.text
        assert german.status_code == 200

    with_instance(tmp_path, script)


def test_a_request_that_is_repeated_is_one_action(tmp_path: Path) -> None:
    """As it is executed once."""

    async def script(instance: Instance) -> None:
        report = await instance.create("https://example.com/")
        body = {"report_id": report["id"], "schedule": "daily"}
        for _ in range(2):
            answer = await instance.call("POST", "/api/v1/monitors", json=body, headers={"Idempotency-Key": "once"})
            assert answer.status_code < 300

        assert [each[0] for each in logged(instance)] == ["create_monitor"]

    with_instance(tmp_path, script)


def test_the_log_has_pages_and_a_file(tmp_path: Path) -> None:
    """50 actions at a time; the file has all, and an operation of another version by its name."""

    async def script(instance: Instance) -> None:
        caller = Caller(account=instance.alice)

        def fill(tx: Transaction) -> None:
            for number in range(51):
                add_action(tx, caller, operation="of_the_future", target=number, now_ms=now_ms())

        instance.services.database.write_here(fill)
        first = await instance.page("GET", "/team/log")
        older = await instance.page("GET", "/team/log?before=2")
        past = await instance.page("GET", "/team/log?before=1")
        wrong = await instance.page("GET", "/team/log?before=x")
        highest = await instance.page("GET", f"/team/log?before={2**63 - 1}")
        beyond = await instance.page("GET", f"/team/log?before={2**63}")
        file = await instance.page("GET", "/team/log.csv")
        rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))

        assert first.text.count("of_the_future") == 50
        assert '<a href="/team/log?before=2">' in first.text
        assert older.text.count("of_the_future") == 1
        assert "before=" not in older.text
        assert "Nothing older was changed." in past.text
        assert wrong.status_code == 422
        assert [highest.status_code, beyond.status_code] == [200, 422]
        assert len(rows) == 51
        assert [rows[0][name] for name in ("by", "who", "operation", "target")] == [
            *("person", "Alice", "of_the_future"),
            "50",
        ]
        assert "pagegrade-log-" in file.headers["content-disposition"]

    with_instance(tmp_path, script)


def test_the_log_says_what_a_number_is_of(tmp_path: Path) -> None:
    """A noun in front of it, with the same link; the file has the noun in a column."""
    operations = {"save_settings": "Report", "revoke_own_key": "Key", "remove_member": "Member", "of_the_future": ""}

    async def script(instance: Instance) -> None:
        caller = Caller(account=instance.alice)

        def fill(tx: Transaction) -> None:
            for name in operations:
                add_action(tx, caller, operation=name, target=5, now_ms=now_ms())
            add_action(tx, caller, operation="create_report", target=None, now_ms=now_ms())

        instance.services.database.write_here(fill)
        page = await instance.page("GET", "/team/log")
        file = await instance.page("GET", "/team/log.csv")
        rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))

        assert '<a href="/reports/5">Report 5</a>' in page.text
        assert all(f">{noun} 5</td>" in page.text for noun in ("Key", "Member"))
        assert [(row["operation"], row["target_kind"]) for row in rows] == [
            ("create_report", ""),
            *reversed(operations.items()),
        ]

    with_instance(tmp_path, script)


def test_the_log_calls_things_by_their_names(tmp_path: Path) -> None:
    """As they are called now, secrets in URLs masked; what is gone, or of another account, has its number."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/<a>?token=secret")
        body = {"report_id": 1, "schedule": "daily"}
        made = await instance.call("POST", "/api/v1/monitors", json=body)
        assert made.status_code == 201, made.text
        caller, database = Caller(account=instance.alice), instance.services.database
        bob, _ = add_owner(database, "Bob")
        key, _ = add_key(database, instance.alice.id, name="Build #7?x=y")
        foreign, _ = add_key(database, bob.id, name="Foreign")
        done = [
            ("save_settings", 1),
            ("save_settings", 99),
            ("update_monitor", made.json()["data"]["id"]),
            ("revoke_own_key", key.id),
            ("revoke_own_key", foreign.id),
            ("remove_member", bob.id),
        ]

        def fill(tx: Transaction) -> None:
            for name, target in done:
                add_action(tx, caller, operation=name, target=target, now_ms=now_ms())

        database.write_here(fill)
        page = await instance.page("GET", "/team/log")
        file = await instance.page("GET", "/team/log.csv")
        rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))
        url = "https://example.com/%3Ca%3E?token=…"

        assert [row["target_name"] for row in reversed(rows)][-6:] == [url, "", url, "Build #7?x=y", "", "Bob"]
        assert f'<a href="/reports/1">Report <bdi>{url}</bdi></a>' in page.text
        assert '<a href="/reports/99">Report 99</a>' in page.text
        assert "Key <bdi>Build #7?x=y</bdi>" in page.text
        assert "secret" not in page.text + file.text
        assert "Foreign" not in page.text + file.text

    with_instance(tmp_path, script)


def test_every_target_of_an_action_has_a_noun() -> None:
    """All operations on an object with a number."""
    unnamed = [
        each.name
        for each in ALL_OPERATIONS
        if each.is_action and "{id}" in each.path and not KINDS.keys() & set(each.path.split("/"))
    ]

    assert unnamed == []


def test_editors_do_not_see_the_log(tmp_path: Path) -> None:
    """Nor the link to it."""

    async def script(instance: Instance) -> None:
        bob, _ = add_owner(instance.services.database, "Bob")
        instance.services.database.write_here(
            lambda tx: add_membership(tx, instance.alice.id, bob.id, Role.EDITOR, now_ms())
        )
        cookie = await instance.sign_in(bob)
        await instance.call("POST", "/team/open", key=None, headers=cookie, data={"workspace": str(instance.alice.id)})
        team = await instance.call("GET", "/team", key=None, headers=cookie)
        log = await instance.call("GET", "/team/log", key=None, headers=cookie)

        assert "Alice" in team.text
        assert "/team/log" not in team.text
        assert log.status_code == 403
        assert logged(instance) == []

    with_instance(tmp_path, script)


def test_every_action_has_a_name_that_is_stored() -> None:
    """In a column of 64 characters."""
    names = [each.name for each in ALL_OPERATIONS if each.is_action]

    assert "delete_report" in names
    assert max(map(len, names)) <= 64


def test_the_names_of_actions_on_pages_stay() -> None:
    """Many are those of their handlers; rows that are stored under another name would lose their title and link."""
    assert sorted(each.name for each in ALL_OPERATIONS if each.is_action and each.tag == PAGES) == ACTIONS_OF_PAGES


def test_the_log_names_notifications_batches_rules_silences_and_invitations(tmp_path: Path) -> None:
    """Of the address of a chat channel the host alone: its path lets write to it."""

    async def script(instance: Instance) -> None:
        def call(path: str, body: dict[str, object]) -> Awaitable[httpx.Response]:
            return instance.call("POST", f"/api/v1/{path}", json=body)

        until = timestamp(now_ms() + 3_600_000)
        made = [
            await call("webhooks", {"url": "https://hooks.example.com/services/T0/secret"}),
            await call("batches", {"urls": ["https://a.example/?token=secret", "https://b.example/"]}),
            await call("ignores", {"check": "image-alt", "reason": "Known."}),
            await call("monitors", {"tag": "client a", "schedule": "daily"}),
            await call("silences", {"monitor_id": 1, "reason": "Move.", "until": until}),
            await call("silences", {"project": "a.example", "reason": "Move.", "until": until}),
        ]
        invited = await instance.page("POST", "/team/invitations", data={"label": "Bob <b>", "role": "2"})
        names = [
            *("delete_webhook", "delete_batch", "delete_ignore"),
            *("update_monitor", "end_silence", "end_silence", "delete_invitation"),
        ]
        assert [each.status_code // 100 for each in made] == [2] * 6, [each.text for each in made]
        targets = [*(each.json()["data"]["id"] for each in made), 1]
        caller, database = Caller(account=instance.alice), instance.services.database

        def fill(tx: Transaction) -> None:
            for name, target in zip(names, targets, strict=True):
                add_action(tx, caller, operation=name, target=target, now_ms=now_ms())

        database.write_here(fill)
        page = (await instance.page("GET", "/team/log")).text
        file = await instance.page("GET", "/team/log.csv")
        rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))

        assert invited.status_code == 200
        assert [row["target_name"] for row in rows[:7]][::-1] == [
            "hooks.example.com",
            "https://a.example/?token=…",
            "image-alt",
            "client a",
            "client a",
            "a.example",
            "Bob <b>",
        ]
        assert "secret" not in page + file.text
        assert "Bob &lt;b&gt;" in page

    with_instance(tmp_path, script)
