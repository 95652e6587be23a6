from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest
from joserfc import jwk, jws
from joserfc.errors import SecurityWarning

from pagegrade.clock import now_ms
from pagegrade.gather.exchange import MAX_HEADER_VALUE
from pagegrade.model.account import MAX_SUBJECT, Identity
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.service.single_sign_on import (
    CLOCK_S,
    MAX_ANSWER_BYTES,
    MAX_CODE,
    Answer,
    Attempt,
    SignOnFailed,
    authorization_url,
    identify,
    read_id_token,
    sign_out_url,
)
from tests.identity_provider import CLIENT, SECRET, FakeIssuer, issuer_on_loopback, query_of, rsa_key, sign

BACK = "https://reports.example.org/single-sign-on/back"
ATTEMPT = Attempt("a" * 43)
OPTIONS = AnalyzeOptions()
LATE, IN_TIME, EARLY = "late", "in time", "early"
"""Stand for times by the clock of the test: names of tests are the same in each process."""


@pytest.fixture
def issuer() -> Iterator[FakeIssuer]:
    """A provider."""
    with issuer_on_loopback() as found:
        yield found


async def go(
    issuer: FakeIssuer, *, attempt: Attempt = ATTEMPT, options: AnalyzeOptions = OPTIONS, **changes: Any
) -> Identity:
    """Return the identity that comes back from the provider."""
    provider = issuer.provider(**changes)
    place = await authorization_url(provider, options, attempt, back=BACK, language="en")
    sent = query_of(issuer.authorize(place))
    answer = Answer(code=sent["code"], iss=sent["iss"])
    return await identify(provider, options, attempt, answer, back=BACK, now_ms=now_ms())


def at_times(claims: dict[str, Any]) -> dict[str, Any]:
    """Return claims with seconds in place of the names of times."""
    now_s = now_ms() // 1000
    times = {LATE: now_s - CLOCK_S - 5, IN_TIME: now_s - CLOCK_S + 50, EARLY: now_s + CLOCK_S + 50}
    return {name: times.get(value, value) if isinstance(value, str) else value for name, value in claims.items()}


def fails(issuer: FakeIssuer, reason: str, words: str, **changes: Any) -> None:
    """Assert that nobody is signed in."""
    with pytest.raises(SignOnFailed, match=words) as caught:
        asyncio.run(go(issuer, **changes))

    assert caught.value.reason == reason


def test_the_request_is_one_of_code_and_pkce(issuer: FakeIssuer) -> None:
    """The address tells neither the verifier nor the token that the browser keeps."""
    place = asyncio.run(authorization_url(issuer.provider(), OPTIONS, ATTEMPT, back=BACK, language="de"))
    parameters = query_of(place)

    assert place.startswith(f"{issuer.origin}/authorize?tenant=1&")
    assert parameters["response_type"] == "code"
    assert parameters["code_challenge_method"] == "S256"
    assert parameters["redirect_uri"] == BACK
    assert parameters["client_id"] == CLIENT
    assert parameters["ui_locales"] == "de"
    assert len({ATTEMPT.token, ATTEMPT.state, ATTEMPT.nonce, ATTEMPT.verifier, parameters["code_challenge"]}) == 5
    assert ATTEMPT.verifier not in place
    assert ATTEMPT.token not in place
    assert SECRET not in place
    assert ATTEMPT.is_answered_by(parameters["state"])
    assert not Attempt("b" * 43).is_answered_by(parameters["state"])


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", None])
def test_a_person_is_identified(issuer: FakeIssuer, method: str | None) -> None:
    """However the provider wants to be told who asks; ``None``: a public client."""
    if method is None:
        issuer.client_secret = None
    else:
        issuer.metadata["token_endpoint_auth_methods_supported"] = [method]
    issuer.claims |= {"name": "Bob", "groups": ["design", 7]}
    found = asyncio.run(go(issuer))

    assert found == Identity(
        issuer=issuer.origin,
        subject="248289",
        email="bob@example.org",
        is_email_verified=True,
        name="Bob",
        groups=frozenset({"design"}),
    )


def test_what_the_token_does_not_say_userinfo_does(issuer: FakeIssuer) -> None:
    """And only about the same person."""
    issuer.claims = {"sub": "1"}
    issuer.userinfo = {"sub": "1", "email": "bob@example.org", "email_verified": "true"}
    found = asyncio.run(go(issuer))

    assert (found.email, found.is_email_verified) == ("bob@example.org", True)
    issuer.userinfo["sub"] = "2"
    fails(issuer, "setup", "another subject")


