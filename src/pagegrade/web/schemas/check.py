"""The catalogue of checks."""

from __future__ import annotations

from typing import Annotated

from pagegrade.model.report import RULESET
from pagegrade.model.schema import Count, about
from pagegrade.service.catalogue import CheckDocumentation, CheckItem
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import Document


class Check(CheckItem, frozen=True, kw_only=True):
    """A check with its documentation."""

    documentation: Annotated[CheckDocumentation, about("The check explained.")]


class CatalogueMeta(Document, frozen=True, kw_only=True):
    """About the catalogue."""

    total: Annotated[Count, about("Number of checks.", 67)]
    ruleset: Annotated[str, about("Version of the checks, severities and caps.", RULESET)]


class CheckAnswer(Answer, frozen=True, kw_only=True):
    """One check."""

    data: Annotated[Check, about("The check.")]


class CheckList(Answer, frozen=True, kw_only=True):
    """The whole catalogue of checks."""

    data: Annotated[list[CheckItem], about("The checks, in the order of the catalogue.")]
    meta: Annotated[CatalogueMeta, about("Metadata of the catalogue.")]
