"""The six calls with a library of Python's: requests, httpx or urllib3."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any
from urllib.parse import urlencode

LIBRARY, ORIGIN, KEY, TARGET = sys.argv[1:]
HEADERS = {"Authorization": f"Bearer {KEY}"}
READ = {**HEADERS, "Accept": "application/json"}


def ask(method: str, path: str, fields: dict[str, object] | None) -> tuple[int, str, Any]:
    """(status, media type, document) of one call."""
    library: Any = importlib.import_module(LIBRARY)
    headers = READ if method == "GET" else HEADERS
    if LIBRARY == "urllib3":
        form = {"Content-Type": "application/x-www-form-urlencoded"} if fields else {}
        body = urlencode(fields) if fields else None
        answer = library.request(method, ORIGIN + path, headers={**headers, **form}, body=body)
        return answer.status, answer.headers["Content-Type"], answer.json()
    answer = library.request(method, ORIGIN + path, headers=headers, data=fields, timeout=30)
    return answer.status_code, answer.headers["Content-Type"], answer.json()


def call(name: str, method: str, path: str, fields: dict[str, object] | None = None) -> Any:
    """Make one call and print what came back."""
    status, media_type, body = ask(method, path, fields)
    sys.stdout.write(json.dumps({"call": name, "status": status, "type": media_type, "body": body}) + "\n")
    return body


made = call("create", "POST", "/api/v1/reports", {"url": TARGET, "privacy": 0})
report = f"/api/v1/reports/{made['data']['id']}"
call("list", "GET", "/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10")
call("show", "GET", report)
call("update", "PUT", report, {"privacy": 2, "password": "pässword &=+%", "results": 0})
call("delete", "DELETE", report)
call("account", "GET", "/api/v1/account")
