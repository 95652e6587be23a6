"""Facts behind ``hacked-page``: bounded work, and each kind by its own marks."""

from __future__ import annotations

import pytest

from pagegrade.model.document import Document
from pagegrade.parse.html.concealed_text import find_concealed_text
from pagegrade.parse.html.injected_content import MAX_DEPTH, Injection, find_injections, foreign_links
from pagegrade.parse.party import Parties
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

PARTIES = Parties("example.com", frozenset({"examplecdn.net"}))
LINK = "<a href=https://a.example/>casino</a>"


def found_in(document: Document) -> tuple[Injection, ...]:
    """The findings in a document."""
    return find_injections(document, PARTIES, find_concealed_text(document), foreign_links(document, PARTIES))


def kinds(html: str) -> list[str]:
    """The kinds of findings in a page."""
    return [one.kind for one in found_in(make_document(html))]


@pytest.mark.parametrize(
    "source",
    [
        "eval(atob('eA=='))",
        "eval(String.fromCharCode(118,97,114,32,97))",
        "var s=String.fromCharCode(" + ",".join(["104"] * 12) + ");document.write(s)",
        "eval(unescape('" + "%61" * 40 + "'))",
        "setTimeout(atob('eA=='))",
    ],
)
def test_disguised_scripts(source: str) -> None:
    """Code that is decoded and run at once."""
    assert kinds(f"<title>x</title><script>{source}</script>") == ["disguised-script"]


def test_script_that_hides_an_address_and_what_opens_it() -> None:
    """Each string of it is written in escapes."""
    location, address = (
        "".join(f"\\x{ord(one):02x}" for one in text) for text in ("location", "https://evil.example/")
    )

    assert kinds(f"<title>x</title><script>window['{location}']='{address}'</script>") == ["disguised-address"]
    assert kinds(f"<title>x</title><script>var a='{address}'</script>") == []


def test_frames_of_the_site_itself_may_be_invisible() -> None:
    """On its own domain and its delivery network."""
    frame = "<iframe width=1 height=1 src=https://{}/></iframe>"

    assert kinds(frame.format("static.example.com")) == []
    assert kinds(frame.format("examplecdn.net")) == []
    assert kinds(frame.format("evil.example")) == ["invisible-frame"]


@pytest.mark.parametrize(("between", "found"), [(MAX_DEPTH - 2, ["hidden-link"]), (MAX_DEPTH - 1, [])])
def test_ancestors_are_looked_at_up_to_a_depth(between: int, found: list[str]) -> None:
    """At the limit and one past it."""
    html = "<div style='left:-9999px'>" + "<div>" * between + LINK + "</div>" * between + "</div>"

    assert kinds(f"<title>x</title>{html}") == found


@pytest.mark.parametrize(
    ("before", "part", "after", "count"),
    [
        ("<style>", ".a{", "", 60_000),
        ("<script>", "String.fromCharCode(11,", "", 9_000),
        ("<div style='", "width:0;", f"'>{LINK}", 20_000),
        ("<div>" * 400, LINK, "", 3_000),
        ("<script>", "getElementById('a", "", 12_000),
    ],
)
def test_hostile_markup_costs_linear_time(before: str, part: str, after: str, count: int) -> None:
    """Every search is bounded."""
    least = count // 4
    documents = {n: make_document(f"<title>x</title>{before}{part * n}{after}") for n in (least, 2 * least, 4 * least)}

    assert growth(lambda n: found_in(documents[n]), least) <= MAX_RATIO


@pytest.mark.parametrize(
    "words",
    [
        *"Viagra KAMAGRA|buy cialis now|without a prescription|Canadian pharmacy|cheap meds|cheap uggs".split("|"),
        *"слоты казино|КАЗИНО|オンラインカジノ|博彩|slot gacor|Betting tips|situs judi|1xBet|pin-up bet".split("|"),
        *"Букмекер|ставки на спорт|payday loans|Займ онлайн|replica watches|激安|スーパーコピー".split("|"),
        *"write my paper|buy essay|PORN|xxx videos|escorts|sex chat|sexcam|порно|クレジットカード現金化".split("|"),
        *"ca\u017fino|CAS\u0130NO|cas\u0131no|blac\u212ajac\u212a".split("|"),
    ],
)
def test_hidden_links_for_such_goods_are_found_in_any_case(words: str) -> None:
    """Whatever the quick search for parts of the words leaves out, it leaves out none of them."""
    html = f"<p>Oak benches</p><div style=left:-300px><a href=https://a.example/>{words}</a></div>"

    assert kinds(html) == ["hidden-link"]


def test_hidden_links_without_such_words_are_left_alone() -> None:
    """A place just off the screen is where menus wait."""
    assert kinds("<p>Oak</p><div style=left:-300px><a href=https://a.example/>Oak benches</a></div>") == []
