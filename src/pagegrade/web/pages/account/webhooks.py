"""Webhooks of a signed-in account: the list, a new one whose secret is shown once, its log, and its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from pydantic import BaseModel

from pagegrade.model.account import Role
from pagegrade.model.errors import QuotaExceeded, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import EVENT_TYPES, KINDS, MAX_WEBHOOKS
from pagegrade.render.english import N_
from pagegrade.service.accounts.admission import Access
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.operations import DEFAULT_EVENTS, WebhookChange, read_webhook
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.parameters import Paged
from pagegrade.web.request import Request

PER_PAGE: Final = 25
KIND_TEXTS: Final = {
    "webhook": N_("Webhook (JSON, signed)"),
    "slack": "Slack",
    "discord": "Discord",
    "teams": "Microsoft Teams",
    "email": N_("E-mail"),
    "ntfy": "ntfy",
    "gotify": "Gotify",
    "telegram": "Telegram",
    "matrix": "Matrix",
}
EVENT_TEXTS: Final = {
    "report.completed": N_("An analysis is completed"),
    "report.failed": N_("An analysis fails"),
    "report.regressed": N_("A budget is exceeded"),
    "report.recovered": N_("A budget is met again"),
    "monitor.unreachable": N_("A page is unreachable"),
    "monitor.reminder": N_("A page is still bad: reminder"),
    "audit.completed": N_("A site audit is completed"),
    "audit.failed": N_("A site audit fails"),
    "audit.paused": N_("A site turns an audit away for a while"),
    "audit.regressed": N_("A site got worse"),
    "audit.recovered": N_("A site recovered"),
    "quota.low": N_("A quota is nearly used"),
}
REASON_TEXTS: Final = {
    "by_owner": N_("Disabled by you"),
    "gone": N_("Disabled: the receiver answered 410 Gone"),
    "failing": N_("Disabled: it accepted no delivery for days"),
    "unsubscribed": N_("Disabled by the link in a message"),
}
STATE_TEXTS: Final = {"waiting": N_("Waiting"), "delivered": N_("Delivered"), "failed": N_("Failed")}
SAID: Final = {
    "deleted": N_("The webhook is deleted."),
    "enabled": N_("The webhook is enabled."),
    "disabled": N_("The webhook is disabled."),
    "tested": N_("A test event is on its way."),
    "retried": N_("The delivery is sent again."),
}


class SaidQuery(Paged):
    """Notice of the last action, and page of the log."""

    said: str = ""


async def show_webhooks(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form for a new webhook."""
    return await _show(request, work, view)


