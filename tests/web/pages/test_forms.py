from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
import pytest

from pagegrade.model.account import Account
from pagegrade.model.errors import (
    InvalidInput,
    QuotaExceeded,
    RateLimited,
    Refused,
    Unavailable,
    URLNotAllowed,
    ValidationFailed,
    Violation,
)
from pagegrade.render.i18n import texts_for
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import read_new_report
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import (
    SENTENCES,
    problems_of,
    problems_of_input,
    read_form,
    read_query,
    refusal_of,
    sentence,
    with_setting,
)
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


TEXTS = texts_for("en")
ALICE = Account(id=1, name="Alice", email="alice@example.org", created_at_ms=0)


def violation(field: str, code: str) -> Violation:
    """Something that is wrong."""
    return Violation(field=field, place="body", code=code, message="The API's own sentence.")


def test_what_is_known_is_said_in_words_of_the_page() -> None:
    """A sitemap is an address as well."""
    known = SENTENCES["url", "relative"]

    assert sentence(TEXTS, "url", "relative", "The API's own sentence.") == known
    assert sentence(TEXTS, "sitemap", "relative", "The API's own sentence.") == known


def test_what_is_not_known_is_said_in_the_words_of_the_api() -> None:
    """Better than nothing."""
    assert problems_of(TEXTS, [violation("url", "brand_new")]) == {"url": "The API's own sentence."}


def test_each_field_gets_one_sentence() -> None:
    """The first."""
    found = problems_of(TEXTS, [violation("url", "relative"), violation("url", "empty")])

    assert found == {"url": SENTENCES["url", "relative"]}


def test_an_error_is_about_its_fields_or_the_one_at_hand() -> None:
    """Whatever kind of error it is."""
    several = ValidationFailed([violation("password", "required")])
    one = URLNotAllowed("No.", reason="port_not_allowed")

    assert problems_of_input(TEXTS, several) == {"password": SENTENCES["password", "required"]}
    assert problems_of_input(TEXTS, one, field="sitemap") == {"sitemap": SENTENCES["url", "port_not_allowed"]}


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "x" * 3_000,
        "a b",
        "/x",
        "http://[",
        "http://a..example/",
        "ftp://a.example",
        "https://u:p@a.example",
        "https://localhost/",
        "https://a.example:22/",
        "https://10.0.0.1/",
    ],
)
def test_every_wrong_address_has_a_sentence_of_its_own(typed: str) -> None:
    """None falls back to the API's."""
    with pytest.raises(InvalidInput) as caught:
        read_new_report(typed, privacy=0, password=None, account=ALICE, options=ServiceOptions())

    assert problems_of_input(TEXTS, caught.value)["url"] in SENTENCES.values()


def test_what_is_refused_says_what_to_do() -> None:
    """Waiting, or deleting."""
    waits: list[tuple[Refused, str]] = [
        (RateLimited("", retry_after_s=1), "Wait 1 second and"),
        (RateLimited("", retry_after_s=40), "Wait 40 seconds and"),
        (QuotaExceeded("", retry_after_s=30), "when some of them are done"),
        (QuotaExceeded(""), "Delete some of them first"),
        (Unavailable("", retry_after_s=30), "half a minute"),
    ]

    for error, words in waits:
        assert words in refusal_of(TEXTS, error)


@pytest.mark.parametrize(
    ("typed", "allowed", "command"),
    [
        ("localhost:8000", [], "PAGEGRADE_ALLOW_NETWORKS=127.0.0.0/8,::1/128 make serve"),
        ("10.0.0.5", [], "PAGEGRADE_ALLOW_NETWORKS=10.0.0.5/32 make serve"),
        ("http://wiki.lan", [], "PAGEGRADE_ALLOW_NETWORKS=10.0.0.0/8 make serve"),
        ("10.0.0.5", ["192.168.7.0/24"], "10.0.0.5/32"),
    ],
)
@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_private_address_is_refused_with_the_setting_that_allows_it(
    typed: str, allowed: list[str], command: str, locale: str
) -> None:
    """As a command to copy; what is allowed already is the operator's own, and not shown."""
    options = AnalyzeOptions(allow_networks=parse_networks(allowed))
    shown = with_setting(texts_for(locale), "<No>", typed, options)

    assert shown.startswith("&lt;No&gt; ")
    assert shown.endswith(f" <code>{command}</code>")
    assert ("Pagegrade is yours" in shown) is (locale == "en")
    assert "192.168" not in shown


@pytest.mark.parametrize(
    ("origin", "end"),
    [(("127.0.0.1", 8080), "make serve"), (("127.0.0.1", 9000), "make serve PORT=9000"),
     (("localhost", 9000), "make serve PORT=9000"), (("grade.example", 443), "make serve")],
)  # fmt: skip
def test_the_command_keeps_the_port_of_the_service(origin: tuple[str, int], end: str) -> None:
    """The copied command starts the service where it was, unless a proxy stands before it."""
    options = AnalyzeOptions(own_origins=frozenset({origin}))

    assert with_setting(TEXTS, "<No>", "10.0.0.5", options).endswith(f"{end}</code>")


@pytest.mark.parametrize("typed", ["", "ftp://x", "http://169.254.169.254/", "https://example.com:22/"])
def test_no_setting_is_named_where_none_helps(typed: str) -> None:
    """The sentence stays plain text, which the page escapes."""
    assert with_setting(TEXTS, "<No>", typed, AnalyzeOptions()) == "<No>"
