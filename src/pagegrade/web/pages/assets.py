"""Style sheets and scripts, each at a URL with a hash of its content, so that clients can cache it forever."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from pagegrade.model.errors import NotFound
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.request import Request

_WEB: Final = ("pagegrade.web", "static")
_RENDER: Final = ("pagegrade.render", "templates")
ASSETS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "site.css": ((*_RENDER, "report.css"), (*_WEB, "site.css"), (*_WEB, "forms.css")),
    "site.js": ((*_WEB, "site.js"),),
    "icon.svg": ((*_WEB, "icon.svg"),),
    "docs.css": ((*_WEB, "docs.css"),),
    "docs.js": ((*_WEB, "docs.js"),),
    "swagger-ui.css": ((*_WEB, "swagger-ui", "swagger-ui.css.gz"),),
    "swagger-ui-bundle.js": ((*_WEB, "swagger-ui", "swagger-ui-bundle.js.gz"),),
}
"""Name -> files that are concatenated: (package, folder, ..., name)."""
MEDIA_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
KEPT: Final = ("Cache-Control", "public, max-age=31536000, immutable")


class Asset(msgspec.Struct, frozen=True):
    """A static file of the pages."""

    url: str
    """Path on this server."""
    content: bytes
    compressed: bytes
    """Content compressed with gzip."""
    media_type: str


def asset_url(name: str) -> str:
    """Return the path of a file; ``KeyError`` for an unknown name."""
    return _asset(name).url


async def show_asset(request: Request) -> Response:
    """Return a file, compressed if the client accepts gzip."""
    name, digest = request.path_params["name"], request.path_params["digest"]
    if name not in ASSETS or _asset(name).url != f"/static/{digest}/{name}":
        raise NotFound
    asset = _asset(name)
    headers: tuple[tuple[str, str], ...] = (KEPT, ("Vary", "Accept-Encoding"))
    if "gzip" in (request.header(b"accept-encoding") or ""):
        headers += (("Content-Encoding", "gzip"),)
        return Response(status_code=200, content=asset.compressed, media_type=asset.media_type, headers=headers)
    return Response(status_code=200, content=asset.content, media_type=asset.media_type, headers=headers)


async def show_robots() -> Response:
    """Allow crawlers to read the pages, but not to begin sign-ins; each page says that it is not to be indexed."""
    return Response(
        status_code=200,
        content=b"User-agent: *\nDisallow: /single-sign-on\n",
        media_type="text/plain; charset=utf-8",
        headers=(("Cache-Control", "no-cache"),),
    )


@cache
def _asset(name: str) -> Asset:
    raw = b"".join(files(package).joinpath(*path).read_bytes() for package, *path in ASSETS[name])
    is_compressed = ASSETS[name][0][-1].endswith(".gz")
    content = gzip.decompress(raw) if is_compressed else raw
    return Asset(
        url=f"/static/{hashlib.sha256(content).hexdigest()[:16]}/{name}",
        content=content,
        compressed=raw if is_compressed else gzip.compress(content, 9, mtime=0),
        media_type=MEDIA_TYPES[name.rpartition(".")[2]],
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/robots.txt",
        name="show_robots",
        summary="Rules for crawlers",
        handler=show_robots,
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/static/{digest}/{name}",
        name="show_asset",
        summary="A style sheet or script",
        handler=show_asset,
        tag=PAGES,
    ),
)
