"""Shapes of the documents of the API: every member and its type, for tests that look from outside."""

from __future__ import annotations

import re
from typing import Any, Final

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_NOTHING = type(None)
_REPORT: Final[dict[str, tuple[type, ...]]] = {
    "id": (int,),
    "object": (str,),
    "url": (str,),
    "final_url": (str, _NOTHING),
    "project": (str,),
    "privacy": (int,),
    "password": (bool,),
    "state": (str,),
    "result": (str, _NOTHING),
    "score": (int, _NOTHING),
    "coverage": (float, int, _NOTHING),
    "analysis": (dict,),
    "caps": (list,),
    "counts": (dict, _NOTHING),
    "categories": (dict,),
    "run": (dict, _NOTHING),
    "error": (dict, _NOTHING),
    "share_url": (str,),
    "generated_at": (str, _NOTHING),
    "created_at": (str,),
    "updated_at": (str,),
}
_DETAIL: Final[dict[str, tuple[type, ...]]] = {"results": (dict, _NOTHING), "page": (dict, _NOTHING)}
_ACCOUNT: Final[dict[str, tuple[type, ...]]] = {
    "id": (int,),
    "object": (str,),
    "name": (str,),
    "email": (str,),
    "locale": (str,),
    "timezone": (str,),
    "plan": (dict,),
    "limits": (dict,),
    "usage": (dict,),
    "defaults": (dict,),
    "thresholds": (dict,),
    "api_key": (dict,),
    "created_at": (str,),
}
PROBLEM: Final[dict[str, tuple[type, ...]]] = {
    "type": (str,),
    "title": (str,),
    "status": (int,),
    "detail": (str,),
    "instance": (str,),
    "code": (str,),
    "message": (str,),
    "request_id": (str,),
}


def wrong_members(document: Any, members: dict[str, tuple[type, ...]]) -> list[str]:
    """Members that are missing or of another type."""
    if not isinstance(document, dict):
        return [f"not an object: {document!r}"]
    return [
        f"{name}: {document.get(name, 'missing')!r}"
        for name, types in members.items()
        if name not in document
        or not isinstance(document[name], types)
        or (isinstance(document[name], bool) and bool not in types)
    ]


def wrong_report(report: Any, *, detail: bool) -> list[str]:
    """Faults of the shape of a report; ``detail``: with ``results`` and ``page``."""
    found = wrong_members(report, {**_REPORT, **(_DETAIL if detail else {})})
    if found:
        return found
    times = [name for name in ("generated_at", "created_at", "updated_at") if report[name] is not None]
    found += [f"{name}: {report[name]}" for name in times if not TIME.fullmatch(report[name])]
    if not detail:
        found += [f"{name} in a list" for name in _DETAIL if name in report]
    if report["object"] != "report" or report["state"] not in {"queued", "running", "completed", "failed"}:
        found.append(f"{report['object']} {report['state']}")
    if report["result"] not in {None, "good", "decent", "bad"}:
        found.append(f"result: {report['result']}")
    if report["state"] == "completed" and not report["run"]["partial"] and report["result"] is None:
        found.append("completed without a result")
    return found


def wrong_account(account: Any) -> list[str]:
    """Faults of the shape of an account."""
    return wrong_members(account, _ACCOUNT)


def wrong_problem(problem: Any, *, status: int, code: str | None = None) -> list[str]:
    """Faults of the shape of a problem document (RFC 9457 3.1, and the members that are ours)."""
    found = wrong_members(problem, PROBLEM)
    if found:
        return found
    if problem["status"] != status:
        found.append(f"status: {problem['status']} in an answer with {status}")
    if code is not None and problem["code"] != code:
        found.append(f"code: {problem['code']}")
    if problem["message"] != problem["detail"]:
        found.append("message is not detail")
    if not problem["type"].startswith("http") or "/problems/" not in problem["type"]:
        found.append(f"type: {problem['type']}")
    return found
