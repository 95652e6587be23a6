from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.service.reports.validation import RequestWarning
from pagegrade.service.reports.views import ShownPicture
from pagegrade.web.http.response import INERT
from pagegrade.web.responses import enveloped, hashed_tag, picture_response, validators
from tests.web.calling import BASE_URL, Instance, with_instance


def test_data_comes_in_an_envelope() -> None:
    """With the status, and with warnings only where there are any."""
    warning = RequestWarning("url", "scheme_assumed", "No scheme was given.")

    assert json.loads(enveloped(b'{"id":1}')) == {"data": {"id": 1}, "status": 200}
    assert json.loads(enveloped(b"[]", status=201, warnings=[warning])) == {
        "data": [],
        "status": 201,
        "warnings": [{"field": "url", "code": "scheme_assumed", "message": "No scheme was given."}],
    }


def test_a_tag_stands_for_its_bytes() -> None:
    """Also for where one part ends and the next begins."""
    tags = {hashed_tag(b"ab", b"c"), hashed_tag(b"a", b"bc"), hashed_tag(b"abc"), hashed_tag()}

    assert len(tags) == 4
    assert hashed_tag(b"abc") == hashed_tag(b"abc")
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)


def test_validators_are_what_is_known() -> None:
    """A list has no date."""
    assert validators('"1"') == (("ETag", '"1"'),)
    assert validators('"1"', 1_767_225_600_999) == (
        ("ETag", '"1"'),
        ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    )


@pytest.mark.parametrize(
    ("path", "body", "minimal"),
    [
        ("/api/v1/ignores", {"check": "title", "reason": "Known."}, {"id", "object"}),
        ("/api/v1/access-profiles", {"name": "a", "origins": ["https://a.example"], "user": "u"}, {"id", "object"}),
        ("/api/v1/account/keys", {"name": "ci", "scopes": ["reports:read"]}, {"id", "object", "secret"}),
    ],
)
def test_a_new_object_is_where_its_answer_says(
    tmp_path: Path, path: str, body: dict[str, Any], minimal: set[str]
) -> None:
    """Its tag is that of later answers, and a secret is in this answer alone, which no cache keeps."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", path, json=body)
        brief = await instance.call("POST", path, json=body, headers={"Prefer": "return=minimal"})
        place = made.headers["location"].removeprefix(BASE_URL)
        known = {"If-None-Match": made.headers["etag"]}
        return [made, brief, await instance.call("GET", place), await instance.call("GET", place, headers=known)]

    made, brief, shown, unchanged = with_instance(tmp_path, script)

    assert made.headers["location"] == f"{BASE_URL}{path}/{made.json()['data']['id']}"
    assert (set(brief.json()["data"]), brief.headers["preference-applied"]) == (minimal, "return=minimal")
    assert (unchanged.status_code, shown.headers["etag"]) == (304, made.headers["etag"])
    assert set(made.json()["data"]) - set(shown.json()["data"]) == minimal - {"id", "object"}
    assert made.headers["cache-control"] == ("no-store" if "secret" in minimal else "private, no-store")


def test_a_change_can_depend_on_what_the_client_knows(tmp_path: Path) -> None:
    """With the tag of another state it is refused, and the refusal has the present one."""
    path = "/api/v1/access-profiles"

    async def script(instance: Instance) -> list[httpx.Response]:
        body = {"name": "a", "origins": ["https://a.example"], "user": "u"}
        made = await instance.call("POST", path, json=body)
        place = made.headers["location"].removeprefix(BASE_URL)
        known = {"If-Match": made.headers["etag"]}
        changed = await instance.call("PUT", place, json={"name": "b"}, headers=known)
        return [changed, await instance.call("DELETE", place, headers=known), await instance.call("DELETE", place)]

    changed, refused, deleted = with_instance(tmp_path, script)

    assert (changed.status_code, refused.status_code, deleted.status_code) == (200, 412, 200)
    assert refused.headers["etag"] == changed.headers["etag"]
    assert deleted.json() == {"id": 1, "object": "access_profile", "deleted": True, "status": 200}


def test_a_picture_is_inert_and_asked_about_each_time() -> None:
    """Opened by itself it can do nothing; another account on the same browser gets it from us or not at all."""
    answer = picture_response(
        ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=b"RIFF"), headers=(("Vary", "Cookie"),)
    )

    assert (answer.status_code, answer.body) == (200, b"RIFF")
    assert answer.headers["content-type"] == "image/webp"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["content-security-policy"] == INERT[1]
    assert answer.headers["vary"] == "Cookie"


def test_a_known_picture_is_not_sent_again() -> None:
    """The tag is the same, and says nothing of the report."""
    whole = picture_response(ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=b"RIFF"))
    known = picture_response(ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=None))

    assert (known.status_code, known.body) == (304, b"")
    assert known.headers["etag"] == whole.headers["etag"]
    assert "slug" not in whole.headers["etag"]


RULES = "/api/v1/ignores"


def test_a_cursor_keeps_the_filters_of_its_list(tmp_path: Path) -> None:
    """Its links lead on in the same list; leniently, a page number beside it is left out."""

    async def script(instance: Instance) -> list[httpx.Response]:
        for number in range(12):
            check = "title" if number % 12 else "image-alt"
            await instance.call("POST", RULES, json={"check": check, "reason": "Known."})
        first = await instance.call("GET", f"{RULES}?check=title&per_page=10&cursor=")
        path = first.json()["links"]["next"]
        lenient = {"Prefer": "handling=lenient"}
        return [
            first,
            await instance.call("GET", path[path.index(RULES) :]),
            await instance.call("GET", f"{RULES}?cursor=&page=2", headers=lenient),
        ]

    first, second, both = with_instance(tmp_path, script)

    assert [item["id"] for item in first.json()["data"]] == list(range(12, 2, -1))
    assert [item["id"] for item in second.json()["data"]] == [2]
    assert "check=title" in second.json()["links"]["prev"]
    assert (both.status_code, len(both.json()["data"])) == (200, 10)
