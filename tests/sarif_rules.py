"""Rules that a SARIF log must keep: those of the format for the objects that we write, and those of code scanning.

Sources: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html (sections at each object) and
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""

from __future__ import annotations

import gzip
import json
import re
from typing import Any, Final

from jsonschema_rs import Draft202012Validator

_URI_REFERENCE: Final = re.compile(
    r"(?![^/?#]*:)"  # RFC 3986 4.2: a colon in the first segment would be that of a scheme
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})+"
)
"""A relative one without query and fragment."""
_LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    """An object with these members and no others."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


_TEXT: Final = {"type": "string", "minLength": 1}
_MESSAGE: Final = _object("text", text=_TEXT)  # 3.11, 3.12
_BAG: Final = {"type": "object"}  # 3.8
_REGION: Final = _object(  # 3.30
    "startLine",
    startLine={"type": "integer", "minimum": 1},
    startColumn={"type": "integer", "minimum": 1},
    snippet=_object("text", text=_TEXT),
)
_LOCATION: Final = _object(  # 3.28, 3.29, 3.33
    "physicalLocation",
    physicalLocation=_object("artifactLocation region", artifactLocation=_object("uri", uri=_TEXT), region=_REGION),
    logicalLocations=_list(_object("fullyQualifiedName kind", fullyQualifiedName=_TEXT, kind=_TEXT), minItems=1),
)
_RULE: Final = _object(  # 3.49
    "id name shortDescription fullDescription help defaultConfiguration properties",
    id=_TEXT,
    name=_TEXT,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_MESSAGE,
    helpUri={"type": "string", "pattern": "^https?://"},
    defaultConfiguration=_object("level", level=_LEVEL),
    properties=_BAG,
)
_RESULT: Final = _object(  # 3.27, 3.35
    "ruleId ruleIndex level message locations partialFingerprints properties",
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVEL,
    message=_MESSAGE,
    locations=_list(_LOCATION, minItems=1, maxItems=1),
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    properties=_BAG,
    suppressions=_list(
        _object(
            "kind status justification",
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification=_TEXT,
        )
    ),
)
_RUN: Final = _object(  # 3.14
    "tool results columnKind invocations",
    tool=_object(  # 3.18, 3.19
        "driver",
        driver=_object(
            "name version informationUri rules",
            name=_TEXT,
            version=_TEXT,
            informationUri={"type": "string", "pattern": "^https://"},
            rules=_list(_RULE, uniqueItems=True),
        ),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=_list(  # 3.20, 3.58
        _object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=_list(_object("level message", level=_LEVEL, message=_MESSAGE)),
        )
    ),
    results=_list(_RESULT),
)
FORMAT: Final = Draft202012Validator(
    _object(  # 3.13
        "$schema version runs",
        **{"$schema": {"type": "string", "pattern": "^https://"}, "version": {"const": "2.1.0"}},
        runs=_list(_RUN, minItems=1),
    )
)


def format_errors(log: Any) -> list[str]:
    """Violations of the format."""
    return [f"{error.instance_path}: {error.message}" for error in FORMAT.iter_errors(log)]


def refusals(text: str) -> list[str]:
    """Reasons for which code scanning refuses the file, drops results or takes two of them for one."""
    log = json.loads(text)
    found = []
    if len(gzip.compress(text.encode())) > 10_000_000:
        found.append("the file has more than 10 MB when compressed")
    if len(log["runs"]) > 20:
        found.append("there are more than 20 runs")
    for run in log["runs"]:
        rules, results = run["tool"]["driver"]["rules"], run["results"]
        found += [f"{name}: more than 25,000" for name in ("rules", "results") if len(run.get(name, rules)) > 25_000]
        found += [f"{rule['id']}: long text" for rule in rules if _is_too_long(rule)]
        found += [f"{rule['id']}: more than 20 tags" for rule in rules if len(rule["properties"]["tags"]) > 20]
        found += [f"{result['ruleId']}: not its rule" for result in results if not _has_its_rule(result, rules)]
        keys = [_key(result) for result in results]
        found += [f"{key}: two results are one" for key in sorted({key for key in keys if keys.count(key) > 1})]
        found += [f"{key[1]}: no path in a repository" for key in keys if not _is_path(key[1])]
        ranks = [("error", "warning", "note", "none").index(result["level"]) for result in results]
        found += ["the most severe results are not the first"] if ranks != sorted(ranks) else []
    return found


def _is_too_long(rule: Any) -> bool:
    return any(len(rule[name]["text"]) > 1_024 for name in ("shortDescription", "fullDescription"))


def _has_its_rule(result: Any, rules: Any) -> bool:
    return any(rule["id"] == result["ruleId"] for rule in rules[result["ruleIndex"] :][:1])


def _key(result: Any) -> tuple[str, str, str]:
    """Identity of one alert."""
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    return result["ruleId"], uri, result["partialFingerprints"]["primaryLocationLineHash"]


def _is_path(uri: str) -> bool:
    """Return whether it is one below the root of a repository, which has a scheme of ``file``."""
    return _URI_REFERENCE.fullmatch(uri) is not None and not uri.startswith("/") and ".." not in uri.split("/")
