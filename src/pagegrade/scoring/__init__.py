"""Losses -> scores: severities, causes, category budgets, caps, coverage; pure."""

from pagegrade.scoring.score import EFFECTS, CategoryTotal, Observed, Rule, Scores, rules_of, score

__all__ = ["EFFECTS", "CategoryTotal", "Observed", "Rule", "Scores", "rules_of", "score"]
