"""The sub-resources that the served HTML and its stylesheets name, within limits, much as a browser would fetch them.

In order: what the page needs at once; what its stylesheets name, as soon as those are there; what may come later
(lazy images, icons). Of several candidates for one place only the first is fetched. What is left out says why.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import Allowance, FetchError, Followed, Purpose, Request
from pagegrade.model.artifacts import FontFace, NotGathered, Resource, Resources, Response, StylesheetReference
from pagegrade.parse.css.urls import StylesheetURL, find_references_of_stylesheets
from pagegrade.parse.files.image import HEAD_BYTES
from pagegrade.parse.html.parser import ReferenceURL
from pagegrade.parse.measure import Measure, Sample, measure_samples
from pagegrade.parse.url import host, same_site

MAX_IMPORT_DEPTH: Final = 3
"""Steps of ``@import`` followed from a stylesheet that the page names."""
MAX_ICONS: Final = 4
"""Icons fetched, although a browser takes one: which one depends on the browser."""
MAX_REDIRECTS: Final = 5
MAX_CONCURRENT: Final = 12
"""Requests under way; each may go over the total of bytes once, so few are enough."""
MAX_CONCURRENT_PER_HOST: Final = 8
"""Requests waiting for one host; the client opens at most six connections to it."""
MAX_STYLESHEET_BYTES: Final = 20_000_000
"""Decoded, of all stylesheets of one round that are read for references."""
MAX_STYLESHEET_REFERENCES: Final = 5_000
MAX_NOT_FETCHED: Final = 1_000
MEDIA_BYTES: Final = 262_144
"""Read of a video or sound: the answer matters, not the film."""
MIN_GZIP_BYTES: Final = 1_400
"""Smaller texts fit one packet whether compressed or not."""
MAX_READ_BYTES: Final = 2_000_000
"""Decoded, of one script or stylesheet that is read for what it contains."""
MAX_TOTAL_READ_BYTES: Final = 8_000_000
"""The same for all of them together."""
GIF_HEAD_BYTES: Final = 1_000_000
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


@dataclass(slots=True)
class _Entry:
    """One URL on its way."""

    url: str
    initiator_url: str
    kinds: set[str]
    lazy: bool
    depth: int
    """Steps of ``@import`` that led to it."""
    skip: str = ""
    """Why it is not fetched; empty: it is."""
    hops: tuple[Response, ...] = ()
    response: Response | None = None
    """Without body."""
    failure: NotGathered | None = None
    body: bytes = b""
    """Kept until it was looked at."""
    sample: Sample = field(default_factory=Sample)
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
    crawl = _Crawl(context)
    reserve_s = min(_RESERVE_S, context.options.budget_s / 10)
    try:
        async with asyncio.timeout_at(context.deadline - reserve_s):
            await crawl.run(named.references)
    except TimeoutError:
        crawl.expire()
    return await crawl.result()


class _Crawl:
    """Books of one page's sub-resources."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._limits = context.options.limits
        self._entries: dict[str, _Entry] = {}
        self._not_fetched: dict[str, str] = {}
        self._admitted = 0
        self._icons = 0
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._allowance = Allowance(self._limits.total_wire_bytes)
        self._left_to_read = MAX_TOTAL_READ_BYTES
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
                found = await self._read_stylesheets(sheets)
                sheets = [entry for entry in found if "stylesheet" in entry.kinds]
                self._start(group, (entry for entry in found if "stylesheet" not in entry.kinds))
            self._start(group, self._admit_later(later))

    def _start(self, group: asyncio.TaskGroup, entries: Iterable[_Entry]) -> None:
        for entry in entries:
            group.create_task(self._fetch(entry))

    def _admit_later(self, references: Iterable[ReferenceURL]) -> list[_Entry]:
        """What a browser fetches late; candidates that it would not take are only noted."""
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
        if url not in self._entries and len(self._not_fetched) < MAX_NOT_FETCHED:
            self._not_fetched.setdefault(url, why)

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
                timeout_s=self._context.timeout_s(self._limits.resource_s),
                max_redirects=MAX_REDIRECTS,
            )
            try:
                followed = await self._context.client.follow(request)
            except FetchError as error:
                entry.hops = error.hops
                if error.code == "budget":
                    entry.skip = "budget"
                else:
                    entry.failure = error.not_gathered()
                return
            self._keep(entry, followed)

    def _referer(self, url: str) -> str | None:
        """The page's origin, as browsers send it: none from https to http (hot-link protection wants to see it).

        Source: https://www.w3.org/TR/referrer-policy/#referrer-policy-strict-origin-when-cross-origin
        """
        page = self._context.origin
        return None if page.startswith("https:") and url.startswith("http:") else f"{page}/"

    def _keep(self, entry: _Entry, followed: Followed) -> None:
        """Record the answer, and of its body only what is looked at later."""
        response = followed.response
        entry.hops = followed.hops
        entry.response = replace(response, body=b"")
        if not 200 <= response.status < 300:
            return
        if "stylesheet" in entry.kinds:
            entry.body = response.body
        kind = _media_type(response)
        looks_like_image = kind.startswith("image/") or not entry.kinds.isdisjoint({"image", "icon"})
        is_whole = response.truncated is None and entry.kinds != {"media"}
        if is_whole:
            entry.decoded_bytes = len(response.body)
            entry.digest = hashlib.sha256(response.body).hexdigest()[:32] if response.body else ""
        entry.byte_order_mark = response.body.startswith(b"\xef\xbb\xbf")
        reads_manifest = is_whole and "manifest" in entry.kinds and len(response.body) <= MAX_MANIFEST_BYTES
        compresses = len(response.body) >= MIN_GZIP_BYTES and _is_compressible(kind)
        is_markup = "html" in kind
        reads_script = is_whole and "script" in entry.kinds and not is_markup
        reads_sheet = is_whole and not reads_script and "stylesheet" in entry.kinds and not is_markup
        if (reads_script or reads_sheet) and not self._take(len(response.body)):
            reads_script = reads_sheet = False
        head_bytes = GIF_HEAD_BYTES if response.body.startswith(b"GIF8") else HEAD_BYTES
        entry.sample = Sample(
            image_head=response.body[:head_bytes] if looks_like_image else b"",
            text=response.body if compresses and is_whole and not response.content_encodings else b"",
            font_head=response.body[:_FONT_HEAD_BYTES] if "font" in entry.kinds or kind.startswith("font/") else b"",
            script=response.body if reads_script else b"",
            stylesheet=response.body if reads_sheet else b"",
            manifest=response.body if reads_manifest else b"",
            url=response.url if reads_sheet or reads_manifest else "",
            page_url=self._context.main_document_url if reads_manifest else "",
            content_type=response.header("Content-Type") if reads_sheet else None,
        )

    def _take(self, size: int) -> bool:
        """Whether a text of that size may still be read for what it contains; then it is counted."""
        if size > min(MAX_READ_BYTES, self._left_to_read):
            return False
        self._left_to_read -= size
        return True

    async def _read_stylesheets(self, sheets: list[_Entry]) -> list[_Entry]:
        """References of the fetched sheets as new entries."""
        bodies: list[tuple[bytes, str, str | None]] = []
        readable: list[_Entry] = []
        room = MAX_STYLESHEET_BYTES
        for sheet in sheets:
            if sheet.response is not None and sheet.body and len(sheet.body) <= room:
                room -= len(sheet.body)
                readable.append(sheet)
                bodies.append((sheet.body, sheet.response.url, sheet.response.header("Content-Type")))
            sheet.body = b""
        if not readable:
            return []
        try:
            found = await self._context.parse(find_references_of_stylesheets, tuple(bodies))
        except OffloadFailed:
            return []  # The sheets themselves stay; only what they name remains unknown.
        admitted: list[_Entry] = []
        for sheet, references in zip(readable, found, strict=True):
            for reference in references:
                admitted.extend(self._admit_from_sheet(sheet, reference))
        return admitted

    def _admit_from_sheet(self, sheet: _Entry, reference: StylesheetURL) -> list[_Entry]:
        if len(self._stylesheet_references) < MAX_STYLESHEET_REFERENCES:
            self._stylesheet_references.setdefault(
                (reference.url, reference.kind, sheet.url),
                StylesheetReference(url=reference.url, kind=reference.kind, stylesheet_url=sheet.url),
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
        """The artifact, after one look at all the bytes that were kept."""
        done = [entry for entry in self._entries.values() if not entry.skip]
        try:
            measures = await self._context.parse(measure_samples, tuple(entry.sample for entry in done))
        except OffloadFailed:
            measures = (Measure(),) * len(done)
        faces: list[FontFace] = [face for measure in measures for face in measure.font_faces]
        left_out = [(entry.url, entry.skip) for entry in self._entries.values() if entry.skip]
        return Resources(
            items=tuple(self._resource(entry, measure) for entry, measure in zip(done, measures, strict=True)),
            stylesheet_references=tuple(self._stylesheet_references.values()),
            not_fetched=(*left_out, *self._not_fetched.items())[:MAX_NOT_FETCHED],
            font_faces=tuple(faces[:MAX_FONT_FACES]),
        )

    def _resource(self, entry: _Entry, measure: Measure) -> Resource:
        return Resource(
            url=entry.url,
            kinds=tuple(sorted(entry.kinds)),
            initiator_url=entry.initiator_url,
            hops=entry.hops,
            response=entry.response,
            failure=entry.failure,
            image=measure.image,
            gzip_bytes=measure.gzip_bytes,
            first_party=same_site(entry.url, self._context.main_document_url),
            decoded_bytes=entry.decoded_bytes,
            digest=entry.digest,
            minified_bytes=measure.minified_bytes,
            script=measure.script,
            font_format=measure.font_format,
            manifest=measure.manifest,
            byte_order_mark=entry.byte_order_mark,
        )


def _purpose(kinds: set[str]) -> Purpose:
    """What to say the answer is wanted for, the most particular use first."""
    return next((purpose for kind, purpose in _PURPOSES.items() if kind in kinds), "any")


def _media_type(response: Response) -> str:
    """Declared type in lower case without parameters; "" when missing."""
    return (response.header("Content-Type") or "").partition(";")[0].strip().lower()


def _is_compressible(kind: str) -> bool:
    return kind.startswith("text/") or kind.endswith(("+json", "+xml")) or kind in _COMPRESSIBLE
