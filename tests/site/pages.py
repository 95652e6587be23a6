"""The HTML of the test site."""

from __future__ import annotations

import json
from html import escape
from typing import Final

TITLE: Final = "How lighthouses were kept alight before electricity"
DESCRIPTION: Final = (
    "Oil, wicks, clockwork and long nights: how keepers kept the light of a lighthouse burning before there was "
    "electric power on the coast."
)
SUBRESOURCES: Final = 30
"""Files that a browser fetches for the page at ``/many``, named in its HTML and in its stylesheets."""

_SECTIONS: Final = (
    (
        "The lamp and its oil",
        (
            "The first lamps burned whatever could be had nearby: wood in an iron basket, coal where it was cheap, "
            "and tallow candles where nothing better came. A basket of coal gave a good glow on the side away from "
            "the wind and hardly any on the other, and a wet winter could eat a year's supply in three months. "
            "Whale oil changed the trade. It flowed in the cold, gave little smoke, and a lamp of twelve wicks "
            "could be trimmed by one person. When whales became scarce, rape-seed oil took over, and later mineral "
            "oil, which was cheaper than both and far more dangerous in a tower with one staircase.",
            "A keeper carried every drop up by hand. In a tower of forty metres a single winter night could need "
            "nine litres, so the watch began with several journeys up the stairs, a can in each hand, long before "
            "the sun went down. The store below was kept at an even temperature, because thick oil climbs a wick "
            "slowly, and a slow wick gives a yellow light that sailors took for a window on the shore.",
        ),
    ),
    (
        "Glass that gathers light",
        (
            "A flame sends most of its light to the sky and to the floor. Polished mirrors behind the lamp helped "
            "a little, but they lost half of what they caught and had to be rubbed every morning. The great step "
            "was a lens made of many rings of glass, each ground so that it bends the light into one flat sheet "
            "that points at the horizon. The largest of them stood taller than a person and weighed several tons. "
            "With the same oil, the light could suddenly be seen twenty miles away.",
            "Such a lens is a delicate thing. Keepers wore linen aprons so that no button would scratch it, covered "
            "it by day because the sun shining the other way can set fire to the lamp, and washed it with spirit "
            "of wine. Inspectors came without warning and ran a white glove along the brass.",
        ),
    ),
    (
        "Clockwork and the long watch",
        (
            "Ships must be able to know one light from the next, so many lenses turned. The power was a weight that "
            "sank slowly through the middle of the tower, like that of an old clock. Every two or three hours it "
            "reached the bottom and had to be wound up again, at night as well, and a bell rang when the rope was "
            "nearly out. If the works broke, the keeper turned the lens by hand until dawn, counting seconds aloud, "
            "since a wrong rhythm was worse than no light at all.",
            "Two or three people shared the nights. The first watch lit the lamp at sunset and entered the hour in "
            "a log; the second trimmed the wicks at midnight; the last put out the flame at sunrise, drew the "
            "curtains and began to clean. The log survives in many places, and its pages are mostly calm: wind, "
            "weather, litres of oil, ships that passed, and now and then a line about a storm that broke the "
            "windows and a night without sleep.",
        ),
    ),
)


