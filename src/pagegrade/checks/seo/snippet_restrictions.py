from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._robots_rules import placed_rules
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity
from pagegrade.parse.http.robots_directives import RobotsDirective

_ALWAYS: Final = frozenset({"nosnippet", "noarchive", "nocache", "noimageindex"})
_VALUES: Final = {"max-snippet": "0", "max-image-preview": "none", "max-video-preview": "0"}
"""Rules with a value -> the value that forbids altogether."""


@check(
    id="snippet-restrictions",
    title="Snippet restrictions",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("open", "Search engines may show text and images of the page."),
        State(
            "restricted",
            "The page limits what search engines may show of it.",
            title="Search snippets are restricted",
            why="A result without a description or an image is clicked less often.",
            fix=(
                "Keep the rules if you chose them. Otherwise remove them from the robots meta tag, the "
                "`X-Robots-Tag` header or the setting of the extension that adds them."
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",),
)
def snippet_restrictions(document: Document, response: Response) -> Outcome:
    """Some robots rules forbid search engines to show text, images or a copy of the page.

    ## What it checks

    The robots meta tags and `X-Robots-Tag` headers for `nosnippet`, `noarchive`, `nocache`, `noimageindex`,
    `max-snippet:0`, `max-image-preview:none` and `max-video-preview:0`. Larger values are no limit worth naming. It is
    informative and costs nothing: publishers choose such limits deliberately. Parts of the text that are marked with
    `data-nosnippet` are not counted.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="nosnippet">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="max-snippet:-1, max-image-preview:large">
    ```
    """
    found = [rule for rule in placed_rules(document, response) if _restricts(rule.directive)]
    if not found:
        return Outcome("open")
    return Outcome(
        "restricted",
        value=", ".join(dict.fromkeys(rule.text for rule in found))[:200],
        evidence=tuple(rule.evidence(document) for rule in found[:MAX_EVIDENCE]),
        total=len(found),
    )


def _restricts(directive: RobotsDirective) -> bool:
    return directive.name in _ALWAYS or _VALUES.get(directive.name) == directive.value.strip().lower()
