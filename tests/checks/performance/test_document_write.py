from __future__ import annotations

import pytest

from pagegrade.checks.performance.document_write import document_write
from pagegrade.model.artifacts import ScriptFacts
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def page(code: str) -> str:
    """A page with an inline script."""
    return f"<!doctype html><title>t</title><script>{code}</script>"


@pytest.mark.parametrize(
    ("code", "loss"),
    [
        ("document.write('x')", 0.25),
        ("window.document.writeln ( 'x' )", 0.25),
        ("document.write('x');" * 6, 0.5),
        ("document.write('x');" * 60, 0.5),
        ("// document.write('x')", 0),
        ("/* document.write('x') */ var a = \"document.write('x')\";", 0),
        ("frame.contentWindow.document.write('x')", 0),
        ("other.document.write('x')", 0),
        ("window.jQuery || document.write('<script src=/j.js><\\/script>')", 0),
        ("mydocument.write('x')", 0),
    ],
)
def test_only_calls_in_the_code_for_this_page_count(code: str, loss: float) -> None:
    """Comments, texts, other windows and fallbacks do not."""
    assert evaluated(document_write, page(code), resources=make_resources()).loss == loss


def test_own_files_count_and_those_of_others_do_not() -> None:
    """Others' scripts are not the owner's."""
    facts = ScriptFacts(document_writes=2)
    own = make_resource(URL + "a.js", kind="script", script=facts)
    foreign = make_resource("https://b.example/b.js", kind="script", script=facts, first_party=False)

    assert outcome(document_write, resources=make_resources(own)).value == "2 calls"
    assert isinstance(run(document_write, resources=make_resources(foreign)), NotApplicable)


def test_data_blocks_are_no_scripts() -> None:
    """They are not run."""
    html = "<script type=application/json>document.write(1)</script>"

    assert isinstance(run(document_write, html, resources=make_resources()), NotApplicable)


def test_unread_files_may_write() -> None:
    """A clean page proves nothing then; a call in the page itself is one, whatever the files do."""
    html = "<script src=/a.js></script>"

    assert isinstance(run(document_write, html), NotRun)
    assert outcome(document_write, html + page("document.write(1)")).state == "writes"
