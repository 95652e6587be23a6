"""An OpenID Connect provider of the tests' own on loopback: real HTTP, real keys, as dishonest as a test wants."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode

from joserfc import jwk, jws

from pagegrade.clock import now_ms
from pagegrade.model.account import Provider

CLIENT = "pagegrade"
SECRET = "a secret: of the client & more"
Signer = Callable[[dict[str, Any]], str]


def query_of(url: str) -> dict[str, str]:
    """Parameters of an address."""
    return dict(parse_qsl(url.partition("?")[2]))


@cache
def rsa_key(name: str = "first", size: int = 2048) -> jwk.RSAKey:
    """A key pair, the same for the same name."""
    return jwk.RSAKey.generate_key(size, {"kid": name})


def sign(claims: Mapping[str, Any], key: jwk.Key | None = None, **header: Any) -> str:
    """A compact JWS of claims, by default as an honest provider makes it."""
    used = rsa_key() if key is None else key
    protected = {"alg": "RS256", "kid": used.kid, **header}
    return jws.serialize_compact(protected, json.dumps(claims), used, algorithms=[protected["alg"]])


class FakeIssuer:
    """The provider: what it publishes, whom it signs in, and what it was asked."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.metadata: dict[str, Any] = {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize?tenant=1",
            "token_endpoint": f"{origin}/token",
            "jwks_uri": f"{origin}/keys",
            "userinfo_endpoint": f"{origin}/userinfo",
            "end_session_endpoint": f"{origin}/leave",
        }
        self.keys: list[dict[str, Any]] = [rsa_key().as_dict(private=False)]
        self.claims: dict[str, Any] = {"sub": "248289", "email": "bob@example.org", "email_verified": True}
        self.userinfo: dict[str, Any] = {}
        self.signer: Signer = sign
        self.client_secret: str | None = SECRET
        self.access_token = "access"
        self.token_answer: tuple[int, Any] | None = None
        """Status and body of the token endpoint, instead of what it would answer."""
        self.codes: dict[str, dict[str, str]] = {}
        """Code -> parameters of the request that it was given for."""
        self.asked: list[str] = []
        """Paths, in order."""

    def provider(self, **changes: Any) -> Provider:
        """Options with which an installation knows it."""
        return Provider(
            **{"issuer": self.origin, "client_id": CLIENT, "client_secret": self.client_secret, "name": "Office"}
            | changes
        )

    def authorize(self, location: str) -> str:
        """Sign the person in who was sent to an address: the path and query that their browser goes back to."""
        parameters = query_of(location)
        code = f"code-{len(self.asked)}-{len(self.codes)}"
        self.codes[code] = parameters
        path = parameters["redirect_uri"].split("/", 3)[3]
        return f"/{path}?{urlencode({'code': code, 'state': parameters['state'], 'iss': self.origin})}"

    def answer(self, path: str, authorization: str, form: Mapping[str, str]) -> tuple[int, Any]:
        """(status, JSON) of a request."""
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            return 200, self.metadata
        if path == "/keys":
            return 200, {"keys": self.keys}
        if path == "/userinfo":
            is_known = authorization == f"Bearer {self.access_token}"
            return (200, self.userinfo) if is_known else (401, {"error": "invalid_token"})
        if path == "/token":
            return self.token_answer or self._token(authorization, form)
        return 404, {}

    def _token(self, authorization: str, form: Mapping[str, str]) -> tuple[int, Any]:
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        client, _, secret = pair.partition(":") if pair else (form.get("client_id", ""), "", form.get("client_secret"))
        told = unquote_plus(secret) if pair and secret else secret
        if client != CLIENT or told != self.client_secret:
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now_s = now_ms() // 1000
        claims = {"iss": self.origin, "aud": CLIENT, "iat": now_s, "exp": now_s + 300, "nonce": asked["nonce"]}
        return 200, {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "id_token": self.signer(claims | self.claims),
        }


@contextmanager
def issuer_on_loopback() -> Iterator[FakeIssuer]:
    """The provider, listening while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def _answer(self, form: Mapping[str, str]) -> None:
            status, content = found.answer(self.path.partition("?")[0], self.headers.get("Authorization", ""), form)
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if status // 100 == 3:
                self.send_header("Location", f"{found.origin}/keys")
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = FakeIssuer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
