from __future__ import annotations

import msgspec
import pytest

from pagegrade.model.audit import URLState
from pagegrade.report.compare_audits import AuditComparison, FindingChange, PageChange, PageChanges
from pagegrade.service.audits.links import ShownLink
from pagegrade.service.audits.pages import ShownPage
from pagegrade.store.repositories.crawl_segments import LinkRow, PageRow
from pagegrade.store.repositories.crawl_urls import LinkedURL, StoredURL
from pagegrade.web.schemas.crawl import (
    AuditComparisonDocument,
    AuditLink,
    AuditPageDocument,
    AuditPageItem,
    audit_comparison_object,
    link_object,
    page_item,
    page_object,
)
from tests.api_shapes import assert_described
from tests.audit_builders import result_of

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")
LINK = LinkRow(from_id=1, to_id=2, kind="a", nofollow=False, place="nav", anchor="Next", hreflang="")


def page(row: PageRow | None, state: URLState = URLState.FETCHED) -> ShownPage:
    """A page of a crawl that links to another one."""
    stored = StoredURL(url_id=1, url="https://a.example/", depth=0, state=state, status=200, error=None, segment=None)
    return ShownPage(stored=stored, row=row, urls={}, links=((LINK, "https://a.example/next"),))


@pytest.mark.parametrize("row", [PageRow(page_id=1, read=True, title="Home"), PageRow(page_id=1), None])
def test_a_page_is_as_it_is_described(row: PageRow | None) -> None:
    """Members of a page that was not read are null."""
    item, whole = msgspec.json.decode(page_item(page(row))), msgspec.json.decode(page_object(page(row)))

    assert_described(AuditPageItem, item)
    assert_described(AuditPageDocument, whole)

    assert item["title"] == ("Home" if row is not None and row.read else None)
    assert [link["url"] for link in whole["links"]] == ["https://a.example/next"]


@pytest.mark.parametrize(
    ("state", "shown", "leads_to"), [(URLState.FETCHED, "fetched", 2), (URLState.OUTSIDE, "outside", None)]
)
def test_a_link_is_as_it_is_described(state: URLState, shown: str, leads_to: int | None) -> None:
    """A target outside of the site has no page."""
    target = LinkedURL(url="https://b.example/", state=state, status=200, is_page=leads_to is not None)
    made = msgspec.json.decode(link_object(ShownLink(id=1, row=LINK, source="https://a.example/", target=target)))

    assert_described(AuditLink, made)

    assert (made["to_state"], made["to_page"]) == (shown, leads_to)


def test_a_comparison_is_as_it_is_described() -> None:
    """Including a finding on one side only, and one with a reason."""
    (one,) = result_of("https://example.com/").findings
    comparison = AuditComparison(
        before=1,
        after=2,
        differs_in=(),
        rulesets=("1", "1"),
        scores=(95, None),
        exact=(95.0, None),
        findings=(
            FindingChange(kind="new", before=None, after=one, pages_new=2),
            FindingChange(
                kind="not_comparable", before=one, after=None, reason="not_seen", pages_unclear=2, detail="No sitemap."
            ),
        ),
        pages=PageChanges(changed=(PageChange("https://example.com/", ("status",)),), totals=(0, 0, 1)),
    )
    made = msgspec.json.decode(audit_comparison_object(12, comparison))
    new, unknown = made["findings"]

    assert msgspec.json.decode(msgspec.json.encode(msgspec.convert(made, AuditComparisonDocument))) == made
    assert (made["audit_id"], made["from"], made["to"], made["score_after"]) == (12, 1, 2, None)
    assert (new["kind"], new["before"], new["after"]) == ("new", None, {"id": 1, "pages": 2, "lost": 5.0})
    assert (unknown["reason"]["kind"], unknown["reason"]["detail"]) == ("not_seen", "No sitemap.")
    assert (made["counts"]["new"], made["pages"]["changed"]["total"]) == (1, 1)
    assert made["pages"]["changed"]["pages"] == [{"url": "https://example.com/", "aspects": ["status"]}]


def test_programs_are_told_why_two_measurements_are_not_compared() -> None:
    """In words and by name."""
    other = AuditComparison(
        before=1,
        after=2,
        differs_in=("ruleset", "settings"),
        rulesets=("1", "2"),
        scores=(95, 95),
        exact=(95.0, 95.0),
    )
    made = msgspec.json.decode(audit_comparison_object(12, other))

    assert (made["comparable"], made["differs_in"]) == (False, ["ruleset", "settings"])
    assert "Different rules" in made["reason"]
