from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, NotApplicable, NotRun, Outcome, Severity

GOOD_WIRE_BYTES: Final = 100_000
GOOD_BYTES: Final = 330_000
BAD_BYTES: Final = 1_000_000


@check(
    id="page-size",
    title="HTML size",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("light", "The HTML has a moderate size."),
        State(
            "heavy",
            "The HTML is large.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce the size of the HTML",
            why="The browser shows nothing before the HTML arrives, and a phone is busy parsing it.",
            fix=(
                "Move large inline data, styles, scripts and images into files that can be cached, and split "
                "long lists over several pages."
            ),
        ),
        State(
            "very_heavy",
            "The HTML is very large.",
            loss=1.0,
            title="Reduce the size of the HTML",
            why="The browser shows nothing before the HTML arrives, and a phone is busy parsing it.",
            fix=(
                "Move large inline data, styles, scripts and images into files that can be cached, and split "
                "long lists over several pages."
            ),
        ),
    ),
    sources=("https://developer.mozilla.org/en-US/docs/Learn_web_development/Extensions/Performance/HTML",),
)
def page_size(response: Response) -> Verdict:
    """A browser has to download and parse all of the HTML.

    ## What it checks

    Two sizes of the HTML alone, without images, styles and scripts in files of their own: the transferred bytes, and
    the bytes after decompression. Up to 100,000 transferred bytes and 330,000 bytes decompressed is fine; above either
    it costs in four steps; more than 1,000,000 bytes decompressed cost everything. No standard names a limit. 330,000
    is the customary one; four of five real pages stay below it. The cost grows in steps, so that a few bytes of useful
    markup never cost a point.

    ## Fails on

    ```json navigation
    {
      "requested_url": "https://example.com/",
      "response": {"url": "https://example.com/", "status": 200, "body": "PCFkb2N0eXBlIGh0bWw+", "wire_bytes": 140000}
    }
    ```

    ## Passes on

    ```html
    <!doctype html><title>Garden furniture</title><p>Tables, chairs and benches.
    ```
    """
    decoded, wire = len(response.body), response.wire_bytes
    if decoded == 0:
        return NotApplicable("The answer has no body.")
    loss = _loss(decoded, GOOD_BYTES)
    if wire is not None:
        loss = max(loss, _loss(wire, GOOD_WIRE_BYTES))
    if response.truncated is not None and loss == 0:
        return NotRun("truncated", "The body did not arrive whole, so its size is not known.")
    size = f"{decoded:,} bytes" if response.truncated is None else f"at least {decoded:,} bytes"
    if wire is not None and wire < decoded:
        size = f"{size}, compressed to {wire:,} bytes"
    return Outcome(
        "light" if loss == 0 else "heavy" if loss < 1 else "very_heavy",
        value=decoded,
        details=(
            Detail(code="decoded_bytes", actual=decoded, limit=GOOD_BYTES),
            Detail(code="wire_bytes", actual=wire, limit=GOOD_WIRE_BYTES),
        ),
        loss=loss,
        message=f"The HTML has {size}.",
    )


def _loss(size_bytes: int, good_bytes: int) -> float:
    return 1.0 if size_bytes > BAD_BYTES else 0.8 * meter_loss(size_bytes, good_bytes, BAD_BYTES, steps=4)
