from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.report import Failure
from pagegrade.render.failure_advice import cause, has_to_let_us_in, retry_advice, user_agent, way_out
from pagegrade.render.i18n import texts_for
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.builders import make_artifacts, make_response
from tests.report_builders import make_failed_report


def failure(code: str, **more: object) -> Failure:
    """A failure with that code."""
    error = make_failed_report(code).error
    if error is None:
        raise AssertionError("a failed report has an error")
    return replace(error, **more)


def by_status(status: int, **headers: str) -> Failure:
    """The failure that a response with this status amounts to."""
    response = make_response(
        "<h1>No</h1>", status=status, headers=[(n.replace("_", "-"), v) for n, v in headers.items()]
    )
    error = evaluate_artifacts(make_artifacts(response=response)).error
    if error is None:
        raise AssertionError(f"{status} is no failure")
    return error


STATUSES = [
    206,
    302,
    400,
    401,
    403,
    404,
    406,
    407,
    408,
    410,
    418,
    421,
    425,
    429,
    451,
    500,
    501,
    502,
    503,
    504,
    520,
    599,
]
REASONS = [
    ("dns", "dns_nxdomain"), ("dns", "dns_timeout"), ("dns", "dns_error"), ("dns", "proxy_not_used"),
    ("dns", "proxy_not_resolving"),
    ("connect", "connect_refused"), ("connect", "connect_timeout"), ("connect", "connect_unreachable"),
    ("connect", "conn_reset"), ("connect", "http_protocol"), ("connect", "proxy_not_used"),
    ("connect", "proxy_sign_in"), ("connect", "proxy_refused"), ("connect", "proxy_unreachable"), ("tls", "tls_error"),
    ("timeout", "headers_timeout"), ("timeout", "timeout_total"), ("timeout", "deadline"),
    ("redirect_loop", "redirect_loop"), ("redirect_loop", "too_many_redirects"), ("not_html", "content_type"),
    ("address_not_allowed", "target_refused"), ("address_not_allowed", "redirect_refused"),
    ("http_error", "redirect_without_location"),
    ("timeout", "truncated_time"), ("connect", "truncated_connection"), ("connect", "truncated_coding"),
    ("internal", "internal"), ("too_large", "decode_bomb"), ("too_large", "parser_limit"),
    ("blocked", "challenge_cloudflare"), ("blocked", "access_refused"), ("blocked", "access_not_sent"),
]  # fmt: skip
FAILURES = {
    **{code: failure(code, reason=None, retryable=FAILURE_CODES[code][0]) for code in FAILURE_CODES},
    **{f"{code} {reason}": failure(code, reason=reason, retryable=FAILURE_CODES[code][0]) for code, reason in REASONS},
    **{f"{status}": by_status(status) for status in STATUSES},
}


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES)
def test_every_failure_has_advice_that_fits_it(error: Failure) -> None:
    """Whole sentences in both languages, at least two things to try, and nothing that only a terminal knows."""
    way = way_out(error)
    german = texts_for("de")

    assert len(way.steps) >= 2
    for sentence in (way.headline, way.meaning, *way.steps):
        assert sentence.endswith((".", "http://."))
        assert "--" not in sentence
        assert "%" not in sentence
        assert "below" not in sentence
        assert german.gettext(sentence) != sentence


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES)
def test_what_is_said_about_another_try_fits_the_flag(error: Failure) -> None:
    """Programs read ``retryable``, people the sentence: neither contradicts the other."""
    advice = retry_advice(error)

    assert ("will not help" in advice) is not error.retryable
    assert ("may help" in advice) is error.retryable
    assert not way_out(error).passes or error.retryable


