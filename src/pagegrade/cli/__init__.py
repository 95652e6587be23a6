"""The command line."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

_INTERRUPTED = 130
"""As ``cli.exit_codes.INTERRUPTED``, which must not have to be imported while an interrupt is handled."""
START_OBJECTS: Final = 400_000
"""New objects after which garbage is collected until a server or a worker is ready.

To start a server, and to make its database, creates 300,000, most of which stay; with Python's own 700, a fifth of the
CPU time of the start goes into looking through them."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit code (see ``cli.exit_codes``).

    After a SIGINT that code is 130, whatever the command made of it: libraries turn ``KeyboardInterrupt`` into other
    exceptions, and Python itself sometimes into death by the signal.
    """
    interrupted = False
    gc.set_threshold(START_OBJECTS)
    # Commands print their errors. Events of the log would be repeated between them, by their bare names, where a
    # command sets no log up.
    logging.getLogger("pagegrade").addHandler(logging.NullHandler())

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        # A child process that is given up while it starts is waited for twice, of which asyncio warns.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        raise KeyboardInterrupt

    # Any other handler was chosen by the parent process or by the program that calls this.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from pagegrade.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BaseException:
        if interrupted:
            _end_interrupted()
        raise
    if interrupted or code == _INTERRUPTED:
        _end_interrupted()
    sys.exit(code)


def _end_interrupted() -> NoReturn:
    """Say so and end at once: what Python does at its end is not needed, and could end otherwise."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        sys.stderr.write("Interrupted.\n")
        sys.stderr.flush()
    os._exit(_INTERRUPTED)
