from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, evidence_of, in_state
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document, ElementFact, Node
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.assets import load_error, may_lack_a_network, sees_names
from pagegrade.parse.url import host, is_http, join_url, same_site

MIN_ASKED: Final = 2


@check(
    id="base-element",
    title="Base URL",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("sound", "No base element changes the page's URLs unexpectedly."),
        State(
            "several",
            "The page has more than one base element; browsers use the first.",
            loss=0.5,
            title="Several base elements",
            why="The second element has no effect, so relative URLs may lead elsewhere than its author meant.",
            fix="Keep one `<base>`, as the first element with a URL in the head.",
        ),
        State(
            "late",
            "The base element comes after URLs that it changes.",
            loss=0.5,
            title="Base element comes too late",
            why=(
                "Browsers may start to load files before they meet the element, and then load them twice or "
                "from the wrong place."
            ),
            fix="Move `<base>` to the beginning of the head, before every element with a URL.",
        ),
        State(
            "foreign",
            "The base element makes the page's URLs lead to another site.",
            loss=0.75,
            title="Base element points to another site",
            why=(
                "All relative links, forms and scripts lead to the other site. An injected `<base>` is also a "
                "way to redirect scripts."
            ),
            fix="Remove the element, or point it to your own site.",
        ),
        State(
            "unusable",
            "The base element has a URL that browsers do not accept.",
            loss=0.9,
            title="Base element has an invalid URL",
            why="Browsers ignore it, so relative URLs lead elsewhere than intended.",
            fix="Use an `http:` or `https:` URL, or remove the element.",
        ),
        State(
            "dead",
            "The base element leads all of the page's URLs to a host where nothing answers.",
            loss=1.0,
            title="Base element points to a host that does not answer",
            why="No picture and no style of the page loads, and every link of it ends in an error.",
            fix="Remove the element, or point it to your own site. It is usually left over from a test or an export.",
        ),
    ),
    cap=Cap(49, states=("dead",)),
    sources=("https://html.spec.whatwg.org/multipage/semantics.html#the-base-element",),
)
def base_element(document: Document, resources: Resources | NotGathered) -> Outcome:
    """A base element changes the target of every relative URL of the page.

    ## What it checks

    Whether there is at most one `<base>`, whether one with `href` comes before every other element with a URL, whether
    it stays on the same site (the same registered domain), and whether its URL is one that browsers accept for it,
    which are those with `http:` and `https:`. A page without `<base>` passes. A base on another site from which not
    one of the page's files could be loaded, and at least two were asked for, limits the score to 49.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <head>
    <title>Garden furniture</title>
    <link rel="stylesheet" href="style.css">
    <base href="/shop/">
    </head>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <head>
    <base href="/shop/">
    <title>Garden furniture</title>
    <link rel="stylesheet" href="style.css">
    </head>
    ```
    """
    bases = document.bases
    addressed = [base for base in bases if "href" in base.attrs]
    found = list(_of_address(document, resources, addressed[0])) if addressed else []
    found += [Offender(base.node, "another base element", state="several") for base in bases[1:]]
    if not found:
        return Outcome("sound", value=len(bases))
    state = found[0].state
    listed = [in_state(one, "") if one.state == state else one for one in found]
    return Outcome(state, value=len(bases), evidence=evidence_of(document, listed), total=len(found))


def _of_address(document: Document, resources: Resources | NotGathered, base: ElementFact) -> Iterator[Offender]:
    """Describe the effect of the first base element with a URL."""
    written = base.attrs["href"].strip()
    url = join_url(document.url, written)
    if url is None or not is_http(url):
        yield Offender(base.node, "not a URL for a base", written, state="unusable")
    elif not same_site(url, document.url):
        is_dead = isinstance(resources, Resources) and _is_dead(host(url), resources, document.url)
        yield Offender(base.node, "another site", url=url, state="dead" if is_dead else "foreign")
    place = _place(base.node)
    if place is not None and any(
        earlier is not None and earlier < place for earlier in map(_place, _with_address(document))
    ):
        yield Offender(base.node, "stands after other URLs", state="late")


def _is_dead(name: str, resources: Resources, page: str) -> bool:
    """Return whether every file that was asked for at a host failed, for no reason of ours."""
    asked = [one for one in resources.items if host(one.url) == name]
    known = sees_names(resources, page) or not any(map(may_lack_a_network, asked))
    return known and len(asked) >= MIN_ASKED and all(map(load_error, asked))


def _with_address(document: Document) -> Iterator[Node]:
    """The elements with an address that may come early: the first of each kind is enough, as they stand in order."""
    kinds = (
        (link.node for link in document.links if link.href),
        (script.node for script in document.scripts if script.attrs.get("src")),
        (anchor.node for anchor in document.anchors if anchor.href),
        (image.node for image in document.images if image.attrs.get("src")),
    )
    for nodes in kinds:
        first = next(nodes, None)
        if first is not None:
            yield first


def _place(node: Node) -> tuple[int, int] | None:
    line, column = node.source_line, node.source_col
    return None if line is None or column is None else (line, column)
