from itertools import islice
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.parse.text_width import column_count, grapheme_count
from pagegrade.parse.words import collapse

MIN_COLUMNS: Final = 50


@check(
    id="meta-description",
    title="Meta description",
    severity=Severity.MEDIUM,
    cause="description",
    since="0.1.0",
    states=(
        State("ok", "The page has a meta description."),
        State(
            "scripted",
            "Only scripts add a meta description.",
            loss=0.25,
            title="Meta description is added by scripts",
            why="Search engines and social networks that run no scripts pick some sentence of the page, or show none.",
            fix="Send the meta description in the HTML: render the page on the server, or when the site is built.",
        ),
        State(
            "short",
            "The meta description is very short.",
            loss=0.5,
            title="Meta description is too short",
            why=(
                "A few words do not use the space below the title, so search engines replace them by a sentence "
                "of the page."
            ),
            fix="Describe the page in one or two sentences of 70 to 160 characters.",
        ),
        State(
            "same_as_title",
            "The meta description repeats the title.",
            loss=0.5,
            title="Meta description repeats the title",
            why="Readers of search results see the same text twice and learn nothing new.",
            fix="Write one or two sentences that say what the title does not.",
        ),
        State(
            "several",
            "The page has several meta descriptions.",
            loss=0.5,
            title="Several meta descriptions",
            why="Search engines choose one of them, which may not be the one you meant.",
            fix='Keep one `<meta name="description">`. A second one often comes from a plugin.',
        ),
        State(
            "in_body",
            "The meta description is in the body instead of the head.",
            loss=0.5,
            title="Meta description is in the body",
            why="Search engines look for it in the head and may ignore it in the body.",
            fix='Move the `<meta name="description">` into the head.',
        ),
        State(
            "empty",
            "The meta description is empty.",
            loss=1.0,
            title="Meta description is empty",
            why="Search engines pick some sentence of the page as the description.",
            fix="Fill the `content` attribute with one or two sentences about this page.",
        ),
        State(
            "missing",
            "The page has no meta description.",
            loss=1.0,
            title="Add a meta description",
            why="Search engines pick some sentence of the page, which is often a menu or a cookie notice.",
            fix=(
                "Add one or two sentences about this page to the head:\n\n"
                "```html\n"
                '<meta name="description" content="Light running shoes in five colors, with free returns for 60 '
                'days.">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/semantics.html#meta-description",
        "https://developers.google.com/search/docs/appearance/snippet",
    ),
)
def meta_description(document: Document, drawn_document: Document | NotGathered) -> Verdict:
    """Search engines may show the meta description below the title of a result.

    ## What it checks

    That the head holds one `<meta name="description">` (any case) with text in it. Warnings: several of them, one that
    repeats the title, one of fewer than 50 characters (wide characters such as Chinese count as two), and one that is
    only in the body. `og:description` is for social networks and no substitute. A page that is
    served without any gets a warning if scripts add one in a browser; without a browser, a page that scripts render is
    not evaluated.

    About a third of well-known pages have none, and can afford it. Other pages gain visitors through it, so the
    severity is medium.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <meta property="og:description" content="Light running shoes in five colors, with free returns for 60 days.">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <meta name="Description" content="Light running shoes in five colors, with free returns for 60 days.">
    ```
    """
    metas = [meta for meta in document.metas if meta.name == "description"]
    in_head = [meta for meta in metas if meta.in_head]
    counted = in_head or metas
    texts = [collapse(meta.content) for meta in counted]
    if not any(texts):
        if isinstance(drawn_document, Document):
            added = drawn_document.meta("description")
            if added is not None and added.content.strip():
                return Outcome(
                    "scripted", value=added.content.strip()[:512], evidence=(drawn_document.evidence(added),)
                )
        elif document.client_rendered:
            return NEEDS_RENDERING
        if not counted:
            return Outcome("missing", details=(Detail(code="descriptions", actual=0, limit=1),))
        return Outcome("empty", value="", evidence=(document.evidence(counted[0]),))
    text = next(text for text in texts if text)
    found = _faults(text, counted, document)
    if not in_head:
        found["in_body"] = ""
    if not found:
        return Outcome("ok", value=text[:512])
    state, *further = found
    first = next(meta for meta in counted if collapse(meta.content))
    return Outcome(
        state,
        value=text[:512],
        evidence=(
            *(document.evidence(first, reason=found[milder], state=milder) for milder in further),
            *(document.evidence(meta) for meta in islice(counted, 90)),
        ),
        total=len(counted) + len(further),
        details=(Detail(code="characters", actual=column_count(text), limit=MIN_COLUMNS),) if state == "short" else (),
        message=found[state],
    )


def _faults(text: str, counted: list[Meta], document: Document) -> dict[str, str]:
    """State -> message, the first one first."""
    found: dict[str, str] = {}
    if len(counted) > 1:
        found["several"] = f"The page has {len(counted)} meta descriptions."
    if document.titles and text.casefold() == document.titles[0].text.casefold():
        found["same_as_title"] = ""
    columns = column_count(text)
    if columns < MIN_COLUMNS:
        # A wide character says as much as two letters, and a count of 29 would look like a mistake beside them.
        found["short"] = f"The meta description is only as wide as {amount(columns, 'character')}."
        if columns == grapheme_count(text):
            found["short"] = f"The meta description has only {amount(columns, 'character')}."
    return found
