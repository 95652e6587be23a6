"""Cut, build and publish a release: ``make release``, ``make dist``, ``make image`` and ``make publish``.

``prepare`` moves the fragments of ``changelog.d`` into ``CHANGELOG.md`` and sets the version wherever it is written; a
person reads the difference, commits and tags it. The workflow of the tag runs the other three, which refuse a tree
whose version, changelog and checks do not agree. The version comes from the variable ``VERSION``: 0.2.0 or v0.2.0.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from devtools.locks import UV, tools
from pagegrade.clock import utc_now

ROOT: Final = Path(__file__).resolve().parent.parent
DIST: Final = ROOT / "build" / "dist"
IDENTITY: Final = "src/pagegrade/model/identity.py"
CHANGELOG: Final = "CHANGELOG.md"
FRAGMENTS: Final = "changelog.d"
CHECKS: Final = "src/pagegrade/checks"
SECTIONS: Final = ("security", "removed", "deprecated", "added", "changed", "fixed")
QUOTING: Final = ("deploy/Dockerfile", "deploy/env.example", "docs/howto/*.md", "integrations/gitlab/*.yml")
"""Files with commands that name the version, or the one after it where they show an upgrade."""
QUOTED: Final = re.compile(
    r"(?P<of>pagegrade(?:[:-]|==|/pagegrade[@/]v)|rev: v|ARG VERSION=)(?P<version>\d+\.\d+\.\d+)"
)
_VERSION: Final = re.compile(r'(VERSION: Final = ")([^"]+)(")')
_RELEASED: Final = re.compile(r'(RELEASED_MS: Final = )[\d_]+(\n""")[\d-]+')
_SINCE: Final = re.compile(r'(?<=since=")\d+\.\d+\.\d+(?=")|(?<=")\d+\.\d+\.\d+(?=: )')
"""Versions in the declaration of a check."""


def version(root: Path = ROOT) -> str:
    """Return the version of the code."""
    match = _VERSION.search((root / IDENTITY).read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{IDENTITY} has no VERSION")
    return match[2]


def released(root: Path = ROOT) -> list[str]:
    """Versions of the changelog that have a date, newest first."""
    return re.findall(r"^## (\d+\.\d+\.\d+) - ", (root / CHANGELOG).read_text(encoding="utf-8"), re.MULTILINE)


def upcoming(root: Path = ROOT) -> str:
    """Return the version that a new check names in ``since``: the next minor one, unless this one is not out yet."""
    now = version(root)
    return _next_minor(now) if now in released(root) else now


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """Explain why ``tag`` cannot be built from this tree, one sentence each; empty if it can."""
    now, out = version(root), released(root)
    found = [] if tag == now else [f"{IDENTITY} has version {now}, not {tag!r}: make release VERSION={tag}."]
    if now not in out:
        found.append(f"{CHANGELOG} has no section {now}: make release VERSION={now}.")
    left = len(fragments(root))
    if left:
        found.append(f"{FRAGMENTS} has {left} fragments that are in no release: make release moves them.")
    found += [
        f"{path} names version {quoted}; this is {now}."
        for path, quoted in _quoted(root)
        if quoted not in {now, _next_minor(now)}
    ]
    found += [f"{path} names version {since}, which {CHANGELOG} does not have." for path, since in _since(root, out)]
    return found


def fragments(root: Path = ROOT) -> dict[str, list[Path]]:
    """Paths of the fragments by section, in the order of the changelog."""
    paths = sorted(path for path in (root / FRAGMENTS).glob("*.md") if path.name != "README.md")
    by_section = {section: [path for path in paths if path.suffixes[-2] == f".{section}"] for section in SECTIONS}
    return {section: some for section, some in by_section.items() if some}


def prepare(tag: str, today: dt.date, root: Path = ROOT) -> None:
    """Make the tree that of release ``tag``; nothing is committed.

    Raises:
        ValueError: There is no such release to be made; nothing was written.
    """
    now, out = version(root), released(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", tag):
        raise ValueError(f"say VERSION=0.2.0, three numbers; not {tag!r}")
    if any(_numbers(tag) <= _numbers(other) for other in out):
        raise ValueError(f"{tag} does not come after {out[0]}, the newest release in {CHANGELOG}")
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    head, _, rest = changelog.partition("## Unreleased\n")
    by_hand, newer, older = rest.partition("\n## ")
    entries = _merged(by_hand, fragments(root))
    if not entries:
        raise ValueError(f"{FRAGMENTS} has no fragment, and {CHANGELOG} nothing below Unreleased: nothing to release")
    section = f"## {tag} - {today.isoformat()}\n\n{entries}"
    (root / CHANGELOG).write_text(f"{head}## Unreleased\n\n{section}{newer}{older}", encoding="utf-8")
    for some in fragments(root).values():
        for path in some:
            path.unlink()
    new = {now: tag, _next_minor(now): _next_minor(tag)}
    for path in _files(root, QUOTING):
        _substitute(path, QUOTED, lambda match: match["of"] + new.get(match["version"], match["version"]))
    coming = now if now not in out else _next_minor(now)
    for path in (root / CHECKS).rglob("*.py"):
        _substitute(path, _SINCE, lambda match: tag if match[0] == coming else match[0])
    midnight = dt.datetime.combine(today, dt.time(), dt.UTC)
    _substitute(root / IDENTITY, _VERSION, lambda match: match[1] + tag + match[3])
    _substitute(
        root / IDENTITY, _RELEASED, lambda match: f"{match[1]}{int(midnight.timestamp()) * 1000:_}{match[2]}{today}"
    )


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of the changelog about one release, without its heading."""
    sections = re.split(r"^## ", (root / CHANGELOG).read_text(encoding="utf-8"), flags=re.MULTILINE)
    (section,) = (section for section in sections if section.startswith(f"{tag} - "))
    return section.partition("\n")[2].strip() + "\n"


def build(tag: str) -> None:
    """Build wheel, source archive, bill of materials and documentation into ``build/dist``."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run(
        *(UV, "build", "--quiet", "--wheel", "--sdist", "--out-dir", DIST, "--python", sys.executable),
        *("--build-constraints", ROOT / "requirements" / "build.txt", "--require-hashes", ROOT),
    )
    (DIST / ".gitignore").unlink(missing_ok=True)
    materials = DIST / "pagegrade.cdx.json"
    _run(
        *(
            tools("release") / "bin" / "cyclonedx-py",
            "requirements",
            "--output-reproducible",
            "--mc-type",
            "application",
        ),
        *("--pyproject", ROOT / "pyproject.toml", "--output-file", materials, ROOT / "requirements" / "run.txt"),
    )
    materials.write_text(json.dumps(completed(json.loads(materials.read_text("utf-8")), tag), indent=2) + "\n", "utf-8")
    _run("make", "site")
    shutil.make_archive(str(DIST / f"pagegrade-{tag}-docs"), "gztar", ROOT / "build", "site")


def completed(bill: dict[str, Any], tag: str) -> dict[str, Any]:
    """Return a bill of materials with what a lock does not say: the version, and that all of it is installed."""
    whole, parts = bill["metadata"]["component"], bill["components"]
    whole["version"] = tag
    for part in parts:
        part.pop("description", None)  # It repeats the line of the lock, hashes included.
    refs = sorted(part["bom-ref"] for part in parts)
    known = [entry for entry in bill.get("dependencies", []) if entry["ref"] != whole["bom-ref"]]
    bill["dependencies"] = [{"ref": whole["bom-ref"], "dependsOn": refs}, *known]
    return bill


def image(tag: str) -> None:
    """Build the container image with Docker and save it into ``build/dist``."""
    name, archive = f"pagegrade:{tag}", DIST / f"pagegrade-{tag}-image.tar"
    revision = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, encoding="utf-8")  # noqa: S607
    DIST.mkdir(parents=True, exist_ok=True)
    arguments = ("--build-arg", f"VERSION={tag}", "--build-arg", f"REVISION={revision.strip()}", "--tag", name)
    _run("docker", "build", "--pull", "--file", "deploy/Dockerfile", *arguments, ".")
    _run("docker", "save", "--output", archive, name)
    _run("gzip", "--no-name", archive)


