"""The form that ignores a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.outcome import MAX_REASON, MAX_RULES, MAX_SELECTOR, Evidence, IgnoreRule, StoredIgnore
from pagegrade.model.stored import ListPart
from pagegrade.report.codec import pack_report
from pagegrade.service.ignores.operations import list_ignores
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.decisions import add_ignore
from pagegrade.web.pages.reports.finding_forms import MAX_ELEMENTS, elements_of
from tests.report_builders import make_report, make_result
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance
from tests.web.pages.account.test_account_page import DETAILS

DAY_MS = 86_400_000


def rules(instance: Instance) -> tuple[StoredIgnore, ...]:
    """The rules of Alice, newest first."""
    caller = Caller(account=instance.alice)
    return tuple(
        instance.services.database.read_here(lambda tx: list_ignores(tx, caller, ListPart(per_page=100)).items)
    )


async def finished(instance: Instance) -> str:
    """A check that found something in report 1."""
    await instance.create("https://shop.example/")
    report = make_report()
    await instance.finish(pack_report(report))
    return next(result.check for result in report.results if result.passed is False)


def test_a_finding_is_ignored_in_its_report_until_it_gets_worse(tmp_path: Path) -> None:
    """The page of the finding leads to a form, which needs no script; the rule is bounded by the finding."""

    async def script(instance: Instance) -> None:
        check = await finished(instance)
        report = (await instance.page("GET", f"/reports/1?open={check}")).text
        form = await instance.page("GET", f"/reports/1/ignore?check={check}")
        answer = await instance.page("POST", "/reports/1/ignore", data={"check": check, "reason": " Planned for May. "})
        said = (await instance.page("GET", answer.headers["location"])).text

        assert f'href="/reports/1/ignore?check={check}"' in report
        assert form.status_code == 200
        assert answer.status_code == 303
        assert "The finding is ignored from the next analysis on." in said
        (stored,) = rules(instance)
        assert (stored.report_id, stored.rule.check, stored.rule.reason) == (1, check, "Planned for May.")
        assert stored.rule.state is not None
        assert stored.rule.expires_at is None

    with_instance(tmp_path, script)


def test_the_finding_is_named_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """As its report names it."""

    async def script(instance: Instance) -> None:
        await finished(instance)
        await instance.page("POST", "/account", data={**DETAILS, "locale": "de"})
        form = (await instance.page("GET", "/reports/1/ignore?check=title-length")).text

        assert "<bdi>Länge des Titels</bdi>" in form

    with_instance(tmp_path, script)


def test_scope_selector_and_expiry_are_kept(tmp_path: Path) -> None:
    """A rule for the site or the account names no report; days count from now; the other choice's field is ignored."""

    async def script(instance: Instance) -> None:
        check = await finished(instance)
        more = {"check": check, "reason": "x"}
        before = now_ms()
        await instance.page(
            "POST",
            "/reports/1/ignore",
            data={**more, "scope": "project", "covers": "selector", "selector": ".banner img", "expires": "30"},
        )
        await instance.page(
            "POST", "/reports/1/ignore", data={**more, "scope": "account", "covers": "check", "selector": ".banner"}
        )
        account, project = rules(instance)

        assert (project.report_id, project.rule.project, project.rule.selector) == (None, "shop.example", ".banner img")
        assert project.rule.expires_at is not None
        assert 0 <= project.rule.expires_at.timestamp() * 1000 - before - 30 * DAY_MS < DAY_MS
        assert (account.report_id, account.rule.project, account.rule.selector) == (None, "", "")

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"reason": " "}, "Say why it is ignored."),
        ({"reason": "x" * (MAX_REASON + 1)}, "The reason is too long."),
        ({"reason": "x", "covers": "selector"}, "Enter a selector"),
        ({"reason": "x", "covers": "selector", "selector": ":has(>"}, "This selector cannot be used."),
        ({"reason": "x", "covers": "selector", "selector": "a" * (MAX_SELECTOR + 1)}, "The selector is too long."),
    ],
)
def test_what_cannot_be_used_is_said_and_kept_in_the_form(
    tmp_path: Path, fields: dict[str, str], sentence: str
) -> None:
    """Nothing is stored, and what was typed stays."""

    async def script(instance: Instance) -> None:
        check = await finished(instance)
        answer = await instance.page("POST", "/reports/1/ignore", data={"check": check, **fields})

        assert answer.status_code == 422
        assert sentence in answer.text
        assert rules(instance) == ()

    with_instance(tmp_path, script)


def test_only_findings_of_own_reports_are_ignored(tmp_path: Path) -> None:
    """Another's report, an unknown check and a check that passed are not there."""

    async def script(instance: Instance) -> None:
        check = await finished(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        passed = next(result.check for result in make_report().results if result.passed)
        for asked, account in ((check, bob), ("none", None), (passed, None), ("", None)):
            form = await instance.page("GET", f"/reports/1/ignore?check={asked}", account=account)
            sent = await instance.page(
                "POST", "/reports/1/ignore", account=account, data={"check": asked, "reason": "x"}
            )

            assert (form.status_code, sent.status_code) == (404, 404)
        assert rules(instance) == ()

    with_instance(tmp_path, script)


def test_a_full_account_is_said(tmp_path: Path) -> None:
    """The last rule that fits is stored; the next one is refused with what to do."""

    async def script(instance: Instance) -> None:
        check = await finished(instance)
        rule = IgnoreRule(check=check, reason="x")

        def fill(tx: Transaction) -> None:
            for _ in range(MAX_RULES - 1):
                add_ignore(tx, instance.alice.id, rule, report_id=None, now_ms=now_ms())

        await instance.services.database.write(fill)
        form = {"check": check, "reason": "x"}
        last = await instance.page("POST", "/reports/1/ignore", data=form)
        over = await instance.page("POST", "/reports/1/ignore", data=form)

        assert (last.status_code, over.status_code) == (303, 429)
        assert "as many ignore rules as it may have" in over.text

    with_instance(tmp_path, script)


def test_the_elements_to_choose_from_are_bounded() -> None:
    """Each selector once, those that no rule can hold left out."""
    places = [Evidence(selector=f"html > body > img:nth-of-type({number})") for number in range(1, MAX_ELEMENTS + 1)]
    long = Evidence(selector="a" * (MAX_SELECTOR + 1))
    exact = make_result(evidence=(long, *places[:2], places[0]))
    over = make_result(evidence=(*places, Evidence(selector="html > body > p")))

    assert elements_of(exact) == tuple(place.selector for place in places[:2])
    assert len(elements_of(over)) == MAX_ELEMENTS
