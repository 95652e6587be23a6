"""The state of a page as far as its accessibility is known, to see whether it has changed."""

from __future__ import annotations

import hashlib

import msgspec

from pagegrade.model.report import Report


def page_fingerprint(report: Report) -> bytes:
    """Return the SHA-256 of how a page was analyzed, its title and language, and its results of accessibility.

    Two runs of a page that stayed the same have the same; what else a page shows, such as the date, changes nothing.
    """
    page = report.page
    results = [
        (result.check, result.outcome, result.state, [evidence.selector for evidence in result.evidence])
        for result in report.results
        if result.category == "accessibility"
    ]
    basis = (report.basis.ruleset, report.basis.device)
    known = (basis, page and (page.title, page.language), sorted(results, key=lambda each: each[0]))
    return hashlib.sha256(msgspec.json.encode(known)).digest()
