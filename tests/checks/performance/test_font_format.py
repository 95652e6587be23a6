from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.font_format import font_format
from pagegrade.model.artifacts import FontFace
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def offered(*formats: str, own: bool = True, **more: Any) -> Any:
    """A face of a stylesheet."""
    sheet = make_resource(URL + "a.css", kind="stylesheet", first_party=own)
    return make_resources(
        sheet, font_faces=(FontFace(family="x", formats=formats, stylesheet_url=URL + "a.css"),), **more
    )


@pytest.mark.parametrize(
    ("formats", "state"),
    [
        (("woff2",), "woff2"),
        (("eot", "woff2", "woff", "ttf", "svg"), "woff2"),
        (("woff", "ttf"), "older"),
        (("ttf",), "older"),
        (("", "woff"), "older"),
    ],
)
def test_one_woff2_among_the_files_is_enough(formats: tuple[str, ...], state: str) -> None:
    """Fallbacks are welcome."""
    assert outcome(font_format, resources=offered(*formats)).state == state


def test_the_number_decides_up_to_half() -> None:
    """Unused faces cost nothing."""
    css = "".join(f"@font-face{{font-family:f{n};src:url(/{n}.woff)}}" for n in range(9))

    assert evaluated(font_format, f"<style>{css}</style>", resources=make_resources()).loss == 0.5
    assert evaluated(font_format, resources=offered("woff")).loss == 0.25


def test_font_services_answer_each_program_differently() -> None:
    """The files that they gave us say nothing about browsers."""
    assert isinstance(run(font_format, resources=offered("ttf", own=False)), NotApplicable)


def test_unrecognized_formats_are_not_evaluated() -> None:
    """An address without an extension may be anything."""
    assert isinstance(run(font_format, resources=offered("")), NotApplicable)
    assert isinstance(run(font_format), NotRun)


def test_the_first_bytes_may_excuse_a_face() -> None:
    """A WOFF2 file whose name does not say so was fetched."""
    file = make_resource(URL + "font?id=1", kind="font", font_format="woff2")
    face = FontFace(family="x", formats=("", "woff"), stylesheet_url=URL + "a.css")
    sheet = make_resource(URL + "a.css", kind="stylesheet")

    assert outcome(font_format, resources=make_resources(sheet, file, font_faces=(face,))).state == "woff2"


def test_the_first_format_that_browsers_read_counts() -> None:
    """They load a WOFF that stands before the WOFF2; what only old browsers read is skipped."""
    for formats, state in ((("woff", "woff2"), "older"), (("eot", "svg", "woff2", "woff"), "woff2")):
        assert outcome(font_format, resources=offered(*formats)).state == state


def test_of_several_sources_the_last_counts() -> None:
    """Those before it are for old browsers."""
    css = "@font-face{font-family:f;src:url(f.eot);src:url(f.woff);src:url(f.woff2),url(f.woff)}"

    assert outcome(font_format, f"<style>{css}</style>", resources=make_resources()).state == "woff2"
