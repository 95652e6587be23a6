"""From a path to its operations: the path is judged once, segment by segment, as it was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

from pagegrade.web.http.headers import API
from pagegrade.web.operations import Operation

NO_PARAMS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Place:
    """A path with everything that can be done there."""

    operations: Mapping[str, Operation]
    """By method; HEAD is what GET does."""
    allow: str
    """Value of the Allow header."""


class Routes:
    """Finds the place a path names: fixed paths by one look, others by the number and the words of their segments."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        by_path: dict[str, list[Operation]] = {}
        for operation in operations:
            by_path.setdefault(operation.path, []).append(operation)
        self._fixed: dict[str, Place] = {}
        self._templates: dict[int, list[tuple[tuple[str, ...], Place]]] = {}
        for path, found in by_path.items():
            place = _place(path, found)
            segments = tuple(path.split("/"))
            if "{" in path:
                self._templates.setdefault(len(segments), []).append((segments, place))
            else:
                self._fixed[path] = place

    def find(self, path: str) -> tuple[Place, Mapping[str, str]] | None:
        """The place, and what stands in the path for its names; ``None`` when there is none.

        Args:
            path: As sent, percent-encoded. A slash that is written ``%2F`` is part of its segment.
        """
        place = self._fixed.get(path)
        if place is not None:
            return place, NO_PARAMS
        if path.startswith(API) and path.endswith("/"):
            # The same path: clients put the slash there by habit, and a redirect would lose the body of their request.
            return self.find(path[:-1]) if not path.endswith("//") else None
        segments = path.split("/")
        candidates = self._templates.get(len(segments))
        if "%" in path:
            decoded = [_decode(segment) for segment in segments]
            if None in decoded:
                return None
            segments = [segment for segment in decoded if segment is not None]
            plain = self._fixed.get("/".join(segments))
            if plain is not None and "/" not in "".join(segments):
                return plain, NO_PARAMS
        for template, place in candidates or ():
            params = _match(template, segments)
            if params is not None:
                return place, params
        return None


def _place(path: str, operations: list[Operation]) -> Place:
    by_method = {operation.method: operation for operation in operations}
    if len(by_method) != len(operations):
        raise ValueError(f"{path}: two operations have the same method")
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    return Place(by_method, ", ".join(sorted([*by_method, "OPTIONS"])))


def _match(template: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    params: dict[str, str] = {}
    for expected, segment in zip(template, segments, strict=True):
        if expected.startswith("{"):
            if not segment:
                return None
            params[expected[1:-1]] = segment
        elif expected != segment:
            return None
    return params


def _decode(segment: str) -> str | None:
    """The segment decoded; ``None`` when it is not UTF-8, which names nothing."""
    try:
        return unquote_to_bytes(segment).decode("utf-8") if "%" in segment else segment
    except UnicodeDecodeError:
        return None
