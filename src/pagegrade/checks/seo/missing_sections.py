import re
from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import LinkProbes, NotGathered
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_links import has_section, section_of
from pagegrade.parse.url import is_http, strip_fragment

_OF_SCRIPTS: Final = re.compile(r"role\Z|on|data-|aria-|@|v-|x-")
"""Attributes of links that a script handles."""


@check(
    id="missing-sections",
    title="Links to sections",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=True,
    states=(
        State("found", "The sections that links lead to exist."),
        State(
            "missing",
            "Links lead to sections that do not exist.",
            loss=0.5,
            title="Links to missing sections",
            why="Visitors land at the top of the page and have to look for the section themselves.",
            fix="Correct the part behind `#` in the listed links, or give the section this `id`.",
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/browsing-the-web.html#select-the-indicated-part",),
)
def missing_sections(document: Document, link_probes: LinkProbes | NotGathered) -> Verdict:
    """A link with `#` leads to a section of a page, which needs an element with that `id`.

    ## What it checks

    The links to sections of the page itself, and of the first three other pages of its host to whose sections it links.
    A section is an element with that `id`, or an anchor with that `name`; case matters. Not counted are `#` and `#top`,
    links to a quotation (`#:~:text=`), URLs that scripts read (`#/`, `#!`, `#t=30`), links that a role or a script
    makes into something else, and pages that have next to no text without their scripts, or were not read whole.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Start</a> <a href="#prices">Prices</a> <h2 id="price-list">Prices</h2>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Start</a> <a href="#prices">Prices</a> <h2 id="prices">Prices</h2>
    ```
    """
    if document.client_rendered:
        return NotRun("empty_shell", "Scripts render this page, and may add the sections.")
    page = strip_fragment(document.url)
    own_names = {*document.ids, *(anchor.attrs["name"] for anchor in document.anchors if "name" in anchor.attrs)}
    probed = () if isinstance(link_probes, NotGathered) else link_probes.sections
    read = {one.url: frozenset(one.missing) for one in probed if one.missing is not None}
    total = 0
    missing: list[Anchor] = []
    for anchor, address, section in _links(document):
        if address == page:
            total += 1
            if not has_section(section, own_names):
                missing.append(anchor)
        elif address in read:
            total += 1
            if section in read[address]:
                missing.append(anchor)
    if not total:
        return NotApplicable("The page links to no sections that could be read.")
    if not missing:
        return Outcome("found", value=total)
    evidence = tuple(
        document.evidence(anchor, url=anchor.url or "", reason="The page has no section of this name.")
        for anchor in missing[:MAX_EVIDENCE]
    )
    return Outcome("missing", value=len(missing), evidence=evidence, total=len(missing))


def _links(document: Document) -> Iterator[tuple[Anchor, str, str]]:
    """Links to sections: (link, address without fragment, section)."""
    for anchor in document.anchors:
        url = anchor.url
        if url is None or "#" not in url or anchor.hidden or not is_http(url) or _does_something_else(anchor):
            continue
        if section := section_of(url):
            yield anchor, strip_fragment(url), section


def _does_something_else(anchor: Anchor) -> bool:
    """Return whether a script seems to handle the link: it opens a menu or a tab rather than leading anywhere."""
    return any(map(_OF_SCRIPTS.match, anchor.attrs))
