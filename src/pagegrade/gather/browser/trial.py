"""Start of a browser for a health check: it opens an empty page, and its sandbox is inspected."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Final

import msgspec

from pagegrade.gather.browser.cdp import CommandFailed
from pagegrade.gather.browser.errors import RenderingFailed
from pagegrade.gather.browser.options import MAX_MEMORY_BYTES
from pagegrade.gather.browser.process import process_tree, run_browser

_TRIAL_S: Final = 30.0
_FILTERED: Final = "Seccomp:\t2"
"""Line in the status of a process whose system calls are filtered: the second layer of Chromium's sandbox."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A browser that started."""

    product: str
    """As it names itself, such as ``HeadlessChrome/156.0.1.2``."""
    seconds: float
    """From its start to an empty page."""
    sandboxed: bool
    """The process that draws pages has a filter for its system calls."""


async def try_browser(program: Path) -> Trial:
    """Start a browser, open an empty page, and end it.

    Raises:
        RenderingFailed: It did not start or did not answer; the detail names the remedy.
    """
    started_s = time.monotonic()
    try:
        async with asyncio.timeout(_TRIAL_S), run_browser(program, max_memory_bytes=MAX_MEMORY_BYTES) as browser:
            send = browser.connection.send
            version = await send("Browser.getVersion")
            target = await send("Target.createTarget", {"url": "about:blank"})
            attached = await send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
            # The process of the page filters its calls before it runs scripts, but may not do so yet when it is made.
            await send("Runtime.evaluate", {"expression": "0"}, session=str(attached["sessionId"]))
            return Trial(
                product=str(version.get("product", ""))[:100],
                seconds=time.monotonic() - started_s,
                sandboxed=any(_is_filtered_renderer(pid) for pid in process_tree(browser.pid)),
            )
    except TimeoutError as error:
        raise RenderingFailed("timeout", "The browser did not answer in time.", reason="start") from error
    except CommandFailed as error:
        raise RenderingFailed("browser_crash", "The browser could not open a page.", reason=error.method) from error


def _is_filtered_renderer(pid: int) -> bool:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"--type=renderer" in command and _FILTERED in Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return False
