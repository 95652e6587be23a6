from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from jsonschema_rs import Draft202012Validator, meta
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from devtools.gen_docs import (
    METHODS,
    api_page,
    check_pages,
    cli_page,
    error_page,
    fill_readme,
    fill_scoring,
    pages,
    report_schema,
    settings_page,
    site_check_pages,
    stale,
    write,
)
from pagegrade.checks import all_checks, all_site_checks
from pagegrade.library import evaluate
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.report.serialize import report_from_dict, report_to_dict
from pagegrade.web.problems import PROBLEMS, TEXTS
from pagegrade.web.routes import describe_api
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


def test_every_operation_parameter_and_event_is_on_the_page() -> None:
    """By construction, from the description that programs read."""
    description = describe_api()
    api: dict[str, Any] = json.loads(description)
    page = api_page(description)
    operations = {
        f"`{method.upper()} {path}`" for path, item in api["paths"].items() for method in METHODS & item.keys()
    }

    assert operations
    assert sorted(re.findall(r"^(`[A-Z]+ /\S+`)$", page, re.MULTILINE)) == sorted(operations)
    assert [name for name in api["components"]["parameters"] if name not in page] == []
    assert [name for name in api["webhooks"] if f"| `{name}` |" not in page] == []


def test_members_of_a_body_say_their_type_and_whether_they_are_required() -> None:
    """Also where the schema is a reference, a choice or a list."""
    schema = {
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": {"type": "string", "description": "The page."},
            "tags": {"type": "array", "items": {"type": "integer"}, "description": "A|B"},
            "device": {"anyOf": [{"enum": ["mobile", "desktop"]}, {"type": "null"}]},
        },
    }
    operation = {
        "summary": "Create",
        "description": "Creates.",
        "tags": ["Reports"],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
        "responses": {"201": {"description": "Done."}},
    }
    page = api_page(
        json.dumps(
            {
                "info": {"description": "All."},
                "tags": [{"name": "Reports", "description": "One."}],
                "paths": {"/reports": {"post": operation}},
                "webhooks": {},
                "components": {"schemas": {"New": schema}},
            }
        )
    )

    assert "| `url` (required) | string | The page. |" in page
    assert "| `tags` | list of integer | A&#124;B |" in page
    assert "| `device` | `mobile` or `desktop` or null |  |" in page
    assert "| 201 | Done. |" in page


def test_every_check_has_a_page_and_a_row() -> None:
    """A check without documentation is a verdict without a reason."""
    made = dict(check_pages(all_checks()))
    table = made["checks/README.md"]

    assert set(made) == {f"checks/{name}.md" for name in all_checks()} | {"checks/README.md"}
    assert all(f"({name}.md)" in table for name in all_checks())
    assert table.count("| browser |") == sum(check.needs_browser for check in all_checks().values()) > 0


def test_every_check_of_a_site_has_a_page_and_a_row() -> None:
    """Each page says what the check needs, and every text of its states."""
    made = dict(site_check_pages(all_site_checks()))
    table = made["site-checks/README.md"]

    assert set(made) == {f"site-checks/{name}.md" for name in all_site_checks()} | {"site-checks/README.md"}
    assert all(f"({name}.md)" in table for name in all_site_checks())
    for name, check in all_site_checks().items():
        page = made[f"site-checks/{name}.md"]
        assert all(
            text in page for state in check.states for text in (state.message, state.title, state.why, state.fix)
        )
        assert page.count("not evaluated: ") == len(check.needs)


def test_a_page_shows_states_sections_and_sources() -> None:
    """Everything the declaration says is on the page."""
    check = next(iter(all_checks().values()))
    page = dict(check_pages(all_checks()))[f"checks/{check.id}.md"]

    assert all(state.message in page for state in check.states)
    assert any(state.fix for state in check.states)
    assert all(text in page for state in check.states for text in (state.title, state.why, state.fix))
    assert all(f"## {heading}" in page for heading in check.documentation)
    assert all(source in page for source in check.sources)


def test_every_failure_code_is_documented() -> None:
    """A code in a report can be looked up."""
    page = error_page()

    assert [code for code in FAILURE_CODES if f"`{code}`" not in page] == []


def test_every_problem_of_the_api_is_documented() -> None:
    """With its status, its causes and what to do."""
    page = error_page()

    assert [code for code, (status, _) in PROBLEMS.items() if f"`{code}`, HTTP {status}" not in page] == []
    assert all(step in page for text in TEXTS.values() for step in text.steps)