def good_page(origin: str, path: str = "/") -> str:
    """A page that does what a careful author does."""
    url = f"{origin}{path}"
    data = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": TITLE,
        "description": DESCRIPTION,
        "image": [f"{origin}/assets/lighthouse-1200.webp"],
        "datePublished": "2026-03-01T08:00:00+00:00",
        "dateModified": "2026-04-02T08:00:00+00:00",
        "author": {"@type": "Person", "name": "Ada Keeper", "url": f"{origin}/about"},
        "publisher": {"@type": "Organization", "name": "The Lamp Room", "url": url},
        "mainEntityOfPage": url,
    }
    sections = "\n".join(
        f"<section>\n<h2>{escape(heading)}</h2>\n"
        + "\n".join(f"<p>{escape(text)}</p>" for text in texts)
        + "\n</section>"
        for heading, texts in _SECTIONS
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{TITLE}</title>
<meta name="description" content="{DESCRIPTION}">
<link rel="canonical" href="{url}">
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/assets/touch-180.png">
<link rel="manifest" href="/site.webmanifest">
<meta name="theme-color" content="#20609f">
<meta property="og:title" content="{TITLE}">
<meta property="og:description" content="{DESCRIPTION}">
<meta property="og:type" content="article">
<meta property="og:url" content="{url}">
<meta property="og:site_name" content="The Lamp Room">
<meta property="og:image" content="{origin}/assets/lighthouse-1200.webp">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="A lighthouse at dusk">
<meta name="twitter:card" content="summary_large_image">
<link rel="stylesheet" href="/assets/site.0001.css">
<script src="/assets/site.0001.js" defer></script>
<script type="application/ld+json">{json.dumps(data)}</script>
</head>
<body>
<a class="skip" href="#content">Skip to the article</a>
<header>
<nav aria-label="Main"><ul>
<li><a href="/">Lamp Room home</a></li><li><a href="/about">About the author</a></li></ul></nav>
</header>
<main id="content">
<article>
<h1>{TITLE}</h1>
<p>Lighthouses once depended on oil, glass and people who stayed awake. This is how the lighthouse keepers kept the
lamp alight, night after night, before electricity came.</p>
<img src="/assets/lighthouse-600.webp" srcset="/assets/lighthouse-600.webp 600w, /assets/lighthouse-1200.webp 1200w"
 sizes="(max-width: 40rem) 100vw, 600px" width="600" height="315" alt="A lighthouse at dusk, its lamp just lit">
{sections}
<p>Read on in <a href="/about">a note about the author</a>.</p>
</article>
</main>
<footer><p>Published by The Lamp Room.</p></footer>
</body>
</html>
"""


def about_page(origin: str) -> str:
    """The page the good page links to."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>About the author of The Lamp Room</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Who writes The Lamp Room, and why oil lamps on the coast are worth a visit.">
<link rel="canonical" href="{origin}/about"></head>
<body><main><h1>About the author</h1>
<p>Ada Keeper grew up below a tower. <a href="/">Back to the article</a>.</p></main>
</body></html>
"""


def poor_page() -> str:
    """A page that does much wrong, in ways real pages do."""
    return """<html>
<head><title>Home</title>
<meta name="robots" content="noindex">
<script src="/assets/blocking-1.js"></script>
<script src="/assets/blocking-2.js"></script>
<style>body { color: #777 }</style>
</head>
<body bgcolor="white">
<center><font size="5">Welcome!!!</font></center>
<h3>News</h3>
<img src="/assets/plain.png"><img src="/assets/plain.png"><img src="/missing.png">
<a href="#"></a> <a href="javascript:void(0)">click here</a> <a href="http://www.iana.org/" target="_blank">here</a>
<form action="http://127.0.0.1:9/login"><input type="password" name="p"><input type="submit"></form>
<p style="color:red" id="same">write to info@example.com</p>
<p style="color:blue" id="same">Lorem.</p>
<iframe src="/about"></iframe>
<button></button>
</body></html>
"""


def many_page() -> str:
    """A page of which a browser fetches 30 files: 24 that it names itself and six through its stylesheets."""
    styles = "\n".join(f'<link rel="stylesheet" href="/many/style-{number}.css">' for number in range(3))
    scripts = "\n".join(f'<script src="/many/script-{number}.js" defer></script>' for number in range(6))
    images = "\n".join(
        f'<img src="/many/image-{number}.png" width="40" height="40" alt="Square {number}" loading="lazy">'
        for number in range(11)
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page of many parts, for counting requests</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="This page makes a browser fetch thirty files in every way a page can, to be counted.">
<link rel="icon" href="/many/icon.png">
{styles}
{scripts}
</head><body><h1>Many parts</h1>
{images}
<picture><source type="image/webp" srcset="/many/wide.webp 2x, /many/narrow.webp 1x">
<img src="/many/fallback.gif" width="10" height="10" alt="In several formats"></picture>
<img src="/many/set-1.webp" srcset="/many/set-1.webp 100w, /many/set-2.webp 200w" sizes="100px" width="100" height="50"
 alt="In two sizes">
<svg width="24" height="24"><image href="/many/inside.png" width="24" height="24"/></svg>
</body></html>
"""


def many_style(number: int) -> str:
    """The stylesheets of the page above; the first imports another, and they name fonts and backgrounds."""
    if number == 0:
        return '@import url("imported.css");\nbody { margin: 0 auto; max-width: 60rem }\n'
    if number == 1:
        return (
            "@font-face { font-family: Lamp; src: url(lamp.woff2) format('woff2'); font-display: swap }\n"
            "@font-face { font-family: Wick; src: url('wick.woff2') format('woff2'); font-display: swap }\n"
            "body { font-family: Lamp, sans-serif }\n"
        )
    return (
        "header { background: url(/many/back-1.png) }\n"
        "footer { background-image: url('/many/back-2.png') }\n"
        "aside { background: url(back-3.png) }\n"
    )


def plain_page(heading: str, text: str = "") -> str:
    """A short page for errors and the like."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(heading)}</title></head>'
        f"<body><h1>{escape(heading)}</h1><p>{escape(text)}</p></body></html>"
    )


def not_found_page() -> str:
    """The page of a helpful site for an address that does not exist."""
    return """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>This page does not exist</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"></head>
<body><main><h1>There is no such page here</h1>
<p>The address may be mistyped, or the page has been moved since the link was made. Nothing else is wrong,
and you need not report it. These pages are there for certain, and most visitors look for one of them:</p>
<ul><li><a href="/">Read how lighthouses were kept alight</a></li><li><a href="/about">Who writes here</a></li></ul>
</main></body></html>
"""


def challenge_page() -> str:
    """The answer of a bot wall."""
    return (
        '<!doctype html><html lang="en"><head><title>Just a moment...</title></head><body><h1>Checking your browser'
        '</h1><noscript>Enable JavaScript and cookies to continue</noscript><script src="/cdn-cgi/challenge-platform/'
        'h/b/orchestrate/chl_page/v1"></script></body></html>'
    )


def application_shell() -> str:
    """The answer of a single-page application for every path."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>'
        '<meta name="viewport" content="width=device-width"><script type="module" src="/app.js"></script></head>'
        '<body><div id="root"></div></body></html>'
    )
