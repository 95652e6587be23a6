from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
import pytest

from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import read_form, read_query
from pagegrade.web.request import Request
from tests.web.calling import BASE_URL, Instance, with_instance


async def take_form(request: Request) -> Response:
    """The fields that were sent, as JSON."""
    return Response(status_code=200, content=msgspec.json.encode(dict(await read_form(request))))


OPERATION = Operation(method="POST", path="/form", name="take_form", summary="Form", handler=take_form, tag=PAGES)


def sent(tmp_path: Path, headers: dict[str, str], content: bytes) -> httpx.Response:
    """The answer to a form."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", "/form", key=None, headers=headers, content=content)

    return with_instance(tmp_path, script, operations=(OPERATION,))


def test_fields_are_read_as_they_were_typed(tmp_path: Path) -> None:
    """With every blank, and the last of two."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": BASE_URL}
    answer = sent(tmp_path, headers, b"a=+x+&b=%C3%BC&b=2&c=")

    assert answer.json() == {"a": " x ", "b": "2", "c": ""}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": BASE_URL, "Sec-Fetch-Site": "cross-site"},
        {"Origin": BASE_URL, "Sec-Fetch-Site": "same-site"},
        {"Referer": "https://evil.example/" + BASE_URL},
        {"Referer": BASE_URL + ".evil.example/"},
    ],
)
def test_forms_of_other_sites_are_not_even_read(headers: dict[str, str], tmp_path: Path) -> None:
    """Whatever their fields say."""
    answer = sent(tmp_path, {"Content-Type": "application/x-www-form-urlencoded", **headers}, b"a=1")

    assert answer.status_code == 403
    assert "This form came from elsewhere" in answer.text


@pytest.mark.parametrize(
    "headers", [{"Origin": BASE_URL}, {"Sec-Fetch-Site": "same-origin"}, {"Referer": BASE_URL + "/x"}]
)
def test_our_own_forms_are_taken(headers: dict[str, str], tmp_path: Path) -> None:
    """As new browsers, old browsers and those without an origin say it."""
    answer = sent(tmp_path, {"Content-Type": "application/x-www-form-urlencoded", **headers}, b"a=1")

    assert answer.json() == {"a": "1"}


async def asked(request: Request) -> Response:
    """The query that was sent, as JSON."""
    return Response(status_code=200, content=msgspec.json.encode(dict(read_query(request))))


QUERY = Operation(method="GET", path="/query", name="take_query", summary="Query", handler=asked, tag=PAGES)


@pytest.mark.parametrize(
    ("query", "expected"), [("", {}), ("?a=1&a=+x%20&b", {"a": " x ", "b": ""}), ("?q=%C3%BC?", {"q": "ü?"})]
)
def test_a_query_is_read_as_it_was_typed(tmp_path: Path, query: str, expected: dict[str, str]) -> None:
    """The last of two, and everything behind the first question mark."""

    async def script(instance: Instance) -> dict[str, str]:
        answer = await instance.call("GET", f"/query{query}", key=None)
        found: dict[str, str] = answer.json()
        return found

    assert with_instance(tmp_path, script, operations=(QUERY,)) == expected


def test_a_query_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Half a character means nothing."""

    async def script(instance: Instance) -> int:
        return (await instance.call("GET", "/query?a=%ff", key=None)).status_code

    assert with_instance(tmp_path, script, operations=(QUERY,)) == 400


def test_a_form_may_be_longer_where_it_is_said_so(tmp_path: Path) -> None:
    """Up to that, and not a byte more."""

    async def long(request: Request) -> Response:
        return Response(status_code=200, content=str(len((await read_form(request, max_bytes=100_000))["a"])).encode())

    operation = Operation(method="POST", path="/long", name="take_long", summary="Long", handler=long, tag=PAGES)

    async def script(instance: Instance) -> list[int]:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": BASE_URL}
        bodies = (b"a=" + b"x" * 99_998, b"a=" + b"x" * 99_999)
        answers = [await instance.call("POST", "/long", key=None, headers=headers, content=body) for body in bodies]
        return [answer.status_code for answer in answers]

    assert with_instance(tmp_path, script, operations=(operation,)) == [200, 413]


def test_forms_are_no_json(tmp_path: Path) -> None:
    """Browsers send none, and reading a long one keeps every other client waiting."""
    headers = {"Content-Type": "application/json", "Origin": BASE_URL, "Accept": "application/json"}
    answer = sent(tmp_path, headers, b"{}")

    assert answer.status_code == 415
    assert answer.headers["accept-post"] == "application/x-www-form-urlencoded, multipart/form-data"
