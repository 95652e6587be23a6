"""Chromium, driven by Playwright, that reaches one origin only and notes whatever a page should not have done."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Response,
    Route,
    ViewportSize,
    sync_playwright,
)

from pagegrade.web.session_cookie import SESSION

NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INTRANET: Final = "reports.test"
"""A name of this machine that browsers trust as little as any other without TLS, unlike its address."""
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    f"--host-resolver-rules=MAP {INTRANET} 127.0.0.1",
)
WAIT_MS: Final = 120_000
"""Long enough for a busy machine: it only ends what would never come."""
WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
NARROW: Final[ViewportSize] = {"width": 320, "height": 640}
_LISTEN: Final = (
    "document.addEventListener('securitypolicyviolation', event => "
    "console.error('violation: ' + event.violatedDirective + ' ' + event.blockedURI))"
)
_DOCUMENT_STATUS: Final = "Failed to load resource: the server responded with a status of"
"""Chromium says so about every page with an error status, wanted or not."""


def find_chromium() -> str | None:
    """The browser's program; ``None``: there is none here."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def launch() -> Iterator[Browser]:
    """A browser for the length of a block.

    Raises:
        FileNotFoundError: There is none.
    """
    program = find_chromium()
    if program is None:
        raise FileNotFoundError(f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class Window:
    """One tab of a person, with a profile of its own."""

    origin: str
    context: BrowserContext
    page: Page
    foreign: list[str] = field(default_factory=list)
    """Addresses elsewhere that something asked for; nothing was sent."""
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """Violations of the policy, and errors of scripts."""

    @property
    def misdeeds(self) -> list[str]:
        """All that no page of ours may ever do."""
        return [
            *(f"asked for {url}" for url in self.foreign),
            *(f"opened a dialog: {text}" for text in self.dialogs),
            *self.complaints,
        ]

    def go(self, path: str) -> Response:
        """Open a page and wait until everything of it is there."""
        answer = self.page.goto(f"{self.origin}{path}", wait_until="load")
        if answer is None:
            raise AssertionError(f"{path} gave no answer")
        return answer

    def send(self, path: str, fields: dict[str, str]) -> Response:
        """Send a form as a page of ours would, past what browsers evaluate before they send."""
        self.go("/problems")
        with self.page.expect_navigation(wait_until="load") as waited:
            self.page.evaluate(_SEND, [path, list(fields.items())])
        return waited.value

    def forget(self) -> None:
        """Begin a new account of what went wrong."""
        for noted in (self.foreign, self.dialogs, self.complaints):
            noted.clear()

    def place(self) -> str:
        """The place it shows, for messages."""
        return self.page.url.removeprefix(self.origin)


_SEND: Final = """([path, fields]) => {
  const form = document.createElement('form');
  form.method = 'post'; form.action = path; form.hidden = true;
  for (const [name, value] of fields) {
    const field = document.createElement('textarea');
    field.name = name; field.value = value; form.append(field);
  }
  document.body.append(form); form.submit();
}"""


@contextlib.contextmanager
def open_window(browser: Browser, origin: str, *, token: str | None = None, **options: Any) -> Iterator[Window]:
    """A tab in a profile of its own.

    Args:
        browser: A running one.
        origin: The only one that can be reached.
        token: Of a session; ``None``: signed out.
        options: Of Playwright's ``new_context``: ``viewport``, ``color_scheme``, ``java_script_enabled``.
    """
    context = browser.new_context(**options)
    context.set_default_timeout(WAIT_MS)
    try:
        if token is not None:
            context.add_cookies([{"name": SESSION, "value": token, "url": origin, "httpOnly": True, "sameSite": "Lax"}])
        if options.get("java_script_enabled", True):
            context.add_init_script(_LISTEN)
        window = Window(origin, context, context.new_page())
        _watch(window)
        yield window
    finally:
        context.close()


def _watch(window: Window) -> None:
    def evaluate(route: Route) -> None:
        window.foreign.append(route.request.url)
        route.abort()

    def dismiss(dialog: Dialog) -> None:
        window.dialogs.append(dialog.message)
        dialog.dismiss()

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_DOCUMENT_STATUS):
            window.complaints.append(message.text)

    def is_foreign(url: str) -> bool:
        return not url.startswith((f"{window.origin}/", "data:", "blob:", "about:"))

    window.context.route(is_foreign, evaluate)
    window.page.on("dialog", dismiss)
    window.page.on("console", hear)
    window.page.on("pageerror", lambda error: window.complaints.append(f"script error: {error}"))
