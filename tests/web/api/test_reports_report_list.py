"""Lists of reports as the interface gives them: cursors, filters, members."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from pagegrade.store.repositories import search
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

Body = dict[str, Any]


async def some(instance: Instance, count: int = 25) -> list[int]:
    """Ids of new reports, some of them finished."""
    ids = [(await instance.create(f"https://host-{number % 3}.example/{number}"))["id"] for number in range(count - 5)]
    await instance.finish()
    return ids + [(await instance.create(f"https://later.example/{number}"))["id"] for number in range(5)]


async def get(instance: Instance, **query: Any) -> Body:
    """A list; whatever it is asked for."""
    answer = await instance.call("GET", f"{REPORTS}?{urlencode(query)}")
    body: Body = answer.json()
    return body | {"status": answer.status_code}


async def follow(instance: Instance, url: str) -> Body:
    """The target of a link."""
    body: Body = (await instance.call("GET", url.removeprefix(BASE_URL))).json()
    return body


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["id", "generated_at", "url", "result", "score", "updated_at"])
def test_a_walk_meets_every_report_once_while_others_come_and_go(tmp_path: Path, sort_by: str, sort: str) -> None:
    """Deleted before, at and behind the cursor, created at both ends: what stays is met, exactly once."""

    async def script(instance: Instance) -> tuple[list[int], set[int], set[int]]:
        ids = await some(instance)
        gone: set[int] = set()
        seen: list[int] = []
        body = await get(instance, cursor="", sort_by=sort_by, sort=sort, per_page=10)
        while True:
            seen += [item["id"] for item in body["data"]]
            for each in (seen[-1], seen[0], next((one for one in ids if one not in {*seen, *gone}), 0)):
                if each and each not in gone:
                    await instance.call("DELETE", f"{REPORTS}/{each}")
                    gone.add(each)
            await instance.create(f"https://a.example/{len(seen)}")
            await instance.create(f"https://z.example/{len(seen)}")
            if body["links"]["next"] is None:
                return seen, set(ids), gone
            body = await follow(instance, body["links"]["next"])

    seen, ids, gone = with_instance(tmp_path, script, analyses_per_minute=1_000)

    assert len(seen) == len(set(seen))
    assert ids - gone <= set(seen)


def test_links_lead_through_the_list_and_back(tmp_path: Path) -> None:
    """With every filter kept; nothing is counted unless that is asked for."""

    async def script(instance: Instance) -> list[Body]:
        await some(instance)
        first = await get(instance, cursor="", per_page=10, sort="asc", search="host", count=1)
        second = await follow(instance, first["links"]["next"])
        third = await follow(instance, second["links"]["prev"])
        return [first, second, third, await get(instance, cursor="")]

    first, second, third, other = with_instance(tmp_path, script)

    assert (first["meta"]["total"], second["meta"]["total"]) == (20, 20)
    assert first["meta"] == {"path": f"{BASE_URL}{REPORTS}", "per_page": 10, "total": 20}
    assert "total" not in other["meta"]
    assert (first["links"]["prev"], second["links"]["next"], first["links"]["last"]) == (None, None, None)
    assert first["links"]["first"] == f"{BASE_URL}{REPORTS}?search=host&sort=asc&count=1&per_page=10&cursor="
    assert [third["data"], third["links"]] == [first["data"], first["links"]]
    assert len({item["id"] for item in first["data"] + second["data"]}) == 20


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ({"cursor": "nonsense"}, "cursor", "invalid"),
        ({"cursor": "x" * 13_000}, "cursor", "too_long"),
        ({"search": "x" * 101}, "search", "too_long"),
        ({"cursor": "WzEsImlkIix0cnVlLGZhbHNlLDAsMTA0Ml0", "sort": "asc"}, "cursor", "other_order"),
        ({"cursor": "", "page": "2"}, "page", "not_with"),
        ({"updated_since": "yesterday"}, "updated_since", "not_a_time"),
        ({"updated_since": "2026-02-30T00:00:00Z"}, "updated_since", "not_a_time"),
        ({"updated_since": "0000-01-01T00:00:00Z"}, "updated_since", "not_a_time"),
        ({"url": "http://[::1"}, "url", "unparsable"),
        ({"privacy": "3"}, "privacy", "not_in"),
        ({"fields": "id,secret"}, "fields", "not_in"),
        ({"fields": ","}, "fields", "not_in"),
        ({"sort_by": "coverage"}, "sort_by", "not_in"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, query: dict[str, str], field: str, code: str) -> None:
    """By field and reason; never an error of ours."""
    body = with_instance(tmp_path, lambda instance: get(instance, **query))

    assert (body["status"], [(each["field"], each["code"]) for each in body["violations"]]) == (422, [(field, code)])


def test_a_text_to_search_for_may_have_a_hundred_characters(tmp_path: Path) -> None:
    """One more is refused, see above: each of them may be compared with each of every URL."""
    path = "a" * 80

    async def script(instance: Instance) -> list[int]:
        made = await instance.create(f"https://host.example/{path}")
        found = await get(instance, search=f"host.example/{path}"[:100].ljust(100, "a"))
        shorter = await get(instance, search=f"host.example/{path}")
        return [made["id"], len(found["data"]), *(item["id"] for item in shorter["data"])]

    number, longest, *shorter = with_instance(tmp_path, script)

    assert (longest, shorter) == (0, [number])


def test_a_search_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a search that cannot be used, by page and by cursor; the list without it is as before."""
    monkeypatch.setattr(search, "SEARCH_S", -1.0)
    monkeypatch.setattr(search, "_PROGRESS_STEPS", 1)

    async def script(instance: Instance) -> list[Body]:
        for number in range(3):
            await instance.create(f"https://host.example/{number}")
        return [await get(instance, **query) for query in ({"search": "os"}, {"search": "os", "cursor": ""}, {})]

    *refused, listed = with_instance(tmp_path, script)

    named = [(body["status"], [(each["field"], each["code"]) for each in body["violations"]]) for body in refused]

    assert named == [(422, [("search", "too_expensive")])] * 2
    assert len(listed["data"]) == 3


