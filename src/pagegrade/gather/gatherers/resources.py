"""The sub-resources that the served HTML and its stylesheets name, within limits, much as a browser would fetch them.

In order: what the page needs at once; what its stylesheets name, as soon as those are there; what may come later
(lazy images, icons). Of several candidates for one place only the first is fetched. What is left out says why.

Public source maps of the site's own scripts are asked for as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.gather.context import MAX_REDIRECTS, Context, OffloadFailed, ask_all
from pagegrade.gather.exchange import Allowance, FetchError, Followed, Purpose, Request
from pagegrade.model.artifacts import (
    FontFace,
    NotGathered,
    Resource,
    Resources,
    Response,
    SourceMaps,
    StylesheetReference,
)
from pagegrade.parse.css.urls import StylesheetURL
from pagegrade.parse.files.image import HEAD_BYTES
from pagegrade.parse.html.parser import ReferenceURL
from pagegrade.parse.measure import Measure, Sample, measure_samples
from pagegrade.parse.party import Parties
from pagegrade.parse.url import host, is_http, join_url, registrable_domain, same_site, strip_fragment

MAX_IMPORT_DEPTH: Final = 3
"""Steps of ``@import`` followed from a stylesheet that the page names."""
MAX_ICONS: Final = 4
"""Icons fetched, although a browser takes one: which one depends on the browser."""
MAX_CONCURRENT: Final = 12
"""Requests under way; each may go over the total of bytes once, so few are enough."""
MAX_CONCURRENT_PER_HOST: Final = 8
"""Requests waiting for one host; the client opens at most six connections to it."""
MAX_REFERRING_BYTES: Final = 10_000_000
"""Decoded, of all stylesheets together that are read for what they refer to."""
MAX_STYLESHEET_REFERENCES: Final = 5_000
MAX_NOT_FETCHED: Final = 1_000
MAX_NOTED_CHARACTERS: Final = 1_000_000
"""Of all URLs together that are only noted: references of stylesheets, and what is not fetched."""
BATCH_BYTES: Final = 524_288
"""Bytes that wait to be read before a child is asked; so much of a page is held beside what is under way."""
MEDIA_BYTES: Final = 262_144
"""Read of a video or sound: the answer matters, not the film."""
MIN_GZIP_BYTES: Final = 1_400
"""Smaller texts fit one packet whether compressed or not."""
MAX_READ_BYTES: Final = 2_000_000
"""Decoded, of one script or stylesheet that is read for what it contains."""
MAX_PLAIN_BYTES: Final = 5_000_000
"""Of one text that came without content coding, which is compressed to see what that saves."""
MAX_TOTAL_READ_BYTES: Final = 8_000_000
"""The same for all of them together."""
GIF_HEAD_BYTES: Final = 262_144
"""Of a GIF: whether it moves stands behind its first frame."""
MAX_FONT_FACES: Final = 1_000
MAX_MANIFEST_BYTES: Final = 200_000
_FONT_HEAD_BYTES: Final = 64
_RESERVE_S: Final = 3.0
"""Kept of the budget for looking at what was fetched; at most a tenth of it."""
_PURPOSES: Final[dict[str, Purpose]] = {
    "stylesheet": "stylesheet",
    "script": "script",
    "image": "image",
    "icon": "image",
    "font": "font",
    "frame": "document",
}
_COMPRESSIBLE: Final = frozenset(
    {
        "application/ecmascript",
        "application/javascript",
        "application/json",
        "application/vnd.ms-fontobject",
        "application/wasm",
        "application/x-javascript",
        "application/xml",
        "font/otf",
        "font/sfnt",
        "font/ttf",
        "image/bmp",
        "image/vnd.microsoft.icon",
        "image/x-icon",
    }
)
"""Types that gain from gzip beside ``text/*`` and those on JSON or XML."""
_NOTHING: Final = Sample()
MAX_SOURCE_MAP_BYTES: Final = 4_096
"""Bytes read of a map; its start identifies it."""
KEPT_SOURCE_MAP_BYTES: Final = 64


class _Entry(msgspec.Struct):
    """One URL on its way."""

    url: str
    initiator_url: str
    kinds: set[str]
    lazy: bool
    depth: int
    """Steps of ``@import`` that led to it."""
    skip: str = ""
    """Reason why it is not fetched; empty if it is."""
    hops: tuple[Response, ...] = ()
    response: Response | None = None
    """Without body."""
    failure: NotGathered | None = None
    measure: Measure = msgspec.field(default_factory=Measure)
    """Facts read from its body."""
    decoded_bytes: int | None = None
    digest: str = ""
    byte_order_mark: bool = False


async def gather_resources(context: Context) -> Resources | NotGathered:
    """Fetch what the page names, at most ``limits.requests`` from ``limits.hosts`` hosts.

    Raises:
        OffloadFailed: The HTML could not be read for references.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Sub-resources were not asked for.")
    named = await context.named_urls()
    parties = Parties(registrable_domain(host(context.main_document_url)), frozenset(named.own_sites))
    crawl = _Crawl(context, parties, named.names_of_main)
    reserve_s = min(_RESERVE_S, context.options.budget_s / 10)
    try:
        async with asyncio.timeout_at(context.deadline - reserve_s):
            await crawl.run(named.references)
    except TimeoutError:
        crawl.expire()
    return await crawl.result()


class _Crawl:
    """Books of one page's sub-resources."""

    def __init__(self, context: Context, parties: Parties, names_of_main: tuple[str, ...]) -> None:
        self._context = context
        self._names_of_main = names_of_main
        self._parties = parties
        self._limits = context.options.limits
        self._entries: dict[str, _Entry] = {}
        self._not_fetched: dict[str, str] = {}
        self._admitted = 0
        self._icons = 0
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._allowance = Allowance(self._limits.total_wire_bytes)
        self._left_to_read = MAX_TOTAL_READ_BYTES
        self._left_to_refer = MAX_REFERRING_BYTES
        self._left_to_note = MAX_NOTED_CHARACTERS
        self._unread: list[tuple[_Entry, Sample, Followed]] = []
        self._unread_bytes = 0
        self._reading = asyncio.Lock()
        self._stylesheet_references: dict[tuple[str, str, str], StylesheetReference] = {}

    async def run(self, references: Iterable[ReferenceURL]) -> None:
        """Fetch everything that is admitted, in the order of the module's first lines."""
        later: list[ReferenceURL] = []
        eager: list[_Entry] = []
        for reference in references:
            if reference.lazy or reference.alternative:
                later.append(reference)
            else:
                eager.extend(self._admit(reference.url, reference.kind, self._context.main_document_url))
        async with asyncio.TaskGroup() as group:
            sheets = [entry for entry in eager if "stylesheet" in entry.kinds]
            self._start(group, (entry for entry in eager if "stylesheet" not in entry.kinds))
            while sheets:
                async with asyncio.TaskGroup() as round_group:
                    self._start(round_group, sheets)
                await self._read()
                found = [each for sheet in sheets for each in self._admit_named_by(sheet)]
                sheets = [entry for entry in found if "stylesheet" in entry.kinds]
                self._start(group, (entry for entry in found if "stylesheet" not in entry.kinds))
            self._start(group, self._admit_later(later))

    def _start(self, group: asyncio.TaskGroup, entries: Iterable[_Entry]) -> None:
        for entry in entries:
            group.create_task(self._fetch(entry))

    def _admit_later(self, references: Iterable[ReferenceURL]) -> list[_Entry]:
        """Note the files that a browser fetches late, and the candidates that it would not use."""
        admitted: list[_Entry] = []
        for reference in references:
            if reference.kind == "icon":
                self._icons += 1
            taken = self._icons <= MAX_ICONS if reference.kind == "icon" else not reference.alternative
            if taken or reference.url in self._entries:
                admitted.extend(self._admit(reference.url, reference.kind, self._context.main_document_url, lazy=True))
            else:
                self._note(reference.url, "skipped")
        return admitted

    def _admit(self, url: str, kind: str, initiator_url: str, *, lazy: bool = False, depth: int = 0) -> list[_Entry]:
        """The new entry of ``url`` if it is to be fetched; none when it is known or goes beyond a limit."""
        known = self._entries.get(url)
        if known is not None:
            known.kinds.add(kind)
            return []
        name = host(url)
        why = ""
        if url == self._context.main_document_url:
            why = "skipped"
        elif self._admitted >= self._limits.requests:
            why = "count"
        elif name not in self._hosts and len(self._hosts) >= self._limits.hosts:
            why = "hosts"
        if why:
            self._note(url, why)
            return []
        self._not_fetched.pop(url, None)
        self._admitted += 1
        self._hosts.setdefault(name, asyncio.Semaphore(MAX_CONCURRENT_PER_HOST))
        entry = _Entry(url=url, initiator_url=initiator_url, kinds={kind}, lazy=lazy, depth=depth)
        self._entries[url] = entry
        return [entry]

    def _note(self, url: str, why: str) -> None:
        known = url in self._entries or url in self._not_fetched
        if not known and len(self._not_fetched) < MAX_NOT_FETCHED and self._has_space_for(url):
            self._not_fetched[url] = why

    def _has_space_for(self, url: str) -> bool:
        """Return whether one more URL may be noted; then it is counted."""
        if len(url) > self._left_to_note:
            return False
        self._left_to_note -= len(url)
        return True

    async def _fetch(self, entry: _Entry) -> None:
        """One resource; its failure is data."""
        async with self._hosts[host(entry.url)], self._slots:
            if self._allowance.left_bytes <= 0:
                entry.skip = "bytes"
                return
            is_media = entry.kinds == {"media"}
            max_bytes = min(self._limits.resource_bytes, MEDIA_BYTES) if is_media else self._limits.resource_bytes
            request = Request(
                url=entry.url,
                purpose=_purpose(entry.kinds),
                referer=self._referer(entry.url),
                max_wire_bytes=max_bytes,
                allowance=self._allowance,
                max_decoded_bytes=max_bytes,
                keep_bytes=0 if is_media else None,
                survey=None if is_media else partial(_stored_bytes, frozenset(entry.kinds)),
                timeout_s=self._context.timeout_s(self._limits.resource_s),
                max_redirects=MAX_REDIRECTS,
            )
            try:
                followed = await self._context.client.follow(request, self._context.cookies)
            except FetchError as error:
                entry.hops = error.hops
                if error.code == "budget":
                    entry.skip = "budget"
                else:
                    entry.failure = error.not_gathered()
                return
            sample = self._keep(entry, followed)
            if sample == _NOTHING:
                followed.exchange.hold.release_body()
                return
            self._unread.append((entry, sample, followed))
            self._unread_bytes += len(followed.exchange.body)
            del followed
            if self._unread_bytes >= BATCH_BYTES:
                # The slot is held meanwhile: nothing more is fetched than is read.
                await self._read()

    async def _read(self) -> None:
        """Turn the bodies that wait into facts, and let go of them."""
        async with self._reading:
            batch, self._unread, self._unread_bytes = self._unread, [], 0
            if not batch:
                return
            try:
                measures = await self._context.parse(measure_samples, tuple(sample for _, sample, _ in batch))
            except OffloadFailed:
                measures = ()  # The resources stay; only what is inside them remains unknown.
            except asyncio.CancelledError:
                self._unread[:0] = batch
                raise
            for (entry, _, _), measure in zip(batch, measures, strict=False):
                entry.measure = measure
            for _, _, followed in batch:
                followed.exchange.hold.release_body()

    def _referer(self, url: str) -> str | None:
        """The page's origin, as browsers send it: none from https to http (hot-link protection wants to see it).

        Source: https://www.w3.org/TR/referrer-policy/#referrer-policy-strict-origin-when-cross-origin
        """
        page = self._context.origin
        return None if page.startswith("https:") and url.startswith("http:") else f"{page}/"

    def _keep(self, entry: _Entry, followed: Followed) -> Sample:
        """Record the answer; what is to be read of its body."""
        response, body = followed.response, followed.exchange.body
        entry.hops = followed.hops
        entry.response = response
        if not 200 <= response.status < 300:
            return _NOTHING
        kind = _media_type(response)
        size = followed.exchange.decoded_bytes
        arrived = response.truncated is None and entry.kinds != {"media"}
        if arrived:
            entry.decoded_bytes = size
            entry.digest = followed.exchange.digest
        entry.byte_order_mark = body.startswith(b"\xef\xbb\xbf")
        is_stored = arrived and len(body) == size
        is_markup = "html" in kind
        is_sheet = "stylesheet" in entry.kinds
        reads_script = is_stored and "script" in entry.kinds and not is_markup
        reads_sheet = is_stored and not reads_script and is_sheet and not is_markup
        if (reads_script or reads_sheet) and not self._take(size):
            reads_script = reads_sheet = False
        # A sheet that was cut off still refers to what stands before the cut.
        refers = is_sheet and 0 < len(body) <= self._left_to_refer
        if refers:
            self._left_to_refer -= len(body)
        compresses = is_stored and not response.content_encodings and size >= MIN_GZIP_BYTES and _is_compressible(kind)
        reads_manifest = is_stored and "manifest" in entry.kinds and size <= MAX_MANIFEST_BYTES
        head_bytes = GIF_HEAD_BYTES if body.startswith(b"GIF8") else HEAD_BYTES
        return Sample(
            image_head=body[:head_bytes] if _looks_like_image(kind, entry.kinds) else b"",
            text=body if compresses else b"",
            font_head=body[:_FONT_HEAD_BYTES] if _looks_like_font(kind, entry.kinds) else b"",
            script=body if reads_script else b"",
            names=self._names_of_main if reads_script else (),
            stylesheet=body if reads_sheet else b"",
            referring=body if refers else b"",
            manifest=body if reads_manifest else b"",
            url=response.url if refers or reads_sheet or reads_manifest else "",
            page_url=self._context.main_document_url if reads_manifest else "",
            content_type=response.header("Content-Type") if refers or reads_sheet else None,
        )

    def _take(self, size: int) -> bool:
        """Return whether a text of that size may still be read for what it contains; then it is counted."""
        if size > min(MAX_READ_BYTES, self._left_to_read):
            return False
        self._left_to_read -= size
        return True

    def _admit_named_by(self, sheet: _Entry) -> list[_Entry]:
        """Return the references of a stylesheet as new entries."""
        admitted: list[_Entry] = []
        for reference in sheet.measure.references:
            admitted.extend(self._admit_from_sheet(sheet, reference))
        return admitted

    def _admit_from_sheet(self, sheet: _Entry, reference: StylesheetURL) -> list[_Entry]:
        key = (reference.url, reference.kind, sheet.url)
        has_space = len(self._stylesheet_references) < MAX_STYLESHEET_REFERENCES
        if has_space and key not in self._stylesheet_references and self._has_space_for(reference.url):
            self._stylesheet_references[key] = StylesheetReference(
                url=reference.url, kind=reference.kind, stylesheet_url=sheet.url
            )
        depth = sheet.depth + 1 if reference.kind == "stylesheet" else sheet.depth
        if depth > MAX_IMPORT_DEPTH or (reference.alternative and reference.url not in self._entries):
            self._note(reference.url, "skipped")
            return []
        return self._admit(reference.url, reference.kind, sheet.url, depth=depth)

    def expire(self) -> None:
        """The time is over: what has no answer yet will have none."""
        for entry in self._entries.values():
            if entry.response is None and entry.failure is None and not entry.skip:
                entry.skip = "budget"

    async def result(self) -> Resources:
        """The artifact, after a look at the bodies that still wait."""
        await self._read()
        done = [entry for entry in self._entries.values() if not entry.skip]
        faces: list[FontFace] = [face for entry in done for face in entry.measure.font_faces]
        left_out = [(entry.url, entry.skip) for entry in self._entries.values() if entry.skip]
        return Resources(
            items=tuple(map(self._resource, done)),
            stylesheet_references=tuple(self._stylesheet_references.values()),
            not_fetched=(*left_out, *self._not_fetched.items())[:MAX_NOT_FETCHED],
            font_faces=tuple(faces[:MAX_FONT_FACES]),
        )

    def _resource(self, entry: _Entry) -> Resource:
        measure = entry.measure
        return Resource(
            url=entry.url,
            kinds=tuple(sorted(entry.kinds)),
            initiator_url=entry.initiator_url,
            hops=entry.hops,
            response=entry.response,
            failure=entry.failure,
            image=measure.image,
            gzip_bytes=measure.gzip_bytes,
            first_party=self._parties.is_own(entry.url),
            decoded_bytes=entry.decoded_bytes,
            digest=entry.digest,
            minified_bytes=measure.minified_bytes,
            script=measure.script,
            font_format=measure.font_format,
            manifest=measure.manifest,
            byte_order_mark=entry.byte_order_mark,
            visibility_rules=measure.visibility_rules,
            ink_rules=measure.ink_rules,
            image_space=measure.image_space,
            css_features=measure.css_features,
        )


def _stored_bytes(kinds: frozenset[str], media_type: str, coded: bool) -> int:  # noqa: FBT001 - called by position
    """Return the number of decoded bytes of a response that are kept until they are read."""
    if not kinds.isdisjoint({"script", "stylesheet"}):
        wanted = MAX_READ_BYTES
    elif "manifest" in kinds:
        wanted = MAX_MANIFEST_BYTES
    elif _looks_like_image(media_type, kinds):
        wanted = GIF_HEAD_BYTES if media_type in ("", "image/gif") else HEAD_BYTES
    else:
        wanted = _FONT_HEAD_BYTES
    # A text without coding is compressed whole, to see what that would save; it was paid for on the wire.
    return max(wanted, MAX_PLAIN_BYTES) if not coded and _is_compressible(media_type) else wanted


def _looks_like_image(media_type: str, kinds: Collection[str]) -> bool:
    return media_type.startswith("image/") or "image" in kinds or "icon" in kinds


def _looks_like_font(media_type: str, kinds: Collection[str]) -> bool:
    return media_type.startswith("font/") or "font" in kinds


def _purpose(kinds: set[str]) -> Purpose:
    """Return the purpose of the request, the most specific use first."""
    return next((purpose for kind, purpose in _PURPOSES.items() if kind in kinds), "any")


def _media_type(response: Response) -> str:
    """Declared type in lower case without parameters; "" when missing."""
    return (response.header("Content-Type") or "").partition(";")[0].strip().lower()


def _is_compressible(kind: str) -> bool:
    return kind.startswith("text/") or kind.endswith(("+json", "+xml")) or kind in _COMPRESSIBLE


async def gather_source_maps(context: Context) -> SourceMaps | NotGathered:
    """Ask for the first ``limits.source_maps`` that scripts of the own site name on the own site."""
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Source maps were not asked for.")
    resources = await context.artifact("resources", Resources)
    if resources is None:
        return NotGathered(code="skipped", detail="The scripts of the page are not known.")
    named: dict[str, str] = {}
    for item in resources.items:
        if item.first_party and item.response is not None and item.script is not None and item.script.source_map:
            url = join_url(item.response.url, item.script.source_map)
            if url is not None and is_http(url) and _is_beside(url, item.response.url, context.main_document_url):
                named.setdefault(strip_fragment(url), item.url)
    requests = [
        Request(
            url=url,
            purpose="any",
            max_wire_bytes=MAX_SOURCE_MAP_BYTES,
            max_decoded_bytes=MAX_SOURCE_MAP_BYTES,
            keep_bytes=KEPT_SOURCE_MAP_BYTES,
            timeout_s=context.options.limits.link_s,
            max_redirects=MAX_REDIRECTS,
        )
        for url in list(named)[: context.options.limits.source_maps]
    ]
    probes = await ask_all(context, requests, within_s=context.options.limits.links_s)
    return SourceMaps(items=tuple(replace(probe, named_by=named[probe.url]) for probe in probes), found=len(named))


def _is_beside(url: str, script_url: str, page_url: str) -> bool:
    """Return whether a map lies on the site of its script or of the page."""
    return same_site(url, script_url) or same_site(url, page_url)
