from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, Key
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.service.options import ServiceOptions
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.deliveries import make_key, unsubscribe_token
from pagegrade.service.webhooks.operations import DEFAULT_EVENTS, NewWebhook, WebhookChange, read_change, read_webhook
from pagegrade.store.engine.database import Database
from tests.store_builders import NOW_MS, add_key, add_owner, make_database
from tests.webhook_receiver import ADDRESSES

OPTIONS = ServiceOptions()


def test_what_is_not_given_has_its_usual_value() -> None:
    """A webhook for everything; to people only what they have to act on."""
    made = read_webhook(kind=None, url="hook.example/a b#/c", events=None, project=None, options=OPTIONS)
    chat = read_webhook(kind="slack", url="https://hook.example/", events=(), project="", options=OPTIONS)

    assert (made.kind, made.url, made.events, made.project) == (
        "webhook",
        "https://hook.example/a%20b",
        EVENT_TYPES,
        "",
    )
    assert chat.events == DEFAULT_EVENTS


def test_all_that_is_wrong_is_named_once() -> None:
    """A field that could not even be read is not looked at again."""
    before = Violation(field="events", place="body", code="type", message="Must be a list of texts.")
    with pytest.raises(ValidationFailed) as caught:
        read_webhook(
            kind="fax", url="http://10.0.0.1/", events=("x",), project="//", options=OPTIONS, violations=(before,)
        )

    assert [(each.field, each.code) for each in caught.value.violations] == [
        ("events", "type"),
        ("kind", "not_in"),
        ("url", "address_not_allowed"),
        ("project", "invalid"),
    ]


def test_a_change_leaves_what_is_not_sent() -> None:
    """Events come in the order of their list, each once."""
    events = ("report.failed", "report.completed", "report.failed")
    nothing = read_change("webhook", url=None, events=None, project=None, disabled=None, options=OPTIONS)
    change = read_change("webhook", url=None, events=events, project="", disabled=1, options=OPTIONS)

    assert (nothing.url, nothing.events, nothing.project, nothing.disabled) == (None, None, None, None)
    assert (change.events, change.project, change.disabled) == (("report.completed", "report.failed"), "", True)
    with pytest.raises(ValidationFailed):
        read_change("email", url="https://a.example/", events=None, project=None, disabled=None, options=OPTIONS)


NEW = NewWebhook(kind="webhook", url="https://hook.example/", events=("report.failed",), project="")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def caller(database: Database, name: str = "Alice") -> Caller:
    """A caller with a key."""
    account, _ = add_owner(database, name)
    return as_caller(account, add_key(database, account.id)[0])


def as_caller(account: Account, key: Key) -> Caller:
    """With the key."""
    return Caller(account=account, key=key)


def test_webhooks_of_others_are_not_there(database: Database) -> None:
    """Whatever is asked of them."""
    alice, bob = caller(database), caller(database, "Bob")
    made = database.write_here(lambda tx: service.create_webhook(tx, alice, NEW, NOW_MS)).webhook

    for use in (
        lambda tx: service.show_webhook(tx, bob, made.id),
        lambda tx: service.update_webhook(tx, bob, made.id, WebhookChange(disabled=True), NOW_MS),
        lambda tx: service.delete_webhook(tx, bob, made.id),
        lambda tx: service.rotate_secret(tx, bob, made.id, NOW_MS),
        lambda tx: service.send_test(tx, bob, made.id, NOW_MS),
        lambda tx: service.list_deliveries(tx, bob, made.id, ListPart(per_page=10)),
        lambda tx: service.send_again(tx, bob, made.id, 1, NOW_MS),
    ):
        with pytest.raises(NotFound):
            database.write_here(use)


def test_an_unsubscription_ends_one_target_and_is_no_error_twice(database: Database) -> None:
    """Enabled again by its owner, the link still works; after a rotation of nothing it is still the same."""
    alice = caller(database)
    made = database.write_here(lambda tx: service.create_webhook(tx, alice, replace(NEW, kind="email"), NOW_MS)).webhook
    token = unsubscribe_token(database.write_here(make_key), made)
    for _ in range(2):
        database.write_here(lambda tx: service.unsubscribe(tx, token, NOW_MS))

    assert database.read_here(lambda tx: service.show_webhook(tx, alice, made.id)).disabled_reason == "unsubscribed"
    database.write_here(lambda tx: service.delete_webhook(tx, alice, made.id))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: service.unsubscribe(tx, token, NOW_MS))


def test_an_unsubscription_ends_all_webhooks_that_share_the_messages(database: Database) -> None:
    """Of the same address in any case, and of no other."""
    alice = caller(database)
    addresses = ("mailto:bob@example.org", "mailto:Bob@example.org", "mailto:eve@example.org")
    wanted = [replace(NEW, kind="email", url=url) for url in addresses]
    made = [
        database.write_here(partial(service.create_webhook, caller=alice, new=new, now_ms=NOW_MS)) for new in wanted
    ]
    token = unsubscribe_token(database.write_here(make_key), made[0].webhook)
    database.write_here(lambda tx: service.unsubscribe(tx, token, NOW_MS))
    found = [
        database.read_here(partial(service.show_webhook, caller=alice, webhook_id=each.webhook.id)) for each in made
    ]

    assert [each.disabled_reason for each in found] == ["unsubscribed", "unsubscribed", None]


@pytest.mark.parametrize(
    ("kind", "url", "shown"),
    [
        ("webhook", "https://hook.example/a?b=c", "https://hook.example/a?b=c"),
        ("slack", "https://hooks.slack.com/services/T/B/secret", "https://hooks.slack.com/…"),
        ("discord", "https://discord.com/api/webhooks/1/secret", "https://discord.com/…"),
        ("teams", "https://x.logic.azure.com:8443/workflows/1?sig=secret", "https://x.logic.azure.com:8443/…"),
        ("email", "mailto:a@example.org", "mailto:a@example.org"),
        *((kind, f"https://push.example{path}", "https://push.example/…") for kind, path in ADDRESSES.items()),
    ],
)
def test_urls_of_chat_channels_are_secrets(database: Database, kind: str, url: str, shown: str) -> None:
    """Only their origin is shown."""
    alice = caller(database)
    new = replace(NEW, kind=kind, url=url)
    made = database.write_here(lambda tx: service.create_webhook(tx, alice, new, NOW_MS))

    assert service.shown_url(made.webhook) == shown
    assert (made.secret is not None) is (kind == "webhook")


def test_an_invented_unsubscription_link_writes_nothing(database: Database) -> None:
    """Also where no link was made yet, and so no key to check it with."""
    alice = caller(database)
    mail = replace(NEW, kind="email", url="mailto:a@example.org")
    made = database.write_here(lambda tx: service.create_webhook(tx, alice, mail, NOW_MS)).webhook

    with pytest.raises(NotFound):
        database.read_here(lambda tx: service.find_subscription(tx, f"{made.id}-{'a' * 32}"))