def test_an_access_token_is_as_long_as_a_header(issuer: FakeIssuer) -> None:
    """One character more is sent nowhere, nor one that would be another line."""
    issuer.claims = {"sub": "1"}
    issuer.userinfo = {"sub": "1", "email": "bob@example.org"}
    issuer.access_token = "x" * (MAX_HEADER_VALUE - len("Bearer "))

    assert asyncio.run(go(issuer)).email == "bob@example.org"
    for token in (issuer.access_token + "x", "x\r\nX-Own: y"):
        issuer.access_token = token
        fails(issuer, "setup", "access token")


@pytest.mark.parametrize("verified", [False, None, 1, "yes", [True]])
def test_an_address_is_verified_only_where_the_provider_says_so(issuer: FakeIssuer, verified: object) -> None:
    """Not where it says nothing, or something else."""
    issuer.claims["email_verified"] = verified

    assert not asyncio.run(go(issuer)).is_email_verified


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"iss": "https://evil.example"}, "issuer"),
        ({"aud": "another client"}, "audience"),
        ({"aud": []}, "audience"),
        ({"aud": [CLIENT, "another client"]}, "authorized party"),
        ({"aud": [CLIENT], "azp": "another client"}, "authorized party"),
        ({"nonce": "of another sign-in"}, "nonce"),
        ({"nonce": ""}, "nonce"),
        ({"exp": LATE}, "expiry"),
        ({"iat": EARLY}, "time of issue"),
        ({"sub": ""}, "subject"),
        ({"sub": "x" * (MAX_SUBJECT + 1)}, "subject"),
        ({"sub": "böb"}, "subject"),
        ({"sub": 7}, "lacks claims"),
        ({"exp": None}, "lacks claims"),
        ({"exp": "soon"}, "lacks claims"),
    ],
    ids=str,
)
def test_a_token_for_another_one_signs_nobody_in(issuer: FakeIssuer, claims: dict[str, Any], words: str) -> None:
    """Another issuer, client, sign-in or time, and no person."""
    issuer.claims |= at_times(claims)
    fails(issuer, "setup", words)


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": [CLIENT]},
        {"aud": [CLIENT, "another client"], "azp": CLIENT},
        {"exp": IN_TIME},
        {"sub": "x" * MAX_SUBJECT},
    ],
    ids=str,
)
def test_a_token_at_the_limits_signs_somebody_in(issuer: FakeIssuer, claims: dict[str, Any]) -> None:
    """Clocks differ by a little."""
    issuer.claims |= at_times(claims)

    assert asyncio.run(go(issuer)).issuer == issuer.origin


def by_hand(claims: dict[str, Any], header: dict[str, Any], signature: bytes = b"") -> str:
    """A token of any header and signature."""
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def public_pem() -> bytes:
    """The public key as the bytes that a confused verifier takes for a shared secret."""
    return rsa_key().as_pem(private=False)


def hmac_token(claims: dict[str, Any], secret: bytes) -> str:
    """A token signed with a shared secret."""
    signed = by_hand(claims, {"alg": "HS256", "kid": "first"}).rpartition(".")[0]
    mac = hmac.digest(secret, signed.encode(), hashlib.sha256)
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def without_kid(claims: dict[str, Any]) -> str:
    """A token that does not name its key."""
    return jws.serialize_compact({"alg": "RS256"}, json.dumps(claims), rsa_key(), algorithms=["RS256"])


FORGED: dict[str, Any] = {
    "none": lambda claims: by_hand(claims, {"alg": "none"}),
    "None": lambda claims: by_hand(claims, {"alg": "None", "kid": "first"}),
    "public key as a secret": lambda claims: hmac_token(claims, public_pem()),
    "client secret as a key": lambda claims: hmac_token(claims, SECRET.encode()),
    "another key": lambda claims: sign(claims, rsa_key("second")),
    "another key of the same name": lambda claims: sign(claims, rsa_key("second"), kid="first"),
    "key in the header": lambda claims: sign(
        claims, rsa_key("second"), kid="first", jwk=rsa_key("second").as_dict(private=False)
    ),
    "changed": lambda claims: ".".join(
        (sign(claims).split(".")[0], by_hand(claims | {"sub": "1"}, {}).split(".")[1], sign(claims).split(".")[2])
    ),
    "no signature": lambda claims: sign(claims).rpartition(".")[0] + ".",
    "critical": lambda claims: by_hand(claims, {"alg": "RS256", "kid": "first", "crit": ["b64"], "b64": False}, b"x"),
    "list": lambda claims: by_hand(claims, ["alg"], b"x"),  # type: ignore[arg-type]
    "deep": lambda _: base64.urlsafe_b64encode(b"[" * 300).rstrip(b"=").decode() + ".e30.eA",
    "no token": lambda _: "x",
    "not ASCII": lambda claims: sign(claims) + "é",
    "empty": lambda _: "",
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_token_signs_nobody_in(issuer: FakeIssuer, forged: str) -> None:
    """Unsigned, signed with what is public, with another key, or changed afterwards."""
    issuer.signer = FORGED[forged]
    fails(issuer, "setup", "ID token")


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (jwk.ECKey.generate_key("P-256", {"kid": "e"}), "ES256"),
        (jwk.OKPKey.generate_key("Ed25519", {"kid": "o"}), "Ed25519"),
        (rsa_key(), "PS256"),
    ],
    ids=["ES256", "Ed25519", "PS256"],
)
def test_other_algorithms_are_read(issuer: FakeIssuer, key: jwk.Key, algorithm: str) -> None:
    """Those that only the provider can sign with."""
    issuer.keys = [key.as_dict(private=False)]
    issuer.signer = lambda claims: sign(claims, key, alg=algorithm)

    assert asyncio.run(go(issuer)).subject == "248289"


