"""Finds the keys of well-known providers in text, by their fixed parts and, where there is one, by their checksum.

A text is searched once for the fixed parts, and only what stands around them is read, so a text without any costs next
to nothing. What is found is never handed on whole except as ``Secret.value``, which stays in the process that reads
the page.

Sources: the formats as the providers document them, among them
https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/,
https://docs.stripe.com/keys, https://docs.slack.dev/authentication/tokens,
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html and
https://learn.microsoft.com/azure/storage/common/storage-sas-overview
"""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from pagegrade.parse.byte_search import ByteSearch

Group = Literal["secret", "identifier", "public"]
"""``secret``: gives access to everyone who has it; ``identifier``: names an account and is useless alone; ``public``:
made to be sent to browsers."""

MAX_FOUND: Final = 20
"""Secrets reported of one text."""
MAX_CANDIDATES: Final = 2_000
"""Fixed parts that are looked at in one text."""
_NEAR: Final = 300
"""Bytes on either side in which the other half of a pair stands."""
_MAX_TOKEN: Final = 4_096
_BASE62: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS: Final = 6
_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_PLACEHOLDER: Final = re.compile(
    rb"example|xxxx|your|dummy|sample|placeholder|redacted|changeme|insert|1234567|abcdefg|([^-A])\1{4}", re.IGNORECASE
)
"""Dashes begin a private key, and runs of A are zeros in base 64."""
_RUNS: Final = (b"abcdef", b"fedcba", b"123456", b"654321", b"qwert", b"asdfg", b"zxcvb")
"""Letters or digits in an order that chance does not give, perhaps with others between them (``a1b2c3``)."""
_LETTERS: Final = bytes(range(256)).translate(None, b"abcdefghijklmnopqrstuvwxyz")
_DIGITS: Final = bytes(range(256)).translate(None, b"0123456789")
_WORDS: Final = re.compile(rb"(?:(?:^|[-_.])[a-z]{2,}(?=[-_.]|$)){3}|[a-z]{12}")
"""Three words in a row, or twelve small letters: chance gives neither."""
_IN_WORDS: Final = re.compile(rb"[/@:]|-----BEGIN")
"""In addresses and files of keys words are usual."""
_NAMED: Final = re.compile(
    rb"(?<=[{,\s\\\"'])(?P<name>[A-Z][A-Z0-9]{0,20}_(?:[A-Z0-9]{1,20}_){0,3}"
    rb"(?:PASSWORD|PASSWD|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|SECRET_KEY_BASE|PRIVATE_KEY|ENCRYPTION_KEY|SIGNING_KEY)"
    rb"|(?:api|app|aws|cookie|database|db|jwt|mail|mongo|mysql|postgres|redis|session|smtp|stripe|token|webhook)"
    rb"(?:Password|Secret(?:Key)?|PrivateKey|EncryptionKey|SigningKey))"
    rb"(?:[\"']?\s{0,3}:\s{0,3}[\"']|\\\":\\\")"
    rb"(?P<value>(?=[!-~]{0,80}?\d)(?=[!-~]{0,80}?[A-Za-z])[!#-&(-;=?-\[\]-z|~]{8,200})\\?[\"']"
)
"""The name of a secret of a server, as environments and settings write it, and its value; a name that says which
service it is for is no text of an interface."""
_FOR_BROWSERS: Final = re.compile(rb"PUBLIC_|VITE_|REACT_APP_|EXPO_|GATSBY_")
_NO_VALUE: Final = re.compile(rb"passw|secret|^[/.#]|^https?:|\$\(|%[A-Z]", re.IGNORECASE)
"""Names, addresses and templates."""
_NAME_ENDS: Final = ByteSearch(
    [
        name + end
        for name in (b"PASSWORD", b"PASSWD", b"SECRET", b"_KEY", b"_BASE", b"Password", b"Secret", b"Key")
        for end in (b'"', b"'", b":", b" :", b'\\"')
    ]
)
"""The ends of such names, with what follows them: the search for them is quick, and that for whole names is not."""
_AROUND_END: Final = (100, 260)
"""Bytes before and behind an end of a name that hold the whole of it, and its value."""
MIN_NAMED: Final = 2
"""Values with the names of secrets from which on they are a server's settings."""
_MIN_DISTINCT: Final = 8
"""Different characters that a random key of twenty and more has."""
_LONG: Final = 24
"""Keys from this length show eight characters of their beginning, shorter ones four."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A key that was found."""

    group: Group
    kind: str
    """Its provider's name for it."""
    masked: str
    """Fit to be shown."""
    start: int
    """Offset of its beginning in the text."""
    value: str = field(repr=False)
    """The key itself; never leaves the process."""


