"""Every way in which a page, a header or a file can name a URL: those that a crawl follows, and those it does not.

The classes are those of google/security-crawl-maze (Apache-2.0); the pages are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import pytest

from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import Link, Page, World
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")

Fate = Literal["page", "file", "no"]
"""Asked for as a page of the site, as a file that a page loads, or never."""

# Class -> (what becomes of its URL, HTML in the main part of a page). ORIGIN is that of the site.
MARKUP: Final[dict[str, tuple[Fate, str]]] = {
    "a-href": ("page", '<a href="URL">A page</a>'),
    "a-href-without-text": ("page", '<a href="URL"></a>'),
    "a-href-hidden": ("page", '<p hidden><a href="URL">A page</a></p>'),
    "a-href-unclosed": ("page", "<a href=URL>A page<p>And more"),
    "a-ping": ("no", '<a href="/" ping="URL">Home</a>'),
    "area-href": ("page", '<map name="m"><area href="URL" alt="A page" shape="rect" coords="0,0,9,9"></map>'),
    "svg-a-xlink": ("page", '<svg><a xlink:href="URL"><text>A page</text></a></svg>'),
    "svg-a-href": ("page", '<svg><a href="URL"><text>A page</text></a></svg>'),
    "iframe-src": ("page", '<iframe src="URL" title="A page"></iframe>'),
    "iframe-lazy": ("page", '<iframe src="URL" title="A page" loading="lazy"></iframe>'),
    "iframe-srcdoc": ("no", "<iframe title='A page' srcdoc='<a href=\"URL\">A page</a>'></iframe>"),
    "noscript-a": ("no", '<noscript><a href="URL">A page</a></noscript>'),
    "template-a": ("no", '<template><a href="URL">A page</a></template>'),
    "comment": ("no", '<!-- <a href="URL">A page</a> -->'),
    "text": ("no", "<p>See ORIGINURL for more.</p>"),
    "form-get": ("no", '<form action="URL"><button>Go</button></form>'),
    "form-post": ("no", '<form action="URL" method="post"><button>Go</button></form>'),
    "button-formaction": ("no", '<form><button formaction="URL">Go</button></form>'),
    "data-href": ("no", '<p data-href="URL">A page</p>'),
    "data-src": ("no", '<img data-src="URL" alt="">'),
    "blockquote-cite": ("no", '<blockquote cite="URL">Words.</blockquote>'),
    "onclick": ("no", "<p onclick=\"location='URL'\">A page</p>"),
    "javascript-url": ("no", "<a href=\"javascript:location='URL'\">A page</a>"),
    "script-text": ("no", "<script>location.assign('URL')</script>"),
    "json": ("no", '<script type="application/json">{"next": "URL"}</script>'),
    "img-src": ("file", '<img src="URL" alt="">'),
    "img-lazy": ("file", '<img src="URL" alt="" loading="lazy">'),
    "img-srcset": ("file", '<img srcset="URL 1x, URL-2x 2x" alt="">'),
    "picture-source": ("no", '<picture><source srcset="URL"><img src="/p.png" alt=""></picture>'),
    "img-longdesc": ("no", '<img src="/p.png" alt="" longdesc="URL">'),
    "input-image": ("file", '<form><input type="image" src="URL" alt="Go"></form>'),
    "svg-image": ("file", '<svg><image href="URL"/></svg>'),
    "script-src": ("file", '<script src="URL"></script>'),
    "video-src": ("file", '<video src="URL"></video>'),
    "video-poster": ("file", '<video poster="URL"></video>'),
    "audio-src": ("file", '<audio src="URL"></audio>'),
    "object-data": ("no", '<object data="URL"></object>'),
    "embed-src": ("no", '<embed src="URL">'),
    "table-background": ("no", '<table background="URL"><tr><td>A cell</td></tr></table>'),
    "style-text": ("file", "<style>p { background: url(URL) }</style>"),
}
# The same in the head.
HEAD: Final[dict[str, tuple[Fate, str]]] = {
    "link-canonical": ("page", '<link rel="canonical" href="ORIGINURL">'),
    "link-alternate-language": ("page", '<link rel="alternate" hreflang="fr" href="ORIGINURL">'),
    "link-next": ("page", '<link rel="next" href="URL">'),
    "link-prev": ("page", '<link rel="prev" href="URL">'),
    "link-stylesheet": ("file", '<link rel="stylesheet" href="URL">'),
    "link-icon": ("no", '<link rel="icon" href="URL">'),
    "link-manifest": ("file", '<link rel="manifest" href="URL">'),
    "link-preload": ("file", '<link rel="preload" as="image" href="URL">'),
    "link-prefetch": ("no", '<link rel="prefetch" href="URL">'),
    "link-feed": ("no", '<link rel="alternate" type="application/rss+xml" href="URL">'),
    "link-author": ("no", '<link rel="author" href="URL">'),
    "meta-refresh": ("page", '<meta http-equiv="refresh" content="0; url=URL">'),
    "meta-refresh-later": ("page", '<meta http-equiv="refresh" content="30; url=URL">'),
    "meta-image": ("no", '<meta property="og:image" content="ORIGINURL">'),
    "meta-csp": ("no", '<meta http-equiv="content-security-policy" content="img-src *; report-uri URL">'),
}
HEADERS: Final[dict[str, tuple[Fate, str, str]]] = {
    "header-refresh": ("page", "Refresh", "0; url=URL"),
    "header-link-canonical": ("page", "Link", '<ORIGINURL>; rel="canonical"'),
    "header-link-language": ("page", "Link", '<ORIGINURL>; rel="alternate"; hreflang="fr"'),
    "header-link-next": ("no", "Link", '<URL>; rel="next"'),
    "header-content-location": ("no", "Content-Location", "URL"),
}
# Whatever a page may be asked for by name, the crawl knows it from these.
ELSEWHERE: Final[dict[str, Fate]] = {
    "header-location": "page",
    "sitemap": "page",
    "base-href": "page",
    "robots-disallow": "no",
    "css-import": "no",
    "css-font": "no",
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def _add(world: World, name: str, *, headers: tuple[tuple[str, str], ...] = (), **markup: str) -> None:
    page = Page(f"/in/{name}", title=name, h1=name, text=f"About {name}.", headers=headers, markup=markup)
    world.add(page)
    world.pages["/"].links.append(Link(page.path, name))


def test_a_crawl_asks_for_what_visitors_can_reach(database: Database, tmp_path: Path) -> None:
    """Pages and files of each class are asked for, and nothing that only a script, a form or a comment names."""
    world = World(1)
    world.add(Page("/", title="All", h1="All", text="Every class."))
    with serving(world) as site:

        def written(name: str, text: str) -> str:
            return text.replace("ORIGIN", site.origin).replace("URL", f"/u/{name}")

        for name, (_, text) in MARKUP.items():
            _add(world, name, main=written(name, text))
        for name, (_, text) in HEAD.items():
            _add(world, name, head=written(name, text))
        for name, (_, header, text) in HEADERS.items():
            _add(world, name, headers=((header, written(name, text)),))
        _add(world, "base-href", head='<base href="/u/">', main='<a href="base-href">A page</a>')
        world.add(Page("/in/moved", 302, redirect="/u/header-location"))
        world.pages["/"].links.append(Link("/in/moved", "Moved"))
        world.add(Page("/u/sitemap", title="Listed", h1="Listed", in_sitemap=True))
        world.disallowed.append("/u/robots-disallow")
        world.pages["/"].asset = "/site.css"
        world.add(Page("/site.css"))
        site.sheet = '@import "/u/css-import"; @font-face { font-family: a; src: url(/u/css-font) }'
        crawl = crawl_site(database, site)
        rows = relations(database, crawl, tmp_path / "out")

    def named(relation: str) -> set[str]:
        asked = (row["url"] for row in rows[relation] if row["status"] is not None)
        return {url.removeprefix(f"{site.origin}/u/") for url in asked}

    fates: dict[str, Fate] = {name: fate for name, (fate, *_) in (MARKUP | HEAD | HEADERS).items()} | ELSEWHERE
    pages, files = named("pages"), named("assets")
    found = {name: "page" if name in pages else "file" if name in files else "no" for name in fates}

    assert crawl.stop_reason == "done"
    assert sorted((name, found[name]) for name, fate in fates.items() if found[name] != fate) == []
