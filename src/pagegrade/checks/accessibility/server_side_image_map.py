from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="server-side-image-map",
    title="Image maps on the server",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "No link sends the place of a click on an image."),
        State("used", "Links send the place of a click on an image."),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/keyboard.html",
        "https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-ismap",
    ),
)
def server_side_image_map(document: Document, accessibility: Accessibility) -> Outcome:
    """With `ismap`, a link tells the server where in the image the mouse was clicked.

    ## What it checks

    Images with `ismap` inside links with a URL that are not hidden; anywhere else the attribute does nothing. It
    is shown and costs nothing.

    ## Why it matters

    Without a mouse there is no place of a click: the keyboard cannot choose anything.

    ## How to fix

    Use `usemap` with a `<map>` of areas, or plain links.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/map"><img src="map.png" alt="Map of our shops" ismap></a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/map"><img src="map.png" alt="Map of our shops"></a>
    ```
    """
    found = [
        Offender(image.node, "the place of a click is all it sends", url=anchor.url or "")
        for anchor, image in accessibility.linked_images
        if "ismap" in image.attrs and anchor.href is not None and not image.hidden
    ]
    return counted(
        document,
        found,
        "none",
        "used",
        "One link sends the place of a click on an image.",
        "{count} links send the place of a click on an image.",
        low=0,
        high=0,
    )
