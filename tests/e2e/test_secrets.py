"""Planted secrets of every kind: whatever the service stores, answers, sends or logs is searched for them.

The page that is analyzed repeats all that it was sent, in each place where a page has text.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import resource
import signal
import sqlite3
import ssl
import subprocess
import sys
import threading
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import psycopg
import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from pagegrade.gather.browser.options import find_browser
from pagegrade.render import FORMATS
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.web.routes import ALL_OPERATIONS, PROBES
from tests.gather.test_mail import Closed
from tests.otlp import Collector, collecting, forget_variables
from tests.ports import free_port
from tests.postgres import databases
from tests.server import COMMAND, Server, running_server
from tests.waiting import wait_until

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OF_SETTINGS: Final = {
    "SECRET_KEY": "s3cret-of-settings-key-0123456789abcdef",
    "METRICS_TOKEN": "s3cret-of-settings-metrics-0123456789",
    "PROXY": "http://company:s3cret-of-settings-proxy@127.0.0.1:1",
    "ACCESS_USER": "reader:s3cret-of-settings-password",
    "ACCESS_HEADERS": "X-Door: s3cret-of-settings-header",
    "ACCESS_COOKIES": "session=s3cret-of-settings-cookie",
}
PROFILE: Final[dict[str, Any]] = {
    "name": "Staging",
    "user": "reader",
    "password": "s3cret-of-profile-password",
    "headers": ["X-Door: s3cret-of-profile-header", "X-Api-Key: s3cret/of+profile\"key'&<b>"],
    "cookies": ["session=s3cret-of-profile-cookie", "csrf=s3cret-of-profile-second"],
    "query": ["preview=s3cret-of-profile-query", "sig=s3cret/of profile+more"],
}
OTHER: Final = {"name": "Other", "headers": ["Authorization: Bearer s3cret-of-other-bearer"]}
TYPED: Final = {"password": "s3cret-of-report-password", "account": "s3cret-of-account-password"}
CHANNEL: Final = "s3cret-of-channel-path"
PLANTED: Final = (
    "s3cret-of-settings-key-0123456789abcdef", "s3cret-of-settings-metrics-0123456789", "s3cret-of-settings-smtp",
    "s3cret-of-settings-proxy", "s3cret-of-settings-password", "s3cret-of-settings-header",
    "s3cret-of-settings-cookie", "s3cret-of-profile-password", "s3cret-of-profile-header",
    "s3cret/of+profile\"key'&<b>", "s3cret-of-profile-cookie", "s3cret-of-profile-second", "s3cret-of-profile-query",
    "s3cret/of profile+more", "s3cret-of-other-bearer", *TYPED.values(),
)  # fmt: skip
TOKENS: Final = tuple(
    b64encode(f"reader:{password}".encode()).decode()
    for password in ("s3cret-of-profile-password", "s3cret-of-settings-password")
)
WEBHOOKS: Final = "webhooks"
"""The table that keeps secrets which are used as they are: to sign deliveries, and the URLs of channels."""
IDS: Final = ("1", "2", "3", "4")
FOR_PEOPLE: Final = re.compile(r"/(?:invitations|unsubscribe)/[^\s\"<>]+")
"""Links of mails that are secrets of whom they are sent to."""


@dataclass
class Door:
    """A site that lets in who has a header, repeats all that it was sent, and takes what is posted."""

    origin: str = ""
    asked: list[str] = field(default_factory=list)
    posted: list[bytes] = field(default_factory=list)

    def page(self, target: str, headers: Mapping[str, str]) -> tuple[int, str, str]:
        """(status, type, body) of an answer."""
        echo = f"{target} {unquote(target)} {dict(headers)}"
        self.asked.append(echo)
        if "s3cret" not in headers.get("X-Door", "") + headers.get("Authorization", ""):
            return 401, "text/plain", "Not for you"
        if not target.startswith(("/?", "/second?")) and target not in {"/", "/second"}:
            return 200, "text/javascript", f"console.warn({json.dumps(echo)})"
        text = escape(echo)
        return (
            200,
            "text/html; charset=utf-8",
            f"""<!doctype html><html lang=en><head><title>{text}</title><meta name=description content="{text}">
            <link rel=canonical href="/?{quote(echo)}"><meta property=og:title content="{text}">
            <script type="application/ld+json">{json.dumps({"@type": "Thing", "name": echo})}</script>
            <script src="/own.js?of={quote(echo)[:900]}"></script></head><body><main><h1>{text}</h1><p>{text}</p>
            <a href="/?{quote(echo)}">{text}</a><img src="/picture.png?{quote(echo)[:900]}"><!-- {text} -->
            <script>console.error({json.dumps(echo)}); fetch("/api?" + {json.dumps(quote(echo)[:900])});
            document.cookie = "copy=" + {json.dumps(quote(echo)[:900])}; throw new Error({json.dumps(echo)})</script>
            </main></body></html>""",
        )


@contextlib.contextmanager
def serve_door() -> Iterator[Door]:
    """The site, for the length of a block."""
    door = Door()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, text = door.page(self.path, dict(self.headers))
            body = text.encode()
            self.send_response(status)
            echo = re.sub(r"[^ -~]", "", f"{self.path} {dict(self.headers)}")
            for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("X-Echo", echo[:4_000])):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            door.posted.append(str(self.headers).encode() + self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        door.origin = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield door
        server.shutdown()


@dataclass
class Search:
    """Outputs by name, and the secrets that must be in none of them."""

    secrets: dict[str, set[bytes]] = field(default_factory=dict)
    outputs: dict[str, bytes] = field(default_factory=dict)

    def plant(self, secret: str) -> str:
        """Search for a text in each form that outputs write it in."""
        quoted = json.dumps(secret)[1:-1]
        forms = {secret, quoted, escape(secret), escape(secret, quote=False), quote(secret), quote(secret, safe="")}
        self.secrets[secret] = {form.encode() for form in forms}
        return secret

    def found(self, *, but: tuple[str, ...] = ()) -> list[str]:
        """Places with a secret, other than ``but``."""
        return [
            f"{secret} in {name}: {data[max(0, data.index(form) - 60) :][:160]!r}"
            for name, data in self.outputs.items()
            for secret, forms in self.secrets.items()
            for form in forms
            if secret not in but and form in data
        ]


def unpacked(data: bytes) -> bytes:
    """Data and what is packed in it."""
    more = b""
    with contextlib.suppress(zlib.error):
        more += zlib.decompress(data, 47)
    with contextlib.suppress(zstd.ZstdError):
        more += zstd.decompress(data)
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as packed:
        more += b"".join(map(packed.read, packed.namelist()))
    return data + more


def json_body(**members: Any) -> dict[str, Any]:
    """Arguments of a call with a JSON body."""
    return {"body": json.dumps(members).encode(), "headers": {"Content-Type": "application/json"}}


def plant(server: Server, door: Door, search: Search) -> str:
    """Store secrets of every kind; the session cookie of the owner."""
    for secret in (*PLANTED, *TOKENS, server.key):
        search.plant(secret)
    server.key = search.plant(server.add_key())
    profiles = "/api/v1/access-profiles"
    for profile in (PROFILE, OTHER):
        origins = [door.origin if profile is PROFILE else "https://other.example"]
        made = server.call("POST", profiles, **json_body(**profile, origins=origins))
        assert made.status == 201, made.body
        search.outputs[f"answer {profile['name']}"] = made.body
    for wrong in ({"headers": ["Host: s3cret-of-profile-header"]}, {"cookies": ["a b=s3cret-of-profile-cookie"]}):
        refused = server.call("POST", profiles, **json_body(name="W", origins=[door.origin], **wrong))
        assert refused.status == 422
        search.outputs[f"refused {wrong}"[:14]] = refused.body
    hook = server.call("POST", "/api/v1/webhooks", **json_body(url=f"{door.origin}/hook"))
    asked = json_body(url=f"{door.origin}/", access="Staging", max_pages=3, rate=1)
    audit = server.call("POST", "/api/v1/audits", **asked)
    assert audit.status == 201, audit.body
    search.plant(hook.data["secret"])
    for kind, url in (("slack", f"https://hooks.slack.example/services/{CHANNEL}"), ("email", "a@example.org")):
        made = server.call("POST", "/api/v1/webhooks", **json_body(url=url, kind=kind))
        assert made.status == 201, made.body
    search.plant(CHANNEL)
    subprocess.run(
        [*COMMAND, "accounts", "password", "1"],
        input=f"{TYPED['account']}\n",
        env=dict(server.environment),
        text=True,
        check=True,
        capture_output=True,
    )
    server.run("accounts", "admin", "1")
    search.plant(server.add_key_by_command())
    link = server.run("accounts", "login-link", "--account", "1").strip()
    search.plant(link.rpartition("/")[2])
    signed_in = server.call(
        "POST", f"/sign-in/{link.rpartition('/')[2]}", key=None, headers={"Sec-Fetch-Site": "same-origin"}
    )
    cookie = signed_in.need("set-cookie").partition(";")[0]
    search.plant(cookie.partition("=")[2])
    return cookie


def ask_everything(server: Server, search: Search, cookie: str) -> None:
    """Each page and operation that answers to GET, as the owner, with a key and in a browser; and the tools."""
    slug = server.call("GET", "/api/v1/reports/1").data["share_url"].rpartition("/")[2]
    values = {
        "id": IDS,
        "report": IDS,
        "number": ("1", "2"),
        "finding": ("1",),
        "page": ("1", "2"),
        "slug": (slug,),
        "format": (*FORMATS, "har", "pdf"),
        "project": ("127.0.0.1",),
    }
    paths = []
    for operation in (*ALL_OPERATIONS, *PROBES):
        names = re.findall(r"\{(\w+)\}", operation.path)
        if operation.method == "GET" and set(names) <= set(values):
            choices = itertools.product(*(values[name] for name in names))
            paths += [operation.path.format(**dict(zip(names, chosen, strict=True))) for chosen in choices]
    paths += [f"/api/v1/reports/{number}?format={name}" for number in IDS for name in (*FORMATS, "har")]
    for path in paths:
        key = OF_SETTINGS["METRICS_TOKEN"] if path == "/metrics" else server.key
        of_program = path.startswith(("/api/", "/metrics"))
        answer = server.call(
            "GET", path, key=key if of_program else None, headers={} if of_program else {"Cookie": cookie}
        )
        search.outputs[f"{answer.status} {path}"] = str(answer.headers).encode() + unpacked(answer.body)
    for view in ("summary", "prompt", "full"):
        asked = {"name": "get_report", "arguments": {"report": 1, "view": view}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        answer = server.call("POST", "/mcp", body=body, headers=headers)
        search.outputs[f"{answer.status} MCP {view}"] = answer.body


def analyze_by_command(server: Server, door: Door, search: Search, folder: Path) -> None:
    """The command with secrets from its settings, and what it leaves in files."""
    files = [folder / "saved.gz", folder / "requests.har", folder / "trace.json"]
    drawn = ("--render", "--har", str(files[1]), "--save-trace", str(files[2])) if find_browser() else ()
    environment = {name: value for name, value in server.environment.items() if name != "PAGEGRADE_PROXY"}
    done = subprocess.run(
        [*COMMAND, "analyze", f"{door.origin}/", "-f", "json", "--save-artifacts", str(files[0]), *drawn],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    search.outputs["analyze"] = done.stdout + done.stderr
    for file in files:
        if file.exists():
            search.outputs[file.name] = unpacked(file.read_bytes())
    search.outputs["doctor"] = server.run("doctor", check=False).encode()


def audit_by_command(server: Server, door: Door, search: Search, folder: Path) -> None:
    """A crawl by command with secrets from its settings: its output, and each file of its folder."""
    environment = {name: value for name, value in server.environment.items() if name != "PAGEGRADE_PROXY"}
    arguments = ("audit", f"{door.origin}/", "--max-pages", "2", "-f", "csv", "-o", str(folder / "audit"))
    done = subprocess.run([*COMMAND, *arguments], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    search.outputs["audit"] = done.stdout + done.stderr
    for file in (folder / "audit").rglob("*"):
        if file.is_file():
            search.outputs[f"audit {file.name}"] = unpacked(file.read_bytes())


def transfer(server: Server, search: Search) -> None:
    """Everything to PostgreSQL by command: what it says, and each value of each table there."""
    url = databases().make_empty()
    environment = {**server.environment, "PAGEGRADE_DATABASE_URL": url}
    done = subprocess.run([*COMMAND, "transfer"], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    search.outputs["transfer"] = done.stdout + done.stderr
    with psycopg.connect(url.replace("+psycopg", "")) as database:
        tables = [name for (name,) in database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - a name of our own
            search.outputs[f"table {table} of PostgreSQL"] = b"\n".join(
                unpacked(value) if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
            )


def search_storage(server: Server, search: Search) -> None:
    """Each value of each table but that of webhooks, unpacked; each file of the data folder, as it is."""
    with contextlib.closing(sqlite3.connect(server.folder / DATABASE_NAME)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - a name of our own
            search.outputs[f"table {table}"] = b"\n".join(
                unpacked(value) if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
            )
    for file in server.folder.rglob("*"):
        if file.is_file() and file.name != "secret.key":
            search.outputs[f"file {file.name}"] = file.read_bytes()
    search.outputs["log"] = server.log.encode()


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector of traces that the server knows."""
    forget_variables(monkeypatch)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.endpoint)
        yield made


