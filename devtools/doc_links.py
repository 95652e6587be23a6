"""Every link inside the repository's Markdown leads somewhere: to a file, and to a heading when it names one."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SKIP: Final = frozenset({"build", "dist", "node_modules", "fixtures", "recorded"})
"""Folders that hold no pages of the project; hidden ones are those of tools as well."""
SHOWN: Final = frozenset({".github"})
FENCE: Final = re.compile(r"^\s*(```|~~~)")
LINK: Final = re.compile(r"\]\(([^()\s]+)\)")
HEADING: Final = re.compile(r"^#{1,6} (.+)$")


def markdown_files(root: Path) -> list[Path]:
    """The Markdown of the project, without what tools put beside it."""
    return sorted(path for path in root.rglob("*.md") if not any(map(_of_tools, path.relative_to(root).parts)))


def _of_tools(part: str) -> bool:
    return part in SKIP or (part.startswith(".") and part not in SHOWN)


def prose(text: str) -> list[str]:
    """The lines outside fenced blocks; links in an example are not links."""
    kept = []
    fenced = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            kept.append(re.sub(r"`[^`]*`", "", line))
    return kept


def anchors(path: Path) -> set[str]:
    """The fragment of each heading, spelled as Git hosts spell it."""
    found = set()
    fenced = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            fenced = not fenced
        match = None if fenced else HEADING.match(line)
        if match:
            words = re.sub(r"[^\w\- ]", "", match[1].strip().lower())
            found.add(words.replace(" ", "-"))
    return found


def broken_links(root: Path) -> list[str]:
    """One sentence for each link that leads nowhere."""
    found = []
    for path in markdown_files(root):
        for line in prose(path.read_text(encoding="utf-8")):
            for target in LINK.findall(line):
                problem = _problem(root, path, target)
                if problem:
                    found.append(f"{path.relative_to(root)}: {target}: {problem}")
    return found


def _problem(root: Path, path: Path, target: str) -> str | None:
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
        return None
    name, _, fragment = target.partition("#")
    place = (root / name.lstrip("/") if name.startswith("/") else path.parent / name) if name else path
    if not place.exists():
        return "there is no such file"
    if fragment and place.suffix == ".md" and fragment not in anchors(place):
        return "the page has no such heading"
    return None


def main() -> int:
    """Check the project's Markdown; returns the exit status."""
    found = broken_links(ROOT)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
