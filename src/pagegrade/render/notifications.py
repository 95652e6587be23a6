"""Messages to people about their pages: plain lines, and as chats, push services and e-mail want them.

Every text of a page is inert: on one line, without invisible characters, never read as markup, a link or a mention.

Sources: https://docs.slack.dev/reference/block-kit/composition-objects/text-object,
https://discord.com/developers/docs/resources/webhook#execute-webhook, https://adaptivecards.io/explorer/TextRun.html,
https://www.rfc-editor.org/rfc/rfc8058, https://docs.ntfy.sh/publish/#publish-as-json,
https://gotify.net/docs/msgextras, https://core.telegram.org/bots/api#sendmessage,
https://spec.matrix.org/latest/client-server-api/#mroommessage
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.headerregistry import (  # lint: allow slow-parser - written only
    Address,
    BaseHeader,
    HeaderRegistry,
    UniqueUnstructuredHeader,
)
from email.message import EmailMessage  # lint: allow slow-parser - written only
from email.policy import SMTP, Policy  # lint: allow slow-parser - written only
from email.utils import format_datetime
from typing import Any, Final

import msgspec

from pagegrade.model.account import WARNED_AT, Brand, Invitation
from pagegrade.render.account import LIGHT_GROUND, NO_BRAND, QUOTA_LABELS, color_on, role_names, shown_name
from pagegrade.render.english import N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.i18n import Texts
from pagegrade.report.masking import mask_url

MAX_ITEMS: Final = 10
"""Of one message; the number of the others is given."""
MAX_BYTES: Final = 5_000
"""Of the items of one message: Discord refuses 6,000 characters, Teams 28 kB. One item is never longer."""
SMALL_BYTES: Final = 3_400
"""Of the items for ntfy and Telegram, which take 4,096 bytes and characters with all around them."""
MAX_DETAILS_BYTES: Final = 3_000
"""Of the page and lines of one item there."""
MAX_BUDGETS: Final = 10
NO_BACKTICK: Final = "\u02cb"
"""Looks like one, and ends no code."""
_LIKE: Final = {".": "\u2024", ":": "\ua789", "@": "\uff20"}
"""Look like the characters, and make no link of the words around them."""
_JOINED: Final = re.compile(r"(?<=\S)[.:@](?=\S)")
_AROUND_LINE: Final = 50
_MAX_URL: Final = 300
_MAX_TEXT: Final = 200
_MAX_SUBJECT: Final = 150
_MAX_SITE: Final = 80
_HEADLINES: Final[Mapping[str, str]] = {
    "report.completed": N_("Analysis completed"),
    "report.failed": N_("Analysis failed"),
    "report.regressed": N_("Budget exceeded"),
    "report.recovered": N_("Within budget again"),
    "monitor.unreachable": N_("Page unreachable"),
    "monitor.reminder": N_("Budget still exceeded"),
    "audit.completed": N_("Site audit completed"),
    "audit.failed": N_("Site audit failed"),
    "audit.paused": N_("Site audit paused"),
    "audit.regressed": N_("Site got worse"),
    "audit.recovered": N_("Site recovered"),
    "quota.low": N_("Quota nearly used"),
    "webhook.disabled": N_("Webhook disabled"),
    "webhook.test": N_("Test message"),
}


_STILL_UNREACHABLE: Final = N_("Page still unreachable")
_USED_UP: Final = N_("Quota used up")


class _WholeHeader(UniqueUnstructuredHeader, BaseHeader):  # type: ignore[misc]
    """A header of one line: the standard library encodes a longer word, and mail programs then find no link in it."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
for _name in ("list-unsubscribe", "message-id"):
    _HEADERS.map_to_type(_name, _WholeHeader)
_POLICY: Final = SMTP.clone(header_factory=_HEADERS)


class Item(msgspec.Struct, frozen=True):
    """One event in lines of plain text."""

    headline: str
    page: str
    """URL of the page, or of the start page of a site, masked; empty: it is about none."""
    lines: tuple[str, ...]
    link: str
    """Own page with more about it; empty: there is none."""
    link_label: str


class Message(msgspec.Struct, frozen=True):
    """One or more events, in one language."""

    title: str
    items: tuple[Item, ...]
    more: str
    """Sentence about the events that are left out; empty: none are."""


