from __future__ import annotations

import asyncio
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.store.repositories.reports import load_report
from pagegrade.web.schemas.report import DeletedReport, ReportAnswer, ReportList
from tests.api_shapes import assert_described
from tests.report_builders import make_failed_report, make_passed, make_report
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


def test_a_report_is_created(tmp_path: Path) -> None:
    """201 with the report, where it is, what it is, and when to ask again."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", REPORTS, data={"url": "https://www.Example.com/a#b"})

    answer = with_instance(tmp_path, script)
    body: dict[str, Any] = answer.json()
    data = body["data"]

    assert (answer.status_code, body["status"]) == (201, 201)
    assert_described(ReportAnswer, body)

    assert (data["id"], data["url"], data["project"]) == (1, "https://www.example.com/a", "example.com")
    assert (data["state"], data["result"], data["privacy"], data["password"]) == ("queued", None, 0, False)
    assert answer.headers["location"] == f"{BASE_URL}{REPORTS}/1"
    assert answer.headers["etag"] == '"1-1"'
    assert answer.headers["retry-after"] == "2"
    assert parsedate_to_datetime(answer.headers["last-modified"]).tzinfo is not None
    assert [warning["code"] for warning in body["warnings"]] == ["fragment_dropped"]
    assert answer.headers["ratelimit-policy"] == '"requests";q=120;w=60, "analyses";q=30;w=60'


@pytest.mark.parametrize(
    "sent",
    [
        {"data": {"url": "https://example.com/", "privacy": "2", "password": " é "}},
        {"json": {"url": "https://example.com/", "privacy": 2, "password": " é ", "owner": 7, "state": "completed"}},
        {"json": {"url": "https://example.com/", "privacy": "2", "password": " é "}},
        {
            "content": b'--B\r\nContent-Disposition: form-data; name="url"\r\n\r\nhttps://example.com/\r\n--B\r\n'
            b'Content-Disposition: form-data; name="privacy"\r\n\r\n2\r\n--B\r\n'
            b'Content-Disposition: form-data; name="password"\r\n\r\n \xc3\xa9 \r\n--B--\r\n',
            "headers": {"Content-Type": "multipart/form-data; boundary=B"},
        },
        {"content": b"url=https%3A%2F%2Fexample.com%2F&privacy=2&password=+%C3%A9+&id=99"},
    ],
    ids=["form", "json", "json-text", "multipart", "untyped"],
)
def test_a_body_may_come_in_several_kinds(tmp_path: Path, sent: dict[str, Any]) -> None:
    """The same report comes of each; unknown fields assign nothing, and the password is kept exactly, hashed."""

    async def script(instance: Instance) -> tuple[httpx.Response, bool]:
        answer = await instance.call("POST", REPORTS, **sent)
        stored = instance.services.database.read_here(lambda tx: load_report(tx, instance.alice.id, 1))
        hashed = stored.password_hash if stored else None
        return answer, await instance.services.passwords.verify(hashed or "", " é ")

    answer, verified = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert answer.status_code == 201
    assert (data["id"], data["privacy"], data["password"], data["state"]) == (1, 2, True, "queued")
    assert verified
    assert {each["code"] for each in answer.json().get("warnings", ())} <= {"unknown_parameter"}


@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({}, {"url": "required"}),
        ({"url": ""}, {"url": "required"}),
        ({"url": "https://"}, {"url": "unparsable"}),
        ({"url": "\thttps://example.com/"}, {"url": "control_character"}),
        ({"url": f"https://example.com/{'a' * 2_048}"}, {"url": "too_long"}),
        ({"url": "https://example.com/", "privacy": "2"}, {"password": "required"}),
        ({"url": "https://example.com/", "privacy": "2", "password": "a" * 129}, {"password": "too_long"}),
        ({"url": "https://example.com/", "privacy": "3"}, {"privacy": "not_in"}),
        ({"privacy": "x", "url": "ftp://example.com/"}, {"privacy": "not_in", "url": "scheme_not_allowed"}),
        ({"privacy": "2"}, {"url": "required", "password": "required"}),
        ({"url": "http://10.0.0.1/", "privacy": "2"}, {"url": "address_not_allowed", "password": "required"}),
    ],
)
def test_everything_wrong_is_reported_at_once(tmp_path: Path, sent: dict[str, str], errors: dict[str, str]) -> None:
    """Field by field, and nothing is stored."""

    async def script(instance: Instance) -> tuple[httpx.Response, int]:
        answer = await instance.call("POST", REPORTS, data=sent)
        return answer, (await instance.call("GET", REPORTS)).json()["meta"]["total"]

    answer, total = with_instance(tmp_path, script)
    problem = answer.json()

    assert (answer.status_code, problem["code"], total) == (422, "validation_failed", 0)
    assert {each["field"]: each["code"] for each in problem["violations"]} == errors
    assert set(problem["errors"]) == set(errors)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "https://user:hunter7@example.com/",
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://0x7f.1/",
        "https://example.com:22/",
        "http://localhost/",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_must_not_be_contacted_is_refused(tmp_path: Path, url: str) -> None:
    """As far as that shows without asking the network; the answer repeats no credentials."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", REPORTS, data={"url": url})

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (422, "url_not_allowed")
    assert list(answer.json()["errors"]) == ["url"]
    assert "hunter7" not in answer.text


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b"", JSON),
        (b"{", JSON),
        (b'\xef\xbb\xbf{"url":"https://example.com/"}', JSON),
        (b'{"url":"https://example.com/"} x', JSON),
        (b"[" * 60_000, JSON),
        (b'{"url":' + b"9" * 50_000 + b"}", JSON),
        (b'{"url":"a","url":"b"}', JSON),
        (b'{"url":"\\ud800"}', JSON),
        (b'{"url":"https://example.com/","privacy":NaN}', JSON),
        (b"url=%ff", FORM),
        (b"url=https://example.com/%00", FORM),
        (b"x", {"Content-Type": "multipart/form-data; boundary=B"}),
        (b"url=https://example.com/", {**FORM, "Idempotency-Key": ""}),
        (b"url=https://example.com/", {**FORM, "Idempotency-Key": "a" * 256}),
    ],
    ids=range(14),
)
def test_what_cannot_be_read_is_a_bad_request(tmp_path: Path, content: bytes, headers: dict[str, str]) -> None:
    """400, never an error of ours."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", REPORTS, content=content, headers=headers)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize("body", [{"url": None}, {"url": 7}, {"url": ["x"]}, {"url": {"a": 1}}, {"url": True}])
def test_values_of_a_wrong_type_are_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    """A URL is text."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", REPORTS, json=body)

    assert with_instance(tmp_path, script).status_code == 422


