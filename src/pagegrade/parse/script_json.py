"""Import maps and speculation rules: JSON in a page for its browser, and the parts of it that browsers skip.

Source: https://html.spec.whatwg.org/multipage/webappapis.html#parse-an-import-map-string and
https://html.spec.whatwg.org/multipage/speculative-loading.html#parse-speculation-rules
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from pagegrade.parse.structured_data import read_json

MAX_SKIPPED: Final = 50
"""Parts that are named."""
MAX_SHOWN: Final = 100
_URL_LIKE: Final = re.compile(r"(?:/|\./|\.\./|[A-Za-z][A-Za-z0-9+.-]*:)")
_SCRIPT_RULES: Final = ("prefetch", "prerender", "prerender_until_script")
_RULE_KEYS: Final = frozenset(
    "eagerness expects_no_vary_search referrer_policy relative_to requires source tag target_hint urls where".split()
)
_EAGERNESS: Final = ("immediate", "eager", "moderate", "conservative")
_PREDICATES: Final = ("and", "or", "not", "href_matches", "selector_matches")
_REFERRER_POLICIES: Final = frozenset(
    "no-referrer no-referrer-when-downgrade origin origin-when-cross-origin same-origin strict-origin "
    "strict-origin-when-cross-origin unsafe-url".split()
)
_REQUIREMENTS: Final = frozenset({"anonymous-client-ip-when-cross-origin"})


Code = Literal[
    "no_json",
    "no_object",
    "part_no_object",
    "no_list",
    "no_text",
    "unknown_key",
    "empty_name",
    "no_address",
    "no_slash",
    "bad_integrity",
    "no_source",
    "bad_value",
    "external",
]


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A part that browsers skip."""

    place: str
    """Its key, at most ``MAX_SHOWN`` characters; "" for all of it."""
    code: Code
    detail: str = ""
    """The key or value that is meant, or what is wrong with the JSON."""


def skipped_of_import_map(text: str) -> tuple[Skipped, ...]:
    """Parts of an import map that browsers skip, in order, at most ``MAX_SKIPPED``. Never raises."""
    data, error = read_json(text)
    if error is not None:
        return (Skipped(place="", code="no_json", detail=error),)
    if not isinstance(data, dict):
        return (Skipped(place="", code="no_object"),)
    for key in ("imports", "scopes", "integrity"):
        if key in data and not isinstance(data[key], dict):
            return (Skipped(place="", code="part_no_object", detail=key),)
    scopes = data.get("scopes", {})
    if not all(isinstance(scope, dict) for scope in scopes.values()):
        return (Skipped(place="", code="part_no_object", detail="scopes"),)
    found = [_skipped(key, "unknown_key") for key in data if key not in {"imports", "scopes", "integrity"}]
    found += _skipped_imports(data.get("imports", {}))
    for scope in scopes.values():
        found += _skipped_imports(scope)
    found += (
        _skipped(key, "bad_integrity")
        for key, value in data.get("integrity", {}).items()
        if not isinstance(value, str) or not _URL_LIKE.match(key)
    )
    return tuple(found[:MAX_SKIPPED])


def _skipped_imports(imports: Mapping[str, object]) -> Iterator[Skipped]:
    for name, address in imports.items():
        if not name:
            yield _skipped(name, "empty_name")
        elif not isinstance(address, str):
            yield _skipped(name, "no_text")
        elif not _URL_LIKE.match(address):
            yield _skipped(name, "no_address")
        elif name.endswith("/") and not address.endswith("/"):
            yield _skipped(name, "no_slash")


def skipped_of_speculation_rules(text: str) -> tuple[Skipped, ...]:
    """Parts of speculation rules that browsers skip, in order, at most ``MAX_SKIPPED``. Never raises."""
    data, error = read_json(text)
    if error is not None:
        return (Skipped(place="", code="no_json", detail=error),)
    if not isinstance(data, dict):
        return (Skipped(place="", code="no_object"),)
    if "tag" in data and not isinstance(data["tag"], str):
        return (Skipped(place="", code="no_text", detail="tag"),)
    found: list[Skipped] = []
    for key, rules in data.items():
        if key == "tag":
            continue
        if key not in _SCRIPT_RULES:
            found.append(_skipped(key, "unknown_key"))
        elif not isinstance(rules, list):
            found.append(_skipped(key, "no_list"))
        else:
            found += (_skipped(key, *why) for rule in rules if (why := _why_no_rule(rule)) is not None)
    return tuple(found[:MAX_SKIPPED])


def _why_no_rule(rule: object) -> tuple[Code, str] | None:
    """Return the reason why browsers skip a rule, with its detail; ``None`` for one that they take."""
    if not isinstance(rule, dict):
        return "no_object", ""
    if unknown := [key for key in rule if key not in _RULE_KEYS]:
        return "unknown_key", unknown[0][:MAX_SHOWN]
    source = rule.get("source", "list" if "urls" in rule else "document" if "where" in rule else None)
    if source not in {"list", "document"} or ("urls" in rule and "where" in rule):
        return "no_source", ""
    if source == "list":
        urls = rule.get("urls")
        if "where" in rule or not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
            return "bad_value", "urls"
        if rule.get("relative_to", "document") not in {"ruleset", "document"}:
            return "bad_value", "relative_to"
    elif "urls" in rule or "relative_to" in rule or not _is_predicate(rule.get("where", {"and": []})):
        return "bad_value", "where"
    return _why_no_detail(rule)


def _why_no_detail(rule: Mapping[str, object]) -> tuple[Code, str] | None:
    if "eagerness" in rule and rule["eagerness"] not in _EAGERNESS:
        return "bad_value", "eagerness"
    if "referrer_policy" in rule and rule["referrer_policy"] not in _REFERRER_POLICIES:
        return "bad_value", "referrer_policy"
    requires = rule.get("requires", [])
    if not isinstance(requires, list) or not all(isinstance(one, str) and one in _REQUIREMENTS for one in requires):
        return "bad_value", "requires"
    for key in ("target_hint", "tag", "expects_no_vary_search"):
        if not isinstance(rule.get(key, ""), str):
            return "bad_value", key
    return None


def _is_predicate(value: object) -> bool:
    """Return whether a condition is one, with all inside it. The reader bounds how deep they are."""
    if not isinstance(value, dict):
        return False
    kinds = [key for key in value if key in _PREDICATES]
    if len(kinds) != 1 or any(key not in {*_PREDICATES, "relative_to"} for key in value):
        return False
    inner = value[kinds[0]]
    if kinds[0] == "not":
        return len(value) == 1 and _is_predicate(inner)
    if kinds[0] in {"and", "or"}:
        return len(value) == 1 and isinstance(inner, list) and all(map(_is_predicate, inner))
    patterns = inner if isinstance(inner, list) else [inner]
    kinds_allowed = (str, dict) if kinds[0] == "href_matches" else (str,)
    return all(isinstance(pattern, kinds_allowed) for pattern in patterns)


def _skipped(place: str, code: Code, detail: str = "") -> Skipped:
    return Skipped(place=place[:MAX_SHOWN], code=code, detail=detail)
