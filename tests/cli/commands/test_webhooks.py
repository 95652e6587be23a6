from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.command_line import CommandLine

URL = "https://hook.example/in"


@pytest.fixture
def run(command_line: CommandLine) -> CommandLine:
    """A command line on a database with one account."""
    command_line("migrate")
    return command_line


def listed(run: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    """A list as a program reads it."""
    found: list[dict[str, Any]] = json.loads(run("webhooks", *arguments, "--format", "json").out)
    return found


def test_a_webhook_is_created_listed_changed_and_deleted(run: CommandLine) -> None:
    """A script can take its id and its secret, which no list shows."""
    made = run("webhooks", "create", URL, "--event", "report.failed", "--project", "Example.com")
    (entry,) = listed(run, "list")
    rotated = run("webhooks", "rotate", "1")
    changed = run("webhooks", "change", "1", "--url", f"{URL}/2", "--event", "report.completed", "--disable")
    (disabled,) = listed(run, "list")
    table = run("webhooks", "list").out
    enabled = run("webhooks", "change", "1", "--enable")
    deleted = run("webhooks", "delete", "1")
    number, secret = made.out.split()

    assert (number, secret[:6], rotated.out[:6]) == ("1", "whsec_", "whsec_")
    assert rotated.out.strip() != secret
    assert (entry["url"], entry["events"], entry["project"]) == (URL, ["report.failed"], "example.com")
    assert "whsec_" not in table + json.dumps([entry, disabled])
    assert (disabled["status"], disabled["url"]) == ("by_owner", f"{URL}/2")
    assert disabled["events"] == ["report.completed"]
    assert table.splitlines()[1].split()[:3] == ["1", "webhook", "by_owner"]
    assert [each.code for each in (changed, enabled, deleted)] == [0, 0, 0]
    assert listed(run, "list") == []


def test_a_test_event_waits_and_is_sent_again(run: CommandLine) -> None:
    """Until a server or a worker sends it."""
    run("webhooks", "create", URL)
    tested = run("webhooks", "test", "1")
    again = run("webhooks", "retry", "1", "1")
    (delivery,) = listed(run, "deliveries", "1")
    table = run("webhooks", "deliveries", "1").out

    assert (tested.out, again.code) == ("1\n", 0)
    assert (delivery["type"], delivery["state"], delivery["attempts"]) == ("webhook.test", "waiting", 0)
    assert delivery["webhook_id"].startswith("msg_")
    assert table.splitlines()[1].split()[:2] == ["1", "webhook.test"]


def test_a_chat_channel_has_no_secret_and_its_url_is_hidden(run: CommandLine) -> None:
    """The URL is one itself."""
    made = run("webhooks", "create", "https://hooks.slack.example/services/T0/B0/secret", "--kind", "slack")
    (entry,) = listed(run, "list")

    assert made.out == "1\n"
    assert entry["url"] == "https://hooks.slack.example/…"
    assert run("webhooks", "rotate", "1").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create", "http://10.0.0.1/"), "not a public one"),
        (("create", URL, "--kind", "pigeon"), "one of webhook"),
        (("create", URL, "--event", "report.lost"), "one or more of"),
        (("create", "a@example.org", "--kind", "email"), "sends no e-mail"),
        (("change", "7", "--disable"), "no webhook 7"),
        (("rotate", "7"), "no webhook 7"),
        (("test", "7"), "no webhook 7"),
        (("deliveries", "7"), "no webhook 7"),
        (("retry", "7", "1"), "no webhook 7"),
        (("delete", "7"), "no webhook 7"),
        (("list", "--format", "xml"), "no format"),
    ],
)
def test_what_cannot_be_done_is_said(run: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    """With status 2, and nothing is created."""
    refused = run("webhooks", *arguments)

    assert (refused.code, refused.out) == (2, "")
    assert message in " ".join(refused.err.split())
    assert listed(run, "list") == []
