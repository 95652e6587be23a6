from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._main_image import main_image
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering


@check(
    id="lcp-image-lazy",
    title="Lazy loading of the main image",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=True,
    states=(
        State("eager", "The main image is loaded at once."),
        State(
            "lazy",
            "The main image is loaded lazily.",
            loss=0.5,
            title="Main image is lazy-loaded",
            why=(
                "A browser starts to load a lazy image only after layout, so the image that visitors wait for "
                "comes last (Largest Contentful Paint)."
            ),
            fix=(
                'Remove `loading="lazy"` from the large image at the top and raise its priority:\n\n'
                "```\n"
                '<img src="/hero.webp" alt="The garden in May" width="1200" height="600" fetchpriority="high">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://web.dev/articles/optimize-lcp",
        "https://web.dev/articles/lcp-lazy-loading",
    ),
)
def lcp_image_lazy(
    document: Document, resources: Resources | NotGathered, rendering: Rendering | NotGathered
) -> Verdict:
    """The largest image of the first screen should not be loaded lazily.

    ## What it checks

    Whether the main image has `loading="lazy"`, which costs half. Where a browser drew the page, the main image is the
    largest element that it painted. Otherwise it is probably the first of the first five images that is large (300 x
    200 pixels or more, by its attributes or, where it was fetched, by its file). Hidden images, inline `data:` and
    images of a menu are left out.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/hero.webp" alt="The garden in May" width="1200" height="600" loading="lazy">
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
    return Outcome(
        "lazy" if main.lazy else "eager",
        value=main.url,
        evidence=(document.evidence(main, reason=known_as, url=main.url or ""),),
        details=(Detail(code="loading", actual="lazy" if main.lazy else "eager", limit="eager"),),
    )
