from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from pagegrade.cli.app import run
from tests.chromium import program
from tests.cli.site import Site, running_site

__all__ = ["program"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def analyze_page(typed: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any], str]:
    """The exit code, the report and what is said about it."""
    code = run(["analyze", *typed, "-f", "json", "--no-subresources"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out or "{}"), captured.err


def test_options_of_curl_let_a_page_be_seen(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed, from files, and from the environment; the report is the same and holds none of it."""
    (tmp_path / "user").write_text("reader:n0t-Shown-1\n")
    (tmp_path / "headers").write_text("X-Door: n0t-Shown-2\n\n")
    url = f"{site.url}door"
    code, blocked, _ = analyze_page([url], capsys)
    typed = analyze_page([url, "--user", "reader:n0t-Shown-1", "-H", "X-Door: n0t-Shown-2", "-b", "a=b; c=d"], capsys)
    files = ["--user", f"@{tmp_path / 'user'}", "-H", f"@{tmp_path / 'headers'}", "--cookie", "a=b;c=d"]
    read = analyze_page([url, *files], capsys)
    monkeypatch.setenv("PAGEGRADE_ACCESS_USER_FILE", str(tmp_path / "user"))
    monkeypatch.setenv("PAGEGRADE_ACCESS_HEADERS", "X-Door: n0t-Shown-2")
    monkeypatch.setenv("PAGEGRADE_ACCESS_COOKIES", "a=b; c=d")
    from_environment = analyze_page([url], capsys)

    assert (code, blocked["error"]["reason"]) == (3, "status_401")
    for exit_code, report, _ in (typed, read, from_environment):
        assert exit_code == 0
        assert report["run"]["access"] == {
            "name": "",
            "origins": [site.url.rstrip("/")],
            "sent": ["basic", "headers", "cookies"],
            "visitors": {"status": 401, "url": url, "is_elsewhere": False, "indexable": None},
        }
        assert "n0t-Shown" not in json.dumps(report)
        assert report["results"]["title"] == typed[1]["results"]["title"]


@pytest.mark.parametrize(
    ("typed", "option", "message"),
    [
        (["--user", "reader"], "--user", "The password is missing"),
        (["--header", "Host: evil"], "--header", "by Pagegrade itself"),
        (["--header", "nothing"], "--header", "cannot be sent"),
        (["--cookie", "a b"], "--cookie", "no name of a cookie"),
        (["--user-agent", "a\nb"], "--user-agent", "cannot be sent"),
        (["--user", "a:b", "--access-origin", "staging"], "--access-origin", "no origin"),
        (["--user", "@/nowhere/there"], "--user", "cannot be read"),
        (["--cacert", "/nowhere/there"], "--cacert", "cannot be read"),
        (["--cacert", "/dev/null"], "--cacert", "holds no certificate"),
        (["--cacert", __file__], "--cacert", "cannot be read as certificates"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_its_option(
    typed: list[str], option: str, message: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is fetched."""
    code, report, said = analyze_page([site.url, *typed], capsys)

    assert (code, report) == (2, {})
    assert f"'{option}'" in said
    assert message in " ".join(said.split())


def test_an_access_for_another_origin_is_not_sent(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """To the page that was typed."""
    typed = [f"{site.url}door", "--user", "reader:n0t-Shown-1", "-H", "X-Door: n0t-Shown-2"]
    code, report, _ = analyze_page([*typed, "--access-origin", "https://staging.example"], capsys)

    assert code == 3
    assert report["error"]["reason"] == "status_401"
    assert "The access was not used" in report["run"]["notes"][0]


def self_signed() -> tuple[bytes, bytes]:
    """(certificate, its key) in PEM of a server that signed its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Staging")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM), private


@pytest.mark.parametrize("signed_by", ["an authority", "itself"])
def test_a_certificate_of_ones_own_is_trusted_and_lets_an_access_through(
    signed_by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both engines, for the run alone; without it nothing of an access is sent."""
    monkeypatch.setenv("PAGEGRADE_BROWSER", str(program))
    monkeypatch.setenv("PAGEGRADE_RENDER_LOADS", "1")
    tls, file = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), tmp_path / "ca.pem"
    if signed_by == "itself":
        certificate, key = self_signed()
        file.write_bytes(certificate)
        (tmp_path / "key.pem").write_bytes(key)
        tls.load_cert_chain(file, tmp_path / "key.pem")
    else:
        authority = trustme.CA()
        file.write_bytes(b"Our own:\n" + authority.cert_pem.bytes())
        authority.issue_cert("127.0.0.1").configure_cert(tls)
    sent = ["--user", "reader:n0t-Shown-1", "-H", "X-Door: n0t-Shown-2", "-b", "a=b; c=d"]
    with running_site(tls) as site:
        url = f"{site.url}door"
        _, refused, _ = analyze_page([url, *sent], capsys)
        code, trusted, _ = analyze_page([url, *sent, "--cacert", str(file)], capsys)
        _, drawn, _ = analyze_page([url, *sent, "--cacert", str(file), "--render", "--network", "none"], capsys)
        _, alone, _ = analyze_page([site.url, "--cacert", str(file)], capsys)

    certificates = {each["results"]["tls-certificate"]["state"] for each in (trusted, drawn, alone)}

    assert refused["error"]["reason"] == "access_not_sent"
    assert (code, trusted["results"]["https"]["outcome"]) == (0, "passed")
    assert certificates == {"own-authority"}
    assert trusted["run"]["access"]["sent"] == ["basic", "headers", "cookies", "certificates"]
    assert trusted["run"]["notes"] == [
        "Analyzed with an access that visitors without it do not have.",
        "Without it, visitors and search engines get status 401.",
        "The certificates of the access were trusted besides those of everyone.",
    ]
    assert drawn["rendered"]["load_count"] == 1, drawn["rendered"]
    assert alone["run"]["notes"] == ["Analyzed with trust in certificates that not everybody trusts."]
