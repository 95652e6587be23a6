"""Scripts without white space and comments, and what they say of themselves."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.files.javascript import (
    MARKS,
    MAX_STOPS,
    count_document_writes,
    done_at_load,
    find_jquery_versions,
    find_source_map,
    marks_of_script,
    minified_script_bytes,
    read_script,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("var  a = 1 ; // one\nvar b", "var a=1;var b"),
        ("a /* two */ b", "a b"),
        ("f( 'x  // y' )", 'f("")'),
        ("x = 'it\\'s  ' + \"a\"", 'x=""+""'),
        ('r = / [/"] /g ; s', 'r=""g;s'),
        ("return /a  b/.test( c )", 'return"".test(c)'),
        ("a / b / c ; d  // e", "a/b/c;d"),
        ("f(a) / 2 ; '  '", 'f(a)/2;""'),
        ("t = `x  ${ a + `y  ${ {b : 1} }  z` }  w` ; c", 't=""a+""{b:1}"" "";c'),
        ("'broken\nx  y", '""x y'),
        ("/* never closed", ""),
    ],
)
def test_code_is_distinguished_from_comments_strings_templates_and_expressions(text: str, code: str) -> None:
    """Each of them may hold the marks of the others."""
    assert read_script(text).code.replace(" ", "") == code.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("var a = 1;\n", 8),
        ('x = "a  b" ;', 9),
        ("/* gone */ a", 2),
        ("/*! kept */ a = b", 15),
        ("/** @license kept */ a", 22),
        ("`a  b`  ;  c", 9),
    ],
)
def test_literals_and_licences_keep_their_length(text: str, size: int) -> None:
    """No tool may shorten them."""
    assert abs(minified_script_bytes(text.encode()) - size) <= 1


def test_a_script_with_little_white_space_is_taken_as_minified() -> None:
    """However its file is called; a readable one is not."""
    bundle = b'(function(){var a="some text";return a+"more"})();' * 100
    readable = b"function add(first, second) {\n    // Adds two numbers.\n    return first + second;\n}\n" * 100

    assert minified_script_bytes(bundle) == len(bundle)
    assert minified_script_bytes(readable) < 0.6 * len(readable)


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("/*! jQuery v3.6.0 | (c) OpenJS Foundation */", ("3.6.0",)),
        ("/*!\n * jQuery JavaScript Library v1.12.4\n * http://jquery.com/", ("1.12.4",)),
        ("/*! jQuery v3.7.1 -ajax,-effects | (c) */", ("3.7.1",)),
        ('b.fn=b.prototype={jquery:"1.9.1",constructor:b', ("1.9.1",)),
        ('var f="3.6.1",S=function(e,t){};S.fn=S.prototype={jquery:f,constructor:S', ("3.6.1",)),
        ("/*! jQuery v3.6.0 */;/*! jQuery v1.4 */", ("3.6.0", "1.4")),
        ("/*! jQuery UI - v1.12.1 */", ()),
        ("/*! jQuery Migrate v3.3.2 */", ()),
        ("/* jQuery Validation Plugin v1.19.3 */", ()),
        ("// works with jQuery v1.7", ()),
        ("window.jQuery('a')", ()),
    ],
)
def test_copies_of_jquery_are_known_by_their_own_marks(text: str, versions: tuple[str, ...]) -> None:
    """Plugins only mention it."""
    assert find_jquery_versions(text) == versions


def test_calls_of_document_write_are_counted_in_the_code() -> None:
    """The text of a string calls nothing."""
    text = "document.write('document.write(1)'); /* document.write(2) */ a.document.write(3)"

    assert count_document_writes(text) == 1
    assert count_document_writes("a || document.write(1)") == 0


@pytest.mark.parametrize(
    "text",
    [
        '"' * 400000,
        "`${" * 100000,
        "(/" * 200000,
        "=/[" * 150000,
        "/*" * 200000,
        "`" + "$" * 400000,
        "a b {" * 50000,
        ".prototype={jquery:x" * 20000,
        "return /" * 50000,
        '"' + "\\" * 400001,
    ],
    ids=["quotes", "templates", "slashes", "classes", "comments", "dollars", "code", "jquery", "returns", "escapes"],
)
def test_hostile_scripts_end(text: str) -> None:
    """Each of these took minutes once, or would with a careless expression."""
    found = read_script(text)

    assert 0 <= found.characters <= len(text)
    assert len(find_jquery_versions(text)) <= 5


def test_what_comes_after_too_many_marks_is_taken_as_it_is() -> None:
    """A saving must not be invented for code that was not read."""
    text = "'';" * (MAX_STOPS + 10) + " " * 100_000

    assert read_script(text).characters >= 100_000


@given(st.text(alphabet="ab /*\"'`${}\\\n[]()=;!", max_size=60))
def test_never_raises_and_never_grows(text: str) -> None:
    """Any text has a size."""
    assert 0 <= minified_script_bytes(text.encode()) <= len(text.encode())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f()\n//# sourceMappingURL=app.js.map\n", "app.js.map"),
        ("f()\n//@ sourceMappingURL=/maps/app.js.map", "/maps/app.js.map"),
        ("f()\n//#sourceMappingURL=a.map", "a.map"),
        ("f()/*# sourceMappingURL=a.map*/", "a.map"),
        ("//# sourceMappingURL=old.map\n//# sourceMappingURL=new.map\n", "new.map"),
        ("//# sourceMappingURL=data:application/json;base64,e30=" + "A" * 9_000, "data:"),
        ('s = "sourceMappingURL=" + name', ""),
        ("//# sourceMappingURL=", ""),
        ("//# sourceMappingURL=a b", "a"),
        ("//# sourceMappingURL=" + "a" * 2_000, "a" * 2_000),
        ("//# sourceMappingURL=" + "a" * 2_001, ""),
        ("f()", ""),
    ],
)
def test_the_source_map_that_a_script_names(text: str, found: str) -> None:
    """The last comment counts, an address in the code does not."""
    assert find_source_map(text.encode()) == found


def _overlapped(first: str, second: str) -> str:
    """Two texts with the longest end of one that begins the other written once."""
    shared = next(size for size in range(min(len(first), len(second)), -1, -1) if first.endswith(second[:size]))
    return first + second[shared:]


@given(
    st.lists(
        st.sampled_from(MARKS) | st.text(alphabet=st.sampled_from("atobuerydcmn.wi (\\é\ud800"), max_size=9),
        max_size=12,
    ),
    st.sampled_from(["", " ", "x" * 65_530]),
)
def test_marks_are_those_that_a_script_contains(parts: list[str], before: str) -> None:
    """One search finds what a search for each would, also where marks overlap or are parts of others."""
    for script in (before + "".join(parts), before + reduce(_overlapped, parts, "")):
        assert marks_of_script(script) == {mark for mark in MARKS if mark in script}


@pytest.mark.parametrize("first", MARKS)
def test_no_mark_hides_one_that_begins_within_it(first: str) -> None:
    """Each beside each, with everything that the two share written once."""
    for second in MARKS:
        script = _overlapped(first, second)
        assert marks_of_script(script) == {mark for mark in MARKS if mark in script}


def test_marks_of_a_long_script_are_found() -> None:
    """Also behind what cannot be encoded."""
    assert marks_of_script("x" * 100_000 + "\ud800atob") == {"atob"}
    assert marks_of_script("") == frozenset()


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("a();b()", "a();b()"),
        ("(function(){a()})()", "a()"),
        ("window.onload = async () => {a('?')}", "a('?')"),
        ("document.addEventListener('DOMContentLoaded', function ready(e) { a(); if (x) { b() } })", ""),
        ("setTimeout(() => { a(); c(d => { b() }) }, 9)", " a(); c(d => ) "),
        ("button.addEventListener('click', () => { a() })", "button.addEventListener('click', () => )"),
        ("x && a()", ""),
    ],
)
def test_what_is_done_at_load_is_certain(text: str, certain: str) -> None:
    """No condition and no event decides it."""
    assert done_at_load(text) == certain
