"""Tests of the check url-friendly."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.url_friendly import url_friendly
from tests.builders import evaluated, make_artifacts, make_response, outcome


def state(path: str) -> str:
    """The state for a page at that path."""
    return outcome(url_friendly, make_artifacts(url="https://example.com" + path)).state


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/shop/red-shoes",
        "/shop/red-shoes/",
        "/news/2026/11/21",
        "/a.html",
        "/search?q=red+shoes",
        "/search?q=Red_Shoes&page=2",
        "/?",
        "/caf%C3%A9",
        "/%E3%82%B5%E3%83%9E%E3%83%BC",
        "/%D1%82%D1%83%D1%84%D0%BB%D0%B8",
        "/residential",
        "/en-US/firefox/",
        "/zh-Hant",
    ],
)
def test_readable_addresses_pass(path: str) -> None:
    """Words, hyphens, few parameters, letters of any language; the query of a search page may look as it likes."""
    assert state(path) == "ok"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/Red-shoes", "uppercase"),
        ("/shop-US/", "uppercase"),
        ("/en-US/Shop/", "uppercase"),
        ("/%D0%A2%D1%83", "uppercase"),
        ("/red%20shoes", "space"),
        ("/red//shoes", "double_slash"),
        ("/shoes?a=1&b=2&c=3", "many_parameters"),
    ],
)
def test_hard_to_read_addresses_warn(path: str, reason: str) -> None:
    """Each reason is named, and the loss stays at a half however many there are."""
    artifacts = make_artifacts(url="https://example.com" + path)

    assert [detail.code for detail in outcome(url_friendly, artifacts).details] == [reason]
    assert evaluated(url_friendly, artifacts).loss == 0.5


@pytest.mark.parametrize(
    ("path", "reasons"),
    [
        ("/red_shoes", ["underscore"]),
        ("/shoes.php", ["program"]),
        ("/default.aspx", ["program"]),
        ("/red_shoes.php", ["underscore", "program"]),
    ],
)
def test_old_habits_are_named_and_cost_nothing(path: str, reasons: list[str]) -> None:
    """Search engines read them as well as others."""
    artifacts = make_artifacts(url="https://example.com" + path)

    assert state(path) == "old_style"
    assert [detail.code for detail in outcome(url_friendly, artifacts).details] == reasons
    assert evaluated(url_friendly, artifacts).loss == 0


def test_limit_of_parameters() -> None:
    """Two are fine, a third is not."""
    assert state("/a?b=1&c=2") == "ok"
    assert state("/a?b=1&c=2&d=3") == "unfriendly"


def test_hex_digits_of_encoded_letters_are_no_upper_case() -> None:
    """The capitals in %C3 are an encoding and not the author's."""
    assert state("/%C3%A9t%C3%A9") == "ok"


def test_decoded_control_characters_stay_out_of_the_report() -> None:
    """Line breaks and escape sequences are shown as they were written."""
    assert outcome(url_friendly, make_artifacts(url="https://example.com/a%0A%1B[2Jb")).value == "/a%0A%1B[2Jb"


@pytest.mark.parametrize(
    "path",
    [
        "/shop;jsessionid=0123456789ABCDEF",
        "/shop?PHPSESSID=abcdef",
        "/shop?a=1&sid=5",
        "/(S(abcdefghij0123456789abcd))/shop",
        "/shop?ASPSESSIONIDQQ=1",
    ],
)
def test_session_id_fails_and_is_not_shown(path: str) -> None:
    """The name is shown, the id is not."""
    found = outcome(url_friendly, make_artifacts(url="https://example.com" + path))

    assert found.state == "session_id"
    assert all(secret not in repr(found) for secret in ("0123456789", "abcdef", "ABCDEF"))


def test_redirect_into_a_fragment_fails() -> None:
    """A site that sends visitors to #! chooses its pages where servers and search engines do not look."""
    for location in ("/#!/start", "https://example.com/#/start"):
        hop = make_response(url="https://example.com/start", status=302, headers=[("Location", location)])
        assert outcome(url_friendly, make_artifacts(hops=[hop])).state == "fragment_route"


def test_a_route_that_was_asked_for_fails() -> None:
    """Servers and search engines know one page for all of them."""
    routed = make_artifacts(url="https://example.com/", requested_url="https://example.com/#/chairs")

    assert outcome(url_friendly, routed).state == "fragment_route"


def test_plain_fragment_is_fine() -> None:
    """A jump to a heading is no route."""
    hop = make_response(url="https://example.com/a", status=302, headers=[("Location", "/#news")])

    assert outcome(url_friendly, make_artifacts(hops=[hop])).state == "ok"


@pytest.mark.parametrize("path", ["/shoes?[colour:red][size:9]", "/shoes?colour,red"])
def test_odd_separators_fail(path: str) -> None:
    """Brackets, commas and colons in place of = and & are not read as separators."""
    assert state(path) == "odd_separators"


def test_commas_inside_a_value_are_fine() -> None:
    """A proper query may hold any character in its values."""
    assert state("/map?at=52.5,13.4") == "ok"


def test_the_report_says_what_is_hard_to_read() -> None:
    """An owner must not have to guess which of six things was meant."""
    one = outcome(url_friendly, make_artifacts(url="https://example.com/wiki/Mozilla"))
    more = outcome(url_friendly, make_artifacts(url="https://example.com/Shop/red_shoes.php"))

    assert one.message == "The URL of the page has upper-case letters."
    assert more.message.endswith(" has underscores, upper-case letters and a file extension that names the software.")
