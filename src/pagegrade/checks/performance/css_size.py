from typing import Final

from pagegrade.checks._asset_size import evaluate_asset_size
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Severity
from pagegrade.parse.assets import Asset, Assets

BAD_DECODED_BYTES: Final = 400_000


@check(
    id="css-size",
    cause="style-bytes",
    title="CSS size",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("light", "The stylesheets have a moderate size."),
        State(
            "heavy",
            "The stylesheets are large.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce CSS",
            why="The browser shows nothing until it has downloaded and parsed the stylesheets.",
            fix=(
                "Remove rules and frameworks that the page does not use, and load styles for rarely used parts "
                "only where they are needed."
            ),
        ),
        State(
            "very_heavy",
            "The stylesheets are very large.",
            loss=1.0,
            title="Reduce CSS",
            why="The browser shows nothing until it has downloaded and parsed the stylesheets.",
            fix=(
                "Remove rules and frameworks that the page does not use, and load styles for rarely used parts "
                "only where they are needed."
            ),
        ),
    ),
    sources=("https://web.dev/learn/performance/optimize-resource-loading",),
)
def css_size(document: Document, assets: Assets) -> Verdict:
    """A browser renders nothing before it has read the stylesheets.

    ## What it checks

    The bytes transferred for all stylesheets that the page uses, with those that they import, and their size after
    decompression. Up to 120,000 bytes are fine; above that it costs in four steps, and more than 400,000 bytes
    decompressed cost everything. Styles inside the page and sheets for printing are not counted.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="stylesheet" href="/a.css">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 320000},
          "decoded_bytes": 900000
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="stylesheet" href="/a.css">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 40000},
          "decoded_bytes": 90000
        }
      ]
    }
    ```
    """
    sheets = [item for item in assets.of("stylesheet") if _is_used(item, document)]
    return evaluate_asset_size(document, assets, sheets, "stylesheet", bad_decoded_bytes=BAD_DECODED_BYTES)


def _is_used(item: Asset, document: Document) -> bool:
    """Return true if the HTML names it for screens, or another sheet imports it."""
    return item.certain or item.resource.initiator_url != document.url
