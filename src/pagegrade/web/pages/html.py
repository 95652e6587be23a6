"""Render pages from templates that escape everything, with a policy that blocks all content of other origins."""

from __future__ import annotations

import gzip
import hashlib
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from pagegrade.model.account import Brand, Caller
from pagegrade.model.errors import NotFound
from pagegrade.render.account import NO_BRAND, brand_css
from pagegrade.render.html import make_environment
from pagegrade.render.i18n import Texts, choose_locale, texts_for
from pagegrade.service.accounts.admission import Admission
from pagegrade.service.options import ServiceOptions
from pagegrade.web.http.response import UNKEPT, Response
from pagegrade.web.operations import PageOperation
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
    PageOperation(path="/robots.txt", handler=show_robots, access="anyone"),
    PageOperation(path="/static/{digest}/{name}", handler=show_asset, access="anyone"),
)


MEDIA_TYPE: Final = "text/html; charset=utf-8"
_SHARED: Final = (
    "style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PLAIN: Final = f"default-src 'none'; script-src 'none'; {_SHARED}"
"""Content security policy of pages without scripts: those that show untrusted content and need no script."""
HELPED: Final = f"default-src 'none'; script-src 'self'; connect-src 'self'; {_SHARED}"
"""Content security policy of pages with the own script, which is optional."""
UNLISTED: Final = ("X-Robots-Tag", "noindex, nofollow, noarchive")
VARY: Final = ("Vary", "Cookie, Accept-Language")
"""Pages differ by user and by language."""
_OWN_PATH: Final = re.compile(rb'( (?:href|action|formaction|src|data-load)=")(?=/(?!/))')
"""Attributes with a path of this server: text of others cannot look like it, because its quotes are escaped."""


class View:
    """Renders pages for the sender of one request: in the user's language, with the user's menu."""

    def __init__(self, request: Request, admission: Admission, options: ServiceOptions) -> None:
        self._request = request
        self._admission = admission
        self.options = options

    @property
    def now_ms(self) -> int:
        """Time of the request, in milliseconds since 1970."""
        return self._request.received_at_ms

    @property
    def caller(self) -> Caller | None:
        """Sender of the request; ``None`` if anonymous."""
        return self._admission.caller

    @property
    def admitted(self) -> Caller:
        """Sender of the request, after admission."""
        return self._admission.admitted

    @property
    def texts(self) -> Texts:
        """Texts in the language of the account, else in the one preferred by the browser."""
        caller = self._admission.caller
        accepted = self._request.header(b"accept-language")
        return texts_for(choose_locale(None if caller is None else caller.person.locale, accepted))

    def may(self, name: str) -> bool:
        """Return whether the role of the sender suffices for an operation, so that a page can offer it.

        Args:
            name: Of an operation.

        Raises:
            LookupError: There is no such operation.
        """
        found = next((each for each in self._request.operations if each.name == name), None)
        if found is None:
            raise LookupError(name)
        return self.caller is not None and self.caller.role >= found.least_role

    def brand(self, chosen: Brand) -> Brand:
        """Return the look of an account, and that of the installation where it chose none."""
        return chosen.over(self.options.brand)

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        policy: str = PLAIN,
        headers: tuple[tuple[str, str], ...] = (),
        brand: Brand = NO_BRAND,
        **values: Any,
    ) -> Response:
        """Render a page.

        Args:
            template: Name of a file in ``templates``.
            policy: Content-Security-Policy: ``PLAIN`` or ``HELPED``.
            headers: Further headers; they replace default headers of the same name.
            brand: Look of the account whose page it is for others.
        """
        texts, caller = self.texts, self._admission.caller
        body = (
            environment(texts.tag)
            .get_template(template)
            .render(
                viewer=None if caller is None else caller.person,
                caller=caller,
                may=self.may,
                path=self._request.path,
                base_url=self.options.base_url,
                now_ms=self.now_ms,
                helped=policy == HELPED,
                brand=brand,
                # Ours, and of a color alone.
                look=Markup(brand_css(brand.color)),  # noqa: S704
                logo=f"/brands/{brand.logo_key}/logo.png" if brand.logo else "",
                **values,
            )
            .encode()
        )
        root = self.options.root
        if root:
            body = _OWN_PATH.sub(rb"\1" + root.encode("ascii"), body)
        given = {name for name, _ in headers}
        standing = (("Content-Security-Policy", with_look(policy, brand)), UNLISTED, UNKEPT, VARY)
        return Response(
            content=body,
            status_code=status,
            media_type=MEDIA_TYPE,
            headers=(*(header for header in standing if header[0] not in given), *headers),
        )


def with_look(policy: str, brand: Brand) -> str:
    """Return a content security policy that allows the style sheet of a look inside the page as well."""
    css = brand_css(brand.color)
    if not css:
        return policy
    digest = b64encode(sha256(css.encode()).digest()).decode("ascii")
    return policy.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")


def go(place: str, *headers: tuple[str, str]) -> Response:
    """Redirect to another page after a form was handled (RFC 9110 15.4.4).

    Args:
        place: Path on this server, which may have a query; the application puts the path of the service before it.
        headers: Cookies to set.
    """
    return Response(
        status_code=303, headers=(("Location", place), UNLISTED, UNKEPT, VARY, *headers), media_type=MEDIA_TYPE
    )


@cache
def environment(tag: str) -> Environment:
    """Return the template environment of one language: templates of ``web`` and ``render``."""
    made = make_environment(tag, ChoiceLoader([PackageLoader("pagegrade.web"), PackageLoader("pagegrade.render")]))
    made.globals.update(asset=asset_url)
    return made
