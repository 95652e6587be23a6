"""From artifacts to a report: what is evaluated, what is refused, and that it is stable."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.artifacts import NotGathered
from pagegrade.model.rendering import ConsoleMessage, Departure
from pagegrade.model.report import CATEGORIES, MIN_COVERAGE, Report
from pagegrade.report.artifacts_file import load_artifacts, save_artifacts
from pagegrade.report.serialize import report_to_dict
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.builders import make_artifacts, make_response, make_well_known
from tests.rendering_builders import make_rendering

PAGE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page about cats</title></head><body><h1>Cats</h1>"
)
CONTACT = f"{PAGE}<a href=tel:+441632960000>Call us</a>"
"""The same with something to use: a heading alone is a notice."""


def test_a_reader_can_do_the_sum() -> None:
    """Findings add up to what their category lost, categories to what is missing, to the last digit."""
    report = evaluate_artifacts(make_artifacts(PAGE))

    assert report.state == "completed"
    for name, category in report.categories.items():
        lost = round(sum(result.lost for result in report.results if result.category == name), 1)

        assert category.lost == lost
        assert category.taken == min(lost, CATEGORIES[name])

    assert report.uncapped_score is not None
    assert report.score == min(math.ceil(report.uncapped_score - 0.5), *(cap.max_score for cap in report.caps))


def test_little_coverage_of_a_fetched_page_withholds_everything() -> None:
    """No score, no result and no figure of a category, and every finding is listed without a cost."""
    report = evaluate_artifacts(make_artifacts(CONTACT, vantage="User-Agent: Pagegrade"))

    assert report.coverage is not None
    assert report.coverage < MIN_COVERAGE
    assert report.withheld is not None
    assert report.withheld.kind == "coverage"
    assert (report.score, report.result, report.uncapped_score, report.caps) == (None, None, None, ())
    assert {(one.score, one.result, one.lost, one.taken) for one in report.categories.values()} == {
        (None, None, None, None)
    }
    assert {(result.lost, result.price) for result in report.results} == {(0.0, 0.0)}
    assert any(result.passed is False for result in report.results)
    assert report.run.partial


def test_a_document_at_hand_is_graded_on_what_it_says() -> None:
    """And the report names the categories that have no score; what they take is stated, so that the sum adds up."""
    report = evaluate_artifacts(make_artifacts(PAGE + '<img src="/cat.jpg" alt="A cat">' * 6))
    taken = [category.taken for category in report.categories.values()]

    assert report.withheld is None
    assert report.score is not None
    assert report.result is not None
    assert report.categories["performance"].score is None
    assert report.categories["accessibility"].score is not None
    assert report.run.partial
    assert [note for note in report.run.notes if note.endswith("could be evaluated for a score: performance.")] != []
    assert report.uncapped_score is not None
    assert None not in taken
    assert round(100 - sum(part for part in taken if part is not None), 1) == report.uncapped_score
    assert report.categories["performance"].taken == report.categories["performance"].lost != 0


@pytest.mark.parametrize("status", [204, 205, 300, 304, 400, 401, 403, 404, 429, 500, 503])
def test_answer_that_is_no_page_is_never_scored(status: int) -> None:
    """Other statuses than 2xx end as failed reports with a code."""
    report = evaluate_artifacts(make_artifacts(PAGE, status=status))

    assert report.state == "failed"
    assert report.score is None
    assert report.results == ()
    assert report.error is not None
    assert report.error.code == ("blocked" if status in {401, 403, 429, 503} else "http_error")
    assert report.error.http_status == status


def test_same_artifacts_give_the_same_report_byte_for_byte() -> None:
    """Saved, loaded and evaluated again, nothing differs."""
    artifacts = make_artifacts(PAGE, robots_txt=make_well_known("User-agent: *", url="https://example.com/robots.txt"))
    first = json.dumps(report_to_dict(evaluate_artifacts(artifacts)), sort_keys=True)
    again = json.dumps(report_to_dict(evaluate_artifacts(load_artifacts(save_artifacts(artifacts)))), sort_keys=True)

    assert first == again


def test_unverified_connection_and_truncation_are_said() -> None:
    """A reader learns that not everything was as it should be."""
    response = replace(make_response(PAGE), truncated="limit", certificate_error="expired")
    report = evaluate_artifacts(make_artifacts(response=response))

    assert len(report.run.notes) == 3


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"notes": ("decode_bomb",), "truncated": "limit"}, "too_large"),
        ({"body": b"", "truncated": "coding"}, "not_html"),
        ({"body": b"", "truncated": "time"}, "timeout"),
        ({"body": b"<!doctype html><html lang=en>", "truncated": "time"}, "timeout"),
        ({"body": PAGE.encode()[:200], "truncated": "connection"}, "connect"),
        ({"body": PAGE.encode()[:200], "truncated": "coding", "notes": ("truncated_stream",)}, "connect"),
        ({"body": b"", "truncated": "coding", "notes": ("truncated_stream",)}, "connect"),
        ({"body": PAGE.encode()[:200], "truncated": "coding", "notes": ("corrupt",)}, "not_html"),
        ({"body": b"<h1>Plans</h1></html>" + b"-" * 65_530, "truncated": "connection"}, "connect"),
        ({"body": b"", "truncated": "coding", "notes": ("unknown_coding",)}, "not_html"),
        ({"body": b"", "truncated": "coding", "notes": ("too_many_codings",)}, "not_html"),
        ({"status": 206}, "http_error"),
        ({"status": 206, "headers": (("Content-Range", "bytes 0-9/900"),)}, "http_error"),
        ({"status": 206, "headers": (("Content-Range", "bytes 5-899/900"),)}, "http_error"),
        ({"status": 206, "headers": (("Content-Range", "bytes 0-899/*"),)}, "http_error"),
        ({"status": 302, "notes": ("redirect_without_location",)}, "http_error"),
    ],
)
def test_page_that_was_not_really_seen_is_never_scored(changes: dict[str, Any], code: str) -> None:
    """A bomb, an answer that cannot be unpacked, or the beginning of a page is no page to evaluate."""
    report = evaluate_artifacts(make_artifacts(response=replace(make_response(PAGE), **changes)))

    assert report.score is None
    assert report.error is not None
    assert report.error.code == code


@pytest.mark.parametrize(
    ("changes"),
    [
        {"truncated": "limit"},
        {"body": PAGE.encode()[:200], "truncated": "limit"},
        {"body": b"<h1>Plans</h1><p>Whole as it was sent", "truncated": "coding", "notes": ("plain_body",)},
        {"body": b"<h1>Plans</h1></html>" + b"-" * 65_529, "truncated": "connection"},
        {"body": b"<h1>Plans</h1><p>All of it</body>\n", "truncated": "connection"},
        {"body": "<h1>Pläne</h1><p>Alles</html>\n".encode("utf-16"), "truncated": "connection"},
        {"body": b"<h1>Plans</h1></HTML >\n", "truncated": "time"},
    ],
)
def test_page_that_was_seen_to_its_end_is_evaluated(changes: dict[str, Any]) -> None:
    """A wrong length or a late close behind the end takes nothing from a page; our own limits are ours."""
    report = evaluate_artifacts(make_artifacts(response=replace(make_response(PAGE), **changes)))

    assert report.error is None
    assert any(note.startswith("The page was not read to its end;") for note in report.run.notes)


def test_range_that_is_the_whole_page_is_the_page() -> None:
    """Some caches answer so; nothing of the page is missing."""
    response = make_response(PAGE)
    headers = (*response.headers, ("Content-Range", f"bytes 0-{len(response.body) - 1}/{len(response.body)}"))
    report = evaluate_artifacts(make_artifacts(response=replace(response, status=206, headers=headers)))

    assert report.error is None
    assert report.score is not None


REFRESH = '<!doctype html><html lang=en><title>x</title><meta http-equiv=refresh content="{}"><body>{}'
ELSEWHERE = "https://example.com/new/place"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/new/place", ELSEWHERE),
        ("5; URL='https://other.example/'", "https://other.example/"),
        ("0;url=/%D8%B5%D9%81%D8%AD%D8%A9", "https://example.com/%D8%B5%D9%81%D8%AD%D8%A9"),
    ],
)
def test_empty_page_that_leads_on_is_the_redirect_that_it_is(content: str, target: str) -> None:
    """It is not charged for what it does not show."""
    report = evaluate_artifacts(make_artifacts(REFRESH.format(content, "")))

    assert report.score is None
    assert report.withheld is not None
    assert report.withheld.kind == "leads_on"
    assert target in report.withheld.message
    assert {one.outcome for one in report.results if one.check == "empty-page"} == {"not_evaluated"}


def test_header_leads_on_like_an_element() -> None:
    """A browser heeds both."""
    response = make_response("", headers=(("Content-Type", "text/html"), ("Refresh", "0; url=/new/place")))
    report = evaluate_artifacts(make_artifacts(response=response))

    assert report.withheld is not None
    assert ELSEWHERE in report.withheld.message


@pytest.mark.parametrize("text", ["<h1>川のほとり</h1>", "<p>Мельница", "<img src=/a.png alt=x>"])
def test_page_that_shows_something_before_it_leads_on_is_graded(text: str) -> None:
    """Its content can be judged, and that it leads on is the matter of a check."""
    assert evaluate_artifacts(make_artifacts(REFRESH.format("0;url=/new/place", text))).score is not None


@pytest.mark.parametrize("content", ["0", "30;url=/page", "soon;url=/new/place", "0;url=mailto:a@example.com"])
def test_empty_page_that_leads_nowhere_is_empty(content: str) -> None:
    """It loads itself again, or does nothing."""
    url = "https://example.com/page"
    report = evaluate_artifacts(make_artifacts(REFRESH.format(content, ""), url=url))

    assert report.withheld is None
    assert {one.outcome for one in report.results if one.check == "empty-page"} == {"failed"}


@pytest.mark.parametrize(("status", "retryable"), [(404, False), (410, False), (408, True), (500, True), (502, True)])
def test_only_passing_errors_are_worth_another_try(status: int, retryable: bool) -> None:  # noqa: FBT001
    """A page that does not exist will not exist later."""
    error = evaluate_artifacts(make_artifacts(PAGE, status=status)).error

    assert error is not None
    assert error.retryable is retryable


def test_unseen_headers_are_not_missing_headers() -> None:
    """A saved page is not blamed for headers that were not saved; a response without them is."""
    unseen = replace(make_response(PAGE, headers=()), headers_seen=False)
    kept = {r.check: r.outcome for r in evaluate_artifacts(make_artifacts(response=unseen)).results}
    bare = {r.check: r.outcome for r in evaluate_artifacts(make_artifacts(PAGE, headers=())).results}

    for check in ("hsts", "csp", "clickjacking", "x-content-type-options"):
        assert kept[check] == "not_evaluated"
        assert bare[check] == "failed"


def test_empty_page_is_called_empty() -> None:
    """Success without content is evaluated, and said."""
    report = evaluate_artifacts(make_artifacts(" \n"))

    assert report.state == "completed"
    assert "empty" in report.run.notes[0]


def test_shell_that_scripts_fill_gets_no_verdict() -> None:
    """An empty frame is neither good nor bad."""
    shell = PAGE.replace("<h1>Cats</h1>", "<div id=root></div><script src=/app.js></script>")
    report = evaluate_artifacts(make_artifacts(shell))

    assert (report.score, report.result) == (None, None)
    assert report.withheld is not None
    assert report.withheld.kind == "empty_shell"
    assert any(result.check == "title" and result.passed for result in report.results)
    assert report.run.partial


def test_findings_of_one_cause_are_one_finding_without_a_score_too() -> None:
    """Nothing is charged, and nothing is listed three times."""
    shell = PAGE.replace("<h1>Cats</h1>", "<div id=root></div><script src=/app.js></script>")
    report = evaluate_artifacts(make_artifacts(shell))
    social = {result.check: result for result in report.results if result.cause == "social-tags" and not result.passed}

    assert report.score is None
    assert len(social) == 3
    assert sum(result.counted_in is None for result in social.values()) == 1
    assert not any(result.lost for result in social.values())


def test_missing_artifacts_are_listed_with_their_reason() -> None:
    """A missing artifact has a reason."""
    report = evaluate_artifacts(make_artifacts(PAGE, tls=NotGathered(code="timeout", detail="Too slow.")))

    assert ("tls", "timeout: Too slow.") in [(one.artifact, one.reason) for one in report.run.not_gathered]


def test_order_of_results_is_the_catalogue() -> None:
    """Category by category, then by id, whatever order the modules load in."""
    report = evaluate_artifacts(make_artifacts(PAGE))
    keys = [(list(report.categories).index(result.category), result.check) for result in report.results]
    shuffled = keys[:]
    random.Random(1).shuffle(shuffled)  # noqa: S311 - a test, not a secret

    assert keys == sorted(shuffled)


MAINTENANCE = (
    "<!doctype html><html lang=en><title>We'll be back soon</title><h1>We'll be back soon!</h1><p>We are performing "
    "some maintenance at the moment. Sorry for the inconvenience.</p></html>"
)


def test_notice_in_the_place_of_the_page_is_not_graded() -> None:
    """Facts of the connection are listed without a cost; the notice's document is not evaluated."""
    report = evaluate_artifacts(make_artifacts(MAINTENANCE, vantage="User-Agent: Pagegrade"))
    found = {result.check: result for result in report.results}

    assert report.withheld is not None
    assert report.withheld.kind == "maintenance"
    assert report.score is None
    assert found["meta-description"].reason.startswith("not_the_page")
    assert found["redirect-chain"].reason.startswith("not_the_page"), "nothing should link to where it led"
    assert found["x-content-type-options"].outcome in {"failed", "warning"}
    assert found["x-content-type-options"].lost == 0
    assert found["hsts"].outcome != "not_evaluated", "the server sends it with every response"
    assert found["server-signature"].outcome == "passed"


