"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit code (see ``cli.exits``)."""
    from pagegrade.cli.app import run

    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))
