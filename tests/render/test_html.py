from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
import turbohtml
from jinja2 import UndefinedError
from msgspec.structs import replace

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import AppliedCap, Preview, Report, Withheld
from pagegrade.render.finding_texts import Untranslated
from pagegrade.render.html import Unindented, environment, render_html
from pagegrade.render.i18n import LOCALES
from pagegrade.report.compare import compare_reports
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report

PAYLOADS = [
    "<script>alert(1)</script>",
    "</title></style></script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "'><img src=x onerror=alert(1)>",
    " onmouseover=alert(1) x=",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "java\nscript:alert(1)",
    "</style><link rel=stylesheet href=//evil.test/x.css>",
    "{{7*7}}${7*7}<%=7*7%>{% raw %}",
    "red;background:url(//evil.test/p)",
    "\u202e\u2066\x1b[31m\x00\ud800",
    "<iframe srcdoc='<script>x</script>'></iframe><base href=//evil.test/><form action=//evil.test/>",
    "<!--",
    'https://evil.test/"onclick=alert(1)',
]
FORBIDDEN = {
    "script",
    "iframe",
    "object",
    "embed",
    "base",
    "form",
    "input",
    "img",
    "video",
    "audio",
    "template",
    "foreignobject",
}


@pytest.mark.parametrize("tag", LOCALES)
def test_values_are_escaped_in_every_language(tag: str) -> None:
    """Also inside a message, where they are filled in."""
    made = environment(tag).from_string('{{ value }}{{ _("Score %(score)s of 100", score=value) }}')

    assert "<b>" not in made.render(value="<b>")
    assert "&lt;b&gt;" in made.render(value="<b>")


def test_messages_without_values_are_translated_while_a_template_is_compiled() -> None:
    """And escaped like any other text: no message is markup."""
    made = environment("de")
    shown = {"{{ _('Where it was seen') }}": "Wo es gesehen wurde", "{{ _('5 < 6, 100 %%') }}": "5 &lt; 6, 100 %"}

    assert {source: made.from_string(source).render() for source in shown} == shown
    assert [source for source in shown if "gettext" in str(made.compile(source, raw=True))] == []


def test_what_is_missing_is_an_error() -> None:
    """A page with a gap in it would go unnoticed."""
    with pytest.raises(UndefinedError):
        environment("en").from_string("{{ nothing }}").render()


def test_only_other_languages_mark_what_is_english() -> None:
    """Texts that the catalogue does not have are English on every page."""
    mark = "{{ known|en }}{{ unknown|en }}"

    def marks(tag: str) -> str:
        return environment(tag).from_string(mark).render(known="Titel", unknown=Untranslated("Title"))

    assert (marks("en"), marks("de")) == ("", ' lang="en"')


def test_indentation_of_templates_is_left_out_and_that_of_values_kept() -> None:
    """Code that a report shows has its own."""
    plain = Unindented(environment("en")).preprocess("<ul>\n    <li>\n", None)
    shown = environment("en").from_string("  <pre>{{ code }}</pre>").render(code="if x:\n    y")

    assert plain == "<ul>\n<li>\n"
    assert shown == "<pre>if x:\n    y</pre>"


def elements(text: str) -> list[turbohtml.Element]:
    """Every element a browser would make."""
    root = turbohtml.parse(text.encode(), encoding="utf-8", scripting=True).root
    if root is None:
        raise AssertionError("the document is empty")
    return [root, *root.iter_elements()]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_is_inert(payload: str) -> None:
    """No script, no handler, no form, no foreign style, no link but http and https, whatever a page holds."""
    text = render_html([poisoned_report(payload), make_failed_report()])
    found = elements(text)

    assert not FORBIDDEN & {element.tag.lower() for element in found}
    for element in found:
        for name, value in element.attrs.items():
            lowered = name.lower()
            assert not lowered.startswith("on")
            assert lowered not in {"style", "srcdoc", "src", "srcset", "action", "formaction", "xlink:href"}
            if lowered == "href":
                own = element.tag == "link" or str(value).startswith(("#page-", "#f"))
                assert own or str(value).startswith(("https://", "http://"))

    assert [element.tag for element in found].count("style") == 1
    assert [element.tag for element in found].count("link") == 1


@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_changes_no_structure(payload: str) -> None:
    """The elements are the same as for harmless text, links aside."""

    def shape(report: Report) -> list[str]:
        skipped = {"a", "bdi", "code", "pre", "span"}
        return [element.tag for element in elements(render_html([report])) if element.tag not in skipped]

    assert shape(poisoned_report(payload)) == shape(poisoned_report("harmless text"))