def test_a_password_without_privacy_2_is_not_stored(tmp_path: Path) -> None:
    """Real clients always send the field: a warning, however long it is."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", REPORTS, data={"url": "https://example.com/", "password": "x" * 500})
        changed = await instance.call("PUT", f"{REPORTS}/1", data={"privacy": "1", "password": "x"})
        return [made, changed]

    for answer in with_instance(tmp_path, script):
        assert answer.json()["data"]["password"] is False
        assert [warning["code"] for warning in answer.json()["warnings"]] == ["password_ignored"]


def test_creating_waits_for_the_analysis(tmp_path: Path) -> None:
    """A finished report comes back as soon as it is finished, and says nothing of asking again."""

    async def script(instance: Instance) -> httpx.Response:
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(
                instance.call("POST", REPORTS, data={"url": "https://example.com/"}, headers={"Prefer": "wait=30"})
            )
            await instance.until_awaited()
            await instance.finish()
        return waiting.result()

    answer = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert answer.status_code == 201
    assert_described(ReportAnswer, answer.json())

    assert (data["state"], data["result"], data["score"]) == ("completed", "decent", 79)
    assert data["results"]
    assert "retry-after" not in answer.headers
    assert answer.headers["preference-applied"] == "wait=30"


@pytest.mark.parametrize("prefer", ["respond-async", "wait=0"])
def test_who_does_not_want_to_wait_does_not(tmp_path: Path, prefer: str) -> None:
    """The answer says that it heeded the request."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", REPORTS, data={"url": "example.com"}, headers={"Prefer": prefer})

    answer = with_instance(tmp_path, script, create_wait_s=60.0)

    assert answer.json()["data"]["state"] == "queued"
    assert answer.headers["preference-applied"] == prefer


