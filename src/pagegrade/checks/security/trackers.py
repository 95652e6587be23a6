from collections import Counter
from itertools import islice
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.party import Parties, tracking_purpose
from pagegrade.parse.url import host, is_http, registrable_domain

MAX_URLS: Final = 2_000
MANY: Final = 10
"""Companies from which on what they learn costs points."""
TOO_MANY: Final = 18
"""Companies from which on it costs everything."""
_PURPOSES: Final = {
    "analytics": "measures what visitors do",
    "advertising": "shows or measures advertisements",
    "": "runs code here",
}


@check(
    id="trackers",
    title="Trackers",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("none", "No known tracker is contacted while the page opens."),
        State(
            "contacted",
            "Trackers are contacted as soon as the page opens.",
            loss=0.05,
            title="Trackers are contacted before visitors can decide",
            why=(
                "These services learn who opens the page before anything could be asked. In the European Union and "
                "elsewhere that needs consent in most cases."
            ),
            fix=(
                "Load them only after visitors have agreed, or use services that do not recognize visitors. Your "
                "consent manager has to hold back the listed requests."
            ),
        ),
        State(
            "many",
            "Code of many other companies is loaded as soon as the page opens.",
            loss=0.25,
            loss_max=1.0,
            title="Many other companies are contacted before visitors can decide",
            why=(
                "Each of them learns who opens the page, each can read and change everything on it, and an intruder at "
                "one of them is an intruder here."
            ),
            fix=(
                "Remove the services that nobody looks at, and load the others only after visitors have agreed. Serve "
                "libraries and fonts from the site itself."
            ),
        ),
    ),
    sources=(
        "https://developer.mozilla.org/en-US/docs/Web/Privacy/Guides/Third-party_cookies",
        "https://eur-lex.europa.eu/eli/dir/2002/58/oj",
    ),
)
def trackers(document: Document, rendering: Rendering | NotGathered, parties: Parties) -> Verdict:
    """Services for analytics and advertising learn who opens the page.

    ## What it checks

    Requests to well-known services that recognize visitors, to measure what they do or to show them advertisements.
    Where a browser rendered the page, these are the requests that it made without a click, so before any visitor could
    have agreed; otherwise the files that the HTML makes a browser fetch at once. Services that the site serves from its
    own domain are not recognized, nor are those that count visits without recognizing visitors. Whether a law asks for
    consent depends on the service, its settings and the place; this check only shows what is contacted, and it costs
    half a point at most. Whatever the services are known for, code of ten or more other companies costs points, from
    the number of registrable domains that it comes from, and of 18 or more it costs everything.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script defer src="/shop.js"></script>
    ```
    """
    if isinstance(rendering, NotGathered):
        urls = [each.url for each in document.references if not (each.lazy or each.alternative)]
        code = [each.url for each in document.references if each.kind == "script" and not each.alternative]
    else:
        urls = [request.url for request in rendering.requests if is_http(request.url)]
        code = [request.url for request in rendering.requests if request.kind == "script" and is_http(request.url)]
    purposes: dict[str, str] = {}
    requests: Counter[str] = Counter()
    for url in islice(urls, MAX_URLS):
        name = host(url)
        purpose = tracking_purpose(name)
        if purpose is not None and not parties.is_own(url):
            purposes[name] = purpose
            requests[name] += 1
    foreign = Counter(host(url) for url in code[:MAX_URLS] if not parties.is_own(url))
    companies = {registrable_domain(name) or name for name in (*foreign, *requests)}
    is_many = len(companies) >= MANY
    shown = foreign | requests if is_many else requests
    return Outcome(
        "many" if is_many else "contacted" if requests else "none",
        value=len(companies) if is_many else len(requests),
        evidence=tuple(
            Evidence(value=name, reason=f"{_PURPOSES[purposes.get(name, '')]}, {amount(number, 'request')}")
            for name, number in shown.most_common(MAX_EVIDENCE)
        ),
        total=len(shown),
        details=(
            Detail(code="tracker_hosts", actual=len(requests)),
            Detail(code="companies", actual=len(companies), limit=MANY - 1),
        ),
        loss=0.25 + 0.75 * meter_loss(len(companies), MANY, TOO_MANY, steps=4) if is_many else None,
    )
