from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema_rs import meta
from msgspec import Struct
from msgspec.structs import replace
from openapi_spec_validator import OpenAPIV31SpecValidator

from pagegrade.web.api import checks
from pagegrade.web.http.body import JSON
from pagegrade.web.openapi.build import answer_examples, answer_headers, build_openapi, path_names, problem_codes
from pagegrade.web.openapi.components import ANSWER_HEADERS, TAGS
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.problems import PROBLEMS, statuses_of
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.schemas.report import ReportAnswer
from tests.web.documents_check import description, faults_of_value, resolved

DESCRIBED = [operation for operation in ALL_OPERATIONS if operation.path.startswith("/api/")]
BY_NAME = {operation.name: operation for operation in ALL_OPERATIONS}


def described(operation: Operation) -> dict[str, Any]:
    """The operation object."""
    found: dict[str, Any] = description()["paths"][operation.path][operation.method.lower()]
    return found


def examples() -> list[tuple[str, dict[str, Any], Any]]:
    """(where, schema, value) of everything in the description that is an example of a schema."""
    found: list[tuple[str, dict[str, Any], Any]] = []
    for operation in DESCRIBED:
        whole = described(operation)
        contents = [(status, resolved(answer).get("content", {})) for status, answer in whole["responses"].items()]
        contents.append(("body", whole.get("requestBody", {}).get("content", {})))
        for part, content in contents:
            for media in content.values():
                for name, example in media.get("examples", {}).items():
                    place = f"{operation.name} {part} {name}"
                    found.append((place, media["schema"], resolved(example)["value"]))
        for reference in whole.get("parameters", ()):
            parameter = resolved(reference)
            values = [example["value"] for example in parameter.get("examples", {}).values()]
            values += [parameter["example"]] if "example" in parameter else []
            found += [(f"{operation.name} {parameter['name']}", parameter["schema"], value) for value in values]
    headers = description()["components"]["headers"]
    return found + [(name, header["schema"], header["example"]) for name, header in headers.items()]


def test_it_is_valid_by_the_specification() -> None:
    """By the OpenAPI 3.1 schema, with every reference and every schema in it."""
    assert [error.message for error in OpenAPIV31SpecValidator(description()).iter_errors()] == []


def test_every_schema_is_valid_by_its_own_specification() -> None:
    """JSON Schema 2020-12."""
    for schema in description()["components"]["schemas"].values():
        meta.validate(schema)


def test_every_example_is_what_its_schema_says() -> None:
    """Nothing undocumented in them, nothing missing, nothing of another type."""
    found = examples()
    wrong = {place: faults for place, schema, value in found if (faults := faults_of_value(schema, value))}

    assert len(found) > 200
    assert wrong == {}


def test_every_reference_leads_somewhere() -> None:
    """And everything shared is used."""
    text = json.dumps(description())
    named = set(re.findall(r'"\$ref": "#/components/([^"]+)"', text))
    there = {
        f"{kind}/{name}"
        for kind, parts in description()["components"].items()
        for name in parts
        if kind != "securitySchemes"
    }

    assert named - there == set()
    assert there - named - {f"headers/{name}" for name in ANSWER_HEADERS} == set()


def test_what_is_described_is_what_lies_below_api() -> None:
    """Pages and what operators look at are left out."""
    there = {(operation.path, operation.method.lower()) for operation in DESCRIBED}
    found = {(path, method) for path, methods in description()["paths"].items() for method in methods}

    assert found == there
    assert PAGES not in {operation.tag for operation in DESCRIBED}


