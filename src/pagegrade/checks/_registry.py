"""Finds every check by walking the package: there is no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, TypeVar

import pagegrade.checks as package
from pagegrade.checks._check import Check
from pagegrade.checks._site_check import SiteCheck
from pagegrade.model.report import CATEGORIES

_DEPTH: Final = 3
"""Dots in ``pagegrade.checks.<category>.<check>``."""
_SITE: Final = package.__name__ + ".site."
"""Package of the checks of whole sites."""
C = TypeVar("C", Check, SiteCheck)


@cache
def all_checks() -> Mapping[str, Check]:
    """Every check by id, ordered by category and id.

    Raises:
        TypeError: Two checks share an id, or a check's id, file and function disagree.
    """
    found = _found(Check, (name for name in _modules() if not _is_of_site(name)))
    order = list(CATEGORIES)
    return MappingProxyType(
        dict(sorted(found.items(), key=lambda item: (order.index(item[1].category), item[0]))),
    )


@cache
def all_site_checks() -> Mapping[str, SiteCheck]:
    """Every check of a whole site by id, in order; errors as for ``all_checks``."""
    return MappingProxyType(dict(sorted(_found(SiteCheck, filter(_is_of_site, _modules())).items())))


def _is_of_site(module: str) -> bool:
    return module.startswith(_SITE)


def _modules() -> Iterator[str]:
    for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        name = module_info.name.rsplit(".", 1)[-1]
        if not module_info.ispkg and not name.startswith("_") and module_info.name.count(".") == _DEPTH:
            yield module_info.name


def _found(kind: type[C], modules: Iterator[str]) -> dict[str, C]:
    found: dict[str, C] = {}
    for module_name in modules:
        name = module_name.rsplit(".", 1)[-1]
        check = getattr(importlib.import_module(module_name), name, None)
        if not isinstance(check, kind) or check.id != name.replace("_", "-"):
            raise TypeError(f"{module_name} must define the check {name.replace('_', '-')!r} as {name}")
        if check.id in found:
            raise TypeError(f"two checks are called {check.id!r}")
        found[check.id] = check
    return found
