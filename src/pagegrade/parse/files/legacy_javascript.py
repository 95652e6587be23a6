"""Finds what was added to a script for browsers that know no ECMAScript 2015: polyfills and the helpers of compilers.

Only texts are searched for that stay in a script however it is minified, mostly the messages of errors.

Sources: the helpers of https://github.com/babel/babel (packages/babel-helpers), https://github.com/microsoft/tslib,
https://github.com/zloirock/core-js and https://github.com/facebook/regenerator
"""

from __future__ import annotations

from typing import Final

from pagegrade.parse.byte_search import ByteSearch

MAX_PLACES: Final = 2_000
"""Looked at in one script."""
_MARKS: Final = (
    (b"__core-js_shared__", "core-js (polyfills)"),
    (b"core-js/modules/", "core-js (polyfills)"),
    (b"You must pass a resolver function as the first argument to the promise constructor", "es6-promise (polyfill)"),
    (b"regeneratorRuntime", "regenerator (compiled generators)"),
    (b"try statement without catch or finally", "regenerator (compiled generators)"),
    (b"Cannot call a class as a function", "compiled classes"),
    (b"Super expression must either be null or a function", "compiled classes"),
    (b" is not a constructor or null", "compiled classes"),
    (b"Invalid attempt to spread non-iterable instance", "compiled spread syntax"),
    (b"Invalid attempt to destructure non-iterable instance", "compiled destructuring"),
    (b"__spreadArray", "compiled spread syntax"),
    (b"_asyncToGenerator", "compiled async functions"),
    (b"Generator is already executing.", "compiled async functions"),
)
"""Text, and what it belongs to. All of it is Baseline widely available since 2020 or before."""
_SEARCH: Final = ByteSearch([mark for mark, _ in _MARKS])


def find_legacy_javascript(body: bytes) -> tuple[str, ...]:
    """The kinds of polyfills and helpers in a script, each once, in order. Never raises; linear in the script."""
    return tuple(dict.fromkeys(_MARKS[index][1] for index, _ in _SEARCH.places(body, MAX_PLACES)))
