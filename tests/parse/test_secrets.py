"""Keys are put together here, so that no file of the project holds anything that looks like one."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode

import pytest

from pagegrade.parse.byte_search import CHUNK_BYTES
from pagegrade.parse.secrets import (
    MAX_CANDIDATES,
    MAX_FOUND,
    base62_checksum,
    find_named_secrets,
    find_secrets,
    mask_secret,
)

LETTERS = "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDjFrAeSlOu0I"
"""Every letter and digit once, in no order."""
HEX = "9f3a1c7e5b2d8064" * 4


def token(prefix: str, body: str = LETTERS[:30]) -> str:
    """A token of GitHub or npm with the right checksum."""
    return prefix + body + base62_checksum(body.encode()).decode()


def jwt(**claims: object) -> str:
    """A signed token with these claims."""

    def part(value: object) -> str:
        return urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{LETTERS[:43]}"


def pem(kind: str = "RSA ", body: str = "MIIEpAIBAAKCAQEA" + LETTERS, line_end: str = "\n") -> str:
    """A private key."""
    return f"-----BEGIN {kind}PRIVATE KEY-----{line_end}{body}{line_end}-----END {kind}PRIVATE KEY-----"


def sas(permissions: str) -> str:
    """A signed address of Azure Storage."""
    return (
        f"https://shop.blob.core.windows.net/a?sv=2024-11-04&ss=b&sp={permissions}&se=2027-01-01&sig={LETTERS[:43]}%3D"
    )


SECRETS = {
    "Stripe secret key": "sk_" + "live_" + LETTERS[:24],
    "Stripe restricted key": "rk_" + "live_" + LETTERS[:40],
    "GitHub token": token("ghp_"),
    "npm token": token("npm_"),
    "GitLab token": "glpat-" + LETTERS[:20],
    "Slack token": "xoxb-" + "123409875612-340987561234-" + LETTERS[:24],
    "Slack app token": "xapp-1-" + "A07QX2M9K4T-1234098756123-" + HEX,
    "Slack webhook": "hooks.slack.com/services/" + "T0A1B2C3D/B4E5F6G7H/" + LETTERS[:24],
    "Discord webhook": "discord.com/api/webhooks/" + "123409875612340987/" + LETTERS[:60] + "Zy0-_x7Q",
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS,
    "SendGrid key": f"SG.{LETTERS[:22]}.{LETTERS[:43]}",
    "Brevo key": f"xkeysib-{HEX}-{LETTERS[:16]}",
    "Telegram bot token": "1234098756:" + "AA" + LETTERS[:33],
    "Google OAuth client secret": "GOCSPX-" + LETTERS[:28],
    "Supabase service role key": jwt(iss="supabase", role="service_role", exp=2000000000),
    "Supabase secret key": "sb_" + "secret_" + LETTERS[:30],
    "OpenAI key": "sk-proj-" + LETTERS[:40] + "T3Blbk" + "FJ" + LETTERS[:40],
    "Anthropic key": "sk-ant-" + "api03-" + LETTERS + LETTERS[:33],
    "OpenRouter key": "sk-or-" + "v1-" + HEX,
    "Hugging Face token": "hf_" + "kWqLmTvXzRcNpHdQfJsUaGyEoBbVtMhZiY",
    "xAI key": "xai-" + LETTERS + LETTERS[:18],
    "NVIDIA key": "nvapi-" + LETTERS + "q7-_R",
    "Replicate token": "r8_" + LETTERS[:37],
    "Linear key": "lin_" + "api_" + LETTERS[:40],
    "Notion token": "ntn_" + "40987561234" + LETTERS[:35],
    "Figma token": "figd_" + LETTERS[:40],
    "Postman key": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "Databricks token": "dapi" + HEX[:32],
    "Grafana token": "glsa_" + LETTERS[:32] + "_" + HEX[:8],
    "Sentry token": "sntryu_" + HEX,
    "Netlify token": "nfp_" + LETTERS[:36],
    "PlanetScale secret": "pscale_" + "tkn_" + LETTERS[:43],
    "New Relic key": "NRAK-" + LETTERS[:27].upper(),
    "Stripe webhook secret": "whsec_" + LETTERS[:32],
    "Supabase access token": "sbp_" + HEX[:40],
    "Groq key": "gsk_" + LETTERS[:52],
    "Perplexity key": "pplx-" + LETTERS[:48],
    "Mapbox secret token": "sk." + f"eyJ1Ijoi{LETTERS[:40]}.{LETTERS[:22]}",
    "Shopify token": "shpat_" + HEX[:32],
    "DigitalOcean token": "dop_" + "v1_" + HEX,
    "database password": "mongodb+srv://shop:" + "k8Wq2vN7xZ@cluster0.garden-shop.net",
}
"""Kind -> a key of it that was made up."""


@pytest.mark.parametrize("kind", SECRETS)
def test_key_of_a_provider_is_found(kind: str) -> None:
    """In a script, and between the words of a comment."""
    for text in (f"var a = {{key: '{SECRETS[kind]}', b: 1}}", f"<!-- {SECRETS[kind]} -->"):
        (found,) = find_secrets(text.encode())

        assert (found.kind, found.group, found.value.strip("' ")) == (kind, "secret", SECRETS[kind].strip("' "))
        assert text[found.start :].startswith(SECRETS[kind])


@pytest.mark.parametrize("kind", [kind for kind in SECRETS if kind != "database password"])
def test_part_of_a_longer_word_is_none(kind: str) -> None:
    """Nor is one that is cut off."""
    key = SECRETS[kind]
    longer = "" if kind.endswith("webhook") else f"'x{key}'"

    assert find_secrets(longer.encode()) == ()
    assert find_secrets(f"'{key[: len(key) // 3]}'".encode()) == ()


@pytest.mark.parametrize("prefix", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"])
def test_checksum_decides(prefix: str) -> None:
    """One letter in another case makes it a made-up one."""
    good = token(prefix)
    bad = good[:10] + good[10].swapcase() + good[11:]

    assert [one.value for one in find_secrets(good.encode())] == [good]
    assert find_secrets(bad.encode()) == ()


def test_checksum_is_that_of_the_providers() -> None:
    """A token that GitHub published as an example, in two pieces."""
    assert base62_checksum(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ") == b"0mLq17"


@pytest.mark.parametrize(
    "text",
    [
        "sk_" + "live_EXAMPLE" + LETTERS[:20],
        "sk_" + "live_" + "x" * 24,
        "sk_" + "live_your" + LETTERS[:20],
        "sk_" + "live_<your key>",
        "sk_" + "test_" + LETTERS[:24],
        "pk_" + "live_" + LETTERS[:24],
        "AKIA" + "IOSFODNN7EXAMPLE",
        "sk_" + "live_a1b2c3d4e5f6g7h8i9j0k1l2",
        "sk_" + "live_qwertyuiopasdfghjklzxcvb",
        "sk_" + "live_thisisnotarealkeyatall42",
        "glpat-" + "paste-token-here-QX2M9K4T7",
        "glpat-" + "my-secret-token-QX2M9K4T70",
        "xai-" + "abcdef" + LETTERS,
        "xai-" + "tokenfromconsole" + LETTERS,
        "sk-ant-" + "api03-" + "put-the-key-from-your-console-here-" + LETTERS,
        "hooks.slack.com/services/" + "T00000000/B00000000/" + "X" * 24,
        "pk.eyJ1Ijoi" + LETTERS[:40] + "." + LETTERS[:22],
        jwt(role="anon", iss="supabase"),
        jwt(sub="1", name="A"),
        jwt(role=["service_role"]),
        "hf_" + "a" * 34,
        "hf_" + "kwqlmtvxzrcnphdqfjsuagyeobbvtmhziy",
        "mongodb://user:password@localhost:27017",
        "postgres://shop:k8Wq2vN7xZ@localhost/orders",
        "postgres://shop:k8Wq2vN7xZ@database/orders",
        "postgres://shop:${PASSWORD}@db1.garden-shop.net/orders",
        "postgres://shop@db1.garden-shop.net/orders",
        '-----BEGIN RSA PRIVATE KEY-----\n" + key + "',
        pem(body="MIIEpAIB..."),
        pem(body="{{key}}" + LETTERS * 2),
        "-----BEGIN PUBLIC KEY-----\nMIIB" + LETTERS * 2,
        sas("r"),
        sas("rl"),
        "AccountKey=" + "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOTr/KBHBeksoGMGw==",
        "key-" + HEX[:32],
        f"authToken: '{HEX[:32]}'",
        "AC" + HEX[:32],
        "12:AA" + LETTERS[:33],
    ],
)
def test_what_is_no_secret(text: str) -> None:
    """Placeholders, keys for tests and browsers, local databases, halves of a pair, addresses for reading."""
    assert find_secrets(f"a = '{text}';".encode()) == ()


def test_pairs_need_both_halves() -> None:
    """The account beside the token, the provider's name beside the key."""
    twilio = f"accountSid: 'AC{HEX[:32]}', authToken: '{HEX[1:33]}'"
    mailgun = f"https://api.mailgun.net/v3 key-{HEX[:32]}"

    assert [(one.kind, one.value) for one in find_secrets(twilio.encode())] == [("Twilio token", HEX[1:33])]
    assert [(one.kind, one.value) for one in find_secrets(mailgun.encode())] == [("Mailgun key", f"key-{HEX[:32]}")]


