"""The hook for pre-commit: its command is run with the arguments of the documentation, without a container."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from tests.cli.site import running_site

ROOT: Final = Path(__file__).resolve().parents[2]
HOOKS: Final[list[dict[str, Any]]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def documented() -> dict[str, Any]:
    """The hook as the documentation configures it."""
    text = (ROOT / "docs/howto/use-in-ci.md").read_text(encoding="utf-8")
    block = re.findall(r"^```yaml\n(repos:.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    hook: dict[str, Any] = yaml.safe_load(block)["repos"][0]["hooks"][0]
    return hook


@pytest.mark.parametrize(("condition", "status"), [("score<1", 0), ("score<100", 1)])
def test_a_push_fails_by_the_conditions_of_its_arguments(condition: str, status: int) -> None:
    """As pre-commit runs it: the entry, then the arguments, and no names of files."""
    (hook,) = HOOKS
    with running_site() as site:
        arguments = [
            {"http://127.0.0.1:8000/": site.url, "score<80": condition}.get(a, a) for a in documented()["args"]
        ]
        done = subprocess.run(
            [*shlex.split(hook["entry"]), *arguments],
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert done.returncode == status, done.stderr


def test_the_hook_is_what_pre_commit_reads() -> None:
    """It installs this project, runs before a push, and whatever files have changed."""
    (hook,) = HOOKS

    assert hook["id"] == documented()["id"]
    assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
    assert hook["stages"] == ["pre-push", "manual"]
