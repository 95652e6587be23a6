"""Makes a site from a seed, together with what an audit of it must find.

A site starts without a fault: a start page, sections, lists of pages, pages of several templates. Each fault of
``FAULTS`` then adds or changes pages, and writes down which site check must name which pages.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

Place = Literal["nav", "main", "footer"]
KINDS: Final = ("product", "guide", "news", "team", "place")
_SYLLABLES: Final = (
    "ba be bi bo da de di do fa fe fi fo ga ge go ha he hi ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe pi po "
    "ra re ri ro sa se si so ta te ti to va ve vi vo wa we wi wo za ze zi zo"
).split()
SOLD: Final = "Sorry, the page you are looking for does not exist."
"""Text of a page that says with status 200 that there is nothing."""
GONE: Final = "Nothing grows at this place, and nothing was ever moved from here to somewhere else in the garden."


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    path: str
    """Path and query, or a whole URL where it leads out of the site."""
    text: str
    place: Place = "main"
    nofollow: bool = False
    session: bool = False
    """Written with an id of a session."""


@dataclass(slots=True)
class Page:
    """One URL of the site and its answer."""

    path: str
    status: int = 200
    title: str = ""
    description: str = ""
    h1: str = ""
    text: str = ""
    template: str = "page"
    links: list[Link] = field(default_factory=list)
    noindex: bool = False
    canonical: str | None = None
    lang: str = "en"
    alternates: list[tuple[str, str]] = field(default_factory=list)
    """(language, path), itself included."""
    types: tuple[str, ...] = ()
    """Types of its structured data."""
    redirect: str | None = None
    next_path: str | None = None
    prev_path: str | None = None
    asset: str | None = None
    """Path of a style sheet that it loads."""
    in_sitemap: bool = False
    lastmod: str | None = None
    delay_s: float = 0.0
    head_status: int = 0
    """Of the answer to HEAD where it is not that to GET."""
    refusals: int = 0
    """So many first requests are answered 503 with ``Retry-After: 0``."""
    headers: tuple[tuple[str, str], ...] = ()
    seen_as: str = ""
    """Kind of page that is recognized in its place."""
    markup: dict[str, str] = field(default_factory=dict)
    """``head``, ``header``, ``main`` or ``footer`` -> further HTML there."""


@dataclass(slots=True)
class World:
    """A site, and the truth about it."""

    seed: int
    pages: dict[str, Page] = field(default_factory=dict)
    disallowed: list[str] = field(default_factory=list)
    """Prefixes that robots.txt forbids."""
    expected: dict[str, set[str]] = field(default_factory=dict)
    """Site check -> paths that it must name, and no others."""
    soft_404: bool = False
    """Unknown paths are answered 200 with the text ``GONE``."""
    traps: dict[str, Callable[[str], Page | None]] = field(default_factory=dict)
    """Prefix -> the page at a path below it, made when it is asked for."""

    def add(self, page: Page) -> Page:
        """Add a page.

        Raises:
            ValueError: There is one at the path.
        """
        if page.path in self.pages:
            raise ValueError(f"two pages at {page.path}")
        self.pages[page.path] = page
        return page

    def expect(self, check: str, *paths: str) -> None:
        """Note pages that a check must name."""
        self.expected.setdefault(check, set()).update(paths)

    def at(self, path: str) -> Page | None:
        """The page at a path: one of the site, of a trap, or what the site says of unknown paths."""
        if path in self.pages:
            return self.pages[path]
        for prefix, make in self.traps.items():
            if path.startswith(prefix) and (page := make(path)) is not None:
                return page
        if self.soft_404:
            return Page(path, title="Garden", h1="Garden", text=GONE, links=[Link("/", "Home", "nav")])
        return None

    def is_blocked(self, path: str) -> bool:
        """Return whether robots.txt forbids it."""
        return any(path.startswith(prefix) for prefix in self.disallowed)

    def sitemap(self) -> list[Page]:
        """Pages of the sitemap."""
        return [page for page in self.pages.values() if page.in_sitemap]

    def depths(self, *, declared: bool = True, sitemap: bool = True) -> dict[str, int | None]:
        """Every URL of the site that a crawl must know, with its distance in clicks.

        A blocked URL is known and not fetched. Redirects lead on. Links with ``nofollow`` are not followed.

        Args:
            declared: Also what canonical, hreflang, next and prev name.
            sitemap: Also what the sitemap names; distance ``None`` where no link leads.
        """
        found: dict[str, int | None] = {}
        waiting: deque[tuple[str, int | None]] = deque([("/", 0)])
        late: deque[tuple[str, int | None]] = deque((page.path, None) for page in self.sitemap() if sitemap)
        while waiting or late:
            path, depth = waiting.popleft() if waiting else late.popleft()
            if path in found:
                continue
            found[path] = depth
            page = self.pages.get(path)
            if page is None or self.is_blocked(path):
                continue
            # A redirect is no click, so what lies behind it is as near as it.
            after = depth if page.redirect is not None or depth is None else depth + 1
            for target in _named(page, declared=declared):
                if not target.startswith("/") or target in found:
                    continue
                if after is None:
                    late.append((target, None))
                elif after == depth:
                    waiting.appendleft((target, after))
                else:
                    waiting.append((target, after))
        return found


def _named(page: Page, *, declared: bool) -> Iterable[str]:
    if page.redirect is not None:
        yield page.redirect
        return
    if page.status != 200:
        return
    yield from (link.path for link in page.links if not link.nofollow)
    if declared:
        yield from (path for path in (page.canonical, page.next_path, page.prev_path) if path is not None)
        yield from (path for _, path in page.alternates)


class Builder:
    """Adds things to a site."""

    def __init__(self, world: World) -> None:
        """Draw everything from the seed of the site."""
        self.world = world
        self.random = random.Random(world.seed)  # noqa: S311 - a site, no secret
        self.count = 0

    def word(self) -> str:
        """A word that no language has."""
        return "".join(self.random.choices(_SYLLABLES, k=self.random.randint(2, 4)))

    def text(self, words: int = 120) -> str:
        """So many words in sentences."""
        chosen = [self.word() for _ in range(words)]
        return " ".join(word.capitalize() + "" if at % 12 == 0 else word for at, word in enumerate(chosen))

    def page(self, kind: str, *, hub: Page | None, **changes: object) -> Page:
        """A page of a template, linked from a list of its section; ``changes`` are fields of ``Page``."""
        self.count += 1
        name = f"{self.word()}-{self.count}"
        subject = f"{self.word().capitalize()} {self.count}"
        made = Page(
            f"/{kind}/{name}",
            title=f"{subject} - Garden",
            description=f"All about {subject} and {self.text(8)}.",
            h1=subject,
            text=self.text(self.random.randint(100, 140)),
            template=kind,
            types=("Product",) if kind == "product" else (),
            in_sitemap=True,
            lastmod=f"2026-0{self.count % 9 + 1}-{self.count % 28 + 1:02}",
        )
        for key, value in changes.items():
            setattr(made, key, value)
        made.links += [Link("/", "Home", "nav"), Link(f"/{kind}/", kind.capitalize(), "nav")]
        self.world.add(made)
        if hub is not None:
            hub.links.append(Link(made.path, made.h1))
            made.links.append(Link(hub.path, hub.h1, "nav"))
        return made


def make_world(
    seed: int, *, pages: int = 30, templates: int = 3, faults: Iterable[str] = (), soft_404: bool = False
) -> World:
    """Make a site.

    Args:
        seed: Decides everything.
        pages: Pages below the sections, at least 4 for each template; faults add more.
        templates: Sections, each with pages of one structure; at most ``len(KINDS)``.
        faults: Names of ``FAULTS``.
        soft_404: The site answers 200 for paths that do not exist.
    """
    world = World(seed, soft_404=soft_404)
    build = Builder(world)
    start = world.add(
        Page(
            "/",
            title="Garden: everything that grows",
            description="A garden with products, guides and news for everybody who grows things.",
            h1="Garden",
            text=build.text(160),
            template="start",
            in_sitemap=True,
            lastmod="2026-01-02",
        )
    )
    for number, kind in enumerate(KINDS[:templates]):
        share = pages // templates + (number < pages % templates)
        _section(build, start, kind, share)
    for name in faults:
        FAULTS[name](build)
    return world


def _section(build: Builder, start: Page, kind: str, pages: int) -> None:
    world = build.world

    def listed(path: str, name: str) -> Page:
        title = f"{name} - Garden"
        about = f"{name}: {build.text(9)}."
        made = world.add(
            Page(path, title=title, description=about, h1=name, text=build.text(90), template="list", in_sitemap=True)
        )
        made.lastmod = "2026-02-03"
        made.links.append(Link("/", "Home", "nav"))
        return made

    top = listed(f"/{kind}/", f"All of {kind}")
    start.links.append(Link(top.path, kind.capitalize(), "nav"))
    size = max(8, math.isqrt(pages))
    made: list[Page] = []
    for number in range(0, pages, size):
        hub = top
        if pages > size:
            hub = listed(f"/{kind}/list-{number // size + 1}", f"List {number // size + 1} of {kind}")
            top.links.append(Link(hub.path, hub.h1))
        made += [build.page(kind, hub=hub) for _ in range(min(size, pages - number))]
    for at, page in enumerate(made):
        # Three ways lead to a page, whatever becomes of one of them.
        page.links += [Link(made[(at + step) % len(made)].path, made[(at + step) % len(made)].h1) for step in (1, 2)]


def _pick(build: Builder, kind: str = "product") -> Page:
    """A sound page of a template that no fault has taken yet."""
    taken = {path for paths in build.world.expected.values() for path in paths}
    free = [
        page
        for page in build.world.pages.values()
        if page.template == kind and page.path not in taken and page.status == 200 and page.in_sitemap
    ]
    return build.random.choice(free)


def _hub(build: Builder, kind: str = "product") -> Page:
    return build.world.pages[f"/{kind}/"]


def _linked(build: Builder, target: str, text: str = "More about it", kind: str = "product") -> Page:
    """Link to a path from a page; returns that page."""
    page = _pick(build, kind)
    page.links.append(Link(target, text))
    return page


def _many_links(build: Builder, page: Page) -> None:
    """Two more ways to a page, so that it is not weakly linked."""
    for kind in ("guide", "news"):
        if f"/{kind}/" in build.world.pages:
            _hub(build, kind).links.append(Link(page.path, page.h1))


def _duplicate_content(build: Builder) -> None:
    one = _pick(build)
    other = build.page("product", hub=_hub(build), text=one.text, h1=one.h1)
    other.links += [link for link in one.links if link.place == "main"]
    _many_links(build, other)
    build.world.expect("duplicate-content", one.path, other.path)


def _near_duplicate_content(build: Builder) -> None:
    one = _pick(build, "guide")
    # The words are compared by their simhash, which one word of fewer may change in more places than count as near.
    one.text = build.text(1_200)
    text = f"{one.text.rpartition(' ')[0]} {build.word()}"
    other = build.page("guide", hub=_hub(build, "guide"), text=text)
    _many_links(build, other)
    build.world.expect("near-duplicate-content", one.path, other.path)


def _same(check: str, name: str) -> Callable[[Builder], None]:
    def add(build: Builder) -> None:
        one = _pick(build, "news")
        other = build.page("news", hub=_hub(build, "news"))
        _many_links(build, other)
        setattr(other, name, getattr(one, name))
        build.world.expect(check, one.path, other.path)

    return add


def _broken_link(build: Builder) -> None:
    target = f"/product/gone-{build.word()}"
    build.world.add(Page(target, status=404, title="Not found", text="Not found"))
    for kind in ("product", "guide"):
        build.world.expect("broken-internal-links", _linked(build, target, "Read on", kind).path)


def _redirect_chain(build: Builder) -> None:
    goal = _pick(build)
    names = [f"/old/{build.word()}-{number}" for number in range(2)]
    for path, target in zip(names, [*names[1:], goal.path], strict=True):
        build.world.add(Page(path, status=301, redirect=target))
    source = _linked(build, names[0], goal.h1, "guide")
    build.world.expect("redirect-chains", names[0])
    build.world.expect("links-to-redirects", source.path)


def _redirect_loop(build: Builder) -> None:
    names = [f"/loop/{build.word()}-{number}" for number in range(2)]
    for path, target in zip(names, reversed(names), strict=True):
        build.world.add(Page(path, status=302, redirect=target))
    _linked(build, names[0], "Round and round", "guide")
    build.world.expect("redirect-loops", *names)


def _orphan(build: Builder) -> None:
    build.world.expect("orphan-pages", build.page("product", hub=None).path)


def _in_sitemap(check: str, **changes: object) -> Callable[[Builder], None]:
    def add(build: Builder) -> None:
        page = build.page("guide", hub=_hub(build, "guide"), **changes)
        _many_links(build, page)
        build.world.expect(check, page.path)

    return add


def _blocked_in_sitemap(build: Builder) -> None:
    page = build.page("guide", hub=None, path=f"/private/{build.word()}")
    build.world.disallowed.append("/private/")
    build.world.expect("blocked-in-sitemap", page.path)


def _error_in_sitemap(build: Builder) -> None:
    page = build.page("guide", hub=None, status=410)
    build.world.expect("error-in-sitemap", page.path)


def _redirect_in_sitemap(build: Builder) -> None:
    page = build.world.add(Page(f"/moved/{build.word()}", status=301, redirect=_pick(build).path, in_sitemap=True))
    build.world.expect("redirect-in-sitemap", page.path)


def _non_canonical_in_sitemap(build: Builder) -> None:
    page = build.page("guide", hub=_hub(build, "guide"), canonical=_pick(build, "guide").path)
    _many_links(build, page)
    build.world.expect("non-canonical-in-sitemap", page.path)


def _missing_from_sitemap(build: Builder) -> None:
    page = build.page("news", hub=_hub(build, "news"), in_sitemap=False)
    _many_links(build, page)
    build.world.expect("missing-from-sitemap", page.path)


def _soft_404(build: Builder) -> None:
    build.world.soft_404 = True
    page = build.world.add(Page(f"/product/sold-{build.word()}", title="Garden", h1="Garden", text=GONE))
    page.links.append(Link("/", "Home", "nav"))
    for kind in ("product", "guide", "news"):
        _linked(build, page.path, "Sold", kind)
    build.world.expect("soft-404", page.path)


def _soft_404_by_title(build: Builder) -> None:
    page = build.page("product", hub=_hub(build, "product"), title="Page not found", text=SOLD, seen_as="soft_404")
    _many_links(build, page)
    build.world.expect("soft-404", page.path)


def _canonical(check: str, make: Callable[[Builder], str]) -> Callable[[Builder], None]:
    def add(build: Builder) -> None:
        target = make(build)
        page = build.page("guide", hub=_hub(build, "guide"), canonical=target, in_sitemap=False)
        _many_links(build, page)
        build.world.expect(check, page.path)

    return add


def _to_error(build: Builder) -> str:
    return build.world.add(Page(f"/guide/lost-{build.word()}", status=404, text="Not found")).path


def _to_redirect(build: Builder) -> str:
    goal = _pick(build, "guide").path
    return build.world.add(Page(f"/guide/moved-{build.word()}", status=301, redirect=goal)).path


def _to_noindex(build: Builder) -> str:
    page = build.page("guide", hub=_hub(build, "guide"), noindex=True, in_sitemap=False)
    _many_links(build, page)
    return page.path


def _to_chain(build: Builder) -> str:
    page = build.page("guide", hub=_hub(build, "guide"), canonical=_pick(build, "guide").path, in_sitemap=False)
    _many_links(build, page)
    return page.path


def _translations(build: Builder, languages: tuple[str, ...] = ("en", "de")) -> list[Page]:
    made = [
        build.page("place" if "/place/" in build.world.pages else "guide", hub=_hub(build, "guide"), lang=language)
        for language in languages
    ]
    for page in made:
        page.alternates = [(other.lang, other.path) for other in made]
        _many_links(build, page)
    return made


def _hreflang_pair(build: Builder) -> None:
    _translations(build)


def _hreflang_one_way(build: Builder) -> None:
    one, other = _translations(build)
    other.alternates = []
    build.world.expect("hreflang-reciprocity", one.path)


def _hreflang_to_error(build: Builder) -> None:
    one, _ = _translations(build)
    one.alternates.append(("fr", _to_error(build)))
    build.world.expect("hreflang-to-error", one.path)


def _hreflang_to_non_canonical(build: Builder) -> None:
    one, other = _translations(build)
    other.canonical = _pick(build, "guide").path
    other.in_sitemap = False
    build.world.expect("hreflang-to-non-canonical", one.path)


def _variant(build: Builder) -> None:
    one = _pick(build)
    twin = replace(one, path=f"{one.path}/", links=list(one.links), in_sitemap=False)
    build.world.add(twin)
    _hub(build).links.append(Link(twin.path, one.h1))
    _many_links(build, twin)
    build.world.expect("url-variants", one.path, twin.path)


def _parameters(build: Builder) -> None:
    one = _pick(build)
    paths = [one.path]
    for value in ("price", "name"):
        twin = replace(one, path=f"{one.path}?sort={value}", links=list(one.links), in_sitemap=False)
        build.world.add(twin)
        _hub(build).links.append(Link(twin.path, one.h1))
        _many_links(build, twin)
        paths.append(twin.path)
    build.world.expect("parameter-duplicates", *paths)


def _thin(build: Builder) -> None:
    page = build.page("product", hub=_hub(build), text=build.text(9))
    _many_links(build, page)
    build.world.expect("thin-for-its-template", page.path)


def _without_type(build: Builder) -> None:
    page = build.page("product", hub=_hub(build), types=())
    _many_links(build, page)
    build.world.expect("structured-data-outliers", page.path)


def _other_title(build: Builder) -> None:
    page = build.page("product", hub=_hub(build), title=f"Untitled {build.word()} {build.word()}")
    _many_links(build, page)
    build.world.expect("title-pattern-outliers", page.path)


def _server_errors(build: Builder) -> None:
    for _ in range(2):
        path = f"/product/fails-{build.word()}"
        build.world.add(Page(path, status=500, text="Internal server error"))
        source = _linked(build, path, "Fails", "guide")
        build.world.expect("server-errors", path)
        build.world.expect("broken-internal-links", source.path)


def _deep(build: Builder) -> None:
    before = _hub(build, "news")
    for number in range(8):
        page = build.page("news", hub=None)
        before.links.append(Link(page.path, page.h1))
        # The list of news is one click away from the start.
        if 2 + number > 5:
            build.world.expect("deep-pages", page.path)
        build.world.expect("weakly-linked", page.path)
        before = page


def _nofollow(build: Builder) -> None:
    goal = _pick(build, "news")
    source = _pick(build, "guide")
    source.links.append(Link(goal.path, goal.h1, nofollow=True))
    build.world.expect("nofollow-between-pages", source.path)


def _broken_asset(build: Builder) -> None:
    build.world.add(Page("/lost.css", status=404, template="asset"))
    page = _pick(build, "news")
    page.asset = "/lost.css"
    build.world.expect("broken-assets", page.path)


def _calendar(build: Builder) -> None:
    def day(path: str) -> Page | None:
        number = path.removeprefix("/calendar/day-")
        if not number.isdigit():
            return None
        after = int(number) + 1
        links = [Link("/", "Home", "nav"), Link(f"/calendar/day-{after}", "Next day")]
        return Page(path, title=f"Day {number}", h1=f"Day {number}", text=f"Nothing on day {number}", links=links)

    build.world.traps["/calendar/"] = day
    build.world.pages["/"].links.append(Link("/calendar/day-1", "Calendar", "nav"))


def _growing(build: Builder) -> None:
    def deeper(path: str) -> Page:
        links = [Link("/", "Home", "nav"), Link(f"{path}more/", "More")]
        return Page(path, title=f"More {len(path)}", h1="More", text=f"More of it {len(path)}", links=links)

    build.world.traps["/more/"] = deeper
    build.world.pages["/"].links.append(Link("/more/", "More", "nav"))


def _facets(build: Builder) -> None:
    def filtered(path: str) -> Page | None:
        number = path.removeprefix("/shop?filter=")
        if not number.isdigit():
            return None
        links = [Link(f"/shop?filter={2 * int(number) + step}", "Filter") for step in (0, 1)]
        return Page(path, title="Shop", h1="Shop", text="The same things in the same order.", links=links)

    build.world.traps["/shop?"] = filtered
    build.world.pages["/"].links.append(Link("/shop?filter=1", "Shop", "nav"))


def _months(build: Builder) -> None:
    def month(path: str) -> Page:
        year, number = map(int, path.removeprefix("/events/").split("-"))
        names = [
            f"/events/{(12 * year + number + step) // 12}-{(12 * year + number + step) % 12 + 1:02}" for step in (-2, 0)
        ]
        links = [Link(name, name[-7:]) for name in names]
        return Page(path, title=path, h1=path, text=f"Rain is expected in {path}", links=links)

    build.world.traps["/events/"] = month
    build.world.pages["/"].links.append(Link("/events/2026-06", "Events", "nav"))


def _repeated(build: Builder) -> None:
    def more(path: str) -> Page:
        return Page(path, title=path, h1="Again", text=path, links=[Link(f"{path}&sort=name", "Sort")])

    build.world.traps["/list?"] = more
    build.world.pages["/"].links.append(Link("/list?sort=name", "List", "nav"))


def _sessions(build: Builder) -> None:
    goal = _pick(build, "news")
    _pick(build, "guide").links.append(Link(goal.path, goal.h1, session=True))
    build.world.expect("session-ids", goal.path)


def _refusing(build: Builder) -> None:
    _pick(build, "news").refusals = 1


FAULTS: Final[dict[str, Callable[[Builder], None]]] = {
    "duplicate-content": _duplicate_content,
    "near-duplicate-content": _near_duplicate_content,
    "duplicate-title": _same("duplicate-title", "title"),
    "duplicate-description": _same("duplicate-description", "description"),
    "duplicate-h1": _same("duplicate-h1", "h1"),
    "url-variants": _variant,
    "parameter-duplicates": _parameters,
    "thin": _thin,
    "broken-link": _broken_link,
    "redirect-chain": _redirect_chain,
    "redirect-loop": _redirect_loop,
    "orphan": _orphan,
    "deep": _deep,
    "nofollow": _nofollow,
    "broken-asset": _broken_asset,
    "server-errors": _server_errors,
    "noindex-in-sitemap": _in_sitemap("noindex-in-sitemap", noindex=True),
    "blocked-in-sitemap": _blocked_in_sitemap,
    "error-in-sitemap": _error_in_sitemap,
    "redirect-in-sitemap": _redirect_in_sitemap,
    "non-canonical-in-sitemap": _non_canonical_in_sitemap,
    "missing-from-sitemap": _missing_from_sitemap,
    "soft-404": _soft_404,
    "soft-404-by-title": _soft_404_by_title,
    "canonical-to-error": _canonical("canonical-to-error", _to_error),
    "canonical-to-redirect": _canonical("canonical-to-redirect", _to_redirect),
    "canonical-to-noindex": _canonical("canonical-to-noindex", _to_noindex),
    "canonical-chain": _canonical("canonical-chain", _to_chain),
    "canonical-outside": _canonical("canonical-outside", lambda _: "http://elsewhere.test/guide"),
    "hreflang": _hreflang_pair,
    "hreflang-one-way": _hreflang_one_way,
    "hreflang-to-error": _hreflang_to_error,
    "hreflang-to-non-canonical": _hreflang_to_non_canonical,
    "structured-data": _without_type,
    "title-pattern": _other_title,
    "session-ids": _sessions,
    "refusing": _refusing,
    "calendar": _calendar,
    "growing": _growing,
    "facets": _facets,
    "months": _months,
    "repeated": _repeated,
}
"""Name -> adds the fault. ``hreflang`` and ``refusing`` are none."""
ENDLESS: Final = frozenset({"calendar", "growing", "facets", "months", "repeated"})
