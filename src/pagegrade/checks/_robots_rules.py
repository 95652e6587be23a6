"""The rules for crawlers that a page and its answer carry, with where each stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import Evidence
from pagegrade.parse.http.robots_directives import (
    ALL_BOTS,
    RobotsDirective,
    RobotsRules,
    parse_robots_meta,
    parse_x_robots_tag,
)

_NOTHING: Final = RobotsRules()


class PlacedRule(msgspec.Struct, frozen=True):
    """One rule and its place."""

    directive: RobotsDirective
    source: Meta | str
    """The tag, or the value of the ``X-Robots-Tag`` header."""

    @property
    def written(self) -> str:
        """Directives, in lower case."""
        return (self.source.content if isinstance(self.source, Meta) else self.source).lower()

    @property
    def text(self) -> str:
        """The rule as one would write it, with the crawler it is for."""
        found = self.directive
        rule = f"{found.name}: {found.value}" if found.value else found.name
        return rule if found.bot == ALL_BOTS else f"{found.bot}: {rule}"

    def evidence(self, document: Document) -> Evidence:
        """Location of the directives."""
        who = "all search engines" if self.directive.bot == ALL_BOTS else self.directive.bot
        reason = f"Declares {self.directive.name} to {who}."
        if isinstance(self.source, Meta):
            return document.evidence(self.source, reason=reason)
        return Evidence(header="X-Robots-Tag", snippet=self.source[:200], reason=reason)


def placed_rules(document: Document, response: Response) -> Iterator[PlacedRule]:
    """Every rule of robots meta tags in document order, then those of the page's own headers."""
    for source, rules in robots_declarations(document, response):
        for directive in rules.directives:
            yield PlacedRule(directive, source)


def robots_declarations(document: Document, response: Response) -> Iterator[tuple[Meta | str, RobotsRules]]:
    """Each robots meta tag and ``X-Robots-Tag`` value that says anything, with what search engines make of it."""
    for meta in document.metas:
        if meta.name and (rules := parse_robots_meta(meta.name, meta.content)) != _NOTHING:
            yield meta, rules
    for value in response.header_values("x-robots-tag"):
        yield value, parse_x_robots_tag(value)
