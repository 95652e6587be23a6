"""Reports as PDF: pages of A4 or Letter with bookmarks, links and the tags that screen readers need.

Typst sets them. Page text reaches it as values of JSON, never as markup; it reads no file but the template and the
fonts, and fetches nothing. Nothing of the system (fonts, clock, language) changes a byte of the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pagegrade.model.account import Brand
from pagegrade.model.errors import PDFNotInstalled
from pagegrade.model.report import Report
from pagegrade.render.account import NO_BRAND
from pagegrade.render.history import RunPoint
from pagegrade.render.i18n import texts_for
from pagegrade.render.pdf_model import Values, sheet, sheet_of_several
from pagegrade.report.serialize import report_from_dict

if TYPE_CHECKING:
    import typst

STANDARD: Final = "ua-1"
"""PDF/UA-1 (ISO 14289-1), the standard for accessible documents."""
TEMPLATE: Final = Path(str(files("pagegrade.render"))) / "templates" / "report.typ"
SheetName = Literal["audit", "conformance"]
SHEETS: Final[dict[SheetName, Path]] = {name: TEMPLATE.with_name(f"{name}.typ") for name in get_args(SheetName)}
FONTS: Final = Path(str(files("pagegrade.render"))) / "fonts"


Paper = Literal["a4", "us-letter"]
"""Sizes of pages, as Typst calls them."""


def is_installed() -> bool:
    """Return true if Typst is installed, which the extra ``pagegrade[pdf]`` brings."""
    return find_spec("typst") is not None


def render_pdf(
    report_json: bytes,
    tag: str = "en",
    paper: Paper = "a4",
    history: tuple[RunPoint, ...] = (),
    brand: Brand = NO_BRAND,
) -> bytes:
    """The report as PDF, from the JSON object of the HTTP interface.

    A top-level function of plain values, so that it can run in a child process that may be killed.

    Args:
        tag: Language of the document, one of ``i18n.LOCALES``.
        history: Runs of the same report, newest first.

    Raises:
        PDFNotInstalled: Typst is not installed.
        InvalidInput: It is no report, or not a finished one with results.
        ValueError: It is no JSON.
    """
    return render_report_pdf(report_from_dict(json.loads(report_json)), tag, paper, history, brand)


def render_report_pdf(
    report: Report,
    tag: str = "en",
    paper: Paper = "a4",
    history: tuple[RunPoint, ...] = (),
    brand: Brand = NO_BRAND,
) -> bytes:
    """The same from a report at hand: the same report gives the same bytes.

    Raises:
        PDFNotInstalled: Typst is not installed.
    """
    return _set_pages(
        TEMPLATE,
        lambda boxes: sheet(report, texts_for(tag), history=history, brand=brand, boxes=boxes),
        paper,
        report.generated_at,
    )


def render_reports_pdf(reports_json: bytes, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
    """Several finished reports with results as one PDF of A4, behind a list of them; as ``render_pdf``, for a child.

    Args:
        reports_json: A JSON array of objects of the HTTP interface, one at least.
    """
    reports = [report_from_dict(each) for each in json.loads(reports_json)]
    return _set_pages(
        TEMPLATE,
        lambda boxes: sheet_of_several(reports, texts_for(tag), brand=brand, boxes=boxes),
        "a4",
        max(report.generated_at for report in reports),
    )


def render_sheet_pdf(template: SheetName, encoded: bytes, at_s: int) -> bytes:
    """A document of values that are made before, on pages of A4; a function of plain values, for a child process.

    Args:
        template: Of ``SHEETS``.
        encoded: What ``conformance.conformance_sheet`` or ``audit_pdf.audit_sheet`` gives, as JSON.
        at_s: The time of the document, in seconds.

    Raises:
        PDFNotInstalled: Typst is not installed.
    """
    values, moment = json.loads(encoded), datetime.fromtimestamp(at_s, UTC)
    return _set_pages(SHEETS[template], lambda boxes: values | {"boxes": boxes}, "a4", moment)


def _set_pages(template: Path, values_of: Callable[[bool], Values], paper: Paper, moment: datetime) -> bytes:
    """Return a document; ``values_of`` is asked for values, true if they have to explain empty boxes."""
    if not is_installed():
        raise PDFNotInstalled
    # Late: who only sends this function to a child has no use for Typst.
    import typst

    def compiled(standards: list[typst.PDFStandard], *, boxes: bool) -> bytes:
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        inputs = {"report": json.dumps(values_of(boxes), ensure_ascii=False, allow_nan=False), "paper": paper}
        at_s = int(aware.timestamp())
        return compile_template(template, inputs, format="pdf", pdf_standards=standards, timestamp=at_s)

    try:
        return compiled([STANDARD], boxes=False)
    except typst.TypstError:
        # The standard forbids a character without a picture in our fonts. Without it the character is an empty box,
        # and what is copied or read aloud is still the character.
        return compiled([], boxes=True)


def compile_template(template: Path, inputs: dict[str, str], **options: Any) -> bytes:
    """The document or picture that Typst makes of a template of ours, with our fonts alone.

    Args:
        template: It reads nothing else.
        options: Of ``typst.compile``.

    Raises:
        PDFNotInstalled: Typst is not installed.
        TypstError: The template cannot be set so.
    """
    if not is_installed():
        raise PDFNotInstalled
    import typst

    made: bytes = typst.compile(
        template,
        root=template.parent,
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs=inputs,
        **options,
    )
    return made


@cache
def _fonts() -> typst.Fonts:
    import typst

    # Those of Typst (Libertinus Serif, DejaVu Sans Mono) and ours. What the machine has would look different elsewhere.
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[FONTS])