class Settings(BaseSettings):
    """One setting of each kind."""

    model_config = SettingsConfigDict(env_prefix="LAMP_")
    height_m: int = Field(default=40, description="How tall the tower is, in metres.")
    keeper: str = Field(description="Who trims the wicks.")
    oils: tuple[Annotated[str, Field(min_length=1)], ...] | None = Field(default=None, description="What may burn.")
    light: Literal["dim", "bright"] = Field(default="dim", description="How much.")
    turns: tuple[float, ...] = Field(default=(0.5, 2.0), description="How often, in turns a minute.")
    lit: bool = Field(default=True, description="Whether it burns.")
    code: SecretStr | None = Field(default=None, description="What opens the door.")


def test_every_setting_is_shown_as_it_is_written_in_the_environment() -> None:
    """Name with prefix, meaning, type and default."""
    page = settings_page(Settings)

    assert "## LAMP_HEIGHT_M\n\nHow tall the tower is, in metres.\n\nType: whole number; default: `40`." in page
    assert "## LAMP_KEEPER\n\nWho trims the wicks.\n\nType: text; default: none." in page
    assert "Type: list of text; default: unset." in page
    assert "Type: `dim` or `bright`; default: `dim`." in page
    assert "Type: list of number; default: `0.5,2`." in page
    assert "default: `true`." in page
    assert page.count("_FILE` names a file that holds it.") == 1
    assert "`LAMP_CODE_FILE` names" in page


def test_every_command_shows_its_arguments_and_options() -> None:
    """The texts of ``--help``, on one page."""
    app = typer.Typer(help="Tend a lighthouse.")

    @app.command()
    def light(hour: int, *, oil: str = typer.Option("whale", help="What to burn.")) -> None:
        """Light the lamp."""

    @app.command()
    def douse() -> None:
        """Put it out."""

    page = cli_page(app)

    assert page.index("## pagegrade douse\n\nPut it out.") < page.index("## pagegrade light\n\nLight the lamp.")
    assert "- `hour`" in page.lower()
    assert "- `--oil`: What to burn." in page


def test_a_changed_committed_page_is_stale(tmp_path: Path) -> None:
    """The schema in a review is the schema of the code."""
    made = {"report.schema.json": "{}\n", "errors.md": "x"}
    write(tmp_path, made, committed=True)
    before = stale(tmp_path, made)
    (tmp_path / "docs/reference/report.schema.json").write_text("{ }\n")

    assert before == []
    assert stale(tmp_path, made) == ["report.schema.json"]


def test_a_missing_committed_page_is_stale(tmp_path: Path) -> None:
    """Deleting it is not a way around the check."""
    assert stale(tmp_path, {"report.schema.json": "{}\n"}) == ["report.schema.json"]


def test_checking_does_not_write_what_is_committed(tmp_path: Path) -> None:
    """Otherwise the comparison would always succeed."""
    write(tmp_path, {"report.schema.json": "{}\n", "errors.md": "x"}, committed=False)

    assert [path.name for path in (tmp_path / "docs/reference").iterdir()] == ["errors.md"]


def test_numbers_of_the_score_are_filled_in_and_old_ones_are_stale(tmp_path: Path) -> None:
    """Checking says so and writes nothing; making writes them, and then they are as they should be."""
    page = tmp_path / "docs/explanation/scoring.md"
    page.parent.mkdir(parents=True)
    page.write_text("<!-- begin one: made from the code, do not edit -->\nold\n<!-- end one -->\n")
    made = {"one": "new"}
    changed = fill_scoring(tmp_path, made, checking=True)
    kept = page.read_text()
    fill_scoring(tmp_path, made, checking=False)

    assert changed
    assert "old" in kept
    assert "new" in page.read_text()
    assert not fill_scoring(tmp_path, made, checking=True)


def test_number_of_checks_is_filled_into_the_readme_and_an_old_one_is_stale(tmp_path: Path) -> None:
    """Adding a check leaves no number to be edited by hand, and other numbers stay."""
    readme = tmp_path / "README.md"
    readme.write_text("It runs 7 checks on pages, with Python 3.11.\n")

    assert fill_readme(tmp_path, 8, checking=True)
    assert readme.read_text() == "It runs 7 checks on pages, with Python 3.11.\n"

    fill_readme(tmp_path, 8, checking=False)

    assert readme.read_text() == "It runs 8 checks on pages, with Python 3.11.\n"
    assert not fill_readme(tmp_path, 8, checking=True)


def test_pages_of_checks_that_are_gone_are_removed(tmp_path: Path) -> None:
    """An old page would describe a check that does not run any more."""
    old = tmp_path / "docs/reference/checks/gone.md"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    write(tmp_path, {"checks/title.md": "new"}, committed=False)

    assert [path.name for path in old.parent.iterdir()] == ["title.md"]


def test_the_same_code_gives_the_same_pages() -> None:
    """Two machines must not fight over a committed file."""
    assert pages() == pages()
