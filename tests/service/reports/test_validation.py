"""Requests of callers, validated before anything is stored."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account
from pagegrade.model.errors import URLNotAllowed, ValidationFailed
from pagegrade.model.stored import Privacy
from pagegrade.parse.url import parse_target_url
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import (
    ANY_NETWORK,
    NewReport,
    check_allowed,
    names_secret,
    networks_to_allow,
    read_change,
    read_new_report,
)
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from tests.store_builders import NOW_MS

ALICE = Account(id=1, name="Alice", email="alice@example.org", created_at_ms=NOW_MS)
OPTIONS = ServiceOptions()


def read(
    url: str = "https://example.com/",
    privacy: int | None = None,
    password: str | None = None,
    account: Account = ALICE,
    options: ServiceOptions = OPTIONS,
) -> NewReport:
    """A request of Alice's."""
    return read_new_report(url, privacy=privacy, password=password, account=account, options=options)


def warnings(new_report: NewReport) -> list[tuple[str, str]]:
    """(field, code) of the warnings for the caller."""
    return [(warning.field, warning.code) for warning in new_report.warnings]


def test_a_plain_change_is_taken_as_it_is() -> None:
    """The URL canonical, the privacy that of the installation, nothing to warning."""
    new_report = read("https://EXAMPLE.com")

    assert (new_report.target.url, new_report.privacy, new_report.password, new_report.warnings) == (
        "https://example.com/", Privacy.PUBLIC, None, ()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("example.com", "scheme_assumed"),
        ("//example.com/x", "scheme_assumed"),
        ("https://example.com/#top", "fragment_dropped"),
        ("https://example.com/?token=abc", "url_may_contain_secret"),
        ("https://example.com/?a=1&API_KEY=abc", "url_may_contain_secret"),
        ("https://example.com/?a=1#/reset?token=abc", "url_may_contain_secret"),
    ],
)
def test_what_was_changed_or_is_risky_about_the_address_is_said(url: str, code: str) -> None:
    """A warning, not a refusal."""
    assert warnings(read(url)) == [("url", code)]


@pytest.mark.parametrize("privacy", [1, 2])
def test_a_url_with_a_secret_is_no_risk_in_a_private_report(privacy: int) -> None:
    """Only public reports show it to anyone with the link."""
    assert warnings(read("https://example.com/?token=abc", privacy, "pass" if privacy == 2 else None)) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("access_token=x", True), ("sig=x", True), ("X-Amz-Signature=x", True), ("password=x", True), ("jwt=x", True),
        ("token=", False), ("token", False), ("q=token", False), ("keyword=x", False), ("page=2", False), ("", False),
        ("monkey=x", False), ("tokens=5", False),
    ],
)  # fmt: skip
def test_names_of_secrets_are_distinguished_from_others(query: str, expected: bool) -> None:  # noqa: FBT001
    """The name counts, as a whole, and only with a value."""
    assert names_secret(f"https://example.com/?{query}") is expected


@pytest.mark.parametrize(
    ("url", "code"), [("", "empty"), ("https://exa\tmple.com/", "control_character"), ("/path", "relative"),
                      ("https://exam_ple..com/", "bad_host"), ("https://example.com/" + "x" * 2048, "too_long")]
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_a_violation_of_its_field(url: str, code: str) -> None:
    """Together with everything else that is wrong."""
    with pytest.raises(ValidationFailed) as caught:
        read(url, privacy=2)

    assert [(one.field, one.place, one.code) for one in caught.value.violations] == [
        ("url", "body", code), ("password", "body", "required")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.com/", "scheme_not_allowed"),
        ("javascript:alert(1)", "scheme_not_allowed"),
        ("https://user:secret@example.com/", "userinfo_not_allowed"),
        ("http://127.0.0.1/", "address_not_allowed"),
        ("http://2130706433/", "address_not_allowed"),
        ("http://[::ffff:10.0.0.1]/", "address_not_allowed"),
        ("http://169.254.169.254/latest/meta-data/", "address_not_allowed"),
        ("http://localhost/", "host_not_allowed"),
        ("http://intranet/", "host_not_allowed"),
        ("https://example.com:22/", "port_not_allowed"),
    ],
)
def test_an_address_that_must_not_be_contacted_is_refused_without_asking_the_network(url: str, reason: str) -> None:
    """Whatever the spelling; and no message repeats a password."""
    with pytest.raises(URLNotAllowed) as caught:
        read(url)

    assert caught.value.reason == reason
    assert "secret" not in caught.value.message


def test_the_operators_own_networks_may_be_contacted() -> None:
    """On any port."""
    options = ServiceOptions(analyze=AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),)))

    assert read("http://127.0.0.1:1234/", options=options).target.url == "http://127.0.0.1:1234/"


