from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import ImageFacts, NotGathered, Resource, Resources, Response, WellKnown
from pagegrade.model.document import Document, Link
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.files.image import read_image
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.http.caching import read_cache_policy
from pagegrade.parse.http.headers import parse_media_type
from pagegrade.parse.url import origin, strip_fragment

MAX_BYTES: Final = 10_000
MIN_SIDE_PX: Final = 48
_RELS: Final = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed"})
_FLAWS: Final = ("no_lifetime", "blocked", "large", "not_square", "small")
"""From the least to the most serious; the best icon of the page speaks for it."""
_OUR_LIMITS: Final = frozenset({"skipped", "budget", "address_not_allowed", "internal", "parser_limit"})


class _Icon(msgspec.Struct, frozen=True, kw_only=True):
    """One icon that was tried."""

    url: str
    state: str
    """``ok``, one of ``_FLAWS``, ``broken`` or ``unknown``."""
    reason: str = ""
    milder: tuple[str, ...] = ()
    """Its further flaws, the most serious first."""
    link: Link | None = None
    image: ImageFacts | None = None
    bytes: int = 0


@check(
    id="favicon",
    title="Favicon",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ok", "The site has a favicon."),
        State(
            "no_lifetime",
            "The favicon has no cache lifetime.",
            loss=0.5,
            title="Set a cache lifetime for the favicon",
            why=(
                "Without a stated lifetime browsers have to guess how long they may reuse the icon, and request "
                "it again sooner than needed."
            ),
            fix=("Send a `Cache-Control` header with the icon:\n\n```\nCache-Control: public, max-age=2592000\n```"),
        ),
        State(
            "blocked",
            "The robots.txt file blocks search engines from the favicon.",
            loss=0.5,
            title="Favicon is blocked by robots.txt",
            why="Search engines show a generic icon beside the site's results when they may not fetch the favicon.",
            fix="Remove the rule that covers the icon from robots.txt, or add an `Allow` rule for its path.",
        ),
        State(
            "large",
            "The favicon is larger than 10 kB.",
            loss=0.5,
            title="Reduce the size of the favicon",
            why="Browsers fetch the icon on the first visit, where it competes with what the page needs to be shown.",
            fix="Use an SVG, or a PNG of 96 by 96 pixels, which needs 1 to 5 kB.",
        ),
        State(
            "not_square",
            "The favicon is not square.",
            loss=0.5,
            title="Favicon is not square",
            why="Browsers and search engines show icons in a square and stretch, crop or reject others.",
            fix=(
                "Save the icon with equal width and height, for example 96 by 96 pixels, with transparent "
                "margins if needed."
            ),
        ),
        State(
            "small",
            "The favicon is smaller than 48 by 48 pixels.",
            loss=0.5,
            title="Favicon is smaller than 48 pixels",
            why=(
                "Google recommends icons of at least 48 by 48 pixels, and high-density screens show smaller "
                "ones blurred."
            ),
            fix=(
                "Provide an SVG, or a PNG of at least 48 by 48 pixels:\n\n"
                "```html\n"
                '<link rel="icon" href="/icon-96.png" sizes="96x96">\n'
                "```"
            ),
        ),
        State(
            "broken",
            "The favicon that the page declares cannot be loaded.",
            loss=1.0,
            title="Favicon cannot be loaded",
            why="The tab, bookmarks and search results show a generic icon.",
            fix=(
                'Correct the URL in the `<link rel="icon">` element, and make sure that the server answers it '
                "with an image and status 200."
            ),
        ),
        State(
            "missing",
            "The site has no favicon.",
            loss=1.0,
            title="Add a favicon",
            why=(
                "People find a tab or a bookmark by its icon, and search engines show it beside each result. "
                "Without one they show a generic icon."
            ),
            fix=(
                "Add a square icon and declare it in the head:\n\n"
                "```html\n"
                '<link rel="icon" href="/icon.svg" type="image/svg+xml">\n'
                '<link rel="icon" href="/icon-96.png" sizes="96x96">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/links.html#rel-icon",
        "https://developers.google.com/search/docs/appearance/favicon-in-search",
    ),
)
def favicon(
    document: Document,
    favicon: WellKnown | NotGathered,
    resources: Resources | NotGathered,
    robots: Robots | NotGathered,
) -> Verdict:
    """The favicon identifies a site in tabs, bookmarks and search results.

    ## What it checks

    The icons that the page names (`<link rel="icon">`, also `shortcut icon` and `apple-touch-icon`) and `/favicon.ico`,
    which browsers request by themselves. One of them has to answer with 2xx and an image. Warnings, when no icon is
    free of them: fewer than 48 pixels (an SVG has no pixels), not square, more than 10 kB, blocked by robots.txt, and
    no cache lifetime. An icon inside the page (`data:image/...`) is fine. A web page in place of the icon is a failure.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    ```

    ```http favicon
    HTTP/2 404
    content-type: text/html

    Not found
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <link rel="icon" href="/icon.svg">
    ```

    ```json resources
    {"items": [{"url": "https://example.com/icon.svg", "kinds": ["icon"], "initiator_url": "https://example.com/",
                "image": {"format": "svg"},
                "response": {"url": "https://example.com/icon.svg", "status": 200, "wire_bytes": 900,
                             "headers": [["Content-Type", "image/svg+xml"], ["Cache-Control", "max-age=86400"]]}}]}
    ```
    """
    links = [link for link in document.links if not _RELS.isdisjoint(link.rel) and link.href != "data:,"]
    fetched = {} if isinstance(resources, NotGathered) else resources.by_url()

    def is_blocked(url: str) -> bool:
        # The rules we know are those of the page's own origin.
        if isinstance(robots, NotGathered) or origin(url) != origin(document.url):
            return False
        return not robots.decide("Googlebot", url).allowed

    icons = [_of_link(link, fetched, is_blocked) for link in links]
    if isinstance(favicon, WellKnown):
        icons.append(_of_file(favicon, is_blocked))
    for state in ("ok", *_FLAWS):
        icon = next((icon for icon in icons if icon.state == state), None)
        if icon is not None:
            return _outcome(state, icon, document)
    if any(icon.state == "unknown" for icon in icons):
        missing = resources if isinstance(resources, NotGathered) else NotGathered(code="skipped")
        return NotRun(missing.code, missing.detail or "The icon that the page names was not fetched.")
    named = [icon for icon in icons if icon.link is not None]
    if named:
        return _outcome("broken", named[0], document)
    if isinstance(favicon, NotGathered):
        return NotRun(favicon.code, favicon.detail)
    return _outcome("missing", icons[0], document)


def _of_link(link: Link, fetched: Mapping[str, Resource], is_blocked: Callable[[str], bool]) -> _Icon:
    if link.url is None:
        return _Icon(url=link.href or "", state="broken", reason="It has no usable URL.", link=link)
    if link.url.startswith("data:"):
        is_image = link.url[:11].lower() == "data:image/"
        return _Icon(url="data:", state="ok" if is_image else "broken", reason="It is not an image.", link=link)
    url = strip_fragment(link.url)
    resource = fetched.get(url)
    if resource is None or (resource.failure is not None and resource.failure.code in _OUR_LIMITS):
        return _Icon(url=url, state="unknown", link=link)
    if resource.response is None:
        code = resource.failure.code if resource.failure else "connect"
        return _Icon(url=url, state="broken", reason=f"It could not be fetched ({code}).", link=link)
    states, reason = _evaluate(resource.response, resource.image, is_blocked=is_blocked(url))
    size = _size(resource.response)
    return _Icon(
        url=url, state=states[0], milder=states[1:], reason=reason, link=link, image=resource.image, bytes=size
    )


def _of_file(file: WellKnown, is_blocked: Callable[[str], bool]) -> _Icon:
    image = read_image(file.response.body)
    states, reason = _evaluate(file.response, image, is_blocked=is_blocked(file.requested_url))
    size = _size(file.response)
    return _Icon(url=file.requested_url, state=states[0], milder=states[1:], reason=reason, image=image, bytes=size)


def _evaluate(response: Response, image: ImageFacts | None, *, is_blocked: bool) -> tuple[tuple[str, ...], str]:
    if response.status not in range(200, 300):
        return ("broken",), f"It answers with status {response.status}."
    media_type = parse_media_type(response.header("content-type"))
    if image is None and (media_type is None or not media_type.essence.startswith("image/")):
        return ("broken",), f"It is not an image but {media_type.essence if media_type else 'of unknown type'}."
    flaws = _image_flaws(image)
    if _size(response) > MAX_BYTES:
        flaws.append("large")
    if is_blocked:
        flaws.append("blocked")
    if read_cache_policy(response).lifetime_s is None:
        flaws.append("no_lifetime")
    return tuple(sorted(flaws, key=_FLAWS.index, reverse=True)) or ("ok",), ""


def _image_flaws(image: ImageFacts | None) -> list[str]:
    if image is None or image.format == "svg" or image.width_px is None or image.height_px is None:
        return []
    flaws = []
    if min(image.width_px, image.height_px) < MIN_SIDE_PX:
        flaws.append("small")
    if image.width_px != image.height_px:
        flaws.append("not_square")
    return flaws


def _size(response: Response) -> int:
    """Bytes of the icon; where only its start was read, as the server announces them."""
    announced = response.header("content-length") or ""
    read = response.wire_bytes if response.wire_bytes is not None else len(response.body)
    return max(read, int(announced)) if announced.isdecimal() and len(announced) < 12 else read


def _measured(state: str, icon: _Icon) -> str:
    """Figures of an icon that was read, beside their limits."""
    if state == "large":
        return f"It has {amount(icon.bytes or 0, 'byte')}."
    if state in {"small", "not_square"} and icon.image is not None:
        return f"It has {icon.image.width_px} x {icon.image.height_px} pixels."
    return ""


def _place(icon: _Icon, document: Document, reason: str, state: str) -> Evidence:
    if icon.link is not None:
        return document.evidence(icon.link, reason=reason, url=icon.url, state=state)
    return Evidence(url=icon.url, reason=reason, state=state)


def _outcome(state: str, icon: _Icon, document: Document) -> Outcome:
    reason = icon.reason or _measured(state, icon)
    evidence = [_place(icon, document, reason, "")]
    if state in _FLAWS:
        evidence += [_place(icon, document, _measured(milder, icon), milder) for milder in icon.milder]
    details: tuple[Detail, ...] = ()
    if icon.image is not None and icon.image.width_px is not None:
        side = min(icon.image.width_px, icon.image.height_px or 0)
        details += (Detail(code="side_px", actual=side, limit=MIN_SIDE_PX),)
    if icon.bytes:
        details += (Detail(code="bytes", actual=icon.bytes, limit=MAX_BYTES),)
    return Outcome(state, value=icon.url[:2_000], evidence=tuple(evidence), details=details)
