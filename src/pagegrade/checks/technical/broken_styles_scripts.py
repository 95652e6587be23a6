from http import HTTPStatus
from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._file_types import essence_of, refuses_script, refuses_style
from pagegrade.model.artifacts import NotGathered, Resource, Resources, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import NO_HOST, load_error, sees_names
from pagegrade.parse.http.csp import CSP
from pagegrade.parse.http.integrity import Integrity, parse_integrity
from pagegrade.parse.party import Parties
from pagegrade.parse.secure_context import is_insecure_url, is_private_host
from pagegrade.parse.url import host

MANY: Final = 3
"""Missing files from which half of them missing means that the page does not work."""
INLINE_STYLES_CHARS: Final = 1_500
"""Rules in the page itself from which it is not bare without its files."""
_UNDECODABLE: Final = frozenset({"corrupt", "plain_body", "unknown_coding"})
"""Notes of a body that browsers refuse to decode, or hand on as nonsense."""


@check(
    id="broken-styles-scripts",
    title="Own styles and scripts",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("whole", "The page's own stylesheets and scripts can be loaded."),
        State(
            "some",
            "Some of the page's own stylesheets or scripts cannot be loaded.",
            loss=0.5,
            title="Own stylesheets or scripts that cannot be loaded",
            why="Parts of the page look or work differently from what was meant.",
            fix="Correct the listed URLs; on an HTTPS page they have to begin with `https:` or `/`.",
            counted=True,
        ),
        State(
            "most",
            "The page's own stylesheets and scripts are blocked or missing, so it cannot look or work as meant.",
            loss=1.0,
            title="The page loses its design: styles and scripts are blocked or missing",
            why="Visitors get a bare list of texts without layout, menus and functions, and most of them leave.",
            fix=(
                "Restore the missing files, or correct the folder that their URLs name. Browsers block files "
                "over `http:` on an "
                "HTTPS page: let all their URLs begin with `https:` or `/`."
            ),
        ),
    ),
    cause="broken-files",
    cap=Cap(49, states=("most",)),
    sources=(
        "https://www.w3.org/TR/mixed-content/",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5",
    ),
)
def broken_styles_scripts(
    document: Document, parties: Parties, csp: CSP | NotGathered, resources: Resources | NotGathered
) -> Verdict:
    """A page whose own stylesheets and scripts are blocked or missing cannot look or work as it was meant to.

    ## What it checks

    The stylesheets and scripts of the site itself that the HTML names: a file counts as lost when the page is served
    over HTTPS and names it over plain HTTP, which browsers block, when the answer has a status from 400 to 599, when
    its content is not compressed as its `Content-Encoding` says, when its host does not exist or cannot be looked up,
    when it lies at an address of the visitor's own machine or network, when browsers refuse its MIME type (a stylesheet
    that is not `text/css`, a module or a file with `nosniff` that is no JavaScript), or when it does not have the
    SHA-256 hash of its `integrity`. Some lost files cost half. It costs everything and limits the score when all
    stylesheets are lost and the page has next to no styles of its own, or when at least three files and half of all are
    lost.

    ## Fails on

    ```html
    <!doctype html><title>Curtains</title>
    <link rel="stylesheet" href="http://example.com/site.css"><script src="http://example.com/menu.js"></script>
    <h1>Curtains</h1>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Curtains</title>
    <link rel="stylesheet" href="/site.css"><script src="/menu.js"></script>
    <h1>Curtains</h1>
    ```
    """
    own = {
        one.url: one.kind
        for one in document.references
        if one.kind in {"stylesheet", "script"}
        and not one.lazy
        and not one.alternative
        and (parties.is_own(one.url) or _is_out_of_reach(document, one.url))
    }
    if not own:
        return NotApplicable("The page names no stylesheets and scripts of its own.")
    upgrades = not isinstance(csp, NotGathered) and csp.enforces("upgrade-insecure-requests")
    blocks = document.url.startswith("https:") and not upgrades
    fetched = {} if isinstance(resources, NotGathered) else resources.by_url()
    is_on_a_network = isinstance(resources, Resources) and sees_names(resources, document.url)
    lost = {url: "inside of one network only" for url in own if _is_out_of_reach(document, url)}
    modules, hashes = _modules(document), _hashes(document)
    for url, kind in own.items():
        found = fetched.get(url)
        why = _why_lost(url, found, blocks=blocks, is_on_a_network=is_on_a_network)
        if not why and found is not None and found.response is not None and found.response.status == HTTPStatus.OK:
            why = _why_refused(document, kind, found.response, module=url in modules)
            if not why and not all(integrity.may_fit(found.digest) for integrity in hashes.get(url, ())):
                why = "refused: the file has another hash than its integrity"
        if why:
            lost.setdefault(url, why)
    if not lost:
        return Outcome("whole", value=f"{len(own)} files" if len(own) > 1 else "1 file")
    sheets = [url for url, kind in own.items() if kind == "stylesheet"]
    inline = sum(len(style.text) for style in document.styles)
    foreign = any(
        one.kind == "stylesheet" and not one.lazy and not parties.is_own(one.url) and one.url not in own
        for one in document.references
    )
    is_bare = bool(sheets) and all(url in lost for url in sheets) and inline < INLINE_STYLES_CHARS and not foreign
    is_most = is_bare or (len(lost) >= MANY and 2 * len(lost) >= len(own))
    return Outcome(
        "most" if is_most else "some",
        value=part(len(lost), len(own), "file"),
        evidence=tuple(Evidence(url=url, reason=why, value=own[url]) for url, why in list(lost.items())[:MAX_EVIDENCE]),
        total=len(lost),
    )


