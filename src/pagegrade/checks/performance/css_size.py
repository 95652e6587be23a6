from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets

GOOD_BYTES: Final = 120_000
BAD_BYTES: Final = 500_000
BAD_DECODED_BYTES: Final = 400_000
SHOWN: Final = 10


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

    ## Why it matters

    Text and images are not shown until all stylesheets are there.

    ## How to fix

    Remove rules and frameworks that the page does not use, and load styles for rarely used parts only where they are
    needed.

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
    unseen = sum(url in assets.unseen for url in _named(document))
    if not sheets and not unseen:
        return NotApplicable("No stylesheet was fetched.")
    wire = sum(item.wire_bytes for item in sheets)
    decoded = sum(item.resource.decoded_bytes or 0 for item in sheets)
    loss = 1.0 if decoded > BAD_DECODED_BYTES else 0.8 * meter_loss(wire, GOOD_BYTES, BAD_BYTES, steps=4)
    if loss == 0 and unseen:
        return NotRun(
            "budget",
            f"{part(unseen, unseen + len(sheets), 'stylesheet')} could not be fetched.",
        )
    heaviest = sorted(sheets, key=lambda item: (-item.wire_bytes, item.url))[:SHOWN] if loss > 0 else []
    return Outcome(
        "light" if loss == 0 else "heavy" if loss < 1 else "very_heavy",
        value=wire,
        evidence=tuple(
            Evidence(
                url=item.url, value=f"{item.wire_bytes:,} bytes", reason="" if item.first_party else "another site"
            )
            for item in heaviest
        ),
        total=len(sheets) if loss > 0 else 0,
        details=(
            Detail(code="wire_bytes", actual=wire, limit=GOOD_BYTES),
            Detail(code="decoded_bytes", actual=decoded, limit=BAD_DECODED_BYTES),
            Detail(code="third_party_bytes", actual=sum(i.wire_bytes for i in sheets if not i.first_party)),
            Detail(code="files", actual=len(sheets)),
        ),
        loss=loss,
        message=f"Stylesheets transfer {wire:,} bytes in {amount(len(sheets), 'file')}, {decoded:,} uncompressed.",
    )


def _named(document: Document) -> set[str]:
    """Addresses of the stylesheets that the HTML names for use at once."""
    return {found.url for found in document.references if found.kind == "stylesheet" and not found.lazy}


def _is_used(item: Asset, document: Document) -> bool:
    """Named by the HTML for screens, or imported."""
    return item.certain or item.resource.initiator_url != document.url
