from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._main_image import main_image
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document, Image
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.html.srcset import parse_srcset
from pagegrade.parse.url import join_url, strip_fragment

MAX_PRELOADS: Final = 100


@check(
    id="lcp-image-priority",
    title="Fetch priority of the main image",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("high", "The main image is requested early."),
        State(
            "auto",
            "The main image has no fetch priority and is not preloaded.",
            title="Raise the priority of the main image",
            why=(
                "Browsers load images with low priority until layout shows that they are visible, so the image that "
                "visitors wait for (Largest Contentful Paint) starts late."
            ),
            fix=(
                'Add `fetchpriority="high"` to the large image at the top, and to no other:\n\n'
                "```\n"
                '<img src="/hero.webp" alt="The garden in May" width="1200" height="600" fetchpriority="high">\n'
                "```"
            ),
        ),
        State(
            "low",
            "The main image has a low fetch priority.",
            title="Main image has a low fetch priority",
            why="The browser loads everything else before the image that visitors wait for.",
            fix='Replace `fetchpriority="low"` on the large image at the top by `fetchpriority="high"`.',
        ),
    ),
    sources=(
        "https://web.dev/articles/fetch-priority",
        "https://html.spec.whatwg.org/multipage/urls-and-fetching.html#fetch-priority-attributes",
    ),
)
def lcp_image_priority(
    document: Document, resources: Resources | NotGathered, rendering: Rendering | NotGathered
) -> Verdict:
    """The largest image of the first screen should be requested before the other images.

    ## What it checks

    Whether the main image has `fetchpriority="high"`, or is preloaded by a `<link>` in the page. Where a browser drew
    the page, the main image is the largest element that it painted. Otherwise it is probably the first of the first
    five visible images that is large (300 x 200 pixels or more, by its attributes or, where it was fetched, by its
    file) and in no menu. This is informative and costs nothing. An image that is loaded lazily is left out, because
    another check covers that. Preloads in response headers are not seen.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/hero.webp" alt="The garden in May" width="1200" height="600">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/hero.webp" alt="The garden in May" width="1200" height="600" fetchpriority="high">
    ```
    """
    main, known_as = main_image(document, resources, rendering)
    if main is None:
        if known_as:
            return NotApplicable("The page has no large image near its beginning.")
        return NotApplicable("The largest element that was painted is no image of the HTML.")
    if main.lazy:
        return NotApplicable("The main image is loaded lazily.")
    priority = main.attrs.get("fetchpriority", "").strip().lower()
    priority = priority if priority in {"high", "low"} else "auto"
    preloaded = _is_preloaded(document, main)
    return Outcome(
        "high" if priority == "high" or preloaded else priority,
        value=main.url,
        evidence=(document.evidence(main, reason=known_as, url=main.url or ""),),
        details=(
            Detail(code="fetchpriority", actual=priority, limit="high"),
            Detail(code="preloaded", actual="yes" if preloaded else "no"),
        ),
    )


def _is_preloaded(document: Document, image: Image) -> bool:
    """Find out whether a link preloads one of the files that browsers may choose for the image."""
    wanted = {strip_fragment(url) for url in image.candidates}
    links = [link for link in document.links if "preload" in link.rel and link.attrs.get("as", "").lower() == "image"]
    for link in links[:MAX_PRELOADS]:
        named = [written for written, _ in parse_srcset(link.attrs.get("imagesrcset", ""))]
        urls = [link.url, *(join_url(document.base_url, written) for written in named)]
        if any(url is not None and strip_fragment(url) in wanted for url in urls):
            return True
    return False
