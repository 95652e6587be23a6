import re
from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import join_url, strip_fragment

MIN_WIDTH_PX: Final = 600
MIN_HEIGHT_PX: Final = 315
MAX_BYTES: Final = 8_000_000
NAMES: Final = ("og:image", "og:image:url", "og:image:secure_url")
_NUMBER: Final = re.compile(r"\d{1,6}")
_REASONS: Final = {
    "relative": "Is not an absolute URL with scheme and host.",
    "broken": "Does not lead to an image.",
    "vector": "Is an SVG drawing.",
    "insecure": "Uses http.",
    "small": "Is smaller than 600 by 315 pixels.",
    "heavy": "Has more than 8 MB.",
}


@check(
    id="og-image",
    title="Social sharing image (og:image)",
    severity=Severity.LOW,
    cause="social-tags",
    since="0.1.0",
    states=(
        State("usable", "Social networks can show the page's image."),
        State(
            "insecure",
            "The social sharing image has an http URL.",
            loss=0.25,
            title="Social sharing image uses plain HTTP",
            why="Some networks do not load images over plain HTTP and show the link without one.",
            fix="Use the https URL of the image in `og:image`.",
        ),
        State(
            "small",
            "The social sharing image is smaller than 600 by 315 pixels.",
            loss=0.5,
            title="Social sharing image is too small",
            why="Networks show a small image beside the text instead of a large one above it.",
            fix="Provide an image of 1200 by 630 pixels.",
        ),
        State(
            "heavy",
            "The social sharing image is larger than 8 MB.",
            loss=0.5,
            title="Social sharing image is too large",
            why="Networks refuse very large files and show the link without an image.",
            fix="Save the image as a JPEG of 1200 by 630 pixels, which needs less than 300 kB.",
        ),
        State(
            "vector",
            "The social sharing image is an SVG, which networks do not show.",
            loss=1.0,
            title="Social sharing image is an SVG",
            why="Networks show the link without an image.",
            fix="Export the image as a PNG or JPEG of 1200 by 630 pixels.",
        ),
        State(
            "relative",
            "The social sharing image has no absolute URL.",
            loss=1.0,
            title="Social sharing image has no absolute URL",
            why="Networks need scheme and host to load the image, and show the link without one.",
            fix='Write the whole URL: `<meta property="og:image" content="https://example.com/chair.jpg">`.',
        ),
        State(
            "broken",
            "The social sharing image cannot be loaded.",
            loss=1.0,
            title="Social sharing image cannot be loaded",
            why="Networks show the link without an image.",
            fix="Correct the URL in `og:image`, or upload the image again.",
        ),
        State(
            "missing",
            "The page declares no social sharing image.",
            loss=1.0,
            title="Add a social sharing image",
            why="Without one a shared link is a line of text that is easily overlooked.",
            fix=(
                "Declare a JPEG or PNG of 1200 by 630 pixels:\n\n"
                "```html\n"
                '<meta property="og:image" content="https://example.com/chair.jpg">\n'
                "```"
            ),
        ),
    ),
    sources=("https://ogp.me/#structured", "https://developers.facebook.com/docs/sharing/best-practices"),
)
def og_image(served_document: Document, resources: Resources | NotGathered) -> Outcome:
    """The Open Graph image is what people see first of a shared link.

    ## What it checks

    The first `og:image`: it needs an absolute http or https URL, and must not be an SVG. With http it is a warning
    where no `og:image:secure_url` is named, and so are a size below 600 by 315 pixels and a file of more than 8 MB. The
    size is that of `og:image:width` and `og:image:height`. Where the page shows the same picture, its real size and
    status count; otherwise the picture is not loaded for this check.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta property="og:image" content="/chair.jpg">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta property="og:image" content="https://example.com/chair.jpg">
    ```
    """
    found: dict[str, Meta] = {}
    for meta in served_document.metas:
        for name in (meta.property, meta.name):
            if name.startswith("og:image") and meta.content.strip():
                found.setdefault(name, meta)
    first = next((found[name] for name in NAMES if name in found), None)
    if first is None:
        return Outcome("missing")
    written = first.content.strip()
    url = join_url(served_document.base_url, written)
    known = None if url is None or isinstance(resources, NotGathered) else _known(resources, strip_fragment(url))
    states = list(_faults(written, url, found, known))
    if not states:
        return Outcome("usable", value=written[:200], evidence=(served_document.evidence(first, url=url or ""),))
    details = () if known is None else _details(known)
    return Outcome(
        states[0],
        value=written[:200],
        evidence=tuple(
            served_document.evidence(first, reason=_REASONS[state], url=url or "", state=state if number else "")
            for number, state in enumerate(states)
        ),
        details=details,
    )


def _known(resources: Resources, url: str) -> Resource | None:
    return next((item for item in resources.items if item.url == url and item.response is not None), None)


def _faults(written: str, url: str | None, found: dict[str, Meta], known: Resource | None) -> Iterator[str]:
    if not written.lower().startswith(("http://", "https://")):
        yield "relative"
    if url is None:
        yield "broken"
        return
    if known is not None and known.response is not None and known.response.status in {404, 410}:
        yield "broken"
        return
    if path_and_query(url)[0].lower().endswith((".svg", ".svgz")) or (
        known is not None and known.image is not None and known.image.format == "svg"
    ):
        yield "vector"
    if known is not None and (known.decoded_bytes or 0) > MAX_BYTES:
        yield "heavy"
    width, height = _size(found, known)
    if (width is not None and width < MIN_WIDTH_PX) or (height is not None and height < MIN_HEIGHT_PX):
        yield "small"
    if url.startswith("http:") and "og:image:secure_url" not in found:
        yield "insecure"


def _size(found: dict[str, Meta], known: Resource | None) -> tuple[int | None, int | None]:
    """The real size where it was seen, else the declared one."""
    if known is not None and known.image is not None and known.image.width_px is not None:
        return known.image.width_px, known.image.height_px
    return _number(found.get("og:image:width")), _number(found.get("og:image:height"))


def _number(meta: Meta | None) -> int | None:
    text = "" if meta is None else meta.content.strip().removesuffix("px")
    return int(text) if _NUMBER.fullmatch(text) else None


def _details(known: Resource) -> tuple[Detail, ...]:
    if known.image is None:
        return ()
    return (
        Detail(code="width_px", actual=known.image.width_px, limit=MIN_WIDTH_PX),
        Detail(code="height_px", actual=known.image.height_px, limit=MIN_HEIGHT_PX),
    )
