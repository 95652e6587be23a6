from collections.abc import Iterator
from itertools import islice

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.model.document import Document, ElementFact
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.url import is_http, same_site


@check(
    id="unsafe-cross-origin-links",
    title="Links with rel=opener",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("safe", "No link gives another site access to this page's window."),
        State(
            "opener",
            'Links to other sites give them access to this page\'s window with rel="opener".',
            loss=0.75,
            title="Links with rel=opener to other sites",
            why=(
                "The other site can replace this page, for example by a copy of the login form, while the "
                "visitor looks at the new window."
            ),
            fix='Remove `rel="opener"`.',
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/links.html#link-type-noopener",
        "https://html.spec.whatwg.org/multipage/links.html#link-type-opener",
    ),
)
def unsafe_cross_origin_links(document: Document, page_links: PageLinks) -> Verdict:
    """A page that is opened in a new window may be able to navigate the window it was opened from.

    ## What it checks

    Links, image map areas and forms with `target="_blank"`, on themselves or from `<base>`, that lead to another site
    (another registered domain). Those with `rel="noopener"` or `rel="noreferrer"`, which implies it, are safe. The
    standard has made `noopener` the default for new windows, and browsers since 2021 follow it, so a link without
    either is safe, too. Only `rel="opener"`, which switches the protection off, is reported. Links inside the site and
    windows that scripts open are not evaluated.

    ## Fails on

    ```html
    <!doctype html><title>Links</title>
    <a href="https://other.test/" target="_blank" rel="opener">Other site</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Links</title>
    <a href="https://other.test/" target="_blank">Other site</a>
    <a href="https://third.test/" rel="opener">Third site</a>
    ```
    """
    default = next((base.attrs["target"] for base in document.bases if "target" in base.attrs), "")
    opener: dict[str, ElementFact] = {}
    destinations = list(_destinations(document, page_links))
    if not destinations:
        return NotApplicable("The page has no link and no form that leads to another site.")
    for element, url, rel in destinations:
        opens = element.attrs.get("target", default).lower() == "_blank" and "opener" in rel
        if opens and "noopener" not in rel and "noreferrer" not in rel:
            opener.setdefault(url, element)
    total = len(opener)
    if not total:
        return Outcome("safe", value=0)
    return Outcome(
        "opener",
        value=total,
        evidence=tuple(
            document.evidence(element, url=url, reason="rel=opener")
            for url, element in islice(opener.items(), MAX_EVIDENCE)
        ),
        total=total,
        details=(Detail(code="opener", actual=total, limit=0),),
    )


def _destinations(document: Document, page_links: PageLinks) -> Iterator[tuple[ElementFact, str, tuple[str, ...]]]:
    """Links and forms that lead to other sites."""
    for anchor, url, internal in page_links.found:
        if not internal:
            yield anchor, url, anchor.rel
    for form in document.forms:
        if is_http(form.url) and not same_site(form.url, document.url):
            yield form, form.url, tuple(form.attrs.get("rel", "").lower().split())
