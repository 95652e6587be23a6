"""The PDF of an audit says what its page says, is accessible, and is set in time whatever a site holds."""

from __future__ import annotations

import io
import json

import pytest
from msgspec.structs import replace
from pypdf import PdfReader

from pagegrade.model.account import Brand
from pagegrade.model.audit_result import AuditResult, Folder, Place, Template
from pagegrade.render.account import NO_BRAND
from pagegrade.render.audit_pdf import MAX_DETAILED, MAX_FINDINGS, SHOWN_PLACES, audit_sheet
from pagegrade.render.pdf import render_sheet_pdf
from tests.render.test_audit import EVIL, FINDING, RESULT
from tests.render.test_pdf import root_of, text_of

AT_MS = 1_764_400_000_000


def made(result: AuditResult, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
    """The document."""
    values = json.dumps(audit_sheet(result, AT_MS, tag=tag, brand=brand)).encode()
    return render_sheet_pdf("audit", values, AT_MS // 1_000)


def test_it_says_the_score_the_findings_and_where_they_are() -> None:
    """With the number of pages that link to a target, and what was not evaluated."""
    rows = (Template(number=1, name="/shop/{s}", pages=1_400, score=81.5, example="http://a.test/shop/1"),)
    tree = (
        Folder(url="http://a.test/", level=0, pages=1_400, score=80.0),
        Folder(url="http://a.test/shop/", level=1, pages=1_300, score=None),
    )
    data = made(replace(RESULT, templates=rows, folders=tree))
    reader, text = PdfReader(io.BytesIO(data)), text_of(data)
    parts = ["Auditofa.test", "49", "1,500of2,000", "Thescoreisatmost49", "Fixfirst", "8.00", "1,200pages"]
    parts += ["http://a.test/gone", "countedinsoft-404", "/shop/{s}", "81.5", "shop/1,300–"]
    parts += ["Orphanpages", "Nositemapwasread."]
    catalog = root_of(data)

    assert [part for part in parts if part not in text] == []
    assert reader.metadata is not None
    assert reader.metadata.title == "Audit of a.test"
    assert b"<pdfuaid:part>1</pdfuaid:part>" in catalog["/Metadata"].get_data()
    assert made(RESULT) == made(RESULT)


def test_without_a_grade_the_reason_stands_in_its_place() -> None:
    """And no points."""
    found = (replace(FINDING, lost=None),)
    none = replace(RESULT, score=None, exact=None, rating=None, no_grade="too_few_pages", findings=found)
    text = text_of(made(none))

    assert "Fewerthanfivedifferentpages" in text
    assert "Fixfirst" not in text
    assert "of100" not in text
    assert "scoreis" not in text


@pytest.mark.parametrize(
    ("findings", "detailed", "lines", "left"), [(40, 40, 0, 0), (41, 40, 1, 0), (200, 40, 160, 0), (201, 40, 160, 1)]
)
def test_what_does_not_fit_is_a_line_and_then_a_number(findings: int, detailed: int, lines: int, left: int) -> None:
    """At each limit and one past it."""
    sheet = audit_sheet(replace(RESULT, findings=(FINDING,) * findings), AT_MS)

    assert (MAX_DETAILED, MAX_FINDINGS) == (40, 200)
    assert (len(sheet["findings"]), len(sheet["further"]), bool(sheet["left_out"])) == (detailed, lines, bool(left))


@pytest.mark.parametrize(("places", "pages", "more"), [(3, 3, ""), (4, 4, "1 more"), (4, 900, "897 more")])
def test_places_that_are_not_shown_are_counted(places: int, pages: int, more: str) -> None:
    """Also those that the result does not name."""
    named = tuple(Place(url=f"http://a.test/{number}") for number in range(places))
    (one,) = audit_sheet(replace(RESULT, findings=(replace(FINDING, pages=pages, places=named),)), AT_MS)["findings"]

    assert len(one["places"]) == min(places, SHOWN_PLACES)
    assert one["more"].partition(" is")[0].partition(" are")[0] == more


def test_the_worst_site_is_set_in_time_and_its_text_is_only_text() -> None:
    """Long words everywhere, at every limit, in German and with a look of its own."""
    word = "/x%/\u05d0\u0301" * 400
    places = tuple(Place(url=f"http://a.test{word}", value=word) for _ in range(50))
    bad = replace(FINDING, title=word, message=EVIL + word, why=word, fix=word, places=places)
    data = made(replace(RESULT, findings=(bad,) * 3_000), "de", Brand(name="Acme Web", footer="Main Street 1"))

    assert len(PdfReader(io.BytesIO(data)).pages) < 100
    assert "<script>alert(1)</script>" in text_of(data)
    assert "AcmeWeb" in text_of(data)