Finder = Callable[[bytes, int], "tuple[Group, int, int] | None"]
"""(text, where the fixed part begins) -> (group, start, end) of the key; ``None`` when there is none."""


def mask_secret(value: str) -> str:
    """The first four to eight and the last two characters."""
    shown = 8 if len(value) >= _LONG else 4
    return f"{value[:shown]}…{value[-2:]}"


def find_secrets(text: bytes) -> tuple[Secret, ...]:
    """The keys in a text, each once, in order; at most ``MAX_FOUND``. Never raises; linear in the text.

    Placeholders of documentation (``EXAMPLE``, ``xxxx``, one character repeated) are none, and neither are keys for
    tests or those that a checksum shows to be made up.
    """
    found: dict[bytes, Secret] = {}
    for index, start in _SEARCH.places(text, MAX_CANDIDATES):
        kind, finder = _RULES[index]
        # A letter before the fixed part makes it the middle of something else.
        if kind.bounded and start and text[start - 1] in _WORD:
            continue
        place = finder(text, start)
        if place is None:
            continue
        group, begin, end = place
        value = text[begin:end]
        # What a host ends in says nothing about its owner.
        if value in found or is_placeholder(value.rpartition(b".")[0] if b"@" in value else value):
            continue
        shown = value.decode("latin-1")
        found[value] = Secret(group=group, kind=kind.name, masked=mask_secret(shown), start=begin, value=shown)
        if len(found) >= MAX_FOUND:
            break
    return tuple(found.values())


def find_named_secrets(text: bytes) -> tuple[Secret, ...]:
    """The values in a text that have names of a server's secrets, such as ``SMTP_PASSWORD``, each once, in order.

    Names with a prefix that build tools keep for what browsers may read are left out, and values without digits or
    letters, with words such as ``secret``, and placeholders. At most ``MAX_FOUND``; linear.
    """
    found: dict[bytes, Secret] = {}
    done = 0
    for _, place in _NAME_ENDS.places(text, MAX_CANDIDATES):
        match = _NAMED.search(text, max(done, place - _AROUND_END[0]), place + _AROUND_END[1])
        if match is None:
            continue
        done = match.end()
        value = match["value"]
        if _FOR_BROWSERS.search(match["name"]) or _NO_VALUE.search(value) or is_placeholder(value):
            continue
        shown, kind = value.decode("ascii"), match["name"].decode("ascii")
        found.setdefault(value, Secret("secret", kind, mask_secret(shown), start=match.start("value"), value=shown))
        if len(found) >= MAX_FOUND:
            break
    return tuple(found.values())


def is_placeholder(value: bytes) -> bool:
    """Return whether a key or a password is one of documentation."""
    if _PLACEHOLDER.search(value) is not None or len(set(value)) < _MIN_DISTINCT:
        return True
    lower = value.lower()
    plain = (lower.translate(None, _LETTERS), lower.translate(None, _DIGITS))
    if any(run in text for text in plain for run in _RUNS):
        return _IN_WORDS.search(value) is None
    return _IN_WORDS.search(value) is None and _WORDS.search(value) is not None


class _Kind(msgspec.Struct, frozen=True):
    """One fixed part."""

    name: str
    mark: bytes
    bounded: bool = True
    """No letter, digit or underscore may stand before it."""


def _plain(pattern: bytes, group: Group = "secret") -> Finder:
    """A key that begins with its fixed part."""
    compiled = re.compile(pattern)

    def find(text: bytes, start: int) -> tuple[Group, int, int] | None:
        match = compiled.match(text, start, start + _MAX_TOKEN)
        return None if match is None else (group, match.start(), match.end())

    return find


