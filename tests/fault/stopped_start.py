"""``pagegrade`` that gets a stop signal while it starts: ``python -m tests.fault.stopped_start tables SIGTERM serve``.

The points are made by wrapping one function of the product in this process. The product itself knows nothing of them.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any, Final

POINTS: Final = {
    "settings": ("pagegrade.cli.commands.serve", "service_options"),
    "database": ("pagegrade.cli.commands.serve", "wait_for"),
    "tables": ("pagegrade.store.schema.migrate", "delete"),
    "loop": ("pagegrade.cli.commands.serve", "Process"),
    "port": ("pagegrade.cli.commands.serve", "serve"),
    "account": ("pagegrade.cli.commands.serve", "ensure_owner"),
    "key": ("pagegrade.cli.commands.serve", "make_link"),
}
"""Name -> (module, function that is called there): the settings are read, the tables were made and the transaction is
open, the port is about to be taken, the first account was made and its transaction is open."""


def stop_at(point: str, number: int) -> None:
    """Send the signal to this process once the function of the point has been called."""
    module_name, name = POINTS[point]
    module = importlib.import_module(module_name)
    original = getattr(module, name)

    def stopped(*arguments: Any, **more: Any) -> Any:
        result = original(*arguments, **more)
        os.kill(os.getpid(), number)
        return result

    setattr(module, name, stopped)


def main() -> None:
    """Run the command with its signal to come."""
    point, number, *arguments = sys.argv[1:]
    stop_at(point, signal.Signals[number])
    from pagegrade.cli import main as run

    run(arguments)


if __name__ == "__main__":
    main()
