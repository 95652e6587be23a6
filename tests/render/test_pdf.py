from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typst
from msgspec.structs import replace
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject

from pagegrade.model.account import Brand
from pagegrade.model.errors import InvalidInput, PDFNotInstalled
from pagegrade.model.report import ManualResult, Report
from pagegrade.render.account import NO_BRAND
from pagegrade.render.conformance import conformance_sheet
from pagegrade.render.pdf import (
    FONTS,
    SHEETS,
    TEMPLATE,
    _fonts,
    is_installed,
    render_pdf,
    render_report_pdf,
    render_reports_pdf,
    render_sheet_pdf,
)
from pagegrade.report.serialize import report_to_dict
from pagegrade.sandbox.pool import Children
from pagegrade.service.accounts.operations import MAX_LOGO_BYTES
from pagegrade.service.pdf_pool import GROWTH_BYTES, SECONDS
from pagegrade.web.pages.reports.bulk import MAX_JOINED
from tests.render.test_history import run
from tests.report_builders import (
    URL,
    make_failed_report,
    make_images,
    make_passed,
    make_report,
    make_result,
    poisoned_report,
)
from tests.site.assets import png

PARTS = TEMPLATE.with_name("parts.typ")
ACTIVE = {
    *("/JS", "/JavaScript", "/OpenAction", "/AA", "/Launch", "/EmbeddedFiles", "/EF", "/AF", "/AcroForm", "/XFA"),
    *("/RichMedia", "/GoToR", "/SubmitForm", "/ImportData", "/Movie", "/Sound", "/Rendition", "/XObject"),
}
"""Keys and names of what runs, loads or carries something; we draw no pictures either."""
A4 = (595.276, 841.89)


def read(data: bytes) -> PdfReader:
    """The document as another program reads it."""
    return PdfReader(io.BytesIO(data), strict=True)


def root_of(data: bytes) -> Any:
    """The catalogue, where a document says what it is as a whole."""
    return read(data).trailer["/Root"]


def text_of(data: bytes) -> str:
    """All text of all pages without white space, as a reader would copy it."""
    return "".join("".join(page.extract_text().split()) for page in read(data).pages)


def names_in(reader: PdfReader) -> set[str]:
    """Every name that is a key or a value of any object of the document."""
    objects = (reader.get_object(number) for number in range(1, int(str(reader.trailer["/Size"]))))
    found = {name for value in objects for name in _names(value)}

    assert "/StructTreeRoot" in found
    return found


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, DictionaryObject):
        for key, item in value.items():
            yield str(key)
            yield from _names(item)
    elif isinstance(value, ArrayObject):
        for item in value:
            yield from _names(item)
    elif isinstance(value, str) and value.startswith("/"):
        yield value


def links_of(reader: PdfReader) -> set[str]:
    """The targets of the links."""
    found = set()
    for page in reader.pages:
        for annotation in page.get("/Annots", ()):
            action = annotation.get_object().get("/A", {})
            if "/URI" in action:
                found.add(str(action["/URI"]))
    return found


def titles(outline: list[Any]) -> list[str]:
    """The bookmarks, one after the other."""
    flat = [titles(item) if isinstance(item, list) else [str(item.title)] for item in outline]
    return [title for part in flat for title in part]


def test_the_document_is_accessible() -> None:
    """Title, language, tags, bookmarks, pages of A4 with numbers, and the promise of PDF/UA."""
    data = render_report_pdf(make_report())
    reader, root = read(data), root_of(data)

    assert reader.metadata is not None
    assert reader.metadata.title == f"{URL}: 79 of 100"
    assert root["/Lang"] == "en-GB"
    assert root["/MarkInfo"]["/Marked"] is not None
    assert "/StructTreeRoot" in root
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712 - a PDF boolean
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()
    assert {"Fix first", "HTTPS", "How the score was made", "The page"} <= set(titles(reader.outline))
    for number, page in enumerate(reader.pages, start=1):
        assert tuple(map(float, page.mediabox[2:])) == pytest.approx(A4, abs=0.01)
        assert f"Page {number} of {len(reader.pages)}" in page.extract_text()


