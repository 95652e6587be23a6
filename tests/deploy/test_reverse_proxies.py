"""The service below a path behind real reverse proxies, as the how-to sets them up, and the other way round."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import html5lib
import httpx
import pytest

from tests.server import Server, running_server
from tests.waiting import wait_until

ROOT: Final = "/tools/pagegrade"
MOST_PAGES: Final = 60
NGINX: Final = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location {root}/ {{
      proxy_pass http://127.0.0.1:{upstream}{slash};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_read_timeout 75s;
    }}
  }}
}}
"""
CADDY: Final = """
{{
  admin off
  auto_https off
}}
http://localhost:{port} {{
  bind 127.0.0.1
  redir {root} {root}/
  {directive} {root}/* {{
    reverse_proxy 127.0.0.1:{upstream}
  }}
}}
"""


def nginx(folder: Path, port: int, upstream: int, *, strips: bool) -> list[str]:
    """The command of an nginx that keeps the path, or takes it away."""
    text = NGINX.format(folder=folder, port=port, upstream=upstream, root=ROOT, slash="/" if strips else "")
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    return ["nginx", "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, upstream: int, *, strips: bool) -> list[str]:
    """The command of a Caddy that does."""
    directive = "handle_path" if strips else "handle"
    text = CADDY.format(port=port, upstream=upstream, root=ROOT, directive=directive)
    (folder / "Caddyfile").write_text(text, encoding="utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def free_port() -> int:
    """A port that nobody uses yet."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def accepts(port: int) -> bool:
    """Return whether somebody listens there."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


@contextlib.contextmanager
def behind(proxy: str, folder: Path, *, strips: bool) -> Iterator[tuple[Server, str]]:
    """A server below a path behind a proxy, and its public URL."""
    port = free_port()
    base_url = f"http://localhost:{port}{ROOT}"
    with running_server(folder / "data", key="", BASE_URL=base_url, TRUSTED_PROXIES="127.0.0.1/32") as server:
        command = {"nginx": nginx, "caddy": caddy}[proxy](folder, port, server.port, strips=strips)
        with (folder / "proxy.log").open("wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/bin"}
            )
        try:
            wait_until(lambda: process.poll() is not None or accepts(port), "a proxy that listens")
            assert process.poll() is None, (folder / "proxy.log").read_text()
            yield server, base_url
        finally:
            process.terminate()
            process.wait()


def links(answer: httpx.Response) -> set[str]:
    """The places that a page names, as URLs."""
    page = html5lib.parse(answer.text, namespaceHTMLElements=False)
    named = (each.get(name) for each in page.iter() for name in ("href", "src", "action"))
    return {str(answer.url.join(text)).partition("#")[0] for text in named if text and not text.startswith("#")}


@pytest.mark.parametrize("strips", [False, True], ids=["kept", "stripped"])
@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_the_service_works_below_a_path(proxy: str, tmp_path: Path, *, strips: bool) -> None:
    """A person signs in and follows every link; a program follows what the API names."""
    if shutil.which(proxy) is None:
        pytest.skip(f"{proxy} is not installed here")
    with behind(proxy, tmp_path, strips=strips) as (server, base_url), httpx.Client(timeout=60) as browser:
        own = base_url.removesuffix(ROOT)
        sign_in = re.search(rf"{re.escape(base_url)}/sign-in/\S+", server.log)
        key = re.search(r"pgk_[0-9A-Za-z]+", server.log)
        assert sign_in is not None
        assert key is not None
        signed_in = browser.post(sign_in[0], headers={"Origin": own}, follow_redirects=True)
        assert (signed_in.status_code, signed_in.url.path) == (200, f"{ROOT}/account")
        seen: dict[str, int] = {}
        waiting = [f"{base_url}/"]
        while waiting and len(seen) < MOST_PAGES:
            url = waiting.pop()
            answer = browser.get(url, follow_redirects=True)
            seen[url] = answer.status_code
            if "html" in answer.headers["content-type"]:
                waiting += sorted(place for place in links(answer) if place.startswith(own) and place not in seen)
        program = httpx.Client(headers={"Authorization": f"Bearer {key[0]}"}, timeout=60)
        with program:
            made = program.post(
                f"{base_url}/api/v1/reports", data={"url": "http://127.0.0.1:9/"}, headers={"Prefer": "respond-async"}
            )
            found = program.get(made.headers["location"])
            described = program.get(f"{base_url}/api/v1/openapi.json").json()
        without_slash = browser.get(base_url, follow_redirects=True)
        outside = browser.get(f"{own}/account")

    assert {url for url in seen if not url.startswith(f"{base_url}/")} == set()
    assert {url: status for url, status in seen.items() if status not in {200, 405}} == {}
    assert len(seen) > 20
    assert (made.status_code, found.status_code) == (201, 200)
    assert made.headers["location"].startswith(f"{base_url}/api/v1/reports/")
    assert described["servers"][0]["url"] == base_url
    assert (without_slash.status_code, without_slash.url.path) == (200, f"{ROOT}/reports")
    assert outside.status_code == 404 or not outside.content
