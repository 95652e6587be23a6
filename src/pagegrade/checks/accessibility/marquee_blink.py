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
        State("still", "No text moves or blinks by an element."),
        State("moving", "Text moves or blinks.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/pause-stop-hide.html",
        "https://html.spec.whatwg.org/multipage/obsolete.html#the-marquee-element",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F47",
    ),
)
def marquee_blink(document: Document) -> Outcome:
    """Text that moves or blinks cannot be read by many people, and cannot be stopped.

    ## What it checks

    Elements `<marquee>` and `<blink>` that are shown; `aria-hidden` hides them from no one who sees. Empty ones count,
    because scripts may fill them. The loss grows from half (one element) to everything (ten or more). Whether a browser
    still moves the text is not evaluated: what it does with `<blink>` is up to scripts and styles.

    ## Why it matters

    Moving text draws the eye away from what people want to read, and those who read slowly never reach its end.

    ## How to fix

    Let the text stand still, and give it weight with a stylesheet.

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
        Offender(one.node, "moves by itself; no key stops it")
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
