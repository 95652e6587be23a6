"""Real answers of every operation hold exactly what the description says, no member more and none less."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.access import AccessNote, VisitorView
from pagegrade.model.account import Account, Role
from pagegrade.model.artifacts import NOT_RENDERED
from pagegrade.model.report import IgnoredTotal
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import pack_report
from pagegrade.report.serialize import timestamp
from pagegrade.service.container import Services
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.repositories.members import add_membership
from pagegrade.web.routes import ALL_OPERATIONS
from tests.audit_builders import claim, fill
from tests.queue_builders import Queue, completed, failed
from tests.report_builders import make_ignored, make_report, make_result, make_results
from tests.store_builders import NOW_MS, add_key
from tests.web.calling import Instance, with_instance
from tests.web.documents_check import description, faults, faults_of_value, find_operation, resolved

REPORTS = "/api/v1/reports"
FORM = "application/x-www-form-urlencoded"
NEW = {"url": "https://example.com/new"}


BATCH = {"urls": ["https://example.com/a", "ftp://example.com/"]}
SILENCE = {"project": "example.com", "reason": "Move.", "until": timestamp(now_ms() + 3_600_000)}
MONITOR = {"report_id": 1, "schedule": "daily", "budgets": ["score<80"]}
HOOK = {"url": "https://hook.example/path", "events": ["report.completed"]}
PROFILE = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader", "password": "a password"}
AUDIT = {"url": "https://site.example/", "exclude": ["/private/"]}
KEY = {"name": "build", "scopes": ["reports:read"]}
INVITATION = {"label": "Bob", "role": "editor"}
RULE = {"check": "image-alt", "reason": "Known.", "report_id": 1}


def some_reports(services: Services, alice: Account) -> None:
    """One report that was analyzed twice, one that cannot be, one that waits."""
    queue = Queue(services.database, alice.id)

    def finish(outcome: PackedReport) -> None:
        (run,) = queue.claim()
        services.database.write_here(lambda tx: finish_run(tx, run, outcome, NOW_MS))

    report_id = queue.add("https://example.com/pricing").report_id
    results = (*make_results(), make_ignored())
    unseen = make_result(
        "color-contrast",
        category="accessibility",
        outcome="not_evaluated",
        state=None,
        lost=0.0,
        reason=f"{NOT_RENDERED.code}: {NOT_RENDERED.detail}",
    )
    report = make_report(*results, unseen, score=60, ignored=IgnoredTotal(findings=1, points=1))
    visitors = VisitorView(status=401, url="https://staging.example/", is_elsewhere=False, indexable=None)
    access = AccessNote(name="Staging", origins=("https://staging.example",), sent=("basic",), visitors=visitors)
    finish(pack_report(replace(report, run=replace(report.run, access=access))))
    queue.again(report_id)
    finish(completed(81))
    queue.add("https://nowhere.example/")
    finish(failed())
    queue.add("https://later.example/")


async def tour_criteria(see: Callable[..., Awaitable[httpx.Response]]) -> None:
    """A result of one that there is, and of one that there is not."""
    for number in ("1.4.5", "9.9.9"):
        for outcome in ("failed", "passed"):
            await see("PUT", f"{REPORTS}/1/criteria/{number}", json={"outcome": outcome})
        for method in ("GET", "DELETE", "DELETE"):
            await see(method, f"{REPORTS}/1/criteria/{number}")
    await see("GET", f"{REPORTS}/1/criteria")


async def tour_collections(see: Callable[..., Awaitable[httpx.Response]]) -> None:
    """Create, show, list and delete one of each kind, and some problems with them."""
    await tour_criteria(see)
    await see("PUT", "/api/v1/projects/example.com", json={"tags": ["shop"]})
    for path, bodies in (
        ("/api/v1/batches", (BATCH, {"privacy": 7})),
        ("/api/v1/ignores", (RULE, {"check": "none"})),
        ("/api/v1/account/keys", (KEY, {"name": "", "scopes": ["none"]})),
        ("/api/v1/account/invitations", (INVITATION, {"label": "", "role": "boss"})),
        ("/api/v1/silences", (SILENCE, {**SILENCE, "reason": ""})),
        ("/api/v1/monitors", (MONITOR, {"schedule": "often"})),
        ("/api/v1/access-profiles", (PROFILE, {"name": "", "origins": ["none"]})),
        ("/api/v1/audits", (AUDIT, {"url": "ftp://example.com/"})),
        ("/api/v1/webhooks", (HOOK, {"url": "http://127.0.0.1/", "events": ["none"]})),
    ):
        for body in bodies:
            await see("POST", path, json=body)
        if path.endswith("profiles"):
            await see("PUT", f"{path}/1", json={"user": "other"})
        if path.endswith("webhooks"):
            await see("PUT", f"{path}/1", json={"events": ["report.failed"]})
            for place in ("rotate", "test", "deliveries/1/retry", "deliveries/2/retry"):
                await see("POST", f"{path}/1/{place}")
            await see("GET", f"{path}/1/deliveries")
        made = "/2" if path.endswith("keys") else "/1"  # the first is that of the requests
        for method, place in (("GET", ""), ("GET", made), ("DELETE", made), ("GET", made)):
            await see(method, f"{path}{place}")
    await see("POST", "/api/v1/monitors", json=MONITOR)
    await see("PUT", "/api/v1/monitors/2", json={"paused": 1})
    await see("GET", "/api/v1/monitors?cursor=")


async def tour_members(instance: Instance, see: Callable[..., Awaitable[httpx.Response]]) -> None:
    """Another role for one, who then is none any more."""

    def join(tx: Transaction) -> int:
        bob = add_account(tx, name="Bob", email="bob@example.org", now_ms=NOW_MS)
        add_membership(tx, instance.alice.id, bob.id, Role.VIEWER, NOW_MS)
        return bob.id

    place = f"/api/v1/account/members/{instance.services.database.write_here(join)}"
    await see("GET", "/api/v1/account/members")
    for role in ("admin", "boss"):
        await see("PUT", place, json={"role": role})
    for method in ("GET", "DELETE", "GET"):
        await see(method, place)


async def tour_audits(instance: Instance, see: Callable[..., Awaitable[httpx.Response]]) -> None:
    """One that was evaluated, and some problems with it."""
    made = (await see("POST", "/api/v1/audits", json=AUDIT)).json()["data"]
    place = f"/api/v1/audits/{made['id']}"
    crawl = await asyncio.to_thread(claim, instance.services.database)
    assert crawl is not None
    await asyncio.to_thread(fill, instance.services.database, crawl)
    for path in ("", "/proof", "/crawls", "/crawls/1", "/findings", "/findings/1/pages", "/pages", "/pages/2"):
        await see("GET", f"{place}{path}")
    for path in ("/pages?cursor=", "/links", "/links?cursor=&from=1", "/links?state=outside", "/links?kind=x"):
        await see("GET", f"{place}{path}")
    for path in (
        "/crawls/9",
        "/findings/9/pages",
        "/findings?crawl=9",
        "/pages/9",
        "/pages?status=1",
        "/export?part=0",
    ):
        await see("GET", f"{place}{path}")
    await see("GET", f"{place}/compare")
    await see("PUT", place, json={"results": 1})
    await asyncio.to_thread(
        fill, instance.services.database, await asyncio.to_thread(claim, instance.services.database)
    )
    await see("GET", f"{place}/compare?from=1&to=2")
    await see("PUT", place, json={"results": 1})
    await see("PUT", place, json={"paused": 1})
    await see("PUT", place, json={"cancel": 2})


async def tour(instance: Instance) -> list[httpx.Response]:
    """Every operation at least once, and as many kinds of problems as one can meet."""
    some_reports(instance.services, instance.alice)
    seen: list[httpx.Response] = []

    async def see(method: str, path: str, **more: Any) -> httpx.Response:
        answer = await instance.call(method, path, **more)
        seen.append(answer)
        return answer

    whole = await see("GET", f"{REPORTS}/1")
    for path in (
        REPORTS,
        f"{REPORTS}?include=results&per_page=100",
        f"{REPORTS}?search=nothing-like-it",
        f"{REPORTS}?cursor=",
    ):
        await see("GET", path)
    for number in (1, 2, 3):
        await see("GET", f"{REPORTS}/{number}")
        await see("GET", f"{REPORTS}/{number}/runs")
        await see("GET", f"{REPORTS}/{number}/runs/1")
        await see("GET", f"{REPORTS}/{number}/compare")
    await see("HEAD", f"{REPORTS}/1")
    await see("GET", f"{REPORTS}/1", headers={"If-None-Match": whole.headers["etag"]})
    await see("GET", f"{REPORTS}/1/compare?from=1&to=2")
    await tour_collections(see)
    await tour_audits(instance, see)
    await tour_members(instance, see)
    for path in ("account", "projects", "projects/example.com"):
        await see("GET", f"/api/v1/{path}")
    await see("GET", "/api/v1/checks", key=None)
    await see("GET", "/api/v1/checks/https", key=None)
    await see("GET", "/api/v1/openapi.json", key=None)
    # Changes.
    await see("POST", REPORTS, data=NEW)
    await see("POST", REPORTS, json={"url": "bare.example", "privacy": 2, "password": "correct horse"})
    await see("POST", REPORTS, data=NEW | {"password": "not used"}, headers={"Idempotency-Key": "one"})
    await see("POST", REPORTS, data=NEW | {"password": "not used"}, headers={"Idempotency-Key": "one"})
    await see("PUT", f"{REPORTS}/1", data={"privacy": 1})
    await see("PATCH", f"{REPORTS}/1", json={"results": 1})
    await see("POST", f"{REPORTS}/3", data={})
    # Problems.
    await see("POST", REPORTS, data=NEW, headers={"Idempotency-Key": "one"})
    await see("POST", REPORTS, data={"privacy": 3})
    await see("POST", REPORTS, data={"url": f"https://example.com/{'x' * 2_100}"})
    await see("POST", REPORTS, data={"url": "http://10.0.0.1/"})
    await see("POST", REPORTS, content=b"{", headers={"Content-Type": "application/json"})
    await see("POST", REPORTS, content=b"x", headers={"Content-Type": "text/plain"})
    await see("POST", REPORTS, content=b"x" * 70_000, headers={"Content-Type": FORM})
    await see("GET", f"{REPORTS}?per_page=7&page=0")
    await see("GET", f"{REPORTS}?page={'9' * 20_000}")
    for name, value in (("X-Long", "x" * 70_000), ("Prefer", "wait=soon"), ("Accept", "text/csv")):
        await see("GET", REPORTS, headers={name: value})
    await see("GET", REPORTS, key=None)
    await see("GET", REPORTS, key="pgk_nonsense")
    await see("GET", f"{REPORTS}/999")
    await see("GET", f"{REPORTS}/nonsense")
    await see("PUT", f"{REPORTS}/1", data={"privacy": 0}, headers={"If-Match": '"1-1"'})
    _, reader = add_key(instance.services.database, instance.alice.id, scopes=("reports:read",))
    await see("POST", REPORTS, data=NEW, key=reader)
    await see("GET", "/api/v1/account", key=reader)
    await see("DELETE", f"{REPORTS}/2")
    await see("DELETE", "/api/v1/projects/example.com")
    await see("POST", REPORTS, data=NEW | {"password": "not used"}, headers={"Idempotency-Key": "one"})
    return seen


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[httpx.Response]:
    """The answers of the tour."""
    return with_instance(tmp_path_factory.mktemp("tour"), tour, requests_per_minute=1_000)


def path_of(answer: httpx.Response) -> str:
    """Of the request, without the query."""
    return answer.request.url.raw_path.decode("ascii").partition("?")[0]


def test_answers_hold_what_the_description_says(answers: list[httpx.Response]) -> None:
    """Status, media type and every member; and none of them is a mistake of ours."""
    wrong = {
        f"{answer.request.method} {answer.request.url} {answer.status_code}": found
        for answer in answers
        if (found := faults(answer.request.method, path_of(answer), answer.status_code, answer.headers, answer.content))
    }

    assert wrong == {}
    assert [str(answer.request.url) for answer in answers if answer.status_code >= 500] == []


def test_every_success_of_every_operation_was_seen(answers: list[httpx.Response]) -> None:
    """A new operation has to be added to the tour."""
    described = {
        (operation.method, operation.path, status)
        for operation in ALL_OPERATIONS
        if operation.path.startswith("/api/")
        for status in operation.answers
    }
    seen = {
        (answer.request.method, template, answer.status_code)
        for answer in answers
        for _, template, _ in described
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path_of(answer))
    }

    assert described - seen == set()


def test_every_problem_that_can_be_met_was_seen(answers: list[httpx.Response]) -> None:
    """Except those that need many clients at once, a race, a missing extra or an internal error."""
    described = {example["value"]["code"] for example in description()["components"]["examples"].values()}
    seen = {answer.json()["code"] for answer in answers if answer.status_code >= 400 and answer.content}

    assert described - seen == {
        "idempotency_in_progress",
        "rate_limited",
        "quota_exceeded",
        "crawl_limit",
        "internal_error",
        "pdf_not_installed",
        "audit_not_installed",
        "unavailable",
    }


def test_every_member_that_is_sometimes_absent_was_seen(answers: list[httpx.Response]) -> None:
    """Members that never come are not described."""
    described = {
        (name, member)
        for name, schema in description()["components"]["schemas"].items()
        # Payloads of webhooks are no answers: tests/worker/test_deliver.py receives them.
        if not name.endswith(("Body", "Form", "Multipart", "Evidence")) and "Event" not in name
        for member in set(schema.get("properties", {})) - set(schema.get("required", ()))
    }
    await_warnings = {(name, "warnings") for name, member in described if member == "warnings"}
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        operation = find_operation(answer.request.method, path_of(answer))
        if answer.content and operation is not None:
            content = resolved(operation["responses"][str(answer.status_code)])["content"]
            media_type = answer.headers["content-type"].partition(";")[0]
            seen |= set(members_seen(content[media_type]["schema"], answer.json()))

    assert described - seen - await_warnings == set()
    assert seen & await_warnings


def members_seen(schema: dict[str, Any], value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """(schema, member) of everything in a JSON value that the description names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from members_seen(resolved(schema), value, name)
    for part in schema.get("anyOf", ()):
        yield from members_seen(part, value, name)
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from members_seen(schema["items"], item)
    if isinstance(value, dict):
        more = schema.get("additionalProperties")
        for member, inner in value.items():
            described = schema.get("properties", {}).get(member)
            if described is not None:
                yield name, member
                yield from members_seen(described, inner)
            elif isinstance(more, dict):
                yield from members_seen(more, inner)


