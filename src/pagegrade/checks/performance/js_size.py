from pagegrade.checks._asset_size import evaluate_asset_size
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Severity
from pagegrade.parse.assets import Assets


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
    return evaluate_asset_size(document, assets, assets.of("script"), "script")
