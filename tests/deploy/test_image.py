"""The image is built from what is named, by what is locked, for a user who may do little."""

from __future__ import annotations

import fnmatch
import json
import re
from pathlib import Path

from pagegrade.model.identity import VERSION
from tests.deploy.files import ROOT, dockerfile


def arguments_of(instruction: str) -> list[str]:
    """Arguments of every such instruction, in order."""
    return [arguments for found, arguments in dockerfile() if found == instruction]


def locks() -> list[str]:
    """The locks that an image may be built with."""
    return ["run", "otel"]


def copied() -> list[str]:
    """Files and folders of the repository that go into the build."""
    names = []
    for arguments in arguments_of("COPY"):
        *sources, _target = [word for word in arguments.split() if not word.startswith("--")]
        if "--from=" not in arguments:
            names += [source.replace("${LOCK}", lock) for source in sources for lock in locks()]
    return sorted(set(names))


def test_the_base_has_a_version() -> None:
    """Both stages begin with the same image, whose tag names Python and the distribution."""
    defaults = dict(argument.split("=", 1) for argument in arguments_of("ARG") if "=" in argument)
    python, _, distribution = defaults["PYTHON_IMAGE"].removeprefix("python:").partition("-slim-")

    assert re.fullmatch(r"3\.\d+", python)
    assert distribution.isalpha()
    assert arguments_of("FROM") == ["${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"]
    assert defaults["LOCK"] in locks()
    assert defaults["VERSION"] == VERSION


def test_what_is_copied_exists_and_is_let_through() -> None:
    """The list of what goes into the build and the Dockerfile say the same."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = {line[1:] for line in lines if line.startswith("!")}

    assert lines[1] == "*"
    assert set(copied()) == let_through
    for name in copied():
        assert (ROOT / name).exists()


def test_nothing_private_is_let_through() -> None:
    """Secrets, settings, history and bytecode of this machine stay outside."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = [line[1:] for line in lines if line.startswith("!")]

    private = (".env", ".git/config", "deploy/.env", "deploy/secrets/database_url", "tests/site.py")

    assert {"**/__pycache__", "**/*.pyc"} <= set(lines)
    for name in private:
        assert not any(fnmatch.fnmatch(name, pattern) or name.startswith(f"{pattern}/") for pattern in let_through)


def test_only_locked_packages_are_installed() -> None:
    """Every installation asks for hashes, or for nothing but the wheel that was just built."""
    installs = [
        line for run in arguments_of("RUN") for line in run.split("&&") if " install " in line and "pip" in line
    ]

    assert installs
    for line in installs:
        assert "--require-hashes" in line or "--no-index --no-deps dist/pagegrade-" in line


def test_it_runs_without_rights() -> None:
    """A user by number; nothing that it may write but its folder; stopped by what it listens to."""
    [entry] = arguments_of("ENTRYPOINT")

    assert arguments_of("USER") == ["10001:10001"]
    assert "--owner=10001 --group=10001 --mode=0700 /data" in " ".join(arguments_of("RUN"))
    assert not arguments_of("VOLUME")
    assert arguments_of("STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(entry) == ["pagegrade"]


def test_the_probe_is_where_the_health_check_looks() -> None:
    """It is copied to the path that is called."""
    [check] = arguments_of("HEALTHCHECK")
    command = json.loads(check[check.index("[") :])
    [target] = [Path(words.split()[-1]) for words in arguments_of("COPY") if "probe.py" in words]

    assert command == ["python", "-I", str(target)]
