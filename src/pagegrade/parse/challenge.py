"""Recognizes an answer that is a guard's page and not the site's own."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pagegrade.model.artifacts import Response

BLOCKING_STATUSES: Final = frozenset({401, 403, 429, 503})
_LOOK_AT: Final = 16_384
"""Bytes of the body that are looked at; challenge pages are small and say what they are at the top."""
_MAX_CHALLENGE_BYTES: Final = 100_000
_TITLE: Final = re.compile(rb"<title[^>]{0,200}>([^<]{0,200})</title", re.IGNORECASE)
_TITLES: Final = (
    b"just a moment...",
    b"attention required! | cloudflare",
    b"access denied",
    b"ddos-guard",
    b"one moment, please...",
    b"checking your browser",
    b"verifying your browser",
    b"security check",
    b"robot check",
    b"are you a robot?",
    b"pardon our interruption",
    b"please wait... | cloudflare",
    b"vercel security checkpoint",
    b"human verification",
)
"""Titles that guards give their own pages; compared as a whole, never as a part of a longer title."""
_MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"/cdn-cgi/challenge-platform/", "cloudflare"),
    (b"window._cf_chl_opt", "cloudflare"),
    (b"_Incapsula_Resource", "imperva"),
    (b"geo.captcha-delivery.com", "datadome"),
    (b"px-captcha", "perimeterx"),
    (b"/_sec/cp_challenge/", "akamai"),
    (b"awswaf.com", "aws_waf"),
    (b"sucuri_cloudproxy_js", "sucuri"),
)


_SCHEME: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9_-]{0,30})(?=\s|$)")
_MAX_SCHEMES: Final = 4
_WAIT: Final = re.compile(r"[0-9]{1,9}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")
"""Value of a Retry-After header."""


class Block(msgspec.Struct, frozen=True):
    """The system that refused the request, and the evidence for it."""

    reason: str
    message: str


def recognize_block(response: Response) -> Block | None:
    """The refusal in an answer; ``None`` when the answer may be the page itself.

    A mark of a guard's script alone proves nothing on a 200: sites behind such guards carry it on every page. So a 200
    counts as a challenge only with the guard's own header, or with the guard's title on a page that holds its script
    or next to nothing else.
    """
    mitigated = (response.header("cf-mitigated") or "").strip().lower()
    if mitigated == "challenge":
        return Block("challenge_cloudflare", "A Cloudflare challenge page answered in place of the site.")
    if (response.header("x-amzn-waf-action") or "").strip().lower() in {"challenge", "captcha"}:
        return Block("challenge_aws_waf", "An AWS WAF challenge page answered in place of the site.")
    head = response.body[:_LOOK_AT]
    vendor = next((name for mark, name in _MARKS if mark in head), None)
    title = _TITLE.search(head)
    known_title = title is not None and b" ".join(title.group(1).lower().split()) in _TITLES
    if response.status in BLOCKING_STATUSES:
        if vendor is not None or known_title:
            who = f"A {vendor.replace('_', ' ').title()} page" if vendor else "A challenge page"
            return Block(f"challenge_{vendor or 'page'}", f"{who} answered {response.status} in place of the site.")
        asks = what_it_asks(response)
        return Block(f"status_{response.status}", f"The site answered {response.status} to our fetcher{asks}.")
    small = len(response.body) <= _MAX_CHALLENGE_BYTES
    if 200 <= response.status <= 299 and known_title and small and (vendor is not None or _is_bare(response.body)):
        return Block(f"challenge_{vendor or 'page'}", "A challenge page answered in place of the site.")
    return None


def what_it_asks(response: Response) -> str:
    """The demand in the headers of a refusal: `` and asks for a sign-in (Basic)``; empty where there is none.

    Sources: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 and #section-10.2.3
    """
    fields = {401: "WWW-Authenticate", 407: "Proxy-Authenticate"}
    if response.status in fields:
        challenges = response.header_values(fields[response.status])
        schemes = [found[1] for value in challenges[:_MAX_SCHEMES] if (found := _SCHEME.match(value)) is not None]
        shown = f" ({', '.join(dict.fromkeys(schemes))})" if schemes else ""
        return f" and asks for a sign-in{shown}"
    wait = (response.header("Retry-After") or "").strip()
    if response.status in {429, 503} and _WAIT.fullmatch(wait):
        return f" and asks to wait {f'{wait} seconds' if wait.isdigit() else f'until {wait}'}"
    return ""


def _is_bare(body: bytes) -> bool:
    """No links to follow and no headings structure: nothing but a notice."""
    lowered = body[:_MAX_CHALLENGE_BYTES].lower()
    return lowered.count(b"<a ") <= 3 and lowered.count(b"<img") <= 2 and b"<nav" not in lowered
