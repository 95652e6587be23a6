from __future__ import annotations

import pytest

from pagegrade.model.outcome import Evidence
from pagegrade.report.fingerprint import identity, keys, repeats_places


def shares_a_key(one: Evidence, other: Evidence, *, by_reason: bool = False) -> bool:
    """Return whether some rank makes them one finding."""
    pairs = zip(keys(one, by_reason=by_reason), keys(other, by_reason=by_reason), strict=False)
    return any(first and first == second for first, second in pairs)


def element(snippet: str, selector: str = "main > a", *, url: str = "", value: str = "", reason: str = "") -> Evidence:
    """Evidence for an element."""
    return Evidence(selector=selector, snippet=snippet, url=url, value=value, reason=reason)


MOVED = [
    (
        element('<a class="b a" href="/x">Read</a>'),
        element('<a href="/x" class="a b">Read</a>', "div > a"),
    ),
    (
        element('<script nonce="…" src="/app.3f2a91bc.js">'),
        element('<script nonce="…" src="/app.77ab01fe.js">', "x"),
    ),
    (
        element('<link rel="preload stylesheet" href="/style?v=1">'),
        element('<link rel="preload stylesheet" href="/style?v=2">', "x"),
    ),
    (
        element('<div class="css-1q2w3e4r" style="width: 1px; height:2px">'),
        element('<div class="css-9z8y7x6w" style="width:1px;height: 2px">', "x"),
    ),
    (
        element('<input id="radix-17" name="mail" type="text">'),
        element('<input id="radix-18" name="mail" type="text">', "x"),
    ),
    (
        element('<input name="mail" data-at="1699999999" class="old">'),
        element('<input name="mail" data-at="1700000000" class="new">', "x"),
    ),
    (
        element('<img class="' + "x" * 120 + '…" src="/a.png" width="300" data-long="' + "y" * 60 + "…", url="/a.png"),
        element('<img src="/a.png" width="300" class="' + "x" * 120 + '…" data-lo…', "x", url="/a.png"),
    ),
    (element("<title>Long one</title>", "head > title"), element("<title>Long two</title>", "html > head > title")),
    (element('<meta name="description" content="A">'), element('<meta name="description" content="B">', "x")),
    (element('<a href="/x" title="old">'), element('<a href="/x" title="new">', "x")),
    (element("<h3>Old words</h3>"), element("<h3>New words</h3>")),
    (
        Evidence(url="https://a.test/a.css", header="Cache-Control", value="9 bytes", reason="no-cache"),
        Evidence(url="https://a.test/a.css", header="Cache-Control", value="12 bytes", reason="one hour"),
    ),
    (
        Evidence(header="CSP", snippet="a 'unsafe-eval'", reason="eval"),
        Evidence(header="csp", snippet="b", reason="eval"),
    ),
    (Evidence(value="1,204 ms", reason="first byte"), Evidence(value="998 ms", reason="first byte")),
    (Evidence(value="p***@a.test", reason="visible text"), Evidence(value="p***@a.test", reason="visible text")),
    (Evidence(snippet="<!DOCTYPE html X>", line=1), Evidence(snippet="<!DOCTYPE html X>", line=2)),
    (Evidence(selector="a"), Evidence(selector="a")),
    (
        Evidence(url="/", header="Set-Cookie", snippet="id=…; no Secure", value="id", reason="no Secure"),
        Evidence(url="/", header="Set-Cookie", snippet="id=…; no SameSite", value="id", reason="no SameSite"),
    ),
]
CHANGED = [
    (element('<img src="/a.png">', url="/a.png"), element('<img src="/b.png">', url="/b.png")),
    (element('<a href="/a">Read</a>'), element('<a href="/b">Read</a>')),
    (element('<a href="/a" id="x">'), element('<a href="/b" id="x">')),
    (
        element('<link rel="canonical" href="/posts/lamp-3f2a91bc?v=1">'),
        element('<link rel="canonical" href="/posts/lamp-77ab01fe?v=2">'),
    ),
    (element('<a href="#" class="like">'), element('<a href="#" class="share">', "x")),
    (element('<input name="mail">'), element('<input name="phone">', "x")),
    (element('<button aria-label="Slide 1">'), element('<button aria-label="Slide 2">', "x")),
    (element("<h3>One</h3>"), element("<h3>Two</h3>", "x")),
    (element('<h3 class="t">', value="One"), element('<h3 class="t">', "x", value="Two")),
    (Evidence(url="https://a.test/a.png"), Evidence(url="https://a.test/b.png")),
    (Evidence(url="/r.txt", snippet="Disallow"), Evidence(url="/r.txt", snippet="Crawl-delay")),
    (
        Evidence(header="CSP", snippet="a 'unsafe-eval'", reason="eval"),
        Evidence(header="CSP", snippet="a 'unsafe-inline'", reason="inline"),
    ),
    (
        Evidence(url="/", header="Set-Cookie", snippet="id=…; no Secure", value="id"),
        Evidence(url="/", header="Set-Cookie", snippet="sid=…; no Secure", value="sid"),
    ),
    (Evidence(value="lamp", reason="5 times"), Evidence(value="brass", reason="5 times")),
    (Evidence(selector="a"), Evidence(selector="b")),
    (Evidence(snippet="one"), Evidence(snippet="two")),
]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_what_moved_or_was_built_anew_is_known_again(before: Evidence, after: Evidence) -> None:
    """Its place, the order of its attributes and what a release changes do not count."""
    assert shares_a_key(before, after)


@pytest.mark.parametrize(("one", "other"), CHANGED)
def test_another_thing_is_another_finding(one: Evidence, other: Evidence) -> None:
    """Another picture, another target, another field, another weakness."""
    assert not shares_a_key(one, other)
    assert identity(one) != identity(other)


@pytest.mark.parametrize(("before", "after"), MOVED[:5])
def test_the_identity_of_an_element_does_not_depend_on_its_place(before: Evidence, after: Evidence) -> None:
    """It names a finding in other tools, where nothing is paired."""
    assert identity(before) == identity(after)


def test_where_one_place_has_several_faults_the_reason_distinguishes_them() -> None:
    """Two things are missing from one block of data, and one of them is added."""
    one = element("<script>", reason="no author")
    other = element("<script>", reason="no image")

    assert repeats_places([one, other])
    assert not repeats_places([one, one])
    assert not repeats_places([one, element("<script>", "x", reason="no image")])
    assert shares_a_key(one, other)
    assert not shares_a_key(one, other, by_reason=True)


def test_own_addresses_count_as_relative() -> None:
    """The copy of a page on another host has other addresses and the same faults."""
    live = keys(Evidence(url="https://a.test/x.css"), own=("https://a.test",))
    copy = keys(Evidence(url="https://b.test/x.css"), own=("https://b.test",))
    foreign = keys(Evidence(url="https://a.tester/x.css"), own=("https://a.test",))

    assert live == copy
    assert live != foreign


@pytest.mark.parametrize(
    "snippet", ["<", "<>", "<a", '<a href="x', "<a href='x' ", "<a =>", "<a " + 'b="' * 60, "</a>", "<a>" + "</" * 90]
)
def test_any_snippet_can_be_read(snippet: str) -> None:
    """A cut snippet, or one that is no element, is known by its text."""
    assert shares_a_key(Evidence(snippet=snippet), Evidence(snippet=snippet, line=3))
