from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pagegrade.model.outcome import Evidence
from pagegrade.render.sarif import render_sarif
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report


def run_of(*reports: Any) -> dict[str, Any]:
    """The only run of the log."""
    log = json.loads(render_sarif(reports))
    (run,) = log["runs"]

    assert log["version"] == "2.1.0"
    assert isinstance(run, dict)
    return run


def strings(value: Any) -> Iterator[str]:
    """Every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.parametrize("payload", ['"><svg onload=alert(1)>', "\x1b[0m\ud800\x00", "javascript:alert(1)", "ordinary"])
def test_the_log_keeps_the_rules_of_the_schema(payload: str) -> None:
    """Required members, allowed levels, indexes that fit, regions from 1, URIs that are URIs."""
    run = run_of(make_report(), poisoned_report(payload))
    rules = run["tool"]["driver"]["rules"]

    assert run["tool"]["driver"]["name"] == "Pagegrade"
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note", "none"}
        assert rule.get("helpUri", "https://").startswith("https://")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note", "none"}
        assert result["message"]["text"]
        assert len(result["partialFingerprints"]["pagegrade/v1"]) == 32
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"].startswith(("https://", "about:blank"))
        region = location["physicalLocation"].get("region", {"startLine": 1})
        assert region["startLine"] >= 1
        assert region.get("startColumn", 1) >= 1


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
    assert uris == {"about:blank"}
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
