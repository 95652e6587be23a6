from pagegrade.checks._check import State, check
from pagegrade.checks._robots_rules import placed_rules
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity
from pagegrade.parse.http.robots_directives import PRODUCT_BOTS


@check(
    id="nofollow-page",
    title="Page-level nofollow",
    severity=Severity.LOW,
    since="0.1.0",
    cause="noindex",
    states=(
        State("follow", "Search engines may follow the links of the page."),
        State(
            "nofollow",
            "The page asks search engines to follow none of its links.",
            loss=0.5,
            title="Page asks search engines to follow no links",
            why="Pages that are linked from nowhere else are found late or never.",
            fix=(
                "Remove `nofollow` from the robots meta tag or the `X-Robots-Tag` header. To exclude a single "
                'link, use `rel="nofollow"` on that link.'
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",),
)
def nofollow_page(document: Document, response: Response) -> Outcome:
    """A `nofollow` rule for the whole page keeps search engines from following all its links.

    ## What it checks

    The robots meta tags and the `X-Robots-Tag` headers of the page's own answer for the rule `nofollow`, and for
    `none`, which is short for `noindex` and `nofollow`. Beside a `noindex` rule it costs nothing more. Rules for
    crawlers that are no known search engine's, or that work for one of its services only, do not count.
    `rel="nofollow"` of single links is another thing and has a check of its own.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="index, nofollow">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="index, follow">
    ```
    """
    found = [
        rule
        for rule in placed_rules(document, response)
        if rule.directive.name == "nofollow" and rule.directive.bot not in PRODUCT_BOTS
    ]
    if not found:
        return Outcome("follow")
    return Outcome(
        "nofollow",
        value=", ".join(dict.fromkeys(rule.text for rule in found))[:200],
        evidence=tuple(rule.evidence(document) for rule in found[:MAX_EVIDENCE]),
        total=len(found),
    )
