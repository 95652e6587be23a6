"""Additions to the requests of a browser because of an access, decided by the function that decides for our client.

Requests to the origins of the access are paused on their way out of the browser (domain Fetch of the protocol), and
what goes with them is added there: the page sees nothing of it, a redirect begins anew, and a WebSocket, which no one
pauses, goes without.

Source: https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

from typing import Any

from pagegrade.gather.browser.cdp import Connection, Params
from pagegrade.model.access import Access
from pagegrade.parse.http.access import sent_with


class RequestAccess:
    """Adds an access to the requests of one load.

    Args:
        connection: To the browser.
        access: ``None``: no request is paused.
    """

    def __init__(self, connection: Connection, access: Access | None) -> None:
        self._connection = connection
        self._access = access
        if access is not None:
            connection.on("Fetch.requestPaused", self._send)

    def commands(self) -> list[tuple[str, Params | None]]:
        """The commands for a page, a frame or a worker before its first request."""
        if self._access is None:
            return []
        return [("Fetch.enable", {"patterns": [{"urlPattern": f"{origin}/*"} for origin in self._access.origins]})]

    def _send(self, event: Params, session: str) -> None:
        request = event.get("request")
        answer: Params = {"requestId": event.get("requestId")}
        if isinstance(request, dict):
            answer |= self._overrides(request)
        self._connection.post("Fetch.continueRequest", answer, session=session)

    def _overrides(self, request: dict[str, Any]) -> Params:
        """The changes to a request."""
        url, headers = request.get("url"), request.get("headers")
        if not isinstance(url, str) or not isinstance(headers, dict):
            return {}
        sent = sent_with(self._access, url)
        if sent is None:
            return {}
        lines = sent.header_lines((str(name), str(value)) for name, value in headers.items())
        changed: Params = {"headers": [{"name": name, "value": value} for name, value in lines]}
        return changed | ({"url": sent.url} if sent.url != url else {})
