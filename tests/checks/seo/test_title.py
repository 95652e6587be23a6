"""Tests of the check title."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.title import title
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import outcome, run

SHELL = '<!doctype html><head><meta charset=utf-8>{}</head><body><div id="root"></div><script src="/app.js"></script>'


def found(head: str = "", body: str = "<p>Some text of the page.") -> Outcome:
    """The finding of the check for a page with that head and body."""
    return outcome(title, f"<!doctype html><html><head>{head}</head><body>{body}")


def test_one_title_passes() -> None:
    """White space collapses and entities are decoded."""
    result = found("<title>\n  Shoes &amp;\n Boots </title>")

    assert (result.state, result.value) == ("ok", "Shoes & Boots")


def test_missing_title_fails() -> None:
    """No title is the worst state."""
    assert found().state == "missing"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "&#32;"])
def test_empty_title_fails(text: str) -> None:
    """White space is no title."""
    assert found(f"<title>{text}</title>").state == "empty"


def test_title_of_a_drawing_does_not_count() -> None:
    """An SVG names itself, neither in place of the page's title nor beside it."""
    svg = "<svg><title>Logo</title></svg>" * 3

    assert found(body=svg).state == "missing"
    assert found("<title>Shoes</title>", svg).state == "ok"


def test_several_titles_warn_with_their_number() -> None:
    """The first one is used; all are shown."""
    result = found("<title>Shoes</title><title>Boots</title>")

    assert (result.state, result.value, len(result.evidence), result.total) == ("several", "Shoes", 2, 2)


def test_empty_first_title_hides_the_second() -> None:
    """Browsers take the first title element, also when it is empty."""
    assert found("<title></title><title>Boots</title>").state == "empty"


def test_title_in_the_body_warns() -> None:
    """It still names the page, so it does not count as missing."""
    assert found(body="<p>x<title>Shoes</title>").state == "in_body"


@pytest.mark.parametrize("text", ["Home", "UNTITLED", "Untitled Document", "Document", "Welcome!", "React App"])
def test_title_of_a_template_warns(text: str) -> None:
    """The default title of an editor says nothing."""
    assert found(f"<title>{text}</title>").state == "generic"


@pytest.mark.parametrize("text", ["Home of the brave", "Documents", "Home - Example Shop"])
def test_generic_words_in_a_real_title_pass(text: str) -> None:
    """Only the whole title is compared."""
    assert found(f"<title>{text}</title>").state == "ok"


def test_commented_title_does_not_count() -> None:
    """A comment, a script and a template are no markup of the page."""
    html = "<!-- <title>a</title> --><script>var t = '<title>b</title>'</script><template><title>c</title></template>"

    assert found(html).state == "missing"


def test_title_set_by_a_script_is_not_evaluated() -> None:
    """A shell without a title may get one when it is drawn; a title it has is evaluated."""
    assert isinstance(run(title, SHELL.format("")), NotRun)
    assert outcome(title, SHELL.format("<title>Shoes</title>")).state == "ok"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("undefined", "generic"),
        ("NULL", "generic"),
        ("{{ page.title }} - Shop", "unfilled"),
        ("&lt;%= title %&gt;", "unfilled"),
        ("%PAGE_TITLE%", "unfilled"),
        ("${title}", "unfilled"),
        ("[object Object]", "generic"),
        ("[object Object] | Shop", "unfilled"),
        ("index.html", "url"),
        ("IMG_2034.jpg", "url"),
        ("Flyer_final.pdf", "url"),
        ("https://example.com/shop", "url"),
        ("www.example.com", "url"),
        ("What undefined means in JavaScript", "ok"),
        ("100% cotton shirts, 50% off", "ok"),
        ("Node.js and index.html explained", "ok"),
        ("Example.com", "ok"),
    ],
)
def test_what_a_template_or_a_program_wrote_is_no_title(text: str, state: str) -> None:
    """Placeholders, names of files and URLs; words that merely mention one are fine."""
    assert outcome(title, f"<title>{text}</title>").state == state
