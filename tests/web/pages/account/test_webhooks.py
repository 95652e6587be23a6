from __future__ import annotations

import re
from pathlib import Path

from pagegrade.model.webhooks import Event
from pagegrade.service.webhooks.deliveries import make_key, unsubscribe_token
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.outbox import add_test_event
from pagegrade.store.repositories.webhooks import add_webhook, find_webhook
from pagegrade.web.pages.html import HELPED
from tests.web.calling import Instance, with_instance

SECRET = re.compile(r'<code class="secret" id="secret">(whsec_[A-Za-z0-9+/=]{44})</code>')
ALL = {"kind": "webhook", "url": "https://hook.example/", "report-failed": "1"}


def test_a_secret_is_shown_once(tmp_path: Path) -> None:
    """When the webhook is made, and a new one after a rotation; no page shows it later."""

    async def script(instance: Instance) -> None:
        made = await instance.page("POST", "/webhooks", data=ALL)
        rotated = await instance.page("POST", "/webhooks/1/rotate")
        pages = [await instance.page("GET", path) for path in ("/webhooks", "/webhooks/1")]
        first, second = SECRET.search(made.text), SECRET.search(rotated.text)
        assert first is not None
        assert second is not None

        assert first[1] != second[1]
        assert made.headers["content-security-policy"] == HELPED
        assert made.headers["cache-control"] == "private, no-store"
        assert "previous secret" in rotated.text
        assert not any("whsec_" in page.text for page in pages)
        assert all("https://hook.example/" in page.text for page in pages)

    with_instance(tmp_path, script)


def test_a_form_that_cannot_be_used_comes_back(tmp_path: Path) -> None:
    """With what was typed and what is wrong."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/webhooks", data={**ALL, "url": "http://10.0.0.1/<b>"})

        assert answer.status_code == 422
        assert "not a public one" in answer.text
        assert "<b>" not in answer.text

    with_instance(tmp_path, script)


def test_the_log_shows_answers_inert_and_sends_again(tmp_path: Path) -> None:
    """Whatever a receiver answers is text."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/webhooks", data=ALL)
        tested = await instance.page("POST", "/webhooks/1/test")
        database = instance.services.database
        hostile = b"\x1b<script>alert(1)</script>\xff"
        database.write_here(lambda tx: _answered(tx, hostile))
        shown = await instance.page("GET", "/webhooks/1")
        again = await instance.page("POST", "/webhooks/1/deliveries/1/retry")

        assert tested.headers["location"] == "/webhooks/1?said=tested"
        assert "<script>alert" not in shown.text
        assert "&lt;script&gt;" in shown.text
        assert "\x1b" not in shown.text
        assert again.headers["location"] == "/webhooks/1?said=retried"

    with_instance(tmp_path, script)


def _answered(tx: Transaction, body: bytes) -> None:
    marker = "%s" if tx.dialect.name != "sqlite" else "?"
    tx.exec_driver_sql(f"UPDATE deliveries SET answer = {marker}, http_status = 500, state = 'failed'", (body,))  # noqa: S608 - ours


def test_a_webhook_is_disabled_enabled_and_deleted(tmp_path: Path) -> None:
    """A disabled one offers no test; deleting asks first."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/webhooks", data=ALL)
        await instance.page("POST", "/webhooks/1", data={"disabled": "1"})
        disabled = await instance.page("GET", "/webhooks/1")
        await instance.page("POST", "/webhooks/1", data={"disabled": "0"})
        enabled = await instance.page("GET", "/webhooks/1?said=enabled")
        asked = await instance.page("GET", "/webhooks/1/delete")
        deleted = await instance.page("POST", "/webhooks/1/delete")

        assert "Disabled by you" in disabled.text
        assert "/webhooks/1/test" not in disabled.text
        assert "/webhooks/1/test" in enabled.text
        assert "Delete this webhook?" in asked.text
        assert deleted.headers["location"] == "/webhooks?said=deleted"
        assert (await instance.page("GET", "/webhooks/1")).status_code == 404

    with_instance(tmp_path, script)


def test_messages_stop_with_one_click_and_without_signing_in(tmp_path: Path) -> None:
    """Mail programs send the form by themselves (RFC 8058); opening the link changes nothing, another link is none."""

    async def script(instance: Instance) -> None:
        database = instance.services.database

        def make(tx: Transaction) -> str:
            made = add_webhook(
                tx, instance.alice.id, kind="email", url="mailto:a@example.org", events=(), project="", now_ms=1
            )
            add_test_event(tx, Event("webhook.test", made.account_id, "", None, None, 1), made.id, made.kind)
            return unsubscribe_token(make_key(tx), made)

        token = database.write_here(make)
        path = f"/unsubscribe/{token}"
        form = {"List-Unsubscribe": "One-Click"}
        opened = await instance.call("GET", path, key=None)
        before = database.read_here(lambda tx: find_webhook(tx, 1))
        foreign = await instance.call("POST", path, key=None, data=form, headers={"Sec-Fetch-Site": "cross-site"})
        wrong = await instance.call("POST", path[:-1] + "!", key=None, data=form)
        done = await instance.call("POST", path, key=None, data=form)
        after = database.read_here(lambda tx: find_webhook(tx, 1))
        assert before is not None
        assert after is not None

        assert (opened.status_code, before.disabled_at_ms) == (200, None)
        assert (foreign.status_code, wrong.status_code) == (403, 404)
        assert (done.status_code, after.disabled_reason) == (200, "unsubscribed")

    with_instance(tmp_path, script)


def test_the_list_says_what_was_delivered_last_and_sends_a_test(tmp_path: Path) -> None:
    """Without opening each receiver; a disabled one cannot be tested."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/webhooks", data=ALL)
        before = (await instance.page("GET", "/webhooks")).text
        await instance.page("POST", "/webhooks/1/test")
        tested = (await instance.page("GET", "/webhooks")).text
        await instance.page("POST", "/webhooks/1", data={"disabled": "1"})
        disabled = (await instance.page("GET", "/webhooks")).text

        assert "None yet" in before
        assert "None yet" not in tested
        assert "Waiting, <time" in tested
        assert 'action="/webhooks/1/test"' in tested
        assert 'action="/webhooks/1/test"' not in disabled
        assert '<a href="/webhooks" aria-current="page">' in tested

    with_instance(tmp_path, script)
