"""Sign in at an OpenID Connect provider, by an authorization code with PKCE.

Nothing is stored while a person is at the provider. Their browser keeps a random token, from which everything is made
that ties the answer to it: ``state``, ``nonce`` and the code verifier. What the provider publishes about itself and its
keys is read anew for each sign-in, so new keys count at once.

Sources: OpenID Connect Core 1.0 and Discovery 1.0; RFC 7636 (PKCE); RFC 9207 (``iss``); RFC 9700 (what to refuse)
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar
from urllib.parse import quote_plus, urlencode

import msgspec

from pagegrade.gather.exchange import FetchError, Limits, Post, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from pagegrade.model.account import MAX_GROUPS, MAX_SUBJECT, Identity, Provider
from pagegrade.model.errors import InvalidURL, URLNotAllowed
from pagegrade.parse.mail import domain_of
from pagegrade.parse.url import host, parse_target_url, port, scheme
from pagegrade.service.runs.options import AnalyzeOptions, policy_of

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Of signatures that nobody but the provider can make; a shared secret signs nothing here."""
CLOCK_S: Final = 60
"""Seconds by which the provider's clock may differ."""
DEADLINE_S: Final = 20.0
"""For everything that is asked of the provider because of one request."""
MAX_ANSWER_BYTES: Final = 256_000
MAX_CODE: Final = 4_096
MAX_KEYS: Final = 100
MAX_ERROR: Final = 60
_RSA_CHARACTERS: Final = range(342, 1_367)
"""Base64url characters of a modulus of 2,048 to 8,192 bits."""
_EXPONENT_CHARACTERS: Final = 8
_ERROR: Final = re.compile(rf"[a-z_]{{1,{MAX_ERROR}}}")
_FORM: Final = "application/x-www-form-urlencoded"
_LIMITS: Final = Limits(redirects=0)
_OK: Final = 200
_LATER: Final = frozenset({"server_error", "temporarily_unavailable"})
Reason = Literal["again", "declined", "unreachable", "setup"]
T = TypeVar("T")


class SignOnFailed(Exception):
    """Nobody was signed in.

    ``reason`` is ``again`` (this sign-in was begun elsewhere, long ago, or is finished), ``declined`` (the provider did
    not let the person in), ``unreachable`` (it does not answer) or ``setup`` (its answer does not prove who came, or
    the settings do not fit). ``detail`` is for the log, in our words.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Reason = reason
        self.detail = detail


class Attempt(msgspec.Struct, frozen=True):
    """A sign-in that was begun in one browser."""

    token: str
    """43 random characters, which the browser keeps and no other place sees."""

    def _part(self, name: str) -> str:
        return _base64(hashlib.sha256(f"{name}\0{self.token}".encode("utf-8", "surrogatepass")).digest())

    @property
    def state(self) -> str:
        """43 characters with which the browser comes back."""
        return self._part("state")

    @property
    def nonce(self) -> str:
        """43 characters that the signed answer has."""
        return self._part("nonce")

    @property
    def verifier(self) -> str:
        """43 characters that only who began can tell the provider."""
        return self._part("verifier")

    def is_answered_by(self, state: str) -> bool:
        """Return whether a browser that comes back with this state is the one that left."""
        return hmac.compare_digest(state.encode("utf-8", "surrogatepass"), self.state.encode())


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a provider by itself (OpenID Connect Discovery 1.0 section 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Query of the address that the browser comes back with."""

    code: str = ""
    error: str = ""
    iss: str | None = None


class _Tokens(msgspec.Struct, frozen=True, kw_only=True):
    id_token: str
    access_token: str = ""


class _Error(msgspec.Struct, frozen=True):
    error: str = ""


class _Keys(msgspec.Struct, frozen=True):
    keys: tuple[dict[str, Any], ...]


class _Claims(msgspec.Struct, frozen=True, kw_only=True):
    iss: str
    sub: str
    aud: str | tuple[str, ...]
    exp: float
    iat: float
    nonce: str = ""
    azp: str | None = None


