from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="marquee-blink",
    title="Moving and blinking text",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("still", "No element makes text move or blink."),
        State(
            "moving",
            "Text moves or blinks.",
            0.5,
            1.0,
            title="Elements that move or blink",
            why=(
                "Moving text distracts from everything else, and slow readers never reach its end. It cannot be "
                "stopped."
            ),
            fix="Replace `<marquee>` and `<blink>` by static text, and emphasize it with a stylesheet.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/pause-stop-hide.html",
        "https://html.spec.whatwg.org/multipage/obsolete.html#the-marquee-element",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F47",
    ),
)
def marquee_blink(document: Document) -> Outcome:
    """Many people cannot read text that moves or blinks, and it cannot be stopped.

    ## What it checks

    Elements `<marquee>` and `<blink>` that are shown; `aria-hidden` hides them from no one who sees. Empty ones count,
    because scripts may fill them. The loss grows from half (one element) to everything (ten or more). Whether a browser
    still moves the text is not evaluated: what it does with `<blink>` is up to scripts and styles.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <marquee>Sale until Sunday</marquee>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <p><strong>Sale until Sunday</strong></p>
    ```
    """
    found = [
        Offender(one.node, "moves by itself and cannot be stopped")
        for one in document.obsolete
        if one.node.tag in {"marquee", "blink"} and not one.hidden
    ]
    return counted(
        document,
        found,
        "still",
        "moving",
        "One element moves or blinks.",
        "{count} elements move or blink.",
    )
