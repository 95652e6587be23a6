"""One-line builders of the values that tests hand around."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from pagegrade.checks._check import Check, Verdict
from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import Evaluated, evaluate, run_check
from pagegrade.model.artifacts import (
    GATHERED,
    Artifacts,
    Navigation,
    NotGathered,
    Resource,
    Resources,
    Response,
    WellKnown,
)
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome
from pagegrade.parse.html.parser import parse_document

URL = "https://example.com/"
SKIPPED = NotGathered(code="skipped", detail="Not part of this test.")
NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)

Headers = Sequence[tuple[str, str]]


def make_response(
    body: bytes | str = b"",
    *,
    url: str = URL,
    status: int = 200,
    headers: Headers = (("Content-Type", "text/html; charset=utf-8"),),
    **more: Any,
) -> Response:
    """An answer as if it had come uncompressed over HTTP/2."""
    data = body.encode() if isinstance(body, str) else body
    defaults: dict[str, Any] = {"http_version": "HTTP/2", "wire_bytes": len(data)}
    return Response(url=url, status=status, headers=tuple(headers), body=data, **{**defaults, **more})


def make_document(html: bytes | str, *, url: str = URL) -> Document:
    """The facts of a page."""
    return parse_document(
        html.encode() if isinstance(html, str) else html, url=url, content_type="text/html; charset=utf-8"
    )


def make_well_known(body: bytes | str = b"", *, url: str, hops: Sequence[Response] = (), **more: Any) -> WellKnown:
    """A well-known file fetched without redirects unless hops are given."""
    return WellKnown(requested_url=url, hops=tuple(hops), response=make_response(body, url=url, **more))


def make_resource(url: str, *, kind: str = "image", body_bytes: int = 1000, **more: Any) -> Resource:
    """A sub-resource that was fetched with 200."""
    response = more.pop("response", None) or make_response(
        url=url, headers=more.pop("headers", ()), status=more.pop("status", 200), wire_bytes=body_bytes
    )
    return Resource(url=url, kinds=(kind,), initiator_url=URL, response=response, **more)


def make_resources(*items: Resource, **more: Any) -> Resources:
    """A bundle of sub-resources."""
    return Resources(items=items, **more)


def make_artifacts(
    html: bytes | str = "<!doctype html><title>Example</title>",
    *,
    url: str = URL,
    requested_url: str | None = None,
    status: int = 200,
    headers: Headers = (("Content-Type", "text/html; charset=utf-8"),),
    hops: Sequence[Response] = (),
    response: Response | None = None,
    **artifacts: Any,
) -> Artifacts:
    """Artifacts of one page; every artifact that is not given counts as not gathered."""
    navigation = Navigation(
        requested_url=requested_url or (hops[0].url if hops else url),
        hops=tuple(hops),
        response=response or make_response(html, url=url, status=status, headers=headers),
    )
    asked = {each.name for each in msgspec.structs.fields(Artifacts) if each.required}
    missing = dict.fromkeys(asked.intersection(GATHERED), SKIPPED)
    defaults: dict[str, Any] = {"engine": "test", "gathered_at": NOW, "navigation": navigation}
    return Artifacts(**{**missing, **defaults, **artifacts})


def run(check: Check | str, artifacts: Artifacts | str | None = None, **more: Any) -> Verdict:
    """The result of one check for a page: ``run(title, "<title>x</title>")`` or with whole artifacts."""
    the_check = all_checks()[check] if isinstance(check, str) else check
    if artifacts is None:
        artifacts = make_artifacts(**more)
    elif isinstance(artifacts, str):
        artifacts = make_artifacts(artifacts, **more)
    elif more:
        artifacts = replace(artifacts, **more)
    return run_check(the_check, Facts(artifacts))


def outcome(check: Check | str, artifacts: Artifacts | str | None = None, **more: Any) -> Outcome:
    """The same where the check must have evaluated."""
    verdict = run(check, artifacts, **more)
    if not isinstance(verdict, Outcome):
        raise AssertionError(f"expected an outcome, got {verdict}")  # noqa: TRY004 - the test has failed
    return verdict


def evaluated(check: Check | str, artifacts: Artifacts | str | None = None, **more: Any) -> Evaluated:
    """The verdict read by the check's table of states."""
    the_check = all_checks()[check] if isinstance(check, str) else check
    return evaluate(the_check, run(the_check, artifacts, **more))
