from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.model.artifacts import TLS, Certificate, Navigation, NotGathered
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.secure_context import host_of

WARN_BEFORE: Final = timedelta(days=14)
"""Long enough for a person to act; a third of the lifetime where that is less."""
MAX_LIFETIME: Final = timedelta(days=398)
"""CA/Browser Forum Baseline Requirements 6.3.2, before its steps down to 200, 100 and 47 days."""
MIN_RSA_BITS: Final = 2048
"""CA/Browser Forum Baseline Requirements 6.1.5."""
_NAMES_SHOWN: Final = 5
_REPAIRED_BY_BROWSERS: Final = "incomplete_chain"
"""Distinguished from an untrusted chain during the handshake, by the certificates."""
_BROKEN: Final = {
    "expired": "expired",
    "not_yet_valid": "not-yet-valid",
    "self_signed": "self-signed",
    "untrusted": "untrusted",
    "wrong_host": "wrong-host",
    "revoked": "revoked",
}

_REASONS: Final = {
    "incomplete": "the chain is not complete",
    "weak": "a weak signature or key in the chain",
    "long-lived": "valid for longer than public authorities may issue",
    "dates": "not valid today",
}


@check(
    id="tls-certificate",
    title="TLS certificate",
    severity=Severity.HIGH,
    cause="encryption",
    since="0.1.0",
    cap=Cap(49),
    states=(
        State("valid", "The certificate is valid, names the host and is not about to expire."),
        State(
            "own-authority",
            "The certificate is valid for those who trust its authority, which not everybody does.",
            title="Certificate of an authority of your own",
            why="Browsers that do not know the authority show a full-page warning.",
            fix=(
                "Leave it where everyone who opens the page has the authority installed; otherwise get a certificate "
                "of a public authority."
            ),
        ),
        State(
            "expiring",
            "The certificate is valid but expires soon.",
            loss=0.5,
            title="Renew the certificate",
            why="When it expires, browsers show a full-page warning and most visitors turn back.",
            fix="Renew it now, and let renewal run automatically, for example with an ACME client such as Certbot.",
        ),
        State(
            "long-lived",
            "The certificate is valid for longer than public authorities may issue.",
            loss=0.5,
            title="Certificate is valid for too long",
            why="Browsers reject certificates of public authorities that are valid for more than 398 days.",
            fix="Replace it with a certificate of a public authority that is valid for a year or less.",
        ),
        State(
            "weak",
            "The certificate chain relies on a weak signature or key.",
            loss=0.5,
            title="Certificate chain uses a weak signature or key",
            why="SHA-1 and MD5 signatures and short RSA keys can be forged or broken.",
            fix="Request a new certificate with SHA-256 and an RSA key of at least 2048 bits, or an ECDSA key.",
        ),
        State(
            "incomplete",
            "The server does not send the whole certificate chain.",
            loss=0.5,
            title="Send the complete certificate chain",
            why=(
                "Browsers can fetch the missing intermediate certificate; apps, command line tools and crawlers "
                "often cannot and refuse the connection."
            ),
            fix=(
                "Configure the file with the whole chain:\n\n"
                "```\n"
                "ssl_certificate /etc/letsencrypt/live/example.com/fullchain.pem;\n"
                "```"
            ),
        ),
        State(
            "expired",
            "The certificate has expired.",
            loss=1.0,
            title="Certificate has expired",
            why="Browsers show a full-page warning, and most visitors turn back.",
            fix="Renew the certificate, and let renewal run automatically.",
        ),
        State(
            "not-yet-valid",
            "The certificate is not valid yet.",
            loss=1.0,
            title="Certificate is not valid yet",
            why="Browsers show a full-page warning until the certificate becomes valid.",
            fix="Use the previous certificate until then, and check the clock of the server that issued it.",
        ),
        State(
            "untrusted",
            "The certificate does not lead to an authority that browsers trust.",
            loss=1.0,
            title="Certificate is not trusted",
            why="Browsers show a full-page warning, and most visitors turn back.",
            fix="Get a certificate from a public authority, and send its intermediate certificates with it.",
        ),
        State(
            "self-signed",
            "The certificate is signed by itself.",
            loss=1.0,
            title="Certificate is self-signed",
            why="Browsers trust only certificates of known authorities, and show a full-page warning.",
            fix="Replace it with a certificate of a public authority; Let's Encrypt issues them free of charge.",
        ),
        State(
            "wrong-host",
            "The certificate is for another host.",
            loss=1.0,
            title="Certificate is for another host",
            why="Browsers show a full-page warning, because another server might impersonate this one.",
            fix=(
                "Request a certificate that names this host, with and without `www`, and check that the server "
                "selects it for this host (SNI)."
            ),
        ),
        State(
            "revoked",
            "The certificate has been revoked.",
            loss=1.0,
            title="Certificate has been revoked",
            why="Browsers that check revocation refuse the connection.",
            fix="Request a new certificate with a new key.",
        ),
        State(
            "invalid",
            "The certificate cannot be verified.",
            loss=1.0,
            title="Certificate cannot be verified",
            why="Browsers show a full-page warning, and most visitors turn back.",
            fix="Look at the reason in the evidence, and replace the certificate or its chain.",
        ),
        State(
            "hop",
            "A redirect to the page uses a certificate that is invalid.",
            loss=1.0,
            title="Redirect uses an invalid certificate",
            why="Visitors who use that URL see a warning before they reach the page.",
            fix="Install a valid certificate on the host that redirects as well.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc5280#section-6",
        "https://www.rfc-editor.org/rfc/rfc9525#section-6",
        "https://cabforum.org/working-groups/server/baseline-requirements/requirements/",
    ),
)
def tls_certificate(navigation: Navigation, tls: TLS | NotGathered) -> Outcome | NotApplicable | NotRun:
    """The certificate proves to the browser that it is connected to the real host.

    ## What it checks

    The certificate chain that the host of the page sends: whether it leads to a trusted authority, names the host and
    is inside its dates. It costs half when fewer days are left than 14 or a third of the lifetime, whichever is less
    (so certificates with a lifetime of six days are not reported), when the host's certificate is valid for more than
    398 days, when the chain is signed with SHA-1 or MD5 or has an RSA key under 2048 bits, and when an intermediate
    certificate is missing that browsers can fetch. The signature of a root certificate plays no part, because no one
    relies on it. Certificates of earlier redirects must verify as well.

    A certificate that verifies only with authorities of your own (``--cacert``, an access profile, PAGEGRADE_CA_FILE)
    is judged as those see it who trust them: that costs nothing and is listed, and it may be valid for longer.

    ## Fails on

    ```json tls
    {"host": "example.com", "verified": false, "verify_error": "expired", "checked_at": "2026-01-05T12:00:00Z",
     "chain": [{"subject": "CN=example.com", "issuer": "CN=Example CA", "names": ["example.com"],
                "not_before_at": "2025-10-01T00:00:00Z", "not_after_at": "2025-12-30T00:00:00Z"}]}
    ```

    ## Passes on

    ```json tls
    {"host": "example.com", "verified": true, "checked_at": "2026-01-05T12:00:00Z",
     "chain": [{"subject": "CN=example.com", "issuer": "CN=Example CA", "names": ["example.com"],
                "not_before_at": "2025-12-01T00:00:00Z", "not_after_at": "2026-03-01T00:00:00Z",
                "key_type": "EC", "key_bits": 256, "signature_algorithm": "SHA256-RSA"}]}
    ```
    """
    response = navigation.response
    if not response.url.startswith("https:"):
        return NotApplicable("The page is not served over HTTPS, so there is no certificate.")
    chain = tls.chain if isinstance(tls, TLS) else ()
    error = response.certificate_error
    if isinstance(tls, TLS) and not tls.verified:
        error = tls.verify_error or error or "other"
    broken = error
    repaired = None
    if isinstance(tls, TLS) and error == _REPAIRED_BY_BROWSERS:
        broken, repaired = None, tls.host
    if broken is None and isinstance(tls, TLS):
        broken = _outside_dates(tls)
    if broken is not None:
        detail = tls.verify_detail if isinstance(tls, TLS) else ""
        fallback = Evidence(url=response.url, value=broken, reason=detail)
        state = _BROKEN.get(broken, "invalid")
        further = _BROKEN[dates] if isinstance(tls, TLS) and (dates := _outside_dates(tls)) else state
        dated = Evidence(snippet=chain[0].subject[:200] if chain else "", reason=_REASONS["dates"], state=further)
        return Outcome(
            state,
            value=broken,
            evidence=(*(_evidence(chain, detail) or (fallback,)), *([dated] if further != state else [])),
        )
    for hop in navigation.hops:
        if hop.url.startswith("https:") and hop.certificate_error and host_of(hop.url) != repaired:
            return Outcome(
                "hop", value=hop.certificate_error, evidence=(Evidence(url=hop.url, value=f"status {hop.status}"),)
            )
    if isinstance(tls, NotGathered):
        return NotRun(tls.code, tls.detail)
    return _weaknesses(tls, incomplete=error is not None)


def _weaknesses(tls: TLS, *, incomplete: bool) -> Outcome:
    """The worst of what is wrong with a chain that verifies, with everything found in the details."""
    found: list[tuple[str, Detail, str]] = []
    leaf = tls.chain[0] if tls.chain else None
    lifetime = _lifetime(leaf)
    left = _left(leaf, tls.checked_at)
    value: int | None = None
    if left is not None:
        value = left.days
        limit = WARN_BEFORE if lifetime is None else min(WARN_BEFORE, lifetime / 3)
        if left <= limit:
            sentence = f"The certificate expires in {_hours_or_days(left)}."
            found.append(
                (
                    "expiring",
                    Detail(code="days_left", actual=round(left / timedelta(days=1), 2), limit=limit.days),
                    sentence,
                )
            )
    if incomplete:
        found.append(("incomplete", Detail(code="chain_certificates", actual=len(tls.chain)), ""))
    for certificate in tls.chain:
        if certificate.key_type == "RSA" and certificate.key_bits is not None and certificate.key_bits < MIN_RSA_BITS:
            found.append(("weak", Detail(code="rsa_key_bits", actual=certificate.key_bits, limit=MIN_RSA_BITS), ""))
        algorithm = certificate.signature_algorithm.upper().replace("-", "")
        if certificate.subject != certificate.issuer and algorithm.startswith(("SHA1", "MD5")):
            found.append(
                ("weak", Detail(code="signature_algorithm", actual=certificate.signature_algorithm, limit="SHA256"), "")
            )
    if lifetime is not None and lifetime > MAX_LIFETIME and tls.trusted_by_all is not False:
        found.append(("long-lived", Detail(code="lifetime_days", actual=lifetime.days, limit=MAX_LIFETIME.days), ""))
    if not found and tls.trusted_by_all is False:
        return Outcome("own-authority", value=value, evidence=_evidence(tls.chain, ""))
    if not found:
        return Outcome("valid", value=value)
    state, _, message = found[0]
    details = tuple(detail for _, detail, _ in found)
    further = dict.fromkeys(name for name, _, _ in found if name != state)
    milder = tuple(
        Evidence(snippet=leaf.subject[:200] if leaf else "", reason=_REASONS[name], state=name) for name in further
    )
    return Outcome(state, value=value, details=details, message=message, evidence=(*_evidence(tls.chain, ""), *milder))


def _outside_dates(tls: TLS) -> str | None:
    """Check the dates of the host's certificate, in case the handshake used another clock."""
    leaf = tls.chain[0] if tls.chain else None
    if leaf is None or tls.checked_at is None:
        return None
    now = _aware(tls.checked_at)
    if leaf.not_after_at is not None and _aware(leaf.not_after_at) < now:
        return "expired"
    if leaf.not_before_at is not None and _aware(leaf.not_before_at) > now:
        return "not_yet_valid"
    return None


def _lifetime(certificate: Certificate | None) -> timedelta | None:
    if certificate is None or certificate.not_before_at is None or certificate.not_after_at is None:
        return None
    return _aware(certificate.not_after_at) - _aware(certificate.not_before_at)


def _left(certificate: Certificate | None, now: datetime | None) -> timedelta | None:
    if certificate is None or certificate.not_after_at is None or now is None:
        return None
    return _aware(certificate.not_after_at) - _aware(now)


def _aware(moment: datetime) -> datetime:
    """Times in saved artifacts are UTC even where nothing says so."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _hours_or_days(left: timedelta) -> str:
    days = left // timedelta(days=1)
    if days >= 1:
        return f"{days} day" if days == 1 else f"{days} days"
    hours = left // timedelta(hours=1)
    return f"{hours} hour" if hours == 1 else f"{hours} hours"


def _evidence(chain: tuple[Certificate, ...], reason: str) -> tuple[Evidence, ...]:
    return tuple(_describe(chain, reason))


def _describe(chain: tuple[Certificate, ...], reason: str) -> Iterator[Evidence]:
    for position, certificate in enumerate(chain):
        names = ", ".join(certificate.names[:_NAMES_SHOWN])
        more = len(certificate.names) - _NAMES_SHOWN
        dates = " to ".join(
            "?" if moment is None else moment.date().isoformat()
            for moment in (certificate.not_before_at, certificate.not_after_at)
        )
        key = " ".join(
            str(part) for part in (certificate.key_type, certificate.key_bits, certificate.signature_algorithm) if part
        )
        listed = "" if not names else f"names: {names} and {more} more" if more > 0 else f"names: {names}"
        yield Evidence(
            snippet=f"{certificate.subject} (issued by {certificate.issuer})"[:200],
            value=f"{dates}; {key}" if key else dates,
            reason=(reason if position == 0 and reason else listed)[:200],
        )
