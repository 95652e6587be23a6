from __future__ import annotations

import json
import re
from email.message import EmailMessage
from typing import Any

import pytest

from pagegrade.model.account import Invitation, Role
from pagegrade.render.audit import withheld_object
from pagegrade.render.i18n import Texts
from pagegrade.render.notifications import (
    MAX_DETAILS_BYTES,
    MAX_ITEMS,
    SMALL_BYTES,
    Item,
    Message,
    discord_body,
    email_message,
    gotify_body,
    invitation_message,
    make_message,
    matrix_body,
    ntfy_body,
    slack_body,
    teams_body,
    telegram_body,
)
from tests.webhook_receiver import Markup

HOSTILE = "https://example.com/<!channel>`**@everyone**`[x](http://evil.example)\u202e\x1b\r\n<script>?token=secret"
PAYLOAD: dict[str, Any] = {
    "type": "report.regressed",
    "data": {
        "report": {"id": 1, "url": HOSTILE, "score": 70},
        "change": {"score": -11, "new": 2, "fixed": 1},
        "budgets": [{"condition": "score<80", "value": 70, "limit": 80}],
        "links": {"report": "https://r.example/reports/1"},
    },
}
EN = Texts("en")


def texts_in(value: Any, name: str = "text") -> list[str]:
    """Every text under a name, at any depth."""
    if isinstance(value, list):
        return [text for each in value for text in texts_in(each, name)]
    if not isinstance(value, dict):
        return []
    own = [value[name]] if isinstance(value.get(name), str) else []
    return own + [text for each in value.values() for text in texts_in(each, name)]


def test_a_message_says_what_changed() -> None:
    """From, to, findings and budgets; query values of the page are masked, and nothing in it is invisible."""
    message = make_message(EN, [PAYLOAD])
    (item,) = message.items

    assert item.headline == "Budget exceeded"
    assert item.lines == ("Score: 70 (-11)", "Findings: 2 new, 1 fixed", "score<80: now 70")
    assert item.link == "https://r.example/reports/1"
    assert "secret" not in item.page
    assert not any(character in message.title + item.page for character in "\u202e\x1b\r\n")


@pytest.mark.parametrize(
    "make", [slack_body, discord_body, teams_body, ntfy_body, gotify_body, telegram_body, matrix_body]
)
def test_many_events_are_one_message(make: Any) -> None:
    """The first ones in whole, and the number of the others."""
    message = make_message(EN, [PAYLOAD] * (MAX_ITEMS + 3))

    assert len(message.items) == MAX_ITEMS
    assert (message.title, message.more) == ("example.com: Budget exceeded (13)", "3 more events")
    assert "3 more events" in json.dumps(make(message))


def test_slack_reads_no_markup_and_no_mention() -> None:
    """Blocks are plain text, and the text of notifications is escaped as Slack wants it."""
    body = slack_body(make_message(EN, [PAYLOAD]))

    assert {each["type"] for each in (block["text"] for block in body["blocks"] if "text" in block)} == {"plain_text"}
    assert "<" not in body["text"]
    assert "&lt;!channel&gt;" in body["text"]
    assert "mrkdwn" not in json.dumps(body)


def test_discord_reads_no_markup_and_no_mention() -> None:
    """Text of pages is code that it cannot leave, and no person is mentioned."""
    body = discord_body(make_message(EN, [PAYLOAD]))
    (embed,) = body["embeds"]

    assert body["allowed_mentions"] == {"parse": []}
    assert body["content"] == ""
    for line in embed["description"].split("\n"):
        assert (line[0], line[-1], line.count("`")) == ("`", "`", 2)


def test_teams_gets_text_runs() -> None:
    """They know no Markdown; the only link is to our own page."""
    (attachment,) = teams_body(make_message(EN, [PAYLOAD]))["attachments"]
    card = attachment["content"]

    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    assert texts_in(card, "url") == ["https://r.example/reports/1"]


@pytest.mark.parametrize("make", [telegram_body, matrix_body])
def test_chats_with_html_show_text_of_pages_as_code(make: Any) -> None:
    """It cannot leave the element, and the only link is to our own page; nobody is mentioned."""
    body = make(make_message(EN, [PAYLOAD]))
    shown = Markup(body.get("formatted_body") or body["text"])

    assert shown.links == ["https://r.example/reports/1"]
    assert shown.tags <= {"b", "br", "code", "pre", "a"}
    assert "<!channel>" in shown.text
    assert "secret" not in json.dumps(body)
    assert body.get("m.mentions", {}) == {}