def make_message(
    texts: Words, payloads: Sequence[Mapping[str, Any]], count: int | None = None, *, room: int = MAX_BYTES
) -> Message:
    """Make a message about events.

    Args:
        payloads: Of at least one event, as delivered to webhooks, in the order in which they are named.
        count: Number of all events of the message; ``None``: as many as there are payloads.
        room: Bytes that its items may take.
    """
    total = len(payloads) if count is None else count
    items = _fitting([_item(texts, each) for each in payloads[:MAX_ITEMS]], room)
    left = total - len(items)
    return Message(
        title=visible(_title(texts, payloads, items[0], total), _MAX_SUBJECT),
        items=items,
        more=texts.ngettext("%(num)s more event", "%(num)s more events", left) if left else "",
    )


def _title(texts: Words, payloads: Sequence[Mapping[str, Any]], first: Item, total: int) -> str:
    """Say what changed, and where: the page of one event, the sites of several."""
    if total == 1:
        data = payloads[0]["data"]
        score, moved = _subject(data).get("score"), (data.get("change") or {}).get("score")
        headline = first.headline
        if isinstance(score, int) and isinstance(moved, int) and moved:
            headline = f"{headline} ({score - moved} → {score})"
        return f"{headline}: {first.page}" if first.page else headline
    kinds = Counter(map(_headline, payloads))
    parts = [texts.gettext(kind) + (f" ({number})" if number > 1 else "") for kind, number in kinds.items()]
    if total > len(payloads):
        left = total - len(payloads)
        parts.append(texts.ngettext("%(num)s more event", "%(num)s more events", left))
    sites = dict.fromkeys(site for each in payloads if (site := _site(each)))
    where = next(iter(sites), "")
    if len(sites) > 1:
        where = texts.ngettext(
            "%(site)s and %(num)s more site", "%(site)s and %(num)s more sites", len(sites) - 1, site=where
        )
    what = ", ".join(parts)
    return f"{where}: {what}" if where else what


def _site(payload: Mapping[str, Any]) -> str:
    """Return the site of the page that an event is about; empty: it is about no page."""
    report = _subject(payload["data"])
    host = mask_url(report.get("url") or "").partition("//")[2].partition("/")[0]
    return visible(report.get("project") or host, _MAX_SITE)


