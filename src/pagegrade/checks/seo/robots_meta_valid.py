from collections.abc import Mapping
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._robots_rules import robots_declarations
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity

_REASONS: Final[Mapping[str, str]] = {
    "unknown": "No search engine knows this rule.",
    "value": "Search engines do not understand this value, and ignore the rule.",
    "name": "No crawler has this name, so none reads the rules.",
}


@check(
    id="robots-meta-valid",
    title="Rules of robots meta tags",
    severity=Severity.LOW,
    since="0.1.0",
    cause="noindex",
    states=(
        State("known", "Search engines know every rule of the robots meta tags and headers."),
        State(
            "ignored",
            "Robots meta tags or headers contain rules that search engines ignore.",
            loss=1.0,
            title="Robots rules that search engines ignore",
            why=(
                "Search engines skip a rule that they do not know, so the page is indexed, followed or shown as if the "
                "rule were not there."
            ),
            fix=(
                "Correct the spelling of the listed rules and separate rules by commas:\n\n"
                "```html\n"
                '<meta name="robots" content="noindex, nofollow">\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",),
)
def robots_meta_valid(document: Document, response: Response) -> Verdict:
    """Search engines skip the rules of a robots meta tag that they do not know.

    ## What it checks

    The robots meta tags (`robots`, and those with the name of a search engine's crawler) and the `X-Robots-Tag` headers
    of the page's own answer. Rules are separated by commas. A rule that no search engine documents, such as `no-index`
    or `noindex/nofollow`, has no effect, and neither has one with a value that is not understood, such as
    `max-snippet:many` or an `unavailable_after` without a readable date. A tag whose name is almost that of a crawler
    (`robot`), or a list of names, is read by none. Words that only say what holds anyway, such as `archive`, are
    fine, and so are rules for programs that are no search engine's.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="no-index; nofollow">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="index, follow, max-image-preview:large">
    ```
    """
    declarations = list(robots_declarations(document, response))
    if not declarations:
        return NotApplicable("The page has no robots meta tag and no X-Robots-Tag header.")
    found = [(source, ignored) for source, rules in declarations for ignored in rules.ignored]
    if not found:
        return Outcome("known", value=len(declarations))
    return Outcome(
        "ignored",
        value=", ".join(dict.fromkeys(ignored.text for _, ignored in found))[:200],
        evidence=tuple(
            _evidence(document, source, ignored.text, _REASONS[ignored.why]) for source, ignored in found[:MAX_EVIDENCE]
        ),
        total=len(found),
    )


def _evidence(document: Document, source: Meta | str, text: str, reason: str) -> Evidence:
    if isinstance(source, Meta):
        return document.evidence_at(source.node, reason, value=text)
    return Evidence(header="X-Robots-Tag", snippet=source[:200], value=text, reason=reason)
