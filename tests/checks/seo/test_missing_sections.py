"""Tests of the check missing-sections."""

from __future__ import annotations

import pytest

from pagegrade.checks._facts import Facts
from pagegrade.checks._run import run_check
from pagegrade.checks.seo.missing_sections import missing_sections
from pagegrade.model.artifacts import LinkedSections, LinkProbes
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import make_artifacts, make_document, outcome, run

OTHER = "https://example.com/plants"


def state(body: str) -> str:
    """The state for a page with such a body."""
    return outcome(missing_sections, make_artifacts(f"<!doctype html><title>T</title><p>text {body}")).state


@pytest.mark.parametrize(
    "body",
    [
        '<a href="#a">1</a><h2 id=a>A</h2>',
        '<a href="#a">1</a><a name=a>A</a>',
        '<a href="https://example.com/#a">1</a><h2 id=a>A</h2>',
        '<a href="#\u6c60">1</a><h2 id="\u6c60">A</h2>',
        '<a href="#%D8%A8%D8%B1%D9%83%D8%A9">1</a><h2 id="\u0628\u0631\u0643\u0629">A</h2>',
        '<a href="#\u0928\u0926\u0940">1</a><h2 id="\u0928\u0926\u0940">A</h2>',
        '<a href="#a:~:text=pond">1</a><h2 id=a>A</h2>',
    ],
)
def test_sections_that_exist_pass(body: str) -> None:
    """By id or name, written plainly or encoded, in any script, with a quotation behind."""
    assert state(body) == "found"


@pytest.mark.parametrize(
    "body",
    [
        '<a href="#A">1</a><h2 id=a>A</h2>',
        '<a href="#\u043f\u0440\u0443\u0434">1</a>',
        '<a href="#b:~:text=pond">1</a>',
    ],
)
def test_sections_that_do_not_exist_warn(body: str) -> None:
    """Case matters."""
    assert state(body) == "missing"


@pytest.mark.parametrize(
    "link",
    [
        '<a href="#">1</a>',
        '<a href="#TOP">1</a>',
        '<a href="#:~:text=pond">1</a>',
        '<a href="#/cart">1</a>',
        '<a href="#!menu">1</a>',
        '<a href="/film#t=30">1</a>',
        '<a href="#menu" role=button>1</a>',
        '<a href="#menu" data-bs-toggle=collapse>1</a>',
        '<a href="#menu" onclick="open()">1</a>',
        '<a href="https://other.example/#a">1</a>',
        '<a href="/plants#a">1</a>',
    ],
)
def test_links_that_lead_to_no_section_are_left_out(link: str) -> None:
    """Tops, quotations, states of scripts, controls, and pages that were not read."""
    artifacts = make_artifacts(f"<!doctype html><title>T</title><p>text {link}")

    assert isinstance(run(missing_sections, artifacts), NotApplicable)


def test_sections_of_other_pages_count_where_they_were_read() -> None:
    """The link is shown; one page that could not be read says nothing."""
    probes = LinkProbes(
        found=2,
        sections=(
            LinkedSections(url=OTHER, sections=("lilies", "reeds"), missing=("reeds",)),
            LinkedSections(url="https://example.com/fish", sections=("carp",), missing=None),
        ),
    )
    html = (
        "<!doctype html><title>T</title><a href=/plants#lilies>1</a><a href=/plants#reeds>2</a><a href=/fish#carp>3</a>"
    )
    found = outcome(missing_sections, make_artifacts(html, link_probes=probes))

    assert found.state == "missing"
    assert [entry.url for entry in found.evidence] == [f"{OTHER}#reeds"]


def test_page_that_scripts_render_is_not_evaluated() -> None:
    """They may add the section."""
    document = make_document('<!doctype html><title>T</title><a href="#a">1</a>')
    document.client_rendered = True

    assert isinstance(run_check(missing_sections, Facts(make_artifacts(), document=document)), NotRun)