@pytest.mark.parametrize("change", ["more", "less", "other"])
def test_an_answer_that_differs_would_be_noticed(change: str, answers: list[httpx.Response]) -> None:
    """A member more, one less, and one of another type, deep inside."""
    answer = next(answer for answer in answers if answer.json()["data"]["object"] == "report")
    body = copy.deepcopy(answer.json())
    facts = body["data"]["run"]
    if change == "more":
        facts["surprise"] = 1
    elif change == "less":
        del facts["engine"]
    else:
        facts["engine"] = 7
    found = faults("GET", path_of(answer), 200, answer.headers, json.dumps(body).encode())
    schema = resolved(description()["paths"][f"{REPORTS}/{{id}}"]["get"]["responses"]["200"])["content"]

    assert found
    assert faults_of_value(schema["application/json"]["schema"], answer.json()) == []


def test_an_undescribed_answer_would_be_noticed(answers: list[httpx.Response]) -> None:
    """A status, a media type, a path."""
    answer = answers[0]

    assert faults("GET", path_of(answer), 206, answer.headers, answer.content)
    assert faults("GET", path_of(answer), 200, {"content-type": "text/html"}, answer.content)
    assert faults("GET", "/api/v1/nothing", 200, answer.headers, answer.content)
    assert faults("GET", path_of(answer), 304, answer.headers, answer.content)
