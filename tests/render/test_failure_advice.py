from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.report import Failure
from pagegrade.render.failure_advice import cause, has_to_let_us_in, retry_advice, user_agent, way_out
from tests.report_builders import make_failed_report


def failure(code: str, **more: object) -> Failure:
    """A failure with that code."""
    error = make_failed_report(code).error
    if error is None:
        raise AssertionError("a failed report has an error")
    return replace(error, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_every_code_has_words_for_people_on_the_web(code: str) -> None:
    """Whole sentences, at least two things to try, and nothing that only a terminal knows."""
    way = way_out(failure(code))

    assert len(way.steps) >= 2
    for sentence in (way.headline, way.meaning, *way.steps):
        assert sentence.endswith((".", "http://."))
        assert "--" not in sentence
        assert "%" not in sentence


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "signing in"), (403, "signing in"), (404, "moved"), (410, "moved"), (500, "error log"), (503, "error log")],
)
def test_a_status_has_its_own_advice_and_no_other(status: int, advice: str) -> None:
    """The advice for a 404 is of no use after a 500."""
    steps = way_out(failure("http_error", http_status=status)).steps

    assert len(steps) == 2
    assert advice in steps[1]


def test_a_rare_status_has_all_the_advice() -> None:
    """Nothing better is known."""
    steps = way_out(failure("http_error", http_status=418)).steps

    assert all(any(advice in step for step in steps) for advice in ("signing in", "moved", "error log"))


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


@pytest.mark.parametrize(
    ("code", "reason", "often_temporary"),
    [
        ("dns", "dns_nxdomain", False),
        ("dns", "dns_timeout", True),
        ("timeout", "", True),
        ("connect", "connect_refused", True),
        ("internal", "", True),
        ("tls", "", False),
        ("blocked", "", False),
        ("not_html", "", False),
    ],
)
def test_only_what_passes_by_itself_is_called_temporary(code: str, reason: str, *, often_temporary: bool) -> None:
    """A host name that does not exist and a refusal stay until the cause is fixed."""
    advice = retry_advice(failure(code, reason=reason, retryable=FAILURE_CODES[code][0]))

    assert ("often temporary" in advice) is often_temporary
    assert ("will not help" in advice) is not often_temporary