@pytest.mark.parametrize("make", [ntfy_body, gotify_body, matrix_body])
def test_plain_text_has_no_link_but_ours(make: Any) -> None:
    """Programs find an address in text by its points and colons."""
    body = make(make_message(EN, [PAYLOAD]))
    text = body.get("message") or body["body"].partition("\n\n")[2]

    assert re.findall(r"\w[.:@]\w|://", text.replace("https://r.example/reports/1", "")) == []
    assert text.endswith("\nhttps://r.example/reports/1")
    assert "\x1b" not in text


def test_the_message_of_a_push_service_opens_our_page() -> None:
    """One that is about no page opens nothing."""
    with_link, without = (make_message(EN, [each]) for each in (PAYLOAD, {"type": "webhook.test", "data": {}}))

    assert ntfy_body(with_link)["click"] == "https://r.example/reports/1"
    assert gotify_body(with_link)["extras"]["client::notification"]["click"]["url"] == "https://r.example/reports/1"
    assert ntfy_body(without) == {"title": "Test message", "message": "Test message"}
    assert set(gotify_body(without)["extras"]) == {"client::display"}


@pytest.mark.parametrize(("over", "is_cut"), [(0, False), (1, True)])
def test_details_of_one_event_end_at_their_limit(over: int, *, is_cut: bool) -> None:
    """In bytes, and no character is torn."""
    lines = ("ü" * 1_000, "x" * (MAX_DETAILS_BYTES - 2_000 - 1 + over))
    item = Item(headline="H", page="", lines=lines, link="", link_label="")
    text = ntfy_body(Message(title="T", items=(item,), more=""))["message"].removeprefix("H\n")

    assert len(text.encode()) == MAX_DETAILS_BYTES
    assert text.endswith("…") is is_cut


@pytest.mark.parametrize("letter", ["x", "ü", "界", "😀", '"'])
@pytest.mark.parametrize(("count", "lines"), [(1, 20), (MAX_ITEMS, 20), (MAX_ITEMS, 1), (MAX_ITEMS, 2)])
def test_the_longest_message_fits_into_push_services(letter: str, count: int, lines: int) -> None:
    """Ntfy takes 4,096 bytes in a body of twice as many, Telegram 4,096 units of UTF-16."""
    budgets = [{"condition": letter * 300, "value": 70, "limit": 80}] * lines
    data = {**PAYLOAD["data"], "budgets": budgets, "error": {"message": letter * 300 * (lines > 2)}}
    data["report"] = {"url": "https://example.com/" + letter * 2_000, "score": 70}
    data["links"] = {"report": "https://" + "r" * 63 + ".example/reports/1"}
    message = make_message(EN, [{**PAYLOAD, "data": data}] * count, 5_000, room=SMALL_BYTES)
    pushed = ntfy_body(message)

    assert len(pushed["message"].encode()) <= 4_096
    assert len(json.dumps({**pushed, "topic": "t" * 64}, ensure_ascii=False).encode()) <= 8_192
    assert len(Markup(telegram_body(message)["text"]).text.encode("utf-16-le")) // 2 <= 4_096
    assert len(json.dumps(matrix_body(make_message(EN, [{**PAYLOAD, "data": data}] * count)))) <= 60_000
    assert "more events" in pushed["message"]