def test_a_failed_analysis_is_a_report_too(tmp_path: Path) -> None:
    """The status speaks of the request, the state of the analysis."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        await instance.finish(make_failed_report("blocked"))
        return await instance.call("GET", f"{REPORTS}/1")

    answer = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert answer.status_code == 200
    assert_described(ReportAnswer, answer.json())

    assert (data["state"], data["result"], data["results"], data["error"]["code"]) == ("failed", None, None, "blocked")


def test_showing_can_wait(tmp_path: Path) -> None:
    """A long poll ends when the report is finished; without the request it is answered at once."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        at_once = await instance.call("GET", f"{REPORTS}/1")
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(instance.call("GET", f"{REPORTS}/1", headers={"Prefer": "wait=30"}))
            await instance.until_awaited()
            await instance.finish()
        return [at_once, waiting.result()]

    at_once, waited = with_instance(tmp_path, script)

    assert (at_once.json()["data"]["state"], at_once.headers["retry-after"]) == ("queued", "2")
    assert (waited.json()["data"]["state"], waited.headers["preference-applied"]) == ("completed", "wait=30")


def test_a_list_is_filtered_sorted_and_paged(tmp_path: Path) -> None:
    """Filters combine with and; the links keep the query."""

    async def script(instance: Instance) -> list[httpx.Response]:
        for number in range(12):
            await instance.create(f"https://a.example/{number}")
        await instance.finish(make_report(make_passed("language"), result="good", score=90))
        await instance.create("https://b.example/7%25_x")
        paths = (
            "",
            "?search=/1&sort=asc",
            "?project=WWW.B.example&result=",
            "?result=good&state=completed&per_page=10&page=2&unknown=1",
            "?search=7%2525_X",
            "?page=99",
            "?include=results&per_page=25&sort_by=result",
            "?sort_by=url&sort=asc",
        )
        return [await instance.call("GET", f"{REPORTS}{path}") for path in paths]

    answers = with_instance(tmp_path, script)
    bodies = [answer.json() for answer in answers]

    for body in bodies:
        assert_described(ReportList, body)

    assert [item["id"] for item in bodies[0]["data"]] == list(range(13, 3, -1))
    assert "results" not in bodies[0]["data"][0]
    assert [item["url"] for item in bodies[1]["data"]] == [f"https://a.example/{n}" for n in (1, 10, 11)]
    assert [item["id"] for item in bodies[2]["data"]] == [13]
    assert bodies[3]["meta"] == {
        "current_page": 2,
        "from": 11,
        "last_page": 2,
        "path": f"{BASE_URL}{REPORTS}",
        "per_page": 10,
        "to": 12,
        "total": 12,
    }
    assert bodies[3]["links"]["prev"] == (f"{BASE_URL}{REPORTS}?result=good&state=completed&per_page=10&page=1")
    assert f'<{bodies[3]["links"]["last"]}>; rel="last"' in answers[3].headers["link"]
    assert [item["id"] for item in bodies[4]["data"]] == [13]
    assert (bodies[5]["data"], bodies[5]["meta"]["total"], bodies[5]["meta"]["from"]) == ([], 13, None)
    assert bodies[6]["data"][0]["results"]
    assert bodies[6]["data"][-1]["id"] == 13
    assert bodies[7]["data"][0]["url"] == "https://a.example/0"


