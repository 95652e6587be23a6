from __future__ import annotations

import pytest

from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.routing import Routes


async def nothing(_request: Request) -> Response:
    """Do nothing."""
    return Response(status_code=200)


def an_operation(method: str, path: str) -> Operation:
    """One that does nothing."""
    return Operation(method=method, path=path, name=f"{method}{path}", summary="", handler=nothing)


ROUTES = Routes(
    [
        an_operation("GET", "/a"),
        an_operation("POST", "/a"),
        an_operation("GET", "/a/{id}"),
        an_operation("DELETE", "/a/{id}"),
        an_operation("GET", "/a/{id}/b/{number}"),
        an_operation("GET", "/a/fixed"),
    ]
)


def found(path: str) -> tuple[str, dict[str, str]] | None:
    """(a path as declared, what stands for its names)."""
    place = ROUTES.find(path)
    return None if place is None else (place[0].operations["GET"].path, dict(place[1]))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", ("/a", {})),
        ("/%61", ("/a", {})),
        ("/a/7", ("/a/{id}", {"id": "7"})),
        ("/a/fixed", ("/a/fixed", {})),
        ("/a/x%2Fy", ("/a/{id}", {"id": "x/y"})),
        ("/a/%00", ("/a/{id}", {"id": "\x00"})),
        ("/a/%C3%A9", ("/a/{id}", {"id": "é"})),
        ("/a/%252e", ("/a/{id}", {"id": "%2e"})),
        ("/a/1/b/2", ("/a/{id}/b/{number}", {"id": "1", "number": "2"})),
        ("/a/x%0A", ("/a/{id}", {"id": "x\n"})),
        ("/a%0A", None),
        ("/a/1/b/2%0A", ("/a/{id}/b/{number}", {"id": "1", "number": "2\n"})),
        ("/a/..", ("/a/{id}", {"id": ".."})),
        ("/", None),
        ("", None),
        ("*", None),
        ("/A", None),
        ("/a/", None),
        ("//a", None),
        ("/a//b/2", None),
        ("/a/1/c/2", None),
        ("/a%2F7", None),
        ("/a/%ff", None),
        ("/a/1/b/2/", None),
    ],
)
def test_a_path_names_one_place_or_none(path: str, expected: tuple[str, dict[str, str]] | None) -> None:
    """Decoded once, segment by segment: an encoded slash stays inside of its segment."""
    assert found(path) == expected


@pytest.mark.parametrize(
    ("path", "allow"),
    [("/a", "GET, HEAD, OPTIONS, POST"), ("/a/7", "DELETE, GET, HEAD, OPTIONS"), ("/a/fixed", "GET, HEAD, OPTIONS")],
)
def test_a_place_knows_all_of_its_methods(path: str, allow: str) -> None:
    """HEAD comes with GET, OPTIONS with everything."""
    place = ROUTES.find(path)

    assert place is not None
    assert place[0].allow == allow


def test_a_method_stands_once_at_a_path() -> None:
    """Or one of the two would never be reached."""
    with pytest.raises(ValueError, match="/a"):
        Routes([an_operation("GET", "/a"), an_operation("GET", "/a")])


def test_a_handler_asks_only_for_what_there_is() -> None:
    """Found when the application is made, and not by the first request."""

    async def greedy(_request: Request, _moon: int) -> Response:
        return Response()

    with pytest.raises(TypeError, match="greedy: nothing provides"):
        Routes([Operation(method="GET", path="/a", name="a", summary="", handler=greedy)])
