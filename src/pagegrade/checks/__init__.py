"""Artifacts -> outcomes: one file is one check is one pure function."""

from pagegrade.checks._check import Advice, Check, State
from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks, all_site_checks
from pagegrade.checks._run import Evaluated, run_checks
from pagegrade.checks._site_check import NEEDS, Need, SiteCheck
from pagegrade.model.outcome import Cap

__all__ = [
    "NEEDS",
    "Advice",
    "Cap",
    "Check",
    "Evaluated",
    "Facts",
    "Need",
    "SiteCheck",
    "State",
    "all_checks",
    "all_site_checks",
    "run_checks",
]
