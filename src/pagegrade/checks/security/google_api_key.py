from collections.abc import Sequence
from itertools import islice

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._exposed_keys import exposed_keys
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity
from pagegrade.parse.html.exposed_secrets import ExposedSecret


@check(
    id="google-api-key",
    title="Google API key",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "No Google API key was found in the page or its scripts."),
        State(
            "shown",
            "The page or its scripts contain a Google API key.",
            title="Google API keys to restrict",
            why=(
                "Keys for maps and Firebase are meant to be in pages, but one without restrictions can be used by "
                "other sites, and for other services of the same project, at the owner's expense."
            ),
            fix=(
                "In the Google Cloud console, restrict each key to the site's own URLs and to the services that "
                "the page uses."
            ),
            counted=True,
        ),
    ),
    sources=("https://cloud.google.com/docs/authentication/api-keys#securing",),
)
def google_api_key(
    document: Document, exposed_secrets: Sequence[ExposedSecret], resources: Resources | NotGathered
) -> Verdict:
    """A Google API key in a page is public by design and has to be restricted.

    ## What it checks

    The HTML as served and the site's own scripts that were fetched for Google API keys. Keys for maps and Firebase are
    meant to be sent to browsers, so a key is no fault. Whether it is restricted cannot be seen from outside and is not
    tried. It is informative and costs nothing. Keys are shown masked, and those that the page shows as code are left
    out.

    ## Fails on

    ```html
    <!doctype html><title>Our shops</title>
    <script src="https://maps.googleapis.com/maps/api/js?key=AIza\x53yB3kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1" async></script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Our shops</title>
    <img src="/map.png" alt="Map of our shops">
    ```
    """  # noqa: D301 - the escape keeps what looks like a key out of this file
    found = [key for key in exposed_keys(document, exposed_secrets, resources) if key.group == "public"]
    return Outcome(
        "shown" if found else "none",
        value=len(found),
        evidence=tuple(key.evidence for key in islice(found, MAX_EVIDENCE)),
        total=len(found),
    )
