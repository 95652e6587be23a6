"""The version after this one: the same code with one more migration, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pagegrade
from pagegrade.model.identity import VERSION
from pagegrade.store.schema.migrate import WORKS_FROM, revisions

NEXT: Final = "9.9.0"
LAST: Final = revisions()[-1]
NEW: Final = f"{int(LAST) + 1:04}"
PATIENCE_S: Final = 60.0
_MIGRATION: Final = f'''
"""What a version may do: only add."""

from __future__ import annotations

import os
import signal

import sqlalchemy as sa
from alembic import op

revision = "{NEW}"
down_revision = "{LAST}"


def upgrade() -> None:
    """A column that may be empty, a table, an index."""
    op.add_column("reports", sa.Column("note", sa.String(20)))
    op.create_table("notes", sa.Column("id", sa.Integer(), primary_key=True))
    op.execute("INSERT INTO notes DEFAULT VALUES")
    if "DIE_IN_MIGRATION" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    op.create_index("ix_reports_note", "reports", ["note"])
'''


@dataclass(frozen=True, slots=True)
class Version:
    """Code that can be started."""

    path: Path

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts it."""
        return ("env", f"PYTHONPATH={self.path}", sys.executable, "-m", "pagegrade")

    def start(self, url: str, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        """One of its commands on a database."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")}
        return subprocess.Popen(
            [*self.command, *arguments],
            env={**plain, "PAGEGRADE_DATABASE_URL": url, **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, url: str, *arguments: str, **settings: str) -> tuple[int, str]:
        """(exit code, all it said) of one of its commands on a database."""
        return ended(self.start(url, *arguments, **settings))


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """(exit code, all it said) of a command."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out + err


def this_version() -> Version:
    """The code that is tested."""
    return Version(Path(pagegrade.__path__[0]).parent)


def make_next(folder: Path, *, works_from: str = LAST) -> Version:
    """The version after it.

    Args:
        folder: Where to put it.
        works_from: The oldest revision whose code can work with its tables.
    """
    package = folder / "pagegrade"
    shutil.copytree(this_version().path / "pagegrade", package, ignore=shutil.ignore_patterns("__pycache__"))
    _replace(package / "model/identity.py", f'VERSION: Final = "{VERSION}"', f'VERSION: Final = "{NEXT}"')
    _replace(
        package / "store/schema/migrate.py",
        f'WORKS_FROM: Final = "{WORKS_FROM}"',
        f'WORKS_FROM: Final = "{works_from}"',
    )
    (package / f"store/schema/migrations/versions/v{NEW}_next.py").write_text(_MIGRATION.lstrip())
    return Version(folder)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise AssertionError(f"{path.name} does not say {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")
