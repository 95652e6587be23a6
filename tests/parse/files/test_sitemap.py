"""The kinds of sitemap files."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.files.sitemap import (
    MAX_CHILDREN,
    MAX_READ_BYTES,
    PROTOCOL_MAX_BYTES,
    PROTOCOL_MAX_URLS,
    SitemapReading,
    read_sitemap,
)

URL = "https://example.com/sitemap.xml"
PAGE = "https://example.com/page"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body: bytes | str, *, cut: bool = False) -> SitemapReading:
    """Read with the usual surroundings."""
    raw = body.encode() if isinstance(body, str) else body
    return read_sitemap(raw, url=URL, page_url=PAGE, source="robots", status=200, cut=cut)


def urlset(*locations: str, lastmod: str = "") -> str:
    """A list of addresses."""
    stamp = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    entries = "".join(f"<url><loc>{location}</loc>{stamp}</url>" for location in locations)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{entries}</urlset>'


def test_an_ordinary_list_is_counted() -> None:
    """Addresses are compared by scheme, host and form, and the page is found."""
    body = urlset("https://example.com/", "http://example.com/a", "https://other.example/", "/relative", f"\n {PAGE} ")
    file = read(body).file

    assert (file.kind, file.error, file.source, file.status) == ("urlset", None, "robots", 200)
    assert (file.url_count, file.http_url_count, file.foreign_host_count, file.relative_url_count) == (5, 1, 1, 1)
    assert file.lists_page
    assert file.bytes == len(body)
    assert not file.truncated


def test_entries_are_read_with_entities_cdata_and_prefixes() -> None:
    """Character references and CDATA are text, a prefixed document counts as well, image locations do not."""
    body = (
        "<s:urlset xmlns:s='x' xmlns:image='y'><s:url><s:loc><![CDATA[https://example.com]]>&#x2f;page</s:loc>"
        "<image:image><image:loc>https://cdn.example/a.png</image:loc></image:image></s:url></s:urlset>"
    )
    file = read(body).file

    assert (file.url_count, file.lists_page, file.foreign_host_count) == (1, True, 0)


def test_an_index_names_its_children() -> None:
    """The children keep their order; a relative one is only counted."""
    body = (
        f"<sitemapindex {NAMESPACE}><sitemap><loc>https://example.com/a.xml</loc></sitemap>"
        "<sitemap><loc>b.xml</loc></sitemap><sitemap><loc>https://example.com/c.xml.gz</loc></sitemap></sitemapindex>"
    )
    reading = read(body)

    assert reading.file.kind == "index"
    assert reading.children == ("https://example.com/a.xml", "https://example.com/c.xml.gz")
    assert reading.file.relative_url_count == 1


def test_children_are_bounded() -> None:
    """One child over the limit is counted but not named."""
    children = "".join(f"<sitemap><loc>https://example.com/{n}</loc></sitemap>" for n in range(MAX_CHILDREN + 1))
    reading = read(f"<sitemapindex>{children}</sitemapindex>")

    assert (len(reading.children), reading.file.url_count) == (MAX_CHILDREN, MAX_CHILDREN + 1)


def test_a_text_file_is_a_sitemap() -> None:
    """One address per line, a mark and blank lines tolerated."""
    file = read(f"\ufeffhttps://example.com/\r\n\r\n{PAGE}\nnot an address\n").file

    assert (file.kind, file.url_count, file.relative_url_count, file.lists_page) == ("text", 3, 1, True)


@pytest.mark.parametrize("members", [1, 3])
def test_gzip_is_taken_off(members: int) -> None:
    """Also when the file consists of several members."""
    body = urlset("https://example.com/").encode()
    size = len(body)
    parts = [body[size * i // members : size * (i + 1) // members] for i in range(members)]
    file = read(b"".join(gzip.compress(part) for part in parts)).file

    assert (file.kind, file.url_count, file.bytes, file.error) == ("urlset", 1, size, None)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        (b"<urlset></urlset>", "empty"),
        (b"<!DOCTYPE html><title>x</title>", "html"),
        (b"\n<html lang=en>", "html"),
        (b"<!-- app --><!doctype html>", "html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "html"),
        (b"<urlset><url><loc>https://example.com/</loc></urlset>", "malformed"),
        (b"<urlset>&nbsp;</urlset>", "malformed"),
        (b"<rss><channel/></rss>", "empty"),
        (b"<rdf><item/></rdf>", "malformed"),
        (b"just words", "malformed"),
        (b'<?xml version="1.0" encoding="zlib"?><urlset/>', "malformed"),
        (b'<?xml version="1.0" encoding="no-such"?><urlset/>', "malformed"),
        (b"\x1f\x8b\x08garbage", "decode"),
        (b"<!DOCTYPE urlset><urlset><url><loc>https://example.com/</loc></url></urlset>", "doctype"),
        (
            b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
            "doctype",
        ),
        (b'<!DOCTYPE x SYSTEM "http://10.0.0.1/x.dtd"><urlset/>', "doctype"),
        (
            b"<!DOCTYPE x ["
            + b"".join(b'<!ENTITY a%d "&a%d;&a%d;">' % (i + 1, i, i) for i in range(99))
            + b"]><urlset/>",
            "doctype",
        ),
    ],
)
def test_what_is_no_sitemap_says_why(body: bytes, error: str) -> None:
    """Fallback pages, broken files and document types each have their word."""
    reading = read(body)

    assert reading.file.error == error
    assert reading.file.error_detail
    assert reading.children == ()


def test_an_error_says_where() -> None:
    """The first XML error comes with its line and column, counted from one."""
    file = read("<urlset>\n  <url></urls>\n</urlset>").file

    assert file.error_detail == "mismatched tag (line 2, column 10)."


def test_dates_that_cannot_be_read_are_counted() -> None:
    """The W3C profile from year to fraction of a second is fine, other orders are not."""
    good = ("2026", "2026-11", "2026-11-21", "2026-11-21T10:00Z", "2026-11-21T10:00:00+01:00", "2026-11-21T10:00:00.5Z")
    bad = ("21.11.2026", "yesterday", "2026-11-21 10:00", "2026-11-21T10:00:00")
    body = "<urlset>" + "".join(f"<url><loc>{PAGE}</loc><lastmod>{date}</lastmod></url>" for date in good + bad)

    assert read(body + "</urlset>").file.bad_lastmod_count == len(bad)


@pytest.mark.parametrize(("count", "over"), [(PROTOCOL_MAX_URLS, False), (PROTOCOL_MAX_URLS + 1, True)])
def test_too_many_addresses_are_over_the_limit(count: int, *, over: bool) -> None:
    """Fifty thousand are allowed, one more is not."""
    file = read("<urlset>" + "<url><loc>https://example.com/</loc></url>" * count + "</urlset>").file

    assert (file.over_limit, file.url_count) == (over, count)


@pytest.mark.parametrize(("size", "over"), [(PROTOCOL_MAX_BYTES, False), (PROTOCOL_MAX_BYTES + 1, True)])
def test_too_many_bytes_are_over_the_limit(size: int, *, over: bool) -> None:
    """The size after decompression counts, and only the first part is read."""
    start = urlset(PAGE).encode().removesuffix(b"</urlset>")
    file = read(gzip.compress(start + b" " * (size - len(start) - 9) + b"</urlset>", 1)).file

    assert (file.over_limit, file.truncated, file.lists_page) == (over, True, True)
    assert file.error is None


def test_a_bomb_stops_at_the_protocols_limit() -> None:
    """A gigabyte of zeros is counted only until it is too much."""
    million = gzip.compress(b"\0" * 1_000_000)
    file = read(million * 64).file

    assert file.over_limit
    assert file.bytes < PROTOCOL_MAX_BYTES + 2_000_000


@pytest.mark.parametrize("cut", [False, True])
def test_a_cut_file_is_not_called_malformed(*, cut: bool) -> None:
    """A file that our own limit cut is not at fault."""
    file = read(urlset(PAGE, PAGE)[:-30], cut=cut).file

    assert (file.error, file.truncated) == ((None, True) if cut else ("malformed", False))
    assert file.url_count == 1


def test_a_cut_gzip_keeps_what_was_read() -> None:
    """A stream that ends before its trailer still gives its addresses."""
    file = read(gzip.compress(urlset(*[f"https://example.com/{n}" for n in range(999)]).encode())[:-200]).file

    assert file.error is None
    assert file.truncated
    assert 0 < file.url_count < 999


@pytest.mark.parametrize(
    "body",
    [
        b"<urlset>" + b"<url>" * 100_000,
        b"<urlset " + b" ".join(b'a%d=""' % n for n in range(50_000)) + b"/>",
        b"<urlset><url><loc>" + b"x" * MAX_READ_BYTES,
        b"<urlset><url><loc>" + b"&amp;" * 500_000 + b"</loc></url></urlset>",
        b"<!--" * 500_000,
        b"\x1f\x8b" * 100_000,
        b"http://\n" * 200_000,
    ],
)
def test_long_runs_of_structure_end(body: bytes) -> None:
    """Inputs made to be slow or deep are answered with bounded text."""
    reading = read(body)

    assert len(reading.file.error_detail) < 200
    assert len(reading.children) <= MAX_CHILDREN


@given(
    st.lists(
        st.sampled_from(
            [
                "<?xml version='1.0'?>",
                "<urlset>",
                "</urlset>",
                "<sitemapindex>",
                "</sitemapindex>",
                "<url>",
                "</url>",
                "<sitemap>",
                "</sitemap>",
                "<loc>",
                "</loc>",
                "<lastmod>",
                "https://example.com/",
                "http://[",
                "&amp;",
                "&#0;",
                "<![CDATA[",
                "]]>",
                "<!--",
                "-->",
                "<!DOCTYPE x>",
                "<!DOCTYPE x [",
                "\x00",
                "\ufeff",
                "é",
                "\n",
                "<a:urlset>",
                "<?x?>",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_never_raises_on_text_shaped_like_a_sitemap(body: str) -> None:
    """Any order of tags gives facts or a word for what is wrong."""
    file = read(body).file

    assert file.error in {None, "html", "malformed", "doctype", "empty"}


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"\x1f\x8b\x08\0\0\0\0\0\0\3", b"<?xml version='1.0' encoding='utf-16'?>", b"\xff\xfe<"]),
)
def test_never_raises_on_bytes(noise: bytes, start: bytes) -> None:
    """Noise behind any beginning is answered too."""
    assert read(start + noise).file.url == URL


def test_addresses_of_pages_are_handed_back_where_wanted() -> None:
    """In order, as many as asked for; those of an index are no pages."""
    listed = "".join(f"<url><loc>https://example.com/{number}</loc></url>" for number in range(3))
    found = read_sitemap(
        f"<urlset>{listed}</urlset>".encode(), url=URL, page_url=PAGE, source="robots", status=200, keep=2
    )
    index = b"<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>"

    assert found.pages == ("https://example.com/0", "https://example.com/1")
    assert found.file.url_count == 3
    assert read_sitemap(index, url=URL, page_url=PAGE, source="robots", keep=2).pages == ()


def test_feeds_are_lists_of_addresses() -> None:
    """The protocol takes RSS and Atom; links of the feed itself and to comments are none of a page."""
    rss = (
        "<rss xmlns:atom='x'><channel><link>https://other.example/</link><item><title>A</title>"
        f"<link>{PAGE}</link><atom:link href='https://other.example/'/></item></channel></rss>"
    )
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://other.example/'/><entry>"
        f"<link href='{PAGE}'/><link rel='replies' href='https://other.example/'/></entry></feed>"
    )

    for body in (rss, atom):
        file = read(body).file
        assert (file.kind, file.error, file.url_count, file.lists_page) == ("urlset", None, 1, True)
        assert file.foreign_host_count == 0


def test_dates_are_those_of_a_calendar() -> None:
    """Every form of the protocol counts, months beyond the twelfth and other orders do not."""
    dates = ["2005", "2005-01", "2005-12-31", "2005-01-01T10:00Z", "2005-01-01T10:00:00.5+01:00"]
    wrong = ["2005-13-01", "2005-1-1", "01/02/2005", "2005-00", "2005-01-32", "2005-01-01 10:00"]
    entries = "".join(f"<url><loc>{PAGE}</loc><lastmod>{date}</lastmod></url>" for date in dates + wrong)

    assert read(f"<urlset>{entries}</urlset>").file.bad_lastmod_count == len(wrong)


@pytest.mark.parametrize(
    ("root", "namespace"),
    [
        ("", ""),
        ("xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'", "https://www.sitemaps.org/schemas/sitemap/0.9"),
        ("xmlns='http://www.sitemaps.org/schemas/sitemap/0.9/'", "http://www.sitemaps.org/schemas/sitemap/0.9/"),
        ("xmlns='http://sitemaps.org/schemas/sitemap/0.9'", "http://sitemaps.org/schemas/sitemap/0.9"),
        ("xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'", ""),
        (NAMESPACE, None),
        ("xmlns='http://www.google.com/schemas/sitemap/0.84'", None),
    ],
)
@pytest.mark.parametrize("kind", ["urlset", "sitemapindex"])
def test_namespace_is_compared_letter_by_letter(root: str, namespace: str | None, kind: str) -> None:
    """The file is read all the same, and the wrong one is known."""
    entry = "url" if kind == "urlset" else "sitemap"
    file = read(f"<{kind} {root}><{entry}><loc>https://example.com/a</loc></{entry}></{kind}>").file

    assert (file.error, file.url_count, file.bad_namespace) == (None, 1, namespace)


@pytest.mark.parametrize(
    "inside",
    [
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>',
        "<image:image><image:loc>https://example.com/a.png</image:loc></image:image>",
        '<loc xlink:href="https://example.com/a">https://example.com/a</loc>',
    ],
)
def test_prefix_that_is_not_declared_is_an_error(inside: str) -> None:
    """Readers refuse the whole file."""
    file = read(f"<urlset {NAMESPACE}><url><loc>https://example.com/a</loc>{inside}</url></urlset>").file

    assert file.error == "malformed"
    assert "prefix" in file.error_detail


def test_feeds_need_no_namespace_of_the_protocol() -> None:
    """They have their own, or none."""
    rss = read("<rss><channel><item><link>https://example.com/a</link></item></channel></rss>").file

    assert (rss.url_count, rss.bad_namespace) == (1, None)


def test_dates_go_with_the_addresses_that_are_kept() -> None:
    """Before the address or behind it; a date that cannot be read is none."""
    body = (
        f"<urlset {NAMESPACE}><url><loc>https://example.com/a</loc><lastmod>2026-01-02</lastmod></url>"
        "<url><lastmod>2026-03-04</lastmod><loc>https://example.com/b</loc></url>"
        "<url><loc>https://example.com/c</loc></url><url><loc>https://example.com/d</loc><lastmod>soon</lastmod></url>"
        "<url><loc>/relative</loc><lastmod>2026-05-06</lastmod></url></urlset>"
    )
    reading = read_sitemap(body.encode(), url=URL, page_url=PAGE, source="robots", keep=10)

    assert [page.rpartition("/")[2] for page in reading.pages] == ["a", "b", "c", "d"]
    assert reading.lastmods == ("2026-01-02", "2026-03-04", "", "")
