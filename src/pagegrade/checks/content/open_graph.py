from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Detail, Outcome, Severity

REQUIRED: Final = ("og:title", "og:type", "og:image", "og:url")
SAME: Final = {"og:image:url": "og:image", "og:image:secure_url": "og:image"}


@check(
    id="open-graph",
    title="Open Graph tags",
    severity=Severity.LOW,
    cause="social-tags",
    since="0.1.0",
    states=(
        State("complete", "The page has all Open Graph properties that networks use."),
        State(
            "no_description",
            "The page has the four required Open Graph properties, but no description.",
            loss=0.25,
            title="Add an Open Graph description",
            why="Networks show the shared link without a sentence about the page, or pick one themselves.",
            fix='Add the property: `<meta property="og:description" content="Tables and chairs made of teak.">`.',
        ),
        State(
            "partial",
            "The page lacks some of the required Open Graph properties.",
            loss=0.5,
            title="Complete the Open Graph tags",
            why="Networks fill the gaps with any title or image they find on the page.",
            fix=(
                "Add the missing properties, each with values of this page: `og:title`, `og:type`, `og:image` "
                "and `og:url`."
            ),
        ),
        State(
            "none",
            "The page has no Open Graph properties.",
            loss=1.0,
            title="Add Open Graph tags",
            why="Shared links show a bare URL or any image of the page.",
            fix=(
                "Add the properties to the head of every page, each with its own values:\n\n"
                "```html\n"
                '<meta property="og:title" content="Garden furniture">\n'
                '<meta property="og:type" content="website">\n'
                '<meta property="og:image" content="https://example.com/chair.jpg">\n'
                '<meta property="og:url" content="https://example.com/">\n'
                '<meta property="og:description" content="Tables and chairs made of teak.">\n'
                "```"
            ),
        ),
    ),
    sources=("https://ogp.me/#metadata",),
)
def open_graph(served_document: Document) -> Verdict:
    """Open Graph properties control what a shared link to the page looks like.

    ## What it checks

    The four properties that the protocol requires, `og:title`, `og:type`, `og:image` and `og:url`, and the description
    that most networks show. Each has to be there and not empty; `name` in place of `property` is accepted, as the
    networks do. A missing description costs a quarter, missing required ones half, none at all costs everything. They
    have to be in the HTML as served, because networks do not run scripts.

    About a third of well-known pages have none; it is a low severity, as only shared links suffer.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta property="og:title" content="Garden furniture">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta property="og:title" content="Garden furniture">
    <meta property="og:type" content="website">
    <meta property="og:image" content="https://example.com/chair.jpg">
    <meta property="og:url" content="https://example.com/">
    <meta property="og:description" content="Tables and chairs made of teak.">
    ```
    """
    found: dict[str, Meta] = {}
    for meta in served_document.metas:
        for name in (meta.property, meta.name):
            if name.startswith("og:") and meta.content.strip():
                found.setdefault(SAME.get(name, name), meta)
    missing = [name for name in REQUIRED if name not in found]
    described = "og:description" in found
    present = [name for name in (*REQUIRED, "og:description") if name in found]
    evidence = tuple(
        served_document.evidence(found[name], reason=f"{name}: {found[name].content.strip()[:150]}") for name in present
    )
    value = ", ".join(present) or None
    if not missing:
        return Outcome("complete" if described else "no_description", value=value, evidence=evidence)
    absent = (*missing, *(() if described else ("og:description",)))
    return Outcome(
        "partial" if found else "none",
        value=value,
        evidence=evidence,
        details=tuple(Detail(code="missing_property", actual=name) for name in absent),
        message=f"The page lacks {', '.join(absent)}." if found else "",
    )
