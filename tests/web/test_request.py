"""Callers and their limits: everything that is evaluated before an operation begins."""

from __future__ import annotations

import asyncio
import logging
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from pagegrade.clock import now_ms
from pagegrade.service.accounts.access import make_secret
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.store.repositories.accounts import disable_account
from pagegrade.store.repositories.credentials import revoke_key
from pagegrade.web.http.body import parse_pairs
from pagegrade.web.http.fields import read_fields
from pagegrade.web.problems import Rejected
from pagegrade.web.request import (
    MAX_CHARACTERS,
    MAX_NAMES,
    MAX_PREFER_CHARACTERS,
    MAX_WAIT_S,
    NONE,
    Preferences,
    parse_prefer,
    unknown_warnings,
    with_lists,
)
from pagegrade.web.routes import ALL_OPERATIONS
from tests.web.calling import REPORTS, Instance, a_neighbour, with_instance
from tests.web.test_app import without_names

JSON = {"Content-Type": "application/json"}


def test_a_refusal_does_not_say_how_close_the_value_was(tmp_path: Path) -> None:
    """No key, another scheme, an empty one and garbage get the same 401; only the header says if a key was seen."""
    sent = {
        "nothing": None,
        "basic": "Basic YTpi",
        "empty": "Bearer ",
        "garbage": "Bearer garbage",
        "long": "Bearer " + "a" * 60_000,
        "typo": "Bearer pgk_" + "0" * 49,
        "unknown": f"Bearer {make_secret()}",
    }

    async def script(instance: Instance) -> dict[str, httpx.Response]:
        return {
            name: await instance.call(
                "GET", REPORTS, key=None, headers={} if value is None else {"Authorization": value}
            )
            for name, value in sent.items()
        }

    answers = with_instance(tmp_path, script)
    challenges = {name: answer.headers["www-authenticate"] for name, answer in answers.items()}

    assert {answer.status_code for answer in answers.values()} == {401}
    assert len({str(without_names(answer)) for answer in answers.values()}) == 1
    assert {name for name, value in challenges.items() if 'error="invalid_token"' in value} == {
        "garbage",
        "long",
        "typo",
        "unknown",
    }
    assert all(value.startswith('Bearer realm="api"') for value in challenges.values())


def test_a_key_is_taken_from_its_header_only(tmp_path: Path) -> None:
    """Addresses, cookies and Basic end up in logs and in other people's hands."""

    async def script(instance: Instance) -> list[int]:
        key = instance.key
        return [
            (await instance.client.request("GET", REPORTS, **sent)).status_code
            for sent in (
                {"params": {"api_key": key, "access_token": key, "key": key}},
                {"headers": {"Cookie": f"api_key={key}"}},
                {"headers": {"X-Api-Key": key}},
                {"auth": ("", key)},
                {"auth": (key, "")},
            )
        ]

    assert with_instance(tmp_path, script) == [401] * 5


def test_a_key_ends_at_once(tmp_path: Path) -> None:
    """Revoked, expired or of a disabled account: the very next request is refused like one with an unknown key."""

    async def script(instance: Instance) -> list[int]:
        database = instance.services.database
        bob = instance.add_bob()
        short = instance.add_key(expires_at_ms=now_ms() - 1)
        before = [(await instance.call("GET", REPORTS, key=key)).status_code for key in (instance.key, bob, short)]
        database.write_here(lambda tx: revoke_key(tx, 1, now_ms()))
        database.write_here(lambda tx: disable_account(tx, 2, now_ms()))
        after = [(await instance.call("GET", REPORTS, key=key)).status_code for key in (instance.key, bob)]
        return before + after

    assert with_instance(tmp_path, script) == [200, 200, 401, 401, 401]


def test_a_key_does_what_its_scopes_say(tmp_path: Path) -> None:
    """The refusal names the missing one, before the body is read."""

    async def script(instance: Instance) -> list[httpx.Response]:
        reader = instance.add_key("reports:read")
        writer = instance.add_key("reports:write")
        return [
            await instance.call("GET", REPORTS, key=reader),
            await instance.call("POST", REPORTS, key=reader, content=b"{", headers=JSON),
            await instance.call("GET", "/api/v1/account", key=reader),
            await instance.call("GET", REPORTS, key=writer),
            await instance.call("POST", REPORTS, key=writer, data={"url": "https://example.com/"}),
        ]

    answers = with_instance(tmp_path, script)

    assert [answer.status_code for answer in answers] == [200, 403, 403, 403, 201]
    assert answers[1].json()["code"] == "insufficient_scope"
    assert answers[1].headers["www-authenticate"] == (
        'Bearer realm="api", error="insufficient_scope", scope="reports:write"'
    )