@pytest.mark.parametrize(
    ("kind", "data", "headline"),
    [
        (
            "report.failed",
            {"report": {"url": "https://a.example/"}, "error": {"message": "No such host."}},
            "Analysis failed",
        ),
        ("monitor.unreachable", {"report": {"url": "https://a.example/"}}, "Page unreachable"),
        ("monitor.reminder", {"still": "breached", "since": "2026-01-03T08:00:00.000Z"}, "Budget still exceeded"),
        ("monitor.reminder", {"still": "unreachable", "since": "2026-01-03T08:00:00.000Z"}, "Page still unreachable"),
        ("report.recovered", {"report": {"url": "https://a.example/", "score": 90}}, "Within budget again"),
        ("report.completed", {"report": {"url": "https://a.example/", "score": 90}}, "Analysis completed"),
        (
            "webhook.disabled",
            {"url": "https://hook.example/", "links": {"webhooks": "https://r/webhooks/1"}},
            "Webhook disabled",
        ),
        ("webhook.test", {}, "Test message"),
        ("audit.completed", {"audit": {"url": "https://a.example/", "score": 90}}, "Site audit completed"),
        ("audit.failed", {"audit": {"url": "https://a.example/", "score": None}}, "Site audit failed"),
        ("audit.paused", {"audit": {"url": "https://a.example/", "score": None}}, "Site audit paused"),
        ("audit.regressed", {"audit": {"url": "https://a.example/", "score": 60}}, "Site got worse"),
    ],
)
def test_every_type_has_its_headline(kind: str, data: dict[str, Any], headline: str) -> None:
    """Also those without a report."""
    (item,) = make_message(EN, [{"type": kind, "data": data}]).items

    assert item.headline == headline


@pytest.mark.parametrize(
    ("percent", "title", "german"),
    [(80, "Quota nearly used", "Kontingent fast aufgebraucht"), (100, "Quota used up", "Kontingent aufgebraucht")],
)
def test_a_message_about_a_quota_says_what_is_used(percent: int, title: str, german: str) -> None:
    """With its name, both numbers and a link to all quotas, in the language of the reader."""
    quota = {"name": "analyses_per_month", "used": 4_010, "limit": 5_000, "percent": percent}
    payload = {"type": "quota.low", "data": {"quota": quota, "links": {"team": "https://r.example/team"}}}

    made = make_message(EN, [payload])

    assert (made.title, made.items[0].lines) == (title, ("Analyses this month: 4,010 of 5,000",))
    assert (made.items[0].link, made.items[0].link_label) == ("https://r.example/team", "See all quotas")
    assert make_message(Texts("de"), [payload]).title == german


def test_a_message_about_a_site_says_what_became_of_it() -> None:
    """In the language of its reader, with a link to the audit; why there is no grade, where there is none."""
    site = {"id": 3, "url": "https://a.example/", "project": "a.example"}
    links = {"audit": "https://r.example/audits/3"}
    change = {"score": -5, "since": 1, "new": 2, "worse": 1, "fixed": 0, "better": 0}
    worse = {"audit": {**site, "score": 60, "withheld": None}, "change": change, "links": links}
    failed = {"audit": {**site, "score": None, "withheld": withheld_object("start_unreachable")}, "links": links}
    both = [{"type": "audit.regressed", "data": worse}, {"type": "audit.failed", "data": failed}]

    one = make_message(EN, both[:1])
    of_two = make_message(Texts("de"), both)

    assert one.title == "Site got worse (65 → 60): https://a.example/"
    assert one.items[0].lines == ("Score: 60 (-5)", "Findings: 2 new, 0 fixed", "1 finding on more pages")
    assert (one.items[0].link, one.items[0].link_label) == (links["audit"], "Open audit")
    assert of_two.title.startswith("a.example: Website ist schlechter geworden, ")
    assert of_two.items[1].lines == ("Keine Note. Die Startseite konnte nicht abgerufen werden.",)
    for body in (slack_body(of_two), teams_body(of_two)):
        assert "Audit öffnen" in json.dumps(body, ensure_ascii=False)


def test_a_message_fits_into_what_chat_programs_accept() -> None:
    """Discord refuses more than 6,000 characters, Teams more than 28 kB; the events left out are counted."""
    condition = "metric<" + "9" * 190
    data = {**PAYLOAD["data"], "budgets": [{"condition": condition, "value": 70, "limit": 80}] * 10}
    data["report"] = {"url": "https://example.com/" + "x" * 2_000, "score": 70}
    message = make_message(EN, [{**PAYLOAD, "data": data}] * MAX_ITEMS)
    embeds = discord_body(message)["embeds"]

    assert 0 < len(embeds) < MAX_ITEMS
    assert message.more == f"{MAX_ITEMS - len(embeds)} more events"
    assert sum(len(each["title"]) + len(each["description"]) for each in embeds) <= 6_000
    assert len(json.dumps(teams_body(message))) <= 28_000