def publish(tag: str) -> None:
    """Put what is in ``build/dist`` on the page of the release, and the package where pip finds it."""
    files = sorted(DIST.iterdir())
    command = ("gh", "release", "create", f"v{tag}", "--verify-tag", "--title", tag, "--notes-file", "-", *files)
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True, input=notes(tag), encoding="utf-8")
    packages = [path for path in files if path.suffix == ".whl" or path.name == f"pagegrade-{tag}.tar.gz"]
    _run(UV, "publish", "--trusted-publishing", "always", *packages)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _next_minor(text: str) -> str:
    major, minor, _ = _numbers(text)
    return f"{major}.{minor + 1}.0"


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def _quoted(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and version for each place outside the code that names one."""
    for path in _files(root, QUOTING):
        for match in QUOTED.finditer(path.read_text(encoding="utf-8")):
            yield path.relative_to(root).as_posix(), match["version"]


def _since(root: Path, out: list[str]) -> Iterator[tuple[str, str]]:
    """Yield path and version for each version in a check that is not among the released ones."""
    for path in sorted((root / CHECKS).rglob("*.py")):
        for match in _SINCE.finditer(path.read_text(encoding="utf-8")):
            if match[0] not in out:
                yield path.relative_to(root).as_posix(), match[0]


def _merged(by_hand: str, paths: dict[str, list[Path]]) -> str:
    """Return the sections written by hand below "Unreleased", together with the fragments."""
    parts = re.split(r"^### (.+)\n", by_hand, flags=re.MULTILINE)
    entries = {name.lower(): [text.strip()] for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    for section, some in paths.items():
        for path in some:
            text = path.read_text(encoding="utf-8").strip()
            entries.setdefault(section, []).append("- " + "\n".join(f"  {line}" for line in text.splitlines()).lstrip())
    return "\n".join(
        f"### {section.capitalize()}\n\n" + "\n".join(entries[section]) + "\n"
        for section in SECTIONS
        if section in entries
    )


def _substitute(path: Path, pattern: re.Pattern[str], replacement: Any) -> None:
    text = path.read_text(encoding="utf-8")
    changed = pattern.sub(replacement, text)
    if changed != text:
        path.write_text(changed, encoding="utf-8")


def _run(*command: object) -> None:
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def main(arguments: list[str]) -> int:
    """Run one step of a release; returns the exit status."""
    tag = os.environ.get("VERSION", "").removeprefix("v")
    if arguments == ["prepare"]:
        try:
            prepare(tag, utc_now().date())
        except ValueError as error:
            print(f"release: {error}", file=sys.stderr)
            return 2
        print(f"{tag} is prepared, and nothing committed. Go on with step 2 of docs/howto/release.md.")
        return 0
    found = problems(tag)
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    if found:
        return 1
    {"build": build, "image": image, "publish": publish}[arguments[0]](tag)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
