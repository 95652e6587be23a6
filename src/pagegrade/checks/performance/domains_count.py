from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity

GOOD: Final = 12
BAD: Final = 30


@check(
    id="domains-count",
    title="Number of hosts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("few", "The page loads files from few hosts."),
        State(
            "many",
            "The page loads files from many hosts.",
            loss=0.2,
            loss_max=0.8,
            title="Load files from fewer hosts",
            why=(
                "A DNS lookup, the connection and TLS take three round trips for each host: half a second on a "
                "slow phone."
            ),
            fix="Serve fonts, scripts and images from the page's own host, and drop services that are no longer used.",
        ),
        State(
            "too_many",
            "The page loads files from very many hosts.",
            loss=1.0,
            title="Load files from fewer hosts",
            why=(
                "A DNS lookup, the connection and TLS take three round trips for each host: half a second on a "
                "slow phone."
            ),
            fix="Serve fonts, scripts and images from the page's own host, and drop services that are no longer used.",
        ),
    ),
    sources=("https://web.dev/learn/performance/resource-hints",),
)
def domains_count(document: Document, resources: Resources | NotGathered) -> Verdict:
    """Each additional host needs a DNS lookup and another connection.

    ## What it checks

    The different hosts that the served HTML and its stylesheets make a browser contact at once, including the page's
    own. Up to 12 are fine, up to 30 cost in four steps, more costs everything; the limits are customary, no standard
    names one. Lazy images, candidates that a browser does not take, icons, and hosts that scripts call later are not
    counted.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 14 times -->
    <script src="https://host{n}.example/a.js" defer></script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/a.js" defer></script>
    ```
    """
    hosts: dict[str, str] = {document.url.split("/", 3)[2]: document.url}
    for url in _urls(document, resources):
        name = url.split("/", 3)[2]
        if name not in hosts:
            hosts[name] = url
    count = len(hosts)
    loss = 1.0 if count > BAD else 0.8 * meter_loss(count, GOOD, BAD, steps=4)
    return Outcome(
        "few" if loss == 0 else "many" if loss < 1 else "too_many",
        value=count,
        evidence=tuple(Evidence(value=name, url=url) for name, url in islice(hosts.items(), MAX_EVIDENCE))
        if loss > 0
        else (),
        total=count if loss > 0 else None,
        details=(Detail(code="hosts", actual=count, limit=GOOD),),
        loss=loss,
        message=f"The page loads files from {count} {'host' if count == 1 else 'hosts'}.",
    )


def _urls(document: Document, resources: Resources | NotGathered) -> list[str]:
    found = [
        reference.url
        for reference in document.references
        if not reference.lazy and not reference.alternative and reference.kind != "icon"
    ]
    if isinstance(resources, Resources):
        # Of the formats of a font a browser takes one: those that were fetched are the preferred ones.
        fetched = {item.url for item in resources.items}
        found += [named.url for named in resources.stylesheet_references if named.url in fetched]
    return found
