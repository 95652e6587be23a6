"""The description of the API (OpenAPI 3.1), made from the same table of operations that routes requests.

Source: https://spec.openapis.org/oas/v3.1.1
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from msgspec import Struct
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.webhooks import EVENT_TYPES, EventType
from pagegrade.web.api.checks import CheckList
from pagegrade.web.http.body import FORM, JSON, MULTIPART
from pagegrade.web.http.response import API
from pagegrade.web.openapi.components import (
    ALWAYS,
    ANSWER_HEADERS,
    DESCRIPTION,
    PATH_PARAMETERS,
    PROBLEM_HEADERS,
    REQUEST_HEADERS,
    TAGS,
    WITH_KEY,
    JSONObject,
)
from pagegrade.web.operations import Operation
from pagegrade.web.problems import MEDIA_TYPE, PROBLEMS, example_problem, statuses_of
from pagegrade.web.schemas.envelope import Problem, ValidationProblem
from pagegrade.web.schemas.report import ReportAnswer, ReportList, RunList, unfinished
from pagegrade.web.schemas.shape import REFERENCE, example_of, schemas_of
from pagegrade.web.schemas.webhook import AuditWebhookPayload, QuotaWebhookPayload, WebhookPayload

API_VERSION: Final = "1.0.0"
"""Version of the API: the second number grows with additions, the third when only texts change."""
_BODY_NAMES: Final = {FORM: "Form", MULTIPART: "Multipart", JSON: "Body"}
"""Media type of a body -> suffix of its schema's name; unique, because generated code identifies bodies by class."""
WITH_FIELDS: Final = frozenset({"validation_failed", "url_not_allowed"})
"""Problems whose answers name fields."""
EVENT_SUMMARIES: Final[dict[str, str]] = {
    "report.completed": "An analysis is completed",
    "report.failed": "An analysis fails",
    "report.regressed": "A budget of a monitor is exceeded",
    "report.recovered": "A budget of a monitor is met again",
    "monitor.unreachable": "A monitored page is unreachable",
    "monitor.reminder": "A monitored page is still bad",
    "audit.completed": "A site was crawled and evaluated",
    "audit.failed": "A site could not be crawled or evaluated",
    "audit.paused": "A site turns a crawl away, which goes on later",
    "audit.regressed": "A site is worse than in the last crawl that compares, or breaches budgets of a monitor",
    "audit.recovered": "A site keeps the budgets of a monitor again, or can be reached again",
    "quota.low": "A quota is nearly used, or used up",
}
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords of a schema whose content is data, not a schema."""
_MODE: Final[JsonSchemaMode] = "validation"


def build_openapi(operations: Sequence[Operation], *, base_url: str = "") -> JSONObject:
    """Build the whole document.

    Args:
        operations: All operations, completely declared. Those outside the API (pages, health) are left out.
        base_url: Public origin; if empty, URLs are relative to the document.

    Raises:
        KeyError: An operation names a tag, parameter, header or problem without a description.
    """
    operations = [operation for operation in operations if operation.path.startswith(API)]
    schemas = _schemas(operations)
    paths: dict[str, JSONObject] = {}
    responses: dict[str, JSONObject] = {}
    for operation in operations:
        methods = paths.setdefault(operation.path, {})
        methods[operation.method.lower()] = _operation(operation, operations, responses)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pagegrade",
            "version": API_VERSION,
            "summary": "Graded, explained reports on web pages.",
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "Pagegrade", "url": PROJECT_URL},
        },
        "servers": [{"url": base_url or "/", "description": "This installation."}],
        "tags": [{"name": name, "description": TAGS[name]} for name in _used_tags(operations)],
        "paths": paths,
        "webhooks": _webhooks(),
        "components": {
            "schemas": schemas,
            "responses": responses,
            "parameters": _parameters(operations),
            "headers": {name: {"required": False, **header} for name, header in ANSWER_HEADERS.items()},
            "examples": _problem_examples(operations),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, as `pagegrade keys create` prints it.",
                }
            },
        },
    }


def problem_codes(operation: Operation) -> tuple[str, ...]:
    """Return every problem code of an operation, in the order of ``PROBLEMS``."""
    codes = {"bad_request", "not_acceptable", "too_large", "internal_error", "unavailable", *operation.problems}
    if operation.scope is not None:
        codes |= {"unauthenticated", "insufficient_scope", "rate_limited"}
    if operation.query is not None:
        codes.add("validation_failed")
    if operation.body is not None:
        codes |= {"validation_failed", "unsupported_media_type"}
    if path_names(operation):
        codes.add("not_found")
    if {"If-Match", "If-Unmodified-Since"} & set(operation.request_headers):
        codes.add("precondition_failed")
    if "Idempotency-Key" in operation.request_headers:
        codes |= {"idempotency_in_progress", "idempotency_key_reused", "report_deleted"}
        if operation.method == "POST":
            codes.add("quota_exceeded")
    unknown = codes - set(PROBLEMS)
    if unknown:
        raise KeyError(f"{operation.name}: no such problem: {sorted(unknown)}")
    return tuple(code for code in PROBLEMS if code in codes)


def answer_headers(operation: Operation, status: int) -> tuple[str, ...]:
    """Return the headers of a success that not every operation has."""
    asked = set(operation.request_headers)
    remains = operation.method != "DELETE"
    created = status == HTTPStatus.CREATED
    follows = {
        "Link": operation.is_list,
        "Location": created,
        "ETag": created or (remains and "If-None-Match" in asked),
        "Last-Modified": remains and bool(asked & {"If-Modified-Since", "If-Unmodified-Since"}),
        **dict.fromkeys(operation.answer_headers, True),
        "Preference-Applied": "Prefer" in asked,
        "Idempotency-Replayed": "Idempotency-Key" in asked,
    }
    return tuple(name for name, sent in follows.items() if sent)


def path_names(operation: Operation) -> tuple[str, ...]:
    """Return the names of the path parameters."""
    return tuple(re.findall(r"{(\w+)}", operation.path))


def answer_examples(model: type[Struct], status: int) -> dict[str, JSONObject]:
    """Return name -> example answer for a document."""
    answer = example_of(model, **({"status": status} if "status" in model.__struct_encode_fields__ else {}))
    if model is ReportAnswer:
        return {
            "finished": {"summary": "The analysis has ended", "value": answer},
            "unfinished": {"summary": "It has not yet", "value": answer | {"data": unfinished(answer["data"])}},
        }
    if model is ReportList:
        nothing = answer | {
            "data": [],
            "links": answer["links"] | {"last": answer["links"]["first"], "next": None},
            "meta": answer["meta"] | {"last_page": 1, "from": None, "to": None, "total": 0},
        }
        return {"some": {"summary": "Some", "value": answer}, "none": {"summary": "None", "value": nothing}}
    return {"example": {"value": answer}}


def _webhooks() -> JSONObject:
    """Describe the requests that installations send to webhooks."""
    headers = {
        "webhook-id": ("The same for every attempt at an event.", "msg_2b7c1d0e9f8a4b6c8d0e1f2a3b4c5d6e"),
        "webhook-timestamp": ("Time of the attempt, in seconds since 1970.", "1767616497"),
        "webhook-signature": (
            "`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body` with the secret; two, separated by a "
            "blank, for 24 hours after a rotation.",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
    }
    parameters = [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": text,
            "schema": {"type": "string"},
            "example": example,
        }
        for name, (text, example) in headers.items()
    ]
    return {
        event: {
            "post": {
                "operationId": "receive_" + event.replace(".", "_"),
                "summary": EVENT_SUMMARIES[event],
                "description": "Signed by Standard Webhooks (https://www.standardwebhooks.com). Any status from 200 to "
                "299 accepts it; 410 disables the webhook; everything else is tried again.",
                "tags": ["Webhooks"],
                "security": [],
                "parameters": parameters,
                "requestBody": {
                    "required": True,
                    "content": {JSON: {"schema": {"$ref": REFERENCE.format(model=_payload_of(event).__name__)}}},
                },
                "responses": {"2XX": {"description": "The event is accepted."}},
            }
        }
        for event in EVENT_TYPES
    }


def _payload_of(event: EventType) -> type[Struct]:
    if event == "quota.low":
        return QuotaWebhookPayload
    return AuditWebhookPayload if event.startswith("audit.") else WebhookPayload


def _schemas(operations: Sequence[Operation]) -> JSONObject:
    documents: list[type[Struct]] = [Problem, ValidationProblem, *map(_payload_of, EVENT_TYPES)]
    for operation in operations:
        documents += operation.answers.values()
    bodies = {operation.body for operation in operations if operation.body is not None}
    _, definitions = models_json_schema([(model, _MODE) for model in bodies], ref_template=REFERENCE)
    made: JSONObject = {name: _plain(schema) for name, schema in definitions.get("$defs", {}).items()}
    made |= schemas_of(documents)
    for body, media_types in _described_bodies(operations).items():
        for name in made[body.__name__].get("required", ()):
            made[body.__name__]["properties"][name]["minLength"] = 1  # an empty value counts as absent
        for member in made[body.__name__]["properties"].values():
            # Generated types would require a member with a default; its description says what absence means.
            member.pop("default", None)
        for media_type in (FORM, MULTIPART):
            if media_type in media_types:
                made[_body_name(body, media_type)] = _form(made[body.__name__])
        if JSON not in media_types:
            del made[body.__name__]
    return dict(sorted(made.items()))


def _described_bodies(operations: Sequence[Operation]) -> dict[type[BaseModel], set[str]]:
    """Return model of a body -> media types in which some operation describes it."""
    found: dict[type[BaseModel], set[str]] = {}
    for operation in operations:
        if operation.body is not None:
            found.setdefault(operation.body, set()).update(operation.body_types)
    return found


def _body_name(body: type[BaseModel], media_type: str) -> str:
    return body.__name__.removesuffix("Body") + _BODY_NAMES[media_type]


def _form(schema: JSONObject) -> JSONObject:
    """Return the schema of a body for forms, which cannot express null."""
    return schema | {"properties": {name: _without_null(each) for name, each in schema["properties"].items()}}


def _plain(schema: Any) -> Any:
    """Return a schema without the titles that pydantic derives from names."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain: JSONObject = {}
    for name, value in schema.items():
        if name in _VALUES:
            plain[name] = value
        elif name == "properties":
            # A member of an object may itself be named title.
            plain[name] = {member: _plain(described) for member, described in value.items()}
        elif name != "title":
            plain[name] = _plain(value)
    return plain


