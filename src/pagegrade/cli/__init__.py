"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit code (see ``cli.exit_codes``)."""
    try:
        from pagegrade.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        # Before or after a command's own handling, e.g. while modules are imported.
        sys.stderr.write("Interrupted.\n")
        code = 130
    sys.exit(code)
