from __future__ import annotations

import pytest

from pagegrade.checks.security.cookies import cookies
from pagegrade.model.artifacts import Artifacts
from tests.builders import make_artifacts, make_response, outcome

HSTS = ("Strict-Transport-Security", "max-age=31536000")


def page(*lines: str, url: str = "https://example.com/", hsts: bool = False) -> Artifacts:
    """A page that sets those cookies."""
    headers = [("Content-Type", "text/html"), *(("Set-Cookie", line) for line in lines)]
    return make_artifacts(url=url, headers=[*headers, HSTS] if hsts else headers)


def state(*lines: str, url: str = "https://example.com/", hsts: bool = False) -> str:
    """The state of the check for those cookies."""
    return outcome(cookies, page(*lines, url=url, hsts=hsts)).state


@pytest.mark.parametrize(
    "line",
    [
        "session=v; Secure; HttpOnly; SameSite=Lax",
        "__Host-session=v; Path=/; Secure; HttpOnly; SameSite=Strict",
        "theme=dark; Secure; SameSite=Lax",
        "embed=v; Secure; SameSite=None",
        "csrftoken=v; Secure; SameSite=Lax",
        "theme=dark; secure; samesite=lax; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
    ],
)
def test_protected_cookies_pass(line: str) -> None:
    """Only logins need HttpOnly, and a cookie against forgery must not have it."""
    assert state(line) == "protected"


def test_no_cookies_lose_nothing() -> None:
    """And a perfect cookie gains nothing."""
    assert state() == "none"
    assert cookies.state("none").loss == cookies.state("protected").loss == 0


@pytest.mark.parametrize(
    "line",
    [
        "PHPSESSID=v; HttpOnly; SameSite=Lax",
        "connect.sid=v; Secure; SameSite=Lax",
        "auth=v; Secure; SameSite=Lax",
        "x=v; SameSite=None",
        "x=v; Secure; SameSite=Sometimes",
        "csrf=v; Secure",
        "__Host-x=v; Secure; SameSite=Lax",
        "__Host-x=v; Path=/; Domain=example.com; Secure; SameSite=Lax",
        "__Secure-x=v; SameSite=Lax",
        "__SECURE-x=v; SameSite=Lax",
        "x=v; Secure; SameSite",
        "x=v; Partitioned; SameSite=Lax",
        "x=v; Secure; SameSite=Lax; Domain=other.test",
        "x=" + "v" * 4_096 + "; Secure; SameSite=Lax",
    ],
)
def test_unsafe_cookies_fail(line: str) -> None:
    """Logins without protection, and rules that make browsers drop the cookie."""
    assert state(line) == "unsafe"


def test_secure_over_plain_http_fails() -> None:
    """Browsers drop it."""
    assert state("x=v; Secure; SameSite=Lax", url="http://example.com/") == "unsafe"


@pytest.mark.parametrize(
    "line", ["theme=dark; SameSite=Lax", "theme=dark", "theme=dark; HttpOnly", "session=v; Secure; HttpOnly"]
)
def test_missing_protection_of_other_cookies_costs_half(line: str) -> None:
    """Each cookie counts once, whatever it lacks."""
    found = outcome(cookies, page(line))

    assert (found.state, found.loss, found.total) == ("weak", 0.5, 1)


@pytest.mark.parametrize("line", ["theme=dark; Secure", 'a="b c"; secure; httponly', "__Host-id=1; Secure; Path=/"])
def test_other_cookies_may_leave_out_same_site(line: str) -> None:
    """They are listed and cost nothing, unlike a login or what protects from forged requests."""
    found = outcome(cookies, page(line))

    assert (found.state, found.total) == ("same-site", 1)
    assert found.evidence[0].reason == "no SameSite; set by the page"
    assert cookies.state("same-site").loss == 0


def test_listed_cookies_give_way_to_worse_ones() -> None:
    """A weak cookie beside them is what counts."""
    found = outcome(cookies, page("a=1; Secure", "b=1"))

    assert (found.state, found.total) == ("weak", 1)


@pytest.mark.parametrize("name", ["author", "sidebar", "inside_view", "residence"])
def test_names_that_only_look_like_logins(name: str) -> None:
    """Parts of longer words are no logins."""
    assert state(f"{name}=v; Secure; SameSite=Lax") == "protected"


def test_hsts_makes_a_missing_secure_a_weakness() -> None:
    """Browsers use HTTPS anyway, as long as the promise lasts."""
    line = "session=v; HttpOnly; SameSite=Lax"

    assert state(line) == "unsafe"
    assert state(line, hsts=True) == "weak"


@pytest.mark.parametrize(
    "name", ["__cf_bm", "AWSALB", "AWSALBCORS", "heroku-session-affinity", "ARRAffinity", "_cfuvid"]
)
def test_cookies_of_the_infrastructure_are_left_out(name: str) -> None:
    """The owner cannot change them."""
    assert state(f"{name}=v") == "none"


@pytest.mark.parametrize("attribute", ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
def test_deleting_a_cookie_sets_none(attribute: str) -> None:
    """The line takes away rather than gives."""
    assert state(f"session=; {attribute}; path=/") == "none"


def test_max_age_overrules_expires() -> None:
    """A cookie with both lives as long as Max-Age says."""
    assert state("session=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == "unsafe"


def test_cookies_of_redirects_count_and_say_so() -> None:
    """They reach the browser as well."""
    hop = make_response(url="https://example.com/", status=302, headers=(("Set-Cookie", "session=v"),))
    found = outcome(cookies, make_artifacts(url="https://example.com/home", hops=[hop]))

    assert found.state == "unsafe"
    assert found.evidence[0].reason.endswith("set by redirect 1")


def test_values_are_never_shown() -> None:
    """Nor is anything else of the line but its attributes."""
    found = outcome(cookies, page("session=topsecret; Path=/; Extra=topsecret", "topsecret"))

    assert found.state == "unsafe"
    assert "topsecret" not in repr(found)
    assert found.evidence[0].snippet == "session=...; Path=/"


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (2, 0.5 + 0.5 / 9), (9, 0.9), (10, 0.9), (150, 0.9)])
def test_weak_loss_grows_with_the_number(count: int, loss: float) -> None:
    """At most nine tenths, and at most a hundred pieces of evidence."""
    found = outcome(cookies, page(*(f"c{number}=v" for number in range(count))))

    assert found.loss == pytest.approx(loss)
    assert found.total == count
    assert len(found.evidence) == min(count, 100)


def test_adding_an_attribute_never_costs_points() -> None:
    """From nothing to everything, one attribute at a time."""
    steps = [
        "session=v",
        "session=v; HttpOnly",
        "session=v; HttpOnly; Secure",
        "session=v; HttpOnly; Secure; SameSite=Lax",
    ]
    losses = [cookies.state(state(step)).loss for step in steps]

    assert losses == sorted(losses, reverse=True)


def test_promise_that_is_switched_off_helps_no_cookie() -> None:
    """With ``max-age=0`` browsers forget the host."""
    headers = (("Set-Cookie", "session=v; HttpOnly; SameSite=Lax"), ("Strict-Transport-Security", "max-age=0"))

    assert outcome(cookies, make_artifacts(headers=headers)).state == "unsafe"


def test_ignored_attributes_are_listed_only() -> None:
    """A protected cookie that lasts shorter than was meant is no danger."""
    headers = [("Content-Type", "text/html"), ("Set-Cookie", "a=1; Secure; HttpOnly; SameSite=Lax; Max-Age=1h")]
    found = outcome(cookies, make_artifacts(headers=headers))

    assert found.state == "ignored"
    assert "max-age" in found.evidence[0].reason