@pytest.mark.parametrize("operation", DESCRIBED, ids=lambda operation: operation.name)
def test_an_operation_is_described_whole(operation: Operation) -> None:
    """Words, answers with examples, the problems it can meet with examples, and who may call it."""
    whole = described(operation)
    statuses = set(whole["responses"])

    assert operation.answers or operation.file_types
    assert operation.tag in TAGS
    assert operation.description.rstrip().endswith(".")
    assert not operation.summary.endswith(".")
    assert len(operation.summary) <= 50
    assert all({str(each) for each in statuses_of(code)} & statuses for code in problem_codes(operation))
    assert {"400", "406", "500", "503"} <= statuses
    assert (whole["security"] == []) == (operation.scope is None)
    assert ({"401", "403", "429"} <= statuses) == (operation.scope is not None)
    for answer in map(resolved, whole["responses"].values()):
        assert answer["description"]
        content = answer.get("content", {})
        assert all(media["examples"] for kind, media in content.items() if kind not in operation.file_types)
    for parameter in map(resolved, whole.get("parameters", ())):
        assert parameter["description"].rstrip().endswith(".")
        assert {"example", "examples"} & set(parameter) or "default" in parameter["schema"]


@pytest.mark.parametrize("operation", DESCRIBED, ids=lambda operation: operation.name)
def test_the_parameters_of_a_path_are_described_with_it(operation: Operation) -> None:
    """And nothing else is called one."""
    parameters = [resolved(each) for each in described(operation).get("parameters", ())]

    assert tuple(each["name"] for each in parameters if each["in"] == "path") == path_names(operation)


def test_names_of_operations_are_theirs_alone() -> None:
    """Generators make functions of them."""
    names = [operation.name for operation in ALL_OPERATIONS]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in names)


def test_a_created_report_leads_to_what_can_be_done_with_it() -> None:
    """A generator of tests, and a reader, can go on from there."""
    links = described(BY_NAME["create_report"])["responses"]["201"]["links"]

    assert {"show_report", "update_report", "delete_report"} <= set(links)
    assert all(link["parameters"] == {"id": "$response.body#/data/id"} for link in links.values())
    assert "show_run" in described(BY_NAME["list_runs"])["responses"]["200"]["links"]
    assert {link["operationId"] for link in links.values()} <= set(BY_NAME)


@pytest.mark.parametrize("operation", [each for each in DESCRIBED if each.body], ids=lambda each: each.name)
def test_a_body_is_described_alike_for_every_media_type(operation: Operation) -> None:
    """The same fields under a name of its own in each, without defaults; a form cannot say null."""
    content = described(operation)["requestBody"]["content"]
    schemas = {media_type: resolved(media["schema"]) for media_type, media in content.items()}

    assert tuple(content) == operation.body_types
    assert len({media["schema"]["$ref"] for media in content.values()}) == len(content)
    assert len({tuple(schema["properties"]) for schema in schemas.values()}) == 1
    assert [kind for kind, schema in schemas.items() if '"null"' in json.dumps(schema) and kind != JSON] == []
    assert [kind for kind, schema in schemas.items() if '"default"' in json.dumps(schema)] == []


@pytest.mark.parametrize("operation", [each for each in DESCRIBED if each.body], ids=lambda each: each.name)
def test_forms_and_json_are_never_described_together(operation: Operation) -> None:
    """A client of openapi-generator would send an empty JSON body instead of its form."""
    assert JSON not in operation.body_types or operation.body_types == (JSON,)


def test_no_schema_fixes_a_boolean() -> None:
    """A client of openapi-generator refuses ``true`` where the description says that it must be true."""
    found: list[Any] = [description()]
    fixed = []
    while found:
        part = found.pop()
        if isinstance(part, dict):
            fixed += [part] if isinstance(part.get("const"), bool) else []
            found += [value for name, value in part.items() if name not in {"example", "examples", "value"}]
        elif isinstance(part, list):
            found += part

    assert fixed == []


def test_every_point_in_time_is_a_date() -> None:
    """By its format, so that generated code reads it as one; members of that name end in ``_at``."""
    schemas = description()["components"]["schemas"].values()
    times = [
        (name, text)
        for each in schemas
        for name, member in each.get("properties", {}).items()
        if name.endswith("_at")
        for text in [json.dumps(member)]
    ]

    assert len(times) > 10
    assert [name for name, text in times if '"format": "date-time"' not in text] == []


