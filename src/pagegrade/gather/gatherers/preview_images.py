"""The image for shared links and the icon, for a report that shows previews of the page: one request each."""

from __future__ import annotations

import asyncio
from typing import Final, Literal

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.model.artifacts import NOT_SHOWN, NotGathered, PreviewImage, PreviewImages, PreviewProblem
from pagegrade.parse.files.image import find_shown_image
from pagegrade.parse.url import join_url, strip_fragment

MAX_BYTES: Final[dict[str, int]] = {"social": 500_000, "icon": 100_000}
MAX_SIDE_PX: Final = 8_192
MAX_PIXELS: Final = 16_777_216
"""Decoded by the browser of a reader, that is 64 MB."""
MAX_REDIRECTS: Final = 5


async def gather_preview_images(context: Context) -> PreviewImages | NotGathered:
    """Fetch the image and the icon that the page names, or the default icon.

    Raises:
        OffloadFailed: The HTML could not be read for them.
    """
    if not context.options.preview_images:
        return NOT_SHOWN
    named = await context.named_urls()
    wanted = [_icon(context, named.icon or f"{context.origin}/favicon.ico")]
    if named.social_image:
        wanted.append(_social_image(context, named.social_image))
    return PreviewImages(items=tuple(await asyncio.gather(*wanted)))


async def _icon(context: Context, url: str) -> PreviewImage:
    return await _fetch(context, "icon", url)


async def _social_image(context: Context, written: str) -> PreviewImage:
    # Networks do not resolve relative URLs, so no preview shows such an image.
    is_absolute = written.lower().startswith(("http://", "https://"))
    url = join_url(context.main_document_url, written) if is_absolute else None
    if url is None:
        return PreviewImage(kind="social", url=written, problem="relative")
    return await _fetch(context, "social", strip_fragment(url))


async def _fetch(context: Context, kind: Literal["social", "icon"], url: str) -> PreviewImage:
    """Fetch one image; its failure is data."""
    limits = context.options.limits
    request = Request(
        url=url,
        purpose="image",
        max_wire_bytes=MAX_BYTES[kind],
        max_decoded_bytes=MAX_BYTES[kind],
        timeout_s=context.timeout_s(limits.resource_s),
        max_redirects=MAX_REDIRECTS,
    )
    try:
        followed = await context.client.follow(request)
    except FetchError:
        return PreviewImage(kind=kind, url=url, problem="not_loaded")
    response = followed.response
    problem: PreviewProblem = ""
    if not 200 <= response.status < 300 or not response.body:
        problem = "not_loaded"
    elif response.truncated is not None:
        problem = "bytes" if response.truncated == "limit" else "not_loaded"
    else:
        try:
            found = await context.parse(find_shown_image, response.body)
        except OffloadFailed:
            found = None
        if found is None:
            problem = "type"
        else:
            facts, start, end = found
            width, height = facts.width_px or 0, facts.height_px or 0
            if not width or not height:
                problem = "type"
            elif max(width, height) > MAX_SIDE_PX or width * height > MAX_PIXELS:
                problem = "pixels"
            else:
                data = response.body if (start, end) == (0, len(response.body)) else response.body[start:end]
                return PreviewImage(kind=kind, url=url, facts=facts, data=data)
    followed.release()
    return PreviewImage(kind=kind, url=url, problem=problem)
