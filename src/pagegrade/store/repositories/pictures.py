"""Pictures of reports: stored with the run that made them, and kept while their report shows that run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, insert, select, text

from pagegrade.model.stored import PackedPicture
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.tables import run_pictures, runs

_DROP: Final = Prepared(
    text(
        "DELETE FROM run_pictures WHERE run_id IN (SELECT id FROM runs WHERE report_id = :report_id) "
        "RETURNING LENGTH(body)"
    )
)
_LOAD: Final = (
    select(run_pictures.c.body)
    .join(runs, runs.c.id == run_pictures.c.run_id)
    .where(
        runs.c.report_id == bindparam("report"),
        runs.c.number == bindparam("number"),
        run_pictures.c.name == bindparam("picture"),
    )
)


def save_pictures(tx: Transaction, run_id: int, pictures: Sequence[PackedPicture]) -> None:
    """Keep the pictures of a run that ends now."""
    if pictures:
        tx.execute(
            insert(run_pictures),
            [{"run_id": run_id, "name": picture.name, "body": picture.body} for picture in pictures],
        )


def drop_pictures(tx: Transaction, report_id: int) -> int:
    """Delete the pictures of a report, which another run is about to replace; return their size in bytes."""
    return sum(size for (size,) in _DROP.rows(tx, {"report_id": report_id}))


def load_picture(tx: Transaction, report_id: int, number: int, name: str) -> bytes | None:
    """Return a picture of a run of a report; ``None`` when there is none."""
    body: bytes | None = tx.execute(_LOAD, {"report": report_id, "number": number, "picture": name}).scalar()
    return None if body is None else bytes(body)
