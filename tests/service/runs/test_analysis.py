"""The use cases, on the local site and on pages at hand."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import zlib
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec
import pytest
import trustme
from msgspec.structs import replace

from pagegrade.gather.context import OffloadFailed
from pagegrade.gather.outgoing_proxy import read_direct_hosts, read_proxy
from pagegrade.model.access import Access, AccessNote, VisitorView
from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.errors import URLNotAllowed
from pagegrade.model.report import Report, Thresholds
from pagegrade.model.stored import PackedReport
from pagegrade.parse.http.access import read_access
from pagegrade.parse.url import parse_target_url
from pagegrade.render import FORMATS, render
from pagegrade.report.artifacts_file import save_artifacts
from pagegrade.report.codec import pack_report, read_detail, unpack_detail
from pagegrade.sandbox.pool import Children, NoChildFree, TaskFailed, TaskLost
from pagegrade.service.runs import analysis
from pagegrade.service.runs.analysis import (
    Analysis,
    analyze_target,
    artifacts_of_document,
    behind_proxy,
    evaluate_and_pack_in_child,
    evaluate_in_child,
    evaluation_failure,
    without_proxy,
)
from pagegrade.service.runs.evaluation import ACCESS_NOT_SENT, ACCESS_REFUSED, evaluate_and_pack, evaluate_artifacts
from pagegrade.service.runs.options import AnalyzeOptions
from tests.builders import make_artifacts, make_response
from tests.gather.sites import Asked, Reply, Site, html, redirect
from tests.report_builders import make_failed_report
from tests.service.tasks import die_evaluation, lie_about_json, stumble_evaluation
from tests.site.serve import serve_site

T = TypeVar("T")

LOOPBACK = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1)


def analyzed(url: str, options: AnalyzeOptions = LOOPBACK) -> Analysis:
    """One analysis with a child of its own."""

    async def main() -> Analysis:
        async with Children(1) as children:
            return await analyze_target(parse_target_url(url), options=options, children=children)

    return asyncio.run(main())


def test_good_page_is_good_with_everything_seen() -> None:
    """The site's best page: full coverage of what applies, and nothing of weight to fix."""
    with serve_site() as site:
        analysis = analyzed(site.http + "/")

    assert analysis.report.result == "good"
    assert analysis.report.coverage is not None
    assert analysis.report.coverage > 0.9
    assert analysis.artifacts is not None
    assert not isinstance(analysis.artifacts.resources, NotGathered)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/challenge", "blocked"),
        ("/no-such-page", "http_error"),
        ("/loop", "redirect_loop"),
        ("/document.pdf", "not_html"),
        ("/data.json", "not_html"),
    ],
)
def test_page_that_was_not_seen_is_a_failed_report(path: str, code: str) -> None:
    """A named state, no score, no exception."""
    with serve_site() as site:
        report = analyzed(site.http + path).report

    assert (report.state, report.score) == ("failed", None)
    assert report.error is not None
    assert report.error.code == code


def test_a_refused_connection_is_a_failed_report_without_artifacts() -> None:
    """Nothing could be gathered, and the report says so."""
    with serve_site() as site:
        url = site.http + "/"
    analysis = analyzed(url)

    assert analysis.artifacts is None
    assert analysis.report.error is not None
    assert analysis.report.error.code == "connect"
    assert analysis.report.final_url is None


def test_typed_permission_is_for_that_port_only() -> None:
    """A redirect of the typed page to another private address is refused."""
    with serve_site() as site, serve_site() as other:
        typed = AnalyzeOptions(allow_typed_private=True, load_samples=1)
        fine = analyzed(site.http + "/moved", typed).report

        assert fine.state == "completed"
        with pytest.raises(URLNotAllowed):
            analyzed(other.http + "/", AnalyzeOptions())


def test_page_that_kills_the_parser_is_a_failed_report() -> None:
    """Memory and time of the child are limited; the report says what happened."""
    artifacts = artifacts_of_document(b"<b>x" * 1_000_000, url="https://example.com/")

    async def main() -> Report:
        async with Children(1) as children:
            return await evaluate_in_child(artifacts, Thresholds(), children=children)

    report = asyncio.run(main())

    assert report.error is not None
    assert (report.error.code, report.error.reason) == ("too_large", "parser_limit")


