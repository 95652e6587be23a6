"""Webhooks over the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.model.webhooks import EVENT_TYPES, MAX_WEBHOOKS
from pagegrade.parse.mail import read_server
from pagegrade.service.options import MailOptions
from tests.web.calling import BASE_URL, Instance, with_instance

WEBHOOKS = "/api/v1/webhooks"
HOOK: dict[str, Any] = {"url": "https://hook.example/path?x=1", "events": ["report.failed"]}
MAIL = MailOptions(server=read_server("smtp://mail.example"), sender="a@example.org", domains=("example.org",))


def test_a_webhook_is_created_shown_listed_changed_and_deleted(tmp_path: Path) -> None:
    """Its secret is in the first answer only."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", WEBHOOKS, json={**HOOK, "project": "WWW.Example.com"})
        place = made.headers["location"].removeprefix(BASE_URL)
        tag = made.headers["etag"]
        return [
            made,
            await instance.call("GET", place),
            await instance.call("GET", place, headers={"If-None-Match": tag}),
            await instance.call("GET", WEBHOOKS),
            await instance.call("PUT", place, json={"events": ["report.completed"]}, headers={"If-Match": tag}),
            await instance.call("PUT", place, json={"disabled": 1}, headers={"If-Match": tag}),
            await instance.call("DELETE", place, headers={"If-Match": tag}),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, shown, same, listed, changed, lost, kept, deleted, gone = with_instance(tmp_path, script)
    data = made.json()["data"]
    secret = data.pop("secret")

    assert [each.status_code for each in (made, shown, same)] == [201, 200, 304]
    assert made.headers["cache-control"] == "no-store"
    assert secret.startswith("whsec_")
    assert shown.json()["data"] == data
    assert listed.json()["data"] == [data]
    assert (data["project"], data["kind"], data["events"]) == ("example.com", "webhook", ["report.failed"])
    assert changed.json()["data"]["events"] == ["report.completed"]
    assert (lost.status_code, kept.status_code) == (412, 412)
    assert (deleted.json()["deleted"], gone.status_code) == (True, 404)


def test_a_repeated_request_makes_one_webhook(tmp_path: Path) -> None:
    """Its secret was shown before."""

    async def script(instance: Instance) -> list[httpx.Response]:
        headers = {"Idempotency-Key": "one"}
        return [await instance.call("POST", WEBHOOKS, json=HOOK, headers=headers) for _ in range(2)]

    first, second = with_instance(tmp_path, script)

    assert first.json()["data"]["id"] == second.json()["data"]["id"]
    assert second.headers["idempotency-replayed"] == "true"
    assert second.json()["data"]["secret"] is None


def test_a_rotation_shows_a_new_secret(tmp_path: Path) -> None:
    """Chat channels have none."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", WEBHOOKS, json=HOOK)
        await instance.call("POST", WEBHOOKS, json={**HOOK, "kind": "slack"})
        return [made, *[await instance.call("POST", f"{WEBHOOKS}/{number}/rotate") for number in (1, 2)]]

    made, rotated, refused = with_instance(tmp_path, script)

    assert rotated.status_code == 200
    assert rotated.json()["data"]["secret"] != made.json()["data"]["secret"]
    assert refused.status_code == 404


def test_a_test_is_a_delivery_that_can_be_sent_again(tmp_path: Path) -> None:
    """Not to a webhook that is disabled."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.call("POST", WEBHOOKS, json=HOOK)
        tested = await instance.call("POST", f"{WEBHOOKS}/1/test")
        again = await instance.call("POST", f"{WEBHOOKS}/1/deliveries/1/retry")
        log = await instance.call("GET", f"{WEBHOOKS}/1/deliveries")
        await instance.call("PUT", f"{WEBHOOKS}/1", json={"disabled": 1})
        refused = [await instance.call("POST", f"{WEBHOOKS}/1/{path}") for path in ("test", "deliveries/1/retry")]
        enabled = await instance.call("PUT", f"{WEBHOOKS}/1", json={"disabled": 0})
        return [tested, again, log, enabled, *refused]

    tested, again, log, enabled, *refused = with_instance(tmp_path, script)
    (delivery,) = log.json()["data"]

    assert (tested.status_code, again.status_code) == (202, 202)
    assert delivery["type"] == "webhook.test"
    assert delivery["webhook_id"].startswith("msg_")
    assert (delivery["state"], delivery["attempts"], delivery["answer"]) == ("waiting", 0, None)
    assert [each.status_code for each in refused] == [404, 404]
    assert enabled.json()["data"]["disabled"] is False


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"url": None}, "url", "required"),
        ({"url": "ftp://hook.example/"}, "url", "scheme_not_allowed"),
        ({"url": "https://user:pw@hook.example/"}, "url", "userinfo_not_allowed"),
        ({"url": "http://127.0.0.1/"}, "url", "address_not_allowed"),
        ({"url": "http://169.254.169.254/latest/meta-data/"}, "url", "address_not_allowed"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "url", "address_not_allowed"),
        ({"url": "http://intranet/"}, "url", "host_not_allowed"),
        ({"url": "https://hook.example:22/"}, "url", "port_not_allowed"),
        ({"url": f"{BASE_URL}/hook"}, "url", "host_not_allowed"),
        ({"url": "https://hook.example/" + "x" * 2_048}, "url", "too_long"),
        ({"kind": "fax"}, "kind", "not_in"),
        ({"kind": "telegram"}, "url", "not_a_receiver"),
        ({"events": ["report.opened"]}, "events", "not_in"),
        ({"events": ["report.failed"] * 21}, "events", "too_many"),
        ({"project": "//"}, "project", "invalid"),
        ({"kind": "email", "url": "person"}, "url", "not_an_address"),
        ({"kind": "email", "url": "person@example.org"}, "url", "mail_not_configured"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, change: dict[str, Any], field: str, code: str) -> None:
    """By its field, before anything is stored."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        refused = await instance.call("POST", WEBHOOKS, json={**HOOK, **change})
        return refused, await instance.call("GET", WEBHOOKS)

    refused, listed = with_instance(tmp_path, script)

    assert refused.status_code == 422
    assert [(each["field"], each["code"]) for each in refused.json()["violations"]] == [(field, code)]
    assert listed.json()["data"] == []


def test_mail_goes_to_allowed_domains_only(tmp_path: Path) -> None:
    """With or without ``mailto:``; without events people get all but that an analysis or audit is completed."""

    async def script(instance: Instance) -> list[httpx.Response]:
        addresses = ("person@Example.ORG", "mailto:person@example.org", "person@example.net")
        bodies = [{"kind": "email", "url": address} for address in addresses]
        return [await instance.call("POST", WEBHOOKS, json=body) for body in bodies]

    first, second, refused = with_instance(tmp_path, script, mail=MAIL)

    unsent = {"report.completed", "audit.completed", "audit.paused"}

    assert first.json()["data"]["url"] == "mailto:person@Example.ORG"
    assert first.json()["data"]["events"] == [each for each in EVENT_TYPES if each not in unsent]
    assert (second.status_code, first.json()["data"]["secret"]) == (201, None)
    assert refused.json()["violations"][0]["code"] == "recipient_not_allowed"


def test_there_is_an_end_to_how_many_webhooks_an_account_has(tmp_path: Path) -> None:
    """At the limit it is made, one more is refused."""

    async def script(instance: Instance) -> list[int]:
        sent = {"url": "https://hook.example/"}
        return [(await instance.call("POST", WEBHOOKS, json=sent)).status_code for _ in range(MAX_WEBHOOKS + 1)]

    assert with_instance(tmp_path, script) == [201] * MAX_WEBHOOKS + [429]


def test_the_description_has_every_event(tmp_path: Path) -> None:
    """As requests that receivers get."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/api/v1/openapi.json", key=None)

    document = with_instance(tmp_path, script).json()

    assert tuple(document["webhooks"]) == EVENT_TYPES
    assert "WebhookPayload" in document["components"]["schemas"]
