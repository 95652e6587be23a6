from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="video-captions",
    title="Video captions",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("captioned", "Every video with sound has captions."),
        State(
            "uncaptioned",
            "Videos have no captions that can be detected in the page.",
            0.5,
            title="Videos without captions",
            why=(
                "Without captions a video is silent for people who are deaf, and for everyone who watches "
                "without sound."
            ),
            fix=(
                "Add a captions track, unless the captions are part of the picture:\n\n"
                "```html\n"
                '<track kind="captions" src="/talk.vtt" srclang="en" label="English">\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/captions-prerecorded.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/f51b46/",
        "https://html.spec.whatwg.org/multipage/media.html#the-track-element",
    ),
)
def video_captions(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Captions let people who cannot hear follow what is said in a video.

    ## What it checks

    Elements `<video>` with a source that are not hidden and not muted. Each should have a `<track kind="captions">`
    with a `src` among its children; subtitles translate speech and do not describe sounds. Captions inside the picture,
    embedded players, videos without sound and videos that only repeat a text of the page cannot be recognized in the
    page, so it never costs more than half. Whether a track holds the right words is not evaluated. Videos that get
    their source from a script are not evaluated.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <video src="tour.mp4" controls></video>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <video src="tour.mp4" controls><track kind="captions" src="tour.vtt" srclang="en"></video>
    ```
    """
    videos = [
        player
        for player in accessibility.players
        if player.node.tag == "video" and player.has_source and not player.hidden and "muted" not in player.attrs
    ]
    if not videos:
        return NotApplicable("The page has no videos with sound.")
    found = [
        Offender(player.node, "no track of the kind captions") for player in videos if "captions" not in player.tracks
    ]
    return counted(
        document,
        found,
        "captioned",
        "uncaptioned",
        "One video has no captions that can be detected in the page.",
        "{count} videos have no captions that can be detected in the page.",
        low=0.5,
        high=0.5,
    )
