"""Dependencies of handlers: found by their types, created once for a request."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.exchange import PROVIDERS, Exchange, bind
from pagegrade.web.http.response import Response
from pagegrade.web.pages.html import View
from pagegrade.web.request import Request
from tests.web.calling import Instance, with_instance


async def never() -> dict[str, object]:
    """The server, which sends nothing."""
    return {"type": "http.disconnect"}


def an_exchange(services: Services) -> Exchange:
    """A request of an unknown client."""
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    return Exchange(Request(scope, never), services)


def test_a_handler_gets_what_its_parameters_are(tmp_path: Path) -> None:
    """By type, in any order, whatever they are called."""
    got: list[object] = []

    async def handler(anything: View, work: UnitOfWork, shared: Services, request: Request) -> Response:
        got.extend((anything, work, shared, request))
        return Response()

    async def script(instance: Instance) -> list[bool]:
        exchange = an_exchange(instance.services)
        await bind(handler)(exchange)
        expected = (exchange.view, exchange.work, exchange.services, exchange.request)
        return [one is other for one, other in zip(got, expected, strict=True)]

    assert with_instance(tmp_path, script) == [True] * 4


def test_everything_that_is_provided_is_created_once(tmp_path: Path) -> None:
    """Two parameters of one type are one object."""

    async def script(instance: Instance) -> list[bool]:
        exchange = an_exchange(instance.services)
        return [
            isinstance(provide(exchange), kind) and provide(exchange) is provide(exchange)
            for kind, provide in PROVIDERS.items()
        ]

    assert all(with_instance(tmp_path, script))


def test_an_unknown_type_is_found_at_the_start() -> None:
    """And not by the first request."""

    async def handler(_moon: int) -> Response:
        return Response()

    with pytest.raises(TypeError, match="handler: nothing provides <class 'int'>"):
        bind(handler)