def test_filters_find_what_they_name(tmp_path: Path) -> None:
    """A URL in any spelling, a privacy, whatever changed since; alone and together."""

    async def script(instance: Instance) -> dict[str, list[str]]:
        await some(instance, 8)
        made = await instance.create("https://example.com/pricing?b=1", privacy=1)
        since = made["updated_at"]
        queries: dict[str, dict[str, str]] = {
            "url": {"url": " EXAMPLE.com/a/../pricing?b=1#x"},
            "other": {"url": "https://example.com/pricing"},
            "privacy": {"privacy": "1"},
            "since": {"updated_since": since},
            "offset": {"updated_since": since.replace("Z", "+00:00")},
            "never": {"updated_since": "2100-01-01T00:00:00Z"},
            "together": {"privacy": "1", "updated_since": since, "state": "queued", "project": "example.com"},
        }
        found = {name: await get(instance, **query) for name, query in queries.items()}
        walked = {name: await get(instance, cursor="", **query) for name, query in queries.items()}
        both = {name: [body["data"], walked[name]["data"]] for name, body in found.items()}

        assert [name for name, (paged, by_cursor) in both.items() if paged != by_cursor] == []
        return {name: [item["url"] for item in body["data"]] for name, body in found.items()}

    url = "https://example.com/pricing?b=1"

    assert with_instance(tmp_path, script) == {
        "url": [url],
        "other": [],
        "privacy": [url],
        "since": [url],
        "offset": [url],
        "never": [],
        "together": [url],
    }


def test_only_the_members_that_are_asked_for_are_sent(tmp_path: Path) -> None:
    """In the order of the report; results come when they are named."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await some(instance, 7)
        paths = [
            f"{REPORTS}?fields=state,id,url",
            f"{REPORTS}?fields=id,results&cursor=",
            f"{REPORTS}/1?fields=score%2C%20id",
            f"{REPORTS}/1",
        ]
        return [await instance.call("GET", path) for path in paths]

    few, results, one, whole = [answer.json()["data"] for answer in with_instance(tmp_path, script)]

    assert [list(item) for item in few] == [["id", "url", "state"]] * 7
    assert [list(item) for item in results] == [["id", "results"]] * 7
    assert results[-1]["results"] == whole["results"]
    assert one == {"id": 1, "score": whole["score"]}


def test_changes_can_be_answered_with_next_to_nothing(tmp_path: Path) -> None:
    """`Prefer: return=minimal`: what is needed to go on, and the warnings; reading is not touched by it."""
    prefer = {"Prefer": "return=minimal, wait=0"}

    async def script(instance: Instance) -> list[httpx.Response]:
        new = {"url": "example.com"}
        made = await instance.call("POST", REPORTS, data=new, headers=prefer)
        changed = await instance.call("PUT", f"{REPORTS}/1", data={"privacy": 1}, headers=prefer)
        return [made, changed, await instance.call("GET", f"{REPORTS}/1", headers={"Prefer": "return=minimal"})]

    made, changed, shown = with_instance(tmp_path, script)

    assert made.json()["data"] == changed.json()["data"] == {"id": 1, "object": "report", "state": "queued"}
    assert [each["code"] for each in made.json()["warnings"]] == ["scheme_assumed"]
    assert made.headers["location"].endswith("/1")
    assert {made.headers["preference-applied"], changed.headers["preference-applied"]} == {"wait=0, return=minimal"}
    assert made.headers["etag"] == '"1-1"'
    assert len(shown.json()["data"]) > 20
    assert "preference-applied" not in shown.headers


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("GET", f"{REPORTS}?serach=x", {}),
        ("GET", f"{REPORTS}?serach=x&cursor=", {}),
        ("GET", f"{REPORTS}/1?serach=x", {}),
        ("GET", f"{REPORTS}/1/runs?serach=x", {}),
        ("GET", "/api/v1/account?serach=x", {}),
        ("GET", "/api/v1/projects?serach=x", {}),
        ("GET", "/api/v1/checks?serach=x", {}),
        ("POST", f"{REPORTS}?serach=x", {"data": {"url": "https://example.com/", "serach": "y"}}),
        ("PUT", f"{REPORTS}/1", {"data": {"serach": "y"}}),
        ("PATCH", f"{REPORTS}/1", {"json": {"serach": ["y"]}}),
        ("DELETE", f"{REPORTS}/1?serach=x", {}),
    ],
)
def test_what_is_ignored_is_named(tmp_path: Path, method: str, path: str, sent: dict[str, Any]) -> None:
    """Fields and query parameters of every operation, with the nearest known name where there is one."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        return await instance.call(method, path, **sent)

    answer = with_instance(tmp_path, script)
    warnings = answer.json()["warnings"]
    is_list = path.startswith((f"{REPORTS}?", "/api/v1/projects?"))

    assert answer.status_code < 300
    assert {(each["field"], each["code"]) for each in warnings} == {("serach", "unknown_parameter")}
    assert ("Did you mean search?" in warnings[0]["message"]) == (is_list and method == "GET")
