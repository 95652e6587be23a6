from __future__ import annotations

import pytest

from pagegrade.parse.files.legacy_javascript import MAX_PLACES, find_legacy_javascript


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('throw new TypeError("Cannot call a class as a function")', ("compiled classes",)),
        ('t("Super expression must either be null or a function")', ("compiled classes",)),
        ('"Class extends value "+String(b)+" is not a constructor or null"', ("compiled classes",)),
        ('var a="__core-js_shared__"', ("core-js (polyfills)",)),
        ('require("core-js/modules/es.promise.js")', ("core-js (polyfills)",)),
        ("regeneratorRuntime.mark(function t(){})", ("regenerator (compiled generators)",)),
        ("e('try statement without catch or finally')", ("regenerator (compiled generators)",)),
        ('e("Invalid attempt to spread non-iterable instance.\\nIn order")', ("compiled spread syntax",)),
        ("var n=this&&this.__spreadArray||function(){}", ("compiled spread syntax",)),
        ('if(f)throw new TypeError("Generator is already executing.")', ("compiled async functions",)),
        ("class A extends B{async *a(){yield* [...b]}}", ()),
        ("", ()),
    ],
)
def test_traces_of_compilers_and_polyfills(script: str, expected: tuple[str, ...]) -> None:
    """Messages of errors outlive a minifier; the syntax itself is none."""
    assert find_legacy_javascript(script.encode()) == expected


def test_each_kind_is_named_once() -> None:
    """In the order of the script."""
    script = b"__spreadArray regeneratorRuntime __spreadArray"

    assert find_legacy_javascript(script) == ("compiled spread syntax", "regenerator (compiled generators)")


@pytest.mark.parametrize(("before", "found"), [(MAX_PLACES - 1, 2), (MAX_PLACES, 1)])
def test_only_so_many_places_are_looked_at(before: int, found: int) -> None:
    """At the limit and one past it."""
    assert len(find_legacy_javascript(b"__spreadArray " * before + b"regeneratorRuntime")) == found
