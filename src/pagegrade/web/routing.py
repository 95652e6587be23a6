"""Routes: from a path as it was sent to the operations at it. Starlette matches; methods are ours to answer for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import msgspec
from starlette.routing import Match, Route

from pagegrade.web.exchange import Bound, bind
from pagegrade.web.http.headers import API
from pagegrade.web.operations import Operation

_STAND_INS: Final = {"/": "\udc2f", "\n": "\udc0a"}
"""Of what was sent as ``%2F`` or ``%0A`` and means itself, not the end of a segment: no decoded path contains these."""
_ENCODED: Final = str.maketrans(_STAND_INS)
_DECODED: Final = str.maketrans({other: character for character, other in _STAND_INS.items()})


class Resource(msgspec.Struct, frozen=True):
    """A path with everything that can be done at it."""

    path: str
    operations: Mapping[str, Operation]
    """By method; HEAD is what GET does."""
    handlers: Mapping[str, Bound]
    """By method."""
    allow: str
    """Value of the Allow header."""


class Routes:
    """Finds the resource of a path: paths without parameters before those with, the API before the pages."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        by_path: dict[str, list[Operation]] = {}
        for operation in operations:
            by_path.setdefault(operation.path, []).append(operation)
        self._resources = {path: _resource(path, found) for path, found in by_path.items()}
        self._routes: dict[int, list[Route]] = {}
        """Number of slashes -> paths with parameters, of which none spans segments; the API first."""
        for path in sorted(by_path, key=lambda path: not path.startswith(API)):
            if "{" in path:
                self._routes.setdefault(path.count("/"), []).append(Route(path, _no_endpoint))

    def find(self, path: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Return the resource of a path and the parameters in it, decoded; ``None`` when there is none.

        Args:
            path: As sent, percent-encoded. A slash that is written ``%2F`` is part of its segment.
        """
        if path.startswith(API) and path.endswith("/"):
            # The same path: clients put the slash there by habit, and a redirect would lose the body of their request.
            path = path[:-1]
        if "%" in path:
            segments = [_decode(segment) for segment in path.split("/")]
            path = "/".join(segment for segment in segments if segment is not None)
            if None in segments:
                return None
        if (fixed := self._resources.get(path)) is not None and "{" not in path:
            return fixed, {}
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path}
        for route in self._routes.get(path.count("/"), ()):
            match, found = route.matches(scope)
            if match is Match.FULL:
                params = {name: value.translate(_DECODED) for name, value in found["path_params"].items()}
                return self._resources[route.path], params
        return None


def _no_endpoint(_request: object) -> None:
    raise NotImplementedError("a resource answers for its route")


def _resource(path: str, operations: list[Operation]) -> Resource:
    by_method = {operation.method: operation for operation in operations}
    if len(by_method) != len(operations):
        raise ValueError(f"{path}: two operations have the same method")
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    handlers = {method: bind(operation.handler) for method, operation in by_method.items()}
    return Resource(path, by_method, handlers, ", ".join(sorted([*by_method, "OPTIONS"])))


def _decode(segment: str) -> str | None:
    """Return the segment decoded; ``None`` when it is not UTF-8, which names nothing."""
    try:
        text = unquote_to_bytes(segment).decode("utf-8") if "%" in segment else segment
    except UnicodeDecodeError:
        return None
    return text.translate(_ENCODED)
