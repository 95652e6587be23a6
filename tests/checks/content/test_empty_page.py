from __future__ import annotations

import pytest

from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.checks.content.empty_page import empty_page
from pagegrade.model.artifacts import ScriptFacts
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import make_artifacts, make_resource, make_resources, outcome, run
from tests.rendering_builders import make_rendering, make_timeline


def test_empty_answer_is_empty() -> None:
    """Without a byte, and with a body that shows nothing."""
    assert outcome(empty_page, "").state == "empty"
    assert outcome(empty_page, "<!doctype html><title>x</title><body><!-- cache --></body>").state == "empty"


@pytest.mark.parametrize("text", ["&nbsp;&ZeroWidthSpace;", "&shy;&#xFEFF;", "&#x3164;", "&#x2800;&rlm;"])
def test_characters_that_draw_nothing_fill_no_page(text: str) -> None:
    """Leftovers of editors and templates."""
    assert outcome(empty_page, f"<!doctype html><title>x</title><p>{text}</p>").state == "empty"
    assert outcome(empty_page, f"<!doctype html><title>x</title><p>{text}ㅤ。</p>").state == "filled"


def test_shell_that_scripts_fill_is_not_evaluated() -> None:
    """It is not empty for those who run them."""
    html = "<!doctype html><title>x</title><div id=root></div><script src=/static/js/main.1a2b3c.js></script>"

    assert isinstance(run(empty_page, html), NotRun)


def test_page_with_a_word_is_filled() -> None:
    """The number of words that is enough is another check's question."""
    assert outcome(empty_page, "<!doctype html><title>x</title><p>Soon").state == "filled"


@pytest.mark.parametrize(
    "rule",
    ["body { display: none }", "body { visibility: hidden }", "#all { display: none }", "html { display: none }"],
)
def test_page_that_hides_all_it_holds_shows_nothing(rule: str) -> None:
    """Links, pictures and drawings are hidden with the rest."""
    content = "<div id=all><h1>Chairs</h1><a href=/a>a</a><img src=/a.png alt=x><svg></svg></div>"
    html = f"<!doctype html><title>x</title><style>{rule}</style>{content}"

    assert outcome(empty_page, html).state == "hidden"
    assert isinstance(run(empty_page, html + "<script src=/show.js></script>"), NotRun)


@pytest.mark.parametrize(
    ("scripts", "names", "state"),
    [
        ("", (), "hidden"),
        ("<script src=/menu.js></script>", (), "hidden"),
        ("<script src=/menu.js></script>", ("waits",), "filled"),
        ("<script src=/menu.js></script>", None, "filled"),
        ("<script>open('menu')</script>", (), "hidden"),
        ("<script>document.documentElement.classList.remove('waits')</script>", (), "filled"),
    ],
)
def test_page_without_opacity_waits_for_a_script(scripts: str, names: tuple[str, ...] | None, state: str) -> None:
    """That of the tool is missing; another one knows nothing of it, and one that was not read may."""
    style = "<style>.waits{opacity:0!important}</style><script src=/tool.js></script>"
    html = f"<!doctype html><html class=waits><title>x</title>{style}{scripts}<h1>Стулья</h1><p>{'слово ' * 50}"
    menu = make_resource("https://example.com/menu.js", kind="script", script=ScriptFacts(names_of_main=names))
    tool = make_resource("https://example.com/tool.js", kind="script", status=404)

    assert outcome(empty_page, html, url="https://example.com/", resources=make_resources(menu, tool)).state == state


def test_page_that_stays_hidden_in_a_browser_shows_nothing() -> None:
    """Its scripts had their chance."""
    content = "<h1>Chairs</h1><a href=/a>a</a><script>1</script>"
    drawn = f"<!doctype html><title>x</title><body data-pagegrade-hidden=off>{content}"
    facts = Facts(make_artifacts(drawn, rendering=make_rendering(html=drawn, axe=())))
    found = run_checks({"empty-page": all_checks()["empty-page"]}, facts)["empty-page"].verdict

    assert isinstance(found, Outcome)
    assert found.state == "hidden"


@pytest.mark.parametrize(
    ("notes", "fcp_ms", "state"),
    [
        (("nothing_painted",), None, "hidden"),
        (("nothing_painted",), 900.0, "filled"),
        (("nothing_painted", "frames_not_checked"), None, "filled"),
        ((), None, "filled"),
    ],
)
def test_a_page_of_which_a_browser_paints_nothing_shows_nothing(
    notes: tuple[str, ...], fcp_ms: float | None, state: str
) -> None:
    """Transparent, or moved away: whatever keeps it from the screen. What frames paint is not known."""
    page = "<!doctype html><title>x</title><body style='opacity: 0'><h1>Chairs</h1>"
    drawn = make_rendering(make_timeline(first_contentful_paint_ms=fcp_ms), html=page, notes=notes)
    facts = Facts(make_artifacts(page, rendering=drawn))
    found = run_checks({"empty-page": all_checks()["empty-page"]}, facts)["empty-page"].verdict

    assert getattr(found, "state", None) == state
