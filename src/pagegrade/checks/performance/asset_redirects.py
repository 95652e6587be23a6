from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Resources
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity

FULL_AT: Final = 10


@check(
    id="asset-redirects",
    title="Redirected files",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("direct", "The site's own files load without redirects."),
        State(
            "redirected",
            "Files of the site load through redirects.",
            loss=0.25,
            loss_max=1.0,
            title="Files that load through a redirect",
            why="Each redirect costs another round trip before the file starts to download.",
            fix="Write the final URL into the page or the stylesheet; the list shows both.",
            counted=True,
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4",),
)
def asset_redirects(resources: Resources) -> Verdict:
    """A redirect makes the browser send two requests for one file.

    ## What it checks

    Images, scripts, styles, fonts and other files whose URL lies on the site's own domain and that arrived only
    after at least one redirect. The first costs a quarter, ten cost everything. Frames are left out, since they are
    pages, and so are URLs of other sites: those redirect to the newest version or to a nearby server on purpose.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/old.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/new.js", "status": 200, "wire_bytes": 900},
          "hops": [{"url": "https://example.com/old.js", "status": 301}]
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/new.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/new.js", "status": 200, "wire_bytes": 900}
        }
      ]
    }
    ```
    """
    evaluated = [
        item for item in resources.items if item.first_party and item.response is not None and item.kinds != ("frame",)
    ]
    if not evaluated:
        return NotApplicable("No file of the site was fetched.")
    offenders = [item for item in evaluated if item.hops]
    count = len(offenders)
    if not count:
        return Outcome("direct", value=amount(len(evaluated), "file"))
    return Outcome(
        "redirected",
        value=part(count, len(evaluated), "file"),
        evidence=tuple(
            Evidence(
                url=item.url,
                value=item.response.url if item.response is not None else "",
                reason=f"{', '.join(str(hop.status) for hop in item.hops)}, named by {item.initiator_url}",
            )
            for item in offenders[:MAX_EVIDENCE]
        ),
        total=count,
        details=(Detail(code="redirected_files", actual=count, limit=0),),
        loss=min(1.0, 0.25 + 0.75 * (count - 1) / (FULL_AT - 1)),
    )
