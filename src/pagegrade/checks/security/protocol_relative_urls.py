from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Reference
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="protocol-relative-urls",
    title="Protocol-relative URLs",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("explicit", "No URL of the page is protocol-relative."),
        State(
            "relative",
            "URLs of the page are protocol-relative.",
            title="Protocol-relative URLs",
            why=(
                "Where the page is opened over plain HTTP or saved to disk, such a file is loaded unencrypted "
                "or not at all."
            ),
            fix="Write `https:` in front of the two slashes.",
            counted=True,
        ),
    ),
    sources=("https://url.spec.whatwg.org/#scheme-relative-special-url-string",),
)
def protocol_relative_urls(document: Document) -> Outcome:
    """A URL that begins with two slashes takes its protocol from the page.

    ## What it checks

    Images, scripts, stylesheets, frames, other files and links whose URL in the HTML begins with `//`. On a page
    over HTTPS they are reached over HTTPS, so the check is informative and costs nothing, on more than half of
    well-known pages: most of them were written before everything was on HTTPS.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="//cdn.example.net/lib.js"></script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="https://cdn.example.net/lib.js"></script>
    ```
    """
    found = [
        Offender(reference.node, f"{reference.kind} without a protocol", url=reference.url)
        for reference in document.references
        if _is_relative(reference)
    ]
    found += [
        Offender(anchor.node, "link without a protocol", url=anchor.url or "")
        for anchor in document.anchors
        if (href := anchor.href) and (href[0] == "/" or href[0].isspace()) and href.lstrip().startswith("//")
    ]
    return Outcome(
        "relative" if found else "explicit", value=len(found), evidence=evidence_of(document, found), total=len(found)
    )


def _is_relative(reference: Reference) -> bool:
    """Return whether the attribute begins with two slashes (of a list of candidates: the first; stylesheets: never)."""
    if reference.attribute == "style" or (reference.attribute == "srcset" and reference.alternative):
        return False
    return reference.attrs.get(reference.attribute, "").lstrip().startswith("//")