async def authorization_url(
    provider: Provider, options: AnalyzeOptions, attempt: Attempt, *, back: str, language: str
) -> str:
    """Return the address at which the provider asks a person who they are.

    Args:
        attempt: Begun in the person's browser.
        back: Address that the provider sends them back to.

    Raises:
        SignOnFailed: The provider does not answer, or not as one.
    """
    metadata = await _Conversation(provider, options).describe()
    challenge = _base64(hashlib.sha256(attempt.verifier.encode("ascii")).digest())
    parameters = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": back,
        "scope": provider.scopes,
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "ui_locales": language,
    }
    return _with_query(metadata.authorization_endpoint, parameters)


async def count_keys(provider: Provider, options: AnalyzeOptions) -> int:
    """Return how many of the keys that the provider publishes may sign ID tokens, from 1.

    Raises:
        SignOnFailed: The provider does not answer, or not as one, or no key may sign.
    """
    talk = _Conversation(provider, options)
    keys = (await talk.ask((await talk.describe()).jwks_uri, _Keys)).keys[:MAX_KEYS]
    count = sum(any(_may_sign(key, key.get("kid"), algorithm) for algorithm in ALGORITHMS) for key in keys)
    if not count:
        raise SignOnFailed("setup", "the provider publishes no key that may sign ID tokens")
    return count


async def sign_out_url(provider: Provider, options: AnalyzeOptions, *, back: str) -> str | None:
    """Return the address at which a person signs out of the provider; ``None``: it has none.

    Args:
        back: Address that the provider leads to afterwards.

    Raises:
        SignOnFailed: The provider does not answer, or not as one.
    """
    place = (await _Conversation(provider, options).describe()).end_session_endpoint
    if place is None:
        return None
    return _with_query(place, {"client_id": provider.client_id, "post_logout_redirect_uri": back})


async def identify(
    provider: Provider, options: AnalyzeOptions, attempt: Attempt, answer: Answer, *, back: str, now_ms: int
) -> Identity:
    """Return who came back from the provider, as it has signed.

    Args:
        attempt: Of the browser that came back; its state was compared.
        answer: That it came back with.
        back: Address that it was sent back to.

    Raises:
        SignOnFailed: Nobody is proved to have come.
    """
    talk = _Conversation(provider, options)
    if answer.iss not in {None, provider.issuer}:
        raise SignOnFailed("setup", "the answer names another issuer")
    if answer.error:
        raise SignOnFailed(_reason_of(answer.error), f"the provider answered {_known_error(answer.error)}")
    if not 0 < len(answer.code) <= MAX_CODE or not answer.code.isascii() or not answer.code.isprintable():
        raise SignOnFailed("again", "the answer has no code")
    metadata = await talk.describe()
    if answer.iss is None and metadata.authorization_response_iss_parameter_supported:
        raise SignOnFailed("setup", "the answer does not name its issuer")
    tokens = await talk.redeem(metadata, answer.code, attempt, back)
    keys = (await talk.ask(metadata.jwks_uri, _Keys)).keys[:MAX_KEYS]
    claims = read_id_token(tokens.id_token, keys, provider=provider, nonce=attempt.nonce, now_ms=now_ms)
    wanted = ("email", provider.groups_claim) if provider.groups else ("email",)
    if metadata.userinfo_endpoint is not None and tokens.access_token and any(name not in claims for name in wanted):
        more = await talk.ask(metadata.userinfo_endpoint, dict[str, Any], bearer=tokens.access_token)
        # OpenID Connect Core 1.0 section 5.3.2: else the answer may be about somebody else.
        if more.get("sub") != claims["sub"]:
            raise SignOnFailed("setup", "userinfo is about another subject")
        claims = {**more, **claims}
    return _identity_of(claims, provider)