def test_notice_at_hand_is_graded() -> None:
    """A document that is handed over is the page."""
    report = evaluate_artifacts(make_artifacts(MAINTENANCE))

    assert report.withheld is None
    assert report.score is not None


def leaving(url: str) -> Report:
    """The report on a page that a script of its own led to another address."""
    departure = Departure(kind="script", url=url, after_ms=900.0)
    rendering = make_rendering(final_url=url, departures=(departure,), html=CONTACT)
    return evaluate_artifacts(make_artifacts(CONTACT, vantage="User-Agent: Pagegrade", rendering=rendering))


def test_a_page_that_leaves_for_another_site_is_not_graded() -> None:
    """Another site is not the page, and the report says where it went."""
    report = leaving("https://example.net/landing")

    assert report.withheld is not None
    assert report.withheld.kind == "other_site"
    assert "https://example.net/landing" in report.withheld.message
    assert report.final_url == "https://example.net/landing"
    assert report.score is None
    assert all(one.outcome == "not_evaluated" for one in report.results if one.check in {"title", "color-contrast"})


def test_a_page_that_leaves_within_its_site_is_graded_with_a_finding() -> None:
    """Under the address that it has in the end, with the time that was lost."""
    report = leaving("https://www.example.com/en/")
    found = {result.check: result for result in report.results}

    assert report.withheld is None or report.withheld.kind == "coverage"
    assert report.final_url == "https://www.example.com/en/"
    assert found["client-redirect"].outcome == "warning"
    assert found["meta-refresh"].outcome == "warning"


