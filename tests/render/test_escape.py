from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.render.escape import (
    address,
    audit_name,
    content_disposition,
    export_name,
    list_name,
    safe_href,
    unicode_host,
    visible,
    visible_block,
)
from tests.report_builders import NOW, make_report

HOSTILE_FILENAME = [
    '"quotes".example',
    "a\r\nSet-Cookie: x=1",
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "a" * 300,
    "中" * 300,
    "𠮷" * 300,
    "host:8080",
    "[2001:db8::1]",
    "",
    "....",
    "-rf",
    "\x00\x1b\u202ecod.exe",
    "%s%n{0.__class__}",
    ";filename=evil.exe",
    "a/b",
    "\ud800",
]
HEADER = re.compile(r"attachment; filename=\"([A-Za-z0-9_.-]+)\"; filename\*=UTF-8''([A-Za-z0-9_.~%-]+)")


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\x9b31mb", r"a\x9b31mb"),
        ("bell\x07 del\x7f nul\x00", r"bell\x07 del\x7f nul\x00"),
        ("invoice\u202efdp.exe", r"invoice\u202efdp.exe"),
        ("\u2066isolate\u2069", r"\u2066isolate\u2069"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\ufeffmark", r"\ufeffmark"),
        ("goo\u200cgle", r"goo\u200cgle"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\ud800", r"\ud800"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("\u200d", r"\u200d"),
        ("two  spaces\n\tand a line", "two spaces and a line"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("שלום", "שלום"),
        ("", ""),
    ],
)
def test_invisible_characters_are_shown(hidden: str, shown: str) -> None:
    """Invisible characters cannot deceive; scripts that need joiners keep them."""
    assert visible(hidden) == shown


def test_long_text_is_cut_with_a_mark() -> None:
    """A title of a million characters is one line."""
    assert visible("x" * 1_000_000) == "x" * 199 + "…"
    assert visible("\u202e" * 1_000_000, 50) == (r"\u202e" * 50)[:49] + "…"


def test_blocks_keep_their_lines_and_nothing_else() -> None:
    """Code keeps its shape, without the power to move a cursor."""
    assert visible_block("a\r\n\tb\x1b[2J\n") == "a\n    b\\x1b[2J\n"
    assert len(visible_block("x\n" * 100_000)) == 4000


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.com/",
        "/relative",
        "https://user:password@example.com/",
        "https://user@example.com/",
        "https://" + "a" * 5000,
        "https://example.com/?token=…",
        "http://",
        "",
        None,
    ],
)
def test_what_is_not_plain_web_cannot_be_clicked(url: str | None) -> None:
    """Only http and https without credentials become links."""
    assert safe_href(url) is None


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ('https://example.com/"><svg onload=alert(1)>', "https://example.com/%22%3E%3Csvg%20onload=alert(1)%3E"),
    ],
)
def test_links_are_written_anew(url: str, href: str) -> None:
    """The target of the link is the URL that the parser understood."""
    assert safe_href(url) == href


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/plain?x=1&y=<b>", "https://a.example/plain?x=1&amp;y=&lt;b&gt;"),
        ("https://a.example/%C3%BCber", "https://a.example/<bdi>über</bdi>"),
        (
            "https://a.example/%D7%A9%D7%9C/%D7%9E?q=%D7%90-1",
            "https://a.example/<bdi>של</bdi>/<bdi>מ</bdi>?q=<bdi>א-1</bdi>",
        ),
        ("https://a.example/%2F%20%3C", "https://a.example/%2F%20%3C"),
        ("https://a.example/%E2%80%AEx", "https://a.example/%E2%80%AEx"),
        ("https://a.example/%D7/%FF%FE", "https://a.example/%D7/%FF%FE"),
        ("https://a.example/%F0%9F%98%80", "https://a.example/%F0%9F%98%80"),
    ],
)
def test_addresses_are_read_in_their_own_script(url: str, shown: str) -> None:
    """Letters only, each name for itself; what could pass for something else keeps its escape."""
    assert address(url) == shown


def test_a_long_address_is_cut_where_it_is_read() -> None:
    """By the characters that are seen."""
    assert address("https://a.example/" + "%D7%A9" * 300, 24) == "https://a.example/<bdi>ששששש…</bdi>"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://xn--bcher-kva.example/x", "bücher.example"),
        ("https://xn--80ak6aa92e.com/", "аррӏе.com"),
        ("https://example.com/", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_a_host_in_another_script_is_shown_beside(url: str, host: str) -> None:
    """Both forms together distinguish a homograph from the real thing."""
    assert unicode_host(url) == host


HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x9b\x00\x07\r\n\t\u202e\u2066\u200b\u200c\u200d\ufeff\u2028\ud800\U000e0041ab<&"),
    )
)
DANGEROUS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)