def _subject(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the report or audit that an event is about; empty: it is about none."""
    return data.get("report") or data.get("audit") or {}


def _fitting(items: Sequence[Item], room: int) -> tuple[Item, ...]:
    """The first items, as many as one message can hold; at least one."""
    left, kept = room, 0
    for item in items:
        # With what chat programs want around each line.
        left -= sum(len(line.encode()) + _AROUND_LINE for line in (item.headline, item.page, *item.lines, item.link))
        if left < 0:
            break
        kept += 1
    return tuple(items[: max(kept, 1)])


def _item(texts: Words, payload: Mapping[str, Any]) -> Item:
    data = payload["data"]
    report, change = _subject(data), data.get("change") or {}
    lines = []
    if report.get("score") is not None:
        before = change.get("score")
        moved = f" ({before:+d})" if isinstance(before, int) and before else ""
        score = report["score"]
        lines.append(texts.gettext("Score: %(score)s%(moved)s", score=score, moved=moved))
    if change.get("differs_in"):
        lines.append(texts.gettext("Not compared with the run before: the engine, device or rules are others."))
    if change.get("new") is not None and (change["new"] or change["fixed"]):
        lines.append(texts.gettext("Findings: %(new)s new, %(fixed)s fixed", new=change["new"], fixed=change["fixed"]))
    if change.get("worse"):
        worse = change["worse"]
        lines.append(texts.ngettext("%(num)s finding on more pages", "%(num)s findings on more pages", worse))
    lines += [_budget_line(texts, each) for each in (data.get("budgets") or [])[:MAX_BUDGETS]]
    if payload["type"] == "monitor.reminder":
        lines.append(texts.gettext("Since %(day)s", day=data["since"][:10]))
    error = data.get("error")
    if isinstance(error, Mapping) and error.get("message"):
        lines.append(visible(error["message"], _MAX_TEXT))
    if report.get("withheld"):
        reason = report["withheld"]["message"]
        lines.append(texts.gettext("No grade. %(reason)s", reason=texts.gettext(reason)))
    if payload["type"] == "quota.low":
        quota = data["quota"]
        label = QUOTA_LABELS[quota["name"]]
        used, most = texts.number(quota["used"]), texts.number(quota["limit"])
        lines.append(texts.gettext("%(quota)s: %(used)s of %(most)s", quota=texts.gettext(label), used=used, most=most))
    if payload["type"] == "webhook.disabled":
        lines.append(
            texts.gettext(
                "%(url)s did not accept deliveries for days. Nothing more is sent to it.", url=mask_url(data["url"])
            )
        )
    links = data.get("links") or {}
    labels = {"audit": texts.gettext("Open audit"), "team": texts.gettext("See all quotas")}
    return Item(
        headline=texts.gettext(_headline(payload)),
        page=visible(mask_url(report["url"]), _MAX_URL) if report.get("url") else "",
        lines=tuple(visible(line, _MAX_TEXT) for line in lines),
        link=next((links[name] for name in ("report", "audit", "team", "webhooks") if links.get(name)), ""),
        link_label=next((labels[name] for name in labels if name in links), texts.gettext("Open report")),
    )


def _headline(payload: Mapping[str, Any]) -> str:
    """Return what happened, in English."""
    kind, data = payload["type"], payload["data"]
    if kind == "quota.low" and data["quota"]["percent"] >= WARNED_AT[0]:
        return _USED_UP
    if kind == "monitor.reminder" and data["still"] == "unreachable":
        return _STILL_UNREACHABLE
    return _HEADLINES[kind]


def _budget_line(texts: Words, budget: Mapping[str, Any]) -> str:
    condition, value = visible(budget.get("condition", ""), _MAX_TEXT), budget.get("value")
    if value is None:
        return condition
    return texts.gettext("%(condition)s: now %(value)s", condition=condition, value=visible(value))


def slack_body(message: Message) -> dict[str, Any]:
    """The body for an incoming webhook of Slack, or of what understands the same."""
    blocks: list[dict[str, Any]] = [_slack_text("header", message.title)]
    for item in message.items:
        text = "\n".join(filter(None, (item.headline, item.page, *item.lines)))
        blocks.append(_slack_text("section", text))
        if item.link:
            button = {"type": "button", "text": _slack_plain(item.link_label), "url": item.link}
            blocks.append({"type": "actions", "elements": [button]})
    if message.more:
        blocks.append(_slack_text("section", message.more))
    # Shown in notifications, and read as markup.
    return {"text": html.escape(message.title, quote=False), "blocks": blocks}


def _slack_text(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "text": _slack_plain(text[:150] if kind == "header" else text[:3000])}


def _slack_plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def discord_body(message: Message) -> dict[str, Any]:
    """The body for a webhook of Discord."""
    embeds = []
    for item in message.items:
        parts = [_discord_code(item.page) if item.page else "", *map(_discord_code, item.lines)]
        embed = {"title": item.headline, "description": "\n".join(filter(None, parts))[:4000]}
        embeds.append({**embed, "url": item.link} if item.link else embed)
    content = message.more or ""
    return {"content": content, "embeds": embeds, "allowed_mentions": {"parse": []}}


def _discord_code(text: str) -> str:
    """Text as code, in which nothing is read as markup."""
    return f"`{text.replace('`', NO_BACKTICK)}`"


def teams_body(message: Message) -> dict[str, Any]:
    """The body for a workflow of Microsoft Teams: an adaptive card of text runs, which know no markup."""
    body: list[dict[str, Any]] = [_teams_text(message.title, weight="Bolder", size="Medium")]
    actions: list[dict[str, Any]] = []
    for item in message.items:
        body += [_teams_text(line) for line in filter(None, (item.headline, item.page, *item.lines))]
        if item.link and len(actions) < 1:
            actions.append({"type": "Action.OpenUrl", "title": item.link_label, "url": item.link})
    if message.more:
        body.append(_teams_text(message.more))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": actions,
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _teams_text(text: str, **style: str) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}


def ntfy_body(message: Message) -> dict[str, Any]:
    """The body for ntfy, without the topic; it shows plain text."""
    link = next((item.link for item in message.items if item.link), "")
    body = {"title": message.title, "message": _plain(message)}
    return {**body, "click": link} if link else body


def gotify_body(message: Message) -> dict[str, Any]:
    """The body for Gotify, to be shown as plain text; with a sound, as its clients do from priority 4."""
    link = next((item.link for item in message.items if item.link), "")
    extras: dict[str, Any] = {"client::display": {"contentType": "text/plain"}}
    if link:
        extras["client::notification"] = {"click": {"url": link}}
    return {"title": message.title, "message": _plain(message), "priority": 5, "extras": extras}


def telegram_body(message: Message) -> dict[str, Any]:
    """The body for a bot of Telegram, without the chat: in code it looks for no link, mention or command."""
    return {
        "text": _markup(message, "\n"),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }


def matrix_body(message: Message) -> dict[str, Any]:
    """The content of an event ``m.room.message`` of Matrix, which mentions nobody."""
    return {
        "msgtype": "m.text",
        "body": f"{message.title}\n\n{_plain(message)}",
        "format": "org.matrix.custom.html",
        "formatted_body": _markup(message, "<br>"),
        "m.mentions": {},
    }


def _plain(message: Message) -> str:
    """Items as text, in which no program finds another link than ours."""
    items = ("\n".join(filter(None, (item.headline, _details(item), item.link))) for item in message.items)
    return "\n\n".join(filter(None, (*items, message.more)))


def _markup(message: Message, newline: str) -> str:
    """Items as HTML of few elements, text of pages as code."""
    parts = [f"<code>{html.escape(message.title)}</code>"]
    for item in message.items:
        details = html.escape(_details(item))
        parts += ["", f"<b>{html.escape(item.headline)}</b>"]
        if details:
            parts.append(f"<pre>{details}</pre>")
        if item.link:
            parts.append(f'<a href="{html.escape(item.link)}">{html.escape(item.link_label)}</a>')
    if message.more:
        parts += ["", html.escape(message.more)]
    return newline.join(parts)


def _details(item: Item) -> str:
    text = "\n".join(filter(None, (_no_link(item.page), *item.lines)))
    whole = text.encode()
    return text if len(whole) <= MAX_DETAILS_BYTES else f"{whole[: MAX_DETAILS_BYTES - 3].decode(errors='ignore')}…"


def email_message(
    texts: Words,
    message: Message,
    *,
    sender: str,
    recipient: str,
    message_id: str,
    unsubscribe_url: str,
    at_ms: int,
    brand: Brand = NO_BRAND,
) -> EmailMessage:
    """An e-mail with a text and an HTML part, and one-click unsubscription (RFC 8058).

    Args:
        sender: Address, ``name@host``.
        message_id: The same for every attempt, without brackets and host.
        unsubscribe_url: Ends these messages without signing in.
    """
    mail = _mail(message.title, sender=sender, recipient=recipient, message_id=message_id, at_ms=at_ms, brand=brand)
    mail["List-Unsubscribe"] = f"<{unsubscribe_url}>"
    mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    leave = texts.gettext("Stop these messages")
    text = []
    for item in message.items:
        text += [item.headline, *filter(None, (item.page, *item.lines, item.link)), ""]
    text += [*filter(None, (message.more,)), f"{leave}: {unsubscribe_url}", ""]
    _set_parts(mail, "\n".join(text), message.title, _email_parts(message, leave, unsubscribe_url), brand)
    return mail


def _email_parts(message: Message, leave: str, unsubscribe_url: str) -> list[str]:
    parts = []
    for item in message.items:
        parts.append(f"<h2>{html.escape(item.headline)}</h2>")
        parts += [f"<p>{html.escape(line)}</p>" for line in filter(None, (item.page, *item.lines))]
        if item.link:
            parts.append(_email_link(item.link, item.link_label))
    if message.more:
        parts.append(f"<p>{html.escape(message.more)}</p>")
    return [*parts, _email_link(unsubscribe_url, leave)]


def invitation_message(
    texts: Texts,
    invitation: Invitation,
    *,
    inviter: str,
    workspace: str,
    link: str,
    sender: str,
    recipient: str,
    timezone: str,
    at_ms: int,
    brand: Brand = NO_BRAND,
) -> EmailMessage:
    """An e-mail with the link that makes its reader a member.

    Args:
        invitation: The role, and until when the link works.
        inviter: Name of the person who invites; anything.
        link: Accepts the invitation.
        sender: Address, ``name@host``.
    """
    who, where = (_no_link(visible(name, _MAX_SITE)) for name in (inviter, workspace))
    title = texts.gettext("Invitation to the workspace %(name)s", name=where)
    lines = (
        texts.gettext("%(who)s invites you to work in the workspace %(name)s on Pagegrade.", who=who, name=where),
        texts.gettext("Your role: %(role)s", role=role_names(texts)[invitation.role]),
        texts.gettext(
            "The link works once, until %(when)s. Do not pass it on: anyone with the link can join.",
            when=texts.moment(invitation.expires_at_ms, timezone),
        ),
        texts.gettext("If you do not know the sender, ignore this message."),
    )
    mail = _mail(
        title,
        sender=sender,
        recipient=recipient,
        message_id=f"invitation-{invitation.id}.{at_ms}",
        at_ms=at_ms,
        brand=brand,
    )
    paragraphs = [f"<p>{html.escape(line)}</p>" for line in lines]
    paragraphs.insert(2, _email_link(link, texts.gettext("Accept the invitation")))
    _set_parts(mail, "\n\n".join((*lines[:2], link, *lines[2:], "")), title, paragraphs, brand)
    return mail


def sign_up_message(
    texts: Texts,
    *,
    link: str,
    is_known: bool,
    sender: str,
    recipient: str,
    message_id: str,
    at_ms: int,
    brand: Brand = NO_BRAND,
) -> EmailMessage:
    """An e-mail with the link that creates an account, or for who has one with the page to sign in.

    Args:
        link: Creates the account, or signs in.
        is_known: The recipient has an account.
        sender: Address, ``name@host``.
        message_id: Without brackets and host.
    """
    if is_known:
        title, label = texts.gettext("You have a Pagegrade account"), texts.gettext("Sign in")
        first = texts.gettext("Somebody wanted to create an account with your address, which has one already.")
    else:
        title, label = texts.gettext("Create your Pagegrade account"), texts.gettext("Create the account")
        first = texts.gettext("Open this link to choose a password. It works for 24 hours.")
    last = texts.gettext("If it was not you, ignore this message: nothing happens.")
    mail = _mail(title, sender=sender, recipient=recipient, message_id=message_id, at_ms=at_ms, brand=brand)
    parts = [f"<p>{html.escape(first)}</p>", _email_link(link, label), f"<p>{html.escape(last)}</p>"]
    _set_parts(mail, f"{first}\n\n{link}\n\n{last}\n", title, parts, brand)
    return mail


def _no_link(text: str) -> str:
    """Text in which programs find no address of a page or a person."""
    return _JOINED.sub(lambda found: _LIKE[found[0]], text)


def _mail(
    subject: str, *, sender: str, recipient: str, message_id: str, at_ms: int, brand: Brand = NO_BRAND
) -> EmailMessage:
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = Address(visible(shown_name(brand), _MAX_SITE), addr_spec=sender)
    mail["To"] = Address(addr_spec=recipient)
    if brand.reply_to:
        mail["Reply-To"] = Address(addr_spec=brand.reply_to)
    mail["Subject"] = subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(at_ms / 1000, UTC))
    mail["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    return mail


def _email_link(url: str, label: str) -> str:
    return f'<p><a href="{html.escape(url)}">{html.escape(label)}</a></p>'


def _set_parts(mail: EmailMessage, text: str, title: str, parts: Sequence[str], brand: Brand) -> None:
    """Set the text and the HTML of a message, with the look of who sends it around them."""
    footer = _no_link(visible(brand.footer, _AROUND_LINE * 10))
    mail.set_content(f"{text}\n{footer}\n" if footer else text)
    head = _email_head(brand)
    body = "\n".join(filter(None, (head, *parts, f"<p>{html.escape(footer)}</p>" if footer else "")))
    mail.add_alternative(f"<!doctype html>\n<title>{html.escape(title)}</title>\n{body}\n", subtype="html")
    page = mail.get_body(("html",))
    if brand.logo and page is not None:
        page.add_related(brand.logo, "image", "png", cid="<logo>", filename="logo.png", disposition="inline")


def _email_head(brand: Brand) -> str:
    """Return name or logo over a line in the color; empty where none of them was chosen."""
    name, color = html.escape(visible(brand.name, _MAX_SITE)), color_on(brand, LIGHT_GROUND)
    shown = f'<img src="cid:logo" alt="{name}" height="40">' if brand.logo else f"<b>{name}</b>" if name else ""
    line = f' style="border-bottom: 3px solid {color}; padding-bottom: 8px"' if color else ""
    return f"<p{line}>{shown}</p>" if shown or line else ""