def test_requests_are_limited_by_key(tmp_path: Path) -> None:
    """Exactly, also when they come at once; another key of the same account is not concerned."""

    async def script(instance: Instance) -> tuple[list[httpx.Response], int]:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        answers = await asyncio.gather(*(instance.call("GET", REPORTS) for _ in range(30)))
        other = await instance.call("GET", REPORTS, key=instance.add_key())
        return list(answers), other.status_code

    answers, other = with_instance(tmp_path, script, requests_per_minute=10)
    allowed = [answer for answer in answers if answer.status_code == 200]
    refused = [answer for answer in answers if answer.status_code == 429]

    assert (len(allowed), len(refused), other) == (10, 20, 200)
    assert sorted(int(answer.headers["x-ratelimit-remaining"]) for answer in allowed) == list(range(10))
    for answer in refused:
        assert answer.json()["code"] == "rate_limited"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert answer.headers["x-ratelimit-remaining"] == "0"
        assert answer.headers["ratelimit-policy"] == '"requests";q=10;w=60'
        assert answer.headers["ratelimit"].startswith('"requests";r=0;t=')


def test_refused_requests_write_nothing(tmp_path: Path) -> None:
    """A key that asks too often does not reach the database's writer."""

    async def script(instance: Instance) -> tuple[int, int]:
        answers = [await instance.call("POST", REPORTS, data={"url": "https://example.com/"}) for _ in range(5)]
        other = instance.add_key()
        listed = await instance.call("GET", REPORTS, key=other)
        return sum(answer.status_code == 201 for answer in answers), listed.json()["meta"]["total"]

    assert with_instance(tmp_path, script, requests_per_minute=2) == (2, 2)


def test_an_unchanged_answer_is_free(tmp_path: Path) -> None:
    """Asking whether something has changed must not cost what reading it does."""

    async def script(instance: Instance) -> list[tuple[int, str]]:
        first = await instance.call("GET", REPORTS)
        again = [
            await instance.call("GET", REPORTS, headers={"If-None-Match": first.headers["etag"]}) for _ in range(3)
        ]
        last = await instance.call("GET", REPORTS)
        return [(answer.status_code, answer.headers["x-ratelimit-remaining"]) for answer in (first, *again, last)]

    assert with_instance(tmp_path, script, requests_per_minute=3) == [
        (200, "2"),
        (304, "2"),
        (304, "2"),
        (304, "2"),
        (200, "1"),
    ]


def test_wrong_keys_are_limited_by_client(tmp_path: Path) -> None:
    """A client that tries many has to wait; a caller with a valid key behind the same address goes on."""

    async def script(instance: Instance) -> list[int]:
        tries = [make_secret() for _ in range(3)] + ["garbage"] * 2
        wrong = [(await instance.call("GET", REPORTS, key=key)).status_code for key in tries]
        return [*wrong, (await instance.call("GET", REPORTS)).status_code]

    assert with_instance(tmp_path, script, wrong_keys_per_minute=3) == [401, 401, 401, 429, 429, 200]


def test_a_client_is_who_our_proxy_says(tmp_path: Path) -> None:
    """And who cannot choose its address by a header."""

    async def script(instance: Instance) -> list[int]:
        said = ["1.1.1.1", "2.2.2.2", "9.9.9.9, 1.1.1.1", "1.1.1.1"]
        return [
            (await instance.call("GET", REPORTS, key="garbage", headers={"X-Forwarded-For": each})).status_code
            for each in said
        ]

    proxies = (ip_network("127.0.0.0/8"),)

    assert with_instance(tmp_path, script, wrong_keys_per_minute=1, trusted_proxies=proxies) == [401, 401, 429, 429]
    assert with_instance(tmp_path, script, wrong_keys_per_minute=1) == [401, 429, 429, 429]


