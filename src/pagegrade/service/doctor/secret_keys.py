"""Can the secrets of access profiles be decrypted here, and is the key kept as one should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pagegrade.service.access.operations import count_sealed
from pagegrade.service.access.vault import Vault
from pagegrade.service.doctor.checks import Diagnosis, ok, problem, warning
from pagegrade.service.doctor.storage import read_if_usable
from pagegrade.store.engine.database import Database

_TOPIC: Final = "secret key"


def look_at_secret_keys(database: Database, vault: Vault) -> Iterator[Diagnosis]:
    """Check whether each access profile can be decrypted, and with which key.

    Args:
        database: Which may not be there, or not be reachable; that is reported elsewhere.
        vault: With the keys of this installation.
    """
    found = read_if_usable(database, lambda tx: count_sealed(tx, vault))
    if found is None:
        return
    total = found.current + found.former + found.unknown
    key = "PAGEGRADE_SECRET_KEY" if vault.keys else str(vault.file or "")
    if found.unknown:
        yield problem(
            _TOPIC,
            f"the secrets of access profiles ({found.unknown} of {total}) cannot be decrypted"
            + (f" with {key}" if key else ": PAGEGRADE_SECRET_KEY is not set")
            + "; analyses that use them fail",
            "Add the former key to PAGEGRADE_SECRET_KEY, behind the others, or restore secret.key from a backup; else "
            "the owners enter the secrets again.",
        )
    if found.former:
        yield warning(
            _TOPIC,
            f"the secrets of access profiles ({found.former} of {total}) are encrypted with a former key",
            "Run: pagegrade access-profiles rotate",
        )
    if vault.file is not None and not vault.keys and vault.file.exists() and vault.file.stat().st_mode & 0o077:
        yield warning(_TOPIC, f"other users of this machine may read {key}", f"Run: chmod 600 {key}")
    if vault.ignored_file is not None:
        yield warning(
            _TOPIC,
            f"{vault.ignored_file} has no effect, because PAGEGRADE_SECRET_KEY is set to another key",
            "Add the key of the file to PAGEGRADE_SECRET_KEY, behind the others, as long as access profiles or backups "
            "need it; then delete the file.",
        )
    if total and not found.unknown:
        kept = "" if vault.keys else "; keep a copy of it beside the backups, which are of no use for them without it"
        yield ok(_TOPIC, f"{key} decrypts the secrets of all access profiles ({total}){kept}")
    elif not total:
        missing = "; the first one needs PAGEGRADE_SECRET_KEY" if not key else ""
        yield ok(_TOPIC, f"no access profile needs one{missing}")