@pytest.mark.parametrize("host", ["r.example", f"{'a' * 60}.{'b' * 60}.example"])
def test_the_link_that_stops_messages_stays_whole(host: str) -> None:
    """Mail programs read the header as it is sent; encoded or folded, it has no link."""
    url = f"https://{host}/unsubscribe/123-{'A' * 32}"
    mail = email_message(
        EN,
        make_message(EN, [PAYLOAD]),
        sender=f"pagegrade@{host}",
        recipient="person@example.org",
        message_id="msg_" + "a" * 32,
        unsubscribe_url=url,
        at_ms=1_767_225_600_000,
    )
    head = mail.as_bytes().partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")

    assert f"List-Unsubscribe: <{url}>" in head
    assert f"Message-ID: <msg_{'a' * 32}@{host}>" in head


@pytest.mark.parametrize(
    ("payloads", "count", "subject"),
    [
        ([("report.regressed", "https://a.example/x", 60, -21)], 1, "Budget exceeded (81 → 60): https://a.example/x"),
        ([("report.failed", "https://a.example/x", None, None)], 1, "Analysis failed: https://a.example/x"),
        (
            [("report.failed", "https://a.example/x", None, None), ("report.recovered", "https://a.example/", 90, 9)],
            2,
            "a.example: Analysis failed, Within budget again",
        ),
        (
            [("report.regressed", f"https://{host}.example/", 60, -1) for host in "aabc"],
            9,
            "a.example and 2 more sites: Budget exceeded (4), 5 more events",
        ),
    ],
    ids=["a drop", "a failure", "a site", "several sites"],
)
def test_the_subject_names_the_site_and_the_change(
    payloads: list[tuple[str, str, int | None, int | None]], count: int, subject: str
) -> None:
    """So that nobody opens ten messages to find the one that matters."""
    sent = [
        {"type": kind, "data": {"report": {"url": url, "score": score}, "change": {"score": moved}}}
        for kind, url, score, moved in payloads
    ]

    assert make_message(EN, sent, count).title == subject


def invitation(inviter: str = "Alice", workspace: str = "Agency", texts: Texts = EN) -> EmailMessage:
    """The e-mail with an invitation."""
    found = Invitation(
        id=3, account_id=1, role=Role.EDITOR, label="Bob", created_at_ms=0, expires_at_ms=1_767_830_400_000
    )
    return invitation_message(
        texts,
        found,
        inviter=inviter,
        workspace=workspace,
        link="https://r.example/join/token",
        sender="pagegrade@r.example",
        recipient="bob@example.org",
        timezone="UTC",
        at_ms=1_767_225_600_000,
    )


def parts_of(mail: EmailMessage) -> tuple[str, str]:
    """The text and the HTML."""
    plain, rich = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain is not None
    assert rich is not None
    return str(plain.get_content()), str(rich.get_content())


def test_an_invitation_says_who_invites_to_what() -> None:
    """With the role, the link and how long it works, as text and as HTML."""
    mail = invitation()
    plain, rich = parts_of(mail)

    assert mail["Subject"] == "Invitation to the workspace Agency"
    assert mail["To"] == "bob@example.org"
    assert plain.split("\n\n")[:3] == [
        "Alice invites you to work in the workspace Agency on Pagegrade.",
        "Your role: Editor",
        "https://r.example/join/token",
    ]
    assert "until 8 Jan 2026" in plain
    assert '<a href="https://r.example/join/token">Accept the invitation</a>' in rich


def test_an_invitation_is_in_the_language_of_its_reader() -> None:
    """The role as well."""
    mail = invitation(texts=Texts("de"))

    assert mail["Subject"] == "Einladung in den Arbeitsbereich Agency"
    assert "Ihre Rolle: Bearbeiter" in parts_of(mail)[0]


def test_names_in_an_invitation_make_no_link() -> None:
    """Whoever invites chooses both names: no markup, no second link, no line of the head."""
    name = "Win https://evil.example/x www.evil.example a@evil.example <a href=//evil>\r\nBcc: x@evil.example"
    mail = invitation(inviter=name, workspace=name)
    plain, rich = parts_of(mail)
    texts = "".join((mail["Subject"], plain, rich)).replace("https://r.example/join/token", "")

    assert mail["Bcc"] is None
    assert [each for each in ("evil.", "https:", "@") if each in texts] == []
    assert rich.count("<a ") == 1