@settings(max_examples=300, deadline=None)
@given(HOSTILE, st.integers(2, 80))
def test_no_text_whatever_moves_a_cursor_or_turns_a_line(text: str, limit: int) -> None:
    """One line, bounded, encodable, without a single invisible character."""
    shown = visible(text, limit)

    assert DANGEROUS.search(shown) is None
    assert len(shown) <= limit
    shown.encode()


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        HOSTILE, HOSTILE.map(lambda text: f"https://example.com/{text}"), HOSTILE.map(lambda t: f"javascript:{t}")
    )
)
def test_no_text_whatever_becomes_a_link_but_to_the_web(url: str) -> None:
    """A clickable text is http or https, and safe inside quotes."""
    href = safe_href(url)

    assert href is None or re.fullmatch(r"https?://[^\"<>\s]*", href)


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("example.com", "pagegrade-example.com-pricing-2026-01-05-123456.pdf"),
        ("example.com:8080", "pagegrade-example.com-8080-pricing-2026-01-05-123456.pdf"),
        ("xn--bcher-kva.example", "pagegrade-bücher.example-pricing-2026-01-05-123456.pdf"),
        ("[2001:db8::1]", "pagegrade-2001-db8-1-pricing-2026-01-05-123456.pdf"),
        ("", "pagegrade-pricing-2026-01-05-123456.pdf"),
        ("../../etc/passwd", "pagegrade.etc-passwd-pricing-2026-01-05-123456.pdf"),
    ],
)
def test_a_file_is_named_after_page_and_moment(project: str, name: str) -> None:
    """Reports of several pages and days lie side by side and sort well."""
    assert export_name(make_report(project=project), "pdf") == name


def test_run_format_and_paper_are_in_the_name() -> None:
    """The name says what the extension does not."""
    name = export_name(make_report(url="https://example.com/"), "pdf", run=12, kind=("us-letter",))

    assert name == "pagegrade-example.com-2026-01-05-123456-run-12-us-letter.pdf"
    assert export_name(make_report(), "json.gz", kind=("artifacts",)).endswith("-123456-artifacts.json.gz")


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("example.com", "pagegrade-audit-example.com-2026-01-05-123456-crawl-3-pages.csv"),
        ("xn--bcher-kva.example:8080", "pagegrade-audit-bücher.example-2026-01-05-123456-crawl-3-pages.csv"),
        ("[2001:db8::1]:81", "pagegrade-audit-2001-db8-1-81-2026-01-05-123456-crawl-3-pages.csv"),
    ],
)
def test_a_file_of_a_crawl_is_named_after_site_moment_and_crawl(project: str, name: str) -> None:
    """So that crawls lie side by side and sort well."""
    assert audit_name(project, NOW, "csv", crawl=3, kind=("pages",)) == name


def test_no_two_exports_of_a_day_share_a_name() -> None:
    """Pages, runs, moments, single findings, formats and papers, whatever is cut or cannot stand in a name."""
    urls = ["https://example.com/", "http://example.com/", "https://example.com/?a", "https://example.com/a"]
    urls += ["https://example.com/a/", "https://example.com/A", "https://example.com/a?b", "https://example.com/a/b"]
    urls += ["https://example.com/a-b", "https://example.com/%61", f"https://example.com/{'x' * 300}1"]
    urls += [f"https://example.com/{'x' * 300}2"]
    later = NOW + timedelta(seconds=1)
    kinds = (("md", ()), ("md", ("prompt",)), ("md", ("title",)), ("pdf", ("a4",)), ("pdf", ("us-letter",)))
    names = [
        export_name(make_report(url=url, generated_at=moment), extension, run=run, kind=kind).casefold()
        for url in urls
        for moment in (NOW, later)
        for run in (1, 2, None)
        for extension, kind in kinds
    ]

    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 100


def test_the_day_is_that_of_utc() -> None:
    """The same report has the same name on every server; a time without a zone is taken as UTC."""
    late = datetime(2026, 1, 5, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    unzoned = datetime(2026, 1, 5, 23, 30, tzinfo=UTC).replace(tzinfo=None)

    assert list_name(late, "csv") == "pagegrade-reports-2026-01-06-043000.csv"
    assert list_name(unzoned, "csv").endswith("2026-01-05-233000.csv")


@pytest.mark.parametrize("project", HOSTILE_FILENAME)
def test_a_name_is_harmless_and_short(project: str) -> None:
    """One part of a path without quotes, controls or marks of direction, at most 100 characters and 255 bytes."""
    name = export_name(make_report(project=project), "json")

    assert name.startswith("pagegrade")
    assert name.endswith("-2026-01-05-123456.json")
    assert len(name) <= 100
    assert len(name.encode()) <= 240
    assert ".." not in name
    assert not set(name) & set("\"'/\\:;%\r\n\x00\x1b\u202e ")


@pytest.mark.parametrize("extension", ["", "p df", "../x", "PDF", "a" * 9, "pdf\n"])
def test_an_extension_is_ours(extension: str) -> None:
    """It never comes from a request unchecked."""
    with pytest.raises(ValueError, match="no extension"):
        export_name(make_report(), extension)


def test_the_header_has_a_name_for_old_and_new_browsers() -> None:
    """ASCII for the former, all letters for the latter."""
    assert content_disposition("pagegrade-bücher.example-2026-01-05.pdf") == (
        'attachment; filename="pagegrade-b_cher.example-2026-01-05.pdf"; '
        "filename*=UTF-8''pagegrade-b%C3%BCcher.example-2026-01-05.pdf"
    )


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.sampled_from(HOSTILE_FILENAME)))
def test_no_name_whatever_breaks_the_header(name: str) -> None:
    """One line of ASCII with two parameters and nothing of a third."""
    header = content_disposition(name)
    found = HEADER.fullmatch(header)

    assert header.isascii()
    assert found is not None
    assert len(found[1]) <= 100
    assert len(unquote(found[2])) <= 100
