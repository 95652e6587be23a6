from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="autoplay-media",
    title="Sound that starts by itself",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("quiet", "Nothing plays sound by itself without a way to stop it."),
        State("loud", "Audio or video plays sound by itself without a way to stop it.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/audio-control.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/80f0bf/",
        "https://html.spec.whatwg.org/multipage/media.html#attr-media-autoplay",
    ),
)
def autoplay_media(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Sound that starts by itself drowns the voice of a screen reader.

    ## What it checks

    Elements `<audio>` and `<video>` with `autoplay` and a source, without `muted` and without `controls`. Sound of up
    to three seconds would be fine, but its length cannot be seen. The loss grows from half (one element) to everything
    (ten or more).

    ## Why it matters

    Whoever listens to a screen reader cannot find the button that stops the noise, because the noise covers it.

    ## How to fix

    Remove `autoplay`, add `controls`, or mute what is only decoration.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <audio src="jingle.mp3" autoplay></audio>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <audio src="jingle.mp3" controls></audio>
    ```
    """
    players = [player for player in accessibility.players if player.has_source]
    if not players:
        return NotApplicable("The page plays no audio or video of its own.")
    found = [
        Offender(player.node, "plays by itself, with sound and without controls")
        for player in players
        if "autoplay" in player.attrs and "muted" not in player.attrs and "controls" not in player.attrs
    ]
    return counted(
        document,
        found,
        "quiet",
        "loud",
        "One player plays sound by itself without a way to stop it.",
        "{count} players play sound by themselves without a way to stop them.",
    )