def test_neither_the_installation_nor_a_denied_network_may_be_contacted() -> None:
    """Also inside an allowed one; both show without asking the network."""
    allowed = AnalyzeOptions(allow_networks=(ip_network("10.0.0.0/8"),), deny_networks=(ip_network("10.0.5.0/24"),))
    options = ServiceOptions(base_url="https://grade.example.com", analyze=allowed)

    with pytest.raises(URLNotAllowed) as itself:
        read("http://grade.example.com/", options=options)
    with pytest.raises(URLNotAllowed) as denied:
        read("http://10.0.5.1/", options=options)

    assert (itself.value.reason, denied.value.reason) == ("host_not_allowed", "address_not_allowed")
    assert read("http://10.0.6.1/", options=options).target.url == "http://10.0.6.1/"


def test_the_accounts_default_privacy_comes_before_the_installations() -> None:
    """And what was asked for before both."""
    options = ServiceOptions(default_privacy=Privacy.PRIVATE)

    assert read(options=options).privacy is Privacy.PRIVATE
    assert read(options=options, account=replace(ALICE, default_privacy=0)).privacy is Privacy.PUBLIC
    assert read(privacy=0, options=options).privacy is Privacy.PUBLIC


def test_a_password_is_used_only_for_its_privacy() -> None:
    """Else it is dropped, with a warning; an empty one is none."""
    for privacy in (0, 1):
        new_report = read(privacy=privacy, password="hunter2")

        assert new_report.password is None
        assert warnings(new_report) == [("password", "password_ignored")]

    assert read(privacy=2, password=" hunter2 ").password == " hunter2 "
    assert warnings(read(privacy=0, password="")) == []


@pytest.mark.parametrize(("password", "code"), [("", "required"), ("x" * 129, "too_long"), ("\ud800", "not_text")])
def test_a_password_that_cannot_be_one_is_refused(password: str, code: str) -> None:
    """For a new report and for a change alike; 128 characters are fine."""
    with pytest.raises(ValidationFailed) as caught:
        read(privacy=2, password=password)

    assert [one.code for one in caught.value.violations] == [code]
    if password:
        with pytest.raises(ValidationFailed):
            read_change(privacy=2, password=password)
        with pytest.raises(ValidationFailed):
            read_change(privacy=None, password=password)

    assert read(privacy=2, password="ü" * 128).password == "ü" * 128


def test_a_change_says_whether_its_password_may_come_to_be_stored() -> None:
    """Only then is it worth the time of a hash."""
    assert read_change(privacy=2, password="x").needs_hash
    assert read_change(privacy=None, password="x").needs_hash
    assert not read_change(privacy=1, password="x" * 500).needs_hash
    assert not read_change(privacy=2, password="").needs_hash
    assert not read_change(privacy=None, password=None).needs_hash
    assert read_change(privacy=None, password=None, results=1).run
    assert not read_change(privacy=None, password=None).run


@pytest.mark.parametrize(
    ("url", "networks"),
    [
        ("http://localhost:8000/", "127.0.0.0/8,::1/128"),
        ("http://app.localhost/", "127.0.0.0/8,::1/128"),
        ("http://127.0.0.2:8000/", "127.0.0.0/8"),
        ("http://[::1]:8000/", "::1/128"),
        ("http://10.1.2.3:8000/", "10.1.2.3/32"),
        ("http://[::ffff:10.1.2.3]/", "10.1.2.3/32"),
        ("http://[fd12::1]/", "fd12::1/128"),
        ("http://printer.lan/", ANY_NETWORK),
    ],
)
def test_the_networks_that_would_allow_an_address_do(url: str, networks: str) -> None:
    """Exactly what is refused without them is accepted with them, and the message for programs names them."""
    target = parse_target_url(url).url
    with pytest.raises(URLNotAllowed) as refused:
        check_allowed(target, AnalyzeOptions())

    assert networks_to_allow(target, AnalyzeOptions()) == networks
    assert refused.value.message.endswith(f"PAGEGRADE_ALLOW_NETWORKS={networks}")
    check_allowed(target, AnalyzeOptions(allow_networks=parse_networks(networks.split(","))))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "https://example.com:22/",
        "http://169.254.169.254/",
        "http://100.100.100.200/",
        "http://[fe80::1]/",
        "http://192.0.2.1/",
        "http://172.16.0.1/",
        "http://service.lan:8080/",
    ],
)
def test_no_network_is_proposed_that_should_or_would_not_allow_an_address(url: str) -> None:
    """Public, of a metadata service, link-local, for documentation, denied, or the installation itself."""
    options = AnalyzeOptions(
        deny_networks=parse_networks(["172.16.0.0/12"]), own_origins=frozenset({("service.lan", 8080)})
    )

    assert networks_to_allow(parse_target_url(url).url, options) == ""


def test_a_route_is_a_part_of_the_url() -> None:
    """Nothing was dropped, so nothing is said."""
    read_report = read("https://example.com/#/chairs")

    assert (read_report.target.url, read_report.warnings) == ("https://example.com/#/chairs", ())
