"""Finds every check by walking the package: there is no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import pagegrade.checks as package
from pagegrade.checks._check import Check
from pagegrade.model.report import CATEGORIES

_DEPTH = 3
"""Dots in ``pagegrade.checks.<category>.<check>``."""


@cache
def all_checks() -> Mapping[str, Check]:
    """Every check by id, ordered by category and id.

    Raises:
        TypeError: Two checks share an id, or a check's id, file and function disagree.
    """
    found: dict[str, Check] = {}
    for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        name = module_info.name.rsplit(".", 1)[-1]
        if module_info.ispkg or name.startswith("_") or module_info.name.count(".") != _DEPTH:
            continue
        module = importlib.import_module(module_info.name)
        check = getattr(module, name, None)
        if not isinstance(check, Check) or check.id != name.replace("_", "-"):
            raise TypeError(f"{module_info.name} must define the check {name.replace('_', '-')!r} as {name}")
        if check.id in found:
            raise TypeError(f"two checks are called {check.id!r}")
        found[check.id] = check
    order = list(CATEGORIES)
    return MappingProxyType(
        dict(sorted(found.items(), key=lambda item: (order.index(item[1].category), item[0]))),
    )
