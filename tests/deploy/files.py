"""The files of ``deploy`` and the pages about them, read for tests."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # it has no types of its own

ROOT: Final = Path(__file__).resolve().parents[2]
DEPLOY: Final = ROOT / "deploy"
COMPOSE: Final = (DEPLOY / "compose.yaml", DEPLOY / "compose.sqlite.yaml")
UNITS: Final = tuple(sorted((DEPLOY / "systemd").glob("*.service")))
PAGES: Final = tuple(
    ROOT / "docs" / "howto" / f"{name}.md"
    for name in (
        "back-up-and-restore",
        "deploy-with-containers",
        "deploy-with-systemd",
        "monitor-the-service",
        "move-to-postgresql",
        "upgrade-without-downtime",
    )
)
PROGRAM: Final = "/opt/pagegrade/bin/pagegrade"
_ASSIGNMENT: Final = re.compile(r"[A-Z_]+=")
_FILLED: Final = re.compile(r"\$\{(\w+)(?::[-?]([^}]*))?\}")
_INLINE: Final = re.compile(r"`(pagegrade [^`]*)`")
_OPERATORS: Final = frozenset({"&&", "||", "|", ";", "(", ")"})
_OURS: Final = frozenset({"pagegrade", ".venv/bin/pagegrade", PROGRAM, "pagegrade-admin"})


def deploy_files() -> list[Path]:
    """Everything in ``deploy``, without what belongs to one installation."""
    private = {DEPLOY / "secrets", DEPLOY / ".env"}
    return sorted(path for path in DEPLOY.rglob("*") if path.is_file() and not private & {path, *path.parents})


def load_yaml(path: Path) -> Any:
    """A YAML file with its anchors and merges resolved."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def services(path: Path) -> dict[str, dict[str, Any]]:
    """The services of a Compose file."""
    found: dict[str, dict[str, Any]] = load_yaml(path)["services"]
    return found


def env_example() -> dict[str, str]:
    """The variables that ``env.example`` sets."""
    lines = (DEPLOY / "env.example").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def filled(text: str) -> str:
    """A value of a Compose file with its variables filled in from ``env.example``, else their defaults."""
    values = env_example()
    return _FILLED.sub(lambda match: values.get(match[1], match[2] or ""), text)


def seconds(duration: str) -> int:
    """A duration as Compose writes it, like ``90s`` or ``2m``."""
    return int(duration[:-1]) * {"s": 1, "m": 60}[duration[-1]]


def unit_lines(path: Path) -> list[tuple[str, str]]:
    """(key, value) of every setting of a unit, in order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("=", 1) for line in lines if line and line[0] not in "#["]
    return [(key, value) for key, value in pairs]


def unit_values(path: Path, key: str) -> list[str]:
    """The values of one key of a unit."""
    return [value for found, value in unit_lines(path) if found == key]


def dockerfile() -> list[tuple[str, str]]:
    """(instruction, arguments) of the Dockerfile, lines joined, comments left out."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    joined = text.replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1].strip()) for line in joined.splitlines() if line.strip()]


def shell_lines(page: Path) -> Iterator[str]:
    """The commands of a page's console blocks, continued lines joined."""
    for block in re.findall(r"^ *```console\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        joined = block.replace("\\\n", " ")
        for line in joined.splitlines():
            prompt, _, command = line.strip().partition(" ")
            if prompt in {"$", "#"}:
                yield command


def pagegrade_commands(page: Path) -> list[list[str]]:
    """Arguments of every call of our program on a page, also of those inside of a container."""
    found = [shlex.split(call)[1:] for call in _INLINE.findall(page.read_text(encoding="utf-8"))]
    for line in shell_lines(page):
        for words in _split(line):
            call = _call(words)
            if call is not None:
                found.append(call)
    return found


def container_commands() -> list[list[str]]:
    """Arguments that the image and the Compose files give to our program."""
    [default] = [arguments for instruction, arguments in dockerfile() if instruction == "CMD"]
    found: list[list[str]] = [json.loads(default)]
    for path in COMPOSE:
        ours = [service for service in services(path).values() if service["image"].startswith("${IMAGE")]
        found += [[filled(word) for word in service["command"]] for service in ours]
    return found


def unit_commands() -> list[list[str]]:
    """Arguments that the units give to our program, with a port for the instance."""
    return [shlex.split(value.replace("%i", "8081"))[1:] for path in UNITS for value in unit_values(path, "ExecStart")]


def _split(line: str) -> list[list[str]]:
    """The simple commands of a line of shell."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:
        return []  # a quoted text that goes on in the next line: none of ours does
    commands: list[list[str]] = [[]]
    for word in words:
        if word in _OPERATORS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def _call(words: list[str]) -> list[str] | None:
    """The arguments of our program, if it is what a command calls."""
    plain = [word for word in words if not _ASSIGNMENT.match(word)]
    cut = next((number for number, word in enumerate(plain) if word in {">", "<", "2>", "2>&1", ">>"}), len(plain))
    plain = plain[:cut]
    if plain and plain[0] in _OURS:
        return plain[1:]
    if plain[:2] == ["docker", "compose"]:
        return _compose_call(plain[2:])
    image = next((number for number, word in enumerate(plain) if word.startswith("pagegrade:")), None)
    return plain[image + 1 :] if plain[:2] == ["docker", "run"] and image is not None else None


def _compose_call(words: list[str]) -> list[str] | None:
    if "exec" in words and "pagegrade" in words[words.index("exec") + 2 :]:
        rest = words[words.index("exec") + 2 :]
        return rest[1:] if rest[0] == "pagegrade" else None
    if "run" in words:
        rest = words[words.index("run") + 1 :]
        while rest and rest[0].startswith("--"):
            rest = rest[1 if rest[0] == "--rm" else 2 :]
        return rest[1:] or None
    return None
