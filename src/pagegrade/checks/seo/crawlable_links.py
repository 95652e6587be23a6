import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.artifacts import LinkProbes, NotGathered, Resources, Response
from pagegrade.model.document import Anchor, Document, Node
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import tabindex_of
from pagegrade.parse.assets import NO_HOST, load_error, lost_files
from pagegrade.parse.page_content import is_idle_button
from pagegrade.parse.secure_context import is_private_host
from pagegrade.parse.url import host, is_http, registrable_domain, scheme, strip_fragment

MIN_IDLE: Final = 10
"""Links to the top of the page, or parts that do not work, that are no switch or two of a widget."""
_GONE: Final = frozenset({404, 410})
_FILES: Final = frozenset({"frame", "image", "media", "object", "script", "stylesheet"})
_OPENERS: Final = ("aria-haspopup", "aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle")
"""Attributes that say that a link is a button in disguise."""
_OF_ADDRESSES: Final = ("target", "download", "ping", "rel", "hreflang", "type", "referrerpolicy")
"""Attributes that HTML allows only beside an address (https://html.spec.whatwg.org/multipage/text-level-semantics.html)."""
_CLICKS: Final = ("@click", "(click)", "data-href", "jsaction", "ng-click", "v-on:click", "wire:click", "x-on:click")
"""Prefixes of the attributes by which scripts of well-known frameworks handle a click."""
STUCK: Final = 4
"""Parts that do not work for each one that does, from which on visitors get hardly anywhere."""
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
            "Most links, buttons and files of the page lead nowhere.",
            loss=1.0,
            title="Most of what the page offers leads nowhere",
            why="Visitors press links and nothing happens, and search engines discover no other page from here.",
            fix=(
                "Give each link the URL of the page it names in place of `#` or of a server that nobody else reaches, "
                "and remove links and buttons for what does not exist."
            ),
        ),
        State(
            "stuck",
            "Nearly all links, buttons and files of the page lead nowhere.",
            loss=1.0,
            title="Nearly nothing that the page offers works",
            why=(
                "Visitors press links and buttons and nothing happens, or get errors: they cannot get to anything that "
                "the page offers."
            ),
            fix=(
                "Give each link the URL of a page that exists, and each button something to do. If a script should "
                "see to that, find out why it is missing. What leads to a server of your own network was left over "
                "from a test."
            ),
        ),
    ),
    cap=(Cap(49, states=("stuck",)), Cap(79, states=("nowhere", "stuck"))),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
)
def crawlable_links(
    document: Document,
    response: Response,
    page_links: PageLinks,
    resources: Resources | NotGathered,
    link_probes: LinkProbes | NotGathered,
) -> Verdict:
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
    only `#` as their URL and no visible one leads to another page.

    How much of what the page offers works is measured as well. What leads nowhere are links and files at addresses that
    mean another machine to everyone, that are known to be missing, or whose host does not exist or cannot be looked up
    (asked of hosts of files, and of the one other host that ten and at least half of the links lead to), and on a page
    without scripts also links with different names to `#` or to an empty script such as `javascript:void(0)`, and
    buttons outside of forms. Where these are ten and more, and twice as many as different pages that links lead to and
    other buttons, or as all of that with the files of the page, it scores 79 at most; with four for each one that
    works, 49 at most.

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
    lost = _lost(response, resources, link_probes)
    empty = [one for one in found if _EMPTY_SCRIPT.fullmatch(one.value)]
    for parts in _offered(document, page_links, [*idle, *empty], lost):
        dead = [one for one in parts if one.reason]
        alive = len({one.url or one.node for one in parts if not one.reason})
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


def _lost(
    response: Response, resources: Resources | NotGathered, link_probes: LinkProbes | NotGathered
) -> tuple[Collection[str], Collection[str]]:
    """Addresses where nothing answers, and hosts that do not exist."""
    files = frozenset[str]() if isinstance(resources, NotGathered) else lost_files(resources, response.url)
    items = () if isinstance(resources, NotGathered) or not files else resources.items
    hosts = {host(one.url) for one in items if one.url in files and load_error(one) == NO_HOST}
    if isinstance(link_probes, NotGathered):
        return files, hosts
    if link_probes.lost_host:
        hosts.add(link_probes.lost_host)
    probes = link_probes.items
    pages = (one.url for one in probes if one.response is not None and one.response.status in _GONE)
    return files.union(pages), hosts


def _offered(
    document: Document,
    links: PageLinks,
    idle: Sequence[Offender],
    lost: tuple[Collection[str], Collection[str]],
) -> Iterator[list[Offender]]:
    """Yield all that visitors can press, and the same with the files of the page; what works has no reason.

    Nothing is yielded where all of it works, as on nearly every page.
    """
    is_private = is_private_host(host(document.url))
    files = {one.url: one.node for one in document.references if one.kind in _FILES and not one.hidden}
    authorities = {*links.authorities, *(url.split("/", 3)[2] for url in files)}
    hosts = {one: host(f"http://{one}/") for one in authorities}
    gone = {one for one, name in hosts.items() if name in lost[1] or (not is_private and is_private_host(name))}
    buttons = [] if document.running_scripts else [one for one in document.named if one.node.tag == "button"]
    if not (gone or idle or lost[0] or buttons):
        return

    def judged(node: Node, url: str) -> Offender:
        is_dead = url.split("/", 3)[2] in gone or strip_fragment(url) in lost[0]
        return Offender(node, "leads to where nothing answers" if is_dead else "", url=url)

    parts = [judged(one.node, url) for one, url, _ in links.found if one.name and not one.hidden and _is_page(one)]
    if not document.running_scripts:
        names = {one.node: one.name for one in document.anchors} if idle else {}
        parts += {names.get(one.node) or one.node: one for one in idle}.values()
        for button in buttons:
            if button.name and not button.hidden:
                parts.append(Offender(button.node, "does nothing" if is_idle_button(button.node) else ""))
    yield parts
    yield [*parts, *(judged(node, url) for url, node in files.items())]


def _is_page(anchor: Anchor) -> bool:
    """Return whether a link leads to another place than one in the page itself."""
    href = anchor.href or ""
    return not href.startswith("#") and not _SPACED_SCRIPT.match(href.strip())


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
