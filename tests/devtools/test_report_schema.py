"""The published schema describes the reports that are really written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from devtools.report_schema import report_schema
from pagegrade.checks import all_checks
from pagegrade.library import evaluate
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.report.serialize import report_from_dict, report_to_dict
from tests.contract.test_several_faults import FAULTS, mixed
from tests.examples import artifacts_of_example
from tests.golden.test_old_reports import REPORTS
from tests.report_builders import make_failed_report, make_report, poisoned_report

SCHEMA = report_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def faults(report: dict[str, Any]) -> list[str]:
    """List the places where a written report differs from the schema."""
    written = json.loads(json.dumps(report))
    return [f"{error.instance_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(written)]


def test_a_completed_report_has_the_published_shape() -> None:
    """No member too many, none missing, every type right."""
    assert faults(report_to_dict(make_report())) == []


@pytest.mark.parametrize("code", sorted(FAILURE_CODES))
def test_a_failed_report_has_the_published_shape(code: str) -> None:
    """Whatever went wrong."""
    assert faults(report_to_dict(make_failed_report(code))) == []


def test_hostile_text_does_not_change_the_shape() -> None:
    """Strings of a page stay strings."""
    assert faults(report_to_dict(poisoned_report("\x00\u202e</script>"))) == []


@pytest.mark.parametrize("check", all_checks())
def test_the_example_of_every_check_has_the_published_shape(check: str) -> None:
    """Whatever artifacts it is of."""
    page = artifacts_of_example(all_checks()[check].documentation["Fails on"])

    assert faults(report_to_dict(evaluate(page))) == []


@pytest.mark.parametrize("check", FAULTS)
def test_a_page_with_several_faults_has_the_published_shape(check: str) -> None:
    """The entries of its evidence name states."""
    assert faults(report_to_dict(evaluate(mixed(check, *FAULTS[check])))) == []


@pytest.mark.parametrize("path", REPORTS, ids=[path.stem for path in REPORTS])
def test_an_old_report_has_the_published_shape(path: Path) -> None:
    """Members that came later are absent from it."""
    assert faults(report_to_dict(report_from_dict(json.loads(path.read_text())))) == []


@pytest.mark.parametrize("member", ["results", "run", "generated_at"])
def test_a_missing_member_is_noticed(member: str) -> None:
    """The schema is strict, or the tests above would prove nothing."""
    report = report_to_dict(make_report())
    del report[member]

    assert faults(report) == [f'[]: "{member}" is a required property']


def test_an_unknown_member_is_noticed() -> None:
    """A new member comes with its description."""
    report = {**report_to_dict(make_report()), "surprise": 1}

    assert faults(report) == ["[]: Additional properties are not allowed ('surprise' was unexpected)"]


def test_the_schema_is_a_schema_of_an_object() -> None:
    """Programs find the draft, the title and the definitions where they look for them."""
    meta.validate(SCHEMA)

    assert SCHEMA["$schema"].endswith("2020-12/schema")
    assert SCHEMA["$ref"] == "#/$defs/Report"
    assert "CheckResult" in SCHEMA["$defs"]
    assert "#/components" not in json.dumps(SCHEMA)
