from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity

_FORMATS: Final = ("", "4ads", "4email")
_MARKS: Final = frozenset(
    mark + kind for mark in ("amp", "\N{HIGH VOLTAGE SIGN}", "\N{HIGH VOLTAGE SIGN}\ufe0f") for kind in _FORMATS
)


@check(
    id="amp",
    title="AMP",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "The page does not use AMP."),
        State("linked", "The page links to an AMP version."),
        State("document", "The page is an AMP page."),
    ),
    sources=("https://amp.dev/documentation/guides-and-tutorials/optimize-and-measure/discovery",),
)
def amp(document: Document) -> Outcome:
    """AMP is a restricted kind of HTML that search engines used to prefer on phones.

    ## What it checks

    Whether the `<html>` element is marked with `amp` or the lightning sign (or one of them with `4ads` or `4email`),
    and whether the page names an AMP version with `<link rel="amphtml">`. Whether the page follows the rules of AMP is
    not checked; AMP has a validator for that. Since 2021 search results need no AMP, so this is informative and costs
    nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>News</title>
    <link rel="amphtml" href="https://example.com/amp/news">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>News</title>
    ```
    """
    if document.html is not None and not _MARKS.isdisjoint(document.html.attrs):
        return Outcome("document", evidence=(document.evidence(document.html),))
    links = [link for link in document.links if "amphtml" in link.rel and link.url is not None]
    evidence: tuple[Evidence, ...] = tuple(document.evidence(link, url=link.url or "") for link in links[:10])
    return Outcome("linked" if links else "none", value=links[0].url if links else None, evidence=evidence)