def test_the_policy_allows_exactly_our_style_sheet() -> None:
    """Even if something got through, a browser would neither run, load nor style it."""
    text = render_html([make_report()])
    found = elements(text)
    policy = next(e.attrs["content"] for e in found if e.attrs.get("http-equiv") == "Content-Security-Policy")
    style = next(element for element in found if element.tag == "style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()

    assert f"style-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none'")
    assert "unsafe" not in str(policy)


def test_the_style_sheet_loads_nothing() -> None:
    """Self-contained means that a mail program can show it."""
    style = next(element.text for element in elements(render_html([make_report()])) if element.tag == "style")

    assert re.search(r"url\(|@import|expression\(", style) is None


def test_every_control_character_is_shown_as_an_escape() -> None:
    """An override cannot turn a line around."""
    text = render_html([poisoned_report("a\u202eb\x1b")])

    assert "\u202e" not in text
    assert r"a\u202eb\x1b" in text


@pytest.mark.parametrize(
    "reports",
    [[make_report()], [make_failed_report()], [make_report(), make_failed_report()], [make_report(make_passed())]],
    ids=["one", "failed", "several", "nothing found"],
)
def test_the_document_is_sound(reports: list[Report]) -> None:
    """One main heading, a language, a title, unique ids, references that lead somewhere, named images."""
    found = elements(render_html(reports))
    ids = [str(element.attrs["id"]) for element in found if "id" in element.attrs]
    labels = {part for element in found for part in str(element.attrs.get("aria-labelledby", "")).split()}

    assert found[0].attrs["lang"] == "en"
    assert [element.tag for element in found].count("h1") == 1
    assert [element.tag for element in found].count("main") == 1
    assert next(element.text for element in found if element.tag == "title").strip()
    assert len(ids) == len(set(ids))
    assert labels <= set(ids)
    for element in found:
        href = str(element.attrs.get("href", ""))
        assert not href.startswith("#") or href[1:] in ids
        if element.tag == "svg":
            named = element.attrs.get("role") == "img" and element.attrs.get("aria-label")
            assert named or element.attrs.get("aria-hidden") == "true"


def test_the_report_says_everything() -> None:
    """Verdict, score, categories, findings, the rest, the way the score came to be, the page."""
    text = render_html([make_report()])

    for part in (
        "This page is decent",
        'aria-label="Score 79 of 100"',
        "Fix first",
        "costs 4 points",
        "Show 2 more",
        "9 more are not listed",
        "Strict-Transport-Security",
        "The handshake was not answered in time.",
        "at most 79",
        "First byte",
        "ruleset 2026.12",
        "As a search result",
        "Weight by type",
        "2 response headers",
    ):
        assert part in text


def test_a_failed_page_has_a_way_out_and_no_score() -> None:
    """The reason and the steps, nothing that looks like a grade."""
    text = render_html([make_failed_report("blocked")])

    assert "What to do" in text
    assert 'aria-label="No score"' in text
    assert "Fix first" not in text


def test_a_page_without_a_grade_is_not_called_unanalyzed() -> None:
    """The title says what the report says, and names no figure."""
    report = make_report(
        withheld=Withheld(kind="parked_domain", message="Parked.", fix="Buy it."),
        score=None,
        result=None,
        uncapped_score=None,
        caps=(),
        categories={},
    )

    assert "<title>https://example.com/pricing: no grade · Pagegrade</title>" in render_html([report])


def test_the_difference_from_a_baseline_is_shown() -> None:
    """New and fixed findings have their own card."""
    before, after = make_report(make_passed("a")), make_report(make_result("a"))

    assert "Compared with the baseline" in render_html([after], comparisons=[compare_reports(before, after)])


def test_a_baseline_that_cannot_say_all_says_why() -> None:
    """Other rules, another page behind the address, and what got worse."""
    weak = make_result("csp", evidence=(), state="weak", lost=0.5)
    before = make_report(weak, make_passed("b", outcome="not_evaluated"), final_url="https://example.com/login")
    after = make_report(make_result("csp", evidence=(), state="missing"), make_passed("b"))
    other = replace(after, run=replace(after.run, ruleset="2027.1"))
    text = render_html([after], comparisons=[compare_reports(before, after)])

    assert "The URL led to another page than before." in text
    assert "worse than before:" in text
    assert "</bdi>. <bdi>The check could not be evaluated in the older report.</bdi>" in text
    assert "The two are not compared. Different rules evaluated the page" in render_html(
        [other], comparisons=[compare_reports(before, other)]
    )


