from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.page_links import path_and_query

GOOD_PX: Final = 180
_RELS: Final = frozenset({"apple-touch-icon", "apple-touch-icon-precomposed"})


@check(
    id="apple-touch-icon",
    title="Apple touch icon",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("present", "The page declares an Apple touch icon."),
        State("absent", "The page declares no Apple touch icon."),
        State(
            "unsuitable",
            "The Apple touch icon cannot be loaded, or is not a square PNG of 180 pixels or more.",
            title="Replace the Apple touch icon",
            why="On the home screen a small icon looks blurred, and a missing one is replaced by a letter.",
            fix=(
                "Provide a PNG of 180 by 180 pixels without transparent corners:\n\n"
                "```html\n"
                '<link rel="apple-touch-icon" href="/apple-touch-icon.png">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://developer.apple.com/library/archive/documentation/AppleApplications/Reference/SafariWebContent/"
        "ConfiguringWebApplications/ConfiguringWebApplications.html",
    ),
)
def apple_touch_icon(document: Document, resources: Resources | NotGathered) -> Outcome:
    """Phones and tablets from Apple show this icon when the page is added to the home screen.

    ## What it checks

    `<link rel="apple-touch-icon">`. Where the file was fetched, at least one of the icons should arrive as a square PNG
    of 180 pixels or more; elsewhere none should be an SVG by its name, which these devices do not draw. A missing icon
    is no fault: devices then look for `/apple-touch-icon.png`, which is not requested here, or show a small picture of
    the page. About two of five well-known pages name none. This check costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="apple-touch-icon" href="/apple-touch-icon.png">
    ```
    """
    links = [link for link in document.links if not _RELS.isdisjoint(link.rel) and link.url is not None]
    if not links:
        return Outcome("absent", value=0)
    fetched = {} if isinstance(resources, NotGathered) else resources.by_url()
    faults = [
        Offender(link.node, _fault(url, fetched.get(url.partition("#")[0])), url=url)
        for link in links
        if (url := link.url or "")
    ]
    good = any(not fault.reason for fault in faults)
    return Outcome(
        "present" if good else "unsuitable", value=len(links), evidence=evidence_of(document, faults), total=len(faults)
    )


def _fault(url: str, resource: Resource | None) -> str:
    """Describe the problem of an icon; "" if there is none, or if it was not fetched and its name shows none."""
    if resource is None or resource.response is None:
        ending = path_and_query(url)[0].rpartition(".")[2].lower()
        return f"{ending} instead of png" if ending == "svg" else ""
    if resource.response.status >= 400:
        return f"status {resource.response.status}"
    image = resource.image
    if image is None:
        return "no image"
    if image.format != "png":
        return f"{image.format} instead of png"
    if image.width_px is None or image.height_px is None:
        return ""
    size = f"{image.width_px} x {image.height_px} pixels"
    return size if image.width_px != image.height_px or image.width_px < GOOD_PX else ""