def test_values_outside_the_list_are_refused_unless_one_is_lenient(tmp_path: Path) -> None:
    """A silent default would show the wrong reports; a lenient client gets it, with a warning."""
    query = "?result=great&per_page=7&page=0&sort_by=size&sort=up&search_by=title&state=odd&include=all"

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        lenient = {"Prefer": "handling=lenient"}
        return [
            await instance.call("GET", f"{REPORTS}{query}"),
            await instance.call("GET", f"{REPORTS}{query}", headers=lenient),
        ]

    strict, lenient = with_instance(tmp_path, script)

    assert strict.status_code == 422
    assert set(strict.json()["errors"]) == {
        "result", "per_page", "page", "sort_by", "sort", "search_by", "state", "include",
    }  # fmt: skip
    assert lenient.status_code == 200
    assert lenient.headers["preference-applied"] == "handling=lenient"
    assert len(lenient.json()["data"]) == 1


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_an_update_changes_what_is_sent(tmp_path: Path, method: str) -> None:
    """All three methods are the same; what is not sent stays, and nothing sent changes nothing."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        path = f"{REPORTS}/1"
        return [
            await instance.call(method, path, data={"privacy": "2", "password": "secret"}),
            await instance.call(method, path),
            await instance.call(method, path, json={"privacy": 2}),
            await instance.call(method, path, data={"password": "another"}),
            await instance.call(method, path, data={"privacy": "1"}),
            await instance.call(method, path, data={"privacy": "2"}),
            await instance.call(method, path, data={"privacy": "7", "results": "yes"}),
        ]

    answers = with_instance(tmp_path, script)
    seen = [(answer.json()["data"]["privacy"], answer.json()["data"]["password"]) for answer in answers[:5]]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 200, 422, 422]
    for answer in answers[:5]:
        assert_described(ReportAnswer, answer.json())

    assert seen == [(2, True), (2, True), (2, True), (2, True), (1, False)]
    assert [answer.headers["etag"] for answer in answers[:5]] == ['"1-2"', '"1-2"', '"1-2"', '"1-3"', '"1-4"']
    assert answers[5].json()["errors"] == {"password": ["Required when privacy is 2."]}
    assert set(answers[6].json()["errors"]) == {"privacy", "results"}


def test_a_report_is_analysed_again(tmp_path: Path) -> None:
    """The old results stay readable meanwhile; a second request joins the run that is under way."""

    async def script(instance: Instance) -> list[dict[str, Any]]:
        await instance.create()
        await instance.finish()
        path = f"{REPORTS}/1"
        again = [await instance.call("PUT", path, data={"results": "1"}) for _ in range(2)]
        listed = (await instance.call("GET", f"{path}/runs")).json()
        await instance.finish(make_failed_report("timeout"))
        failed = await instance.call("GET", path)
        return [*(answer.json()["data"] for answer in again), listed["meta"], failed.json()["data"]]

    first, second, runs, failed = with_instance(tmp_path, script)

    assert (first["state"], first["score"], bool(first["results"])) == ("queued", 79, True)
    assert second["state"] == "queued"
    assert runs["total"] == 2
    assert (failed["state"], failed["error"]["code"], failed["score"]) == ("failed", "timeout", 79)
    assert failed["results"]


def test_a_report_is_deleted(tmp_path: Path) -> None:
    """200 and then 404 for everything; a body is ignored, and so is a late outcome."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[int]]:
        await instance.create()
        path = f"{REPORTS}/1"
        gone = await instance.call("DELETE", path, content=b"{", headers={"Content-Type": "text/plain"})
        await instance.finish()
        after = [
            (await instance.call(method, f"{path}{rest}")).status_code
            for method, rest in (("GET", ""), ("DELETE", ""), ("PUT", ""), ("GET", "/runs"), ("GET", "/runs/1"))
        ]
        return gone, after

    gone, after = with_instance(tmp_path, script)

    assert gone.status_code == 200
    assert_described(DeletedReport, gone.json())

    assert gone.json() == {"id": 1, "object": "report", "deleted": True, "status": 200}
    assert after == [404] * 5