def test_what_costs_nothing_names_its_places() -> None:
    """The reader of "one link redirects" learns which link it is."""
    places = tuple(Evidence(url=f"https://example.com/{number}", reason="status 301") for number in range(1, 8))
    noted = make_passed(
        "link-redirects", outcome="informative", importance="informative", evidence=places, fix="Link to the final URL."
    )
    text = render_html([make_report(replace(noted, evidence_total=7))])

    assert "https://example.com/5<" in text
    assert "https://example.com/6<" not in text
    assert "2 more are not listed." in text


@pytest.mark.parametrize(("path", "is_hidden"), [("/", True), ("/pricing", False)])
def test_search_result_names_the_host_once(path: str, *, is_hidden: bool) -> None:
    """The line of the address says nothing where the name of the site is the address itself."""
    report = make_report(final_url=f"https://example.com{path}")
    page = report.page and replace(report.page, preview=Preview())
    shown = render_html([replace(report, page=page)])

    assert ('class="crumbs-shown" hidden' in shown) is is_hidden


def test_score_view_counts_findings_of_the_same_cause() -> None:
    """A cause has no name for readers; how many findings share it stands with the one that is charged."""
    results = (
        make_result("title", lost=4.0, cause="title"),
        make_result("title-length", lost=0.0, cause="title", counted_in="title"),
        make_result("image-weight", lost=2.5, cause="image-bytes"),
    )
    table = render_html([make_report(*results)]).partition('<table class="losses')[2].partition("</table>")[0]

    assert table.count('<span class="pill">') == 1
    assert "+1 with the same cause" in table
    assert "image-bytes" not in table


@pytest.mark.parametrize(
    ("severities", "words"),
    [
        (("critical", "high", "low"), ["critical and high", "low"]),
        (("critical", "medium"), ["critical", "medium"]),
        (("high",), ["high"]),
    ],
)
def test_the_legend_of_the_score_has_one_entry_for_each_color(severities: tuple[str, ...], words: list[str]) -> None:
    """Critical and high findings have the same one."""
    results = [make_result(f"check-{name}", importance=name) for name in severities]
    legend = render_html([make_report(*results)]).partition('<p class="legend quiet">')[2].partition("</p>")[0]

    assert re.findall(r">lost to ([a-z ]+) findings<", legend) == words


def test_a_finding_that_limits_the_score_says_so_in_the_list() -> None:
    """Nothing else explains why it stands before findings of more points; screen readers read it with the points."""
    results = (make_result("https", lost=4.0), make_result("title", lost=9.0))
    report = make_report(*results, caps=(AppliedCap(check="https", max_score=49),))
    first, second = re.findall(r"<summary>.*?</summary>", render_html([report]))[:2]

    assert '<span class="pill" aria-hidden="true">score at most 49</span>' in first
    assert "at most 49 of 100 with it" in first
    assert "at most" not in second


@pytest.mark.parametrize(
    ("withheld", "sentence"),
    [
        (None, "No check found anything that costs points."),
        (
            Withheld(kind="parked", message="Parked.", fix="Buy it."),
            "The checks that could be evaluated found nothing.",
        ),
    ],
)
def test_report_without_findings_speaks_of_points_only_with_a_score(withheld: Withheld | None, sentence: str) -> None:
    """A report whose score is withheld has no costs."""
    scores: dict[str, Any] = (
        {} if withheld is None else {"score": None, "result": None, "uncapped_score": None, "categories": {}}
    )
    report = make_report(make_passed("title"), withheld=withheld, caps=(), **scores)

    assert sentence in render_html([report])


def test_names_of_a_comparison_stand_once_and_without_their_number() -> None:
    """A finding of which two places are new is one, named once; how many places it has in all is not claimed new."""
    places = [Evidence(selector=f"img:nth-of-type({number})") for number in (1, 2, 3)]
    titled = {"title": "Images without alternative text"}
    before = make_report(make_result("image-alt", evidence=tuple(places[:1]), count=1, **titled))
    after = make_report(make_result("image-alt", evidence=tuple(places), count=3, **titled))
    card = render_html([after], comparisons=[compare_reports(before, after)]).partition("Compared with the baseline")[2]
    new = card.partition("<li>")[2].partition("</li>")[0]

    assert "<strong>1</strong>" in new
    assert new.count("Images without alternative text") == 1
    assert "text: 3" not in new
