from collections import Counter
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity

GOOD: Final = 50
BAD: Final = 150
IMAGES_PER_STYLESHEET: Final = 30
"""Background images counted for one stylesheet: icon sets and themes name far more than a page shows."""
HOSTS_SHOWN: Final = 10


@check(
    id="http-requests",
    title="Number of requests",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("few", "The page needs a moderate number of requests."),
        State(
            "many",
            "The page needs many requests.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce the number of requests",
            why=(
                "Every request costs headers, waiting and work in the browser, and the important ones compete "
                "with the rest."
            ),
            fix=(
                'Add `loading="lazy"` to images further down, and remove files that the page does not use. Then '
                "bundle small scripts and stylesheets that are always used together."
            ),
        ),
        State(
            "too_many",
            "The page needs very many requests.",
            loss=1.0,
            title="Reduce the number of requests",
            why=(
                "Every request costs headers, waiting and work in the browser, and the important ones compete "
                "with the rest."
            ),
            fix=(
                'Add `loading="lazy"` to images further down, and remove files that the page does not use. Then '
                "bundle small scripts and stylesheets that are always used together."
            ),
        ),
    ),
    sources=("https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Connection_management_in_HTTP_1.x",),
)
def http_requests(document: Document, resources: Resources | NotGathered) -> Verdict:
    """Each file that the page needs is a request of its own.

    ## What it checks

    How many different files the served HTML and its stylesheets make a browser fetch at once. Each URL counts once
    however often it is named, so a preload and its use are one request. Not counted: images and frames with
    `loading="lazy"`, all but one candidate of a `srcset` or `<picture>`, icons, and inline `data:`. From stylesheets
    come imports, background images (at most 30 for one stylesheet, since themes name more than they show) and fonts
    (the formats of one font count once). Files that scripts request cannot be seen here, so the number is a lower
    bound. Up to 50 is fine, up to 150 costs in four steps, more costs everything; no standard names a number, and 50 is
    the customary limit.

    ## Fails on

    ```html
    <!doctype html>
    <title>Gallery</title>
    <!-- the next line 80 times -->
    <img src="/photo-{n}.jpg" alt="Photo {n}">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Gallery</title>
    <!-- the next line 80 times -->
    <img src="/photo-{n}.jpg" alt="Photo {n}" loading="lazy">
    ```
    """
    kinds: dict[str, str] = {}
    styled: list[tuple[str, str, str]] = []
    for reference in document.references:
        if reference.attribute == "style" and reference.kind in ("font", "image"):
            if not reference.alternative:
                styled.append((document.url, reference.url, reference.kind))
        elif not reference.lazy and not reference.alternative:
            kind = kinds.get(reference.url)
            # The use says what a preloaded file is.
            if kind is None or kind == "preload":
                kinds[reference.url] = reference.kind
    if isinstance(resources, Resources):
        styled += [
            (found.stylesheet_url, found.url, found.kind)
            for found in resources.stylesheet_references
            if found.url.startswith(("https:", "http:"))
        ]
    _add_styled(kinds, styled)
    count = len(kinds)
    loss = 1.0 if count > BAD else 0.8 * meter_loss(count, GOOD, BAD, steps=4)
    by_kind = Counter(kinds.values())
    evidence: tuple[Evidence, ...] = ()
    hosts: Counter[str] = Counter()
    if loss > 0:
        hosts = Counter(url.split("/", 3)[2] for url in kinds)
        evidence = tuple(
            Evidence(value=amount(number, "request"), reason=host) for host, number in hosts.most_common(HOSTS_SHOWN)
        )
    return Outcome(
        "few" if loss == 0 else "many" if loss < 1 else "too_many",
        value=count,
        evidence=evidence,
        total=len(hosts),
        details=(
            Detail(code="requests", actual=count, limit=GOOD),
            *(Detail(code=f"{kind}_requests", actual=number) for kind, number in sorted(by_kind.items())),
        ),
        loss=loss,
        message=f"The page names {count} files that a browser fetches at once.",
    )


def _add_styled(kinds: dict[str, str], styled: list[tuple[str, str, str]]) -> None:
    """Add what stylesheets name: (stylesheet, URL, kind)."""
    images: Counter[str] = Counter()
    fonts: set[str] = set()
    for stylesheet, url, kind in styled:
        if url in kinds:
            if kind == "font":
                fonts.add(_stem(url))
            continue
        if kind == "image":
            if images[stylesheet] >= IMAGES_PER_STYLESHEET:
                continue
            images[stylesheet] += 1
        elif kind == "font":
            stem = _stem(url)
            if stem in fonts:
                continue
            fonts.add(stem)
        kinds[url] = kind


def _stem(url: str) -> str:
    """The URL without query and extension: the formats of one font share it."""
    path = url.partition("?")[0]
    head, slash, name = path.rpartition("/")
    return f"{head}{slash}{name.partition('.')[0]}" if "." not in name.strip(".") else path.rpartition(".")[0]
