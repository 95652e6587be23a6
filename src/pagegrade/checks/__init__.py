"""Artifacts -> outcomes: one file is one check is one pure function."""

from pagegrade.checks._check import Check, State
from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import Evaluated, run_checks
from pagegrade.model.outcome import Cap

__all__ = ["Cap", "Check", "Evaluated", "Facts", "State", "all_checks", "run_checks"]
