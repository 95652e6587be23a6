from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity


@check(
    id="meta-keywords",
    title="Meta keywords",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("absent", "The page has no keywords meta tag."),
        State(
            "present",
            "The page has a keywords meta tag, which search engines ignore.",
            title="Remove the keywords meta tag",
            why="Google has ignored this tag since 2009. It only shows competitors which keywords the page targets.",
            fix='Remove the `<meta name="keywords">` element, unless the site\'s own search uses it.',
        ),
    ),
    sources=("https://developers.google.com/search/blog/2009/09/google-does-not-use-keywords-meta-tag",),
)
def meta_keywords(document: Document) -> Outcome:
    """Search engines ignore the keywords meta tag; competitors can read it.

    ## What it checks

    Whether there is a `<meta name="keywords">` that is not empty. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="keywords" content="chairs, tables">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    ```
    """
    found = [meta for meta in document.metas if meta.name == "keywords" and meta.content.strip()]
    if not found:
        return Outcome("absent")
    return Outcome(
        "present",
        value=found[0].content.strip()[:200],
        evidence=tuple(document.evidence(meta) for meta in found[:MAX_EVIDENCE]),
        total=len(found),
    )
