from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document, Link
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.url import origin, same_site, strip_fragment

HINTS: Final = frozenset({"preconnect", "preload", "prefetch"})
EVALUATED: Final = frozenset({"style", "image", "font"})
MAX_PRECONNECTS: Final = 4
_KINDS: Final = frozenset(
    "audio document embed fetch font image json manifest object report script style text track video worker".split()
)
"""Values of ``as`` that have a meaning; a browser ignores a preload with another one."""
_CREDENTIALS: Final = "use-credentials"


@check(
    id="resource-hints",
    title="Resource hints",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("sound", "The resource hints are sound."),
        State(
            "doubtful",
            "Some resource hints are wasteful.",
            title="Wasteful resource hints",
            why="What is loaded in advance takes bandwidth from what the visitor is waiting for.",
            fix=(
                "Preload only what the first screen needs, with the right `as`, and preconnect to two or three "
                "hosts at most."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/links.html#link-type-preload",
        "https://web.dev/learn/performance/resource-hints",
    ),
)
def resource_hints(document: Document, resources: Resources | NotGathered) -> Verdict:
    """Resource hints name early what the browser will need; wrong ones waste its time.

    ## What it checks

    The `<link>` elements with `preconnect`, `preload` or `prefetch`. Reported are: more than four hosts to connect to
    in advance; a `preload` without `as`, or with one that browsers do not know, which is fetched twice or not at all; a
    font without `crossorigin`, which is fetched again when it is used; a preloaded stylesheet, image or font that
    neither the HTML nor its stylesheets use (only where all stylesheets could be read); and a `prefetch` of a page of
    another site, which browsers refuse or fetch in vain. A preloaded stylesheet that its own `onload` turns into a
    stylesheet is used. Scripts may use what the HTML does not name, so the check is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="preload" href="/hero.jpg">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="preload" as="image" href="/hero.jpg">
    <img src="/hero.jpg" alt="A green chair">
    ```
    """
    hints = [link for link in document.links if not HINTS.isdisjoint(link.rel) and _names_something(link)]
    if not hints:
        return NotApplicable("The page has no resource hints.")
    used = _used(document, resources)
    more_to_come = any("preload" in link.rel and _waits(link) for link in hints)
    doubtful: list[tuple[Link, str]] = []
    hosts: dict[str, Link] = {}
    for link in hints:
        url = strip_fragment(link.url or "")
        kind = link.attrs.get("as", "").strip().lower()
        if "preconnect" in link.rel:
            hosts.setdefault(origin(url), link)
        if "preload" in link.rel:
            if not kind:
                doubtful.append((link, "preload without as"))
            elif kind not in _KINDS:
                doubtful.append((link, "preload with an unknown value of as, which browsers ignore"))
            elif kind == "font" and not _is_anonymous(link):
                doubtful.append((link, "font preloaded without crossorigin, so that it is fetched twice"))
            elif (
                used is not None
                and kind in EVALUATED
                and "imagesrcset" not in link.attrs
                and url not in used
                and not (_waits(link) if kind == "style" else more_to_come)
            ):
                doubtful.append((link, "preloaded and used neither by the HTML nor by its stylesheets"))
        if "prefetch" in link.rel and kind in ("", "document") and not same_site(url, document.url) and _is_page(url):
            doubtful.append((link, "prefetch of a page of another site"))
    if len(hosts) > MAX_PRECONNECTS:
        doubtful += [(link, f"one of {len(hosts)} hosts to connect to in advance") for link in hosts.values()]
    return Outcome(
        "doubtful" if doubtful else "sound",
        value=part(len(doubtful), len(hints), "hint") if doubtful else amount(len(hints), "hint"),
        evidence=tuple(
            document.evidence(link, reason=reason, url=link.url or "") for link, reason in doubtful[:MAX_EVIDENCE]
        ),
        total=len(doubtful) if doubtful else None,
        details=(
            Detail(code="preconnects", actual=len(hosts), limit=MAX_PRECONNECTS),
            Detail(code="doubtful_hints", actual=len(doubtful)),
        ),
    )


def _used(document: Document, resources: Resources | NotGathered) -> set[str] | None:
    """Addresses that the HTML and its stylesheets name; ``None`` when not every stylesheet was read."""
    used = {found.url for found in document.references if found.kind != "preload"}
    for image in document.images:
        used.update(map(strip_fragment, image.candidates))
    sheets = {found.url for found in document.references if found.kind == "stylesheet"}
    if isinstance(resources, NotGathered):
        return None if sheets else used
    read = {
        item.url
        for item in resources.items
        if item.response is not None and item.response.status == 200 and item.response.truncated is None
    }
    if not sheets <= read:
        return None
    return used | {found.url for found in resources.stylesheet_references}


def _names_something(link: Link) -> bool:
    """Return whether the hint has an address, or several of an image, of which the browser takes one."""
    return link.url is not None or ("preload" in link.rel and bool(link.attrs.get("imagesrcset", "").strip()))


def _waits(link: Link) -> bool:
    """Return whether the link makes itself a stylesheet once the file is there; what that names is not known before."""
    return "stylesheet" in link.attrs.get("onload", "")


def _is_anonymous(link: Link) -> bool:
    """Return whether the link fetches as fonts are fetched, which is without cookies, even from the own host."""
    return link.attrs.get("crossorigin", _CREDENTIALS).strip().lower() != _CREDENTIALS


def _is_page(url: str) -> bool:
    """Return whether the address looks like a page rather than a file."""
    name = url.partition("?")[0].rpartition("/")[2]
    return "." not in name or name.endswith((".html", ".htm", ".php"))
