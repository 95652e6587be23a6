from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.model.audit_result import AuditResult, Place
from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Evidence
from pagegrade.render.sarif import Source, parse_source, render_sarif, render_site_sarif
from tests.audit_builders import result_of
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report
from tests.sarif_rules import format_errors, refusals


def run_of(*reports: Any) -> dict[str, Any]:
    """The only run of the log."""
    log = json.loads(render_sarif(reports))
    (run,) = log["runs"]

    assert log["version"] == "2.1.0"
    assert isinstance(run, dict)
    return run


def uri_of(report: Any, sources: Sequence[Source] = ()) -> str:
    """The path of the only result of a report."""
    (result,) = json.loads(render_sarif([report], sources=sources))["runs"][0]["results"]
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def strings(value: Any) -> Iterator[str]:
    """Every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.parametrize("payload", ['"><svg onload=alert(1)>', "\x1b[0m\ud800\x00", "javascript:alert(1)", "ordinary"])
def test_the_log_keeps_the_rules_of_the_format_and_of_code_scanning(payload: str) -> None:
    """Members and values as the standard has them, and nothing for which the receiver refuses the file."""
    reports = [make_report(), poisoned_report(payload), make_failed_report(), make_report(url="https://example.com/b")]
    text = render_sarif(reports)

    assert format_errors(json.loads(text)) == []
    assert refusals(text) == []


def audit(payload: str = "") -> AuditResult:
    """A result with a finding of pages, a more severe one of links, and one without a page."""
    found = result_of("https://example.com/")
    (pages,) = found.findings
    link = Place(url="https://example.com/gone", value="status 404", sources=("https://example.com/a",), count=1)
    linked = replace(
        pages, number=2, check="broken-internal-links", severity="critical", places=(link,), title=payload or "x"
    )
    bare = replace(pages, number=3, check="robots-conflicts", severity="low", places=(), fingerprint="3" * 16)
    return replace(
        found, findings=(pages, replace(linked, fingerprint="2" * 16), bare), notes=("Notes.",), complete=False
    )


@pytest.mark.parametrize("payload", ['"><svg onload=alert(1)>', "\x1b[0m\ud800\x00", "javascript:alert(1)", "ordinary"])
def test_an_audit_keeps_the_same_rules(payload: str) -> None:
    """Also where the text of a page is hostile."""
    text = render_site_sarif(audit(payload))

    assert format_errors(json.loads(text)) == []
    assert refusals(text) == []


def test_a_link_of_a_site_stands_on_the_page_that_has_it() -> None:
    """A finding without a page stands on the start page; a source names the file of a page."""
    (run,) = json.loads(render_site_sarif(audit(), sources=[parse_source("https://example.com/=site/")]))["runs"]
    where = {
        one["ruleId"]: one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]
    }
    levels = [one["level"] for one in run["results"]]

    assert where == {
        "broken-internal-links": "site/a",
        "duplicate-title": "site/index.html",
        "robots-conflicts": "site/index.html",
    }
    assert levels == ["error", "error", "note"]
    assert "https://example.com/gone on https://example.com/a" in run["results"][0]["message"]["text"]
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 2


def test_the_rules_find_what_code_scanning_refused() -> None:
    """An http address as a location, two pages whose results are one, a result without a line."""
    log = json.loads(render_sarif([make_report(make_result())]))
    (result,) = log["runs"][0]["results"]
    result["locations"][0]["physicalLocation"] = {"artifactLocation": {"uri": "https://example.com/"}}
    log["runs"][0]["results"].append(result)

    assert any("region" in error for error in format_errors(log))
    assert any("no path" in refusal for refusal in refusals(json.dumps(log)))
    assert any("two results are one" in refusal for refusal in refusals(json.dumps(log)))


@settings(max_examples=60, deadline=None)
@given(
    host=st.sampled_from(["example.com", "127.0.0.1:8000", "[2001:db8::1]:8080", "xn--bcher-kva.example"]),
    path=st.text(max_size=60),
    query=st.text(max_size=60),
)
def test_every_address_is_a_path_of_its_own(host: str, path: str, query: str) -> None:
    """Whatever a site has in its URLs: relative, escaped, no way up, no longer than a file system takes."""
    urls = [str(ada_url.URL(f"https://{host}/{part.replace('#', '%23')}")) for part in (path, f"{path}?{query}")]
    texts = [render_sarif([make_report(make_result(), url=url, final_url=url) for url in dict.fromkeys(urls)])]

    assert [refusals(text) for text in texts] == [[]]


def test_a_page_without_a_known_source_has_a_path_made_of_its_address() -> None:
    """The same in every run, and that of the address asked for, wherever it redirects."""
    urls = ["https://example.com/", "http://127.0.0.1:8000/plans?page=2/..", f"https://example.com/{'a' * 900}"]
    first, second, third = (
        uri_of(make_report(make_result(), url=url, final_url="https://login.example/")) for url in urls
    )

    assert first == "example.com/index.html"
    assert second == "127.0.0.1%3A8000/plans%3Fpage=2%2F.."
    assert third.startswith("example.com/aaa")
    assert len(third) < 255


@pytest.mark.parametrize(
    ("source", "url", "path", "line"),
    [
        ("https://example.com/=site/", "https://example.com/", "site/index.html", 4),
        ("https://example.com/=site/", "https://example.com/a/b/?q=1", "site/a/b/index.html", 4),
        ("https://example.com/=./", "https://example.com/a.html", "a.html", 4),
        ("https://example.com/docs=my docs/", "https://example.com/docs/x", "my%20docs/x", 4),
        ("https://example.com/docs=my docs/", "https://example.com/docs2/x", "example.com/docs2/x", 4),
        ("https://example.com/pricing=src/pricing.html", "https://example.com/pricing", "src/pricing.html", 4),
        ("https://example.com/blog=src/post.html", "https://example.com/blog/one", "src/post.html", 1),
        ("http://example.com/=site/", "https://example.com/", "example.com/index.html", 4),
    ],
)
def test_pages_are_mapped_to_their_source(source: str, url: str, path: str, line: int) -> None:
    """A folder has the files of the site; a file that makes many pages has not the lines of one."""
    report = make_report(make_result(), url=url, final_url=url)
    (result,) = json.loads(render_sarif([report], sources=[parse_source(source)]))["runs"][0]["results"]
    found = result["locations"][0]["physicalLocation"]

    assert (found["artifactLocation"]["uri"], found["region"]["startLine"]) == (path, line)


def test_the_source_with_the_longest_address_counts() -> None:
    """A part of the site may come from elsewhere."""
    sources = [parse_source(text) for text in ("https://example.com/=site/", "https://example.com/pricing=src/p.html")]

    assert uri_of(make_report(make_result()), sources) == "src/p.html"


@pytest.mark.parametrize(
    "text", ["", "site/", "https://example.com/", "https://example.com/=", "ftp://example.com/=a", "x=site/",
             "https://example.com/=/site", "https://example.com/=../site", "https://example.com/=a/../b",
             "https://example.com/=a\\b", "https://u:p@example.com/=site/"],
)  # fmt: skip
def test_a_source_that_cannot_be_used_is_refused(text: str) -> None:
    """An address and a path below the root of the repository."""
    with pytest.raises(InvalidInput, match=r"is no (source|path)"):
        parse_source(text)


def test_a_line_of_another_file_is_one_of_that_file() -> None:
    """A line of robots.txt is none of the page."""
    evidence = Evidence(url="https://example.com/robots.txt", line=7, snippet="Disallow: /")
    report = make_report(make_result(evidence=(evidence,)))

    assert uri_of(report) == "example.com/robots.txt"
    assert uri_of(report, [parse_source("https://example.com/=site/")]) == "site/robots.txt"


def test_a_log_holds_no_more_results_than_code_scanning_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least severe are left out and counted; at the limit nothing is said."""
    report = make_report(*(make_result(name, importance=name) for name in ("low", "high", "medium")))
    limits = []
    for limit in (3, 2):
        monkeypatch.setattr("pagegrade.render.sarif.MAX_RESULTS", limit)
        run = run_of(report)
        levels = [result["level"] for result in run["results"]]
        limits.append((levels, run["invocations"][0].get("toolExecutionNotifications")))

    assert limits[0] == (["error", "warning", "note"], None)
    assert limits[1][0] == ["error", "warning"]
    assert "1 result of less severity not listed" in limits[1][1][0]["message"]["text"]


