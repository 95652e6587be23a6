"""The description of the API as a file: for the command line, the reference and generators of clients."""

from __future__ import annotations

import json

from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.routes import ALL_OPERATIONS


def describe_api() -> str:
    """The OpenAPI document as JSON, line by line, so that its diff can be read; addresses are relative."""
    return json.dumps(build_openapi(ALL_OPERATIONS), ensure_ascii=False, indent=2) + "\n"
