from __future__ import annotations

import json

import pytest

from pagegrade.model.manual_results import ManualResult
from pagegrade.render.criteria import by_criterion
from pagegrade.web.schemas.criterion import CriterionOfReport, criterion_object
from tests.report_builders import make_report
from tests.store_builders import NOW_MS


@pytest.mark.parametrize("number", ["1.4.5", "2.4.11"])
def test_the_object_is_as_described(number: str) -> None:
    """Every member, for a criterion with a recorded result, and for one that is too young for other standards."""
    manual = ManualResult(
        criterion="1.4.5", outcome="failed", note="x", evidence="", author="A", at_ms=NOW_MS, page_sha256=b""
    )
    report = make_report(manual=(manual,))
    result = next(one for one in by_criterion(report) if one.criterion.number == number)
    made = json.loads(criterion_object(result, 7))

    CriterionOfReport.model_validate(made)

    assert set(made) == set(CriterionOfReport.model_fields)
    assert (made["manual"] is None, made["section_508"]) == ((False, "E205.4") if number == "1.4.5" else (True, None))
