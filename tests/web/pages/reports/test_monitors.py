"""Monitors on pages."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.report.serialize import timestamp
from pagegrade.web.pages.reports.monitors import _as_picked, _conditions_of
from pagegrade.worker.housekeeping import queue_due_monitors
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

FORM = {"schedule": "Daily", "timezone": "Europe/Prague", "budgets": "score < 80\r\nhigh>0"}


def test_a_monitor_is_created_listed_changed_and_deleted(tmp_path: Path) -> None:
    """With forms alone."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/a?<b>")
        empty = (await instance.page("GET", "/monitors")).text
        form = (await instance.page("GET", "/reports/1/monitor")).text
        made = await instance.page("POST", "/reports/1/monitor", data=FORM)
        await instance.finish(make_report(score=60))
        listed = (await instance.page("GET", made.headers["location"])).text
        edit = (await instance.page("GET", "/monitors/1")).text
        changed = await instance.page("POST", "/monitors/1", data={**FORM, "budgets": "high>0", "paused": "1"})
        monitor = (await instance.call("GET", "/api/v1/monitors/1")).json()["data"]
        paused = (await instance.page("GET", changed.headers["location"])).text
        again = (await instance.page("GET", "/monitors/1")).text
        gone = await instance.page("POST", "/monitors/1/delete")

        assert "No monitors yet" in empty
        assert 'value="UTC"' in form
        assert "Nobody gets a message yet." in form
        assert re.search(r"<p>It is analyzed every day, next on [^<]+\. You are told when one of its 2 budgets", edit)
        assert "<p>It is paused: nothing is analyzed, and nobody is told anything." in again
        assert (made.status_code, changed.status_code, gone.status_code) == (303, 303, 303)
        assert "The monitor was created." in listed
        assert "Breached" in listed
        assert "score&lt;80" in listed
        assert "a?&lt;b&gt;" in listed or "%3Cb%3E" in listed
        assert 'value="Europe/Prague"' in edit
        assert 'name="score_below" type="number" value="80"' in edit
        assert ">high&gt;0</textarea>" in edit
        assert (monitor["paused"], monitor["timezone"]) == (True, "Europe/Prague")
        assert [budget["condition"] for budget in monitor["budgets"]] == ["high>0"]
        assert "Paused" in paused
        assert 'id="paused" name="paused" value="1" checked' in again
        assert "No monitors yet" in (await instance.page("GET", gone.headers["location"])).text

    with_instance(tmp_path, script)