def test_access_key_alone_is_an_identifier() -> None:
    """The secret half beside it is what counts, and a signed address names the first half on purpose."""
    name, key = "AKIA" + "J5XQ7MZT2KWP4VLN", LETTERS[:38] + "+/"
    signed = f"https://a.s3.amazonaws.com/b?X-Amz-Credential={name}%2F20261122%2Feu-west-1%2Fs3%2Faws4_request"

    assert [(one.group, one.value) for one in find_secrets(f"'{name}'".encode())] == [("identifier", name)]
    assert [(one.group, one.value) for one in find_secrets(f"'{name}', '{key}'".encode())] == [("secret", key)]
    assert find_secrets(signed.encode()) == ()


@pytest.mark.parametrize("permissions", ["rw", "racwd", "c"])
def test_signed_address_that_allows_changes_is_one(permissions: str) -> None:
    """Whatever separates its fields."""
    for address in (sas(permissions), sas(permissions).replace("&", "&amp;"), sas(permissions).replace("&", "\\u0026")):
        assert [one.value for one in find_secrets(f'"{address}"'.encode())] == [LETTERS[:43] + "%3D"]


def test_google_key_is_public() -> None:
    """It is made for browsers."""
    key = "AIza" + "Sy" + LETTERS[:33]

    assert [(one.group, one.value) for one in find_secrets(f"?key={key}&v=3".encode())] == [("public", key)]


