from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document, ElementFact
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.csp import CSP
from pagegrade.parse.secure_context import is_insecure_url

_PASSIVE: Final = frozenset({"image", "icon", "media"})
_PASSIVE_PRELOADS: Final = frozenset({"image", "audio", "video"})
FULL_AT: Final = 10
MOST_FOR_PASSIVE: Final = 0.9
"""Images never cost as much as one script does."""

_Found = tuple[str, str, ElementFact | Evidence]
"""URL, what it is, and where it was found."""


@check(
    id="mixed-content",
    title="Mixed content",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("clean", "Everything the page loads uses HTTPS."),
        State(
            "upgraded",
            "The page contains http URLs, but its policy makes browsers upgrade or block them.",
            0.5,
            title="Plain HTTP URLs that the policy upgrades",
            why=(
                "A resource whose server does not support HTTPS does not load, and programs other than browsers "
                "still use plain HTTP."
            ),
            fix="Change each listed URL to `https://`.",
            counted=True,
        ),
        State(
            "passive",
            "The page loads images, audio or video over plain HTTP.",
            0.5,
            MOST_FOR_PASSIVE,
            title="Images and media loaded over plain HTTP",
            why="Browsers try these files over HTTPS, and do not show them where the other server does not support it.",
            fix="Change each listed URL to `https://`, or to a path without a host where the file is your own.",
            counted=True,
        ),
        State(
            "active",
            "The page loads scripts, styles, frames or fonts over plain HTTP.",
            loss=1.0,
            title="Scripts, styles, frames or fonts over plain HTTP",
            why="Browsers block such files, so parts of the page do not work.",
            fix=(
                "Change each listed URL to `https://`. Where the content is too much to edit, send this header "
                "first:\n\n"
                "```\n"
                "Content-Security-Policy: upgrade-insecure-requests\n"
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/mixed-content/",
        "https://www.w3.org/TR/upgrade-insecure-requests/",
    ),
)
def mixed_content(document: Document, csp: CSP, resources: Resources | NotGathered) -> Outcome | NotApplicable:
    """An HTTPS page that loads resources over plain HTTP is only as safe as those resources.

    ## What it checks

    URLs beginning with `http:` in every place where an HTTPS page makes the browser load something: images with all
    their candidates, posters, media, scripts, stylesheets and what they name, frames, fonts, manifests and preloads.
    Resources that begin on HTTPS and are redirected to plain HTTP count as well. Links to other pages, canonical URLs,
    XML namespaces and the vocabulary names in structured data do not count: nothing is loaded from them. Forms have a
    check of their own (`insecure-form`). Nor do URLs of the visitor's own machine.

    One script, style, frame or font costs everything. Images, audio and video cost from half (one) to nine tenths (ten
    or more different URLs). Where `upgrade-insecure-requests` or `block-all-mixed-content` covers all of it, the check
    costs half.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <script src="http://cdn.example.net/cart.js"></script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <script src="https://cdn.example.net/cart.js"></script>
    <a href="http://example.org/">Our supplier</a>
    ```
    """
    if not document.url.startswith("https:"):
        return NotApplicable("The page itself is not served over HTTPS.")
    active: dict[str, _Found] = {}
    passive: dict[str, _Found] = {}
    for found in _named_by_the_page(document):
        (passive if found[1] in _PASSIVE else active).setdefault(found[0], found)
    if isinstance(resources, Resources):
        for found in _named_elsewhere(resources):
            (passive if found[1] in _PASSIVE else active).setdefault(found[0], found)
    for url in active:
        passive.pop(url, None)
    total = len(active) + len(passive)
    if total == 0 and not document.references and not (isinstance(resources, Resources) and resources.items):
        return NotApplicable("The page loads no files.")
    if total == 0:
        return Outcome("clean", value=0)
    upgraded = csp.enforces("upgrade-insecure-requests")
    blocked = csp.enforces("block-all-mixed-content")
    offenders = (*active.values(), *passive.values())
    details = (
        Detail(code="active", actual=len(active), limit=0),
        Detail(code="passive", actual=len(passive), limit=0),
    )
    is_handled = upgraded or blocked
    shown = tuple(
        _evidence(document, found, "passive" if active and not is_handled and found[0] in passive else "")
        for found in islice(offenders, MAX_EVIDENCE)
    )
    if is_handled:
        return Outcome("upgraded", value=total, evidence=shown, total=total, details=details)
    if active:
        count = len(active)
        return Outcome("active", value=total, evidence=shown, total=total, details=details, count=count)
    loss = min(MOST_FOR_PASSIVE, offender_loss(len(passive), FULL_AT))
    return Outcome("passive", value=total, evidence=shown, total=total, details=details, loss=loss)


def _named_by_the_page(document: Document) -> Iterator[_Found]:
    for reference in document.references:
        if reference.url.startswith("http:") and is_insecure_url(reference.url):
            kind: str = reference.kind
            if kind == "preload" and reference.attrs.get("as", "").strip().lower() in _PASSIVE_PRELOADS:
                kind = "media"
            yield reference.url, kind, reference


def _named_elsewhere(resources: Resources) -> Iterator[_Found]:
    for named in resources.stylesheet_references:
        if is_insecure_url(named.url):
            yield (
                named.url,
                named.kind,
                Evidence(url=named.url, reason=f"{named.kind} named by {named.stylesheet_url}"[:300]),
            )
    for resource in resources.items:
        if not resource.url.startswith("https:"):
            continue
        answers = (*resource.hops, *((resource.response,) if resource.response is not None else ()))
        target = next((answer.url for answer in answers if is_insecure_url(answer.url)), None)
        if target is not None:
            kind = next((kind for kind in resource.kinds if kind not in _PASSIVE), resource.kinds[0])
            yield resource.url, kind, Evidence(url=resource.url, reason=f"{kind} redirected to {target}"[:300])


def _evidence(document: Document, found: _Found, state: str) -> Evidence:
    url, kind, where = found
    if isinstance(where, Evidence):
        return replace(where, state=state)
    return document.evidence(where, reason=kind, url=url, state=state)
