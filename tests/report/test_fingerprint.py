from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import Evidence
from pagegrade.report.fingerprint import (
    identity,
    keys,
    page_fingerprint,
    repeats_places,
    settle_text,
    settle_url,
    without_numbers,
)
from tests.report_builders import make_report


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://a.test/app.3f2a91bc.js", "https://a.test/app.77ab01fe.js"),
        ("https://a.test/app.93345121.js", "https://a.test/app.c57e6bbe.js"),
        ("https://a.test/assets/index-DiwrgTda.js", "https://a.test/assets/index-B0x_9QpZ.js"),
        ("https://a.test/static/4bd1b696.f785427dddbba9fb.css", "https://a.test/static/99ab12cd.0011aabbccddeeff.css"),
        ("https://a.test/hero.3f2a91bc.webp", "https://a.test/hero.77ab01fe.webp"),
        ("https://a.test/build-3f2a91bc/logo.png", "https://a.test/build-77ab01fe/logo.png"),
        ("/combo?a/one.3f2a91bc.css&b/two.css", "/combo?a/one.77ab01fe.css&b/two.css"),
        ("/p/1db4a0f2-17e4-45f8-b5fd-5fd78f545b59.js", "/p/00b4a0f2-17e4-45f8-b5fd-0944394ccf06.js"),
        ("/a.js?v=123", "/a.js?v=124"),
        ("/a.css?ver=5.8.1&x=1", "/a.css?ver=5.9&x=1"),
        ("/a.js?1699999999", "/a.js?1700000000"),
        ("/a.js?v=1", "/a.js"),
        ("/list;jsessionid=1A2B3C4D?page=2", "/list;jsessionid=9F8E7D6C?page=2"),
        ("/list?page=2&PHPSESSID=ab12cd34ef", "/list?page=2&PHPSESSID=99zz88yy77"),
        ("/x/zebra-lantern-9b5559df3a14679f", "/x/zebra-lantern-a5436482a9ba321c"),
        ("/app.1699999999.js", "/app.1700000001.js"),
        ("/i/550e8400-e29b-41d4-a716-446655440000-logo.png", "/i/00000000-e29b-41d4-a716-446655440000-logo.png"),
    ],
)
def test_a_new_build_or_session_is_no_other_address(before: str, after: str) -> None:
    """File names and queries change with every release; what they name does not."""
    assert settle_url(before) == settle_url(after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/img/a.png", "/img/b.png"),
        ("/img/12345678.jpg", "/img/87654321.jpg"),
        ("/img/3f2a91bc.jpg", "/img/77ab01fe.jpg"),
        ("/resize/330f46d3d0313542a8a42655/80.jpg", "/resize/c7dc46d3d0313542a8a42655/80.jpg"),
        ("/watch?v=dQw4w9WgXcQ", "/watch?v=9bZkp7q19f0"),
        ("/topic.php?t=123", "/topic.php?t=124"),
        ("/posts/lamp-3f2a91bc", "/posts/lamp-77ab01fe"),
        ("/commit/3f2a91bc3f2a91bc3f2a", "/commit/77ab01fe77ab01fe77ab"),
        ("/a?token=1", "/a?token=2"),
        ("/a#one", "/a#two"),
        ("http://a.test/", "https://a.test/"),
        ("https://a.test/x.js", "https://b.test/x.js"),
        ("data:image/png;base64,AAAA", "data:image/png;base64,BBBB"),
        ("/js/bootstrap.js", "/js/lightbox.js"),
        ("/combo?a/one.js&b/two.js", "/combo?a/one.js&b/three.js"),
        ("/search?s=iphone15pro", "/search?s=iphone16pro"),
    ],
)
def test_another_picture_or_target_stays_another_one(one: str, other: str) -> None:
    """A real change must not be hidden."""
    assert settle_url(one) != settle_url(other)


def test_a_known_file_needs_no_ending() -> None:
    """A script may have any address."""
    assert settle_url("/api/js?v=3.5", is_file=True) == settle_url("/api/js?v=3.6", is_file=True)
    assert settle_url("/api/js?v=3.5") != settle_url("/api/js?v=3.6")


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("menu  css-1q2w3e4r\n open", "menu css-* open"),
        ("updated 2026-01-05T12:34:56.789Z", "updated *"),
        ("on 2026-01-05", "on *"),
        ("expires=Wed, 21 Oct 2026 07:28:00 GMT", "expires=Wed, * GMT"),
        ("t=1699999999123;", "t=*;"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id *"),
        ("jquery 1.7.2 and bootstrap3 of 12345678", "jquery 1.7.2 and bootstrap3 of 12345678"),
        ("deadbeefcafe", "deadbeefcafe"),
    ],
)
def test_a_text_keeps_words_and_numbers(text: str, settled: str) -> None:
    """Only what looks random and what says when goes."""
    assert settle_text(text) == settled


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("12 requests", "9 requests"),
        ("1,204 ms", "998 ms"),
        ("812 ms, 790 ms, 801 ms", "1.2 s, 900 ms"),
        ("gzip would save 12,345 bytes", "gzip would save 9 bytes"),
        ("5 times, 3.1 %.", "12 times, 0.9 %."),
    ],
)
def test_amounts_of_two_days_are_one_text(before: str, after: str) -> None:
    """A page that is slow on both days has one fault."""
    assert without_numbers(before) == without_numbers(after)


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


def test_a_page_that_stays_the_same_keeps_its_fingerprint() -> None:
    """Another time of analysis changes nothing; another title, rule or place of a finding does."""
    report = make_report()
    known = page_fingerprint(report)
    later = replace(report, generated_at=report.generated_at + timedelta(days=1), score=1)

    assert report.page is not None

    titled = replace(report, page=replace(report.page, title="Another"))
    ruled = replace(report, run=replace(report.run, ruleset="1900.1"))
    without = replace(report, results=tuple(each for each in report.results if each.category != "accessibility"))

    assert page_fingerprint(later) == known
    assert known not in {page_fingerprint(each) for each in (titled, ruled, without)}
    assert page_fingerprint(replace(report, page=None)) != known
