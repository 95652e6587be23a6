from collections.abc import Mapping
from itertools import islice
from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.checks._robots_rules import placed_rules
from pagegrade.model.artifacts import NotGathered, Resources, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.assets import lost_files
from pagegrade.parse.html.main_content import stead_of
from pagegrade.parse.html.unclosed import find_beginnings, find_break
from pagegrade.parse.html.visible_content import shows_nothing
from pagegrade.parse.http.robots_directives import ALL_BOTS
from pagegrade.parse.likeness import is_about_another

_STATES: Final[Mapping[str, str]] = {
    "hidden": "hidden",
    "locked": "locked",
    "cover": "covered",
    "piled": "piled",
    "swallowed": "swallowed",
    "frame": "framed",
    "document": "document",
    "picture": "picture",
    "waiting": "waiting",
    "apps": "apps",
    "unwritten": "unwritten",
    "nothing": "missing",
}
_UNREAD: Final = (
    "Search engines file the text under another URL, visitors on phones cannot fit it to their screen, and "
    "assistive technology reads little of it."
)


@check(
    id="main-content",
    title="Main content",
    severity=Severity.CRITICAL,
    since="0.1.0",
    visible_only=True,
    states=(
        State("present", "The page has content of its own."),
        State(
            "hidden",
            "The main content of the page is hidden.",
            loss=1.0,
            title="The main content is hidden",
            why="Visitors see the header and the footer, and search engines rate hidden text low.",
            fix=(
                "Find the rule or element that hides the main content, or the script that should show it, and correct "
                "it."
            ),
        ),
        State(
            "locked",
            "The page's own rules keep visitors from scrolling or from pressing anything.",
            loss=1.0,
            title="The page is locked",
            why="Visitors cannot reach what is below the first window, or cannot follow a link or fill in a field.",
            fix=(
                "Remove `overflow: hidden` or `pointer-events: none` from `<html>` and `<body>`, and `inert` from the "
                "main part. Set them only while a dialog is open, and take them off when the dialog closes."
            ),
        ),
        State(
            "covered",
            "A layer covers the whole page, with nothing to press, fill in or follow.",
            loss=1.0,
            title="A layer without a way out covers the page",
            why="Visitors cannot read or use what is below the layer, and leave.",
            fix="Give the layer a button that closes it, or remove it.",
        ),
        State(
            "piled",
            "The parts of the page lie on one another.",
            loss=1.0,
            title="Text lies over text",
            why="Visitors see lines over lines and cannot read any of them, or only the part that lies on top.",
            fix="Give each part a place of its own in the grid, or remove `grid-area` and `grid-row` from it.",
        ),
        State(
            "swallowed",
            "An element or a comment that is never closed takes the rest of the page for its text.",
            loss=1.0,
            title="An unclosed element swallows the page",
            why=(
                "Visitors see the source of the page, or nothing of the rest of it: links, forms and pictures behind "
                "it do not exist."
            ),
            fix=(
                "Close the listed element, or the comment in it, or remove it where it is one that is obsolete, such "
                "as `<plaintext>`."
            ),
        ),
        State(
            "broken-off",
            "The page, or each of its texts, breaks off in the middle.",
            loss=1.0,
            title="The page breaks off in the middle",
            why="Visitors never get the rest: text, forms and links behind the break do not exist.",
            fix=(
                "Look into the log of the server for the program that ended there, a limit of time or memory, or a "
                "cache that kept half an answer, and compare the `Content-Length`."
            ),
        ),
        State(
            "other",
            "The text says nothing of what the title, the main heading and the description name.",
            loss=1.0,
            title="The text is about something else than its title",
            why=(
                "Visitors do not get what they came for: the text belongs to another page, is in another language "
                "than the rest, or was replaced."
            ),
            fix=(
                "Compare the text with the one that was published, and look for the import, the translation or the "
                "template that put another one there. If no one of yours wrote it, the site was hacked."
            ),
        ),
        State(
            "framed",
            "All the page has is a frame that shows another page.",
            loss=1.0,
            title="All content is in a frame",
            why="Search engines find the text under the URL of the frame, and nothing under that of the page.",
            fix="Put the content into the page itself, or redirect to the page that the frame shows.",
        ),
        State(
            "document",
            "All the page has is a document that is shown inside it.",
            loss=1.0,
            title="All content is in an embedded document",
            why=_UNREAD,
            fix="Publish the text as HTML, and offer the document as a download beside it.",
        ),
        State(
            "picture",
            "All the page has is a picture.",
            loss=1.0,
            title="All content is in a picture",
            why=(
                "Search engines and assistive technology cannot read text in a picture, and it cannot be selected, "
                "translated or enlarged without a loss."
            ),
            fix="Write the text of the picture into the page, and keep the picture as an illustration.",
        ),
        State(
            "waiting",
            "Most pictures of the page wait for a script that does not run.",
            loss=1.0,
            title="The pictures of the page never load",
            why="Visitors see empty boxes: the addresses of the pictures are where only the missing script finds them.",
            fix='Write the addresses into `src` and `srcset`, with `loading="lazy"`, or restore the script.',
        ),
        State(
            "apps",
            "All the page offers is to install an app.",
            loss=1.0,
            title="The page only leads to app stores",
            why="Visitors who follow a link or a search result do not get what they came for, and most of them leave.",
            fix="Show the content on the page, and offer the app beside it, for example with a banner.",
        ),
        State(
            "unwritten",
            "There is nothing between the header and the footer of the page.",
            loss=1.0,
            title="The main part of the page is missing",
            why="Visitors see menus and no content, and search engines have nothing to list.",
            fix=(
                "Look for a comment, a `<template>` or a `<noscript>` that holds the content, and for a script that "
                "should write it and does not load."
            ),
        ),
        State(
            "missing",
            "The page has next to nothing of its own to show.",
            loss=1.0,
            title="The page has no content",
            why=(
                "Empty lists, carts and searches that ask to be indexed disappoint visitors, and search engines treat "
                "them as errors that answer with success."
            ),
            fix=(
                "Answer with status 404 where there is nothing, or keep the page out of the index with `noindex` until "
                "it has content."
            ),
        ),
    ),
    cap=Cap(49),
    sources=("https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",),
)
def main_content(  # noqa: PLR0917 - what it names are artifacts
    document: Document,
    response: Response,
    resources: Resources | NotGathered,
    missing_page_share: float | NotGathered,
    rendering: Rendering | NotGathered,
    is_faded: bool,  # noqa: FBT001 - an artifact
) -> Verdict:
    """A page that has nothing of its own to say is of no use to visitors and search engines.

    ## What it checks

    Whether the `<main>` element, what is around it or all the text in it is hidden, on phones alone too, all of it is
    in an element whose content browsers do not draw (a dialog that nothing opens, `<noscript>`, `<canvas>`,
    `<template>`, a `<details>` with a hidden summary), folded to nothing or moved out of the window, where no script
    names it and no rule waits for a class to show it; whether pieces with nearly all of its text are hidden by rules
    until a script shows them, as for an animation, and that script is missing while no other one names their classes or
    brings more; whether the page cannot be scrolled or pressed, or its text is in a fixed box, and no script runs that
    could change that; whether the main part is `inert` without a dialog that is open; whether a layer with nothing to
    operate covers the whole window, by style attributes, the page's own rules and its style sheets (one without text
    only where no script runs that could take it away, and where none runs, buttons do nothing either), or a frame of
    another page does, or bars at its upper and lower edge leave no line of the text, or an empty generated element
    (`::before`) does; whether parts with half of the text lie in one cell of a grid, or stand apart in one place;
    whether a comment, a field, a frame, a style sheet, a script or an obsolete element that is never closed takes the
    rest of the page for its text; whether the answer breaks off in a text or a tag, with two elements around it that
    have to be closed, or with one where the last paragraph stops in a sentence, unlike all others, or links to two
    places in the page lead to none; whether nearly all paragraphs end with an ellipsis and lead nowhere; whether a text
    of 600 characters or more, without code, has not one of six and more words of its title, main heading and
    description; whether everything is in one frame that shows another page, in one embedded document such as a PDF
    file, or in one picture, which is in portrait format or has hardly a word beside it, or in several large ones that
    are declared to say nothing; whether five pictures and more than half of them have their addresses in attributes for
    a script, and none runs; whether a certain page offers nothing but links to app stores; whether there is nothing
    between its header and its footer; and whether there is next to nothing: up to twenty words that the page has not in
    common with what the site answers where nothing can be, and no list, table, picture or form, no four headings and no
    text that a rule hides until a script shows it, or up to sixty where its links lead back only and it names nothing
    of its address; or a few words at most, without a heading, and nothing to see, to follow or to fill in. Text that is
    repeated, tiny pictures and frames, links and fields without a name, and forms that send to other sites are no
    content. Front pages with a heading or links, pages that ask not to be indexed and places that scripts may fill are
    not taken for empty. Such a page scores 49 at most.

    ## Fails on

    ```html
    <!doctype html><html lang="en"><head><title>Menu</title></head><body><h1>Menu</h1>
    <iframe src="/menu.pdf" title="Menu" width="100%" height="900"></iframe></body></html>
    ```

    ## Passes on

    ```html
    <!doctype html><html lang="en"><head><title>Menu</title></head><body><h1>Menu</h1>
    <p>Soup of the day 6.00</p><p>Dumplings with mushrooms 11.50</p><a href="/menu.pdf">Menu as PDF</a></body></html>
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    is_frameset = document.body is None and bool(document.frames)
    names = resources.names_in_scripts() if isinstance(resources, Resources) else {}
    is_hidden = is_faded or document.visibility.hides_page
    if is_hidden or (shows_nothing(document) and not is_frameset):
        return NotApplicable("The page is empty.")
    sizes: dict[str, tuple[int, int]] = {}
    if isinstance(resources, Resources):
        for one in resources.items:
            if one.image is not None and one.image.width_px and one.image.height_px:
                sizes[one.url] = one.image.width_px, one.image.height_px
    share = missing_page_share if isinstance(missing_page_share, float) else 1.0
    items = resources.items if isinstance(resources, Resources) else ()
    found = stead_of(
        document,
        lost=lost_files(resources, response.url) if isinstance(resources, Resources) else (),
        sizes=sizes,
        own_share=share,
        sheets=[one.ink_rules for one in items if one.ink_rules],
        script_names=names,
    )
    if found is None:
        cut = find_break(response.body, document) if response.truncated is None else None
        if cut is not None:
            return Outcome("broken-off", evidence=(document.evidence_at(cut),))
        beginnings = find_beginnings(document)
        if beginnings:
            return Outcome("broken-off", evidence=tuple(map(document.evidence_at, islice(beginnings, MAX_EVIDENCE))))
        if is_about_another(document):
            headings = (one.node for one in document.headings if one.level == 1 and not one.hidden)
            return Outcome("other", evidence=tuple(map(document.evidence_at, islice(headings, 1))))
        return Outcome("present")
    if found.kind == "nothing" and _is_kept_out(document, response):
        return NotApplicable("The page has no content, and asks not to be indexed.")
    if found.scripts_may_add and isinstance(rendering, NotGathered):
        return NEEDS_RENDERING
    return Outcome(_STATES[found.kind], evidence=(document.evidence_at(found.node, url=found.url),))


def _is_kept_out(document: Document, response: Response) -> bool:
    """Return whether the page asks all search engines not to list it."""
    rules = (one.directive for one in placed_rules(document, response))
    return any(one.bot == ALL_BOTS and one.name in {"noindex", "none"} for one in rules)
