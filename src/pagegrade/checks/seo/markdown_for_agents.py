from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import WellKnown
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import looks_like_html
from pagegrade.parse.http.headers import parse_media_type

_TYPES = frozenset({"text/markdown", "text/x-markdown"})


@check(
    id="markdown-for-agents",
    title="Markdown for agents",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("negotiated", "The page is served as Markdown to clients that ask for it."),
        State("linked", "The page links to a Markdown version of itself."),
        State("none", "The page is not offered as Markdown."),
        State(
            "unvaried",
            "The page is served as Markdown on request, but caches do not know that it depends on the request.",
            title="Add Vary: Accept to pages that are also served as Markdown",
            why="A shared cache may send the Markdown to browsers, or the HTML to agents.",
            fix="Send `Vary: Accept` with both versions of the page.",
        ),
        State(
            "mislabeled",
            "Clients that ask for Markdown get plain text by its media type.",
            title="Markdown is sent with another media type",
            why="Agents recognize Markdown by its media type, and may treat the answer as an error or as plain text.",
            fix="Send `Content-Type: text/markdown; charset=utf-8` with the Markdown version.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc7763",
        "https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1",
        "https://developers.cloudflare.com/fundamentals/reference/markdown-for-agents/",
    ),
)
def markdown_for_agents(document: Document, markdown_probe: WellKnown) -> Verdict:
    """Agents read Markdown with a fraction of the tokens that HTML takes.

    ## What it checks

    The page is requested once more with `Accept: text/markdown`, where robots.txt permits it: whether Markdown is sent
    under that type, and with `Vary: Accept`, so that caches keep the two versions apart. A `<link rel="alternate"
    type="text/markdown">` is noted as well. Few sites offer Markdown and few agents ask for it, so this is informative
    and costs nothing, and a page without Markdown is fine.

    ## Fails on

    ```http markdown_probe
    HTTP/2 200
    content-type: text/markdown; charset=utf-8

    # Garden furniture
    ```

    ## Passes on

    ```http markdown_probe
    HTTP/2 200
    content-type: text/markdown; charset=utf-8
    vary: Accept

    # Garden furniture
    ```
    """
    response = markdown_probe.response
    if response.status == 429 or response.status >= 500:
        return NotRun("http_error", f"The request for Markdown was answered with status {response.status}.")
    kind = parse_media_type(response.header("content-type") or "")
    name = "" if kind is None else kind.essence
    details = (
        Detail(code="status", actual=response.status),
        Detail(code="content_type", actual=name, limit="text/markdown"),
        Detail(code="wire_bytes", actual=response.wire_bytes),
    )
    where = Evidence(url=response.url, header="Content-Type", value=name or "no Content-Type")
    if 200 <= response.status < 300 and name in _TYPES:
        varied = {item.strip().lower() for value in response.header_values("vary") for item in value.split(",")}
        is_varied = not varied.isdisjoint({"accept", "*"})
        vary = Evidence(url=response.url, header="Vary", value=", ".join(sorted(varied))[:200] or "no Vary")
        return Outcome("negotiated" if is_varied else "unvaried", value=name, evidence=(where, vary), details=details)
    links = [
        link
        for link in document.links
        if "alternate" in link.rel and link.attrs.get("type", "").strip().lower() in _TYPES
    ]
    if links:
        evidence = tuple(document.evidence(link, url=link.url or "") for link in links[:10])
        return Outcome("linked", value=links[0].url, evidence=evidence, details=details)
    if 200 <= response.status < 300 and name == "text/plain" and not looks_like_html(response.body):
        return Outcome("mislabeled", value=name, evidence=(where,), details=details)
    return Outcome("none", value=name or None, details=details)
