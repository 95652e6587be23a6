"""Start and end of a browser: an isolated process group with files of its own that leaves nothing behind.

A health check starts one as a trial: it opens an empty page, and its sandbox is inspected.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import msgspec

from pagegrade.gather.browser.cdp import CommandFailed, Connection
from pagegrade.gather.browser.isolation import PROXY_PORT
from pagegrade.gather.browser.options import MAX_MEMORY_BYTES, RenderingFailed
from pagegrade.gather.temporary import own_folder, sweep_folders

_SCRIPT: Final = Path(__file__).with_name("isolation.py")
_UNPRIVILEGED_USER: Final = 65_534
"""The user that a browser runs as when we run as root."""
_START_S: Final = 45.0
"""Longest start: a second of processor time, and on a busy machine ten or twenty times as long."""
_WATCH_S: Final = 0.5
"""Between two looks at the memory."""
_MAX_PROCESSES: Final = 500
_END_S: Final = 5.0
"""Longest wait for killed processes to end."""
_REMEDIES: Final = {
    "namespace": "User namespaces are forbidden here, so a browser cannot be isolated. Docker: allow `unshare` in the "
    "seccomp profile; Ubuntu: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
    "folder": "The folder for temporary files (TMPDIR) is closed to the user that the browser runs as. Set TMPDIR to "
    "one that every user may enter, or allow `mount` in user namespaces.",
    "program": "The browser cannot be run.",
    "authorities": "The browser cannot be given the certificates of PAGEGRADE_CA_FILE, --cacert or the access profile: "
    "libnss3.so, which belongs to Chromium on Linux, is missing or does not take them.",
    "user": "No unprivileged user exists here to run the browser as; Chromium does not start as root. Run Pagegrade as "
    "another user than root, or map more than one user into its container.",
}
_FLAGS: Final = (
    "--headless",
    "--remote-debugging-pipe",
    f"--proxy-server=socks5://127.0.0.1:{PROXY_PORT}",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-print-preview",
    "--disable-search-engine-choice-screen",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,InterestFeedContentSuggestions,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,PrivateStateTokens,WebRtcHideLocalIpsWithMdns",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    "--lang=en-US",
)


class Browser(msgspec.Struct):
    """A running browser."""

    connection: Connection
    listener: socket.socket
    """Of its namespace; whatever the browser opens arrives here."""
    pid: int
    peak_memory_bytes: int = 0
    """As the watchdog has seen it: anonymous and shared memory of all its processes."""
    ended_by: str = ""
    """``memory`` when the watchdog ended it."""

    def cpu_s(self) -> float:
        """Return the CPU time of its processes so far, ended ones that were waited for included, in seconds."""
        ticks = 0
        for each in process_tree(self.pid):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = (
                    Path(f"/proc/{each}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                )
                ticks += sum(int(value) for value in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")


@contextlib.asynccontextmanager
async def run_browser(program: Path, *, max_memory_bytes: int, authorities: str = "") -> AsyncIterator[Browser]:
    """Start a browser in namespaces of its own, its files in memory; afterwards no process and no file of it is left.

    It ends by itself when this process dies: its pipe closes, and the system kills what was started for us.

    Args:
        max_memory_bytes: Of all its processes together.
        authorities: Certificates in PEM that it trusts besides its own.

    Raises:
        RenderingFailed: ``browser_sandbox`` or ``no_browser``: it cannot be started here.
    """
    sweep_folders()
    user = _UNPRIVILEGED_USER if os.geteuid() == 0 else os.geteuid()
    with contextlib.ExitStack() as stack:
        try:
            process, browser = await _start(program, "", user, authorities)
        except RenderingFailed as error:
            if error.reason != "mount":
                raise
            # No file system in memory can be mounted here, so its files need a place on the disk.
            process, browser = await _start(program, str(stack.enter_context(_own_folder(user))), user, authorities)
        reading = asyncio.get_running_loop().create_task(browser.connection.run(), name="browser_messages")
        watching = asyncio.get_running_loop().create_task(_watch(browser, max_memory_bytes), name="browser_memory")
        try:
            yield browser
        finally:
            processes = process_tree(browser.pid)
            _kill(browser.pid)
            watching.cancel()
            await asyncio.gather(watching, reading, return_exceptions=True)
            browser.connection.close()
            browser.listener.close()
            await process.wait()
            await asyncio.to_thread(_wait_for_end, processes)


async def _start(program: Path, folder: str, user: int, authorities: str) -> tuple[asyncio.subprocess.Process, Browser]:
    ours, theirs = socket.socketpair()
    command_read, command_write = os.pipe()
    answer_read, answer_write = os.pipe()
    named = os.memfd_create("authorities")
    given = (theirs.fileno(), command_read, answer_write, named)
    try:
        os.pwrite(named, authorities.encode("ascii"), 0)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(_SCRIPT),
            *(str(number) for number in (*given, user)),
            folder,
            str(program),
            *_FLAGS,
            "about:blank",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"},
            pass_fds=given,
            start_new_session=True,
        )
    except BaseException:
        os.close(command_write)
        os.close(answer_read)
        ours.close()
        raise
    finally:
        theirs.close()
        os.close(command_read)
        os.close(answer_write)
        os.close(named)
    try:
        listener = await _receive_listener(ours)
    except BaseException:
        os.close(command_write)
        os.close(answer_read)
        _kill(process.pid)
        await process.wait()
        raise
    finally:
        ours.close()
    connection = await _connect(answer_read, command_write)
    return process, Browser(connection=connection, listener=listener, pid=process.pid)


async def _receive_listener(channel: socket.socket) -> socket.socket:
    """Receive the socket that listens inside the namespace."""
    loop = asyncio.get_running_loop()
    channel.settimeout(0)
    readable = asyncio.Event()
    loop.add_reader(channel, readable.set)
    try:
        async with asyncio.timeout(_START_S):
            await readable.wait()
    except TimeoutError as error:
        raise RenderingFailed("browser_sandbox", "The browser did not start in time.", reason="start") from error
    finally:
        loop.remove_reader(channel)
    message, descriptors, _, _ = socket.recv_fds(channel, 200, 1)
    if descriptors:
        listener = socket.socket(fileno=descriptors[0])
        listener.settimeout(0)
        return listener
    step = message.decode("ascii", "replace").partition(" ")[0] or "start"
    raise RenderingFailed(
        "browser_sandbox", _REMEDIES.get(step, "The browser could not be isolated, so it was not started."), reason=step
    )


async def _connect(answers: int, commands: int) -> Connection:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(answers, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(commands, "wb", 0)
    )
    return Connection(reader, asyncio.StreamWriter(transport, protocol, None, loop))


async def _watch(browser: Browser, most_bytes: int) -> None:
    """End a browser that uses too much memory: limits of its heaps do not hold for typed arrays and pictures."""
    while True:
        used = await asyncio.to_thread(memory_bytes, browser.pid)
        browser.peak_memory_bytes = max(browser.peak_memory_bytes, used)
        if used > most_bytes:
            browser.ended_by = "memory"
            _kill(browser.pid)
            return
        await asyncio.sleep(_WATCH_S)


def memory_bytes(pid: int) -> int:
    """Return the anonymous and shared memory of a process and all its descendants, in bytes."""
    total = 0
    for each in process_tree(pid):
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{each}/status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * 1_024
    return total


def process_tree(pid: int) -> list[int]:
    """Return a process and its descendants that still run, at most 500."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{each}/task").iterdir():
                children = (task / "children").read_text(encoding="ascii").split()
                found += [int(child) for child in children[: _MAX_PROCESSES - len(found)]]
    return found


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _wait_for_end(processes: list[int]) -> None:
    """Wait until killed processes are gone; they end within milliseconds."""
    end = time.monotonic() + _END_S
    while any(_is_alive(pid) for pid in processes) and time.monotonic() < end:
        time.sleep(0.005)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in ("Z", "X")


def _hand_over(folder: Path, user: int) -> None:
    try:
        os.chown(folder, user, user)
    except OSError as error:
        raise RenderingFailed("browser_sandbox", _REMEDIES["user"], reason="user") from error
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.parents):
        raise RenderingFailed("browser_sandbox", _REMEDIES["folder"], reason="folder")


@contextlib.contextmanager
def _own_folder(user: int) -> Iterator[Path]:
    """A folder that the user of the browser may use."""
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(own_folder("browser"))
        except OSError as error:
            raise RenderingFailed("browser_sandbox", _REMEDIES["folder"], reason="folder") from error
        if os.geteuid() == 0:
            _hand_over(folder, user)
        yield folder


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
