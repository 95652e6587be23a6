from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.model.document import Document, Frame
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import tabindex_of
from pagegrade.parse.aria.roles import first_role

FULL_AT: Final = 10
_NOTHING: Final = frozenset({"none", "presentation"})
_TINY: Final = frozenset({"0", "1", "0px", "1px"})


@check(
    id="frame-title",
    title="Frame titles",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("titled", "Every frame has a title."),
        State(
            "untitled",
            "Frames have no title.",
            0.5,
            1.0,
            title="Frames without a title",
            why=(
                "Screen readers read the URL or nothing, so users have to enter the frame to find out whether "
                "it is a video, a map or an advertisement."
            ),
            fix=(
                "Add a `title` that says what the frame shows:\n\n"
                "```html\n"
                '<iframe src="https://maps.example/embed" title="Map of the way to our shop"></iframe>\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/cae760/",
        "https://html.spec.whatwg.org/multipage/iframe-embed-object.html#the-iframe-element",
    ),
)
def frame_title(document: Document) -> Outcome | NotApplicable:
    """The title of a frame says what is embedded.

    ## What it checks

    `<iframe>` and `<frame>` elements: each needs a `title`, an `aria-label` or an `aria-labelledby` that leads to
    text. Frames that are hidden, marked with `role="none"`, taken out of the keyboard order with a negative
    `tabindex`, or of no more than 1 by 1 pixel are left out, because no one is meant to enter them. Browsers ignore
    `role="none"` beside a `tabindex` of 0 or more, so such a frame counts. The loss grows from half (one frame) to
    everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Contact</title>
    <iframe src="https://maps.example/embed"></iframe>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Contact</title>
    <iframe src="https://maps.example/embed" title="Map of the way to our shop"></iframe>
    ```
    """
    frames = [frame for frame in document.frames if _can_be_entered(frame)]
    if not frames:
        return NotApplicable("The page has no frames that people can enter.")
    untitled = [frame for frame in frames if not frame.name.strip()]
    if not untitled:
        return Outcome("titled", value=len(frames))
    count = len(untitled)
    return Outcome(
        "untitled",
        value=count,
        evidence=tuple(
            document.evidence(frame, reason="no title", url=frame.url or "") for frame in islice(untitled, MAX_EVIDENCE)
        ),
        total=count,
        loss=offender_loss(count, FULL_AT),
        message="One frame has no title." if count == 1 else f"{count} frames have no title.",
    )


def _can_be_entered(frame: Frame) -> bool:
    attrs = frame.attrs
    number = tabindex_of(attrs)
    if frame.hidden or (number is not None and number < 0):
        return False
    if number is None and first_role(attrs.get("role", "")) in _NOTHING:
        return False
    return not (attrs.get("width", "").strip() in _TINY and attrs.get("height", "").strip() in _TINY)