class Recording(Children):
    """Children that remember what they were asked for."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[str] = []

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """Do it."""
        self.asked.append(getattr(function, "__name__", ""))
        return await super().run(function, *arguments, timeout_s=timeout_s)


@pytest.mark.parametrize(("page", "evaluated"), [("<b>x" * 700_000 + "\N{PILE OF POO}", False), ("<p>", True)])
def test_a_page_that_runs_the_parser_into_a_limit_is_parsed_once(page: str, evaluated: bool) -> None:  # noqa: FBT001
    """Looking for its sub-resources has shown that it cannot be read; evaluating it would only cost the same again."""

    async def main() -> tuple[Analysis, list[str]]:
        async with Site({"/": html(page)}) as site, Recording() as children:
            target = parse_target_url(site.origin + "/")
            return await analyze_target(target, options=LOOPBACK, children=children), children.asked

    analysis, asked = asyncio.run(main())
    error = analysis.report.error

    assert asked.count("find_named_urls") == 1
    assert ("evaluate_artifacts" in asked) == evaluated
    assert (error is None) == evaluated
    if error is not None:
        assert (error.code, error.reason, error.http_status) == ("too_large", "parser_limit", 200)


@pytest.mark.parametrize(
    ("failure", "code", "reason"),
    [
        (OffloadFailed("It died.", cause="cpu_limit"), "too_large", "parser_limit"),
        (TaskLost("It was killed twice.", cause="crash"), "internal", "process_lost"),
        (TaskLost("It took more than 20 s twice.", cause="time_limit"), "internal", "busy"),
        (NoChildFree("None came free."), "internal", "busy"),
        (TaskFailed("KeyError"), "internal", None),
    ],
)
def test_who_is_to_blame_decides_the_failure(failure: OffloadFailed, code: str, reason: str | None) -> None:
    """The page for its limits, the service for its faults, none for a lost process: then it is tried again."""
    found = evaluation_failure(failure, artifacts_of_document(b"<p>", url="https://example.com/"))

    assert (found.code, found.reason, found.retryable) == (code, reason, code == "internal")


@pytest.mark.parametrize(
    ("url", "environment", "setting"),
    [
        ("https://example.com/", {"HTTPS_PROXY": "http://user:secret@proxy.example:3128"}, "HTTPS_PROXY"),
        ("http://example.com/", {"http_proxy": "http://proxy.example:3128"}, "http_proxy"),
        ("https://example.com/", {"all_proxy": "socks5://proxy.example"}, "all_proxy"),
        ("http://example.com/", {"HTTPS_PROXY": "http://proxy.example:3128"}, None),
        ("https://www.example.com/", {"HTTPS_PROXY": "http://proxy.example", "NO_PROXY": "a.test, .example.com"}, None),
        ("http://127.0.0.1:9/", {"HTTP_PROXY": "http://proxy.example"}, None),
        ("http://localhost:9/", {"HTTP_PROXY": "http://proxy.example"}, None),
        ("https://example.com/", {"HTTPS_PROXY": ""}, None),
    ],
)
@pytest.mark.parametrize("code", ["dns", "connect", "timeout", "blocked"])
def test_a_site_that_only_a_proxy_reaches_is_not_blamed(
    url: str, environment: dict[str, str], setting: str | None, code: str
) -> None:
    """Behind a proxy of a company no name resolves and no port opens, and neither is the fault of the site."""
    report = make_failed_report(code, url=url)
    error = without_proxy(report, environment).error

    assert error is not None
    assert (error.reason == "proxy_not_used") is (setting is not None and code != "blocked")
    assert (f"{setting} is set" in error.message) is (error.reason == "proxy_not_used")
    assert "secret" not in error.message


@pytest.mark.parametrize(
    ("url", "settings", "names_it"),
    [
        ("https://example.com/", {}, True),
        ("https://example.com/", {"resolves": True}, False),
        ("https://www.example.com/", {"direct": read_direct_hosts("example.com")}, False),
    ],
)
@pytest.mark.parametrize("code", ["dns", "connect"])
def test_a_name_that_only_the_proxy_may_know_is_told(
    url: str, settings: dict[str, Any], code: str, *, names_it: bool
) -> None:
    """Blame falls on name servers where a proxy is used that could be asked instead."""
    proxy = read_proxy("http://user:secret@proxy.example:3128", **settings)
    error = behind_proxy(make_failed_report(code, url=url), proxy).error

    assert error is not None
    assert (error.reason == "proxy_not_resolving") is (names_it and code == "dns")
    assert ("the proxy is not asked for names" in error.message) is (error.reason == "proxy_not_resolving")
    assert "secret" not in error.message


def test_a_service_names_the_proxy_that_it_does_not_use() -> None:
    """By the options of the process, so that the API and the pages say the same as a terminal."""
    options = dataclasses.replace(LOOPBACK, proxies=(("HTTP_PROXY", "http://user:secret@proxy.example"),))
    error = analyzed("http://nowhere.invalid/", options).report.error

    assert error is not None
    assert (error.code, error.reason) == ("dns", "proxy_not_used")
    assert "secret" not in error.message


ACCESS = read_access(
    name="Staging",
    origins=["https://staging.example"],
    user="reader",
    password="n0t-Shown-1",
    headers=[("X-Door", "n0t-Shown-2")],
    cookies=[("session", "n0t-Shown-3")],
    query=[("key", "n0t-Shown-4")],
)


def door(asked: Asked) -> Reply:
    """A page for those who are let in, which repeats all that it was sent."""
    if "n0t-Shown-2" not in asked.headers.get("x-door", ""):
        return Reply(status=401, headers=(("WWW-Authenticate", "Basic"),))
    echo = f"{asked.target} {asked.headers} {unquote(asked.target)}"
    body = f"<!doctype html><html lang=en><title>{echo}</title><h1>{echo}</h1><script>var x = {echo!r}</script>"
    return Reply(body=body.encode(), headers=(("Content-Type", "text/html"), ("X-Echo", echo[:4_000])))


SIGN_IN = html(
    "<!doctype html><html lang=en><title>Sign in</title><h1>Sign in</h1><form method=post action=/login>"
    "<label>User <input name=user></label><label>Password <input type=password name=password></label>"
    "<button>Sign in</button></form>"
)


def analyzed_at_the_door(
    access: Access | None, pages: Mapping[str, Reply] = MappingProxyType({})
) -> tuple[Analysis, Site, str]:
    """The page, with an access to its origin, which comes last."""

    async def main() -> tuple[Analysis, Site, str]:
        async with Site(pages, missing=door) as site, Children(1) as children:
            given = access and dataclasses.replace(access, origins=access.origins or (site.origin,))
            options = dataclasses.replace(LOOPBACK, access=given)
            analysis = await analyze_target(parse_target_url(site.origin), options=options, children=children)
            return analysis, site, site.origin

    return asyncio.run(main())


def test_a_page_behind_a_door_is_analyzed_with_an_access() -> None:
    """The report says so, by name."""
    analysis, _, origin = analyzed_at_the_door(dataclasses.replace(ACCESS, origins=()))

    assert analysis.report.state == "completed"
    assert analysis.report.run.access == AccessNote(
        name="Staging",
        origins=(origin,),
        sent=("basic", "headers", "cookies", "query"),
        visitors=VisitorView(status=401, url=f"{origin}/", is_elsewhere=False, indexable=None),
    )
    assert analysis.report.run.notes == (
        "Analyzed with access profile Staging.",
        "Without it, visitors and search engines get status 401.",
    )


def test_nothing_of_an_access_comes_back_in_a_report_or_in_its_artifacts() -> None:
    """Although the page repeats all of it, in its text, its scripts and its headers."""
    analysis, site, _ = analyzed_at_the_door(dataclasses.replace(ACCESS, origins=()))

    assert analysis.artifacts is not None
    token = "cmVhZGVyOm4wdC1TaG93bi0x"
    sent = str(site.asked)
    found = repr(analysis) + zlib.decompress(save_artifacts(analysis.artifacts), 31).decode()
    found += "".join(render(analysis.report, name) for name in FORMATS)

    for secret in ("n0t-Shown-2", "n0t-Shown-3", "n0t-Shown-4", token):
        assert secret in sent
        assert secret not in found

    assert "n0t-Shown-1" not in found


def test_without_an_access_the_page_is_blocked() -> None:
    """And nothing says otherwise."""
    analysis, _, _ = analyzed_at_the_door(None)

    assert analysis.report.error is not None
    assert analysis.report.error.reason == "status_401"
    assert not analysis.report.run.access
    assert analysis.report.run.notes == ()


def test_an_access_that_lets_in_no_more_is_named() -> None:
    """With what to do, and without what was sent."""
    analysis, site, _ = analyzed_at_the_door(
        dataclasses.replace(ACCESS, headers=(("X-Door", "n0t-Shown-9"),), origins=())
    )
    text = render(analysis.report, "text")

    assert analysis.report.error is not None
    assert analysis.report.error.reason == ACCESS_REFUSED
    assert analysis.report.error.retryable is False
    assert "it has expired, or is wrong" in analysis.report.error.message
    assert "n0t-Shown" not in text
    assert site.asked


def test_a_user_agent_alone_is_no_access_that_has_expired() -> None:
    """The server asks for a sign-in, and nothing was sent that could have been one."""
    analysis, site, _ = analyzed_at_the_door(Access(user_agent="Company browser"))

    assert analysis.report.error is not None
    assert analysis.report.error.reason == "status_401"
    assert site.asked[0].headers["user-agent"] == "Company browser"
    assert analysis.report.run.notes[0] == "Analyzed with an access that visitors without it do not have."


def test_trust_in_certificates_is_no_access_that_was_refused() -> None:
    """Nothing was sent that could have let the run in, and nothing says so."""
    analysis, _, _ = analyzed_at_the_door(Access(certificates=trustme.CA().cert_pem.bytes().decode()))

    assert analysis.report.error is not None
    assert analysis.report.error.reason == "status_401"
    assert analysis.report.run.notes == ("Analyzed with trust in certificates that not everybody trusts.",)


def test_an_access_that_stays_here_because_of_the_certificate_is_not_called_missing() -> None:
    """A user and password would not help: the advice is about the certificate."""
    response = make_response("<h1>No</h1>", status=401, certificate_error="untrusted")
    note = AccessNote(name="", origins=("https://example.com",), sent=("basic",))
    error, trusted = (
        evaluate_artifacts(make_artifacts(response=response, access=each)).error
        for each in (note, replace(note, sent=("certificates",)))
    )

    assert error is not None
    assert (error.reason, error.retryable) == (ACCESS_NOT_SENT, False)
    assert "certificate did not verify" in error.message
    assert trusted is not None
    assert trusted.reason == "status_401"


def test_a_redirect_to_a_sign_in_is_no_page_of_the_access() -> None:
    """It has no grade, and the report says whether there was an access that should have avoided it."""
    pages = {"/": redirect("/login?next=/"), "/login?next=/": SIGN_IN}
    with_access, without = (
        analyzed_at_the_door(access, pages)[0].report
        for access in (dataclasses.replace(ACCESS, origins=(), query=()), None)
    )

    assert with_access.withheld is not None
    assert without.withheld is not None
    assert with_access.withheld.kind == without.withheld.kind == "login_wall"
    assert with_access.score is without.score is None
    assert "although an access was sent" in with_access.withheld.message
    assert "access" not in without.withheld.message
    assert with_access.run.notes[0] == "Analyzed with access profile Staging."


def test_an_access_that_is_for_another_origin_is_said_not_to_have_been_used() -> None:
    """With the origin that it is for."""
    analysis, site, origin = analyzed_at_the_door(ACCESS)

    assert "n0t-Shown" not in str(site.asked)
    assert analysis.report.run.notes == (
        f"The access was not used: it is for https://staging.example, and the page led to {origin}. "
        "Analyze the page there by its own URL, or name that origin, too.",
    )


ROOT = Path(__file__).resolve().parents[3]
PAGE = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Cats</title></head><body><h1>Cats</h1>"


def packed_by_child(artifacts: Artifacts) -> PackedReport:
    """The packed result of a child for a page."""

    async def main() -> PackedReport:
        async with Children(1) as children:
            return await evaluate_and_pack_in_child(artifacts, Thresholds(), children=children)

    return asyncio.run(main())


def test_a_child_packs_what_evaluation_here_would_give() -> None:
    """The same bytes, on whichever side of the pipe."""
    artifacts = make_artifacts(PAGE)

    assert packed_by_child(artifacts) == pack_report(evaluate_artifacts(artifacts))


def test_a_page_that_was_not_seen_is_packed_as_failed() -> None:
    """It has an error and no results."""
    artifacts = make_artifacts(PAGE, status=404)
    packed = evaluate_and_pack(artifacts, Thresholds())

    assert packed.state == "failed"
    assert packed.error is not None
    assert msgspec.json.decode(packed.error)["code"] == "http_error"


@pytest.mark.parametrize(
    ("task", "code", "reason"),
    [
        (die_evaluation, "too_large", "parser_limit"),
        (stumble_evaluation, "internal", None),
        (lie_about_json, "internal", "unreadable_answer"),
    ],
)
def test_whatever_becomes_of_the_child_is_a_failed_analysis(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    task: Callable[..., PackedReport],
    code: str,
    reason: str | None,
) -> None:
    """A child that dies, errs or lies costs its page, and nothing it says is stored unread."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the child imports the task from the tests
    monkeypatch.setattr(analysis, "evaluate_and_pack", task)
    with caplog.at_level(logging.CRITICAL):
        packed = packed_by_child(make_artifacts(PAGE))

    error = msgspec.json.decode(packed.error or b"null")

    assert (packed.state, error["code"], error["reason"]) == ("failed", code, reason)
    assert bytes(read_detail(unpack_detail(packed.detail)).results) == b"null"