def test_texts_of_a_rule_are_no_longer_than_code_scanning_takes() -> None:
    """A check whose states differ has a text for each, as long as there is room."""
    reports = [
        make_report(make_result(why=f"{number} {'x' * 500}", fix="Fix it."), url=f"https://example.com/{number}")
        for number in range(9)
    ]

    assert refusals(render_sarif(reports)) == []


@pytest.mark.parametrize(
    "payload", ["\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041", "\x1b", "\x00", "\x9b", "\u2028", "\ud800"]
)
def test_invisible_characters_are_shown_as_escapes(payload: str) -> None:
    """An editor that shows the log cannot be made to show something else."""
    text = render_sarif([poisoned_report(f"a{payload}b"), make_failed_report(url=f"https://example.com/{payload}")])

    assert [line for line in strings(json.loads(text)) if payload in line] == []
    text.encode()


@pytest.mark.parametrize("payload", ["javascript:alert(1)", "data:text/html,x", "//evil.test/", "file:///etc/passwd"])
def test_only_plain_web_addresses_are_links(payload: str) -> None:
    """A viewer makes links of ``uri`` and ``helpUri``, and of ``[text](address)`` in messages."""
    failed = make_failed_report(url=f"[click]({payload})")
    run = run_of(poisoned_report(f"[click]({payload})"), poisoned_report(payload), failed)
    rules = run["tool"]["driver"]["rules"]
    said = [result["message"] for result in run["results"]]
    said += [rule[name] for rule in rules for name in ("shortDescription", "fullDescription", "help")]
    said += [note["message"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}

    assert [rule for rule in rules if "helpUri" in rule] == []
    assert all(uri.startswith("page-") for uri in uris)
    assert [line for line in strings(said) if "](" in line] == []
    assert any("[click] (" in line for line in strings(said))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_leaves_valid_json(number: float) -> None:
    """RFC 8259 has no word for it."""
    text = render_sarif([make_report(make_result(lost=number, price=number, value=number))])

    assert json.loads(text, parse_constant=pytest.fail)


def test_levels_follow_importance() -> None:
    """High is an error, medium a warning, low a note."""
    run = run_of(make_report(*(make_result(name, importance=name) for name in ("high", "medium", "low"))))

    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]


def test_every_place_is_a_result_of_its_own() -> None:
    """So that one image can be closed while another stays open."""
    evidence = (Evidence(snippet="<a>", line=3, column=2, selector="a"), Evidence(snippet="<b>"))
    results = run_of(make_report(make_result(evidence=evidence)))["results"]

    assert len(results) == 2
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 2,
        "snippet": {"text": "<a>"},
    }
    assert results[0]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "a", "kind": "element"}]
    assert len({result["partialFingerprints"]["pagegrade/v1"] for result in results}) == 2


def test_what_passed_is_not_a_result() -> None:
    """Only findings."""
    assert run_of(make_report(make_passed()))["results"] == []


def test_a_page_that_failed_is_a_notification() -> None:
    """The run did not succeed, and says why."""
    (invocation,) = run_of(make_report(), make_failed_report())["invocations"]

    assert invocation["executionSuccessful"] is False
    assert "blocked" in invocation["toolExecutionNotifications"][0]["message"]["text"]