@pytest.mark.parametrize("line_end", ["\n", "\\n", "\r\n", '\\n" +\n"'])
def test_private_key_in_a_string(line_end: str) -> None:
    """Line ends are written in several ways, and no part of the key is left over."""
    (found,) = find_secrets(f'"{pem(line_end=line_end)}"'.encode())

    assert LETTERS in found.value
    assert "-----END" not in found.value


def test_nothing_shows_the_whole_key() -> None:
    """The mask has at most ten characters of it, and a printed value has no more."""
    (found,) = find_secrets(SECRETS["GitHub token"].encode())

    assert found.masked == mask_secret(found.value) == f"ghp_{LETTERS[:4]}…{found.value[-2:]}"
    assert mask_secret("abcdefgh") == "abcd…gh"
    assert found.value not in repr(found)


def test_each_key_is_found_once() -> None:
    """However often it stands there."""
    assert len(find_secrets(f"{SECRETS['Groq key']} {SECRETS['Groq key']}".encode())) == 1


@pytest.mark.parametrize(("count", "found"), [(MAX_FOUND, MAX_FOUND), (MAX_FOUND + 1, MAX_FOUND)])
def test_only_so_many_are_found(count: int, found: int) -> None:
    """At the limit and one past it."""
    text = " ".join(f"gsk_{LETTERS[:49]}{number:03}" for number in range(count))

    assert len(find_secrets(text.encode())) == found


