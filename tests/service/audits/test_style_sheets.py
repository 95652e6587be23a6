"""Style sheets of a site are read once each, and no more of them than a crawl may hold."""

from __future__ import annotations

import asyncio

from pagegrade.model.artifacts import Resources
from pagegrade.model.audit import Sheet
from pagegrade.service.audits.style_sheets import MAX_RULES, MAX_SHEETS, StyleSheets

NOTHING = Resources()


class Site:
    """Answers for style sheets, and counts how often each is asked for."""

    def __init__(self, rules: tuple[str, ...] = (), status: int | None = 200) -> None:
        self.asked: list[str] = []
        self.rules = rules
        self.status = status

    async def fetch(self, url: str) -> Sheet:
        """The sheet of an address."""
        self.asked.append(url)
        await asyncio.sleep(0)
        return Sheet(url, self.status, "text/css", self.rules)


def read(sheets: StyleSheets, site: Site, *urls: str, given: Resources = NOTHING) -> bool:
    """Have sheets read; return whether more is known than before."""
    return asyncio.run(sheets.read(urls, given, site.fetch))


def test_pages_that_name_the_same_sheets_ask_once() -> None:
    """Also where they are read at the same time; each is told that more is known than it was read with."""
    sheets, site = StyleSheets(), Site()

    async def both() -> list[bool]:
        return await asyncio.gather(*(sheets.read(("a", "b"), NOTHING, site.fetch) for _ in range(8)))

    assert asyncio.run(both()) == [True] * 8
    assert site.asked == ["a", "b"]
    assert {one.url for one in sheets.resources().items} == {"a", "b"}
    assert not read(sheets, site, "a", "b", given=sheets.resources())


def test_a_sheet_without_an_answer_stays_unknown() -> None:
    """It is asked for once, and no page is read again for it."""
    sheets, site = StyleSheets(), Site(status=None)

    assert not read(sheets, site, "a")
    assert not read(sheets, site, "a")
    assert site.asked == ["a"]
    assert sheets.resources().items == ()


def test_what_was_read_outlives_the_process() -> None:
    """The sheets to store are those that no transaction has stored."""
    sheets, site = StyleSheets(), Site(("rule",))
    read(sheets, site, "a")
    first = sheets.unsaved()
    read(sheets, site, "b")
    sheets.saved(first)
    again = StyleSheets(first)

    assert [one.url for one in first] == ["a"]
    assert [one.url for one in sheets.unsaved()] == ["b"]
    assert again.resources().items == sheets.resources().items[:1]
    assert not again.unsaved()


def test_number_and_size_are_bounded() -> None:
    """A sheet beyond the size is known to be there, and its rules are not."""
    sheets, site = StyleSheets(), Site(("x" * (MAX_RULES // 2),))
    read(sheets, site, *(f"{number}" for number in range(MAX_SHEETS + 5)))
    items = sheets.resources().items

    assert len(site.asked) == len(items) == MAX_SHEETS
    assert [one.visibility_rules is None for one in items] == [number >= 2 for number in range(MAX_SHEETS)]
