from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Outcome, Severity

MANY: Final = 4


@check(
    id="iframes-count",
    title="Embedded frames",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("few", "The page embeds few frames."),
        State(
            "many",
            "The page embeds many frames.",
            title="Load embedded frames on demand",
            why=(
                "Each frame loads a page of its own. A video player or a map often weighs more than the page around it."
            ),
            fix=(
                'Show a preview image that is replaced by the frame when it is clicked, or add `loading="lazy"` '
                "to frames further down."
            ),
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/iframe-embed-object.html#the-iframe-element",),
)
def iframes_count(document: Document) -> Verdict:
    """Each frame is a page of its own, with its own scripts and styles.

    ## What it checks

    The `<iframe>` and `<frame>` elements with a URL; frames without one are filled by scripts or by `srcdoc` and load
    nothing by themselves. More than four are reported. The message says how many of them have no `loading="lazy"`. It
    is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 6 times -->
    <iframe src="https://video.example/{n}" title="Film {n}"></iframe>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <iframe src="https://video.example/1" title="Film" loading="lazy"></iframe>
    ```
    """
    frames = [frame for frame in document.frames if (frame.url or "").startswith("http")]
    eager = sum(frame.attrs.get("loading", "").strip().lower() != "lazy" for frame in frames)
    many = len(frames) > MANY
    return Outcome(
        "many" if many else "few",
        value=len(frames),
        evidence=tuple(document.evidence(frame, url=frame.url or "") for frame in islice(frames, MAX_EVIDENCE)),
        total=len(frames),
        details=(
            Detail(code="frames", actual=len(frames), limit=MANY),
            Detail(code="eager_frames", actual=eager),
        ),
        message=_message(len(frames), eager),
    )


def _message(frames: int, eager: int) -> str:
    if not frames:
        return "The page embeds no frames."
    if frames == 1:
        if eager:
            return "The page embeds one frame, which loads at once."
        return "The page embeds one frame, which loads when it is needed."
    if not eager:
        return f"The page embeds {frames} frames; none of them load at once."
    if eager == frames:
        return f"The page embeds {frames} frames; all of them load at once."
    if eager == 1:
        return f"The page embeds {frames} frames; 1 of them loads at once."
    return f"The page embeds {frames} frames; {eager} of them load at once."
