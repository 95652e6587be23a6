from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity


@check(
    id="server-side-image-map",
    title="Server-side image maps",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "No link uses a server-side image map."),
        State(
            "used",
            "Links use server-side image maps.",
            title="Server-side image maps",
            why="Keyboard and screen reader users cannot choose a position in the image.",
            fix="Use `usemap` with a `<map>` of areas, or ordinary links.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/keyboard.html",
        "https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-ismap",
    ),
)
def server_side_image_map(document: Document, accessibility: Accessibility) -> Verdict:
    """With `ismap`, a link sends the position of the click in the image to the server.

    ## What it checks

    Images with `ismap` inside links with a URL that are not hidden; anywhere else the attribute does nothing. It is
    informative and costs nothing.

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
    if not accessibility.linked_images:
        return NotApplicable("No link of the page contains an image.")
    found = [
        Offender(image.node, "sends only the position of the click", url=anchor.url or "")
        for anchor, image in accessibility.linked_images
        if "ismap" in image.attrs and anchor.href is not None and not image.hidden
    ]
    return counted(
        document,
        found,
        "none",
        "used",
        "One link uses a server-side image map.",
        "{count} links use server-side image maps.",
        low=0,
        high=0,
    )
