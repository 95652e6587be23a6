"""Texts of a comparison: sentences about its scores and why they may not compare, and titles of its changes."""

from __future__ import annotations

from pagegrade.render.english import ENGLISH, Words
from pagegrade.render.escape import visible
from pagegrade.render.view import headline
from pagegrade.report.compare import Change, Comparison


def comparison_notes(comparison: Comparison) -> list[str]:
    """List the caveats of a comparison, one sentence each."""
    scores = ("–" if score is None else str(score) for score in (comparison.score_before, comparison.score_after))
    notes = (
        (
            comparison.same_ruleset,
            "The rules have changed since: the scores do not compare, and nothing is called new or fixed.",
        ),
        (comparison.same_url, "The baseline is about another URL."),
        (comparison.same_final_url, "The URL led to another page than before."),
    )
    exact = comparison.hidden_by_rounding
    more = "" if exact is None else f" ({exact[0]:.1f} → {exact[1]:.1f} before caps and rounding)"
    return [f"Score {' → '.join(scores)}{more}.", *(sentence for same, sentence in notes if not same)]


def change_title(change: Change, words: Words = ENGLISH, limit: int = 120) -> str:
    """Title of what changed; without its number where the change is one place, of which there may be more."""
    return headline(change.result, words, limit) if change.evidence is None else visible(change.result.title, limit)
