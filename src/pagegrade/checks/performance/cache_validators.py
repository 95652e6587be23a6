from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets
from pagegrade.parse.http.caching import read_cache_policy


@check(
    id="cache-validators",
    title="Cache validators (ETag, Last-Modified)",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("present", "The site's files have validators."),
        State(
            "missing",
            "Files of the site have no validators.",
            title="Static files without ETag or Last-Modified",
            why="Once its lifetime has expired, such a file is downloaded again although it has not changed.",
            fix="Let the web server send `ETag` or `Last-Modified`; every server can do so for files on disk.",
            counted=True,
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-8.8",),
)
def cache_validators(assets: Assets) -> Verdict:
    """With a validator a browser can ask whether its copy is still current instead of downloading the file again.

    ## What it checks

    Images, scripts, styles, fonts and media of the site's own domain that have neither an `ETag` nor a `Last-Modified`
    header. Files that may not be kept (`no-store`) and files that never change (`immutable`) need none. It is
    informative and costs nothing.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/shop.js", "status": 200, "wire_bytes": 9000}
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/shop.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/shop.js",
            "status": 200,
            "wire_bytes": 9000,
            "headers": [["Last-Modified", "Mon, 05 Jan 2026 12:00:00 GMT"]]
          }
        }
      ]
    }
    ```
    """
    evaluated = [item for item in assets.items if item.first_party and item.purpose not in ("frame", "other")]
    offenders: list[Asset] = []
    needed = 0
    for item in evaluated:
        policy = read_cache_policy(item.response)
        if policy.no_store or policy.immutable:
            continue
        needed += 1
        if not policy.has_validator:
            offenders.append(item)
    if not needed:
        return NotApplicable("No file of the site that needs a validator was fetched.")
    return Outcome(
        "missing" if offenders else "present",
        value=part(len(offenders), needed, "file"),
        evidence=tuple(Evidence(url=item.url, reason=item.purpose) for item in offenders[:MAX_EVIDENCE]),
        total=len(offenders) if offenders else None,
        details=(Detail(code="files_without_validator", actual=len(offenders)),),
    )
