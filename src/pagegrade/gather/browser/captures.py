"""Captures of a load: its pictures, its trace, the elements that the browser numbers, and what the page keeps there.

Chromium's developer tools and Perfetto open the trace as a file.
Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (JSON object format).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import msgspec

from pagegrade.gather.browser.cdp import Params
from pagegrade.gather.browser.page import Page
from pagegrade.model.rendering import (
    AnimatedElement,
    ElementFacts,
    LayoutShift,
    Picture,
    ShiftedElement,
    StoredEntry,
    Timeline,
)
from pagegrade.report.masking import without_secrets

MAX_FRAMES: Final = 60
"""Pictures of one load that its speed index is computed from."""
MAX_PICTURE_BYTES: Final = 2_000_000
MAX_SHIFTED_ELEMENTS: Final = 5
MAX_STORED: Final = 100
"""Cookies and entries of storage that are listed."""
_NAME_CHARACTERS: Final = 100


def frames_of(shots: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """At most 60 pictures after the navigation; of equal neighbors the first."""
    found: list[tuple[float, str]] = []
    for time, picture in shots:
        if time >= 0 and (not found or found[-1][1] != picture):
            found.append((time, picture))
    if len(found) <= MAX_FRAMES:
        return found
    step = (len(found) - 1) / (MAX_FRAMES - 1)
    return [found[round(index * step)] for index in range(MAX_FRAMES)]


def read_picture(kind: Any, entry: object, *, time_ms: float | None = None) -> Picture | None:
    """A picture from (width, height, WebP in Base64); ``None`` for anything else."""
    if not isinstance(entry, list) or len(entry) != 3:
        return None
    width, height, text = entry
    if not isinstance(width, int) or not isinstance(height, int) or not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not data.startswith(b"RIFF") or len(data) > MAX_PICTURE_BYTES:
        return None
    return Picture(kind=kind, width_px=width, height_px=height, data=data, time_ms=time_ms)


_FOR_READERS: Final = (
    "blink.console",
    "disabled-by-default-devtools.timeline.frame",
    "latencyInfo",
    "v8.execute",
)
"""Categories that the tools of people show and the metrics do not need."""


class TraceFile:
    """Writes the events of a trace as they arrive; their size is limited by what is read from a browser.

    Args:
        path: The file, which is replaced; ``None`` to keep nothing.
        secrets: Texts that are masked in it.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path | None, secrets: Sequence[str] = ()) -> None:
        self.categories = () if path is None else _FOR_READERS
        """Categories to record besides those of the metrics."""
        self._path = path
        self._secrets = secrets
        self._file: BinaryIO | None = None
        self._is_empty = True

    def __enter__(self) -> Self:
        if self._path is not None:
            self._file = self._path.open("wb")
            self._file.write(b'{"traceEvents":[')
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            with self._file as file:
                file.write(b"]}\n")

    def add(self, events: Sequence[object]) -> None:
        """Write a part of the trace."""
        if self._file is not None and events:
            self._file.write(b"" if self._is_empty else b",\n")
            self._file.write(without_secrets(b",\n".join(map(msgspec.json.encode, events)), self._secrets))
            self._is_empty = False


@cache
def read_script(name: str) -> str:
    """Return the source of one of our scripts."""
    return resources.files(__package__).joinpath("scripts", name).read_text(encoding="utf-8")


class ElementReader:
    """Asks the browser about elements of one page."""

    def __init__(
        self, send: Callable[..., Awaitable[Params]], part: Callable[[Awaitable[Any]], Awaitable[Any]], page: Page
    ) -> None:
        """Take what sends a command, what waits for one that may fail, and the page."""
        self._send = send
        self._part = part
        self._page = page

    async def largest(self, timeline: Timeline) -> ElementFacts | None:
        """The largest element that was painted."""
        painted = timeline.paint_candidates
        if not painted or painted[-1].node_id is None:
            return None
        return await self._element(painted[-1].node_id)

    async def shifted(self, timeline: Timeline) -> tuple[ShiftedElement, ...]:
        """The elements that moved in the worst shifts and are still there."""
        worst: dict[int, tuple[LayoutShift, float]] = {}
        for shift in sorted(timeline.layout_shifts, key=lambda shift: -shift.score):
            for node, down_px in zip(shift.node_ids, shift.down_px, strict=True):
                worst.setdefault(node, (shift, down_px))
        found = []
        for node, (shift, down_px) in list(worst.items())[:MAX_SHIFTED_ELEMENTS]:
            element = await self._element(node)
            if element is None:
                continue
            describe = read_script("element.js").strip()
            found.append(
                ShiftedElement(
                    **msgspec.structs.asdict(element),
                    time_ms=shift.time_ms,
                    score=shift.score,
                    down_px=down_px,
                    pushed_by=await self._element(node, "pusher.js", describe, down_px) if down_px >= 1 else None,
                )
            )
        return tuple(found)

    async def animated(self, timeline: Timeline) -> tuple[AnimatedElement, ...]:
        """The elements that the main thread animates and that are still there."""
        found = []
        for animation in timeline.animations:
            if animation.node_id is not None and (element := await self._element(animation.node_id)) is not None:
                name, properties = animation.name, animation.properties
                found.append(AnimatedElement(name=name, properties=properties, element=element))
        return tuple(found)

    async def _element(self, node: int, script: str = "element.js", *arguments: str | float) -> ElementFacts | None:
        """Return the element that a script names for an element; ``None`` if it is gone, or there is none."""
        found: ElementFacts | None = await self._part(self._ask(node, script, arguments))
        return found

    async def _ask(self, node: int, script: str, arguments: Sequence[str | float]) -> ElementFacts | None:
        session, world = self._page.session, self._page.world
        resolved = await self._send(
            "DOM.resolveNode", {"backendNodeId": node, "executionContextId": world}, session=session
        )
        given = ", ".join(map(str, ("this", *arguments)))
        answer = await self._send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"function () {{ return ({read_script(script)}).call({given}); }}",
                "objectId": _dict(resolved.get("object")).get("objectId"),
                "returnByValue": True,
            },
            session=session,
        )
        value = _dict(_dict(answer.get("result")).get("value"))
        box = [value.get(name) for name in ("x", "y", "width", "height")]
        if not all(isinstance(side, (int, float)) for side in box):
            return None
        x, y, width, height = map(float, box)  # type: ignore[arg-type] # each is a number
        return ElementFacts(
            selector=str(value.get("selector", ""))[:1_000],
            html=str(value.get("html", ""))[:300],
            x_px=x,
            y_px=y,
            width_px=width,
            height_px=height,
        )


def read_storage(cookies: Sequence[Any], by_server: set[str], others: object) -> tuple[StoredEntry, ...]:
    """List what a page keeps in the browser, without values.

    Args:
        cookies: As the browser lists them.
        by_server: Names of those that answers set.
        others: What ``storage.js`` returned.
    """
    kept = []
    for cookie in map(_dict, cookies):
        name, size = str(cookie.get("name", ""))[:_NAME_CHARACTERS], cookie.get("size")
        size_bytes = size if isinstance(size, int) and size >= 0 else None
        kept.append(StoredEntry(kind="cookie", name=name, size_bytes=size_bytes, by_script=name not in by_server))
    with suppress(msgspec.ValidationError):
        kept += msgspec.convert(others or (), list[StoredEntry])
    return tuple(kept[:MAX_STORED])


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
