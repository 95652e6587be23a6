from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._main_image import probable_main_image
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity


@check(
    id="lcp-image-lazy",
    title="Lazy loading of the main image",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=True,
    states=(
        State("eager", "The probable main image is loaded at once."),
        State(
            "lazy",
            "The probable main image is loaded lazily.",
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
def lcp_image_lazy(document: Document, resources: Resources | NotGathered) -> Verdict:
    """The largest image of the first screen should not be loaded lazily.

    ## What it checks

    Which image is probably the main one: the first of the first five images that is large (300 x 200 pixels or more, by
    its attributes or, where it was fetched, by its file). Which image it is, is known only when the page is rendered,
    so `loading="lazy"` on it costs half and not everything. Hidden images, inline `data:` and images of a menu are left
    out.

    ## Why it matters

    A browser loads a lazy image only after layout, so the image that visitors wait for comes last.

    ## How to fix

    Remove `loading="lazy"` from the large image at the top and raise its priority:

    ```
    <img src="/hero.webp" alt="The garden in May" width="1200" height="600" fetchpriority="high">
    ```

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
    main = probable_main_image(document, resources)
    if main is None:
        return NotApplicable("The page has no large image near its beginning.")
    return Outcome(
        "lazy" if main.lazy else "eager",
        value=main.url,
        evidence=(document.evidence(main, reason="probably the main image", url=main.url or ""),),
        details=(Detail(code="loading", actual="lazy" if main.lazy else "eager", limit="eager"),),
    )
