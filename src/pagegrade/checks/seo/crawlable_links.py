import re
from collections.abc import Mapping
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import tabindex_of
from pagegrade.parse.url import host, is_http, registrable_domain, scheme

MIN_IDLE: Final = 10
"""Links to the top of the page that are no switch or two of a widget."""
_OPENERS: Final = ("aria-haspopup", "aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle")
"""Attributes that say that a link is a button in disguise."""
_OF_ADDRESSES: Final = ("target", "download", "ping", "rel", "hreflang", "type", "referrerpolicy")
"""Attributes that HTML allows only beside an address (https://html.spec.whatwg.org/multipage/text-level-semantics.html)."""
_CLICKS: Final = ("@click", "(click)", "data-href", "jsaction", "ng-click", "v-on:click", "wire:click", "x-on:click")
"""Prefixes of the attributes by which scripts of well-known frameworks handle a click."""
STUCK: Final = 4
"""Links that lead nowhere for each one that leads to a page, from which on visitors get hardly anywhere."""
_EMPTY_SCRIPT: Final = re.compile(
    r"\s{0,9}javascript:\s{0,9}(?:void\s?\(?\s?0\s?\)?|\{\})?\s{0,9};?\s{0,9}", re.IGNORECASE
)
"""A script that does nothing."""
_SPACED_SCRIPT: Final = re.compile(r"javascript\s{1,20}:", re.IGNORECASE)


@check(
    id="crawlable-links",
    title="Crawlable links",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=True,
    states=(
        State("crawlable", "Crawlers can follow every link."),
        State(
            "some_scripts",
            "Crawlers cannot follow some links.",
            loss=0.25,
            loss_max=0.5,
            title="Links that crawlers cannot follow",
            why=(
                "These links have no URL that a crawler can request, so it does not discover what they lead to. "
                "Visitors cannot open them in a new tab either."
            ),
            fix=(
                'Give links that lead to a page a real URL: `<a href="/chairs">`. Turn those that perform an '
                "action into `<button>` elements."
            ),
            counted=True,
        ),
        State(
            "only_scripts",
            "Crawlers can follow no link of the page.",
            loss=1.0,
            title="No link of the page can be crawled",
            why="The page is a dead end for search engines: they discover no other page from it.",
            fix=(
                'Give the navigation real links with URLs, such as `<a href="/chairs">`. A script may still '
                "intercept the click."
            ),
        ),
        State(
            "nowhere",
            "Most links of the page lead nowhere.",
            loss=1.0,
            title="Links lead to the top of the page",
            why="Visitors press links and nothing happens, and search engines discover no other page from here.",
            fix="Give each link the URL of the page it names in place of `#`, and remove links to what does not exist.",
        ),
        State(
            "stuck",
            "Nearly all links of the page lead nowhere, and no script runs that could change it.",
            loss=1.0,
            title="Nearly all links and buttons lead nowhere",
            why="Visitors press links and nothing happens: they cannot get to anything that the page offers.",
            fix=(
                "Give each link the URL of the page it names. If a script should follow the links, find out why it is "
                "missing."
            ),
        ),
    ),
    cap=(Cap(49, states=("stuck",)), Cap(79, states=("nowhere", "stuck"))),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
)
def crawlable_links(document: Document) -> Verdict:
    """Search engine crawlers follow URLs in `href` attributes; they do not click buttons.

    ## What it checks

    Visible links whose `href` is a script, a file on a disk, an invalid URL, or only `#` with a script for the click.
    An `<a>` without `href` counts only if a click on it does something (`onclick`, the attributes of frameworks such as
    `ng-click` and `@click`, or a `tabindex` of 0 or more) or, being no target of jumps, if it has an attribute that
    makes sense beside a URL only, such as `target` or `rel`. One that has a role, or that says it opens a menu, is a
    button and left out; so are targets of jumps, empty URLs, which mean the page itself, and links with a URL and a
    script.

    Such a link may be a mere button, so it costs a quarter, and ten cost half. It costs everything if the page has such
    links and not a single visible one with a name to another page of the site, and likewise if ten links and more have
    only `#` as their URL and no visible one leads to another page. On a page without scripts, links with an empty
    script such as `javascript:void(0)` count as well, and ten that are twice as many as those to different pages are
    enough. A page of the last kinds scores 79 at most; one without scripts with four such links for each other one, 49
    at most.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/tables">Tables</a>
    <a href="javascript:openPage('chairs')">Chairs</a>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/chairs" onclick="openPage('chairs'); return false">Chairs</a>
    ```
    """
    found: list[Offender] = []
    good: list[Anchor] = []
    idle: list[Offender] = []
    for anchor in document.anchors:
        url = anchor.url
        if url is not None and is_http(url) and not (href := anchor.href or "").startswith("#"):
            if href[:1] not in " jJ" or not _SPACED_SCRIPT.match(href.strip()):
                good.append(anchor)
                continue
            if not anchor.hidden and not _is_button(anchor):
                found.append(Offender(anchor.node, "has a script as its URL", href.strip()))
            continue
        if not anchor.hidden and (reason := _problem(anchor)):
            found.append(Offender(anchor.node, reason, (anchor.href or "").strip()))
        elif not anchor.hidden and (anchor.href or "").strip() == "#" and anchor.name and not _is_button(anchor):
            idle.append(Offender(anchor.node, "leads to the top of the page"))
    own = registrable_domain(host(document.url))
    named = (one for one in good if one.name and not one.hidden)
    leads_on = any(registrable_domain(host(one.url or "")) == own for one in named)
    if len(idle) >= MIN_IDLE and not leads_on and not found:
        return Outcome("nowhere", value=len(idle), evidence=evidence_of(document, idle), total=len(idle))
    dead = (
        [*idle, *(one for one in found if _EMPTY_SCRIPT.fullmatch(one.value))] if not document.running_scripts else []
    )
    alive = len({one.url for one in good if one.name and not one.hidden})
    if len(dead) >= MIN_IDLE and len(dead) >= 2 * alive:
        state = "stuck" if len(dead) >= STUCK * alive else "nowhere"
        return Outcome(state, value=len(dead), evidence=evidence_of(document, dead), total=len(dead))
    if not good and not found:
        return NotApplicable("The page has no links to other pages.")
    if found and not leads_on:
        return Outcome("only_scripts", value=len(found), evidence=evidence_of(document, found), total=len(found))
    return counted(
        document,
        found,
        "crawlable",
        "some_scripts",
        "Crawlers cannot follow one link.",
        "Crawlers cannot follow {count} links.",
        low=0.25,
        high=0.5,
    )


