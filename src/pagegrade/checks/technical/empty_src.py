from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.document import Document, ElementFact, Link, Markup
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.html.markup import names_no_file

FULL_AT: Final = 5
_LOADED: Final = frozenset(
    {"stylesheet", "icon", "apple-touch-icon", "manifest", "preload", "modulepreload", "prefetch"}
)


@check(
    id="empty-src",
    title="URLs that are empty or only a fragment",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("filled", "No image, script, stylesheet, frame or player has a URL that is empty or only a fragment."),
        State(
            "empty",
            "The URLs of images, scripts, stylesheets, frames or players are empty or only a fragment.",
            loss=0.5,
            loss_max=1.0,
            title="Elements whose URL is empty or only a fragment",
            why="The browser shows a broken image or runs nothing, and older ones request the page itself once more.",
            fix="Remove the attribute or the element. For images that a script fills in, leave `src` out.",
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-src",),
)
def empty_src(document: Document, markup: Markup) -> Verdict:
    """An element whose URL is empty, or only a fragment (`#`), loads nothing.

    ## What it checks

    `src=""` on images, graphical buttons, scripts, frames, players with their `<source>` elements and `<embed>`,
    `srcset=""` on the candidates of a `<picture>`, and `href=""` on `<link>` elements. An image with `srcset` is fine,
    since browsers take a candidate; so is `<a href="">`, which links to the page itself. A URL that a script inserts
    later should be left out until then, because HTML allows no empty one. Spaces alone count as empty, and a fragment
    alone (`#`) names the page itself, which is no image, script or stylesheet. `<object>` is not
    evaluated: an empty one shows its content. The first costs half, five cost everything.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="" alt="Green garden chair">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/chair.webp" alt="Green garden chair">
    ```
    """
    offenders: list[ElementFact] = [
        *(image for image in document.images if _is_empty(image, "src") and "srcset" not in image.attrs),
        *(script for script in document.scripts if _is_empty(script, "src") and script.kind in ("classic", "module")),
        *(frame for frame in document.frames if _is_empty(frame, "src") and "srcdoc" not in frame.attrs),
        *(link for link in document.links if _is_empty(link, "href") and (not link.href or _loads(link))),
        *markup.empty_sources,
    ]
    count = len(offenders)
    if not count and not any(
        (
            document.references,
            document.links,
            document.images,
            document.frames,
            [one for one in document.scripts if "src" in one.attrs],
        )
    ):
        return NotApplicable("The page names no files to load.")
    if not count:
        return Outcome("filled")
    return Outcome(
        "empty",
        value=count,
        evidence=tuple(document.evidence(fact) for fact in offenders[:MAX_EVIDENCE]),
        total=count,
        details=(Detail(code="empty_addresses", actual=count, limit=0),),
        loss=offender_loss(count, FULL_AT),
        message=""
        if count > 1
        else "The URL of one image, script, stylesheet, frame or player is empty or only a fragment.",
    )


def _is_empty(fact: ElementFact, attribute: str) -> bool:
    return attribute in fact.attrs and names_no_file(fact.attrs[attribute])


def _loads(link: Link) -> bool:
    """Return whether browsers load what the link names; other relations may lead to a part of the page."""
    return not _LOADED.isdisjoint(link.rel)