def _is_out_of_reach(document: Document, url: str) -> bool:
    """Return whether a file lies on the visitor's own machine or network, and the page does not."""
    return is_private_host(host(url)) and not is_private_host(host(document.url))


def _modules(document: Document) -> frozenset[str]:
    """URLs of module scripts."""
    return frozenset(each.url.partition("#")[0] for each in document.scripts if each.kind == "module" and each.url)


def _hashes(document: Document) -> dict[str, list[Integrity]]:
    """The hashes that the page asks of its files, by URL."""
    hashes: dict[str, list[Integrity]] = {}
    loads = [(each.url, each.attrs) for each in document.scripts] + [(each.url, each.attrs) for each in document.links]
    for url, attrs in loads:
        if url and (integrity := parse_integrity(attrs.get("integrity", ""))) is not None:
            hashes.setdefault(url.partition("#")[0], []).append(integrity)
    return hashes


def _why_refused(document: Document, kind: str, response: Response, *, module: bool) -> str:
    """Return the MIME type for which browsers refuse the file; "" if they use it."""
    if kind == "stylesheet" and essence_of(response) == "text/html":
        return "an HTML page answers"
    if not response.headers_seen or response.wire_bytes == 0:
        return ""
    is_refused = (
        refuses_style(response, quirks=document.mode == "quirks")
        if kind == "stylesheet"
        else refuses_script(response, module=module)
    )
    return f"refused: its MIME type is {essence_of(response) or 'missing'}" if is_refused else ""


def _why_lost(url: str, fetched: Resource | None, *, blocks: bool, is_on_a_network: bool) -> str:
    """Return the reason why a browser cannot use the file; "" if it can, or if that is unknown."""
    if blocks and is_insecure_url(url):
        return "blocked: plain HTTP on an HTTPS page"
    if fetched is None:
        return ""
    response = fetched.response
    if response is None:
        return "no such host" if is_on_a_network and load_error(fetched) == NO_HOST else ""
    if 400 <= response.status <= 599 and response.status != 429 and response.header("cf-mitigated") is None:
        return f"status {response.status}"
    if response.truncated == "coding" and not _UNDECODABLE.isdisjoint(response.notes):
        return f"not compressed as its Content-Encoding says: {response.header('Content-Encoding')}"
    return ""
