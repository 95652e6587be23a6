from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document, Markup
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="picture-img",
    title="picture elements without img",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("whole", "Every picture element contains an image."),
        State(
            "ignored",
            "Picture elements contain sources that browsers ignore.",
            loss=0.25,
            loss_max=0.5,
            title="Sources of a picture that browsers ignore",
            why="Browsers choose among the `<source>` elements before the `<img>`, by their `srcset` alone.",
            fix="Move the `<source>` elements before the `<img>`, and name their files in `srcset`.",
            counted=True,
        ),
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
def picture_img(document: Document, markup: Markup) -> Outcome | NotApplicable:
    """A `<picture>` element shows nothing by itself: it only chooses the file for the `<img>` inside it.

    ## What it checks

    `<picture>` elements without an `<img>` inside. Those with a `<noscript>` are left out, because a script usually
    puts the image in their place. The first costs half, ten cost everything. A `<source>` behind the `<img>`, or with a
    `src` in place of the `srcset`, is never used; the first costs a quarter, ten cost half.

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
    if not markup.pictures:
        return NotApplicable("The page has no picture elements.")
    found = [Offender(picture.node, "no img inside") for picture in markup.bare_pictures]
    ignored = [
        Offender(source.node, "behind the img" if "srcset" in source.attrs else "no srcset")
        for source in markup.ignored_sources
    ]
    if ignored and not found:
        return counted(
            document,
            ignored,
            "whole",
            "ignored",
            "Browsers ignore one source of a picture element.",
            "Browsers ignore {count} sources of picture elements.",
            low=0.25,
            high=0.5,
        )
    return counted(
        document,
        found,
        "whole",
        "bare",
        "One picture element contains no image.",
        "{count} picture elements contain no image.",
        lesser={"ignored": ignored},
    )
