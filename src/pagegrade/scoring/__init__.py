"""Losses -> scores: severities, causes, category budgets, caps, coverage; pure."""

from pagegrade.scoring.rules import EFFECTS, Rule, rules_of
from pagegrade.scoring.score import CategoryTotal, Observed, Scores, score

__all__ = ["EFFECTS", "CategoryTotal", "Observed", "Rule", "Scores", "rules_of", "score"]