@pytest.fixture
def core_files() -> Iterator[None]:
    """Processes may dump their memory, unless they forbid it themselves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Closed, str]]:
    """A mail server that takes messages after a login over TLS, and its URL with the password."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    box, password = Closed(), "s3cret-of-settings-smtp"

    def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        return AuthResult(success=data.password == password.encode(), handled=False)

    server = Controller(box, hostname="127.0.0.1", port=free_port(), tls_context=context, authenticator=authenticate)
    server.start()
    yield box, f"smtp://mailer:{password}@127.0.0.1:{server.port}"
    server.stop()


@pytest.mark.usefixtures("core_files")
def test_no_secret_comes_back(collector: Collector, mailbox: tuple[Closed, str], tmp_path: Path) -> None:
    """From tables, files, logs, traces, metrics, webhooks, mails, pages, exports, tools and commands, in both engines.

    The server is ended by a signal that makes processes dump their memory where they may.
    """
    search, (box, smtp) = Search(), mailbox
    settings: dict[str, Any] = {**OF_SETTINGS, "LOG_LEVEL": "debug", "MAIL_DOMAINS": "example.org", "RENDER": "auto"}
    settings["SMTP_URL"] = smtp
    with serve_door() as door, running_server(tmp_path / "data", **settings) as server:
        cookie = plant(server, door, search)
        made = [
            server.create(f"{door.origin}/", render=0, privacy=2, password=TYPED["password"]),
            server.create(f"{door.origin}/second", render=1 if find_browser() else 0),
            server.create("http://1.1.1.1/", render=0),
            server.create(f"{door.origin}/", render=0, access="none"),
        ]
        done = [server.finished(each["id"]) for each in made]
        server.call("PUT", "/api/v1/reports/1", form={"results": 1}, headers={"Prefer": "respond-async"})
        server.finished(1)
        wait_until(lambda: len(door.posted) >= len(made), "deliveries")
        wait_until(lambda: b"127.0.0.1" in b"".join(collector.raw), "traces")
        invited = server.call("POST", "/api/v1/account/invitations", **json_body(email="b@example.org", role="editor"))
        assert invited.status == 201, invited.body
        wait_until(lambda: server.call("GET", "/api/v1/audits/1").data["state"] == "completed", "the audit")
        wait_until(lambda: len(box.messages) > 1, "mails")
        ask_everything(server, search, cookie)
        analyze_by_command(server, door, search, tmp_path)
        audit_by_command(server, door, search, tmp_path)
        limits = Path(f"/proc/{server.process.pid}/limits").read_text(encoding="ascii")
        server.stop(signal.SIGABRT)
        search.outputs["webhooks"] = b"".join(door.posted)
        search.outputs["traces"] = b"".join(collector.raw)
    transfer(server, search)
    search_storage(server, search)
    parts = [part for mail in box.messages for part in mail.walk() if not part.is_multipart()]
    texts = [str(part.get_content()) for part in parts]  # type: ignore[attr-defined]
    search.outputs["mails"] = FOR_PEOPLE.sub("", "".join((*map(str, box.messages), *texts))).encode()
    sent = "".join(door.asked)
    used = (CHANNEL, *(secret for secret in search.secrets if secret.startswith("whsec_")))
    kept = {name: search.outputs.pop(name) for name in list(search.outputs) if name.startswith("file ")}
    for name in (f"table {WEBHOOKS}", f"table {WEBHOOKS} of PostgreSQL"):
        del search.outputs[name]

    assert [each["state"] for each in done] == ["completed", "completed", "failed", "failed"]
    assert done[0]["run"]["access"]["name"] == "Staging"
    assert done[2]["error"]["code"] != done[3]["error"]["code"]
    assert all(secret in sent for secret in PLANTED if "-of-profile" in secret and "password" not in secret)
    assert all(token in sent for token in TOKENS)
    assert len(search.secrets) > 20
    answers = [name for name in search.outputs if name.startswith("200 ")]

    assert len(answers) > 80
    for word in ("compare", "har", "/audits/1/export", "/audits/1/findings", "/audits/1/pages/1"):
        assert any(word in name for name in answers), word

    assert door.origin.encode() in search.outputs["mails"], search.outputs["mails"]
    assert re.search(r"^Max core file size +0 ", limits, re.MULTILINE)
    assert b"Staging" in search.outputs["table audits of PostgreSQL"] + search.outputs["table reports of PostgreSQL"]
    assert b"Staging" in search.outputs["200 MCP full"]
    assert search.found() == []
    search.outputs = kept

    assert search.found(but=used) == []


def test_the_search_finds_what_it_is_for() -> None:
    """In each form, and in what is packed."""
    search = Search()
    secret = search.plant("s3cret/of+profile\"key'&<b>")
    packed = zlib.compress(escape(secret).encode())
    search.outputs = {"packed": unpacked(packed), "quoted": quote(secret).encode(), "nothing": os.urandom(64)}

    assert sorted({found.partition(" in ")[2].partition(":")[0] for found in search.found()}) == ["packed", "quoted"]
