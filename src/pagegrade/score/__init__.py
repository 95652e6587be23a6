"""Losses -> scores: weights, prices, caps, grades; pure."""

from pagegrade.score._score import Scores, Weighed, prices, score

__all__ = ["Scores", "Weighed", "prices", "score"]
