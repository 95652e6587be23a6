from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="video-poster",
    title="Video poster images",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("poster", "Every video has a poster image."),
        State(
            "bare",
            "Videos have no poster image.",
            title="Videos without a poster image",
            why="Until the first frame is loaded, visitors see an empty box.",
            fix="Name an image in the `poster` attribute, for example a still of the video.",
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/media.html#attr-video-poster",),
)
def video_poster(document: Document, accessibility: Accessibility) -> Verdict:
    """A poster image is shown in place of a video until it plays.

    ## What it checks

    `<video>` elements without `poster`, or with an empty one. Browsers then show the first frame as soon as they have
    it, or nothing. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Workshop</title>
    <video src="/workshop.mp4" controls></video>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Workshop</title>
    <video src="/workshop.mp4" poster="/workshop.jpg" controls></video>
    ```
    """
    videos = [player for player in accessibility.players if player.node.tag == "video" and not player.hidden]
    if not videos:
        return NotApplicable("The page has no video elements.")
    found = [Offender(video.node, "no poster") for video in videos if not video.attrs.get("poster", "").strip()]
    return Outcome(
        "bare" if found else "poster", value=len(found), evidence=evidence_of(document, found), total=len(found)
    )
