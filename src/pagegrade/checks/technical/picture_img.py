from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.markup import Markup
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="picture-img",
    title="picture elements without img",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("whole", "Every picture element contains an image."),
        State(
            "bare",
            "Picture elements contain no image.",
            loss=0.5,
            loss_max=1.0,
            title="Picture elements without an img",
            why="Without the `<img>` browsers show nothing, whatever the `<source>` elements offer.",
            fix="Put an `<img>` with a file for all browsers and an alternative text at the end of the element.",
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/embedded-content.html#the-picture-element",),
)
def picture_img(document: Document, markup: Markup) -> Outcome:
    """A `<picture>` element shows nothing by itself: it only chooses the file for the `<img>` inside it.

    ## What it checks

    `<picture>` elements without an `<img>` inside. Those with a `<noscript>` are left out, because a script usually
    puts the image in their place. The first costs half, ten cost everything.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <picture><source srcset="/chair.avif" type="image/avif"></picture>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <picture><source srcset="/chair.avif" type="image/avif"><img src="/chair.jpg" alt="Green garden chair"></picture>
    ```
    """
    found = [Offender(picture.node, "no img inside") for picture in markup.bare_pictures]
    return counted(
        document,
        found,
        "whole",
        "bare",
        "One picture element contains no image.",
        "{count} picture elements contain no image.",
    )