def test_what_a_browser_saw_of_an_empty_shell_is_said() -> None:
    """The error of its script, or that it could not be drawn; no advice to do what was done."""
    shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"
    error = ConsoleMessage(level="error", source="exception", text="TypeError: api is null")
    drawn = make_rendering(html=shell, console=(error,))
    hung = NotGathered(code="timeout", detail="The page hung.", reason="unresponsive")
    for rendering, words in ((drawn, "TypeError: api is null"), (hung, "The page hung.")):
        report = evaluate_artifacts(make_artifacts(shell, vantage="User-Agent: Pagegrade", rendering=rendering))

        assert report.withheld is not None
        assert report.withheld.kind == "empty_shell"
        assert words in report.withheld.message
        assert "--render" not in report.withheld.fix


def test_a_static_run_says_what_only_a_browser_would_have_seen() -> None:
    """Its coverage is whole, and a category with checks for a browser says that it was not evaluated to its end."""
    report = evaluate_artifacts(make_artifacts(PAGE))
    accessibility = report.categories["accessibility"].coverage

    assert accessibility is not None
    assert 0 < accessibility < 1


def test_a_page_that_is_hidden_until_scripts_run_has_no_grade_without_a_browser() -> None:
    """Nothing says that they show it; without scripts it is a page that shows nothing, which is a finding."""
    hidden = "<!doctype html><style>body{display:none}</style><h1>Chairs</h1><p>Made of teak. <a href=/a>More</a>"
    scripted = evaluate_artifacts(make_artifacts(f"{hidden}<script src=/a.js></script>"))
    plain = evaluate_artifacts(make_artifacts(hidden))

    assert scripted.withheld is not None
    assert scripted.withheld.message.startswith("The page hides all of itself")
    assert plain.withheld is None
    assert "empty-page" in {result.check for result in plain.results if result.passed is False}