def test_several_reports_are_one_accessible_document() -> None:
    """A list with the page on which each begins, then each of them whole; scores are said for each alone."""
    reports = [
        make_report(score=score, url=f"https://shop.example/{score}", project="shop.example") for score in (79, 42)
    ]
    data = render_reports_pdf(json.dumps([report_to_dict(report) for report in reports]).encode())
    reader, text = read(data), text_of(data)
    first = reader.pages[0].extract_text()
    begins = [int(number) for number in re.findall(r"(?:79|42) decent (\d+)", first)]

    assert b"<pdfuaid:part>1</pdfuaid:part>" in root_of(data)["/Metadata"].get_data()
    assert reader.metadata is not None
    assert reader.metadata.title == "Reports on 2 pages: shop.example"
    assert len(begins) == 2
    assert all(report.url in first for report in reports)
    assert all(report.url in text_of_page(reader, begin) for report, begin in zip(reports, begins, strict=True))
    assert text.count("Howthescorewasmade") == 2
    assert {"Score 79 of 100", "Score 42 of 100"} <= alternatives(reader)


def text_of_page(reader: PdfReader, number: int) -> str:
    """The text of a page, from 1, without line breaks."""
    return reader.pages[number - 1].extract_text().replace("\n", "")


def alternatives(reader: PdfReader) -> set[str]:
    """The texts in place of pictures."""
    objects = (reader.get_object(number) for number in range(1, int(str(reader.trailer["/Size"]))))
    return {str(value["/Alt"]) for value in objects if isinstance(value, DictionaryObject) and "/Alt" in value}


def test_as_many_reports_as_may_be_ticked_are_set_in_time() -> None:
    """Long ones, under the largest logo, within the memory and the time of a child."""
    brand = Brand(logo=png(40, 40).ljust(MAX_LOGO_BYTES, b"\0"))
    data = json.dumps([report_to_dict(big_report())] * MAX_JOINED).encode()

    async def in_a_child() -> bytes:
        async with Children(1, growth_bytes=GROWTH_BYTES, shared_bytes=None) as children:
            return await children.run(render_reports_pdf, data, "en", brand, timeout_s=SECONDS)

    assert len(asyncio.run(in_a_child())) > MAX_JOINED * 10_000


def test_the_report_says_everything() -> None:
    """Verdict, categories, findings with evidence, the rest, the score, the page."""
    text = text_of(render_report_pdf(make_report()))

    for part in (
        "This page is decent; some things should be fixed.",
        "79of 100",
        "The scale: good from 80, decent from 50.",
        "SEO81good",
        "3 findings, 9 passed",
        "costs 4 points",
        "Counted in it Strict-Transport-Security",
        "main > figure:nth-of-type(1) > img · line 101",
        "and 11 more",
        "The handshake was not answered in time.",
        "at most 79",
        "First byte",
        "ruleset 2026.12",
        "gzip_types text/css;",
    ):
        assert part.replace(" ", "") in text


def test_the_report_is_written_in_the_language_and_on_the_paper_of_its_reader() -> None:
    """With its history, and no English beside it."""
    runs = tuple(run(number, score=60 + number) for number in (3, 2, 1))
    data = render_report_pdf(make_report(), "de", "us-letter", runs)
    text = text_of(data)

    sizes = {tuple(round(float(side)) for side in page.mediabox[2:]) for page in read(data).pages}

    assert sizes == {(612, 792)}
    assert all(words in text for words in ("Belege", "Warum", "Lösung", "Verlauf", "Seite1von"))
    assert all(words not in text for words in ("Fixfirst", "Howthescore", "History", "Evidence"))
    assert all(score in text for score in ("61", "62", "63"))