def test_a_body_is_required_where_a_field_is() -> None:
    """Nothing can be created of nothing; nothing can be changed by nothing."""
    assert described(BY_NAME["create_report"])["requestBody"]["required"] is True
    assert described(BY_NAME["update_report"])["requestBody"]["required"] is False


def test_a_query_parameter_is_never_null() -> None:
    """There is no way to write that into a query."""
    parameters = [resolved(each) for each in described(BY_NAME["list_reports"])["parameters"]]
    result = next(each for each in parameters if each["name"] == "result")

    assert result["schema"] == {"enum": ["good", "decent", "bad"], "type": "string"}
    assert result["required"] is False


def test_the_servers_are_the_installation() -> None:
    """Its own address when it says so itself, else wherever the document was found."""
    assert build_openapi(ALL_OPERATIONS)["servers"][0]["url"] == "/"
    assert build_openapi(ALL_OPERATIONS, base_url="https://x.example")["servers"][0]["url"] == "https://x.example"


def test_an_unfinished_report_is_an_example_too() -> None:
    """With the status of the answer in both."""
    found = answer_examples(ReportAnswer, 201)

    assert found["finished"]["value"]["status"] == found["unfinished"]["value"]["status"] == 201
    assert found["unfinished"]["value"]["data"]["result"] is None


def test_problems_come_in_the_order_of_their_statuses() -> None:
    """Those every operation can meet, those of its kind, and its own."""
    codes = problem_codes(BY_NAME["update_report"])

    assert codes == tuple(code for code in PROBLEMS if code in codes)
    assert {"precondition_failed", "idempotency_key_reused", "unauthenticated", "not_found"} <= set(codes)


@pytest.mark.parametrize(
    ("name", "status", "headers"),
    [
        ("list_webhooks", 200, ("Link", "ETag", "Preference-Applied")),
        ("create_webhook", 201, ("Location", "ETag", "Preference-Applied", "Idempotency-Replayed")),
        ("show_monitor", 200, ("ETag", "Last-Modified")),
        ("delete_monitor", 200, ()),
        ("create_batch", 202, ("Location", "Retry-After", "Preference-Applied", "Idempotency-Replayed")),
    ],
)
def test_headers_of_a_success_follow_from_its_declaration(name: str, status: int, headers: tuple[str, ...]) -> None:
    """Lists link, what is made has an address, what is deleted has no validators; the rest is declared."""
    assert answer_headers(BY_NAME[name], status) == headers


def anonymous(**changes: Any) -> Operation:
    """An operation that is described badly."""
    return replace(checks.OPERATIONS[0], **changes)


@pytest.mark.parametrize(
    "operation",
    [
        anonymous(problems=("nonsense",)),
        anonymous(tag="Nonsense"),
        anonymous(headers=("X-Nonsense",)),
        anonymous(path="/api/v1/{nonsense}"),
        anonymous(answer_headers=("X-Nonsense",)),
    ],
)
def test_what_is_not_described_is_noticed(operation: Operation) -> None:
    """A problem, a tag, a header, a parameter: by a KeyError that names it."""
    with pytest.raises(KeyError, match="onsense"):
        build_openapi([operation])


class Silent(Struct):
    """A document without examples."""

    oil: str


def test_a_document_without_examples_is_noticed() -> None:
    """So a new operation cannot be described by half."""
    with pytest.raises(TypeError, match=r"Silent\.oil needs an example"):
        build_openapi([anonymous(answers={200: Silent})])


def test_titles_that_say_nothing_are_left_out() -> None:
    """But not the member of that name."""
    schemas = description()["components"]["schemas"]

    assert "title" not in schemas["Report"]
    assert schemas["CheckResult"]["properties"]["title"]["type"] == "string"