def test_a_key_signs_what_it_is_for(issuer: FakeIssuer) -> None:
    """Not with another algorithm than it names, not where it encrypts, and not if it is short."""
    for change in ({"alg": "RS512"}, {"use": "enc"}, {"kty": "EC"}, {"key_ops": ["encrypt"]}):
        issuer.keys = [rsa_key().as_dict(private=False) | change]
        fails(issuer, "setup", "no key")
    with pytest.warns(SecurityWarning):
        short = rsa_key("short", 1024)
    issuer.keys, issuer.signer = [short.as_dict(private=False)], lambda claims: sign(claims, short)
    fails(issuer, "setup", "no key")


def test_new_keys_count_at_once(issuer: FakeIssuer) -> None:
    """And those that were withdrawn count no more, whatever was signed with them before."""
    asyncio.run(go(issuer))
    issuer.keys = [{"kty": "of the future"}, {}, rsa_key("second").as_dict(private=False)]
    fails(issuer, "setup", "no key")
    issuer.signer = lambda claims: sign(claims, rsa_key("second"))

    assert asyncio.run(go(issuer)).subject == "248289"


def test_a_key_without_a_name_is_tried(issuer: FakeIssuer) -> None:
    """A provider with one key need not name it."""
    issuer.signer = without_kid

    assert asyncio.run(go(issuer)).subject == "248289"


def test_a_code_works_once(issuer: FakeIssuer) -> None:
    """And only for the browser that it was given to."""

    async def script() -> list[str]:
        provider = issuer.provider()
        reasons: list[str] = []
        place = await authorization_url(provider, OPTIONS, ATTEMPT, back=BACK, language="en")
        first, second = (query_of(issuer.authorize(place))["code"] for _ in range(2))
        await identify(provider, OPTIONS, ATTEMPT, Answer(code=first), back=BACK, now_ms=now_ms())
        for attempt, code in ((ATTEMPT, first), (Attempt("b" * 43), second)):
            with pytest.raises(SignOnFailed) as caught:
                await identify(provider, OPTIONS, attempt, Answer(code=code), back=BACK, now_ms=now_ms())
            reasons.append(caught.value.reason)
        return reasons

    assert asyncio.run(script()) == ["again", "again"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(code="x", iss="https://evil.example"), "setup"),
        (Answer(error="access_denied"), "declined"),
        (Answer(error="temporarily_unavailable"), "unreachable"),
        (Answer(error="invalid_scope"), "setup"),
        (Answer(error="<script>" * 100), "setup"),
        (Answer(), "again"),
        (Answer(code="x" * (MAX_CODE + 1)), "again"),
        (Answer(code="x\n"), "again"),
        (Answer(code="é"), "again"),
        (Answer(code="x" * MAX_CODE), "again"),
    ],
    ids=[*("issuer", "denied", "later", "scope", "markup", "none", "long", "line", "letters", "longest")],
)
def test_an_answer_without_a_person(issuer: FakeIssuer, answer: Answer, reason: str) -> None:
    """Says what to do; what anybody can put into an address is not repeated."""
    with pytest.raises(SignOnFailed) as caught:
        asyncio.run(identify(issuer.provider(), OPTIONS, ATTEMPT, answer, back=BACK, now_ms=now_ms()))

    assert caught.value.reason == reason
    assert "script" not in caught.value.detail


