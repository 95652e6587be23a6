"""Tests of import maps and speculation rules."""

from __future__ import annotations

import json

import pytest

from pagegrade.parse.script_json import MAX_SKIPPED, skipped_of_import_map, skipped_of_speculation_rules


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"imports": {"a": "/a.js",}}',
        "{'imports': {}}",
        '{"imports": {}} // note',
        '\ufeff{"imports": {}}',
        '\u00a0{"imports": {}}',
        "{\u201cimports\u201d: {}}",
        '{"imports": {"a": "line\nbreak"}}',
        '{"a": NaN}',
        "[]",
        "null",
        '{"imports": []}',
        '{"scopes": {"/a/": "x"}}',
        '{"integrity": "x"}',
        "[" * 100_000,
    ],
)
def test_maps_that_browsers_ignore_whole(text: str) -> None:
    """No JSON, or another kind of value than has to be there."""
    assert [part.place for part in skipped_of_import_map(text)] == [""]


@pytest.mark.parametrize(
    ("imports", "skipped"),
    [
        ({"a": "/a.js", "b/": "./b/", "c": "../c.js", "d": "https://a.test/d.js", "\u6c60": "/\u6c60.js"}, []),
        ({"a": "a.js"}, ["a"]),
        ({"a": None, "b": 1}, ["a", "b"]),
        ({"": "/a.js"}, [""]),
        ({"a/": "/a"}, ["a/"]),
    ],
)
def test_entries_of_a_map(imports: dict[str, object], skipped: list[str]) -> None:
    """At its top and in scopes alike."""
    top, scoped = ({"imports": imports}, {"scopes": {"/x/": imports}})

    assert [part.place for part in skipped_of_import_map(json.dumps(top))] == skipped
    assert [part.place for part in skipped_of_import_map(json.dumps(scoped))] == skipped


@pytest.mark.parametrize(
    "rule",
    [
        {"urls": ["/a", "https://a.test/"]},
        {"source": "list", "urls": [], "relative_to": "document", "eagerness": "eager", "tag": "a"},
        {"where": {"href_matches": "/*"}, "eagerness": "moderate"},
        {"where": {"and": [{"href_matches": ["/a", {"pathname": "/b"}]}, {"not": {"selector_matches": ".no"}}]}},
        {"source": "document"},
        {"urls": ["/a"], "requires": ["anonymous-client-ip-when-cross-origin"], "referrer_policy": "no-referrer"},
    ],
)
def test_rules_that_browsers_take(rule: dict[str, object]) -> None:
    """Lists of addresses and conditions on links."""
    assert skipped_of_speculation_rules(json.dumps({"prefetch": [rule], "prerender": [rule], "tag": "x"})) == ()


@pytest.mark.parametrize(
    "rule",
    [
        "x",
        {},
        {"urls": "/a"},
        {"urls": [1]},
        {"url": ["/a"]},
        {"urls": ["/a"], "where": {"href_matches": "/*"}},
        {"where": {"href_matches": "/*", "selector_matches": "a"}},
        {"where": {"hrefMatches": "/*"}},
        {"where": {"not": [{"href_matches": "/*"}]}},
        {"where": {"selector_matches": {"a": 1}}},
        {"where": {"href_matches": "/*"}, "relative_to": "document"},
        {"urls": ["/a"], "eagerness": "lazy"},
        {"urls": ["/a"], "referrer_policy": "none"},
        {"urls": ["/a"], "requires": ["x"]},
        {"urls": ["/a"], "target_hint": 1},
        {"source": "page"},
    ],
)
def test_rules_that_browsers_skip(rule: object) -> None:
    """One unknown word is enough, and the other rules count."""
    text = json.dumps({"prerender": [rule, {"urls": ["/b"]}]})

    assert [part.place for part in skipped_of_speculation_rules(text)] == ["prerender"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("{", [""]),
        ("[]", [""]),
        ('{"tag": 1}', [""]),
        ('{"prefetch": {}}', ["prefetch"]),
        ('{"preload": []}', ["preload"]),
    ],
)
def test_rules_of_another_form(text: str, places: list[str]) -> None:
    """All of them, or those of one key."""
    assert [part.place for part in skipped_of_speculation_rules(text)] == places


def test_parts_are_bounded() -> None:
    """However many are skipped."""
    imports = {f"a{number}": 1 for number in range(500)}

    assert len(skipped_of_import_map(json.dumps({"imports": imports}))) == MAX_SKIPPED
    assert len(skipped_of_speculation_rules(json.dumps({"prefetch": [1] * 500}))) == MAX_SKIPPED