def _operation(operation: Operation, operations: Sequence[Operation], responses: dict[str, JSONObject]) -> JSONObject:
    made: JSONObject = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.description or operation.summary,
        "tags": [operation.tag],
        "security": [] if operation.scope is None else [{"key": []}],
    }
    if operation.scope is not None:
        limited = "" if operation.for_projects else " A key that is limited to a project cannot be used."
        made["description"] += f"\n\nThe key needs the scope `{operation.scope}`.{limited}"
    parameters = [{"$ref": f"#/components/parameters/{name}"} for name in path_names(operation)]
    parameters += _query(operation)
    parameters += [{"$ref": f"#/components/parameters/{name}"} for name in operation.request_headers]
    if parameters:
        made["parameters"] = parameters
    if operation.body is not None:
        made["requestBody"] = _body(operation.body, operation.body_types)
    made["responses"] = dict(sorted((_answers(operation, operations) | _problems(operation, responses)).items()))
    return made | dict(operation.extra)


def _answers(operation: Operation, operations: Sequence[Operation]) -> JSONObject:
    shared = _headers((*ALWAYS, *(WITH_KEY if operation.scope is not None else ())))
    found: JSONObject = {}
    if operation.file_types:
        found["200"] = {
            "description": operation.summary,
            "headers": _headers(answer_headers(operation, 200)) | shared,
            "content": {name: {"schema": {"type": "string", "format": "binary"}} for name in operation.file_types},
        }
    for status, model in operation.answers.items():
        found[str(status)] = {
            "description": (model.__doc__ or "").strip(),
            "headers": _headers(answer_headers(operation, status)) | shared,
            "content": {
                JSON: {
                    "schema": {"$ref": REFERENCE.format(model=model.__name__)},
                    "examples": answer_examples(model, status),
                }
            },
        }
        links = _links(model, operations)
        if links:
            found[str(status)]["links"] = links
    if operation.method == "GET" and "If-None-Match" in operation.request_headers:
        found["304"] = {
            "description": "Nothing has changed since.",
            "headers": _headers(("ETag",)) | _headers(ALWAYS),
        }
    return found