def test_a_report_is_asked_for_conditionally(tmp_path: Path) -> None:
    """By tag or by date; nothing is sent again, until something changes."""

    async def script(instance: Instance) -> list[tuple[int, str]]:
        await instance.create()
        path = f"{REPORTS}/1"
        shown = await instance.call("GET", path)
        tag, date = shown.headers["etag"], shown.headers["last-modified"]

        async def ask(**headers: str) -> tuple[int, str]:
            answer = await instance.call("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            return answer.status_code, answer.headers.get("etag", "")

        before = [await ask(If_None_Match=tag), await ask(If_Modified_Since=date), await ask(If_None_Match='"1-9"')]
        await instance.call("PUT", path, data={"privacy": "1"})
        return [*before, await ask(If_None_Match=f'W/"x", {tag}'), await ask(If_None_Match="*")]

    assert with_instance(tmp_path, script) == [
        (304, '"1-1"'),
        (304, '"1-1"'),
        (200, '"1-1"'),
        (200, '"1-2"'),
        (304, '"1-2"'),
    ]


def test_a_foreign_tag_confirms_nothing(tmp_path: Path) -> None:
    """An invisible report has not stayed the same either: 404 for reading, changing and deleting."""

    async def script(instance: Instance) -> list[int]:
        await instance.create()
        bob = instance.add_bob()
        path = f"{REPORTS}/1"
        return [
            (await instance.call("GET", path, key=bob, headers={"If-None-Match": '"1-1"'})).status_code,
            (await instance.call("GET", path, key=bob, headers={"If-None-Match": "*"})).status_code,
            (await instance.call("PUT", path, key=bob, headers={"If-Match": '"1-1"'})).status_code,
            (await instance.call("DELETE", path, key=bob, headers={"If-Match": '"1-2"'})).status_code,
            (await instance.call("PUT", path, key=bob, data={"results": "1"})).status_code,
            (await instance.call("PUT", path, key=bob, data={"privacy": "2"})).status_code,
            (await instance.call("DELETE", path, key=bob)).status_code,
            (await instance.call("GET", path)).status_code,
        ]

    assert with_instance(tmp_path, script) == [404] * 7 + [200]


def test_of_two_changes_at_once_one_is_refused(tmp_path: Path) -> None:
    """A change that names its version cannot overwrite a newer one (N10)."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        headers = {"If-Match": '"1-1"'}
        return list(
            await asyncio.gather(
                *(instance.call("PATCH", f"{REPORTS}/1", data={"privacy": "1"}, headers=headers) for _ in range(8))
            )
        )

    answers = with_instance(tmp_path, script)
    lost = [answer for answer in answers if answer.status_code == 412]

    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 7]
    assert {(answer.json()["code"], answer.headers["etag"]) for answer in lost} == {("precondition_failed", '"1-2"')}


@pytest.mark.parametrize("headers", [{"If-Match": '"1-9"'}, {"If-None-Match": "*"}, {"If-Match": 'W/"1-1"'}])
def test_a_condition_that_does_not_hold_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    """Neither settings nor the report itself."""

    async def script(instance: Instance) -> list[int]:
        await instance.create()
        path = f"{REPORTS}/1"
        wrong = [
            await instance.call(method, path, data={"privacy": "1", "results": "1"}, headers=headers)
            for method in ("PUT", "PATCH", "POST", "DELETE")
        ]
        after = await instance.call("GET", path)
        return [*(answer.status_code for answer in wrong), after.json()["data"]["privacy"]]

    assert with_instance(tmp_path, script) == [412, 412, 412, 412, 0]


def test_an_unchanged_list_is_not_sent_again(tmp_path: Path) -> None:
    """Any change of any of its reports changes its tag."""

    async def script(instance: Instance) -> list[int]:
        await instance.create()
        tag = (await instance.call("GET", REPORTS)).headers["etag"]

        async def ask(path: str = REPORTS) -> int:
            return (await instance.call("GET", path, headers={"If-None-Match": tag})).status_code

        before = [await ask(), await ask(f"{REPORTS}?per_page=25")]
        await instance.call("PUT", f"{REPORTS}/1", data={"privacy": "1"})
        return [*before, await ask()]

    assert with_instance(tmp_path, script) == [304, 200, 200]


def test_quotas_are_exact(tmp_path: Path) -> None:
    """Fifty at once against ten: ten are stored, and forty are refused (N06)."""

    async def script(instance: Instance) -> tuple[list[httpx.Response], int]:
        answers = await asyncio.gather(
            *(instance.call("POST", REPORTS, data={"url": f"https://example.com/{number}"}) for number in range(50))
        )
        return list(answers), (await instance.call("GET", REPORTS)).json()["meta"]["total"]

    answers, total = with_instance(tmp_path, script, max_reports=10, analyses_per_minute=100)
    codes = [answer.json().get("code", "created") for answer in answers]

    assert (codes.count("created"), codes.count("quota_exceeded"), total) == (10, 40, 10)


def test_analyses_are_limited_by_key(tmp_path: Path) -> None:
    """New reports and re-runs together; what was refused or wrong does not count."""

    async def script(instance: Instance) -> list[httpx.Response]:
        wrong = await instance.call("POST", REPORTS, data={"url": "ftp://x/"})
        return [
            wrong,
            await instance.call("POST", REPORTS, data={"url": "example.com"}),
            await instance.call("PUT", f"{REPORTS}/9", data={"results": "1"}),
            await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"}),
            await instance.call("PUT", f"{REPORTS}/1", data={"privacy": "1"}),
            await instance.call("POST", REPORTS, data={"url": "example.com"}),
            await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"}),
        ]

    answers = with_instance(tmp_path, script, analyses_per_minute=2)
    last = answers[-1]

    assert [answer.status_code for answer in answers] == [422, 201, 404, 200, 200, 429, 429]
    assert last.json()["code"] == "rate_limited"
    assert '"analyses";r=0;t=' in last.headers["ratelimit"]
    assert int(last.headers["retry-after"]) >= 1


def test_a_full_queue_is_reported(tmp_path: Path) -> None:
    """503 for the installation, 429 for the account; nothing is stored (K11)."""

    async def script(instance: Instance) -> list[tuple[int, str, str]]:
        await instance.create()
        answer = await instance.call("POST", REPORTS, data={"url": "example.com"})
        total = (await instance.call("GET", REPORTS)).json()["meta"]["total"]
        return [(answer.status_code, answer.json()["code"], answer.headers["retry-after"]), (total, "", "")]

    assert with_instance(tmp_path, script, queue=1) == [(503, "unavailable", "30"), (1, "", "")]
    assert with_instance(tmp_path, script, account_queue=1) == [(429, "quota_exceeded", "30"), (1, "", "")]


def test_a_process_that_stops_takes_nothing_new(tmp_path: Path) -> None:
    """The client is sent elsewhere; what is stored can still be read and changed."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        instance.services.draining = True
        return [
            await instance.call("POST", REPORTS, data={"url": "example.com"}),
            await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"}),
            await instance.call("PUT", f"{REPORTS}/1", data={"privacy": "1"}),
            await instance.call("GET", f"{REPORTS}/1", headers={"Prefer": "wait=30"}),
        ]

    answers = with_instance(tmp_path, script)

    assert [answer.status_code for answer in answers] == [503, 503, 200, 200]
    assert {answer.headers["connection"] for answer in answers} == {"close"}
    assert answers[0].json()["code"] == "unavailable"
    assert answers[0].headers["retry-after"] == "1"


def test_workers_hear_of_new_runs(tmp_path: Path) -> None:
    """Once they are stored; a change of settings is none of theirs."""
    woken: list[str] = []

    async def script(instance: Instance) -> None:
        instance.services.wake = lambda: woken.append("woken")
        await instance.create()
        await instance.call("PUT", f"{REPORTS}/1", data={"privacy": "1"})
        await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"})

    with_instance(tmp_path, script)

    assert woken == ["woken", "woken"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"render": "2"}, {"render": ["Must be one of 0, 1."]}),
        ({"render": "yes", "device": "tablet"}, {"render": None, "device": ["Must be one of mobile, desktop."]}),
        ({"device": "MOBILE"}, {"device": ["Must be one of mobile, desktop."]}),
    ],
)
def test_an_engine_that_there_is_not_is_refused(
    tmp_path: Path, fields: dict[str, str], wrong: dict[str, list[str] | None]
) -> None:
    """By field, when creating and when changing."""

    async def script(instance: Instance) -> list[httpx.Response]:
        report = await instance.create()
        return [
            await instance.call("POST", REPORTS, data={"url": "https://example.com/b", **fields}),
            await instance.call("PUT", f"{REPORTS}/{report['id']}", data=fields),
        ]

    for answer in with_instance(tmp_path, script):
        errors = answer.json()["errors"]

        assert answer.status_code == 422
        assert set(errors) == set(wrong)
        assert all(texts in (None, errors[field]) for field, texts in wrong.items())


