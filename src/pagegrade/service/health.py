"""Health of the database: readable and writable now."""

from __future__ import annotations

import asyncio
import errno
import logging
import shutil
import time
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.data_dir import try_writing
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.installation import prove_writable
from pagegrade.store.schema.migrate import is_current

KEPT_S: Final = 1.0
"""Seconds for which a result is cached: a check costs a write, and every client may request it."""
PATIENCE_S: Final = 2.0
"""A database that takes longer is no use to those who wait for an answer."""
MIN_FREE_BYTES: Final = 1024 * 1024
OK: Final = "ok"
NONE: Final = "none"
UNKNOWN: Final = "unknown"
CHANGED: Final = "changed"
logger = logging.getLogger(__name__)


class Health:
    """``await health.words()``."""

    def __init__(self, database: Database, *, kept_s: float = KEPT_S, patience_s: float = PATIENCE_S) -> None:
        """Nothing is asked yet.

        Args:
            kept_s: Seconds for which an answer is given again.
            patience_s: Seconds that the database may take.
        """
        self._database = database
        self._kept_s = kept_s
        self._patience_s = patience_s
        self._asking = asyncio.Lock()
        self._asked_at_s: float | None = None
        self._words: dict[str, str] = {}

    async def words(self) -> dict[str, str]:
        """Health check -> ``ok``, or its problem: ``unavailable``, ``slow``, ``changed``, ``full``.

        ``none`` stands for a disk that is not of this machine, and ``unknown`` where something else that is wrong kept
        us from looking.
        """
        async with self._asking:
            if self._asked_at_s is None or time.monotonic() - self._asked_at_s >= self._kept_s:
                database, schema, full = await self._ask_database()
                if schema == CHANGED and self._words.get("schema") != CHANGED:
                    logger.error("schema_changed", extra={"reason": "A later version changed the tables; install it."})
                disk = "full" if full else await asyncio.to_thread(self._disk)
                self._words = {"database": database, "schema": schema, "disk": disk}
                self._asked_at_s = time.monotonic()
            return dict(self._words)

    async def _ask_database(self) -> tuple[str, str, bool]:
        """(word, word of the schema, whether its disk is full)."""
        schema = UNKNOWN
        try:
            async with asyncio.timeout(self._patience_s):
                schema = OK if await self._database.read(is_current) else CHANGED
                await self._database.write(lambda tx: prove_writable(tx, now_ms()))
        except TimeoutError:
            return "slow", schema, False
        except Unavailable as error:
            return "unavailable", schema, error.reason == "database_full"
        return OK, schema, False

    def _disk(self) -> str:
        path = self._database.path
        if path is None:
            return NONE  # of ours; the database server reports when it is full
        folder = path.absolute().parent
        try:
            if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
                return "full"
            # The database makes files beside its own, for large transactions.
            try_writing(folder, syncs=False)
        except OSError as error:
            if self._words.get("disk", OK) == OK:
                code = errno.errorcode.get(error.errno or 0)
                logger.warning("folder_not_writable", extra={"folder": str(folder), "reason": code})
            return "full" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "unavailable"
        return OK
