from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import AgentFiles, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.http.headers import parse_links

_TYPES: Final = frozenset({"application/linkset+json", "application/json"})


@check(
    id="api-catalog",
    title="API catalog",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("valid", "The site publishes a catalog of its APIs."),
        State(
            "invalid",
            "The site's API catalog cannot be read.",
            title="API catalog cannot be read",
            why="Programs that look for the site's APIs find none.",
            fix=(
                "Serve a linkset at `/.well-known/api-catalog` as `application/linkset+json`: an object whose "
                "`linkset` lists each API with its `anchor` and links to its description."
            ),
        ),
        State(
            "missing",
            "The page links to an API catalog that is not there.",
            title="API catalog is missing",
            why="Programs follow the link and find no catalog.",
            fix="Publish the catalog at `/.well-known/api-catalog`, or remove the link to it.",
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9727", "https://www.rfc-editor.org/rfc/rfc9264"),
)
def api_catalog(agent_files: AgentFiles, document: Document, response: Response) -> Verdict:
    """An API catalog lists the interfaces of a site for programs.

    ## What it checks

    `/.well-known/api-catalog` of the site, where there is one: that it is JSON with a `linkset` that is not empty. Its
    media type is `application/linkset+json`; `application/json` is accepted. A page that names a catalog (`Link` header
    or `<link rel="api-catalog">`) while the site has none is noted. Sites without a catalog, and applications that
    answer every URL with a page, are not evaluated. It is informative and costs nothing.

    ## Fails on

    ```json agent_files
    {"items": [{"kind": "api-catalog", "url": "https://example.com/.well-known/api-catalog", "status": 200,
      "media_type": "application/json", "faults": ["no linkset"]}]}
    ```

    ## Passes on

    ```json agent_files
    {"items": [{"kind": "api-catalog", "url": "https://example.com/.well-known/api-catalog", "status": 200,
      "media_type": "application/linkset+json", "entries": 3}]}
    ```
    """
    file = next((item for item in agent_files.items if item.kind == "api-catalog"), None)
    if file is None:
        return NotRun("skipped", "The robots.txt file does not permit to ask for an API catalog.")
    if file.failure is not None:
        return NotRun(file.failure.code, file.failure.detail)
    there = file.status is not None and 200 <= file.status < 300 and file.faults != ("html",)
    if there:
        faults = list(file.faults)
        if file.media_type not in _TYPES:
            faults.append(f"sent as {file.media_type or 'no media type'}")
        entries = "1 entry" if file.entries == 1 else f"{file.entries} entries"
        evidence = (Evidence(url=file.url, value=entries, reason="; ".join(faults) or file.media_type),)
        return Outcome("invalid" if faults else "valid", value=file.entries, evidence=evidence)
    named = [document.evidence(link, url=link.url or "") for link in document.links if "api-catalog" in link.rel]
    named += [
        Evidence(header="Link", value=link.target[:200])
        for link in parse_links(response.header_values("link"))
        if "api-catalog" in link.rel
    ]
    if named:
        return Outcome("missing", value=file.status, evidence=tuple(named[:10]), total=len(named[:10]))
    return NotApplicable("The site has no API catalog.")
