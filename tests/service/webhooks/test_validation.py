from __future__ import annotations

import pytest

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.service.options import ServiceOptions
from pagegrade.service.webhooks.validation import DEFAULT_EVENTS, read_change, read_webhook

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
