"""The files under ``/.well-known/`` that describe a site's interfaces to programs."""

from __future__ import annotations

import asyncio
from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.model.artifacts import AgentFile, AgentFileKind, AgentFiles, NotGathered
from pagegrade.parse.files.agent_files import PATHS, read_agent_files

MAX_BYTES: Final = 65_536
"""Read of one of them."""
MAX_REDIRECTS: Final = 3


async def gather_agent_files(context: Context) -> AgentFiles | NotGathered:
    """Fetch those that robots.txt permits, after the page's own times were measured; only facts of them are kept.

    Raises:
        OffloadFailed: They or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Files for programs were not asked for.")
    kinds: dict[str, AgentFileKind] = {f"{context.origin}{path}": kind for kind, path in PATHS.items()}
    allowed = await context.permitted_urls(tuple(kinds))
    if allowed is None:
        return NotGathered(code="skipped", detail="robots.txt could not be fetched, so nothing else was asked for.")
    if not allowed:
        return NotGathered(code="skipped", detail="robots.txt does not permit to ask for files for programs.")
    await context.artifact("load_samples", tuple)
    answers = await asyncio.gather(*(_fetch(context, url) for url in allowed))
    found = [(kinds[url], url, answer) for url, answer in zip(allowed, answers, strict=True)]
    failed = [
        AgentFile(kind=kind, url=url, failure=answer) for kind, url, answer in found if isinstance(answer, NotGathered)
    ]
    fetched = [(kind, url, answer) for kind, url, answer in found if isinstance(answer, Followed)]
    try:
        bodies = tuple((kind, url, followed.response) for kind, url, followed in fetched)
        # Most sites have none of them, and a status alone needs no child.
        read = await context.parse(read_agent_files, bodies) if _is_any_there(fetched) else read_agent_files(bodies)
    finally:
        for _, _, followed in fetched:
            followed.release()
    return AgentFiles(items=(*read, *failed))


def _is_any_there(fetched: list[tuple[AgentFileKind, str, Followed]]) -> bool:
    return any(200 <= followed.response.status < 300 for _, _, followed in fetched)


async def _fetch(context: Context, url: str) -> Followed | NotGathered:
    request = Request(
        url=url,
        purpose="any",
        max_wire_bytes=MAX_BYTES,
        max_decoded_bytes=MAX_BYTES,
        timeout_s=context.timeout_s(context.options.limits.link_s),
        max_redirects=MAX_REDIRECTS,
    )
    try:
        return await context.client.follow(request)
    except FetchError as error:
        return error.not_gathered()
