from __future__ import annotations

import pytest

from pagegrade.model.outcome import Evidence
from pagegrade.render.evidence_rows import facts_of, place, places, shown_thing, table_of
from pagegrade.render.i18n import texts_for


def test_a_place_names_all_that_is_known() -> None:
    """URL, header, selector, line; a header line does not name its header again."""
    evidence = Evidence(url="https://a.test/", selector="img", line=3, header="Link")

    assert place(evidence) == "https://a.test/ · Link · img · line 3"
    assert place(Evidence(header="Server", snippet="Server: x")) == ""


@pytest.mark.parametrize(
    ("evidence", "thing", "where"),
    [
        (Evidence(snippet="<img>", selector="img", line=3, column=9), "", ("img", "line 3:9")),
        (Evidence(snippet='<img src="/a.png">', url="/a.png", line=3), "", ("line 3",)),
        (Evidence(snippet="<img>", url="https://a.test/a.png"), "", ("https://a.test/a.png",)),
        (Evidence(url="https://a.test/a.css", header="Vary"), "https://a.test/a.css", ("Vary",)),
        (Evidence(header="Server", snippet="Server: x"), "", ()),
        (Evidence(header="Server", snippet="x"), "", ("Server",)),
        (Evidence(header="Content-Encoding", value="none"), "Content-Encoding", ()),
        (Evidence(value="5"), "5", ()),
    ],
)  # fmt: skip
def test_an_evidence_is_a_thing_at_a_place(evidence: Evidence, thing: str, where: tuple[str, ...]) -> None:
    """Nothing stands in both columns."""
    assert shown_thing(evidence) == thing
    assert places(evidence) == where


def test_an_evidence_that_is_only_a_word_is_about_that_word() -> None:
    """A column that is empty beside "in the text: oak" does not say what is in the text."""
    word = Evidence(value="oak", reason="in the text")
    file = Evidence(url="https://a.test/a.png", value="12 bytes", reason="png")

    assert (shown_thing(word), facts_of(word, "oak")) == ("oak", "in the text")
    assert (shown_thing(file), facts_of(file, file.url)) == ("https://a.test/a.png", "png · 12 bytes")


def test_lines_are_named_in_the_words_that_are_handed_in() -> None:
    """A German page has no "line"."""
    (row,) = table_of([Evidence(snippet="<img>", line=3)], texts_for("de")).rows

    assert row.places == ("Zeile 3",)
