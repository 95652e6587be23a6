"""Texts of a comparison: sentences about its scores, why two runs are not compared, and titles of its changes."""

from __future__ import annotations

from typing import Final

from pagegrade.model.report import Basis
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.view import headline
from pagegrade.report.compare import Change, Comparison

_ONLY_NEWER: Final = N_("Only the newer one saw the page in a browser.")
_ONLY_OLDER: Final = N_("Only the older one saw the page in a browser.")
_DEVICES: Final = N_("The browser imitated different devices: %(before)s and %(after)s.")
_RULES: Final = N_("Different rules evaluated the page: %(before)s and %(after)s.")


def why_not_compared(before: Basis, after: Basis, words: Words = ENGLISH) -> str:
    """Return why two runs, the older one first, are not compared, in sentences; empty if they are."""
    sentences = []
    for difference in before.differences(after):
        if difference == "engine":
            sentences.append(words.gettext(_ONLY_NEWER if before.device is None else _ONLY_OLDER))
        elif difference == "device":
            sentences.append(words.gettext(_DEVICES, before=before.device, after=after.device))
        else:
            rules = {"before": visible(before.ruleset, 40), "after": visible(after.ruleset, 40)}
            sentences.append(words.gettext(_RULES, **rules))
    return " ".join(sentences)


def comparison_notes(comparison: Comparison) -> list[str]:
    """List the scores and the caveats of a comparison, one sentence each; reasons instead where nothing compares."""
    why = why_not_compared(*comparison.bases)
    if why:
        return ["The two are not compared.", why]
    scores = tuple("–" if score is None else str(score) for score in (comparison.score_before, comparison.score_after))
    exact = comparison.hidden_by_rounding
    more = "" if exact is None else f" ({exact[0]:.1f} → {exact[1]:.1f} before caps and rounding)"
    notes = [f"Score {' → '.join(scores)}{more}."]
    if not comparison.same_url:
        notes.append("The baseline is about another URL.")
    if not comparison.same_final_url:
        notes.append("The URL led to another page than before.")
    return notes


def change_title(change: Change, words: Words = ENGLISH, limit: int = 120) -> str:
    """Title of what changed; without its number where the change is one place, of which there may be more."""
    return headline(change.result, words, limit) if change.evidence is None else visible(change.result.title, limit)