def test_a_failed_page_has_a_way_out_and_no_score() -> None:
    """The reason and the steps, nothing that looks like a grade."""
    text = text_of(render_report_pdf(make_failed_report("blocked")))

    assert "Whattodo" in text
    assert "noscore" in text
    assert "Fixfirst" not in text


def test_nothing_to_fix_and_nothing_known_is_a_document_too() -> None:
    """No findings, no page facts, no categories, a time without a zone."""
    bare = make_report(
        make_passed(),
        page=None,
        categories={},
        caps=(),
        generated_at=datetime(2026, 1, 5, tzinfo=UTC).replace(tzinfo=None),
    )

    assert "Nothingtofix" in text_of(render_report_pdf(bare))


@pytest.mark.parametrize(
    "payload",
    [
        '#eval("1+1")',
        '#read("/etc/passwd")',
        '#import "@preview/cetz:0.3.0"',
        "$x^2$ *b* _i_ `r` <label> @ref = h",
        "]#panic()[",
        '")); #panic() //',
        "\\ \\u{41} /* // */",
        ") /S /JavaScript /JS (app.alert\\(1\\)) (",
        "endstream endobj trailer <</Root 1 0 R>> %%EOF",
        "<script>alert(1)</script>",
        "{{7*7}} ${7*7} {% raw %} <%=%>",
        "%s%n{0.__class__}",
    ],
)
def test_page_text_is_inert(payload: str) -> None:
    """It is set as it is written, neither as markup of Typst nor as part of the file's own structure."""
    data = render_report_pdf(poisoned_report(payload))

    assert text_of(data).count("".join(payload.split())) > 20
    assert not names_in(read(data)) & ACTIVE


@pytest.mark.parametrize(
    "payload",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://user:pass@evil.test/", "//evil.test/"],
)
def test_only_plain_web_addresses_are_links(payload: str) -> None:
    """Everything else is text; our own page is the only one left."""
    assert links_of(read(render_report_pdf(poisoned_report(payload)))) == {"https://github.com/pagegrade/pagegrade"}


def test_the_page_and_the_checks_are_linked() -> None:
    """The address and the documentation are one click away, as the parser wrote them anew."""
    report = replace(make_report(), url='https://example.com/"><b>', final_url=None)

    links = links_of(read(render_report_pdf(report)))

    assert "https://example.com/%22%3E%3Cb%3E" in links
    assert "https://github.com/pagegrade/pagegrade/blob/main/docs/reference/checks/https.md" in links


@pytest.mark.parametrize("payload", ["\x00", "\x1b[31m", "\u202e", "\u2066", "\u200b", "\u2028", "\ud800"])
def test_invisible_characters_are_shown_as_escapes(payload: str) -> None:
    """An override cannot turn a line around, on paper as little as on a screen."""
    text = text_of(render_report_pdf(poisoned_report(f"a{payload}b")))

    assert payload not in text
    assert "a\\" in text


@pytest.mark.parametrize(
    "words",
    [
        "Ёлка и щука",
        "Ελληνικός τίτλος",
        "Tiếng Việt",
        "中文網頁标题",
        "日本語のページ",
        "대한민국",
        "ภาษาไทย",
        "हिन्दी",
        "Հայերեն",
        "ქართული",
    ],
)
def test_scripts_of_the_world_are_set(words: str) -> None:
    """In our own fonts, so the document looks alike everywhere, and is copied as it was written."""
    data = render_report_pdf(make_report(make_result(title=words, message=words)))
    letters = set(words) - {" "}

    assert letters <= set(text_of(data))
    assert b"pdfuaid:part" in root_of(data)["/Metadata"].get_data()


@pytest.mark.parametrize("words", ["שלום עולם", "الصفحة الرئيسية"])
def test_scripts_from_right_to_left_are_set(words: str) -> None:
    """Arabic letters are joined (their shapes depend on their neighbours); none is missing."""
    data = render_report_pdf(make_report(make_result(title=words, message=words)))

    assert set(words) - {" "} <= set(text_of(data))
    assert "standasboxes" not in text_of(data)