def _problem(anchor: Anchor) -> str:
    """Explain why crawlers cannot follow it; "" when they can or when it is no navigation."""
    attrs = anchor.attrs
    href = anchor.href
    if _is_button(anchor):
        return ""
    if href is None:
        if _is_clickable(attrs):
            return "has a script and no URL"
        is_target = attrs.get("id", "").strip() or attrs.get("name", "").strip()
        return "" if is_target or attrs.keys().isdisjoint(_OF_ADDRESSES) else "has no URL"
    href = href.strip()
    if href.startswith("#"):
        return "has a script and only # as its URL" if href == "#" and "onclick" in attrs else ""
    if anchor.url is None:
        return "has a URL that cannot be read" if href else ""
    name = scheme(anchor.url)
    if name == "javascript":
        return "has a script as its URL"
    # A single letter is a drive, as in C:\\page.html.
    return "leads to a file of the own disk" if name == "file" or len(name) == 1 else ""


def _is_clickable(attrs: Mapping[str, str]) -> bool:
    """Return whether an ``<a>`` without ``href`` reacts to a click, by a script or from the keyboard."""
    number = tabindex_of(attrs)
    return "onclick" in attrs or (number is not None and number >= 0) or any(name.startswith(_CLICKS) for name in attrs)


def _is_button(anchor: Anchor) -> bool:
    attrs = anchor.attrs
    return bool(attrs.get("role", "").strip()) or any(name in attrs for name in _OPENERS)
