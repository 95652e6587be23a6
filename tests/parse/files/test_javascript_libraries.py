from __future__ import annotations

import pytest

from pagegrade.parse.files.javascript_libraries import (
    HEAD_BYTES,
    NamedLibrary,
    find_libraries,
    library_of_url,
)


@pytest.mark.parametrize(
    ("url", "name", "version", "certain"),
    [
        ("https://code.jquery.com/jquery-3.4.1.min.js", "jquery", "3.4.1", True),
        ("https://code.jquery.com/jquery-3.5.0-rc.1.js", "jquery", "3.5.0-rc.1", True),
        ("https://code.jquery.com/ui/1.12.1/jquery-ui.min.js", "jquery-ui", "1.12.1", True),
        ("https://ajax.googleapis.com/ajax/libs/jquery/1.12.4/jquery.min.js", "jquery", "1.12.4", True),
        ("https://ajax.googleapis.com/ajax/libs/angularjs/1.6.9/angular.min.js", "angularjs", "1.6.9", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.20/lodash.min.js?x=1", "lodash", "4.17.20", True),
        ("https://cdn.jsdelivr.net/npm/bootstrap@4.3.0/dist/js/bootstrap.min.js", "bootstrap", "4.3.0", True),
        ("https://unpkg.com/axios@1.5.0/dist/axios.min.js", "axios", "1.5.0", True),
        ("https://maxcdn.bootstrapcdn.com/bootstrap/3.3.7/js/bootstrap.min.js", "bootstrap", "3.3.7", True),
        ("https://cdn.datatables.net/1.10.20/js/jquery.dataTables.min.js", "datatables", "1.10.20", True),
        ("https://example.com/js/jquery-1.12.4.min.js", "jquery", "1.12.4", False),
        ("https://example.com/js/bootstrap-3.3.7.js", "bootstrap", "3.3.7", False),
        ("https://example.com/js/jquery-ui-1.12.1.min.js", "jquery-ui", "1.12.1", False),
        ("https://example.com/js/knockout-3.4.0.js", "knockout", "3.4.0", False),
    ],
)
def test_addresses_that_name_a_library(url: str, name: str, version: str, certain: bool) -> None:  # noqa: FBT001
    """On a network that never changes a file the address is proof."""
    assert library_of_url(url) == NamedLibrary(name, version, certain)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/jquery.min.js?ver=1.12.4",
        "https://example.com/js/jquery.plugin-1.2.3.min.js",
        "https://example.com/js/jquery-migrate-1.4.1.min.js",
        "https://cdn.jsdelivr.net/npm/jquery@3/dist/jquery.min.js",
        "https://cdn.jsdelivr.net/npm/bootstrap-icons@1.2.0/x.js",
        "https://cdn.jsdelivr.net/npm/angular@17.0.0/x.js",
        "https://cdn.jsdelivr.net/gh/x/jquery@1.2.3/x.js",
        "https://unpkg.com/react@16.0.0/umd/react.js",
        "https://code.jquery.com/jquery-latest.js",
        "https://code.jquery.com/mobile/1.4.5/jquery.mobile-1.4.5.min.js",
        "https://example.com/" + "jquery-1." * 5_000,
        "data:text/javascript,1",
    ],
)
def test_other_addresses(url: str) -> None:
    """Plugins, ranges of versions, other projects of the same name, and query strings prove nothing."""
    assert library_of_url(url) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/*! jQuery UI - v1.12.1 - 2016-09-14\n* http://jqueryui.com", ("jquery-ui", "1.12.1")),
        ("/*!\n * jQuery UI Widget 1.11.4\n */", None),
        ("/*!\n * Bootstrap v3.3.7 (http://getbootstrap.com)\n", ("bootstrap", "3.3.7")),
        ("/*\n AngularJS v1.6.9\n", ("angularjs", "1.6.9")),
        ("/*! @license DOMPurify 3.0.5 | (c)", ("dompurify", "3.0.5")),
        ("//! moment.js\n//! version : 2.29.1\n", ("moment", "2.29.1")),
        ("//     Underscore.js 1.8.3\n", ("underscore", "1.8.3")),
        ("/* axios v0.21.0 | (c) 2020", ("axios", "0.21.0")),
        ("/*!\n * Chart.js v2.9.3\n", ("chart.js", "2.9.3")),
        ("/*! DataTables 1.10.19\n * (c)2008-2018 SpryMedia Ltd", ("datatables", "1.10.19")),
        ("/*! highlight.js v9.12.0 | BSD3", ("highlight.js", "9.12.0")),
        ("/*\n  Highlight.js 10.7.2 (git: 1)", ("highlight.js", "10.7.2")),
        ("/**\n * @license\n * lodash 3.10.1 (Custom Build) lodash.com/license", ("lodash", "3.10.1")),
        ("/**\n * @license\n * Lo-Dash 2.4.2 (Custom Build)", ("lodash", "2.4.2")),
        ("/**\n * @license\n * Lodash\n * Based on Underscore.js 1.8.3 <http://underscorejs.org/LICENSE>", None),
        (
            "/*! @license DOMPurify | (c) Cure53 | github.com/cure53/DOMPurify/blob/2.0.8/LICENSE */",
            ("dompurify", "2.0.8"),
        ),
        ("/*! @license DOMPurify 3.0.8 | github.com/cure53/DOMPurify/blob/3.0.8/LICENSE */", ("dompurify", "3.0.8")),
        ("// works with lodash 4.17.4 and newer", None),
        ("var a = 'nothing'", None),
        ("x" * HEAD_BYTES + "/*! jQuery UI - v1.12.1", None),
    ],
)
def test_first_lines_name_a_library(text: str, found: tuple[str, str] | None) -> None:
    """A plugin that names what it needs further down is not that library."""
    assert find_libraries(text.encode()) == (() if found is None else (found,))
