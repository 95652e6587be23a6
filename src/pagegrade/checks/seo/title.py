import re
from itertools import islice
from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity

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
        "nan",
        "new page",
        "new tab",
        "no title",
        "none",
        "null",
        "object object",
        "page",
        "page title",
        "react app",
        "site title",
        "startseite",
        "title",
        "unbenannt",
        "undefined",
        "untitled",
        "untitled document",
        "untitled page",
        "vite app",
        "website",
        "welcome",
    }
)
"""Titles that editors and templates insert when no one has written one."""
_TEMPLATE: Final = re.compile(
    r"\{\{[^{}]{0,200}\}\}|\{%[^{}]{0,200}%\}|<%[^<>]{0,200}%>|\$\{[^{}]{0,200}\}|<\?(?:php|=)"
    r"|\[object Object\]|%[A-Z][A-Z_]{2,40}%|%%[a-z_]{2,40}%%|(?<![\w])(?:translation missing:|NaN(?: ?[€$£¥₹]|$))"
)
"""A placeholder that no template engine has filled in."""
_FILE: Final = re.compile(
    r"[^\s/\\]{1,100}\.(?:aspx?|avif|cfm|docx?|gif|html?|indd|jpe?g|jspx?|md|odt|pages|pdf|php[3-7]?|png|pptx?|rtf|shtml|"
    r"svg|tiff?|txt|webp|xhtml|xlsx?)",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)


@check(
    id="title",
    title="Page title",
    severity=Severity.HIGH,
    cap=Cap(69),
    cause="title",
    since="0.1.0",
    states=(
        State("ok", "The page has a title."),
        State(
            "scripted",
            "Only scripts add a title.",
            loss=0.25,
            title="Title is added by scripts",
            why=(
                "Social networks, many AI services and some search engines run no scripts and show the URL in place "
                "of a title."
            ),
            fix="Send the `<title>` in the HTML: render the page on the server, or when the site is built.",
        ),
        State(
            "generic",
            "The title says nothing about the page.",
            loss=0.5,
            title="Title is generic",
            why=(
                'A title such as "Home" or "Untitled" gives people no reason to click the result and does not '
                "distinguish the page from others."
            ),
            fix=(
                "Name the subject of this page first and the site last: `<title>Red running shoes - Example "
                "Shop</title>`."
            ),
        ),
        State(
            "url",
            "The title is a URL or the name of a file.",
            loss=0.5,
            title="Title is a URL or a file name",
            why="A URL or a file name says nothing about the subject of the page in search results and tabs.",
            fix="Name the subject of this page first and the site last.",
        ),
        State(
            "unfilled",
            "The title contains a placeholder that was not filled in.",
            loss=0.5,
            title="Title contains an unfilled placeholder",
            why="Search results and tabs show the code of a template instead of the subject of the page.",
            fix="Correct the template or the variable, so that the server sends the finished title.",
        ),
        State(
            "several",
            "The page has several titles.",
            loss=0.5,
            title="Several titles",
            why="Browsers use the first, search engines may use either.",
            fix=(
                "Keep one `<title>` in the head. A second one often comes from a plugin or an inline SVG that "
                "was not closed."
            ),
        ),
        State(
            "in_body",
            "The title is in the body instead of the head.",
            loss=0.5,
            title="Title is in the body",
            why="Search engines look for the title in the head and may ignore it elsewhere.",
            fix="Move the `<title>` into the head.",
        ),
        State(
            "empty",
            "The title is empty.",
            loss=1.0,
            title="Title is empty",
            why="Tabs show the URL, search engines make up a title, and screen readers have nothing to announce.",
            fix="Name the subject of this page in the `<title>` element.",
        ),
        State(
            "missing",
            "The page has no title.",
            loss=1.0,
            title="Add a title",
            why=(
                "Tabs show the URL, search engines make up a title, and screen readers have nothing to announce. The "
                "title is among the most important signals for ranking."
            ),
            fix=(
                "Put one `<title>` into the head:\n\n"
                "```html\n"
                "<title>Red running shoes for women - Example Shop</title>\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/semantics.html#the-title-element",
        "https://www.w3.org/WAI/WCAG22/Understanding/page-titled.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/2779a5/",
        "https://developers.google.com/search/docs/appearance/title-link",
    ),
)
def title(document: Document, drawn_document: Document | NotGathered) -> Verdict:
    """The title names the page in search results, tabs and bookmarks, and screen readers announce it first.

    ## What it checks

    That the head holds exactly one `<title>` with text in it. Titles of SVGs do not count. Warnings: more than one
    title (browsers use the first), a title that is only in the body, one that editors and templates insert, such as
    "Untitled", "Home" or "undefined", one with a placeholder that no template engine has filled in (`{{ title }}`), and
    one that is nothing but a URL or the name of a file (`index.html`). A page that is
    served without a title gets a warning if scripts add one in a browser; without a browser, a page that scripts render
    is not evaluated.

    WCAG requires only a first title with text, wherever it is. HTML allows exactly one in the head, and search engines
    may take either of two, so this is a warning.

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
        if isinstance(drawn_document, Document):
            added = next((title for title in drawn_document.titles if title.text), None)
            if added is not None:
                return Outcome("scripted", value=added.text[:512], evidence=(drawn_document.evidence(added),))
        elif document.client_rendered:
            return NEEDS_RENDERING
        if first is None:
            return Outcome("missing", details=(Detail(code="titles", actual=0, limit=1),))
        return Outcome("empty", value="", evidence=(document.evidence(first),))
    value = first.text[:512]
    of_text = _state_of_text(value)
    states = [
        *(["several"] if len(titles) > 1 else []),
        *([] if first.in_head else ["in_body"]),
        *([] if of_text == "ok" else [of_text]),
    ]
    if not states:
        return Outcome("ok", value=value)
    state, *further = states
    listed = titles if state == "several" else [first]
    return Outcome(
        state,
        value=value,
        evidence=(
            *(document.evidence(first, state=milder) for milder in further),
            *(document.evidence(found) for found in islice(listed, 90)),
        ),
        total=len(listed) + len(further),
        details=(Detail(code="titles", actual=len(titles), limit=1),) if state == "several" else (),
        message=f"The page has {len(titles)} titles; browsers use the first." if state == "several" else "",
    )


def _state_of_text(text: str) -> str:
    """Return whether a person has written it."""
    if text.casefold().strip(" .!-|[]") in _GENERIC:
        return "generic"
    if _TEMPLATE.search(text):
        return "unfilled"
    return "url" if _FILE.fullmatch(text) or _URL.fullmatch(text) else "ok"
