"""Artifacts of one page: plain values, not evaluated.

Every artifact is either measured or says why it is not: a field of type
``T | NotGathered`` never holds an assumption. Names of headers keep their received
spelling and order; bytes are as received after removal of the content coding.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from pagegrade.model.access import AccessNote, VisitorView
from pagegrade.model.rendering import Rendering

ARTIFACTS_VERSION: Final = 1
"""Version of the saved form; a file of another version is refused."""


class NotGathered(msgspec.Struct, frozen=True, kw_only=True):
    """An artifact that is missing, and why."""

    code: str
    """A stable word: ``skipped``, ``budget``, ``dns``, ``connect``, ``tls``, ``timeout``, ``too_large``,
    ``address_not_allowed``, ``protocol``, ``decode``, ``parser_limit``, ``not_applicable``, ``internal``."""
    detail: str = ""
    """One sentence for people; never an address that is not public."""
    reason: str = ""
    """The finer cause where one is known, such as ``dns_nxdomain`` or ``connect_refused``."""


NOT_ASKED: Final = NotGathered(code="skipped", detail="It was not asked for.")
"""For artifacts that reports of earlier versions do not have."""
NOT_SHOWN: Final = NotGathered(code="not_applicable", detail="No previews of the page are shown.")
NOT_LET_IN: Final = NotGathered(code="not_applicable", detail="The page was asked for as everybody asks for it.")
NOT_RENDERED: Final = NotGathered(code="no_browser", detail="The page was not drawn in a browser.")


class Timings(msgspec.Struct, frozen=True, kw_only=True):
    """Phases of one HTTP exchange; ``None`` where the phase did not happen (connection reused, plain HTTP)."""

    dns_ms: float | None = None
    connect_ms: float | None = None
    tls_ms: float | None = None
    first_byte_ms: float | None = None
    """From the request being sent to the first byte of the answer."""
    download_ms: float | None = None
    total_ms: float = 0.0


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP answer, with its body when that was wanted."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    """(name, value) as received, in order; Latin-1 decoded, control bytes escaped."""
    headers_seen: bool = True
    """False for a saved page without headers: then nothing may be concluded from a missing one."""
    http_version: str = ""
    """``HTTP/1.0``, ``HTTP/1.1``, ``HTTP/2`` or ``HTTP/3``; empty where it was not seen (a saved page)."""
    address: str | None = None
    """The public address that answered; ``None`` where it is not public or not known."""
    body: bytes = b""
    """Decoded (content coding removed)."""
    wire_bytes: int | None = None
    """Body bytes on the wire, before decoding; ``None`` when not seen."""
    header_bytes: int | None = None
    content_encodings: tuple[str, ...] = ()
    """Codings that were removed, lower case, in the order they had been applied."""
    truncated: str | None = None
    """Reason why the body is incomplete: ``limit``, ``connection``, ``coding``, ``time``; ``None`` if complete."""
    notes: tuple[str, ...] = ()
    """Tolerated oddities of the exchange, e.g. ``trailing_garbage``, ``early_hints``."""
    certificate_error: str | None = None
    """For https: why the certificate did not verify; ``None`` when it did."""
    timings: Timings = msgspec.field(default_factory=Timings)

    def header_values(self, name: str) -> list[str]:
        """All values of the header ``name``, any case, in order."""
        wanted, size = name.lower(), len(name)
        # Checks ask for hundreds of headers, and the length alone rules out most lines.
        return [value for key, value in self.headers if len(key) == size and key.lower() == wanted]

    def header(self, name: str) -> str | None:
        """The lines of header ``name`` joined by ``", "`` (RFC 9110 5.3); ``None`` when absent. Not for Set-Cookie."""
        values = self.header_values(name)
        return ", ".join(values) if values else None


class Navigation(msgspec.Struct, frozen=True, kw_only=True):
    """The way from the URL as typed to the document."""

    requested_url: str
    """Canonical WHATWG form of what was asked for."""
    typed_without_scheme: bool = False
    """The scheme was our choice, so a hop it caused is not the site's fault."""
    hops: tuple[Response, ...] = ()
    """Redirect answers in order, without bodies."""
    response: Response
    """The answer of the document itself."""

    @property
    def main_document_url(self) -> str:
        """URL of the document after redirects."""
        return self.response.url


class WellKnown(msgspec.Struct, frozen=True, kw_only=True):
    """One fetch of a well-known or guessed file with its redirects."""

    requested_url: str
    hops: tuple[Response, ...] = ()
    response: Response


