"""Measures of the code for docs/architecture.md: ``python -m devtools.measures``.

Lines and modules are those of the product without checks and tables of data, which grow with what is checked. A module
next door has one importer, which lies in the same package: it may be a part of that module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = "pagegrade"
APART: Final = (f"{PACKAGE}.checks.", f"{PACKAGE}.parse.data.")


def path_of(module: str) -> Path:
    """Return the source file of a module that is no package."""
    return ROOT / "src" / f"{module.replace('.', '/')}.py"


def measured() -> list[str]:
    """Names of the modules that are counted, sorted."""
    modules = grimp.build_graph(PACKAGE).modules
    return sorted(name for name in modules if path_of(name).exists() and not name.startswith(APART))


def next_door() -> list[tuple[str, str]]:
    """Each counted module with one importer that lies beside it, and that importer; sorted."""
    graph = grimp.build_graph(PACKAGE)
    found = []
    for name in measured():
        importers = graph.find_modules_that_directly_import(name)
        if len(importers) == 1:
            (importer,) = importers
            if importer.rpartition(".")[0] == name.rpartition(".")[0]:
                found.append((name, importer))
    return found


def main() -> None:
    """Print lines, modules, and the modules next door."""
    modules = measured()
    pairs = next_door()
    print(sum(len(path_of(name).read_text(encoding="utf-8").splitlines()) for name in modules), "lines")
    print(len(modules), "modules")
    print(len(pairs), "modules whose only importer lies beside them:")
    for name, importer in pairs:
        print(f"  {name} <- {importer}")


if __name__ == "__main__":
    main()
