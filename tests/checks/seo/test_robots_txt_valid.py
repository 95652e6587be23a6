"""Tests of the check robots-txt-valid."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks.seo.robots_txt_valid import robots_txt_valid
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Artifacts, NotGathered, SitemapFile, Sitemaps
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, NotRun, Outcome
from tests.builders import evaluated, make_artifacts, make_response, make_well_known, outcome, run

URL = "https://example.com/robots.txt"


def site(body: str | bytes, *, redirects: int = 0, **more: object) -> Artifacts:
    """A site with that file."""
    hops = [make_response(url=f"{URL}?{number}", status=301) for number in range(redirects)]
    return make_artifacts(robots_txt=make_well_known(body, url=URL, hops=hops, **more))


@pytest.mark.parametrize(
    "body",
    [
        "User-agent: *\nDisallow: /a\nAllow: /a/*.css$\nSitemap: https://example.com/s.xml",
        "",
        "# nothing but a comment\n",
        "\ufeffUser-agent: *\nDisallow:",
        "User-agent: *\nCrawl-delay: 1\nContent-Signal: ai-train=no\nDisallow:\nLicense: https://example.com/l.xml",
        "User-agent: *\nDisallow: /*.swf$\nVisit-time: 0600-0845\nRequest-rate: 1/30m",
        "USER-AGENT:  *\nALLOW:    /      \nDISALLOW:#all",
        "Sitemap: ftp://example.com/s.xml",
    ],
)
def test_readable_files_pass(body: str) -> None:
    """Known extensions, an empty file and a mark at the start are fine."""
    assert outcome(robots_txt_valid, site(body)).state == "valid"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_missing_file_is_fine(status: int) -> None:
    """No file means no restrictions, and the error page is not read."""
    result = evaluated(robots_txt_valid, site("<!doctype html>", status=status))

    assert (result.outcome, result.loss) == ("passed", 0.0)
    # What may be there for others is not called absent.
    said = outcome(robots_txt_valid, site("<!doctype html>", status=status)).message

    assert ("ends with status" in said) is (status not in {404, 410})


@pytest.mark.parametrize(
    "line",
    [
        "Unicorn: /x",
        "Noindex: /old",
        "nofollow: /old",
        "Noarchive: /old",
        "Disalow: /x",
        "Disallow: /a$b",
        "Disallow: a",
        "Sitemap: /s.xml",
        "some words",
        "User-agent:",
        "Sitemap:# none",
        "User-agent: bingbot, Yandex",
        "User-agent: Yandex*",
        "Disallow: /a /b",
        "Disallow: /a/,/b/",
        "Disallow:\u3000/\u4f1a\u54e1/",
    ],
)
def test_odd_lines_warn_with_their_place(line: str) -> None:
    """A line that crawlers skip is a warning, never a failure, because the RFC allows unknown lines."""
    artifacts = site(f"User-agent: *\nDisallow: /b\n{line}")
    found = outcome(robots_txt_valid, artifacts)

    assert found.state == "odd_lines"
    assert [(entry.line, entry.snippet) for entry in found.evidence] == [(3, line.partition("#")[0])]
    assert evaluated(robots_txt_valid, artifacts).loss == 0.5


def test_rule_before_any_group_fails() -> None:
    """A rule that belongs to no crawler is shown first, whatever else is odd."""
    found = outcome(robots_txt_valid, site("hello\nDisallow: /a\nUser-agent: *\nDisallow: /b"))

    assert found.state == "rule_before_group"
    assert found.evidence[0].line == 2


def test_rules_in_a_page_are_a_file_with_odd_lines() -> None:
    """Crawlers find them, so the file is not called a web page without rules."""
    found = outcome(robots_txt_valid, site("<!-- made by hand -->\nUser-agent: *\nDisallow: /a"))

    assert found.state == "odd_lines"
    assert [entry.line for entry in found.evidence] == [1]


@pytest.mark.parametrize("body", ["<!doctype html><title>x", "\n<html>", "\ufeff<!DOCTYPE html>"])
def test_page_in_place_of_the_file_fails_once(body: str) -> None:
    """The answer of an application shell is one finding, not one a line."""
    found = outcome(robots_txt_valid, site(body + "\n<p>line" * 500))

    assert found.state == "html"
    assert len(found.evidence) == 1


@pytest.mark.parametrize(("status", "state"), [(500, "server_error"), (503, "server_error"), (429, "rate_limited")])
def test_error_of_the_server(status: int, state: str) -> None:
    """5xx fails; being turned away for too many requests is about us, so it warns."""
    assert outcome(robots_txt_valid, site("", status=status)).state == state


@pytest.mark.parametrize("code", ["dns", "connect", "tls", "timeout", "protocol"])
def test_unreachable_file_fails(code: str) -> None:
    """A crawler meets the same failure and stays away."""
    artifacts = make_artifacts(robots_txt=NotGathered(code=code, detail="No answer."))

    assert outcome(robots_txt_valid, artifacts).state == "unreachable"


@pytest.mark.parametrize("code", ["budget", "skipped", "internal", "address_not_allowed"])
def test_our_own_limits_are_no_finding(code: str) -> None:
    """A file that was not requested is not evaluated."""
    assert run(robots_txt_valid, make_artifacts(robots_txt=NotGathered(code=code))) == NotRun(code, "")


def test_half_a_file_is_not_evaluated() -> None:
    """A body that broke off is not run."""
    assert isinstance(run(robots_txt_valid, site("User-agent: *", truncated="connection")), NotRun)


def test_size_limit() -> None:
    """500 KiB are read, one byte more is a warning."""
    at_limit = b"User-agent: *\n" + b"#" * (512_000 - 14)

    assert outcome(robots_txt_valid, site(at_limit)).state == "valid"
    assert outcome(robots_txt_valid, site(at_limit + b"#")).state == "too_large"


def test_redirect_limit() -> None:
    """Five redirects are fine, a sixth is a warning."""
    assert outcome(robots_txt_valid, site("User-agent: *", redirects=5)).state == "valid"
    assert outcome(robots_txt_valid, site("User-agent: *", redirects=6)).state == "many_redirects"


def test_csp_of_the_page_does_not_matter() -> None:
    """A policy of the page has no say over its robots.txt."""
    headers = [("Content-Type", "text/html"), ("Content-Security-Policy", "default-src 'none'; connect-src 'none'")]
    artifacts = make_artifacts(headers=headers, robots_txt=make_well_known("User-agent: *", url=URL))

    assert outcome(robots_txt_valid, artifacts).state == "valid"


def test_many_odd_lines_are_bounded_and_counted() -> None:
    """Thousands of odd lines give at most a hundred entries and the true number."""
    found = outcome(robots_txt_valid, site("nonsense\n" * 3_628))

    assert (len(found.evidence), found.total, found.value) == (MAX_EVIDENCE, 3_628, 3_628)


@pytest.mark.parametrize(("status", "verdict"), [(200, NotApplicable), (404, Outcome), (500, Outcome)])
def test_page_in_place_of_the_file_is_no_second_fault_of_a_catch_all(status: int, verdict: type[object]) -> None:
    """A server that answers every unknown URL with a page answers robots.txt so, and the 404 check reports it."""
    page = "<!doctype html><title>Our shop</title>"
    probe = make_well_known(page, url="https://example.com/no-such-page", status=status)

    assert isinstance(run(robots_txt_valid, site(page), not_found_probe=probe), verdict)


@pytest.mark.parametrize("check", ["robots-txt-valid", "robots-txt-allows", "sitemap", "sitemap-lists-page"])
@pytest.mark.parametrize("is_open", [True, False])
def test_page_behind_a_door_has_no_crawlers(check: str, *, is_open: bool) -> None:
    """Files for crawlers matter where crawlers get the page, and nowhere else."""
    view = VisitorView(status=200 if is_open else 401, url=URL, is_elsewhere=False, indexable=True if is_open else None)
    files = Sitemaps(files=(SitemapFile(url="https://example.com/sitemap.xml", source="guessed", status=404),))
    verdict = run(check, replace(site("Disallow: /\n", status=200), visitor_view=view, sitemaps=files))

    assert isinstance(verdict, NotApplicable) is not (is_open and check != "sitemap-lists-page")
    assert not is_open or "without the access" not in getattr(verdict, "reason", "")