def read_id_token(
    token: str, keys: Sequence[Mapping[str, Any]], *, provider: Provider, nonce: str, now_ms: int
) -> dict[str, Any]:
    """Return the claims of an ID token that the provider has signed for this installation, now, for this attempt.

    Args:
        token: Compact JWS, of any content.
        keys: Public keys of the provider (JWK), of any content.
        provider: Whom to believe.
        nonce: Of the attempt.

    Raises:
        SignOnFailed: It is not such a token; ``detail`` says why.

    Source: OpenID Connect Core 1.0 section 3.1.3.7
    """
    content = _verified(token, keys)
    try:
        claims = msgspec.json.decode(content, type=dict[str, Any])
        read = msgspec.convert(claims, _Claims)
    except (msgspec.MsgspecError, RecursionError):
        raise SignOnFailed("setup", "the ID token lacks claims") from None
    audience = (read.aud,) if isinstance(read.aud, str) else read.aud
    now_s = now_ms / 1000
    wrong = {
        "issuer": read.iss != provider.issuer,
        "audience": provider.client_id not in audience,
        # Who else may use it is for them to know; to us it was issued only where we are named.
        "authorized party": read.azp != provider.client_id if len(audience) > 1 or read.azp is not None else False,
        "expiry": now_s >= read.exp + CLOCK_S,
        "time of issue": read.iat > now_s + CLOCK_S,
        "nonce": not hmac.compare_digest(read.nonce.encode("utf-8", "surrogatepass"), nonce.encode()),
        "subject": not (0 < len(read.sub) <= MAX_SUBJECT and read.sub.isascii() and read.sub.isprintable()),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise SignOnFailed("setup", f"the ID token has a wrong {name}")
    return claims


class _Conversation:
    """Requests to the provider, each checked by the guard: only the issuer's own host may lie in a private network."""

    def __init__(self, provider: Provider, options: AnalyzeOptions) -> None:
        self._provider = provider
        self._options = options
        self._issuer = parse_target_url(provider.issuer).url
        self._deadline = asyncio.get_running_loop().time() + DEADLINE_S

    async def describe(self) -> Metadata:
        """Return the provider's description of itself, whose addresses are in canonical form."""
        place = f"{self._provider.issuer.rstrip('/')}/.well-known/openid-configuration"
        found = await self.ask(place, Metadata)
        if found.issuer != self._provider.issuer:
            raise SignOnFailed("setup", f"the provider calls itself {found.issuer[:255]!a}: set OIDC_ISSUER to that")
        optional = {
            name: self._endpoint(value)
            for name in ("userinfo_endpoint", "end_session_endpoint")
            if (value := getattr(found, name)) is not None
        }
        return msgspec.structs.replace(
            found,
            authorization_endpoint=self._endpoint(found.authorization_endpoint),
            token_endpoint=self._endpoint(found.token_endpoint),
            jwks_uri=self._endpoint(found.jwks_uri),
            **optional,
        )

    async def redeem(self, metadata: Metadata, code: str, attempt: Attempt, back: str) -> _Tokens:
        """Return the tokens that the provider gives for a code, once."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "code_verifier": attempt.verifier,
        }
        client_id, secret = self._provider.client_id, self._provider.client_secret
        headers: tuple[tuple[str, str], ...] = ()
        if secret is not None and "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
            pair = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode("ascii")
            headers = (("Authorization", f"Basic {base64.b64encode(pair).decode('ascii')}"),)
        else:
            fields |= {"client_id": client_id} if secret is None else {"client_id": client_id, "client_secret": secret}
        return await self.ask(metadata.token_endpoint, _Tokens, form=fields, headers=headers)

    async def ask(
        self,
        url: str,
        kind: type[T],
        *,
        form: Mapping[str, str] | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        bearer: str | None = None,
    ) -> T:
        """Return the answer to a request, read as ``kind``; with a form or a token it is a POST."""
        post = None
        if bearer is not None:
            form, headers = {}, (("Authorization", f"Bearer {bearer}"),)
        if form is not None:
            try:
                post = Post(body=urlencode(form).encode("ascii"), content_type=_FORM, headers=headers)
            except ValueError:
                raise SignOnFailed("setup", "the access token is none") from None
        request = Request(
            url=parse_target_url(url).url,
            purpose="any",
            post=post,
            verify_tls="require",
            max_wire_bytes=MAX_ANSWER_BYTES,
            max_decoded_bytes=MAX_ANSWER_BYTES,
            timeout_s=DEADLINE_S,
        )
        async with HTTPClient(guard=self._guard(request.url), deadline=self._deadline, limits=_LIMITS) as client:
            try:
                response = (await client.fetch(request)).response
            except FetchError as error:
                raise SignOnFailed("unreachable", f"{host(request.url)}: {error.reason}") from None
        if response.status != _OK or response.truncated:
            raise _refused(host(request.url), response.status, response.body)
        try:
            return msgspec.json.decode(response.body, type=kind)
        except (msgspec.MsgspecError, RecursionError):
            raise SignOnFailed("setup", f"{host(request.url)} answered something else") from None

    def _guard(self, url: str) -> Guard:
        home = host(self._issuer), port(self._issuer) or 0
        policy = policy_of(self._issuer, self._options)
        own_port = {home[1]} if (host(url), port(url)) == home else set()
        return Guard(replace(policy, typed_private=frozenset({home}), allowed_ports=policy.allowed_ports | own_port))

    def _endpoint(self, url: str) -> str:
        try:
            found = parse_target_url(url).url
        except (InvalidURL, URLNotAllowed):
            found = ""
        if scheme(found) not in {"https", scheme(self._issuer)}:
            raise SignOnFailed("setup", "the provider names an address that is not https")
        return found


def _refused(name: str, status: int, body: bytes) -> SignOnFailed:
    """Return what follows from an answer that is not a success."""
    try:
        code = msgspec.json.decode(body, type=_Error).error
    except (msgspec.MsgspecError, RecursionError):
        code = ""
    if code == "invalid_grant":
        return SignOnFailed("again", "the provider does not accept the code")
    is_theirs = status // 100 == 5 or status == 429  # noqa: PLR2004 - classes of statuses
    said = f"{name} answered {status} {_known_error(code) if code else ''}".rstrip()
    return SignOnFailed("unreachable" if is_theirs else "setup", said)


def _reason_of(error: str) -> Reason:
    if error in _LATER:
        return "unreachable"
    return "declined" if error in {"access_denied", "login_required", "interaction_required"} else "setup"


def _known_error(code: str) -> str:
    """Return a code of an error, if it looks like one: anybody can send others."""
    return code if _ERROR.fullmatch(code) else "an error"


def _verified(token: str, keys: Sequence[Mapping[str, Any]]) -> bytes:
    """Return what a token holds, if one of the keys has signed it."""
    # Late: few processes ever sign somebody in so.
    from joserfc import jwk, jws
    from joserfc.errors import JoseError

    registry = jws.JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    try:
        found = jws.extract_compact(token.encode("ascii"), registry=registry)
    except (JoseError, ValueError, TypeError, RecursionError):
        raise SignOnFailed("setup", "the ID token cannot be read") from None
    header: object = found.headers()
    algorithm = header.get("alg") if isinstance(header, dict) else None
    if not isinstance(header, dict) or algorithm not in ALGORITHMS or "crit" in header:
        raise SignOnFailed("setup", "the ID token is not signed as it has to be")
    for key in keys:
        if not _may_sign(key, header.get("kid"), str(algorithm)):
            continue
        try:
            if jws.validate_compact(found, jwk.import_key(dict(key)), registry=registry):
                return found.payload
        except (JoseError, ValueError, TypeError, OverflowError):
            continue
    raise SignOnFailed("setup", "no key of the provider has signed the ID token")


def _may_sign(key: Mapping[str, Any], wanted: object, algorithm: str) -> bool:
    """Return whether a key of the provider is one that can have signed a token with this ``kid`` and ``alg``."""
    kind = {"R": "RSA", "P": "RSA", "ES": "EC", "Ed": "OKP"}[algorithm[: 1 if algorithm[0] in "RP" else 2]]
    if key.get("kty") != kind or key.get("use", "sig") != "sig" or key.get("alg", algorithm) != algorithm:
        return False
    if wanted is not None and key.get("kid") != wanted:
        return False
    if kind != "RSA":
        return True
    modulus, exponent = key.get("n"), key.get("e")
    sizes = isinstance(modulus, str) and len(modulus) in _RSA_CHARACTERS
    return sizes and isinstance(exponent, str) and len(exponent) <= _EXPONENT_CHARACTERS


def _identity_of(claims: Mapping[str, Any], provider: Provider) -> Identity:
    email, name, groups = claims.get("email"), claims.get("name"), claims.get(provider.groups_claim)
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    address = email.strip() if isinstance(email, str) else ""
    verified = claims.get("email_verified")
    return Identity(
        issuer=provider.issuer,
        subject=claims["sub"],
        email=address if domain_of(address) is not None else "",
        is_email_verified=verified is True or verified == "true",
        name=name if isinstance(name, str) else "",
        groups=frozenset(each for each in listed[:MAX_GROUPS] if isinstance(each, str)),
    )


def _with_query(url: str, parameters: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(parameters)}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