@pytest.mark.parametrize(
    ("script", "is_graded"),
    [
        ("document.documentElement.className='af'", True),
        ("document.body.classList.add('ready')", False),
        ("document.body.style.opacity=1", False),
    ],
)
def test_page_that_no_script_shows_again_is_graded(script: str, is_graded: bool) -> None:  # noqa: FBT001
    """Its script hides it once more: visitors see nothing, and that is known without a browser."""
    style = "html.af body{opacity:0!important}body{visibility:hidden;opacity:0}body.ready{visibility:visible;opacity:1}"
    page = f"<html lang=he><title>לחם</title><style>{style}</style><script>{script}</script><h1>לחם</h1><p>לחם טרי</p>"
    report = evaluate_artifacts(make_artifacts(page))

    assert (report.withheld is None) is is_graded
    assert (report.result == "bad") is is_graded


@pytest.mark.parametrize("is_drawn", [False, True])
def test_a_page_behind_a_route_says_what_was_evaluated(*, is_drawn: bool) -> None:
    """Servers see one page for all routes; the report has the URL under which a browser shows this one."""
    url = "https://example.com/"
    drawn: dict[str, Any] = {"rendering": make_rendering()} if is_drawn else {}
    page, routed = (
        evaluate_artifacts(make_artifacts(PAGE, url=url, requested_url=asked, **drawn))
        for asked in (url, f"{url}#/chairs")
    )
    (note,) = set(routed.run.notes) - set(page.run.notes)

    assert (routed.url, routed.final_url, routed.project) == (f"{url}#/chairs", f"{url}#/chairs", "example.com")
    assert ("The browser opened it so" in note, "analyze the page in a browser" in note) == (is_drawn, not is_drawn)
