from collections.abc import Iterable, Iterator
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, evidence_of, in_state
from pagegrade.model.document import Document, ElementFact, Link
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.page_content import form_of
from pagegrade.parse.secure_context import is_private_host
from pagegrade.parse.url import host, is_http

MIN_LOADS: Final = 5
"""Files from which half of all that the page loads decide whether it can look and work as meant."""
_FIELDS: Final = frozenset({"text", "email", "tel", "search", "password", "number", "textarea", "url", "date"})
_LOADED: Final = frozenset({"stylesheet", "icon", "apple-touch-icon", "preload", "modulepreload", "manifest"})


@check(
    id="localhost-links",
    title="Localhost and private network links",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("public", "Everything on the page leads to public URLs."),
        State(
            "links",
            "Links lead to URLs that work inside one network only.",
            loss=0.19,
            title="Links to localhost or a private network",
            why="Visitors outside of that network get an error when they follow these links.",
            fix=(
                "Replace the host by that of the public site, or leave out scheme and host: `/chairs`. Ignore "
                "this if the page is a manual for such a device."
            ),
            counted=True,
        ),
        State(
            "loads",
            "The page loads from, or sends forms to, addresses inside one network only.",
            loss=0.38,
            title="Resources loaded from localhost or a private network",
            why=(
                "These files or forms do not work for visitors, and browsers may ask them for access to their "
                "local network."
            ),
            fix=(
                "Replace the host by that of the public site, or leave out scheme and host. Look for a site URL "
                "setting that was left as it was during development."
            ),
            counted=True,
        ),
        State(
            "broken",
            "Most of what the page loads, or what its visitors type, goes to addresses inside one network only.",
            loss=1.0,
            title="The page depends on localhost or a private network",
            why="Visitors get a page without its files, and nothing that they send arrives.",
            fix=(
                "Replace the host by that of the public site in the settings of the site and in the listed places. "
                "A site that was moved from a development machine keeps its old URLs in its settings and database."
            ),
            counted=True,
        ),
    ),
    cap=Cap(49, states=("broken",)),
    sources=("https://www.rfc-editor.org/rfc/rfc6761#section-6.3", "https://www.rfc-editor.org/rfc/rfc1918"),
)
def localhost_links(document: Document, page_links: PageLinks) -> Verdict:
    """URLs of a development machine or a private network do not work for visitors.

    ## What it checks

    Links, forms and everything the page loads: none may lead to `localhost`, to a name that ends with `.localhost`,
    `.local`, `.internal`, `.home.arpa` or `.test`, to one of a private network such as `.lan` and `.corp`, or to an
    address that is not public, such as `127.0.0.1` or `192.168.0.1`. What is loaded or sent there fails; a link is a
    warning, because instructions for a router or for developers may mean it. Scripts, stylesheets, images and frames at
    a `file:` URL fail as well: they lie on the disk of the author of the page, and browsers load none of them for a
    page of the web. A page of which at least five files and half of all are there, or whose form sends what visitors
    type there, scores 49 at most. Addresses that are only text do not count. A page at such an address is not
    evaluated.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <img src="http://localhost:3000/chair.jpg" alt="A chair">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <img src="/chair.jpg" alt="A chair">
    ```
    """
    if is_private_host(host(document.url)):
        return NotApplicable("The page itself has an address that is not public.")
    # Canonical addresses of one host start alike, and a page names few hosts.
    named = {*page_links.authorities, *(fact.url.split("/", 3)[2] for fact in document.references)}
    named.update(form.url.split("/", 3)[2] for form in document.forms if is_http(form.url))
    local = {authority for authority in named if is_private_host(_host_of(authority))}
    on_disk = [Offender(fact.node, "a file of the visitor's own disk", url=url) for fact, url in _on_disk(document)]
    if not named and not on_disk:
        return NotApplicable("The page names no URL of a server.")
    if not local and not on_disk:
        return Outcome("public", value=0)

    def found(pairs: Iterable[tuple[ElementFact, str]], reason: str) -> list[Offender]:
        return [Offender(fact.node, reason, url=url) for fact, url in pairs if url.split("/", 3)[2] in local]

    loads = on_disk + found(((fact, fact.url) for fact in document.references), "loads from there")
    loads += found(((form, form.url) for form in document.forms if is_http(form.url)), "sends its fields there")
    lost = {one.url for one in loads}.intersection(
        (*(fact.url for fact in document.references), *(one.url for one in on_disk))
    )
    whole = len({fact.url for fact in document.references} | lost)
    is_bare = len(lost) >= MIN_LOADS and 2 * len(lost) >= whole
    typed = _typed_into(document)
    sends = {form.node for form in document.forms if form.node in typed}
    broken = [one for one in loads if is_bare or one.node in sends]
    links = found(((anchor, url) for anchor, url, _ in page_links.found), "a link to one network only")
    if loads:
        links = [in_state(link, "links") for link in links]
    if broken:
        loads = [*broken, *(in_state(one, "loads") for one in loads if one not in broken)]
    every = [*loads, *links]
    return Outcome(
        "broken" if broken else "loads" if loads else "links",
        value=len(every),
        evidence=evidence_of(document, every),
        total=len(every),
        count=len(broken) or len(loads) or len(links),
    )


def _typed_into(document: Document) -> set[object]:
    """The forms into which visitors type something."""
    return {form_of(one) for one in document.controls if one.type in _FIELDS and not one.hidden}


def _on_disk(document: Document) -> Iterator[tuple[ElementFact, str]]:
    for facts in (document.scripts, document.links, document.images, document.frames):
        for fact in facts:
            url = fact.url or ""
            if url.startswith("file:") and not (isinstance(fact, Link) and _LOADED.isdisjoint(fact.rel)):
                yield fact, url


def _host_of(authority: str) -> str:
    """The host of a canonical URL's authority, which most consist of."""
    return host(f"http://{authority}/") if "@" in authority or ":" in authority else authority
