"""One request and its answer: between the connection and the application."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from pagegrade.web.problems import MEDIA_TYPE, internal_error, problem_body


class Exchange(RequestResponseCycle):
    """One request and its answer."""

    begun = False
    """The application has seen it."""
    reusable = True
    """The connection may be used again, as far as the request goes."""
    task: asyncio.Task[None] | None = None

    async def run_asgi(self, app: Any) -> None:
        """Let the application answer; unlike uvicorn's, a cancelled one is no error, and errors are problems."""
        self.begun = True
        try:
            await app(self.scope, self.receive, self.send)
            self._check_answer()
        except asyncio.CancelledError:
            self.transport.abort()
            raise
        except Exception:
            if self.disconnected:
                return  # an application may well fail when its client has gone
            logging.getLogger("pagegrade.web").exception("The application failed")
            if self.response_started:
                self.transport.abort()  # an answer that is cut off must not look whole
            else:
                await self.send_500_response()
        finally:
            self.on_response = lambda: None

    async def send_500_response(self) -> None:
        """The last resort."""
        body = problem_body(internal_error(), base_url="", path=self.scope["path"], request_id="")
        headers = [
            (b"content-type", MEDIA_TYPE.encode("ascii")),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        await self.send({"type": "http.response.start", "status": 500, "headers": headers})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    async def receive(self) -> Any:
        """The next piece of the body."""
        if self.waiting_for_100_continue:
            # Only now is it sure that the body will come, so only now can another request come behind it.
            self.keep_alive = self.reusable
        return await super().receive()

    def _check_answer(self) -> None:
        if not (self.response_complete or self.disconnected):
            raise RuntimeError("the application left without an answer")
