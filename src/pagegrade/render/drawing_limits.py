"""Sentences about what the limits of a rendering left out."""

from __future__ import annotations

from typing import Final

from pagegrade.model.rendering import RenderedPage
from pagegrade.render.english import N_, Words

_SENTENCES: Final = {
    "loads_cut": N_("There was no time for further loads."),
    "load_timeout": N_("Scripts kept the page busy; its load was cut off."),
    "unfinished": N_("The page did not finish loading; its load was cut off."),
    "requests_open": N_("The page kept waiting for answers; its load was cut off."),
    "nothing_painted": N_("The browser painted nothing of the page."),
    "look_timeout": N_("There was no time to record everything of the drawn page."),
    "axe_timeout": N_("The accessibility rules did not finish."),
    "frames_not_checked": N_("The contents of embedded frames were not checked."),
    "trace_cut": N_("The page did more than is recorded of a load."),
}
"""Note of a rendering -> its sentence; what other notes left out is said where it is missing."""


def drawing_limits(rendered: RenderedPage, words: Words) -> str:
    """Return the sentences for the notes of a rendering, in one line; empty when nothing was left out."""
    return " ".join(words.gettext(sentence) for note, sentence in _SENTENCES.items() if note in rendered.notes)
