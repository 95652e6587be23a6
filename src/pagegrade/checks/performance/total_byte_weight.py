from collections import Counter
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import Cap, State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.assets import Assets

GOOD_BYTES: Final = 1_600_000
BAD_BYTES: Final = 4_000_000
ENORMOUS_BYTES: Final = 15_000_000
"""More than a minute at 1.6 Mbit/s, the speed of a slow phone in Lighthouse."""
SHOWN: Final = 10


@check(
    id="total-byte-weight",
    title="Total page weight",
    severity=Severity.HIGH,
    cause="image-bytes",
    since="0.1.0",
    states=(
        State("light", "The page has a moderate total weight."),
        State(
            "heavy",
            "The page has a high total weight.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce the total page weight",
            why="Visitors with a slow or metered connection wait and pay for every megabyte.",
            fix=(
                "Look at the largest files in the list first: smaller images in modern formats, no video that "
                "plays automatically, and no script that the page does not use."
            ),
        ),
        State(
            "very_heavy",
            "The page has a very high total weight.",
            loss=1.0,
            title="Reduce the total page weight",
            why="Visitors with a slow or metered connection wait and pay for every megabyte.",
            fix=(
                "Look at the largest files in the list first: smaller images in modern formats, no video that "
                "plays automatically, and no script that the page does not use."
            ),
        ),
        State(
            "enormous",
            "The page weighs more than 15 megabytes.",
            loss=1.0,
            title="The page is too heavy for phones",
            why=(
                "On a slow connection it takes minutes, and on a metered one it costs real money; most visitors leave "
                "before it is there."
            ),
            fix=(
                'Load what is further down only when it is scrolled to (`loading="lazy"`), and give each image the '
                "size in which it is shown. Show a long series of pictures on several pages."
            ),
        ),
    ),
    cap=Cap(49, states=("enormous",)),
    sources=(
        "https://developer.chrome.com/docs/lighthouse/performance/total-byte-weight",
        "https://almanac.httparchive.org/en/2024/page-weight",
    ),
)
def total_byte_weight(response: Response, assets: Assets) -> Verdict:
    """All files that the page needs must be downloaded before it is complete.

    ## What it checks

    The bytes transferred for the HTML and for the scripts, stylesheets, images, frames and other files that it
    makes a browser fetch at once. Up to 1,600,000 bytes are fine, up to 4,000,000 cost in four steps, more costs
    everything; half of all pages on the web weigh about 2,600,000. From 15,000,000 on the page scores 49 at most.

    Left out is what may never be fetched: lazy images, other candidates of a `srcset`, and fonts and backgrounds that a
    stylesheet names. Files that scripts request cannot be seen here, so the number is a lower bound. When more than one
    in ten files could not be fetched within our limits, a low number proves nothing, and the check does not evaluate.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/hero.jpg" alt="A green chair">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/hero.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/hero.jpg", "status": 200, "wire_bytes": 3200000}
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/hero.webp" alt="A green chair">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/hero.webp",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/hero.webp", "status": 200, "wire_bytes": 180000}
        }
      ]
    }
    ```
    """
    if response.wire_bytes is None:
        return NotRun("not_measured", "The saved page does not include its transfer size.")
    counted = [item for item in assets.items if item.certain]
    total = response.wire_bytes + sum(item.wire_bytes for item in counted)
    loss = 1.0 if total > BAD_BYTES else 0.8 * meter_loss(total, GOOD_BYTES, BAD_BYTES, steps=4)
    if loss == 0 and len(assets.unseen) > (len(counted) + len(assets.unseen)) / 10:
        return NotRun(
            "budget",
            f"{amount(len(assets.unseen), 'file')} of the page could not be fetched.",
        )
    by_purpose: Counter[str] = Counter()
    for item in counted:
        by_purpose[item.purpose] += item.wire_bytes
    heaviest = sorted(counted, key=lambda item: (-item.wire_bytes, item.url))[:SHOWN] if loss > 0 else []
    return Outcome(
        "light" if loss == 0 else "heavy" if loss < 1 else "very_heavy" if total < ENORMOUS_BYTES else "enormous",
        value=total,
        evidence=tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason=item.purpose) for item in heaviest
        ),
        total=len(counted) if loss > 0 else 0,
        details=(
            Detail(code="wire_bytes", actual=total, limit=GOOD_BYTES),
            Detail(code="document_bytes", actual=response.wire_bytes),
            *(Detail(code=f"{name}_bytes", actual=size) for name, size in sorted(by_purpose.items())),
            Detail(code="files_not_fetched", actual=len(assets.unseen)),
        ),
        loss=loss,
        message=f"The page weighs at least {total:,} bytes in {amount(len(counted) + 1, 'file')}.",
    )