@pytest.mark.parametrize(("before", "found"), [(MAX_CANDIDATES - 1, 1), (MAX_CANDIDATES, 0)])
def test_only_so_many_fixed_parts_are_looked_at(before: int, found: int) -> None:
    """A text full of them hides what follows, and costs no more."""
    assert len(find_secrets(b"gsk_ " * before + SECRETS["Groq key"].encode())) == found


@pytest.mark.parametrize("at", [CHUNK_BYTES - 60, CHUNK_BYTES - 4, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1])
def test_key_across_two_chunks_is_found_once(at: int) -> None:
    """Wherever it is cut."""
    assert [one.start for one in find_secrets(b" " * at + SECRETS["Groq key"].encode())] == [at]
    assert len(find_secrets(b" " * (at - 11) + SECRETS["Telegram bot token"].encode())) == 1


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            '{"SMTP_PASSWORD": "marmot-78-Lantern", "JWT_SECRET":"d2f8a41be0c94f76a3c1"}',
            ["SMTP_PASSWORD", "JWT_SECRET"],
        ),
        ("window.__NUXT__={config:{jwtSecret:'k8Wq2vN7xZ',dbPassword:\"Zt0-x7Q_kW\"}}", ["jwtSecret", "dbPassword"]),
        ('["{\\"APP_SECRET_KEY\\":\\"d2f8a41be0c94f76a3c1\\"}"]', ["APP_SECRET_KEY"]),
        ('{"NEXT_PUBLIC_APP_SECRET": "d2f8a41be0c94f76a3c1", "REACT_APP_SECRET": "d2f8a41be0c94f76a3c1"}', []),
        ('{"RESET_PASSWORD": "Forgot it 4 times?", "ENTER_PASSWORD": "Καλημέρα12345"}', []),
        (
            '{"RESET_PASSWORD": "/v2/account/reset", "SHOW_SECRET": "show-secret-2", "OLD_PASSWORD": "old.passwd2"}',
            [],
        ),
        ('{"DB_PASSWORD": "changeme-2024", "APP_SECRET": "your-own-key-7", "API_SECRET": "${API_KEY_1}"}', []),
        ('{"DB_PASSWORD": "abcdqrstu", "DB_SECRET": "", "APP_SECRET": "short1"}', []),
        ('{"password": "k8Wq2vN7xZ", "clientSecret": "pi_3Nq7Wk2v", "client_secret": "k8Wq2vN7xZ"}', []),
        ('{"AWS_ACCESS_KEY": "k8Wq2vN7xZ", "SENTRY_KEY": "k8Wq2vN7xZ"}', []),
    ],
)
def test_values_with_names_of_secrets(text: str, kinds: list[str]) -> None:
    """In the notations of data; texts of interfaces and what browsers may read are none."""
    assert [one.kind for one in find_named_secrets(text.encode())] == kinds


@pytest.mark.parametrize("count", [MAX_FOUND, MAX_FOUND + 1])
def test_only_so_many_names_are_found(count: int) -> None:
    """Each with another value."""
    text = ",".join(f'"S{n}_SECRET":"{LETTERS[n : n + 12]}7a"' for n in range(count))

    assert len(find_named_secrets(f"{{{text}}}".encode())) == MAX_FOUND


def test_end_of_a_host_is_no_placeholder() -> None:
    """Machines of a site whose own name is one of documentation are its machines."""
    address = "postgres://shop:k8Wq2vN7xZ@db1.{}/orders"

    assert find_secrets(address.format("garden-shop.example").encode())
    assert not find_secrets(address.format("example.com").encode())
