"""The published schema describes the reports that are really written."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from devtools import report_schema
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import make_failed_report, make_report, poisoned_report


def read(report: dict[str, Any]) -> report_schema.Report:
    """Read a written report by the published shape."""
    return msgspec.json.decode(json.dumps(report), type=report_schema.Report)


def test_a_completed_report_has_the_published_shape() -> None:
    """No member too many, none missing, every type right."""
    assert read(report_to_dict(make_report())).object == "report"


@pytest.mark.parametrize("code", sorted(FAILURE_CODES))
def test_a_failed_report_has_the_published_shape(code: str) -> None:
    """Whatever went wrong."""
    error = read(report_to_dict(make_failed_report(code))).error

    assert error is not None
    assert error.code == code


def test_hostile_text_does_not_change_the_shape() -> None:
    """Strings of a page stay strings."""
    assert read(report_to_dict(poisoned_report("\x00\u202e</script>"))).state == "completed"


@pytest.mark.parametrize("member", ["results", "run", "generated_at"])
def test_a_missing_member_is_noticed(member: str) -> None:
    """The shape is strict, or the tests above would prove nothing."""
    report = report_to_dict(make_report())
    del report[member]
    with pytest.raises(msgspec.ValidationError, match=member):
        read(report)


def test_an_unknown_member_is_noticed() -> None:
    """A new member comes with its line in the schema."""
    with pytest.raises(msgspec.ValidationError, match="surprise"):
        read({**report_to_dict(make_report()), "surprise": 1})


def test_the_schema_is_a_schema_of_an_object() -> None:
    """Programs find the draft, the title and the definitions where they look for them."""
    schema = report_schema.report_schema()

    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["$ref"] == "#/$defs/Report"
    assert "Result" in schema["$defs"]
