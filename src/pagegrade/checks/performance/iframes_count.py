from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Outcome, Severity

MANY: Final = 4


@check(
    id="iframes-count",
    title="Frames",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("few", "The page embeds few other pages."),
        State("many", "The page embeds many other pages."),
    ),
    sources=("https://html.spec.whatwg.org/multipage/iframe-embed-object.html#the-iframe-element",),
)
def iframes_count(document: Document) -> Verdict:
    """Each frame is a page of its own, with its own scripts and styles.

    ## What it checks

    The `<iframe>` and `<frame>` elements with an address; frames without one are filled by scripts or by `srcdoc` and
    load nothing by themselves. More than four are said to be many. How many of them have no `loading="lazy"` is told
    as well. A fact to know; it costs nothing.

    ## Why it matters

    A video player or a map in a frame often weighs more than the page around it.

    ## How to fix

    Show a picture that is replaced by the frame when it is clicked, or let frames further down wait with
    `loading="lazy"`.

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
        return "The page embeds no other pages."
    if frames == 1:
        return f"The page embeds another page, which loads {'at once' if eager else 'when it is needed'}."
    if eager in {0, frames}:
        return f"The page embeds {frames} other pages; {'all' if eager else 'none'} of them load at once."
    return f"The page embeds {frames} other pages; {eager} of them {'loads' if eager == 1 else 'load'} at once."
