"""Options and environment that a process of Pagegrade is started with, as it says itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

FACTS: Final = "facts.json"
"""File with ``names`` of the variables of the process, and whether it ``leads`` a session of its own."""
_CODE: Final = """
import json, os, sys
if {module!r} in sys.orig_argv:
    with open({path!r}, "w") as file:
        json.dump({{"names": sorted(os.environ), "leads": os.getsid(0) == os.getpid()}}, file)
    {then}
"""


def at_startup(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, then: str = "pass") -> None:
    """Let each process of a module write ``FACTS`` when it starts.

    Args:
        folder: Of the file.
        monkeypatch: Of the test.
        module: That ``python -m`` starts.
        then: Python to go on with, in one line.
    """
    (folder / "code").mkdir()
    (folder / "code" / "sitecustomize.py").write_text(_CODE.format(module=module, path=str(folder / FACTS), then=then))
    paths = [str(folder / "code"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