@pytest.mark.parametrize("words", ["የአማርኛ ርዕስ", "🎉🚀", "தமிழ்"])
def test_what_no_font_has_is_a_box_that_can_be_copied(words: str) -> None:
    """The document says so; only the mark of PDF/UA, which forbids boxes, is not claimed."""
    data = render_report_pdf(make_report(make_result(title=words)))

    assert "standasboxes" in text_of(data)
    assert "/StructTreeRoot" in root_of(data)
    assert b"pdfuaid" not in root_of(data)["/Metadata"].get_data()


def test_the_same_report_gives_the_same_bytes() -> None:
    """No clock and no chance: the date of the document is that of the report."""
    first, second = (render_report_pdf(make_report()) for _ in range(2))
    metadata = read(first).metadata

    assert first == second
    assert metadata is not None
    assert metadata.creation_date == datetime(2026, 1, 5, 12, 34, 56, tzinfo=UTC)


def big_report() -> Report:
    """Sixty findings with evidence."""
    return make_report(
        *(make_result(f"check-{number:02}", lost=0.5, evidence=make_images(5)) for number in range(60)), url=URL
    )


def test_a_child_makes_it_within_its_limits() -> None:
    """The memory and the time of a child suffice for a large report, and the child gives the same bytes."""
    data = json.dumps(report_to_dict(big_report())).encode()

    async def in_a_child() -> bytes:
        async with Children(1) as children:
            return await children.run(render_pdf, data, timeout_s=60)

    assert asyncio.run(in_a_child()) == render_pdf(data)


