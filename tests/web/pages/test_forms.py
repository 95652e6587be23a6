from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
import pytest

from pagegrade.web.call import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_form
from tests.web.calling import BASE_URL, House, in_house


async def told(call: Call) -> Answer:
    """The fields that were sent, as JSON."""
    return Answer(status=200, body=msgspec.json.encode(dict(await read_form(call))))


OPERATION = Operation(method="POST", path="/form", name="take_form", summary="Form", handler=told, tag=PAGES)


def sent(tmp_path: Path, headers: dict[str, str], content: bytes) -> httpx.Response:
    """The answer to a form."""

    async def script(house: House) -> httpx.Response:
        return await house.call("POST", "/form", key=None, headers=headers, content=content)

    return in_house(tmp_path, script, operations=(OPERATION,))


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
