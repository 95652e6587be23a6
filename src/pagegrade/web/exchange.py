"""One request with everything that its handler may ask for.

A handler declares its dependencies as parameters: each is recognized by its type, whatever its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, get_type_hints

from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.service.accounts.admission import Admission, RateLimit
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import bearer_key, limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.pages.html import View
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import SESSION, read_cookies


class Exchange:
    """A request and its dependencies, each created once and only if needed."""

    def __init__(self, request: Request, services: Services) -> None:
        self.request = request
        self.services = services
        self.problem = ""
        """Code of the problem that the response reports; empty: it reports none."""
        self.span: Span = NO_SPAN
        """Traces this request, where requests are traced."""
        self.admission = Admission(
            limits=services.limits,
            key_uses=services.key_uses,
            options=services.options,
            now_ms=request.received_at_ms,
            client=lambda: limited_as(request.client_address),
            key=lambda: bearer_key(request.header(b"authorization")),
            sessions=lambda: read_cookies(request.header, SESSION, services.options.base_url),
        )
        self.work = UnitOfWork(services.database, self.admission, services.search_slots)

    @cached_property
    def limits(self) -> RateLimit:
        """Counts what the request uses up."""
        return RateLimit(self.services.limits, self.services.options, self.admission)

    @cached_property
    def idempotency(self) -> Idempotency:
        """Executes the request once."""
        return Idempotency(self.request, self.work, self.admission, self.limits)

    @cached_property
    def view(self) -> View:
        """Renders pages for the sender of the request."""
        return View(self.request, self.admission, self.services.options)


Bound = Callable[[Exchange], Awaitable[Response]]
PROVIDERS: Final[Mapping[type, Callable[[Exchange], Any]]] = {
    Request: lambda exchange: exchange.request,
    UnitOfWork: lambda exchange: exchange.work,
    Admission: lambda exchange: exchange.admission,
    RateLimit: lambda exchange: exchange.limits,
    Idempotency: lambda exchange: exchange.idempotency,
    View: lambda exchange: exchange.view,
    Services: lambda exchange: exchange.services,
}
"""Type of a handler's parameter -> where it comes from."""


def bind(handler: Callable[..., Awaitable[Response]]) -> Bound:
    """Return the handler as a function of an exchange.

    Raises:
        TypeError: A parameter has a type that nothing provides.
    """
    providers = _providers_of(handler)
    return lambda exchange: handler(*(provide(exchange) for provide in providers))


@lru_cache(maxsize=512)
def _providers_of(handler: Callable[..., Awaitable[Response]]) -> tuple[Callable[[Exchange], Any], ...]:
    """Return where each parameter comes from; reading the hints is half of what making an application takes."""
    hints = get_type_hints(handler)
    try:
        return tuple(PROVIDERS[hints[name]] for name in inspect.signature(handler).parameters)
    except KeyError as error:
        raise TypeError(f"{handler.__qualname__}: nothing provides {error}") from None
