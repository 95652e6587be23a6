"""A running service with a world of reports, and what a request to it needs."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from pagegrade.web.session_cookie import SESSION
from tests.browser.world import World, add_unfinished, analyze, build_world
from tests.server import FORM, Reply, Server, running_server
from tests.site.serve import Site, serve_site

ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
OWN: Final = {"Sec-Fetch-Site": "same-origin"}
_SETTINGS: Final[dict[str, Any]] = {
    "WORKERS": 0,
    "HSTS": True,
    "LOG_FORMAT": "json",
    # Nothing listens there: forms that send mail are shown, and say that it could not be sent.
    "SMTP_URL": "smtp://127.0.0.1:9",
    "SIGN_UP_DOMAINS": "example.org",
    # Nor there: pages with the button are shown, and behind it the page that says that nobody answers.
    "OIDC_ISSUER": "http://127.0.0.1:9",
    "OIDC_CLIENT_ID": "pagegrade",
    "OIDC_NAME": "Office",
    "TRUSTED_PROXIES": "127.0.0.1",
}
_VISITORS: Final = count(1)
"""Numbers of visitors: each request comes from another address, because one address may not open everything at once."""
_ASSET: Final = re.compile(r"/static/([0-9a-f]+)/(site\.css)")


@dataclass(frozen=True, slots=True)
class Instance:
    """The service, what it knows, and the site its people analyze."""

    server: Server
    site: Site
    world: World
    digest: str
    """Of the style sheet, part of its address."""

    @property
    def origin(self) -> str:
        """The address of the service, without a slash at the end."""
        return self.server.origin

    def fill(self, path: str) -> str:
        """Text with what this world has: ``{decent.id}``, ``{password.slug}``, ``{account_bob.id}``, ``{digest}``."""
        reports = {name.replace("-", "_"): known for name, known in self.world.reports.items()}
        accounts = {
            f"account_{name.lower().replace('-', '_')}": account for name, account in self.world.accounts.items()
        }
        unique = secrets.token_hex(6)
        return path.format(**reports, **accounts, **self.world.things, digest=self.digest, unique=unique)

    def fields(self, form: Mapping[str, str] | None) -> dict[str, str] | None:
        """The fields of a form, filled in likewise."""
        return None if form is None else {self.fill(name): self.fill(value) for name, value in form.items()}

    def ask(
        self,
        path: str,
        *,
        person: str = "Charlie",
        method: str = "",
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request as a browser sends it, without following where it leads.

        Args:
            path: As it is.
            person: Who asks; Charlie has not signed in.
            method: ``GET``, or ``POST`` with a form, unless another is given.
            form: Fields of a form that a page of ours sends.
            headers: Besides; win over those made here.
        """
        sent = {"Accept": ACCEPT, **OWN}
        token = self.world.tokens.get(person)
        if token is not None:
            sent["Cookie"] = f"{SESSION}={token}"
        body = None if form is None else urlencode(form).encode()
        if body is not None:
            sent["Content-Type"] = FORM
        number = next(_VISITORS)
        sent["X-Forwarded-For"] = f"198.18.{number // 250 % 250}.{number % 250}"
        sent |= headers or {}
        return self.server.call(method or ("GET" if form is None else "POST"), path, key=None, body=body, headers=sent)


@contextlib.contextmanager
def open_instance(folder: Path) -> Iterator[Instance]:
    """A service without workers, so that what waits goes on waiting.

    Args:
        folder: An empty place for its data.
    """
    with serve_site() as site:
        world = build_world(folder / "data", analyze(site))
        with running_server(folder / "data", key=world.key, **_SETTINGS) as server:
            add_unfinished(world)
            page = server.call("GET", "/", key=None, headers={"Accept": ACCEPT}).body.decode()
            found = _ASSET.search(page)
            if found is None:
                raise AssertionError("the start page has no style sheet")
            yield Instance(server, site, world, found[1])
