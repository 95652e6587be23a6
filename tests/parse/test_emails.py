from __future__ import annotations

import pytest

from pagegrade.parse.emails import find_emails, find_mailto_emails, mask_email


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("jane@example.com", "jane@example.com"),
        ("Write to jane.doe+web@mail.example.co.uk.", "jane.doe+web@mail.example.co.uk"),
        ("<jane@example.com>,", "jane@example.com"),
        ("(jane@example.com)", "jane@example.com"),
        ("E-Mail:jane@example.com", "jane@example.com"),
        ("mailto:jane@example.com", "jane@example.com"),
        ("jane@example.com: hello", "jane@example.com"),
        ("o_neill-x@ex-ample.com", "o_neill-x@ex-ample.com"),
        ("'jane@example.com'", "jane@example.com"),
        ("12345@163.com", "12345@163.com"),
        ("Mail :jane@example.com", "jane@example.com"),
        ("jane@" + "x" * 63 + ".com", "jane@" + "x" * 63 + ".com"),
        ("jane@" + "x." * 125 + "com", "jane@" + "x." * 125 + "com"),
        ("邮箱jane@example.com", "jane@example.com"),
        ("jane@xn--bcher-kva.example", "jane@xn--bcher-kva.example"),
        ("JANE@EXAMPLE.COM", "JANE@EXAMPLE.COM"),
    ],
)
def test_addresses_are_found_in_text(text: str, found: str) -> None:
    """With whatever punctuation stands around them."""
    assert list(find_emails(text)) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "logo@2x.png",
        "v2@1.5x.png",
        "img/icon@3x.webp",
        "bundle@2x.min.js",
        "npm/package@1.2.3",
        "left-pad@1.2.3",
        "react@18.2.0-rc.next",
        "tool@v2.0.latest",
        "@media print",
        "@jane",
        "jane@localhost",
        "jane@example",
        "jane@example.c",
        "jane@example.123",
        "jane@.com",
        "jane@" + "x" * 64 + ".com",
        "jane@" + "x." * 126 + "com",
        "jane@a-.com",
        "jane@-a.com",
        "jane@a..com",
        ".@example.com",
        "a..b@example.com",
        "jane.@example.com",
        "user:secret@db.example.com",
        "ftp://user:secret@db.example.com/",
        "https://key@o1.ingest.example.com/42",
        "git@github.com:pagegrade/pagegrade.git",
        "ssh://git@example.com/x",
        "jane@@example.com",
        "jane @ example.com",
        "social.example/@jane@example.com",
        "@jane@example.com",
        "a@" + "b." * 200 + "com",
        "",
    ],
)
def test_what_only_looks_like_an_address_is_not_found(text: str) -> None:
    """Assets, versions, users of servers, handles and broken ones."""
    assert list(find_emails(text)) == []


def test_several_addresses_are_found_in_order() -> None:
    """Repetitions included."""
    assert list(find_emails("a@x.test, b@y.test;a@x.test")) == ["a@x.test", "b@y.test", "a@x.test"]


@pytest.mark.parametrize("length", [64, 65])
def test_local_part_has_64_characters_at_most(length: int) -> None:
    """One more is no address."""
    assert len(list(find_emails("x" * length + "@example.com"))) == (1 if length == 64 else 0)


@pytest.mark.parametrize(
    ("href", "found"),
    [
        ("mailto:jane@example.com", ["jane@example.com"]),
        ("MAILTO:jane%40example.com", ["jane@example.com"]),
        ("mailto:%6Aane@example.com?subject=x@y.test", ["jane@example.com"]),
        ("mailto:a@x.test,b@x.test?CC=c@x.test&bcc=d%40x.test", ["a@x.test", "b@x.test", "c@x.test", "d@x.test"]),
        ("mailto:", []),
        ("mailto:{{email}}", []),
        ("https://example.com/?mailto:jane@example.com", []),
        ("", []),
    ],
)
def test_recipients_of_mail_links(href: str, found: list[str]) -> None:
    """In the path and in the fields for copies, percent-encoded or not."""
    assert list(find_mailto_emails(href)) == found


@pytest.mark.parametrize(
    ("address", "masked"), [("jane.doe@example.com", "j***@example.com"), ("j@example.com", "j***@example.com")]
)
def test_masking_keeps_one_letter_and_the_domain(address: str, masked: str) -> None:
    """So the owner can recognize it and no reader can use it."""
    assert mask_email(address) == masked


@pytest.mark.parametrize("text", ["@" * 100_000, "a@" * 50_000, "a" * 200_000 + "@", "a." * 100_000, "a@b." * 50_000])
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    """Every character is looked at a bounded number of times."""
    assert list(find_emails(text)) == []
