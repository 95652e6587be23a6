from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.assets import Assets

GOOD_BYTES: Final = 120_000
BAD_BYTES: Final = 500_000

SHOWN: Final = 10


@check(
    id="js-size",
    cause="script-bytes",
    title="JavaScript size",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("light", "The scripts have a moderate size."),
        State(
            "heavy",
            "The scripts are large.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce JavaScript",
            why=(
                "Scripts must be downloaded, parsed and run before the page reacts. A phone needs a second for "
                "what a desktop runs in a tenth."
            ),
            fix=(
                "Remove libraries that are hardly used, split large bundles so that each page loads its own "
                "part, and review what every third-party service adds."
            ),
        ),
        State(
            "very_heavy",
            "The scripts are very large.",
            loss=1.0,
            title="Reduce JavaScript",
            why=(
                "Scripts must be downloaded, parsed and run before the page reacts. A phone needs a second for "
                "what a desktop runs in a tenth."
            ),
            fix=(
                "Remove libraries that are hardly used, split large bundles so that each page loads its own "
                "part, and review what every third-party service adds."
            ),
        ),
    ),
    sources=("https://web.dev/learn/performance/code-split-javascript",),
)
def js_size(document: Document, assets: Assets) -> Verdict:
    """Scripts cost twice: they have to be downloaded, and then parsed and run.

    ## What it checks

    The bytes transferred for all scripts that the HTML names, of the site and of others, since the page requests all of
    them. Up to 120,000 bytes are fine, up to 500,000 cost in four steps, more costs everything. Scripts that other
    scripts load cannot be seen here, so the number is a lower bound. Half of all pages on the web exceed 500,000 with
    everything that loads later.

    ## Why it matters

    A phone needs a second to parse and run what a desktop runs in a tenth.

    ## How to fix

    Remove libraries that are hardly used, split large bundles so that each page loads its own part, and review what
    every third-party service adds.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/a.js" defer></script>
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 320000},
          "decoded_bytes": 900000
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/a.js" defer></script>
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 40000},
          "decoded_bytes": 90000
        }
      ]
    }
    ```
    """
    scripts = assets.of("script")
    unseen = sum(url in assets.unseen for url in _named(document))
    if not scripts and not unseen:
        return NotApplicable("No script was fetched.")
    wire = sum(item.wire_bytes for item in scripts)
    decoded = sum(item.resource.decoded_bytes or 0 for item in scripts)
    loss = 1.0 if wire > BAD_BYTES else 0.8 * meter_loss(wire, GOOD_BYTES, BAD_BYTES, steps=4)
    if loss == 0 and unseen:
        return NotRun(
            "budget",
            f"{part(unseen, unseen + len(scripts), 'script')} could not be fetched.",
        )
    heaviest = sorted(scripts, key=lambda item: (-item.wire_bytes, item.url))[:SHOWN] if loss > 0 else []
    return Outcome(
        "light" if loss == 0 else "heavy" if loss < 1 else "very_heavy",
        value=wire,
        evidence=tuple(
            Evidence(
                url=item.url, value=f"{item.wire_bytes:,} bytes", reason="" if item.first_party else "another site"
            )
            for item in heaviest
        ),
        total=len(scripts) if loss > 0 else 0,
        details=(
            Detail(code="wire_bytes", actual=wire, limit=GOOD_BYTES),
            Detail(code="decoded_bytes", actual=decoded),
            Detail(code="third_party_bytes", actual=sum(i.wire_bytes for i in scripts if not i.first_party)),
            Detail(code="files", actual=len(scripts)),
        ),
        loss=loss,
        message=f"Scripts transfer {wire:,} bytes in {amount(len(scripts), 'file')}.",
    )


def _named(document: Document) -> set[str]:
    """Addresses of the scripts that the HTML names for use at once."""
    return {found.url for found in document.references if found.kind == "script" and not found.lazy}