def _around(pattern: bytes, before: int, after: int) -> Finder:
    """A key with its fixed part in the middle, or only near it; the group ``key`` is the key."""
    compiled = re.compile(pattern)

    def find(text: bytes, start: int) -> tuple[Group, int, int] | None:
        match = compiled.search(text, max(0, start - before), start + after)
        return None if match is None else ("secret", *match.span("key"))

    return find


_CHECKED: Final = re.compile(rb"[a-z]{3}_([A-Za-z0-9]{36})(?![A-Za-z0-9_])")


def _checksummed(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """A token of GitHub or npm: its last six characters are the CRC-32 of the thirty before them, in base 62."""
    match = _CHECKED.match(text, start)
    if match is None:
        return None
    body, checksum = match[1][:-_CHECKSUM_CHARS], match[1][-_CHECKSUM_CHARS:]
    if base62_checksum(body) != checksum:
        return None
    return "secret", match.start(), match.end()


def base62_checksum(body: bytes) -> bytes:
    """The CRC-32 of ``body`` as six digits of base 62."""
    rest = zlib.crc32(body)
    digits = bytearray()
    for _ in range(_CHECKSUM_CHARS):
        rest, digit = divmod(rest, len(_BASE62))
        digits.append(_BASE62[digit])
    return bytes(reversed(digits))


_AWS_ID: Final = re.compile(rb"A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9_%/-])")
_AWS_SECRET: Final = re.compile(
    rb"[\"'](?=[A-Za-z0-9+/]{0,39}[0-9])(?=[A-Za-z0-9+/]{0,39}[a-z])(?=[A-Za-z0-9+/]{0,39}[A-Z])"
    rb"(?P<key>[A-Za-z0-9+/]{40})[\"']"
)


def _aws(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """An access key; of a pair the secret half. A signed URL names the first half, as it is meant to."""
    match = _AWS_ID.match(text, start)
    if match is None or is_placeholder(match[0]):
        return None
    near = _AWS_SECRET.search(text, max(0, start - _NEAR), start + _NEAR)
    if near is not None and not is_placeholder(near["key"]):
        return "secret", *near.span("key")
    return "identifier", match.start(), match.end()


_JWT: Final = re.compile(rb"eyJ[\w-]{10,500}\.(eyJ[\w-]{10,3000})\.[\w-]{20,500}(?![\w-])", re.ASCII)


def _service_role(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """A signed token whose role is the one that ignores all rules; other tokens are sent to browsers on purpose."""
    match = _JWT.match(text, start, start + _MAX_TOKEN)
    if match is None:
        return None
    payload = match[1]
    try:
        claims = msgspec.json.decode(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(claims, dict) or claims.get("role") != "service_role":
        return None
    return "secret", match.start(), match.end()


_PRIVATE_KEY: Final = re.compile(
    rb"-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----"
    rb"(?:\\[rn]|[\s\"'+,`]){0,40}(?:M[A-Z]|b3Blbn)(?:\\[rn]|[A-Za-z0-9+/=\s\"'+,`]){58,}"
)


def _private_key(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """A key in PEM; libraries hold the first line alone."""
    match = _PRIVATE_KEY.match(text, start, start + _MAX_TOKEN)
    return None if match is None else ("secret", match.start(), match.end())


_ADDRESS: Final = re.compile(rb"(?:[^\s\"'<>`\\]|\\u0026)*")
_SAS_FIELD: Final = re.compile(rb"(?:[?&;]|\\u0026)(s[a-z]{1,2})=([^&\s\"'<>`\\]{1,200})")
_SAS_CHANGES: Final = frozenset(b"acdiuwxy")
"""Permissions that change something (https://learn.microsoft.com/rest/api/storageservices/create-service-sas)."""
_MIN_SIGNATURE: Final = 40


def _shared_access(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """A signed address of Azure Storage that lets its readers change something; those for reading are meant for them.

    The fields come in any order, so that the address is read from its question mark on.
    """
    begin = text.rfind(b"?", max(0, start - _NEAR), start)
    address = None if begin < 0 else _ADDRESS.match(text, begin, begin + 3 * _NEAR)
    if address is None or address.end() < start:
        return None
    fields = {match[1]: match for match in _SAS_FIELD.finditer(text, begin, address.end())}
    signature, permissions = fields.get(b"sig"), fields.get(b"sp")
    if signature is None or permissions is None or len(signature[2]) < _MIN_SIGNATURE:
        return None
    return None if _SAS_CHANGES.isdisjoint(permissions[2]) else ("secret", *signature.span(2))


_ACCOUNT_KEY: Final = re.compile(rb"AccountKey=(?P<key>[A-Za-z0-9+/]{86}==)")
_EMULATOR: Final = b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"


def _account_key(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """The key of a storage account; that of the emulator is the same for all."""
    match = _ACCOUNT_KEY.match(text, start)
    if match is None or match["key"].startswith(_EMULATOR):
        return None
    return "secret", *match.span("key")


_TWILIO_TOKEN: Final = re.compile(rb"(?i:auth_?token)[\"']?\s{0,3}[:=]\s{0,3}[\"'](?P<key>[0-9a-f]{32})[\"']")
_TWILIO_ACCOUNT: Final = re.compile(rb"(?<![A-Za-z0-9])AC[0-9a-f]{32}(?![0-9a-f])")


def _twilio(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """A token beside the name of its account; alone it might be anything."""
    match = _TWILIO_TOKEN.match(text, start)
    if match is None or _TWILIO_ACCOUNT.search(text, max(0, start - _NEAR), start + _NEAR) is None:
        return None
    return "secret", *match.span("key")


_DATABASE: Final = re.compile(
    rb"(?:mongodb(?:\+srv)?|postgres(?:ql)?|mysql|redis|amqps?)://"
    rb"[^\s:/@\"'<>`{}$\\]{1,64}:(?P<key>[^\s:/@\"'<>`{}$\\]{6,128})@(?P<host>[\w.-]{4,120})"
)
_COMMON_PASSWORDS: Final = frozenset({b"password", b"passwort", b"secret", b"postgres", b"passwd", b"changeit"})
_LOCAL: Final = (b"localhost", b"127.")


def _database(text: bytes, start: int) -> tuple[Group, int, int] | None:
    """The address of a database with a password; those of documentation lead to the own machine."""
    match = _DATABASE.match(text, start)
    if match is None or match["key"].lower() in _COMMON_PASSWORDS:
        return None
    host = match["host"].lower()
    if host.startswith(_LOCAL) or b"." not in host:
        return None
    return "secret", match.start(), match.end()


_END: Final = rb"(?![A-Za-z0-9_-])"
_OPENAI: Final = _around(
    rb"(?<![\w-])(?P<key>sk-(?:(?:proj|svcacct|admin)-)?[\w-]{20,100}T3BlbkFJ[\w-]{20,100})(?![\w-])", 130, 130
)
_RULES: Final[tuple[tuple[_Kind, Finder], ...]] = (
    *((_Kind("AWS access key", mark), _aws) for mark in (b"AKIA", b"ASIA")),
    (_Kind("Google API key", b"AIza"), _plain(rb"AIza[0-9A-Za-z_-]{35}" + _END, "public")),
    (_Kind("Google OAuth client secret", b"GOCSPX-"), _plain(rb"GOCSPX-[0-9A-Za-z_-]{28}" + _END)),
    (_Kind("Stripe secret key", b"sk_live_"), _plain(rb"sk_live_[0-9A-Za-z]{16,247}(?![0-9A-Za-z_])")),
    (_Kind("Stripe restricted key", b"rk_live_"), _plain(rb"rk_live_[0-9A-Za-z]{16,247}(?![0-9A-Za-z_])")),
    *((_Kind("GitHub token", mark), _checksummed) for mark in (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_")),
    (_Kind("GitHub token", b"github_pat_"), _plain(rb"github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}(?![0-9A-Za-z_])")),
    *(
        (_Kind("GitLab token", mark), _plain(mark + rb"[0-9A-Za-z_-]{20,64}" + _END))
        for mark in (b"glpat-", b"gldt-", b"glrt-")
    ),
    *(
        (_Kind("Slack token", mark), _plain(mark + rb"[0-9]{9,14}-[0-9A-Za-z-]{20,200}" + _END))
        for mark in (b"xoxb-", b"xoxp-", b"xoxa-", b"xoxr-", b"xoxs-")
    ),
    (_Kind("Slack app token", b"xapp-"), _plain(rb"xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{10,16}-[0-9a-f]{64}" + _END)),
    (
        _Kind("Slack webhook", b"hooks.slack.com/services/", bounded=False),
        _plain(rb"hooks\.slack\.com/services/T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/[0-9A-Za-z]{24}(?![0-9A-Za-z])"),
    ),
    *(
        (
            _Kind("Discord webhook", mark, bounded=False),
            _plain(re.escape(mark) + rb"[0-9]{17,20}/[0-9A-Za-z_-]{60,80}" + _END),
        )
        for mark in (b"discord.com/api/webhooks/", b"discordapp.com/api/webhooks/")
    ),
    (_Kind("npm token", b"npm_"), _checksummed),
    (_Kind("PyPI token", b"pypi-AgEIcHlwaS5vcmc"), _plain(rb"pypi-AgEIcHlwaS5vcmc[0-9A-Za-z_-]{50,1000}")),
    (_Kind("SendGrid key", b"SG."), _plain(rb"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}" + _END)),
    (_Kind("Brevo key", b"xkeysib-"), _plain(rb"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}" + _END)),
    (
        _Kind("Mailgun key", b"mailgun", bounded=False),
        _around(rb"(?<![\w-])(?P<key>key-[0-9a-f]{32})(?![\w-])", 500, 500),
    ),
    *((_Kind("Twilio token", mark, bounded=False), _twilio) for mark in (b"authToken", b"auth_token", b"AUTH_TOKEN")),
    (
        _Kind("Telegram bot token", b":AA", bounded=False),
        _around(rb"(?<![0-9A-Za-z_])(?P<key>[0-9]{8,10}:AA[0-9A-Za-z_-]{33})(?![0-9A-Za-z_-])", 10, 48),
    ),
    (_Kind("private key", b"-----BEGIN ", bounded=False), _private_key),
    *((_Kind("Supabase service role key", mark), _service_role) for mark in (b"eyJhbGciOi", b"eyJ0eXAiOi")),
    (_Kind("Supabase secret key", b"sb_secret_"), _plain(rb"sb_secret_[0-9A-Za-z_-]{20,60}" + _END)),
    (_Kind("OpenAI key", b"T3BlbkFJ", bounded=False), _OPENAI),
    (_Kind("Anthropic key", b"sk-ant-"), _plain(rb"sk-ant-[a-z]{3,8}[0-9]{2}-[0-9A-Za-z_-]{60,120}" + _END)),
    (_Kind("OpenRouter key", b"sk-or-v1-"), _plain(rb"sk-or-v1-[0-9a-f]{64}" + _END)),
    (_Kind("Hugging Face token", b"hf_"), _plain(rb"hf_(?=[a-z]{0,33}[A-Z])[A-Za-z]{34}(?![0-9A-Za-z_])")),
    (_Kind("xAI key", b"xai-"), _plain(rb"xai-[0-9A-Za-z]{60,120}" + _END)),
    (_Kind("NVIDIA key", b"nvapi-"), _plain(rb"nvapi-[0-9A-Za-z_-]{60,80}" + _END)),
    (_Kind("Replicate token", b"r8_"), _plain(rb"r8_[0-9A-Za-z]{37,40}(?![0-9A-Za-z_])")),
    (_Kind("Cerebras key", b"csk-"), _plain(rb"csk-[0-9a-z]{48}" + _END)),
    (_Kind("Pinecone key", b"pcsk_"), _plain(rb"pcsk_[0-9A-Za-z]{4,8}_[0-9A-Za-z]{60,70}(?![0-9A-Za-z_])")),
    *(
        (_Kind("LangSmith key", mark), _plain(mark + rb"[0-9a-f]{32}_[0-9a-f]{10}(?![0-9A-Za-z_])"))
        for mark in (b"lsv2_pt_", b"lsv2_sk_")
    ),
    (_Kind("Linear key", b"lin_api_"), _plain(rb"lin_api_[0-9A-Za-z]{40}(?![0-9A-Za-z_])")),
    (_Kind("Notion token", b"ntn_"), _plain(rb"ntn_[0-9]{11}[0-9A-Za-z]{35}(?![0-9A-Za-z_])")),
    (_Kind("Figma token", b"figd_"), _plain(rb"figd_[0-9A-Za-z_-]{38,46}" + _END)),
    (_Kind("Postman key", b"PMAK-"), _plain(rb"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + _END)),
    (_Kind("Databricks token", b"dapi"), _plain(rb"dapi[0-9a-f]{32}(?:-[0-9])?" + _END)),
    (_Kind("HashiCorp Vault token", b"hvs."), _plain(rb"hvs\.[0-9A-Za-z_-]{90,120}" + _END)),
    (_Kind("Grafana token", b"glsa_"), _plain(rb"glsa_[0-9A-Za-z]{32}_[0-9a-fA-F]{8}(?![0-9A-Za-z_])")),
    (_Kind("Sentry token", b"sntryu_"), _plain(rb"sntryu_[0-9a-f]{64}(?![0-9A-Za-z_])")),
    (_Kind("Netlify token", b"nfp_"), _plain(rb"nfp_[0-9A-Za-z]{36}(?![0-9A-Za-z_])")),
    *(
        (_Kind("PlanetScale secret", mark), _plain(mark + rb"[0-9A-Za-z_.-]{32,64}" + _END))
        for mark in (b"pscale_tkn_", b"pscale_pw_")
    ),
    (_Kind("Atlassian token", b"ATATT3xFfGF0"), _plain(rb"ATATT3xFfGF0[0-9A-Za-z_=-]{160,200}")),
    (_Kind("New Relic key", b"NRAK-"), _plain(rb"NRAK-[0-9A-Z]{27}" + _END)),
    (_Kind("Stripe webhook secret", b"whsec_"), _plain(rb"whsec_[0-9A-Za-z]{32,64}(?![0-9A-Za-z_])")),
    (_Kind("Supabase access token", b"sbp_"), _plain(rb"sbp_[0-9a-f]{40}(?![0-9A-Za-z_])")),
    (_Kind("Groq key", b"gsk_"), _plain(rb"gsk_[0-9A-Za-z]{52}(?![0-9A-Za-z_])")),
    (_Kind("Perplexity key", b"pplx-"), _plain(rb"pplx-[0-9A-Za-z]{48}" + _END)),
    (
        _Kind("Mapbox secret token", b"sk.eyJ1Ijoi"),
        _plain(rb"sk\.eyJ1Ijoi[0-9A-Za-z_-]{10,300}\.[0-9A-Za-z_-]{20,60}" + _END),
    ),
    *(
        (_Kind("Shopify token", mark), _plain(mark + rb"[0-9a-fA-F]{32}(?![0-9A-Za-z_])"))
        for mark in (b"shpat_", b"shpca_", b"shppa_", b"shpss_")
    ),
    (_Kind("DigitalOcean token", b"dop_v1_"), _plain(rb"dop_v1_[0-9a-f]{64}(?![0-9A-Za-z_])")),
    (_Kind("Azure storage account key", b"AccountKey=", bounded=False), _account_key),
    (_Kind("Azure shared access signature", b"sv=20", bounded=False), _shared_access),
    *(
        (_Kind("database password", mark), _database)
        for mark in (
            *(b"mongodb+srv://", b"mongodb://", b"postgres://", b"postgresql://"),
            *(b"mysql://", b"redis://", b"amqp://", b"amqps://"),
        )
    ),
)
"""Fixed parts and the finders of their keys; of two fixed parts at one place the first counts."""
_SEARCH: Final = ByteSearch([kind.mark for kind, _ in _RULES])
