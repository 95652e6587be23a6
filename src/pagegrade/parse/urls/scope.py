"""Scope of a crawl: which addresses belong to the site."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pagegrade.model.audit import ScopeKind
from pagegrade.parse.files.robots import path_of, path_rule
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import host, is_http, port, registrable_domain

_FRONT_PORTS: Final = frozenset({80, 443})


class Scope:
    """The pages of one site, by host, folder and patterns."""

    def __init__(
        self, start: str, kind: ScopeKind = "host", include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> None:
        """Prepare the scope.

        Args:
            start: Canonical URL of the start page.
            kind: What belongs to the site.
            include: Patterns of robots.txt; without one all of it belongs to it.
            exclude: Patterns of what does not. The start page does, whatever they say: the crawl begins there.
        """
        self._start = start
        self._kind = kind
        self._host = host(start).removeprefix("www.")
        self._domain = registrable_domain(host(start))
        self._port = port(start)
        path, _ = path_and_query(start)
        self._folder = path[: path.rfind("/") + 1]
        self._include = [path_rule(pattern) for pattern in include]
        self._exclude = [path_rule(pattern) for pattern in exclude]
        self._of_site = lru_cache(maxsize=4_096)(self._is_of_site)

    def holds(self, url: str) -> bool:
        """Return whether a canonical URL belongs to the site."""
        if url == self._start:
            return True
        if not self.is_of_site(url):
            return False
        if self._kind == "folder" and not path_and_query(url)[0].startswith(self._folder):
            return False
        if not self._include and not self._exclude:
            return True
        path = path_of(url)
        if any(rule.matches(path) for rule in self._exclude):
            return False
        return not self._include or any(rule.matches(path) for rule in self._include)

    def excludes(self, url: str) -> bool:
        """Return whether a canonical URL lies on a host of the site and matches a pattern of what is left out."""
        if not self._exclude or url == self._start or not self.is_of_site(url):
            return False
        return any(rule.matches(path_of(url)) for rule in self._exclude)

    def is_of_site(self, url: str) -> bool:
        """Return whether a canonical URL lies on a host of the site."""
        return is_http(url) and self._of_site("/".join(url.split("/", 3)[:3]))

    def _is_of_site(self, beginning: str) -> bool:
        """By scheme, host and port; the two ports of the web are one."""
        name, number = host(beginning), port(beginning)
        is_same_port = number == self._port or {number, self._port} <= _FRONT_PORTS
        if self._kind == "domain":
            return bool(name) and registrable_domain(name) == self._domain and is_same_port
        return bool(name) and name.removeprefix("www.") == self._host and is_same_port
