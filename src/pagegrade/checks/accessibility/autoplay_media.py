from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

SHORT_S: Final = 3.0
"""Seconds of sound that need no button. Source: WCAG 2.2, 1.4.2."""
_MAX_NAME: Final = 100
"""Characters of the name of a button that are looked at."""
_SWITCHES: Final = tuple(
    word.replace("_", " ")
    for word in (
        "pause stop mute silence stumm anhalten ton_aus muet arrêter couper_le_son silenciar detener parar pausar muto "
        "ferma dempen wycisz zatrzymaj ztlumit vypnout пауза стоп ミュート 停止 静音 暂停 暫停 음소거 정지"
    ).split()
)
"""Names of buttons that stop a sound, in the languages of most pages; ``_`` stands for a blank."""


@check(
    id="autoplay-media",
    title="Autoplaying audio",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=False,
    states=(
        State("quiet", "No audio plays automatically without a control to stop it."),
        State(
            "loud",
            "Audio or video plays sound automatically without a control to stop it.",
            0.5,
            1.0,
            title="Media that play sound automatically without controls",
            why="The sound covers the voice of a screen reader, whose users then cannot find a way to stop it.",
            fix="Remove `autoplay`, add `controls`, or add `muted` to a video that is only decoration.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/audio-control.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/80f0bf/",
        "https://html.spec.whatwg.org/multipage/media.html#attr-media-autoplay",
    ),
)
def autoplay_media(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Sound that starts automatically interferes with screen readers.

    ## What it checks

    Elements `<audio>` and `<video>` with `autoplay` and a source, without `muted` and without `controls`, also hidden
    ones, which can be heard. Sound of up to three seconds is fine: its length is known only where the URL ends in a
    range such as `#t=8,10` and nothing repeats it. A start alone, such as `#t=25`, says nothing about the length, and a
    video without sound cannot be recognized. Where the page has a button whose name says that it stops or mutes,
    nothing is reported, because it may control the sound. The loss grows from half (one element) to everything (ten or
    more).

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
        return NotApplicable("The page plays no audio or video.")
    found = [
        Offender(player.node, "plays automatically, with sound and without controls")
        for player in players
        if "autoplay" in player.attrs
        and "muted" not in player.attrs
        and ("controls" not in player.attrs or player.hidden)
        and ("loop" in player.attrs or not all(_is_short(source) for source in player.sources))
    ]
    if found and _has_switch(document):
        found = []
    return counted(
        document,
        found,
        "quiet",
        "loud",
        "One player plays sound automatically without a control to stop it.",
        "{count} players play sound automatically without a control to stop it.",
    )


def _has_switch(document: Document) -> bool:
    """Return whether a button that people can reach says that it stops something."""
    names = (one.name[:_MAX_NAME].casefold() for one in document.named if one.role == "button" and not one.hidden)
    return any(word in name for name in names for word in _SWITCHES)


def _is_short(source: str) -> bool:
    """Return whether the URL asks for no more than three seconds.

    Source: https://www.w3.org/TR/media-frags/#naming-time
    """
    _, _, fragment = source.partition("#")
    for part in fragment.split("&"):
        name, _, value = part.partition("=")
        start, _, end = value.removeprefix("npt:").partition(",")
        if name == "t" and end:
            first, last = _seconds(start or "0"), _seconds(end)
            return first is not None and last is not None and 0 <= last - first <= SHORT_S
    return False


def _seconds(text: str) -> float | None:
    """``90``, ``1:30`` or ``0:01:30.5`` in seconds; ``None`` for anything else."""
    parts = text.split(":")
    if len(parts) > 3 or not all(part.replace(".", "", 1).isdecimal() and len(part) < 10 for part in parts):
        return None
    total = 0.0
    for part in parts:
        total = total * 60 + float(part)
    return total
