"""Pagegrade on its own pages: full marks wherever they can be had, and a reason for every point that is not wanted."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

import pagegrade
from pagegrade.model.report import CATEGORIES, Report
from tests.browser.instance import Instance
from tests.browser.recipes import Visit
from tests.browser.visits import one_visit_each

PUBLIC: Final = "https://reports.example.org"
"""The pages are evaluated as if they were at this address: on loopback there is no TLS."""
DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "own-pages.md"
UNLISTED: Final = frozenset(
    {
        "noindex",
        "canonical",
        "sitemap",
        "structured-data",
        "structured-data-valid",
        "open-graph",
        "meta-description",
        "meta-description-length",
        "url-friendly",
        "nofollow-page",
        "og-image",
        "twitter-card",
    }
)
"""Checks about being found: no search engine is to list an installation, which belongs to those who run it."""
SHORT: Final = frozenset({"content-length", "content-keywords"})
"""Checks about articles: a form or a list says what is needed and no more."""
REASONED: Final[dict[str, frozenset[str]]] = {
    "plaintext-email": frozenset(
        {
            *("show-sign-in-link", "show-accounts", "invite-account", "show-member", "disable-account"),
            *("erase-account", "give-link", "show-team", "invite-to-team", "leave-team", "rename-workspace"),
            *("erase-workspace", "create-workspace", "send-sign-up-link", "change-quotas"),
        }
    ),
    "link-text": frozenset({"list-report-rows", "create-report-from-form"}),
    "localhost-links": frozenset(
        {"show-settings", "save-settings", "show-report-page", "show-audit-sharing", "save-audit-sharing"}
    ),
}
"""Check -> operations whose pages may fail it, besides those above: what they show is for one reader only."""


def evaluate(instance: Instance, visit: Visit) -> Report:
    """The result of our engine for a page, as if it were published."""
    path = instance.fill(visit.path)
    reply = instance.ask(path, person=visit.person, form=instance.fields(visit.form))
    return pagegrade.evaluate_document(reply.body, url=f"{PUBLIC}{path.partition('?')[0]}", headers=[*reply.headers])


def failures(report: Report) -> set[str]:
    """Ids of the checks that found something."""
    return {result.check for result in report.results if result.passed is False}


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_every_page_of_ours_is_as_good_as_we_ask_of_others(visit: Visit, instance: Instance) -> None:
    """Nothing is found but what a reason was written for, and the categories without such reasons lose nothing."""
    # In a thread: a test before this one may have left an event loop in ours.
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(evaluate, instance, visit).result()
    reasoned = {check for check, operations in REASONED.items() if visit.operation in operations}
    full = {name for name in CATEGORIES if name not in {"seo", "content"} and (name != "security" or not reasoned)}

    assert report.state == "completed"
    assert failures(report) - UNLISTED - SHORT - reasoned == set()
    if visit.operation == "show-console":  # scripts draw it: Swagger UI
        assert report.withheld is not None
    else:
        assert {name: report.categories[name].lost for name in full} == dict.fromkeys(full, 0.0)


@pytest.mark.parametrize("path", ["/", "/checks", "/sign-in"])
def test_pages_for_anyone_are_good_as_they_are_served(path: str, instance: Instance) -> None:
    """Really fetched, with everything they load: only what search engines would like is left."""
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(pagegrade.analyze, instance.origin + path, allow_typed_private=True).result()

    assert report.state == "completed"
    assert failures(report) - UNLISTED - SHORT == set()


def test_every_reason_is_written_down() -> None:
    """The document names exactly the checks that tests excuse."""
    rows = re.findall(r"^\| `([\w-]+)` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(rows) == sorted({*UNLISTED, *SHORT, *REASONED})
