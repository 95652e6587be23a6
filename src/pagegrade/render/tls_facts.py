"""Facts of a report about the encryption of the page, as the checks found it."""

from __future__ import annotations

from typing import Final

from pagegrade.model.report import Report, Result
from pagegrade.render.english import ENGLISH, Words
from pagegrade.render.escape import visible

_UNKNOWN: Final = frozenset({"not_applicable", "not_evaluated"})


def tls_facts(report: Report, words: Words = ENGLISH) -> tuple[tuple[str, str], ...]:
    """(name, value) of the accepted TLS versions and of the certificate; empty where neither was evaluated."""
    found = {result.check: result for result in report.results if result.outcome not in _UNKNOWN}
    facts = []
    if (versions := found.get("tls-version")) is not None and isinstance(versions.value, str):
        facts.append((words.gettext("TLS versions"), visible(versions.value, 80)))
    if (certificate := found.get("tls-certificate")) is not None:
        facts.append((words.gettext("Certificate"), _described(certificate, words)))
    return tuple(facts)


def _described(certificate: Result, words: Words) -> str:
    days = certificate.value
    if isinstance(days, int) and certificate.passed:
        return words.ngettext("valid, expires in %(num)s day", "valid, expires in %(num)s days", days)
    return visible(certificate.message, 200)
