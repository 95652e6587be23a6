"""Parts that many operations share."""

from __future__ import annotations

from pagegrade.web.openapi.build import path_names
from pagegrade.web.openapi.components import ANSWER_HEADERS, LARGEST_ID, PATH_PARAMETERS, REQUEST_HEADERS
from pagegrade.web.routes import ALL_OPERATIONS


def test_nothing_is_described_that_no_operation_has() -> None:
    """The other way round, making the description fails."""
    parameters = {name for operation in ALL_OPERATIONS for name in path_names(operation)}
    headers = {name for operation in ALL_OPERATIONS for name in operation.request_headers}

    assert not PATH_PARAMETERS.keys() - parameters
    assert not REQUEST_HEADERS.keys() - headers


def test_numbers_are_bounded_as_the_databases_count() -> None:
    """A schema stands between its description and its example."""
    assert PATH_PARAMETERS["delivery"] == {
        "description": "Number of the delivery.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 88,
    }
    assert ANSWER_HEADERS["Retry-After"]["schema"] == {"type": "integer", "minimum": 0}
    assert ANSWER_HEADERS["Location"]["schema"] == {"type": "string", "format": "uri"}
