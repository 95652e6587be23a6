from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.render.escape import safe_href, unicode_host, visible, visible_block


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