def test_order_of_evaluation(tmp_path: Path) -> None:
    """Path, method, Accept, key, limit, scope, media type, size, syntax, values: the first that fails answers."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    async def script(instance: Instance) -> list[int]:
        reader = instance.add_key("reports:read")

        async def post(path: str = REPORTS, *, method: str = "POST", key: str | None = "", **headers: str) -> int:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return (await instance.call(method, path, key=key, headers=sent, content=b"x" * 70_000)).status_code

        html, text = {"Accept": "text/html"}, {"Content_Type": "text/plain"}
        return [
            await post("/api/v1/nothing", key=None, **html, **text),
            await post(key=None, method="BREW", **html, **text),
            await post(key=None, **html, **text),
            await post(key=None, **text),
            await post(key=reader, **text),
            await post(**text),
            await post(Content_Type="application/json"),
            (await instance.call("POST", REPORTS, content=b"privacy=9&x=%ff", headers=form)).status_code,
            (await instance.call("POST", REPORTS, content=b"privacy=9", headers=form)).status_code,
        ]

    assert with_instance(tmp_path, script) == [404, 501, 406, 401, 403, 415, 413, 400, 422]


def test_no_key_is_ever_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither a right one nor a wrong one, at any level."""
    caplog.set_level(logging.DEBUG)
    keys: list[str] = []

    async def script(instance: Instance) -> None:
        keys.extend((instance.key, make_secret()))
        for key in keys:
            await instance.call("GET", f"{REPORTS}?key={key}", key=key)
            await instance.call("POST", REPORTS, key=key, data={"url": "https://example.com/", "password": key})

    with_instance(tmp_path, script)

    logged = " ".join(str(vars(record)) for record in caplog.records if not record.name.startswith("httpx"))

    assert [key for key in keys if key in logged] == []


@pytest.mark.parametrize("query", ["search=%ff", "search=%00", "per_page=7", "page=0", "sort=up", "page=1e9"])
def test_a_query_is_validated_after_the_key(tmp_path: Path, query: str) -> None:
    """An untrusted client learns nothing about parameters."""

    async def script(instance: Instance) -> tuple[int, int]:
        path = f"{REPORTS}?{query}"
        return (await instance.call("GET", path, key=None)).status_code, (await instance.call("GET", path)).status_code

    anonymous, alice = with_instance(tmp_path, script)

    assert anonymous == 401
    assert alice in {400, 422}


shared_only = pytest.mark.backend("postgresql", reason="elsewhere there is one process")


@shared_only
def test_a_limit_holds_for_all_processes_together(tmp_path: Path) -> None:
    """Many requests to both of them: exactly so many are answered, and the answers count down without a gap."""

    async def script(instance: Instance) -> list[httpx.Response]:
        async with a_neighbour(instance) as other:
            asked = ((instance, other)[number % 2].call("GET", REPORTS) for number in range(40))
            return list(await asyncio.gather(*asked))

    answers = with_instance(tmp_path, script, requests_per_minute=5)
    answered = [answer for answer in answers if answer.status_code == 200]

    assert len(answered) == 5
    assert sorted(int(answer.headers["x-ratelimit-remaining"]) for answer in answered) == list(range(5))
    assert {answer.status_code for answer in answers} == {200, 429}


@shared_only
def test_who_tries_many_keys_gains_nothing_by_asking_another_process(tmp_path: Path) -> None:
    """Malformed keys and unknown keys are counted together, in both places."""

    async def script(instance: Instance) -> list[int]:
        async with a_neighbour(instance) as other:
            statuses = []
            for number in range(6):
                key = make_secret() if number % 3 else "pgk_garbage"
                statuses.append((await (instance, other)[number % 2].call("GET", REPORTS, key=key)).status_code)
            return [*statuses, (await other.call("GET", REPORTS)).status_code]

    assert with_instance(tmp_path, script, wrong_keys_per_minute=4) == [401] * 4 + [429] * 2 + [200]


@shared_only
def test_an_analysis_is_one_wherever_it_is_asked_for(tmp_path: Path) -> None:
    """One that came to nothing is not counted."""

    async def script(instance: Instance) -> list[int]:
        async with a_neighbour(instance) as other:
            asked = [
                (instance, {"url": "https://a.example/"}),
                (other, {"url": "ftp://b.example/"}),
                (other, {"url": "https://b.example/"}),
                (instance, {"url": "https://c.example/"}),
            ]
            return [(await process.call("POST", REPORTS, data=data)).status_code for process, data in asked]

    assert with_instance(tmp_path, script, analyses_per_minute=2) == [201, 422, 201, 429]


@shared_only
def test_a_key_ends_everywhere_at_once(tmp_path: Path) -> None:
    """No process remembers that it was good."""

    async def script(instance: Instance) -> list[int]:
        async with a_neighbour(instance) as other:
            before = (await other.call("GET", REPORTS)).status_code
            await instance.services.database.write(lambda tx: revoke_key(tx, 1, now_ms()))
            return [before, (await other.call("GET", REPORTS)).status_code]

    assert with_instance(tmp_path, script) == [200, 401]


