from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Alternates
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, NotRun, Outcome, Severity


@check(
    id="hreflang-return-links",
    title="hreflang return links",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("returned", "The language versions that were read link back to this page."),
        State(
            "one_way",
            "Language versions do not link back to this page.",
            title="Language versions without a return link",
            why="Search engines ignore `hreflang` annotations that are not confirmed by the other page.",
            fix=(
                "Let each of these versions list this page with the same URL. If the sitemap of the site "
                "declares the versions, nothing needs to be done."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
)
def hreflang_return_links(alternates: Alternates) -> Verdict:
    """Search engines accept two pages as versions of each other only when both link to each other.

    ## What it checks

    The first five language versions that the page names (`rel="alternate"` with `hreflang`, in the head or in a `Link`
    header) are fetched, and their heads read for a link back to this page. Whether a URL has `www.`, a trailing slash,
    or HTTP in place of HTTPS makes no difference here. Versions that cannot be read are left out. Sites may also name
    their versions in the sitemap, which is not looked at, so this check costs nothing.

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
        return NotApplicable("The head of the page declares no other language versions.")
    read = [page for page in alternates.items if page.links_back is not None]
    if not read:
        return NotRun("probe", "None of the language versions could be read.")
    silent = [page for page in read if not page.links_back]
    return Outcome(
        "one_way" if silent else "returned",
        value=f"{len(silent)} of {len(read)}" if silent else f"{len(read)} of {alternates.found}",
        evidence=tuple(
            Evidence(url=page.url, reason="does not link back to this page") for page in silent[:MAX_EVIDENCE]
        ),
        total=len(silent),
        message=_message(len(silent)),
    )


def _message(silent: int) -> str:
    """The finding with its number; "" where there is none."""
    if not silent:
        return ""
    if silent == 1:
        return "One language version does not link back to this page."
    return f"{silent} language versions do not link back to this page."
