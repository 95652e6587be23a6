"""Artifacts -> outcomes: one file is one check is one pure function."""

from pagegrade.model.report import CATEGORIES

CATEGORY_ORDER = tuple(CATEGORIES)