def _links(model: type[Struct], operations: Sequence[Operation]) -> JSONObject:
    """Return links to the operations that apply to the object in an answer."""
    parameters: JSONObject = {
        ReportAnswer: {"id": "$response.body#/data/id"},
        RunList: {"id": "$response.body#/data/0/report_id", "number": "$response.body#/data/0/number"},
        CheckList: {"check": "$response.body#/data/0/id"},
    }.get(model, {})
    return {
        operation.name: {
            "operationId": operation.name,
            "parameters": parameters,
            "description": operation.summary,
        }
        for operation in operations
        if parameters and path_names(operation) == tuple(parameters)
    }


def _problems(operation: Operation, responses: dict[str, JSONObject]) -> JSONObject:
    """Return status -> reference to an answer shared by all operations with the same codes."""
    by_status: dict[int, list[str]] = {}
    for code in problem_codes(operation):
        for status in _statuses(code, operation):
            by_status.setdefault(status, []).append(code)
    found: JSONObject = {}
    for status, codes in by_status.items():
        name = "_or_".join(codes) if len(statuses_of(codes[0])) == 1 else f"{codes[0]}_{status}"
        responses.setdefault(name, _problem_answer(codes, status))
        found[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return found


def _statuses(code: str, operation: Operation) -> tuple[int, ...]:
    if code == "too_large" and operation.body is None:
        return (414, 431)
    return statuses_of(code)


def _problem_answer(codes: Sequence[str], status: int) -> JSONObject:
    model = ValidationProblem if all(code in WITH_FIELDS for code in codes) else Problem
    schema: JSONObject = {"$ref": REFERENCE.format(model=model.__name__)}
    if model is Problem and any(code in WITH_FIELDS for code in codes):
        schema = {"anyOf": [{"$ref": REFERENCE.format(model=kind.__name__)} for kind in (ValidationProblem, Problem)]}
    headers = dict.fromkeys(name for code in codes for name in PROBLEM_HEADERS.get(code, ()))
    return {
        "description": " ".join(example_problem(code)[0] for code in codes),
        "headers": _headers((*headers, *ALWAYS)),
        "content": {
            MEDIA_TYPE: {
                "schema": schema,
                "examples": {_example_name(code, status): _example_reference(code, status) for code in codes},
            }
        },
    }


def _problem_examples(operations: Sequence[Operation]) -> JSONObject:
    used = {
        (code, status) for operation in operations for code in problem_codes(operation) for status in statuses_of(code)
    }
    made: JSONObject = {}
    for code, status in sorted(used):
        happened, body = example_problem(code, status=status)
        made[_example_name(code, status)] = {"summary": happened, "value": msgspec.json.decode(body)}
    return made


def _example_name(code: str, status: int) -> str:
    return code if len(statuses_of(code)) == 1 else f"{code}_{status}"


def _example_reference(code: str, status: int) -> JSONObject:
    return {"$ref": f"#/components/examples/{_example_name(code, status)}"}


def _headers(names: Iterable[str]) -> JSONObject:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names if ANSWER_HEADERS[name]}


