from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.render.filename import audit_name, content_disposition, export_name, list_name
from tests.report_builders import NOW, make_report

HOSTILE = [
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


@pytest.mark.parametrize("project", HOSTILE)
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
@given(st.one_of(st.text(), st.sampled_from(HOSTILE)))
def test_no_name_whatever_breaks_the_header(name: str) -> None:
    """One line of ASCII with two parameters and nothing of a third."""
    header = content_disposition(name)
    found = HEADER.fullmatch(header)

    assert header.isascii()
    assert found is not None
    assert len(found[1]) <= 100
    assert len(unquote(found[2])) <= 100