class SitemapFile(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of one sitemap file; the file itself is not kept."""

    url: str
    source: Literal["robots", "guessed", "index"]
    status: int | None = None
    error: str | None = None
    """Code of the failure (a ``NotGathered.code``), or ``html``, ``malformed``, ``doctype``, ``empty``."""
    error_detail: str = ""
    kind: Literal["urlset", "index", "text"] | None = None
    bytes: int = 0
    """Uncompressed."""
    url_count: int = 0
    http_url_count: int = 0
    foreign_host_count: int = 0
    relative_url_count: int = 0
    bad_lastmod_count: int = 0
    bad_namespace: str | None = None
    """Of a sitemap or index that is not in the namespace of the protocol: the one it is in, "" for none, at most 200
    characters."""
    lists_page: bool = False
    """It lists the main document's URL."""
    over_limit: bool = False
    """More than 50,000 URLs or 50 MB."""
    truncated: bool = False
    """It was not read to its end (our own limit)."""


class Sitemaps(msgspec.Struct, frozen=True, kw_only=True):
    """Every sitemap file that was tried, in order."""

    files: tuple[SitemapFile, ...] = ()
    declared_in_robots: tuple[str, ...] = ()


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """One certificate of the chain as the server sent it."""

    subject: str
    issuer: str
    names: tuple[str, ...] = ()
    """Subject alternative names, DNS and IP."""
    not_before_at: datetime | None = None
    not_after_at: datetime | None = None
    key_type: str = ""
    """``RSA``, ``EC``, ``Ed25519``, ..."""
    key_bits: int | None = None
    signature_algorithm: str = ""
    serial: str = ""


class TLS(msgspec.Struct, frozen=True, kw_only=True):
    """The handshake with the document's host."""

    host: str
    verified: bool
    verify_error: str | None = None
    """``expired``, ``not_yet_valid``, ``self_signed``, ``untrusted``, ``wrong_host``, ``revoked``, ``incomplete_chain``
    or ``other``; ``None`` when verified."""
    verify_detail: str = ""
    chain: tuple[Certificate, ...] = ()
    """Leaf first, as sent."""
    alpn: str | None = None
    """Protocol that the server chose when offered h2 and http/1.1."""
    versions: tuple[tuple[str, bool | None], ...] = ()
    """``TLSv1.0`` ... ``TLSv1.3`` -> accepted, refused, or ``None``: could not be tried."""
    checked_at: datetime | None = None
    trusted_by_all: bool | None = None
    """False where it verifies only because the run trusts certificates of its own; ``None``: the run trusts none, or
    it could not be tried."""


class DNSFacts(msgspec.Struct, frozen=True, kw_only=True):
    """DNS records of the document's host."""

    host: str
    addresses: tuple[str, ...] = ()
    """Public addresses only."""
    canonical_name: str | None = None
    duration_ms: float | None = None


class ImageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Read from the first bytes of an image."""

    format: Literal["jpeg", "png", "gif", "webp", "avif", "jxl", "svg", "bmp", "ico", "tiff", "heic"]
    width_px: int | None = None
    height_px: int | None = None
    animated: bool | None = None


class FontFace(msgspec.Struct, frozen=True, kw_only=True):
    """One ``@font-face`` rule with a file."""

    family: str
    weight: str = "normal"
    style: str = "normal"
    display: str = ""
    """``font-display``, lower case; "" when absent."""
    formats: tuple[str, ...] = ()
    """Of its files, each once: ``woff2``, ``woff``, ``ttf``, ``otf``, ``eot``, ``svg``, ``collection``, or "" where
    it is unknown."""
    inline: bool = False
    """All its files are ``data:``."""
    stylesheet_url: str = ""
    """The sheet, or the page for a ``<style>``."""


class ScriptFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Read from the whole text of a script."""

    jquery_versions: tuple[str, ...] = ()
    document_writes: int = 0
    libraries: tuple[tuple[str, str], ...] = ()
    """(name, version) by the marks at its beginning, of those that ``parse.files.javascript_libraries`` knows."""
    legacy: tuple[str, ...] = ()
    """Kinds of polyfills and compiled syntax in it, as ``parse.files.legacy_javascript`` names them."""
    secrets: tuple[tuple[str, str, str], ...] = ()
    """(group, kind, masked value) of the keys in it, as ``parse.secrets`` finds them; never the keys."""
    source_map: str = ""
    """Target of its last ``sourceMappingURL`` comment, as written; ``data:`` alone for an inline map."""
    names_of_main: tuple[str, ...] | None = None
    """Names in it by which it finds the page's main part or empty places; ``None`` in artifacts that do not know."""


class ManifestFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Read from a web app manifest."""

    error: str = ""
    """``empty``, ``html``, ``json`` or ``no_object`` where it is none."""
    name: str = ""
    short_name: str = ""
    start_url: str | None = None
    """Absolute; ``None`` when absent or unreadable."""
    in_scope: bool | None = None
    """True if ``start_url`` lies in ``scope`` and on the page's origin; ``None`` without one."""
    display: str = ""
    """The mode that counts, overrides and the default ``browser`` included; "" in artifacts without it."""
    icon_sizes: tuple[str, ...] = ()
    """``192x192``, ``any`` and so on, of all icons that may stand anywhere, each once."""


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """One sub-resource named by the served HTML or its CSS, fetched once."""

    url: str
    """As referenced, absolute, without fragment."""
    kinds: tuple[str, ...]
    """``Reference.kind`` values it is used as, sorted."""
    initiator_url: str
    """The document or stylesheet that names it first."""
    hops: tuple[Response, ...] = ()
    response: Response | None = None
    """Without body."""
    failure: NotGathered | None = None
    """Set exactly when ``response`` is not."""
    image: ImageFacts | None = None
    gzip_bytes: int | None = None
    """Size our own gzip -6 would give, for text served without coding."""
    first_party: bool = True
    """It is the site's own, wherever it lies (``parse.party``)."""
    decoded_bytes: int | None = None
    """Of the body without content coding; ``None`` when it did not arrive whole or is only sampled (media)."""
    digest: str = ""
    """The first half of its SHA-256, where it arrived whole and is not empty."""
    minified_bytes: int | None = None
    """Of a script or stylesheet: decoded size without comments and white space; ``None`` when it was not read."""
    script: ScriptFacts | None = None
    """Of a script that was read."""
    font_format: str | None = None
    """By the first bytes: ``woff2``, ``woff``, ``ttf``, ``otf``, ``eot``, ``collection``."""
    manifest: ManifestFacts | None = None
    """Of a manifest that was read."""
    byte_order_mark: bool = False
    """A text that begins with one."""
    visibility_rules: tuple[str, ...] | None = None
    """Of a stylesheet: the rules that can hide or show an element, as ``parse.cascade`` keeps them; ``None`` when it
    was not read, or holds too many."""
    ink_rules: tuple[str, ...] | None = None
    """Of a stylesheet: the rules that color text and its ground, as ``parse.css.ink`` keeps them; ``None`` when it was
    not read, or holds too many."""
    image_space: tuple[str, ...] = ()
    """Of a stylesheet: selectors of the rules that keep the space of an image free before it loads."""
    css_features: tuple[str, ...] = ()
    """Of a stylesheet: ids of the features it uses that are not Baseline widely available (``parse.data.baseline``)."""


class StylesheetReference(msgspec.Struct, frozen=True, kw_only=True):
    """A URL named inside a fetched stylesheet."""

    url: str
    kind: Literal["stylesheet", "image", "font"]
    stylesheet_url: str


class Resources(msgspec.Struct, frozen=True, kw_only=True):
    """The sub-resources, bounded in number, hosts and bytes."""

    items: tuple[Resource, ...] = ()
    stylesheet_references: tuple[StylesheetReference, ...] = ()
    not_fetched: tuple[tuple[str, str], ...] = ()
    """(URL, why): ``count``, ``hosts``, ``bytes``, ``budget``, ``skipped``, ``address_not_allowed``."""
    font_faces: tuple[FontFace, ...] = ()
    """Of the fetched stylesheets, in order."""

    def by_url(self) -> dict[str, Resource]:
        """Resources by their referenced URL."""
        return {item.url: item for item in self.items}

    def names_in_scripts(self) -> dict[str, tuple[str, ...] | None]:
        """URL of a script -> ``ScriptFacts.names_of_main``."""
        return {item.url: item.script.names_of_main for item in self.items if item.script is not None}


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """An address that was asked for to see what answers there."""

    url: str
    named_by: str = ""
    """The script that names it; empty where it is the page."""
    hops: tuple[Response, ...] = ()
    response: Response | None = None
    """The answer behind the redirects, with few of its headers and at most the first bytes of its body."""
    failure: NotGathered | None = None


class LinkedSections(msgspec.Struct, frozen=True, kw_only=True):
    """Sections of a page that links lead to."""

    url: str
    """Of the page, without fragment."""
    sections: tuple[str, ...]
    """As the links write them, without ``#``."""
    missing: tuple[str, ...] | None = None
    """Those that it does not have; ``None`` when that could not be read."""


class LinkProbes(msgspec.Struct, frozen=True, kw_only=True):
    """Pages of the own host that the page links to, in the order of their links, and another host that is none."""

    items: tuple[Probe, ...] = ()
    found: int = 0
    """Different addresses, those that were not asked for included; likewise below."""
    sections: tuple[LinkedSections, ...] = ()
    """The first of these pages to whose sections links lead."""
    lost_host: str = ""
    """The other host that most links lead to, where name servers know no address of it."""


class AlternatePage(msgspec.Struct, frozen=True, kw_only=True):
    """A language version that the page names."""

    url: str
    status: int | None = None
    failure: NotGathered | None = None
    """Instead of the status."""
    links_back: bool | None = None
    """True if it names the page as a language version in turn; ``None`` when that could not be read."""


class Alternates(msgspec.Struct, frozen=True, kw_only=True):
    """The first language versions that the page names, itself left out."""

    items: tuple[AlternatePage, ...] = ()
    found: int = 0


class SourceMaps(msgspec.Struct, frozen=True, kw_only=True):
    """The source maps that own scripts name in files of their own."""

    items: tuple[Probe, ...] = ()
    found: int = 0


AgentFileKind = Literal["api-catalog", "agent-card", "mcp-server-card"]


class AgentFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file that describes interfaces to programs; the file itself is not kept."""

    kind: AgentFileKind
    url: str
    """As asked for."""
    status: int | None = None
    media_type: str = ""
    """Lower case, without parameters."""
    failure: NotGathered | None = None
    """Instead of the status."""
    faults: tuple[str, ...] = ()
    """Mistakes in its content, as phrases; ``html`` alone for a web page in its place."""
    name: str = ""
    entries: int = 0
    """Of the catalog, skills of the agent, tools of the server."""


class AgentFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files under ``/.well-known/`` that describe interfaces to programs, those that do not exist included."""

    items: tuple[AgentFile, ...] = ()


PreviewProblem = Literal["", "relative", "not_loaded", "type", "bytes", "pixels"]


class PreviewImage(msgspec.Struct, frozen=True, kw_only=True):
    """An image that others show beside the page's name."""

    kind: Literal["social", "icon"]
    url: str
    """As the page names it: absolute, unless that is the problem."""
    problem: PreviewProblem = ""
    """Reason why there are no bytes: the URL names no host, no image came, it is of another type than those that are
    shown, or it has too many bytes or pixels. Empty: there are."""
    facts: ImageFacts | None = None
    data: bytes = b""
    """PNG, JPEG, WebP, GIF or AVIF."""


class PreviewImages(msgspec.Struct, frozen=True, kw_only=True):
    """The images of a search result and of a shared link; none of a kind that the page does not have."""

    items: tuple[PreviewImage, ...] = ()


class Artifacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that was gathered about one page; what a ruleset evaluates."""

    version: int = ARTIFACTS_VERSION
    engine: str
    """Pagegrade version that gathered."""
    gathered_at: datetime
    duration_ms: float | None = None
    vantage: str = ""
    """The headers of the request for the page; empty without a request (a local page)."""
    access: AccessNote | None = None
    """Description of what let the run in; ``None``: it saw what everybody sees."""
    navigation: Navigation
    load_samples_ms: tuple[float, ...] = ()
    """Total time of each fetch of the final document, the first one first."""
    robots_txt: WellKnown | NotGathered
    sitemaps: Sitemaps | NotGathered
    not_found_probe: WellKnown | NotGathered
    insecure_probe: WellKnown | NotGathered
    """``http://host/`` on port 80."""
    sibling_probe: WellKnown | NotGathered
    """The www / non-www sibling, https."""
    favicon: WellKnown | NotGathered
    """``/favicon.ico`` of the document's origin; body holds at most its first bytes."""
    tls: TLS | NotGathered
    dns: DNSFacts | NotGathered
    resources: Resources | NotGathered
    security_txt: WellKnown | NotGathered = NOT_ASKED
    """``/.well-known/security.txt`` of the document's origin."""
    cors_probe: WellKnown | NotGathered = NOT_ASKED
    """The document once more, as if a script of another site wanted it; without a body."""
    llms_txt: WellKnown | NotGathered = NOT_ASKED
    """``/llms.txt`` of the document's origin."""
    link_probes: LinkProbes | NotGathered = NOT_ASKED
    alternates: Alternates | NotGathered = NOT_ASKED
    source_maps: SourceMaps | NotGathered = NOT_ASKED
    canonical_probe: WellKnown | NotGathered = NOT_ASKED
    """The canonical URL, where it is another URL of the site; the body holds at most its first bytes."""
    markdown_probe: WellKnown | NotGathered = NOT_ASKED
    """The document once more by ``Accept: text/markdown``; body holds at most its first bytes."""
    agent_files: AgentFiles | NotGathered = NOT_ASKED
    preview_images: PreviewImages | NotGathered = NOT_SHOWN
    visitor_view: VisitorView | NotGathered = NOT_LET_IN
    rendering: Rendering | NotGathered = NOT_RENDERED
    """The page as a browser drew it."""


GATHERED: Final = tuple(
    name for name in Artifacts.__struct_fields__ if "NotGathered" in Artifacts.__annotations__[name]
)
"""Names of the artifacts that a gatherer may fail to bring, in their order."""