def test_the_engine_is_kept_with_the_report(tmp_path: Path) -> None:
    """From its creation on; a change keeps what it does not name, and what is empty is as if absent."""

    async def script(instance: Instance) -> list[httpx.Response]:
        created = await instance.call(
            "POST", REPORTS, data={"url": "https://example.com/", "render": "1", "device": "desktop"}
        )
        one = f"{REPORTS}/{created.json()['data']['id']}"
        return [
            created,
            await instance.call("PUT", one, data={"render": "0", "device": ""}),
            await instance.call("PUT", one, data={"render": "1", "results": "1"}, headers={"Prefer": "respond-async"}),
        ]

    created, changed, joined = with_instance(tmp_path, script)
    for answer in (created, changed, joined):
        assert_described(ReportAnswer, answer.json())

    assert (created.json()["data"]["render"], created.json()["data"]["device"]) == (1, "desktop")
    assert (changed.json()["data"]["render"], changed.json()["data"]["device"]) == (0, "desktop")
    assert [warning["code"] for warning in joined.json()["warnings"]] == ["analysis_under_way"]


def test_a_preference_that_cannot_be_read_is_ignored_with_a_warning(tmp_path: Path) -> None:
    """The others of the header count (RFC 7240 section 2)."""

    async def script(instance: Instance) -> tuple[int, list[dict[str, str]]]:
        await instance.create()
        answer = await instance.call("GET", "/api/v1/reports/1", headers={"Prefer": "wait=abc, wait=0"})
        return answer.status_code, answer.json()["warnings"]

    status, warnings = with_instance(tmp_path, script)

    assert status == 200
    assert [(each["field"], each["code"]) for each in warnings] == [("Prefer", "unreadable_preference")]