def test_a_request_counts_whatever_comes_of_it(tmp_path: Path) -> None:
    """Missing reports cannot be searched for faster than existing ones."""

    async def script(instance: Instance) -> list[int]:
        return [(await instance.call("GET", f"{REPORTS}/{number}")).status_code for number in range(100, 104)]

    assert with_instance(tmp_path, script, requests_per_minute=3) == [404] * 3 + [429]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"urls=a&urls=b", {"urls": ["a", "b"]}),
        (b"urls[]=a&urls%5B%5D=b+c", {"urls": ["a", "b c"]}),
        (b"urls[0]=a&x=1&urls%5B1%5D=%C3%A9", {"urls": ["a", "\u00e9"], "x": "1"}),
        (b"urls=&urls[]=", {"urls": []}),
        (b"urls[]=&urls=a", {"urls": ["a"]}),
        (b"urls=a%0D%0Ab%0A%0Ac&urls=d", {"urls": ["a", "b", "c", "d"]}),
        (b"urls=%0A", {"urls": []}),
        (b"x=1", {"x": "1"}),
        (b"urls[a]=1&other[]=2&urls[1", {"urls[a]": "1", "other[]": "2", "urls[1": ""}),
        (b"", {}),
    ],
)
def test_every_value_of_a_list_is_kept(body: bytes, expected: dict[str, object]) -> None:
    """However libraries write lists into forms, and as lines; other fields are as they were."""
    assert with_lists(parse_pairs(body, "The form"), body, ("urls",)) == expected


def test_a_form_has_a_value_of_a_list_in_each_line(tmp_path: Path) -> None:
    """As forms are sent without files; in JSON a text is no list, not even an empty one."""

    async def script(instance: Instance) -> list[httpx.Response]:
        profile = {"name": "Shop", "origins": "https://a.example\nhttps://b.example", "headers": "A: b\r\nC: d"}
        audit = {"url": "https://a.example/", "exclude": "/a\n/b\n", "include": "/c"}
        forms = (
            ("batches", {"urls": "https://a.example/\nhttps://b.example/"}),
            ("access-profiles", profile),
            ("audits", audit),
        )
        seen = [await instance.call("POST", f"/api/v1/{path}", data=form) for path, form in forms]
        texts = [await instance.call("PUT", "/api/v1/audits/1", json={"exclude": text}) for text in ("", "/a")]
        return [*seen, *texts]

    batch, profile, audit, *refused = with_instance(tmp_path, script)

    assert [answer.status_code for answer in (batch, profile, audit)] == [202, 201, 201]
    assert batch.json()["data"]["total"] == 2
    assert profile.json()["data"]["headers"] == ["A", "C"]
    assert profile.json()["data"]["origins"] == ["https://a.example", "https://b.example"]
    settings = audit.json()["data"]["settings"]

    assert (settings["include"], settings["exclude"]) == (["/c"], ["/a", "/b"])
    assert [(answer.status_code, list(answer.json()["errors"])) for answer in refused] == [(422, ["exclude"])] * 2


KNOWN = ("url", "privacy", "password", "sort_by")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("privcy", "privacy"), ("PASSWORD", "password"), ("sortby", "sort_by"), ("uri", "url"), ("zzz", None), ("", None)],
)
def test_the_nearest_known_name_is_named(name: str, hint: str | None) -> None:
    """If one is near enough to be meant."""
    (warning,) = unknown_warnings([name], KNOWN)

    assert (warning.field, warning.code) == (name, "unknown_parameter")
    assert warning.message.endswith("ignored." if hint is None else f"Did you mean {hint}?")


def test_what_is_reported_is_bounded() -> None:
    """However many names there are, and however long each is."""
    found = list(unknown_warnings((f"{number}{'x' * 10_000}" for number in range(1_000)), KNOWN))

    assert len(found) == MAX_NAMES
    assert max(len(warning.field) for warning in found) <= 41


@pytest.mark.parametrize(("count", "end"), [(MAX_CHARACTERS, ""), (MAX_CHARACTERS + 1, "…")])
def test_a_name_is_shown_whole_up_to_the_limit(count: int, end: str) -> None:
    """One character more is cut off, visibly."""
    (warning,) = unknown_warnings(["x" * count], KNOWN)

    assert warning.field == "x" * MAX_CHARACTERS + end


