"""Reports as SARIF 2.1.0, for code scanning and editors.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from pagegrade.model.identity import PROJECT_URL, VERSION
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report, Result
from pagegrade.render.escape import safe_href, visible
from pagegrade.render.evidence_rows import place
from pagegrade.render.view import flat_prose, headline, what_happened
from pagegrade.report.compare import fingerprints
from pagegrade.report.sanitize import storable

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MAX_EXPLANATION_CHARS: Final = 4_000
"""A rule's texts take no further state from this length on; the page's reports hold them all."""
LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "informative": "none"}
"""Importance -> level (section 3.27.10)."""


def render_sarif(reports: Sequence[Report]) -> str:
    """All reports as one run: a rule for every check that found something, a result for every place."""
    found = [
        (report, result)
        for report in reports
        for result in report.results
        if result.passed is False or result.ignored is not None
    ]
    rules: dict[str, dict[str, Any]] = {}
    for _, result in found:
        _explain(rules.setdefault(result.check, _rule(result)), result)
    order = {check: index for index, check in enumerate(rules)}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Pagegrade",
                        "version": reports[0].run.engine if reports else VERSION,
                        "informationUri": PROJECT_URL,
                        "rules": list(rules.values()),
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(reports)],
                "results": [
                    entry for report, result in found for entry in _results(report, result, order[result.check])
                ],
            }
        ],
    }
    # The writer of the standard library takes ten times as long when it indents.
    return msgspec.json.format(msgspec.json.encode(storable(log)), indent=2).decode() + "\n"


def _rule(result: Result) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": result.check,
        "name": "".join(part.capitalize() for part in result.check.split("-")),
        "shortDescription": {"text": _unlinked(visible(result.check_name))},
        "defaultConfiguration": {"level": LEVELS[result.importance]},
        "properties": {"tags": [result.category], "price": result.price},
    }
    help_uri = safe_href(result.learn_more)
    return rule if help_uri is None else {**rule, "helpUri": help_uri}


def _explain(rule: dict[str, Any], result: Result) -> None:
    """Add the reason and the advice of ``result`` to its rule; a check whose states differ has several of each."""
    for member, prose in (("fullDescription", result.why), ("help", result.fix)):
        text = _unlinked(flat_prose(prose) or visible(result.check_name))
        known = rule.get(member, {}).get("text")
        if known is None:
            rule[member] = {"text": text}
        elif text not in known and len(known) < _MAX_EXPLANATION_CHARS:
            rule[member] = {"text": f"{known}\n\n{text}"}


def _results(report: Report, result: Result, rule_index: int) -> Iterator[dict[str, Any]]:
    for evidence, fingerprint in zip(result.evidence or (None,), fingerprints(report, result), strict=True):
        message = f"{headline(result)}. {visible(result.message, 400)}".rstrip()
        where = place(evidence) if evidence else ""
        yield {
            "ruleId": result.check,
            "ruleIndex": rule_index,
            "level": LEVELS[result.importance],
            "message": {"text": _unlinked(f"{message} ({where})" if where else message)},
            "locations": [_location(report, evidence)],
            "partialFingerprints": {"pagegrade/v1": fingerprint},
            "properties": {"price": result.price, "lost": result.lost, "outcome": result.outcome},
            **_suppressions(result),
        }


def _suppressions(result: Result) -> dict[str, Any]:
    """Return the ignore rules as section 3.35 has them; nothing for a finding that counts."""
    if result.ignored is None:
        return {}
    justification = _unlinked(visible(result.ignored.reason))
    return {"suppressions": [{"kind": "external", "status": "accepted", "justification": justification}]}


def _location(report: Report, evidence: Evidence | None) -> dict[str, Any]:
    uri = safe_href(report.final_url) or safe_href(report.url) or "about:blank"
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if evidence is None:
        return location
    if evidence.line is not None and evidence.line >= 1:
        region: dict[str, Any] = {"startLine": evidence.line}
        if evidence.column is not None and evidence.column >= 1:
            region["startColumn"] = evidence.column
        if evidence.snippet:
            region["snippet"] = {"text": visible(evidence.snippet)}
        physical["region"] = region
    if evidence.selector:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(evidence.selector), "kind": "element"}]
    return location


def _invocation(reports: Sequence[Report]) -> dict[str, Any]:
    failed = [report for report in reports if report.error is not None]
    invocation: dict[str, Any] = {"executionSuccessful": not failed}
    if failed:
        invocation["toolExecutionNotifications"] = [
            {
                "level": "error",
                "message": {"text": _unlinked(f"{visible(report.url, 2048)}: {what_happened(report.error)}")},
            }
            for report in failed
            if report.error is not None
        ]
    return invocation


def _unlinked(message: str) -> str:
    """``message`` without embedded links (section 3.11.6): a viewer would make one of ``[text](address)``."""
    return message.replace("](", "] (")
