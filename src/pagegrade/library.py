"""The public functions of the package ``pagegrade``; import them from there."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pagegrade.gather.guard import Guard
from pagegrade.gather.outgoing_proxy import OutgoingProxy, read_proxy
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.errors import InvalidInput, URLNotAllowed
from pagegrade.model.report import Report, Thresholds
from pagegrade.parse.http.access import read_access
from pagegrade.parse.url import Target, origin, parse_target_url
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs.analysis import analyze_target, artifacts_of_document, evaluate_in_child
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks, policy_of

T = TypeVar("T")


async def analyze_async(
    url: str,
    *,
    budget_s: float = 60.0,
    subresources: bool = True,
    allow_networks: Sequence[str] = (),
    allow_typed_private: bool = False,
    access: Access | None = None,
    proxy: str | None = None,
) -> Report:
    """Fetch a page with everything around it, check it and grade it.

    Args:
        url: http or https address; without a scheme, https is tried.
        budget_s: Seconds all of the network may take, more than 0.
        subresources: Whether to fetch images, scripts, stylesheets and fonts of the page.
        allow_networks: CIDRs of your own networks that a page which lies there may reach on any port, such as
            ``10.0.0.0/8``.
        allow_typed_private: Let ``url`` itself lie at a private address (your own machine or intranet). Off by
            default, because ``url`` may come from a person you do not trust. It never covers where the page redirects
            or links to.
        access: What is sent to be let in, such as ``Access(user="reader", password=...)``; to the origin of ``url``,
            unless it names others. ``None``: nothing.
        proxy: URL of the proxy that sites are reached through: ``http://USER:PASSWORD@HOST:PORT``, or the same with
            ``https://`` or ``socks5h://``. ``None``: directly, whatever the environment says.

    Returns:
        The report. A page that cannot be analyzed is a report with ``state == "failed"`` and ``error`` filled.

    Raises:
        InvalidURL: ``url`` cannot be read as an address.
        InvalidInput: A part of ``access`` cannot be sent, or ``proxy`` is no such URL.
        URLNotAllowed: The address must not be contacted (``code`` ``url_not_allowed``).
    """
    options = AnalyzeOptions(
        budget_s=budget_s,
        subresources=subresources,
        allow_networks=parse_networks(allow_networks),
        allow_typed_private=allow_typed_private,
        proxy=_read_proxy(proxy),
    )
    target = _read_target(url, options)
    options = replace(options, access=_read_access(access, target))
    async with Children() as children:
        return (await analyze_target(target, options=options, children=children)).report


def analyze(
    url: str,
    *,
    budget_s: float = 60.0,
    subresources: bool = True,
    allow_networks: Sequence[str] = (),
    allow_typed_private: bool = False,
    access: Access | None = None,
    proxy: str | None = None,
) -> Report:
    """The same as ``analyze_async`` for code without an event loop; inside one, await ``analyze_async``.

    Raises:
        InvalidURL: ``url`` cannot be read as an address.
        URLNotAllowed: The address must not be contacted.
        RuntimeError: It was called while an event loop runs in this thread.
    """
    options = AnalyzeOptions(
        budget_s=budget_s,
        subresources=subresources,
        allow_networks=parse_networks(allow_networks),
        allow_typed_private=allow_typed_private,
        proxy=_read_proxy(proxy),
    )
    target = _read_target(url, options)
    options = replace(options, access=_read_access(access, target))
    _refuse_running_loop()
    return _background().run(lambda children: analyze_target(target, options=options, children=children)).report


def _read_proxy(url: str | None) -> OutgoingProxy | None:
    if url is None:
        return None
    try:
        return read_proxy(url)
    except ValueError as error:
        raise InvalidInput(f"The proxy cannot be used: {error}.") from None


def _read_access(access: Access | None, target: Target) -> Access | None:
    if access is None:
        return None
    return read_access(
        name=access.name,
        origins=access.origins or (origin(target.url),),
        user=access.user,
        password=access.password,
        headers=access.headers,
        cookies=access.cookies,
        user_agent=access.user_agent,
        query=access.query,
        certificates=access.certificates,
    )


def _read_target(url: str, options: AnalyzeOptions) -> Target:
    """Return what is to be analyzed.

    Raises:
        InvalidURL: ``url`` cannot be read as an address.
        URLNotAllowed: It must not be contacted; an option that would allow it is named.
    """
    target = parse_target_url(url)
    refusal = Guard(policy_of(target.url, options)).check_url(target.url)
    if refusal is not None:
        allowing = policy_of(target.url, replace(options, allow_typed_private=True))
        helps = Guard(allowing).check_url(target.url) is None
        how = " If the URL comes from a person you trust, pass allow_typed_private=True." if helps else ""
        raise URLNotAllowed(refusal.detail + how, reason=f"{refusal.reason}_not_allowed")
    return target


def evaluate(artifacts: Artifacts) -> Report:
    """Evaluate artifacts again, without the network: the same artifacts and ruleset give the same report.

    The parsing happens in a child process, so a hostile page costs a failed report and not this process. The child
    stays for the next call.
    """
    return _background().run(lambda children: evaluate_in_child(artifacts, Thresholds(), children=children))


def evaluate_document(
    body: bytes,
    *,
    url: str,
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (),
    robots_txt: bytes | None = None,
) -> Report:
    """Evaluate a page that you have already, without the network.

    Args:
        body: The HTML as bytes, without content coding.
        url: Where the page lives; relative addresses resolve against it.
        status: HTTP status it came with, 100 to 599; other than 2xx is never scored.
        headers: (name, value) of the response, in order, repeated where they were repeated; without any, the page
            counts as sent without them, and checks that look for one fail.
        robots_txt: The site's robots.txt, if you have it.

    Returns:
        The report. Checks that need network data are not evaluated and lower ``coverage``; below 0.8
        there is a score but no ``result``.

    Raises:
        InvalidURL: ``url`` cannot be read as an address.
    """
    return evaluate(artifacts_of_document(body, url=url, status=status, headers=headers, robots_txt=robots_txt))


class _Background:
    """An event loop in a thread of its own, with children that outlive one call."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._children = Children()
        threading.Thread(target=self._loop.run_forever, name="pagegrade", daemon=True).start()

    def run(self, use: Callable[[Children], Coroutine[Any, Any, T]]) -> T:
        """Do something with the children and wait for it."""
        return asyncio.run_coroutine_threadsafe(use(self._children), self._loop).result()

    def stop(self) -> None:
        """End the children; the thread ends with the process."""
        if self.pid == os.getpid():
            asyncio.run_coroutine_threadsafe(self._children.close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)


_running: list[_Background] = []
_starting = threading.Lock()


def _background() -> _Background:
    """The one background of this process; a forked copy of it would have no thread, so a new one is made."""
    with _starting:
        if not _running or _running[0].pid != os.getpid():
            _running[:] = [_Background()]
            atexit.register(_running[0].stop)
        return _running[0]


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError("An event loop is running here: await pagegrade.analyze_async(url) instead.")