@pytest.mark.parametrize(
    ("status", "retryable", "often_temporary", "words"),
    [
        (401, False, False, "give Pagegrade what lets you in"),
        (403, True, False, "User-Agent contains Pagegrade/"),
        (404, False, False, "moved"),
        (407, False, False, "without a proxy"),
        (410, False, False, "moved"),
        (429, True, True, "Wait as long as the site asks for"),
        (500, True, True, "error log"),
        (502, True, True, "error log"),
        (503, True, True, "Wait as long as the site asks for"),
    ],
)
def test_a_status_has_its_own_advice(status: int, retryable: bool, often_temporary: bool, words: str) -> None:  # noqa: FBT001
    """Advice says what helps, and whether trying again does."""
    error = by_status(status)

    assert error.retryable is retryable
    assert ("often temporary" in retry_advice(error)) is often_temporary
    assert any(words in step for step in way_out(error).steps)


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (401, {"WWW_Authenticate": 'Basic realm="x"'}, "asks for a sign-in (Basic)."),
        (401, {"WWW_Authenticate": "Negotiate"}, "asks for a sign-in (Negotiate)."),
        (401, {"WWW_Authenticate": "<script>"}, "asks for a sign-in."),
        (401, {}, "asks for a sign-in."),
        (407, {"Proxy_Authenticate": "Digest nonce=1"}, "asks for a sign-in (Digest)."),
        (429, {"Retry_After": "120"}, "asks to wait 120 seconds."),
        (503, {"Retry_After": "Wed, 21 Oct 2026 07:28:00 GMT"}, "asks to wait until Wed, 21 Oct 2026 07:28:00 GMT."),
        (503, {"Retry_After": "\x1b[0m soon"}, "answered 503 to our fetcher."),
        (403, {"Retry_After": "120"}, "answered 403 to our fetcher."),
    ],
)
def test_what_a_refusal_asks_for_is_passed_on(status: int, headers: dict[str, str], words: str) -> None:
    """The scheme of a sign-in and the time to wait, if the header is one."""
    assert by_status(status, **headers).message.endswith(words)


def test_a_challenge_is_no_plain_refusal() -> None:
    """Whatever its status: it is the bot protection that has to let us in."""
    assert way_out(failure("blocked", reason="challenge_page", http_status=503)) == way_out(failure("blocked"))


def test_no_two_codes_share_their_words() -> None:
    """Each kind of failure is fixed in its own way."""
    assert len({way_out(failure(code)).headline for code in FAILURE_CODES}) == len(FAILURE_CODES)


def test_a_code_of_a_later_version_is_a_fault_of_the_service() -> None:
    """It must not break the page."""
    assert way_out(Failure(code="new", message="?")) == way_out(failure("internal"))


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("blocked", 403, True),
        ("blocked", None, True),
        ("http_error", 403, True),
        ("http_error", 404, False),
        ("http_error", 407, False),
        ("dns", None, False),
    ],
)
def test_only_a_site_that_refused_gets_advice_on_allowing_pagegrade(
    code: str,
    status: int | None,
    expected: bool,  # noqa: FBT001
) -> None:
    """A page that is not there has no use for it."""
    assert has_to_let_us_in(failure(code, http_status=status)) is expected


def test_the_cause_is_there_for_those_who_pass_it_on() -> None:
    """Code, finer reason, status; nothing twice."""
    assert cause(failure("blocked")) == "blocked, challenge_page, HTTP status 403"
    assert cause(Failure(code="dns", message="?", reason="dns")) == "dns"


@pytest.mark.parametrize(
    ("vantage", "expected"),
    [
        ("User-Agent: Pagegrade/9.9 (+https://a.test); Accept: text/html", "Pagegrade/9.9 (+https://a.test)"),
        ("User-Agent: Pagegrade/0.1.0", "Pagegrade/0.1.0"),
        ("", USER_AGENT),
        ("saved by hand", USER_AGENT),
    ],
)  # fmt: skip
def test_we_are_named_as_the_site_saw_us(vantage: str, expected: str) -> None:
    """That run's own header counts, not what a later version sends."""
    report = make_failed_report()

    assert user_agent(replace(report, run=replace(report.run, vantage=vantage))) == expected


@pytest.mark.parametrize(
    ("reason", "headline"),
    [
        ("dns_nxdomain", "The host name was not found."),
        ("dns_error", "The host name could not be resolved."),
        ("dns_timeout", "The host name could not be resolved."),
    ],
)
def test_name_servers_without_an_answer_are_no_missing_name(reason: str, headline: str) -> None:
    """A look-up that failed says nothing about the name."""
    assert way_out(failure("dns", reason=reason)).headline == headline
