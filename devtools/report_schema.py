"""JSON Schema of a report as a file, ``docs/reference/report.schema.json``, made from the description of the API.

The description leaves room for members that come later. The schema is strict: it refuses a member that is not
described, so the test that reads real reports by it notices a description that lags behind.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from pagegrade.web.routes import describe_api

_ONLY_A_SERVER_KNOWS: Final = ("id", "privacy", "share_url", "created_at", "updated_at")
"""Members of a report that are null in one that was made anywhere else."""
_ONLY_A_SERVER_HAS: Final = {"DrawnPicture": "name"}
"""Object -> its member that is absent from a report that was made anywhere else."""
_COMPONENT: Final = "#/components/schemas/"
_DEFINITION: Final = "#/$defs/"


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a report."""
    components = json.loads(describe_api())["components"]["schemas"]
    found: dict[str, Any] = {}
    wanted = ["Report"]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = components[name]
            wanted += re.findall(rf'"{re.escape(_COMPONENT)}(\w+)"', json.dumps(components[name]))
    definitions = json.loads(json.dumps(found).replace(_COMPONENT, _DEFINITION))
    for definition in definitions.values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    report = definitions["Report"]["properties"]
    for member in _ONLY_A_SERVER_KNOWS:
        report[member] = {"anyOf": [report[member], {"type": "null"}]}
    for name, member in _ONLY_A_SERVER_HAS.items():
        definitions[name]["required"].remove(member)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pagegrade report",
        "$ref": f"{_DEFINITION}Report",
        "$defs": dict(sorted(definitions.items())),
    }
