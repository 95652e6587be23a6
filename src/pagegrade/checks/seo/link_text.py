import unicodedata
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.data.link_phrases import has_phrases, is_generic_phrase
from pagegrade.parse.html.single_elements import is_cited, language_around, words_before
from pagegrade.parse.url import strip_fragment

FULL_AT: Final = 20
_GEOMETRIC: Final = range(0x2190, 0x2C00)
"""Unicode blocks of pointers, technical signs, boxes, shapes and dingbats."""
_ALSO_NAMES: Final = frozenset({"هنا", "כאן"})
"""Words for "here" that are a girl's name and a broadcaster as well: those where no words stand before the link."""
_ALSO_THING: Final = "view"
"""Also a thing, in small letters behind a word or behind one of ``_OF_THINGS``; else it is a button."""
_OF_THINGS: Final = frozenset({"a", "the", "this"})


@check(
    id="link-text",
    title="Link text",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=True,
    states=(
        State("descriptive", "Every link says where it leads."),
        State(
            "generic",
            "Some links do not say where they lead.",
            loss=0.5,
            loss_max=1.0,
            title="Links with generic text",
            why=(
                '"Here" or "Read more" says nothing about the target to search engines or to screen reader '
                "users who navigate from link to link."
            ),
            fix=(
                "Make the words that name the target the link, or complete a short text with a label: "
                '`aria-label="Read more about garden chairs"`.'
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#anchor-text",
        "https://www.w3.org/WAI/WCAG22/Understanding/link-purpose-link-only.html",
    ),
)
def link_text(document: Document, page_links: PageLinks) -> Verdict:
    """Link text should say where the link leads.

    ## What it checks

    Links to other pages whose whole name is a phrase such as "here" or "read more" in the language of the page; where
    the page names no language, in any of about sixty; those whose text is only punctuation or symbols; and those whose
    name is their absolute URL, which is read out letter by letter. On a page in another language, for which no such
    phrases are known, only the latter two are found, and nothing is said when there are none. In a `<cite>` or a list
    of sources, such as `class="references"`, a URL is fine. The name that assistive technology reads counts, so a label
    or a hidden word that completes the phrase is enough. Tags such as "#info", paths and other single words that touch
    a sign of names are none; "# Read more" is one. The single word "go" is no such phrase here, because it is also a
    name, "view" is none behind an article ("a view" is a thing), and the Arabic and Hebrew words for "here" are one
    behind other words only. Links with `rel="nofollow"`, jumps within the page and links without any name are left out.
    One such link costs half, twenty cost everything.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Shop</title>
    <p>For our prices click <a href="/prices">here</a>.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Shop</title>
    <p>See <a href="/prices">the prices of our chairs</a>.</p>
    ```
    """
    page_language = document.html.attrs.get("lang", "") if document.html else ""
    own = strip_fragment(document.url)
    found: list[Offender] = []
    evaluated = 0
    for anchor, url, _ in page_links.found:
        name = anchor.name
        if anchor.hidden or not name or "nofollow" in anchor.rel:
            continue
        evaluated += 1
        if _is_generic(anchor, page_language) and strip_fragment(url) != own:
            found.append(Offender(anchor.node, "generic link text", name, url))
        elif _is_signs_only(name) and strip_fragment(url) != own:
            found.append(Offender(anchor.node, "its text is only punctuation or a symbol", name, url))
        elif name.startswith("http") and name.rstrip("/") == url.rstrip("/") and not is_cited(anchor.node):
            found.append(Offender(anchor.node, "is named by its URL alone", name, url))
    if not evaluated:
        return NotApplicable("The page has no links with a text to other pages.")
    if not found and not has_phrases(page_language):
        return NotApplicable("No phrases are known that say nothing in the language of the page.")
    return counted(
        document,
        found,
        "descriptive",
        "generic",
        "One link does not say where it leads.",
        "{count} links do not say where they lead.",
        full_at=FULL_AT,
    )


def _is_generic(anchor: Anchor, page_language: str) -> bool:
    """Return whether the name says nothing in the language of the link, inherited where it has none."""
    if anchor.name in _ALSO_NAMES and not words_before(anchor.node):
        return False
    if anchor.name.casefold() == _ALSO_THING:
        before = words_before(anchor.node)[-1:]
        if before and (anchor.name == _ALSO_THING or before[0].lower() in _OF_THINGS):
            return False
    if "lang" in anchor.attrs:
        return is_generic_phrase(anchor.name, anchor.attrs["lang"])
    if not is_generic_phrase(anchor.name, None):
        return False
    around = language_around(anchor.node)
    return is_generic_phrase(anchor.name, page_language if around is None else around)


def _is_signs_only(name: str) -> bool:
    """Return whether the name consists of punctuation and shapes; emoji have names and do not count."""
    return not name[:1].isalpha() and all(
        sign.isspace()
        or unicodedata.category(sign)[0] == "P"
        or unicodedata.category(sign) == "Sm"
        or (ord(sign) in _GEOMETRIC and unicodedata.category(sign) == "So")
        for sign in name[:200]
    )
