"""Style sheets of a site, each read once in a crawl: without them it is unknown what people see of its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Final

from pagegrade.model.artifacts import Resource, Resources, Response
from pagegrade.model.audit import Sheet

MAX_SHEETS: Final = 64
"""Of one crawl; pages that name further ones are read without those."""
MAX_RULES: Final = 1_000_000
"""Characters of the rules of all of them, which go to a child with each page."""


class StyleSheets:
    """The style sheets of one crawl, bounded in number and size."""

    def __init__(self, known: Iterable[Sheet] = ()) -> None:
        """Begin with those that the crawl has read before."""
        self._sheets = {sheet.url: sheet for sheet in known}
        self._characters = sum(map(_characters, self._sheets.values()))
        self._unsaved: list[Sheet] = []
        self._turn = asyncio.Lock()

    def get(self, url: str) -> Sheet | None:
        """The sheet of an address, as far as it is known."""
        return self._sheets.get(url)

    def unsaved(self) -> tuple[Sheet, ...]:
        """Those that no transaction has stored yet."""
        return tuple(self._unsaved)

    def saved(self, sheets: Collection[Sheet]) -> None:
        """Note that these are stored."""
        self._unsaved = [sheet for sheet in self._unsaved if sheet not in sheets]

    def resources(self) -> Resources:
        """Those that answered, as a report has them."""
        return Resources(
            items=tuple(
                Resource(
                    url=sheet.url,
                    kinds=("stylesheet",),
                    initiator_url="",
                    response=Response(
                        url=sheet.url,
                        status=sheet.status,
                        headers=(("content-type", sheet.content_type or "text/css"),),
                    ),
                    visibility_rules=sheet.visibility_rules,
                    ink_rules=sheet.ink_rules,
                    image_space=sheet.image_space,
                )
                for sheet in self._sheets.values()
                if sheet.status is not None
            )
        )

    async def read(self, urls: Iterable[str], given: Resources, fetch: Callable[[str], Awaitable[Sheet]]) -> bool:
        """Have sheets read that a page was read without.

        Args:
            urls: Of those sheets.
            given: What the page was read with.
            fetch: Asks for one sheet, and has it read.

        Returns:
            Whether more is known of one of them than the page was read with.
        """
        had = {one.url for one in given.items}
        found = False
        for url in urls:
            if url not in had:
                # One after the other: pages that are read at the same time name the same sheets.
                async with self._turn:
                    sheet = self._sheets.get(url) or await self._fetch(url, fetch)
                found = found or (sheet is not None and sheet.status is not None)
        return found

    async def _fetch(self, url: str, fetch: Callable[[str], Awaitable[Sheet]]) -> Sheet | None:
        if len(self._sheets) >= MAX_SHEETS:
            return None
        sheet = await fetch(url)
        if self._characters + _characters(sheet) > MAX_RULES:
            sheet = Sheet(url, sheet.status, sheet.content_type)
        self._characters += _characters(sheet)
        self._sheets[url] = sheet
        self._unsaved.append(sheet)
        return sheet


def _characters(sheet: Sheet) -> int:
    return sum(map(len, (*(sheet.visibility_rules or ()), *(sheet.ink_rules or ()), *sheet.image_space)))
