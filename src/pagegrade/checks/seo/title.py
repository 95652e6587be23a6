from itertools import islice
from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity

_GENERIC: Final = frozenset(
    {
        "default",
        "document",
        "example",
        "home",
        "home page",
        "homepage",
        "index",
        "my site",
        "my website",
        "new page",
        "new tab",
        "no title",
        "page",
        "page title",
        "react app",
        "site title",
        "startseite",
        "title",
        "unbenannt",
        "untitled",
        "untitled document",
        "untitled page",
        "vite app",
        "website",
        "welcome",
    }
)
"""What editors and templates write when nobody has written a title."""


@check(
    id="title",
    title="Title",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("ok", "The page has a title."),
        State("generic", "The title says nothing about the page.", loss=0.5),
        State("several", "The page has several titles.", loss=0.5),
        State("in_body", "The title stands in the body instead of the head.", loss=0.5),
        State("empty", "The title is empty.", loss=1.0),
        State("missing", "The page has no title.", loss=1.0),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/semantics.html#the-title-element",
        "https://www.w3.org/WAI/WCAG22/Understanding/page-titled.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/2779a5/",
        "https://developers.google.com/search/docs/appearance/title-link",
    ),
)
def title(document: Document) -> Verdict:
    """The title names the page in search results, tabs and bookmarks, and screen readers say it first.

    ## What it checks

    That the head holds exactly one `<title>` with text in it. Titles of drawings (`<svg>`) do not count. Warnings: more
    than one title (browsers use the first), a title that only stands in the body, and one that editors and templates
    put there, such as "Untitled" or "Home". A page that scripts draw and that has no title when it is served is not
    judged.

    WCAG is content with a first title that has text, wherever it stands and whatever follows. HTML is not, and search
    engines may take either of two, so this is a warning here.

    ## Why it matters

    The title is what people read and click in a list of results, and what they find the page by among twenty tabs.

    ## How to fix

    Put one `<title>` that says what this page is about into the head.

    Say the special thing first and the name of the site last:

    ```html
    <title>Red running shoes for women - Example Shop</title>
    ```

    ## Fails on

    ```html
    <!doctype html>
    <head><meta charset="utf-8"></head>
    <svg><title>A drawing</title></svg>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <head><title>Red running shoes - Example Shop</title></head>
    <svg><title>A drawing</title></svg>
    ```
    """
    titles = document.titles
    first = titles[0] if titles else None
    if first is None or not first.text:
        if document.client_rendered:
            return NotApplicable(NEEDS_RENDERING)
        if first is None:
            return Outcome("missing", details=(Detail(code="titles", actual=0, limit=1),))
        return Outcome("empty", value="", evidence=(document.evidence(first),))
    value = first.text[:512]
    if len(titles) > 1:
        return Outcome(
            "several",
            value=value,
            evidence=tuple(document.evidence(found) for found in islice(titles, 100)),
            total=len(titles),
            details=(Detail(code="titles", actual=len(titles), limit=1),),
            message=f"The page has {len(titles)} titles; browsers use the first.",
        )
    if not first.in_head:
        return Outcome("in_body", value=value, evidence=(document.evidence(first),))
    if first.text.casefold().strip(" .!-|") in _GENERIC:
        return Outcome("generic", value=value, evidence=(document.evidence(first),))
    return Outcome("ok", value=value)
