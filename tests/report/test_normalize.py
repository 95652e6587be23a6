from __future__ import annotations

import pytest

from pagegrade.report.normalize import settle_text, settle_url, without_numbers


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