async def create_webhook(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Make a webhook; its secret is in the answer and nowhere else."""
    sent = await read_form(request)
    await work.admit()
    try:
        new = read_webhook(
            kind=sent.get("kind"),
            url=sent.get("url"),
            events=[each for each in EVENT_TYPES if _field_of(each) in sent],
            project=sent.get("project"),
            options=services.options,
        )
        made = await work.write(service.create_webhook, new=new, now_ms=view.now_ms)
    except ValidationFailed as error:
        wrong = {violation.field: violation.message for violation in error.violations}
        return await _show(request, work, view, sent, wrong)
    except QuotaExceeded:
        many = view.texts.gettext(
            "You have %(most)s webhooks. Delete one before you create another.", most=MAX_WEBHOOKS
        )
        return await _show(request, work, view, sent, {"": many})
    if made.secret is None:
        return go(f"/webhooks/{made.webhook.id}")
    return _secret_page(view, made)


async def show_webhook(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a webhook with the log of its deliveries."""
    query = request.query(SaidQuery)
    webhook = await work.read(service.show_webhook, request.id)
    found = await work.read(service.list_deliveries, webhook.id, ListPart(page=query.page, per_page=PER_PAGE))
    said = SAID.get(query.said, "")
    return view.page(
        "webhook.html.jinja",
        webhook=webhook,
        shown_url=service.shown_url(webhook),
        deliveries=found.items,
        page=query.page,
        has_more=query.page * PER_PAGE < found.total,
        account=view.admitted.person,
        said=view.texts.gettext(said) if said else "",
        labels=_labels(view),
    )


async def test_webhook(request: Request, work: UnitOfWork, view: View) -> Response:
    """Send a test event."""
    await work.write(service.send_test, request.id, view.now_ms)
    return go(f"/webhooks/{request.id}?said=tested")


async def rotate_secret(request: Request, work: UnitOfWork, view: View) -> Response:
    """Give a webhook a new secret, shown in the answer and nowhere else."""
    return _secret_page(view, await work.write(service.rotate_secret, request.id, view.now_ms))


async def switch_webhook(request: Request, work: UnitOfWork, view: View) -> Response:
    """Disable a webhook, or enable it again."""
    sent = await read_form(request)
    disabled = sent.get("disabled") == "1"
    await work.write(service.update_webhook, request.id, WebhookChange(disabled=disabled), view.now_ms)
    return go(f"/webhooks/{request.id}?said={'disabled' if disabled else 'enabled'}")


async def send_again(request: Request, work: UnitOfWork, view: View) -> Response:
    """Send a delivery again."""
    await work.write(service.send_again, request.id, request.number("delivery"), view.now_ms)
    return go(f"/webhooks/{request.id}?said=retried")


async def ask_to_delete(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask whether to delete a webhook."""
    webhook = await work.read(service.show_webhook, request.id)
    return view.page("webhook_delete.html.jinja", webhook=webhook, shown_url=service.shown_url(webhook))


async def delete_webhook(request: Request, work: UnitOfWork) -> Response:
    """Delete a webhook."""
    await work.write(service.delete_webhook, request.id)
    return go("/webhooks?said=deleted")


async def ask_to_unsubscribe(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask whether to stop messages; opening the link alone changes nothing, because mail scanners open links."""
    await work.read_public(service.find_subscription, request.path_params["token"])
    return view.page("unsubscribe.html.jinja", done=False)


async def unsubscribe(request: Request, work: UnitOfWork, view: View) -> Response:
    """Stop messages, without signing in; mail programs send this by themselves (RFC 8058)."""
    await work.write_public(service.unsubscribe, request.path_params["token"], view.now_ms)
    return view.page("unsubscribe.html.jinja", done=True)


def _secret_page(view: View, made: service.WithSecret) -> Response:
    return view.page("webhook_secret.html.jinja", policy=HELPED, webhook=made.webhook, secret=made.secret)


async def _show(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    found = await work.read(service.list_with_deliveries)
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    typed: Mapping[str, str] = sent or {"kind": "webhook", **{_field_of(each): "1" for each in DEFAULT_EVENTS}}
    gettext = view.texts.gettext
    return view.page(
        "webhooks.html.jinja",
        status=422 if errors else 200,
        webhooks=[(webhook, service.shown_url(webhook), last) for webhook, last in found],
        account=view.admitted.person,
        typed=typed,
        errors=errors or {},
        said=gettext(said) if said else "",
        kinds=[(kind, gettext(KIND_TEXTS[kind])) for kind in KINDS],
        events=[(_field_of(each), gettext(EVENT_TEXTS[each]), each) for each in EVENT_TYPES],
        labels=_labels(view),
    )


def _labels(view: View) -> dict[str, Mapping[str, str]]:
    gettext = view.texts.gettext
    return {
        "kinds": {kind: gettext(text) for kind, text in KIND_TEXTS.items()},
        "reasons": {reason: gettext(text) for reason, text in REASON_TEXTS.items()},
        "states": {state: gettext(text) for state, text in STATE_TEXTS.items()},
    }


def _field_of(event: str) -> str:
    """The name of an event's box: one that can be an id without being escaped in style sheets."""
    return event.replace(".", "-")


def _page(
    method: str,
    path: str,
    name: str,
    summary: str,
    handler: Callable[..., Awaitable[Response]],
    *,
    access: Access = "account",
    query: type[BaseModel] | None = None,
) -> Operation:
    return PageOperation(
        method=method,
        path=path,
        name=name,
        summary=summary,
        handler=handler,
        access=access,
        role=Role.ADMIN if access == "account" else None,
        takes_programs=access == "anyone",
        query=query,
    )


_ONE: Final = "/webhooks/{id}"
_RETRY: Final = f"{_ONE}/deliveries/{{delivery}}/retry"
_LEAVE: Final = "/unsubscribe/{token}"
OPERATIONS: Final = (
    _page("GET", "/webhooks", "show_webhooks_page", "The webhooks, and a form", show_webhooks, query=SaidQuery),
    _page("POST", "/webhooks", "create_webhook_page", N_("Make a webhook"), create_webhook),
    _page("GET", _ONE, "show_webhook_page", "A webhook and its deliveries", show_webhook, query=SaidQuery),
    _page("POST", _ONE, "switch_webhook", N_("Disable or enable a webhook"), switch_webhook),
    _page("POST", f"{_ONE}/test", "test_webhook_page", N_("Send a test event"), test_webhook),
    _page("POST", f"{_ONE}/rotate", "rotate_webhook_page", N_("Make a new secret"), rotate_secret),
    _page("POST", _RETRY, "retry_delivery_page", N_("Send a delivery again"), send_again),
    _page("GET", f"{_ONE}/delete", "ask_to_delete_webhook", "Whether to delete a webhook", ask_to_delete),
    _page("POST", f"{_ONE}/delete", "delete_webhook_page", N_("Delete a webhook"), delete_webhook),
    _page("GET", _LEAVE, "ask_to_unsubscribe", "Whether to stop messages", ask_to_unsubscribe, access="anyone"),
    _page("POST", _LEAVE, "stop_messages", "Stop messages", unsubscribe, access="anyone"),
)