def test_a_provider_that_names_itself_has_to_do_so(issuer: FakeIssuer) -> None:
    """If it says that it does, an answer without its name is of another one."""
    issuer.metadata["authorization_response_iss_parameter_supported"] = True
    with pytest.raises(SignOnFailed, match="does not name") as caught:
        asyncio.run(identify(issuer.provider(), OPTIONS, ATTEMPT, Answer(code="x"), back=BACK, now_ms=now_ms()))

    assert caught.value.reason == "setup"
    assert asyncio.run(go(issuer)).subject == "248289"


@pytest.mark.parametrize(
    ("metadata", "reason", "words"),
    [
        ({"issuer": "https://evil.example"}, "setup", "calls itself 'https://evil.example': set OIDC_ISSUER"),
        ({"jwks_uri": "file:///etc/passwd"}, "setup", "not https"),
        ({"token_endpoint": "https://user:password@example.org/"}, "setup", "not https"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "setup", "not https"),
        ({"token_endpoint": None}, "setup", "something else"),
        ({"token_endpoint": "https://169.254.169.254/latest"}, "unreachable", "target_refused"),
        ({"token_endpoint": "http://127.0.0.1:1/token"}, "unreachable", "target_refused"),
        ({"jwks_uri": "https://10.0.0.1/keys"}, "unreachable", "target_refused"),
        ({"jwks_uri": "https://localhost/keys"}, "unreachable", "target_refused"),
    ],
    ids=str,
)
def test_a_provider_leads_nowhere_else(issuer: FakeIssuer, metadata: dict[str, Any], reason: str, words: str) -> None:
    """Only its own host and port may be private: it is not believed about the network of this installation."""
    issuer.metadata |= metadata
    fails(issuer, reason, words)


def test_a_provider_that_redirects_is_not_followed(issuer: FakeIssuer) -> None:
    """The code and the secret would go where nobody has said."""
    issuer.token_answer = (302, {})
    fails(issuer, "setup", "answered 302")

    assert issuer.asked[-1] == "/token"


@pytest.mark.parametrize(
    ("answer", "reason", "words"),
    [
        ((401, {"error": "invalid_client"}), "setup", "answered 401 invalid_client"),
        ((400, {"error": "x" * 1_000}), "setup", "answered 400 an error"),
        ((503, b"busy"), "unreachable", "answered 503"),
        ((429, {}), "unreachable", "answered 429"),
        ((200, b"<html>"), "setup", "something else"),
        ((200, b"[" * 100_000), "setup", "something else"),
        ((200, {"id_token": 7}), "setup", "something else"),
        ((200, b" " * MAX_ANSWER_BYTES + b"{}"), "setup", "answered 200"),
    ],
    ids=["client", "long", "busy", "slow down", "page", "deep", "number", "large"],
)
def test_an_answer_that_is_none(issuer: FakeIssuer, answer: tuple[int, Any], reason: str, words: str) -> None:
    """Is told apart by whose turn it is: later, or the operator's."""
    issuer.token_answer = answer
    fails(issuer, reason, words)


def test_a_wrong_secret_is_the_operators_mistake(issuer: FakeIssuer) -> None:
    """The log says it, without the secret."""
    fails(issuer, "setup", "invalid_client", client_secret="wrong")


def test_a_host_that_is_denied_is_not_asked(issuer: FakeIssuer) -> None:
    """DENY_NETWORKS and DENY_HOSTS hold for the provider as well."""
    fails(issuer, "unreachable", "target_refused", options=AnalyzeOptions(deny_hosts=("127.0.0.1",)))

    assert issuer.asked == []


def test_the_provider_is_left_where_it_says(issuer: FakeIssuer) -> None:
    """If it has such a place."""
    place = asyncio.run(sign_out_url(issuer.provider(), OPTIONS, back="https://reports.example.org/sign-in"))
    del issuer.metadata["end_session_endpoint"]

    assert place == (
        f"{issuer.origin}/leave?client_id=pagegrade&post_logout_redirect_uri=https%3A%2F%2Freports.example.org%2Fsign-in"
    )
    assert asyncio.run(sign_out_url(issuer.provider(), OPTIONS, back="https://reports.example.org/sign-in")) is None


def test_many_keys_and_a_large_token_are_bounded(issuer: FakeIssuer) -> None:
    """A hundred keys are tried, and a token beyond the size of one is not read."""
    keys = [rsa_key("second").as_dict(private=False)] * 100 + [rsa_key().as_dict(private=False) | {"kid": "z"}]
    issuer.keys, issuer.signer = keys, without_kid
    fails(issuer, "setup", "no key")
    with pytest.raises(SignOnFailed, match="cannot be read"):
        read_id_token("x" * 200_000 + ".e30.eA", [], provider=issuer.provider(), nonce="", now_ms=0)
