"""Requests with an Idempotency-Key that this process began to answer and does not.

Their clients hung up, or the database was away in that moment. As long as this process lives, others that share the
database believe that it is answering. So it tells them, once it can, that anybody may.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pagegrade.model.errors import Unavailable
from pagegrade.store.database import Database, Transaction
from pagegrade.store.idempotency import give_up_answer

SURE_S: Final = 30.0
"""What a request began may become visible that much later: then its write had not ended when it went away."""


@dataclass(frozen=True, slots=True)
class _Left:
    here: Mapping[str, Any]
    """As ``store.idempotency`` takes it."""
    answerer: str
    at_s: float


class Unanswered:
    """``give_up`` is for the request, ``settle`` for whoever keeps house. For any thread."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, _Left] = {}

    def __len__(self) -> int:
        return len(self._left)

    def give_up(self, here: Mapping[str, Any], answerer: str, *, begun: bool) -> None:
        """This request will not be answered.

        Args:
            here: Which one, as ``store.idempotency`` takes it.
            answerer: Who was answering.
            begun: Whether what it began is known to be stored; if so others are told at once.
        """
        if not self._database.shared:
            return  # What is being answered is known in memory: nobody waits for what is not there.
        left = _Left(dict(here), answerer, self._clock())
        with self._lock:
            self._left[answerer] = left
        if begun:
            with contextlib.suppress(Unavailable):
                self._database.submit(partial(_give_up, left=left)).add_done_callback(partial(self._told, left))

    async def settle(self) -> None:
        """Tell what could not be told until now.

        Raises:
            Unavailable: It still cannot.
        """
        with self._lock:
            waiting = tuple(self._left.values())
        for left in waiting:
            sure = self._clock() - left.at_s >= SURE_S
            given = await self._database.write(partial(_give_up, left=left))
            if given or sure:
                self._forget(left)

    def _told(self, left: _Left, outcome: Future[bool]) -> None:
        if not outcome.cancelled() and outcome.exception() is None:
            self._forget(left)

    def _forget(self, left: _Left) -> None:
        with self._lock:
            self._left.pop(left.answerer, None)


def _give_up(tx: Transaction, left: _Left) -> bool:
    return give_up_answer(tx, **left.here, answerer=left.answerer)
