from __future__ import annotations

import pytest

from pagegrade.parse.mail import MailServer, domain_of, read_server


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example", MailServer(host="mail.example", port=587, is_tls=False)),
        ("smtps://mail.example", MailServer(host="mail.example", port=465, is_tls=True)),
        (
            "smtp://u%40x:p%2Fw@mail.example:25/",
            MailServer(host="mail.example", port=25, is_tls=False, user="u@x", password="p/w"),
        ),
        ("smtp://[::1]:2525", MailServer(host="::1", port=2525, is_tls=False)),
    ],
)
def test_the_server_is_read(url: str, server: MailServer) -> None:
    """With the usual ports, and percent-encoded credentials."""
    assert read_server(url) == server


@pytest.mark.parametrize(
    "url",
    ["", "mail.example", "http://mail.example", "smtp://", "smtp://h:0", "smtp://h:65536", "smtp://h/x", "smtp://a b"],
)
def test_what_names_no_server_is_refused(url: str) -> None:
    """At the start, not when the first message is due."""
    with pytest.raises(ValueError, match="smtp"):
        read_server(url)


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("person@Example.ORG", "example.org"),
        ("a.b+c@mail.example.org", "mail.example.org"),
        ("person", None),
        ("person@localhost", None),
        ("a@example.org, b@example.org", None),
        ("a@example.org\r\nBcc: b@example.org", None),
        ("<a@example.org>", None),
        ("ä@example.org", None),
        (".a@example.org", None),
        ("a.@example.org", None),
        ("a..b@example.org", None),
        ("x" * 64 + "@example.org", "example.org"),
        ("x" * 65 + "@example.org", None),
        (
            "a@" + "x" * 63 + "." + "y" * 63 + "." + "z" * 63 + "." + "w" * 58,
            "x" * 63 + "." + "y" * 63 + "." + "z" * 63 + "." + "w" * 58,
        ),
        ("a@" + "x" * 63 + "." + "y" * 63 + "." + "z" * 63 + "." + "w" * 61, None),
    ],
)
def test_only_plain_addresses_are_recipients(address: str, domain: str | None) -> None:
    """Up to 254 characters."""
    assert domain_of(address) == domain