def test_the_form_says_who_hears_of_it(tmp_path: Path) -> None:
    """Webhooks for its site or every site that get its events, by their kind; not those of others or out of use."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/")
        hooks = (
            {"url": "https://a.example/1", "events": ["report.regressed"]},
            {"url": "https://a.example/2", "events": ["report.regressed"], "project": "example.com"},
            {"url": "https://a.example/3", "events": ["report.regressed"], "project": "example.org"},
            {"url": "https://a.example/4", "events": ["report.completed"]},
            {"kind": "slack", "url": "https://hooks.slack.com/services/T/B/x", "events": ["report.regressed"]},
        )
        for hook in hooks:
            await instance.call("POST", "/api/v1/webhooks", json=hook)
        bob = add_owner(instance.services.database, "Bob")[0]
        form = (await instance.page("GET", "/reports/1/monitor")).text
        of_any = (await instance.page("GET", "/monitors/new")).text
        of_site = (await instance.page("GET", "/monitors/new?project=https%3A%2F%2Fwww.Example.com%2F")).text
        of_bob = (await instance.page("GET", "/monitors/new", account=bob)).text
        await instance.page(
            "POST", "/reports/1/monitor", data={**FORM, "budgets": "", "schedule": "cron", "cron": "1 2 * * *"}
        )
        edit = (await instance.page("GET", "/monitors/1")).text

        assert "Messages go to: Webhook (JSON, signed) (2), Slack." in " ".join(form.split())
        assert "Messages go to: Webhook (JSON, signed) (2), Slack." in " ".join(of_site.split())
        assert "Messages go to: Webhook (JSON, signed), Slack." in " ".join(of_any.split())
        assert "Nobody gets a message yet." in of_bob
        assert re.search(r"It is analyzed at times of your own, next on [^<]+ Without a budget, only what", edit)
        assert "Nobody gets a message yet." in edit

    with_instance(tmp_path, script)


def plan(answer: httpx.Response) -> str:
    """The paragraph that says what a monitor does and who hears of it, as it is read."""
    found = re.search(r"<p>(?:(?!</p>).)*<a href=\"/webhooks\">", answer.text, re.DOTALL)
    return " ".join(re.sub("<[^>]*>", "", found[0] if found else "").split())


async def tell(instance: Instance, *events: str, **more: str) -> None:
    """Set up a webhook for these events."""
    body = {"url": f"https://hooks.example/{events[0]}", "events": list(events), **more}
    assert (await instance.call("POST", "/api/v1/webhooks", json=body)).status_code == 201


def test_nobody_is_said_only_where_it_is_sure(tmp_path: Path) -> None:
    """Pages of a tag or a sitemap, and of a site that is not typed yet, may be of the site of a webhook."""
    nobody = "Nobody gets a message yet."

    async def script(instance: Instance) -> None:
        await instance.create("https://shop.example/")
        before = plan(await instance.page("GET", "/monitors/new?tag=x"))
        await tell(instance, "report.regressed", project="shop.example")
        unknown = [
            plan(await instance.page("GET", f"/monitors/new{query}"))
            for query in ("", "?tag=x", "?sitemap=https%3A%2F%2Fshop.example%2Fs.xml", "?project=%3A%3A")
        ]
        heard = plan(await instance.page("GET", "/monitors/new?project=shop.example"))
        other = plan(await instance.page("GET", "/monitors/new?project=other.example"))
        sent = {"kind": "project", "schedule": "", "budgets": ""}
        again = plan(await instance.page("POST", "/monitors/new", data={**sent, "of": "https://SHOP.example/"}))
        for kind, of in (("project", "www.shop.example"), ("project", "other.example"), ("tag", "x")):
            await instance.page("POST", "/monitors/new", data={**FORM, "kind": kind, "of": of})
        kept = [plan(await instance.page("GET", f"/monitors/{number}")) for number in (1, 2, 3)]

        assert nobody in before
        assert not [text for text in unknown if nobody in text or "Messages go" in text]
        assert [text.startswith("Messages go to: Webhook") for text in (heard, again)] == [True, True]
        assert nobody in other
        assert ["Messages go to: Webhook" in text for text in kept] == [True, False, False]
        assert [nobody in text for text in kept] == [False, True, False]

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("event", "budgets", "heard"),
    [
        ("monitor.unreachable", "", True),
        ("monitor.unreachable", "score<80", True),
        ("report.regressed", "", False),
        ("report.regressed", "score<80", True),
        ("report.completed", "score<80", False),
        ("audit.regressed", "score<80", False),
    ],
)
def test_only_who_gets_what_a_monitor_tells_is_named(tmp_path: Path, event: str, budgets: str, *, heard: bool) -> None:
    """Without a budget nothing regresses; a form that is not saved yet names those of both events."""

    async def script(instance: Instance) -> None:
        await instance.create("https://shop.example/")
        await tell(instance, event)
        form = plan(await instance.page("GET", "/reports/1/monitor"))
        await instance.page("POST", "/reports/1/monitor", data={**FORM, "budgets": budgets})
        text = plan(await instance.page("GET", "/monitors/1"))

        assert ("Messages go to: Webhook" in text, "Nobody gets a message yet." in text) == (heard, not heard)
        assert ("Messages go to: Webhook" in form) == (event in {"monitor.unreachable", "report.regressed"})

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("event", "heard"), [("audit.regressed", True), ("monitor.unreachable", True), ("report.regressed", False)]
)
def test_a_site_that_got_worse_is_told_without_a_budget(tmp_path: Path, event: str, *, heard: bool) -> None:
    """As of every audit."""

    async def script(instance: Instance) -> str:
        await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/shop"})
        await tell(instance, event)
        await instance.page("POST", "/audits/1/monitor", data={**FORM, "budgets": ""})
        return plan(await instance.page("GET", "/monitors/1"))

    text = with_instance(tmp_path, script)

    assert "Without a budget, you are told when the site got worse or cannot be reached." in text
    assert ("Messages go to: Webhook" in text) is heard


@pytest.mark.parametrize("silence", [{"monitor_id": 1}, {"project": "shop.example"}])
def test_people_are_not_named_during_a_silence(tmp_path: Path, silence: dict[str, str | int]) -> None:
    """Of the monitor or of its site; programs get their events all the same."""

    async def script(instance: Instance) -> None:
        await instance.create("https://shop.example/")
        await instance.page("POST", "/reports/1/monitor", data=FORM)
        slack = {"kind": "slack", "url": "https://hooks.slack.com/services/T/B/x", "events": ["report.regressed"]}
        await instance.call("POST", "/api/v1/webhooks", json=slack)
        before = plan(await instance.page("GET", "/monitors/1"))
        until = timestamp(now_ms() + 3_600_000)
        made = await instance.call("POST", "/api/v1/silences", json={**silence, "reason": "Move", "until": until})
        people = plan(await instance.page("GET", "/monitors/1"))
        await tell(instance, "report.regressed")
        programs = plan(await instance.page("GET", "/monitors/1"))
        await instance.call("DELETE", "/api/v1/silences/1")
        after = plan(await instance.page("GET", "/monitors/1"))

        assert made.status_code == 201
        assert "Messages go to: Slack." in before
        assert "There is a silence: people get no messages." in people
        assert "Messages go to" not in people
        assert "Nobody" not in people
        assert "There is a silence: people get no messages. Messages go to: Webhook (JSON, signed)." in programs
        assert "Messages go to: Slack, Webhook (JSON, signed)." in after
        assert "silence" not in after

    with_instance(tmp_path, script)


def test_nobody_is_named_while_a_monitor_is_paused(tmp_path: Path) -> None:
    """Nor warned of: nothing is told."""

    async def script(instance: Instance) -> list[str]:
        await instance.create("https://shop.example/")
        await instance.page("POST", "/reports/1/monitor", data={**FORM, "paused": "1"})
        nobody = plan(await instance.page("GET", "/monitors/1"))
        await tell(instance, "report.regressed", "monitor.unreachable")
        return [nobody, plan(await instance.page("GET", "/monitors/1"))]

    assert with_instance(tmp_path, script) == ["It is paused: nothing is analyzed, and nobody is told anything."] * 2


def test_an_audit_is_monitored_from_its_page(tmp_path: Path) -> None:
    """With forms alone, and conditions of a site."""
    sent = {"schedule": "weekly", "timezone": "UTC", "budgets": "check.orphan-pages\r\npages drop>=10%"}

    async def script(instance: Instance) -> None:
        await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/shop"})
        page = (await instance.page("GET", "/audits/1")).text
        form = (await instance.page("GET", "/audits/1/monitor")).text
        refused = await instance.page("POST", "/audits/1/monitor", data={**sent, "budgets": "lcp_ms>2500"})
        made = await instance.page("POST", "/audits/1/monitor", data=sent)
        listed = (await instance.page("GET", made.headers["location"])).text
        edit = (await instance.page("GET", "/monitors/1")).text
        wrong = await instance.page("POST", "/monitors/1", data={**sent, "budgets": "lcp_ms>2500"})
        changed = await instance.page("POST", "/monitors/1", data={**sent, "budgets": "score<80"})

        assert 'href="/audits/1/monitor"' in page
        assert 'value="weekly"' in form
        assert 'action="/audits/1/monitor"' in form
        assert [one.status_code for one in (refused, wrong)] == [422, 422]
        assert all("no condition on a site" in one.text for one in (refused, wrong))
        assert (made.status_code, changed.status_code) == (303, 303)
        assert 'href="/audits/1"' in listed
        assert "example.com/shop" in listed
        assert "check.orphan-pages\npages drop&gt;=10%</textarea>" in edit
        assert (await instance.page("GET", "/audits/7/monitor")).status_code == 404

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"schedule": ""}, "schedule", "This schedule cannot be used"),
        ({"schedule": "* * * * *"}, "schedule", "This schedule cannot be used"),
        ({"schedule": "x" * 101}, "schedule", "This schedule cannot be used"),
        ({"timezone": "Mars"}, "timezone", "There is no such time zone"),
        ({"budgets": "score"}, "budgets", "A line is no condition"),
        ({"budgets": "score<80\n" * 21}, "budgets", "A monitor has at most 20 budgets"),
    ],
)
def test_what_cannot_be_used_is_said_beside_its_field(
    tmp_path: Path, change: dict[str, str], field: str, said: str
) -> None:
    """When it is created and when it is changed; what was typed stays."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        refused = await instance.page("POST", "/reports/1/monitor", data={**FORM, **change})
        await instance.page("POST", "/reports/1/monitor", data=FORM)
        return [refused, await instance.page("POST", "/monitors/1", data={**FORM, **change})]

    for answer in with_instance(tmp_path, script):
        assert answer.status_code == 422
        assert f'<a href="#{field}">{said}' in answer.text
        assert f'id="{field}-error"' in answer.text