def _used_tags(operations: Sequence[Operation]) -> list[str]:
    used = {operation.tag for operation in operations}
    if used - set(TAGS):
        raise KeyError(f"no such tag: {sorted(used - set(TAGS))}")
    return [name for name in TAGS if name in used]


def _parameters(operations: Sequence[Operation]) -> JSONObject:
    """Describe the path and header parameters that are used."""
    names = dict.fromkeys(name for operation in operations for name in path_names(operation))
    headers = dict.fromkeys(name for operation in operations for name in operation.request_headers)
    made = {name: {"name": name, "in": "path", "required": True, **PATH_PARAMETERS[name]} for name in names}
    return made | {name: {"name": name, "in": "header", "required": False, **REQUEST_HEADERS[name]} for name in headers}


def _query(operation: Operation) -> list[JSONObject]:
    if operation.query is None:
        return []
    schema = operation.query.model_json_schema(ref_template=REFERENCE, mode=_MODE)
    made = []
    for name, raw in schema.get("properties", {}).items():
        described = _plain(_without_null(raw))
        parameter = {"name": name, "in": "query", "required": name in schema.get("required", ())}
        parameter["description"] = described.pop("description", "")
        examples = described.pop("examples", None)
        made.append(parameter | {"schema": described} | ({"example": examples[0]} if examples else {}))
    return made


def _without_null(schema: JSONObject) -> JSONObject:
    """Remove null from the schema of a query parameter, which can only be absent."""
    kinds: list[JSONObject] = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    if rest.get("default", 0) is None:
        del rest["default"]
    if len(kinds) == 1:
        return kinds[0] | rest
    return rest | ({"anyOf": kinds} if kinds else {})


def _body(model: type[BaseModel], media_types: Sequence[str]) -> JSONObject:
    whole = {name: field.examples[0] for name, field in model.model_fields.items() if field.examples}
    least = {name: whole[name] for name, field in model.model_fields.items() if field.is_required()}
    examples = {"all": {"summary": "Everything", "value": whole}}
    if least:
        examples = {"least": {"summary": "The least", "value": least}, **examples}
    content = {
        media_type: {
            "schema": {"$ref": REFERENCE.format(model=_body_name(model, media_type))},
            "examples": examples,
        }
        for media_type in media_types
    }
    return {"required": bool(least), "description": (model.__doc__ or "").strip(), "content": content}
