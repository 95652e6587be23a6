"""E-mail addresses in visible text and in mailto links, found in one pass and shown only masked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

MAX_LOCAL_CHARS: Final = 64
"""RFC 5321 4.5.3.1.1."""
MAX_DOMAIN_CHARS: Final = 253
"""RFC 1035 2.3.4, as text."""
MAX_LABEL_CHARS: Final = 63
MAX_MAILTO_CHARS: Final = 8_000
_LOCAL: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+-^_`{|}~")
_DOMAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
_LABELS_BEFORE_COLON: Final = (
    "mail",
    "mailto",
    "contact",
    "kontakt",
    "contacto",
    "courriel",
    "correo",
    "to",
    "from",
    "cc",
)
"""Words that stand before a colon and an address. Any other ``word:`` is the user of ``user:password@host``."""
_FILE_ENDINGS: Final = frozenset(
    "png jpg jpeg gif webp avif svg ico bmp tif tiff heic jxl css scss less js mjs cjs jsx tsx map json xml html htm"
    " php asp aspx jsp woff woff2 ttf otf eot mp3 mp4 webm ogg wav pdf txt tgz gz bz2 rar exe dmg yml yaml".split(),
)
"""Last labels that are file endings and no top-level domain: ``logo@2x.png`` is an image."""
_VERSION_LABEL: Final = re.compile(r"v?[0-9]{1,9}", re.IGNORECASE)


def find_emails(text: str) -> Iterator[str]:
    """The e-mail addresses written in ``text``, in order and with repetitions, as they stand there.

    Left out, as they are none: names of assets (``logo@2x.png``), versions of packages (``left-pad@1.2.3``), users in
    addresses of servers (``git@host:path``, ``user:secret@host``, ``https://key@host``), handles and at-rules.

    The time is linear in the length of the text: no character is looked at by more than two at-signs.
    """
    at = text.find("@")
    previous = -1
    while at >= 0:
        following = text.find("@", at + 1)
        start = at
        lowest = max(previous + 1, at - MAX_LOCAL_CHARS - 1)
        while start > lowest and text[start - 1] in _LOCAL:
            start -= 1
        end = at + 1
        highest = min(len(text), at + 2 + MAX_DOMAIN_CHARS)
        while end < highest and text[end] in _DOMAIN:
            end += 1
        local = text[start:at].lstrip(".!#$%&'*+-^`{|}~")
        domain = text[at + 1 : end].rstrip(".-")
        if (
            _is_local(local)
            and _is_domain(domain)
            and not (following == end and domain)
            and not _is_user_of_a_server(text, at - len(local), at + 1 + len(domain))
        ):
            yield f"{local}@{domain}"
        previous, at = at, following


def find_mailto_emails(href: str) -> Iterator[str]:
    """The recipients of a ``mailto:`` address; nothing for any other address.

    Source: https://www.rfc-editor.org/rfc/rfc6068#section-2
    """
    if href[:7].lower() != "mailto:":
        return
    path, _, query = href[7:MAX_MAILTO_CHARS].partition("?")
    yield from find_emails(unquote(path))
    for field in query.split("&"):
        name, _, value = field.partition("=")
        if name.lower() in {"to", "cc", "bcc"}:
            yield from find_emails(unquote(value))


def mask_email(address: str) -> str:
    """The address without what makes it personal: ``jane.doe@example.com`` becomes ``j***@example.com``."""
    local, _, domain = address.rpartition("@")
    return f"{local[:1]}***@{domain}"


def _is_local(local: str) -> bool:
    return 0 < len(local) <= MAX_LOCAL_CHARS and not local.endswith(".") and ".." not in local


def _is_domain(domain: str) -> bool:
    labels = domain.lower().split(".")
    if len(domain) > MAX_DOMAIN_CHARS or len(labels) < 2:
        return False
    if any(not label or len(label) > MAX_LABEL_CHARS or label[0] == "-" or label[-1] == "-" for label in labels):
        return False
    last = labels[-1]
    if len(last) < 2 or not (last.isalpha() or last.startswith("xn--")) or last in _FILE_ENDINGS:
        return False
    # ``1.2.3-beta.rc`` and ``v2.0.next`` are versions; ``163.com`` is a host.
    return not (_VERSION_LABEL.fullmatch(labels[0]) and labels[1][:1].isdigit())


def _is_user_of_a_server(text: str, start: int, end: int) -> bool:
    """Return whether what stands around ``user@host`` makes it part of a URL, a path or a remote of a repository."""
    before = text[start - 1] if start else ""
    if before in {"/", "\\", "@"}:
        return True
    if before == ":":
        word = start - 1
        while word > max(0, start - 20) and text[word - 1].isalnum():
            word -= 1
        label = text[word : start - 1].lower()
        if label and not label.endswith(_LABELS_BEFORE_COLON):
            return True
    after = text[end : end + 2]
    return len(after) == 2 and after[0] == ":" and (after[1].isalnum() or after[1] in "/~")
