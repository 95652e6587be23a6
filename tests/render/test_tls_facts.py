from __future__ import annotations

from pagegrade.render.tls_facts import tls_facts
from tests.report_builders import make_passed, make_report, make_result


def test_versions_and_certificate_are_what_the_checks_found() -> None:
    """A sound certificate with its days, a bad one in the words of its finding."""
    versions = make_passed("tls-version", category="security", value="TLSv1.2, TLSv1.3")
    sound = make_passed("tls-certificate", category="security", value=68)
    bad = make_result("tls-certificate", category="security", value="expired", message="The certificate has expired.")

    assert tls_facts(make_report(versions, sound)) == (
        ("TLS versions", "TLSv1.2, TLSv1.3"),
        ("Certificate", "valid, expires in 68 days"),
    )
    assert tls_facts(make_report(bad)) == (("Certificate", "The certificate has expired."),)


def test_without_encryption_there_is_nothing_to_list() -> None:
    """Neither where the checks did not apply, nor where they could not be evaluated."""
    absent = make_passed("tls-certificate", outcome="not_applicable", value=None)
    unknown = make_passed("tls-version", outcome="not_evaluated", value=None)

    assert tls_facts(make_report(absent, unknown)) == ()