def test_an_account_with_as_many_monitors_as_it_may_have_says_so(tmp_path: Path) -> None:
    """Above the form."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        await instance.page("POST", "/reports/1/monitor", data=FORM)
        return await instance.page("POST", "/reports/1/monitor", data=FORM)

    refused = with_instance(tmp_path, script, max_monitors=1)

    assert refused.status_code == 429
    assert "Delete one of them first" in refused.text


def test_monitors_of_others_are_not_there(tmp_path: Path) -> None:
    """Bob gets what he gets for one that never was."""

    async def script(instance: Instance) -> list[int]:
        await instance.create()
        await instance.page("POST", "/reports/1/monitor", data=FORM)
        bob = add_owner(instance.services.database, "Bob")[0]
        asked = [
            ("GET", "/monitors/1"),
            ("POST", "/monitors/1"),
            ("POST", "/monitors/1/delete"),
            ("GET", "/reports/1/monitor"),
            ("POST", "/reports/1/monitor"),
        ]
        return [(await instance.page(method, path, account=bob, data=FORM)).status_code for method, path in asked]

    assert with_instance(tmp_path, script) == [404] * 5


def test_a_page_behind_the_last_one_leads_back(tmp_path: Path) -> None:
    """As in every list."""

    async def script(instance: Instance) -> str:
        await instance.create()
        await instance.page("POST", "/reports/1/monitor", data=FORM)
        return (await instance.page("GET", "/monitors?page=9")).text

    assert "There is nothing on this page of the list" in with_instance(tmp_path, script)


def test_monitors_are_those_of_a_site_however_it_is_typed(tmp_path: Path) -> None:
    """Nothing is every site, and what is no site has none."""

    async def script(instance: Instance) -> None:
        for site in ("shop.example", "other.example"):
            await instance.page("POST", "/monitors/new", data={"kind": "project", "of": site, "schedule": "daily"})
        of_site = (await instance.page("GET", "/monitors?project=https%3A%2F%2Fwww.SHOP.example%2F")).text
        every = [(await instance.page("GET", f"/monitors?project={typed}")).text for typed in ("%20", "")]
        none = (await instance.page("GET", "/monitors?project=%3A%3A")).text

        assert "1 monitor of shop.example." in of_site
        assert of_site.count('id="monitor-') == 1
        assert [text.count('id="monitor-') for text in every] == [2, 2]
        assert "0 monitors of ::." in none
        assert not [text for text in every if "monitors of" in text]

    with_instance(tmp_path, script)


def test_the_history_of_a_report_marks_what_crossed_for_its_owner_only(tmp_path: Path) -> None:
    """In the chart and in its table."""

    async def script(instance: Instance) -> list[str]:
        made = await instance.create("https://example.com/")
        budgets = [f"score<{limit}" for limit in range(71, 77)]
        await instance.call("POST", "/api/v1/monitors", json={"report_id": 1, "schedule": "daily", "budgets": budgets})
        for score in (90, 70, 90):
            await instance.finish(make_report(score=score))
            await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
        await instance.finish(make_failed_report())
        await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
        await instance.finish(make_failed_report())
        await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
        await instance.finish(make_report(score=90))
        own = (await instance.page("GET", "/reports/1?view=history")).text
        shared = (await instance.page("GET", f"{made['share_url'].removeprefix(BASE_URL)}?view=history")).text
        return [own, shared]

    own, shared = with_instance(tmp_path, script)

    assert own.count("M-5 2h10l-5 8z") == 2
    assert own.count("Breached <code") == 1
    assert own.count("Recovered <code") == 1
    assert own.count("Unreachable") == 1
    assert own.count("Reachable again") == 1
    assert own.count("score&lt;71</code> <span") == 2
    assert own.count(">+5</span>") == 2
    assert "A triangle:" in own
    assert "A triangle:" not in shared
    assert "score&lt;71" not in shared


def test_the_page_of_a_site_lists_what_monitors_found_this_week(tmp_path: Path) -> None:
    """Breaches and pages that could not be reached, not what recovered; of this site, and with a report's history."""

    async def script(instance: Instance) -> list[str]:
        budgets = [f"score<{limit}" for limit in range(71, 78)]
        for number, url in enumerate(("https://example.com/", "https://other.example/"), 1):
            await instance.create(url)
            body = {"report_id": number, "schedule": "daily", "budgets": budgets}
            await instance.call("POST", "/api/v1/monitors", json=body)
        for report in (make_report(score=70), make_report(score=90), make_failed_report(), make_failed_report()):
            await instance.finish(report)
            await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
        return [(await instance.page("GET", f"/reports{query}")).text for query in ("?project=example.com", "")]

    site, everything = with_instance(tmp_path, script)

    assert "Monitors found 2 regressions this week" in site
    assert site.count('href="/reports/1?view=history"') == 2
    assert 'href="/reports/2?view=history"' not in site
    assert "Unreachable" in site
    assert "score&lt;75</code> …" in site
    assert "score&lt;76" not in site
    assert "regressions this week" not in everything


