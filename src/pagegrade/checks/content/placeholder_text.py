import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document, Node
from pagegrade.model.outcome import Outcome, Severity

MAX_FOUND: Final = 1_000
_LATIN: Final = "lorem ipsum"
_WHOLE: Final = frozenset({"undefined", "[object object]", "nan", "null undefined", "undefined undefined"})
"""Words that scripts and templates write where a value was missing, and that are no text of their own."""
_MARKER: Final = re.compile(r"\{\{[^{}]{1,80}\}\}|\{%[^{}%]{1,80}%\}|<%=?[^<>%]{1,80}%>|\$\{[A-Za-z_][\w.]{0,60}\}")
_TODO: Final = re.compile(r"(?:TODO|TBD|FIXME)(?::|$)|\[?insert (?:text|title|content|description) here\]?$")


@check(
    id="placeholder-text",
    title="Placeholder text",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=True,
    states=(
        State("none", "The page contains no placeholder text."),
        State(
            "some",
            "The page contains placeholder text.",
            loss=0.5,
            title="Placeholders left in the page",
            why="The page looks neglected, and search results show the placeholders.",
            fix="Write the missing text, and look in the template for the value that is not set.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def placeholder_text(document: Document) -> Outcome:
    """Filler text and template placeholders are meant to be replaced before the page is published.

    ## What it checks

    Paragraphs and headings for "lorem ipsum"; headings, links and paragraphs whose whole text is a value that was
    missing, such as "undefined"; paragraphs that begin with "TODO:" or "TBD"; and the title, the description and, where
    the page has no scripts, its headings for markers of templates such as `{{ title }}`. Code is full of such markers,
    so nothing else is searched for them. A page whose title is about lorem ipsum is not flagged.

    ## Why it matters

    The page looks neglected, and search results show the placeholders.

    ## How to fix

    Write the missing text, and look in the template for the value that is not set.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>Our chairs are made of teak.</p>
    ```
    """
    return counted(
        document,
        list(islice(_found(document), MAX_FOUND)),
        "none",
        "some",
        "One placeholder is left in the page.",
        "{count} placeholders are left in the page.",
        low=0.5,
        high=0.5,
    )


def _found(document: Document) -> Iterator[Offender]:
    for node, text in _named_texts(document):
        if ("{" in text or "<%" in text) and _MARKER.search(text):
            yield Offender(node, "holds a marker of a template", text)
    latin = not _is_about_latin(document)
    for heading in document.headings:
        if not heading.hidden and (_is_missing(heading.text) or (latin and _LATIN in heading.text.lower())):
            yield Offender(heading.node, "holds a placeholder", heading.text)
    # Most pages end here: what a paragraph says is part of the text.
    latin = latin and _LATIN in document.folded_text
    for paragraph in document.paragraphs:
        text = paragraph.text
        if _is_missing(text) or _TODO.match(text) or (latin and _LATIN in text.lower()):
            yield Offender(paragraph.node, "holds a placeholder", text)
    for anchor in document.anchors:
        if not anchor.hidden and _is_missing(anchor.text):
            yield Offender(anchor.node, "holds a placeholder", anchor.text, anchor.url or "")


def _named_texts(document: Document) -> Iterator[tuple[Node, str]]:
    """Texts in which no code is shown; scripts may still fill in what the body says."""
    for title in document.titles:
        yield title.node, title.text[:1_000]
    for meta in document.metas:
        if meta.name == "description":
            yield meta.node, meta.content[:1_000]
    if not document.scripts:
        for heading in document.headings:
            if not heading.hidden:
                yield heading.node, heading.text[:1_000]


def _is_missing(text: str) -> bool:
    return len(text) < 30 and text.lower() in _WHOLE


def _is_about_latin(document: Document) -> bool:
    return any("lorem" in title.text.lower() for title in document.titles)
