from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Alternates
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, NotRun, Outcome, Severity


@check(
    id="hreflang-return-links",
    title="Language versions that link back",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("returned", "The language versions that were read name this page in turn."),
        State("one_way", "Language versions do not name this page in turn."),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
)
def hreflang_return_links(alternates: Alternates) -> Verdict:
    """Search engines believe that two pages are versions of each other only when both say so.

    ## What it checks

    The first five language versions that the page names (`rel="alternate"` with `hreflang`, in the head or in a `Link`
    header) are fetched, and their heads read for a link back to this page. Whether an address has `www.`, a closing
    slash, or HTTP in place of HTTPS makes no difference here. Versions that cannot be read are left out. Sites may also
    name their versions in the sitemap, which is not looked at, so this check costs nothing.

    ## Why it matters

    Without the link back, search engines ignore the statement and may show visitors the wrong language.

    ## How to fix

    Let every version name all versions, itself included, with the same addresses.

    ## Fails on

    ```json alternates
    {
      "items": [{"url": "https://example.com/de/", "status": 200, "links_back": false}],
      "found": 1
    }
    ```

    ## Passes on

    ```json alternates
    {
      "items": [{"url": "https://example.com/de/", "status": 200, "links_back": true}],
      "found": 1
    }
    ```
    """
    if not alternates.found:
        return NotApplicable("The head of the page names no other language versions.")
    read = [page for page in alternates.items if page.links_back is not None]
    if not read:
        return NotRun("probe", "None of the language versions could be read.")
    silent = [page for page in read if not page.links_back]
    return Outcome(
        "one_way" if silent else "returned",
        value=f"{len(silent)} of {len(read)}" if silent else f"{len(read)} of {alternates.found}",
        evidence=tuple(Evidence(url=page.url, reason="does not name this page") for page in silent[:MAX_EVIDENCE]),
        total=len(silent),
        message=_message(len(silent)),
    )


def _message(silent: int) -> str:
    """The finding with its number; "" where there is none."""
    if not silent:
        return ""
    who = "One language version does" if silent == 1 else f"{silent} language versions do"
    return f"{who} not name this page in turn."