def test_times_of_ones_own_are_an_expression(tmp_path: Path) -> None:
    """In a field of their own, which counts with that choice only; a wrong one is named there."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/")
        wrong = await instance.page("POST", "/reports/1/monitor", data={"schedule": "cron", "cron": "often"})
        await instance.page("POST", "/reports/1/monitor", data={"schedule": "cron", "cron": "30 6 * * 1-5"})
        await instance.page("POST", "/reports/1/monitor", data={"schedule": "weekly", "cron": "30 6 * * 1-5"})
        found = (await instance.call("GET", "/api/v1/monitors")).json()["data"]
        form = (await instance.page("GET", "/monitors/1")).text

        assert wrong.status_code == 422
        assert 'id="cron-error"' in wrong.text
        assert 'href="#cron"' in wrong.text
        assert 'value="often"' in wrong.text
        assert [each["schedule"] for each in found] == ["weekly", "30 6 * * 1-5"]
        assert '<option value="cron" selected>' in form
        assert 'value="30 6 * * 1-5"' in form

    with_instance(tmp_path, script)


def test_usual_budgets_are_picked(tmp_path: Path) -> None:
    """The form shows what was picked in its own field, and what cannot be picked, or a second of a kind, as typed."""
    picked = {"score_below": "80", "score_drop": " 5 ", "lcp_after": "2500", "severity": "high"}

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/")
        typed = {**picked, "schedule": "daily", "budgets": "score<60\nlcp_ms>4000 for 3"}
        await instance.page("POST", "/reports/1/monitor", data=typed)
        form = (await instance.page("GET", "/monitors/1")).text
        await instance.page("POST", "/monitors/1", data={"schedule": "daily", "score_below": "70", "severity": ""})
        later = (await instance.call("GET", "/api/v1/monitors/1")).json()["data"]
        wrong = await instance.page("POST", "/monitors/1", data={"schedule": "daily", "score_below": "high"})

        assert all(f'type="number" value="{picked[name].strip()}"' in form for name in ("score_below", "score_drop"))
        assert '<option value="high" selected>' in form
        assert ">score&lt;60\nlcp_ms&gt;4000 for 3</textarea>" in form
        assert [budget["condition"] for budget in later["budgets"]] == ["score<70"]
        assert wrong.status_code == 422
        assert 'value="high"' in wrong.text

    with_instance(tmp_path, script)


def test_every_condition_survives_the_form() -> None:
    """Whatever is stored is sent back as it was, in any order."""
    conditions = [
        "score<80",
        "score drop>=5",
        "score<60",
        "score drop>=20%",
        "severity>=low",
        "severity>=high",
        "high>0",
    ]

    assert sorted(filter(None, "\n".join(_conditions_of(_as_picked(conditions))).split("\n"))) == sorted(conditions)


def test_many_pages_are_monitored_by_one_form(tmp_path: Path) -> None:
    """The set is named by the link that leads there, wrong names are said at their field, and the list shows it."""

    async def script(instance: Instance) -> None:
        await instance.create("https://a.example/1")
        await instance.call("PUT", "/api/v1/projects/a.example", json={"tags": ["client a"]})
        sites = (await instance.page("GET", "/projects?tag=client+a")).text
        form = (await instance.page("GET", "/monitors/new?tag=client+a")).text
        refused = [
            await instance.page("POST", "/monitors/new", data={**FORM, "kind": kind, "of": of})
            for kind, of in (("sitemap", "ftp://x.example/"), ("tag", " "), ("tag", "x" * 41), ("other", "x"))
        ]
        for kind, of in (("tag", "Client A"), ("project", "a.example"), ("sitemap", "a.example/<b>")):
            made = await instance.page("POST", "/monitors/new", data={**FORM, "kind": kind, "of": of})
            assert made.headers["location"] == "/monitors?said=created"
        listed = (await instance.page("GET", "/monitors")).text
        edit = (await instance.page("GET", "/monitors/1")).text
        changed = await instance.page("POST", "/monitors/1", data={**FORM, "schedule": "weekly"})

        assert 'href="/monitors/new?tag=client%20a"' in sites
        assert 'href="/monitors/new?project=a.example"' in sites
        assert '<option value="tag" selected>' in form
        assert 'value="client a"' in form
        assert [answer.status_code for answer in refused] == [422] * 4
        assert all('id="of-error"' in answer.text for answer in refused)
        assert 'href="/projects?tag=client%20a"' in listed
        assert 'href="/reports?project=a.example"' in listed
        assert "&lt;b&gt;" in listed or "%3Cb%3E" in listed
        assert "All pages of the sites with a tag" in edit
        assert 'name="of"' not in edit
        assert changed.headers["location"] == "/monitors?said=saved"

    with_instance(tmp_path, script)


def test_pages_of_a_set_that_are_bad_are_no_breach(tmp_path: Path) -> None:
    """A set without a budget, one page of which cannot be reached, has none that is breached."""

    async def script(instance: Instance) -> None:
        await instance.create("https://a.example/1")
        await instance.finish(make_report(score=60))
        await instance.page("POST", "/monitors/new", data={"kind": "project", "of": "a.example", "schedule": "daily"})
        await queue_due_monitors(instance.services)
        for _ in range(2):
            await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
            await instance.finish(make_failed_report())
        listed = (await instance.page("GET", "/monitors")).text

        assert "Breached" not in listed
        assert '<a href="/monitors/1">1 page breaches a budget or cannot be reached</a>' in listed

    with_instance(tmp_path, script)