@pytest.mark.parametrize("piece", ["x", "word ", "/a?b&c=d.", "中", "e\u0301\u0302\u0303", "`a` "])
def test_a_page_cannot_make_the_document_large(piece: str) -> None:
    """A megabyte in every field is cut to what is worth reading."""
    data = render_report_pdf(poisoned_report(piece * (1_000_000 // len(piece))))

    assert len(data) < 3_000_000
    assert len(read(data).pages) < 25


@pytest.mark.parametrize("data", [b"[]", b'{"object":"report","state":"queued"}', b'{"data":1}'])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    """With the error that every other reader of reports raises."""
    with pytest.raises(InvalidInput):
        render_pdf(data)


def code_of(*templates: Path) -> str:
    """All of them, one after the other."""
    return "".join(template.read_text(encoding="utf-8") for template in templates)


def test_the_template_reads_nothing_and_runs_nothing() -> None:
    """Data comes in as JSON, once; whatever could load a file, a package or code is not in it."""
    code = re.sub(r"//[^\n]*", "", code_of(TEMPLATE, PARTS, *SHEETS.values()))

    own = '#import "parts.typ": *\n'

    assert code.count(own) == 1 + len(SHEETS)
    code = code.replace(own, "")

    assert code.count("json(") == 1
    # The logo comes with the data.
    assert code.count("image(") == code.count("image(bytes(") == 1
    for word in ("eval(", "read(", "plugin(", "include ", "import ", "@preview", "csv(", "xml(", "attach("):
        assert word not in code


def test_the_fonts_are_those_of_the_package() -> None:
    """Every family the template names is there whatever the machine has, and none of the machine's is used."""
    code = code_of(TEMPLATE, PARTS, *SHEETS.values())
    named = set(re.findall(r'"((?:Noto|DejaVu|Droid|Libertinus) [A-Za-z0-9 ]+)"', code))
    embedded = {name.partition("+")[2] for name in names_in(read(render_report_pdf(make_report()))) if "+" in name}

    assert named == set(_fonts().families()) - {"New Computer Modern", "New Computer Modern Math"}
    assert embedded
    assert all(re.match(r"NotoSans|LibertinusSerif|DejaVuSans", name) for name in embedded)


def test_the_fonts_are_unchanged() -> None:
    """Their README says which they are; each has a licence beside it."""
    readme = (FONTS / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w-]+\.ttf)` \| .+ \| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FONTS.glob("*.ttf")}
    licence = (FONTS / "LICENSE").read_text(encoding="utf-8")

    assert found == listed
    assert all(words in licence for words in ("SIL OPEN FONT LICENSE", "Apache License", "Bitstream Vera", "Arev"))


def test_a_mistake_in_the_template_is_not_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second attempt is for missing pictures only; what fails again is an error."""
    wrong = tmp_path / "wrong.typ"
    wrong.write_text("#panic()")
    monkeypatch.setattr("pagegrade.render.pdf.TEMPLATE", wrong)

    with pytest.raises(typst.TypstError):
        render_report_pdf(make_report())


def test_without_typst_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """And with it, it is found."""
    assert is_installed()
    monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed

    assert not is_installed()
    with pytest.raises(PDFNotInstalled, match=r"install pagegrade\[pdf\]"):
        render_report_pdf(make_report())


def conformance_pdf(*reports: Report, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
    """A conformance report."""
    values = json.dumps(conformance_sheet(reports, tag=tag, brand=brand)).encode()
    return render_sheet_pdf("conformance", values, 1_764_400_000)


def of_criteria(url: str, *manual: ManualResult) -> Report:
    """A report that fails one criterion and passes another one."""
    found = make_result("image-alt", state="missing", title="Images without alternative text", count=3)
    report = make_report(found, make_passed("html-lang", state="declared"), url=url)
    return replace(report, final_url=None, project="city.example", manual=manual)


BY_OLGA = ManualResult(
    criterion="2.1.1",
    outcome="failed",
    note="The menu cannot be opened.",
    evidence="",
    author="Olga",
    at_ms=1_764_400_000_000,
    page_sha256=b"",
)


def test_a_conformance_report_is_an_accessible_document() -> None:
    """Tags, bookmarks, headers of tables, links to the criteria, and the promise of PDF/UA."""
    data = conformance_pdf(of_criteria("https://city.example/a", BY_OLGA), of_criteria("https://city.example/b"))
    reader, root, text = read(data), root_of(data), text_of(data)

    assert reader.metadata is not None
    assert reader.metadata.title == "Accessibility conformance report: city.example"
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()
    assert [title for title in titles(reader.outline) if "level" in title] == [
        "Success criteria, level A",
        "Success criteria, level AA",
    ]
    assert "/TH" in names_in(reader)
    assert {"https://city.example/a", "https://www.w3.org/WAI/WCAG22/Understanding/keyboard.html"} <= links_of(reader)
    for part in ("https://city.example/b", "9.2.1.1", "E205.4", "Persons evaluated 1 criterion", "Failed (2)"):
        assert "".join(part.split()) in text

    assert "Failed,recordedbyOlgaon2025-11-29.Themenucannotbeopened." in text
    assert text.count("Imageswithoutalternativetext:3") == 2


def test_a_conformance_report_of_many_pages_is_set_in_time() -> None:
    """As many as one document may have, each with its findings and a long note, in a few seconds."""
    note = replace(BY_OLGA, note="The menu cannot be opened with a keyboard. " * 20)
    data = conformance_pdf(*(of_criteria(f"https://city.example/{number}", note) for number in range(100)))

    assert "city.example/99" in text_of(data)


def test_a_conformance_report_is_translated_and_looks_as_its_owner_wants() -> None:
    """Text of pages stays text, whatever it is made of."""
    poisoned = replace(poisoned_report('#import "x"; $x$ \\ <b> \u202e \ue000'), manual=(BY_OLGA,))
    text = text_of(conformance_pdf(poisoned, tag="de", brand=Brand(name="Acme Web", footer="Main Street 1")))

    assert "KonformitätsberichtzurBarrierefreiheit" in text
    assert "AcmeWeb" in text
    assert "MainStreet1" in text


def test_a_page_that_was_not_seen_is_in_the_conformance_report() -> None:
    """With the reason."""
    assert "status403" in text_of(conformance_pdf(of_criteria("https://city.example/a"), make_failed_report()))
