from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Link, Meta
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.http.robots_directives import BOT_NAMES


@check(
    id="metas-in-body",
    title="Head elements in the body",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("in_head", "Elements that describe the page are in its head."),
        State(
            "in_body",
            "Elements that describe the page are in its body.",
            loss=1.0,
            title="Head elements that end up in the body",
            why=(
                "Search engines ignore most of these elements in the body, so the page may have no description, "
                "canonical URL or language versions for them."
            ),
            fix=(
                "Move the listed elements into the head. If the source has them there already, something above them "
                "ended the head early, often an `<iframe>`, `<img>` or `<div>` of an analytics snippet: move that "
                "into the body."
            ),
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/semantics.html#the-meta-element",),
)
def metas_in_body(document: Document) -> Verdict:
    """Elements that describe the page for search engines count only in the head.

    ## What it checks

    Whether a description, a rule for crawlers, a canonical URL or a link to another language version ended up in the
    body once a browser has read the page. Browsers end the head at the first element that is not allowed there, and
    that element is named. Meta elements of structured data (`itemprop`) belong in the body and do not count.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <div id="tracker"></div>
    <meta name="description" content="Garden furniture made of teak.">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="description" content="Garden furniture made of teak.">
    <div id="tracker"></div>
    ```
    """
    describing: list[Meta | Link] = [
        meta
        for meta in document.metas
        if "itemprop" not in meta.attrs and (meta.name in {"description", "robots"} or meta.name in BOT_NAMES)
    ]
    describing += [
        link
        for link in document.links
        if "itemprop" not in link.attrs
        and ("canonical" in link.rel or ("alternate" in link.rel and "hreflang" in link.attrs))
    ]
    if not describing:
        return NotApplicable("The page has no elements that describe it for search engines.")
    found = [Offender(one.node, "is in the body") for one in describing if not one.in_head]
    if not found:
        return Outcome("in_head", value=0)
    closer = document.head_closed_by
    message = ""
    if closer is not None:
        ended = "Text ended the head early" if closer == "text" else f"The element <{closer}> ended the head early"
        message = f"{ended}, so that {len(found)} of its elements ended up in the body."
    return Outcome(
        "in_body", value=len(found), evidence=evidence_of(document, found), total=len(found), message=message
    )