def test_nothing_is_near_where_nothing_is_known() -> None:
    """Operations without parameters."""
    (warning,) = unknown_warnings(["url"], ())

    assert "mean" not in warning.message


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, NONE),
        ("", NONE),
        (" , ", NONE),
        ("wait=10", Preferences(wait_s=10)),
        ("WAIT = 0", Preferences(wait_s=0)),
        ('wait="7"', Preferences(wait_s=7)),
        ("wait=5, wait=9", Preferences(wait_s=5)),
        ("wait=3600", Preferences(wait_s=MAX_WAIT_S)),
        ("respond-async", Preferences(respond_async=True)),
        ("respond-async, wait=10", Preferences(wait_s=10, respond_async=True)),
        ("handling=lenient", Preferences(lenient=True)),
        ("handling=strict", NONE),
        ("return=minimal; foo=bar, x-mine", Preferences(minimal=True)),
        ("return=representation", NONE),
    ],
)
def test_preferences_are_read(value: str | None, expected: Preferences) -> None:
    """Known ones are taken, the first of a kind counts, and unknown ones are ignored (RFC 7240 section 2)."""
    assert parse_prefer(value) == expected


@pytest.mark.parametrize(
    "value", ["wait=abc", "wait=-1", "wait=1.5", "wait", "wait=", "=5", "wait=1 2", "a b", '"x"', 'x="1, wait=9', "ä=1"]
)
@pytest.mark.parametrize("place", ["{}", "{}, wait=3", "return=minimal, {}"])
def test_what_cannot_be_read_is_ignored(value: str, place: str) -> None:
    """It alone: the other preferences of the header count (RFC 7240 section 2)."""
    is_open = value.count('"') % 2
    expected = parse_prefer(None if is_open and place.startswith("{}") else place.format("x"))
    read = parse_prefer(place.format(value))

    assert replace(read, unread=()) == expected
    assert len(read.unread) == 1


def test_quoted_text_is_no_other_preference() -> None:
    """Whatever it contains."""
    assert parse_prefer(r'note="a, wait=9, \", wait=8", wait=3; x="1, wait=7"') == Preferences(wait_s=3)


@pytest.mark.parametrize(
    ("value", "seconds", "applied"),
    [
        ("", 15.0, ()),
        ("respond-async", 0.0, (("Preference-Applied", "respond-async"),)),
        ("wait=3", 3.0, (("Preference-Applied", "wait=3"),)),
        ("respond-async, wait=3", 3.0, (("Preference-Applied", "respond-async, wait=3"),)),
        ("wait=999", 50.0, (("Preference-Applied", "wait=50"),)),
    ],
)
def test_waiting_follows_the_preference(value: str, seconds: float, applied: tuple[tuple[str, str], ...]) -> None:
    """Applied preferences are named; a wait beyond what proxies bear is cut, and that is named too."""
    preferences = parse_prefer(value)

    assert preferences.seconds(15.0) == seconds
    assert preferences.applied() == applied


def test_the_length_of_the_header_is_bounded() -> None:
    """At the limit, and one past it."""
    start = "wait=3, "

    assert parse_prefer(start + "x" * (MAX_PREFER_CHARACTERS - len(start))).wait_s == 3
    with pytest.raises(Rejected):
        parse_prefer(start + "x" * (MAX_PREFER_CHARACTERS - len(start) + 1))


def _lists() -> list[tuple[str, type[BaseModel], str]]:
    """(operation, its body, a field of it that is described as a list), for all operations."""
    return [
        (operation.name, operation.body, name)
        for operation in ALL_OPERATIONS
        if operation.body is not None
        for name, schema in operation.body.model_json_schema()["properties"].items()
        if "array" in {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
    ]


def test_there_are_lists_in_bodies() -> None:
    """So that the next test is about something."""
    assert {"tags", "urls", "budgets", "scopes", "events", "origins"} <= {name for _, _, name in _lists()}


@pytest.mark.parametrize(("body", "name"), [pytest.param(body, name, id=f"{op}-{name}") for op, body, name in _lists()])
def test_json_spells_every_list_as_one(body: type[BaseModel], name: str) -> None:
    """A text in its place is refused, as the description says; it would replace the whole list by its lines."""
    refused = read_fields(body, {name: "a\nb"}, "body", is_json=True)[1]

    assert [each.code for each in refused if each.field == name] == ["type"]


def test_a_form_may_spell_a_list_as_lines(tmp_path: Path) -> None:
    """JSON with the same text changes nothing."""

    async def script(instance: Instance) -> None:
        await instance.create()
        sent = {"report_id": "1", "schedule": "daily", "budgets": "score<80\nhigh>0"}
        of_json = await instance.call("POST", "/api/v1/monitors", json=sent)
        of_form = await instance.call("POST", "/api/v1/monitors", data=sent)

        assert of_json.status_code == 422
        assert list(of_json.json()["errors"]) == ["budgets"]
        assert [each["condition"] for each in of_form.json()["data"]["budgets"]] == ["score<80", "high>0"]

    with_instance(tmp_path, script)
