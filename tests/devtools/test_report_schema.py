"""The published schema describes the reports that are really written."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from devtools import report_schema
from pagegrade.checks import all_checks
from pagegrade.library import evaluate
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.report.serialize import report_to_dict
from tests.contract.test_several_faults import FAULTS, mixed
from tests.examples import artifacts_of_example
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


@pytest.mark.parametrize("check", all_checks())
def test_the_example_of_every_check_has_the_published_shape(check: str) -> None:
    """Whatever artifacts it is of."""
    page = artifacts_of_example(all_checks()[check].documentation["Fails on"])

    assert read(report_to_dict(evaluate(page))).object == "report"


@pytest.mark.parametrize("check", FAULTS)
def test_a_page_with_several_faults_has_the_published_shape(check: str) -> None:
    """The entries of its evidence name states."""
    assert read(report_to_dict(evaluate(mixed(check, *FAULTS[check])))).object == "report"


def test_the_schema_takes_what_the_shape_takes() -> None:
    """Programs read the schema, not the types that it is made of."""
    report = json.loads(json.dumps(report_to_dict(evaluate(mixed("canonical", *FAULTS["canonical"])))))

    assert list(Draft202012Validator(report_schema.report_schema()).iter_errors(report)) == []


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
