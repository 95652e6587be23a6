"""Other spellings of a URL, under which many servers show the same page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pagegrade.model.audit import Way

INDEX_FILES: Final = ("index.html", "index.htm", "index.php", "default.aspx")
_WWW: Final = "www."


def spellings(url: str) -> Iterator[tuple[Way, str]]:
    """Yield the spellings of a URL that differ from it in one way, each with that way.

    Of capitals and of the order of parameters only the plain form is one: the others are too many.

    Args:
        url: Identity of a page (``parse.urls.identity``).
    """
    whole, question, query = url.partition("?")
    scheme, _, rest = whole.partition("://")
    place, _, path = rest.partition("/")
    site = f"{scheme}://{place}/"
    after = question + query
    folder, slash, name = path.rpartition("/")
    if name in INDEX_FILES:
        yield "index", f"{site}{folder}{slash}{after}"
    elif not name:
        for index in INDEX_FILES:
            yield "index", f"{site}{path}{index}{after}"
        if folder:
            yield "slash", f"{site}{folder}{after}"
    elif "." not in name:
        yield "slash", f"{site}{path}/{after}"
    if "%" not in path and path.lower() != path:
        yield "case", f"{site}{path.lower()}{after}"
    ordered = "&".join(sorted(query.split("&")))
    if ordered != query:
        yield "order", f"{whole}?{ordered}"
    yield "www", f"{scheme}://{place.removeprefix(_WWW) if place.startswith(_WWW) else _WWW + place}/{path}{after}"
    if ":" not in place:
        yield "scheme", f"{'http' if scheme == 'https' else 'https'}://{place}/{path}{after}"
