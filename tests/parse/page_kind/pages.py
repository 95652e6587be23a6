"""Short ways to ask what a page is."""

from __future__ import annotations

from pagegrade.model.artifacts import Navigation, WellKnown
from pagegrade.parse.likeness import likeness
from pagegrade.parse.page_kind import recognize_page_kind
from tests.builders import make_document, make_response


def kind_of(
    html: str,
    *,
    url: str = "https://www.otterline.example/",
    asked: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
    probe: WellKnown | None = None,
) -> str | None:
    """The kind of a page that answers at ``url`` when ``asked`` (the same by default) was asked for."""
    response = make_response(html, url=url, headers=(("Content-Type", "text/html; charset=utf-8"), *headers))
    hops = () if asked is None else (make_response(url=asked, status=302, headers=(("Location", url),)),)
    navigation = Navigation(requested_url=asked or url, hops=hops, response=response)
    document = make_document(html, url=url)
    alike = 0.0 if probe is None else likeness(document, make_document(probe.response.body, url=probe.response.url))
    found = recognize_page_kind(navigation, document, likeness=alike, not_found_probe=probe)
    return None if found is None else found.kind


def words(
    count: int, seed: str = "The joiners plane each board by hand before the benches are put together outside."
) -> str:
    """Paragraphs of at least that many words."""
    sentence = len(seed.split())
    return "".join(f"<p>{seed} {seed} {seed}</p>" for _ in range(count // (3 * sentence) + 1))


def site(title: str, main: str, *, lang: str = "en") -> str:
    """A page of an ordinary site: header with navigation, main content, footer."""
    return f"""<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/site.css"><script src="/site.js" defer></script>
</head><body><header><a href="/">Otterline</a><nav><ul><li><a href="/tents">Tents</a></li><li><a href="/boots">Boots</a></li>
<li><a href="/maps">Maps</a></li><li><a href="/journal">Journal</a></li><li><a href="/contact">Contact</a></li></ul></nav>
</header><main>{main}</main><footer><a href="/terms">Terms</a> <a href="/privacy">Privacy</a> <p>Otterline Ltd.</p></footer>
</body></html>"""
