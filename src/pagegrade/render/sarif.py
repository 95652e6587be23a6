"""Reports as SARIF 2.1.0, for code scanning and editors.

Code scanning takes results in files of a repository only, and refuses a whole log in which one has an http address. So
a page is a relative path: that of its source where it is known, else one made of its address.

Sources: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html and
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

import ada_url
import msgspec

from pagegrade.model.audit_result import AuditResult, Place, SiteFinding
from pagegrade.model.errors import InvalidInput
from pagegrade.model.identity import PROJECT_URL, VERSION
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report, Result
from pagegrade.render.escape import safe_href, visible
from pagegrade.render.evidence_rows import place
from pagegrade.render.view import IMPORTANCE_ORDER, access_note, flat_prose, headline, plural, what_happened
from pagegrade.report.compare import fingerprints
from pagegrade.report.sanitize import storable

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS: Final = 25_000
"""Of a run, by the limits of code scanning; of these it shows 5,000, so the most severe stand first."""
_MAX_TEXT_CHARS: Final = {"fullDescription": 1_024, "help": 4_000}
"""Of a rule, which takes no further state that would pass it; the first is a limit of code scanning."""
_MAX_PATH_CHARS: Final = 240
"""Of a path made of an address; longer ones are cut and end in a hash."""
_KEPT: Final = "%!$&'()+*,;=:@"
"""Characters of a segment of a path (RFC 3986 3.3), and the sign of those that are escaped already."""
_LONE_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_CUT_ESCAPE: Final = re.compile("%[0-9A-Fa-f]?$")
LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "informative": "none"}
"""Importance -> level (section 3.27.10)."""


class Source(msgspec.Struct, frozen=True):
    """Folder of the repository with the source of pages."""

    url: str
    """Of the page, and of those below it."""
    path: str
    """Relative, with slashes; one that ends in a slash is a folder, laid out as the site is."""

    def locate(self, url: str) -> tuple[str, bool] | None:
        """The file of the page ``url``, and whether its lines are those of the page; ``None`` if it is not below."""
        rest = url.removeprefix(self.url)
        if rest == url or (rest and not self.url.endswith("/") and rest[0] not in "/?"):
            return None
        below = rest.partition("?")[0].lstrip("/")
        if not self.path.endswith("/"):
            return self.path, not below
        return f"{self.path}{_with_index(below)}".removeprefix("./"), True


def parse_source(text: str) -> Source:
    """Read ``URL=PATH``.

    Raises:
        InvalidInput: One of the two cannot be used.
    """
    typed, equals, path = text.rpartition("=")
    url = safe_href(typed)
    if not equals or url is None:
        raise InvalidInput(f"{text[:200]!r} is no source. Write URL=PATH, such as https://example.com/=site/.")
    if path.startswith(("/", "~")) or "\\" in path or ".." in PurePosixPath(path).parts or not path:
        raise InvalidInput(f"{path[:200]!r} is no path in the repository. Write it relative to its root, with slashes.")
    folder = "/" if path.endswith("/") else ""
    return Source(url, quote(f"{PurePosixPath(path)}{folder}", safe="/!$&'()+*,;=@"))


def render_sarif(reports: Sequence[Report], *, sources: Sequence[Source] = ()) -> str:
    """All reports as one run: a rule for every check that found something, a result for every place.

    Args:
        reports: In any order; results are sorted by severity.
        sources: Where the source of the pages is; of several that fit, the one with the longest URL counts.
    """
    found = sorted(
        (
            (report, result)
            for report in reports
            for result in report.results
            if result.passed is False or result.ignored is not None
        ),
        key=lambda one: IMPORTANCE_ORDER.index(one[1].importance),
    )
    rules: dict[str, dict[str, Any]] = {}
    for _, result in found:
        _add_prose(rules.setdefault(result.check, _rule(result)), result.why, result.fix, result.check_name)
    order = {check: index for index, check in enumerate(rules)}
    nearest = sorted(sources, key=lambda source: -len(source.url))
    results = list(
        islice(
            (entry for report, result in found for entry in _results(report, result, order[result.check], nearest)),
            MAX_RESULTS,
        )
    )
    left_out = sum(max(1, len(result.evidence)) for _, result in found) - len(results)
    engine = reports[0].run.engine if reports else VERSION
    return _log(engine, list(rules.values()), _invocation(reports, left_out), results)


def render_site_sarif(audit: AuditResult, *, sources: Sequence[Source] = ()) -> str:
    """The result of an audit: a rule for every check that found something, a result for every page that it names.

    Args:
        audit: The result; of a finding, the pages are those that the result names, at most ``MAX_PLACES``.
    """
    found = sorted(audit.findings, key=lambda one: IMPORTANCE_ORDER.index(one.severity))
    nearest = sorted(sources, key=lambda source: -len(source.url))
    rules: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    for one in found:
        rule = rules.setdefault(one.check, _site_rule(one))
        _add_prose(rule, one.why, one.fix, one.title)
        index = list(rules).index(one.check)
        results += (_site_result(one, place, index, nearest) for place in one.places or (Place(url=audit.url),))
    unreached = "The crawl did not reach the whole site."
    notes = [] if audit.complete else [_notification("warning", unreached)]
    notes += [_notification("note", visible(note)) for note in audit.notes]
    invocation = {"executionSuccessful": True, **({"toolExecutionNotifications": notes} if notes else {})}
    return _log(audit.engine, list(rules.values()), invocation, results[:MAX_RESULTS])


def _site_rule(finding: SiteFinding) -> dict[str, Any]:
    return {
        "id": finding.check,
        "name": _name_of(finding.check),
        "shortDescription": {"text": _unlinked(visible(finding.title))},
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
        "properties": {"tags": ["site"]},
    }


def _site_result(finding: SiteFinding, place: Place, rule_index: int, sources: Sequence[Source]) -> dict[str, Any]:
    # A link stands on the first page that has it.
    page = place.sources[0] if place.sources else place.url
    told = [f"{visible(finding.title)}. {visible(finding.message, 400)}".rstrip()]
    told += [f"({visible(place.value, 400)})"] if place.value else []
    told.append(visible(place.url, 2048))
    told += [f"on {visible(page, 2048)}"] if page != place.url else []
    href = safe_href(page)
    located = next(filter(None, (source.locate(href) for source in sources)), None) if href else None
    where = {"uri": _path_of(page) if located is None else located[0]}
    fingerprint = _short_hash(f"{finding.fingerprint} {place.url} {page}")
    return {
        "ruleId": finding.check,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": {"text": _unlinked(" ".join(told))},
        "locations": [{"physicalLocation": {"artifactLocation": where, "region": {"startLine": 1}}}],
        "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:1", "pagegrade/v1": fingerprint},
        "properties": {
            "pages": finding.pages,
            "lost": finding.lost,
            "page": visible(page, 2048),
            **({} if finding.counted_in is None else {"counted_in": finding.counted_in}),
        },
    }


def _log(engine: str, rules: list[dict[str, Any]], invocation: dict[str, Any], results: list[dict[str, Any]]) -> str:
    driver = {"name": "Pagegrade", "version": engine, "informationUri": PROJECT_URL, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    # The writer of the standard library takes ten times as long when it indents.
    return msgspec.json.format(msgspec.json.encode(storable(log)), indent=2).decode() + "\n"


def _rule(result: Result) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": result.check,
        "name": _name_of(result.check),
        "shortDescription": {"text": _unlinked(visible(result.check_name))},
        "defaultConfiguration": {"level": LEVELS[result.importance]},
        "properties": {"tags": [result.category], "price": result.price},
    }
    help_uri = safe_href(result.learn_more)
    return rule if help_uri is None else {**rule, "helpUri": help_uri}


def _name_of(check: str) -> str:
    return "".join(part.capitalize() for part in check.split("-"))


def _add_prose(rule: dict[str, Any], why: str, fix: str, otherwise: str) -> None:
    """Add the reason and the advice of a finding to its rule; a check whose states differ has several of each."""
    for member, prose in (("fullDescription", why), ("help", fix)):
        text = _unlinked(flat_prose(prose) or visible(otherwise))
        known = rule.get(member, {}).get("text")
        longer = text if known is None else f"{known}\n\n{text}"
        if known is None or (text not in known and len(longer) <= _MAX_TEXT_CHARS[member]):
            rule[member] = {"text": longer}


def _results(report: Report, result: Result, rule_index: int, sources: Sequence[Source]) -> Iterator[dict[str, Any]]:
    page = visible(report.url, 2048)
    for evidence, fingerprint in zip(result.evidence or (None,), fingerprints(report, result), strict=True):
        message = f"{headline(result)}. {visible(result.message, 400)}".rstrip()
        where = place(evidence) if evidence else ""
        yield {
            "ruleId": result.check,
            "ruleIndex": rule_index,
            "level": LEVELS[result.importance],
            "message": {"text": _unlinked(f"{message} ({where}) {page}" if where else f"{message} {page}")},
            "locations": [_location(report, evidence, sources)],
            # Code scanning reads the first one alone, and takes results with the same one and path for the same.
            "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:1", "pagegrade/v1": fingerprint},
            "properties": {
                "price": result.price,
                "lost": result.lost,
                "outcome": result.outcome,
                "page": page,
                # Of a finding that is none of its own, the check whose finding it is counted in.
                **({} if result.counted_in is None else {"counted_in": result.counted_in}),
            },
            **_suppressions(result),
        }


def _suppressions(result: Result) -> dict[str, Any]:
    """Return the ignore rules as section 3.35 has them; nothing for a finding that counts."""
    if result.ignored is None:
        return {}
    justification = _unlinked(visible(result.ignored.reason))
    return {"suppressions": [{"kind": "external", "status": "accepted", "justification": justification}]}


def _location(report: Report, evidence: Evidence | None, sources: Sequence[Source]) -> dict[str, Any]:
    line = None if evidence is None or evidence.line is None or evidence.line < 1 else evidence.line
    # A line without an element is one of the file that the evidence names: robots.txt, a script.
    other = evidence.url if evidence is not None and line is not None and not evidence.selector else ""
    addresses = [other] if safe_href(other) else [report.final_url or "", report.url]
    found = (source.locate(href) for href in map(safe_href, addresses) if href for source in sources)
    path, has_lines = next(filter(None, found), (_path_of(addresses[-1]), True))
    # Code scanning wants a line of every result; the first one stands for the page as a whole.
    region: dict[str, Any] = {"startLine": line if line is not None and has_lines else 1}
    if evidence is not None and region["startLine"] == line:
        if evidence.column is not None and evidence.column >= 1:
            region["startColumn"] = evidence.column
        if evidence.snippet:
            region["snippet"] = {"text": visible(evidence.snippet)}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}
    if evidence is not None and evidence.selector:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(evidence.selector), "kind": "element"}]
    return location


def _path_of(url: str) -> str:
    """A relative path for a page whose source is not known, the same in every run: ``example.com/plans``."""
    href = safe_href(url)
    if href is None:
        return f"page-{_short_hash(url)}"
    parts = ada_url.URL(href)
    query = _escaped(parts.search, _KEPT)
    # Without a colon in its first segment, which would make a scheme of the host (RFC 3986 4.2).
    path = f"{quote(parts.host, safe='')}/{_with_index(parts.pathname.lstrip('/'))}{query}"
    if len(path) <= _MAX_PATH_CHARS:
        return path
    return f"{_CUT_ESCAPE.sub('', path[:_MAX_PATH_CHARS])}-{_short_hash(url)}"


def _with_index(path: str) -> str:
    """The path of a URL as that of a file, every character one of a URI reference."""
    return _escaped(f"{path}index.html" if not path or path.endswith("/") else path, f"/{_KEPT}")


def _escaped(text: str, kept: str) -> str:
    return quote(_LONE_PERCENT.sub("%25", text), safe=kept)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _invocation(reports: Sequence[Report], left_out: int) -> dict[str, Any]:
    """Return whether all pages were analyzed, and what the log does not hold."""
    failed = [
        _notification("error", f"{visible(report.url, 2048)}: {what_happened(report.error)}")
        for report in reports
        if report.error is not None
    ]
    cut = f"{plural(left_out, 'result')} of less severity not listed: a log holds {MAX_RESULTS:,}."
    seen = [
        _notification("note", f"{visible(report.url, 2048)}: {access_note(report)}")
        for report in reports
        if access_note(report)
    ]
    notes = [*failed, *([_notification("warning", cut)] if left_out else []), *seen]
    invocation: dict[str, Any] = {"executionSuccessful": not failed}
    return {**invocation, "toolExecutionNotifications": notes} if notes else invocation


def _notification(level: str, message: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": _unlinked(message)}}


def _unlinked(message: str) -> str:
    """``message`` without embedded links (section 3.11.6): a viewer would make one of ``[text](address)``."""
    return message.replace("](", "] (")
