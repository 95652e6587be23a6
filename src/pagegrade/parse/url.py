"""The one reader of URLs: WHATWG, so that what we evaluate is what a browser would contact.

``urllib.parse`` is not used anywhere, because it reads many hostile spellings
as a different host than browsers do, strips line breaks silently and finds no
host where there is one.

Source: https://url.spec.whatwg.org/
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

import ada_url
import msgspec
from publicsuffixlist import PublicSuffixList

from pagegrade.model.errors import InvalidURL, URLNotAllowed

MAX_URL_CHARACTERS: Final = 2_048
"""Longest URL accepted from a person, as typed and in canonical form; longer keys break database indexes."""
MAX_HOST_CHARACTERS: Final = 253
"""RFC 1035 2.3.4: 255 octets on the wire, less the two that text does not show."""
MAX_LABEL_CHARACTERS: Final = 63
_SHOWN_CHARACTERS: Final = 80
"""Characters of an invalid value that an error message repeats."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_TLS_PORTS: Final = frozenset({443, 8443})
_BLANK_OR_CONTROL: Final = re.compile("[\x00-\x20\x7f]")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_BAD_SCHEME: Final = re.compile(r"[^/?#\\]*?[^/?#\\:]:[/\\]{2}")
"""Something in front of ``://`` that is no scheme."""
_HOST_LABELS: Final = re.compile(r"[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*\Z")
"""Narrower than WHATWG, which lets quotes, braces and backticks into hosts; no name in use has them."""
_PORT_ONLY: Final = re.compile(r"[0-9]{1,5}(?=[/?#\\]|\Z)")
_SCHEMES_WITHOUT_SLASHES: Final = frozenset(
    {"about", "blob", "cid", "data", "jar", "javascript", "mailto", "news", "sms", "tel", "urn", "vbscript"}
)
"""Schemes that may be followed by digits, so that ``tel:123`` is not taken for a host and its port."""


# Ranges instead of \w: the expression then looks each character up in one table, twice as fast.
_PLAIN_CHARS: Final = r"A-Za-z0-9_~!$&()*,;=:@./\-"
_PLAIN_REST: Final = rf"/[{_PLAIN_CHARS}]*+(?:\?[{_PLAIN_CHARS}?%]*+)?(?:#[{_PLAIN_CHARS}?%]*+)?"
"""Path, query and fragment of characters that no step of the URL parser changes; ``%`` not in the path, where it may
spell a dot."""
_PLAIN_PATH: Final = re.compile(rf"(?!//){_PLAIN_REST}")
_PLAIN_FRAGMENT: Final = re.compile(rf"#[{_PLAIN_CHARS}?%]*+")
_PLAIN_URL: Final = re.compile(rf"https?://(?:[a-z0-9-]++\.)+[a-z]{{2,24}}+({_PLAIN_REST})?")
"""A host whose last label is letters is no IPv4 address in disguise."""
_PLAIN_HOST: Final = re.compile(r"(?:[a-z0-9-]++\.)+[a-z]{2,24}+")
"""An authority that no step of the URL parser changes: whatever follows it cannot make the URL invalid."""


class Target(msgspec.Struct, frozen=True):
    """A requested URL, in the canonical form that all code uses."""

    url: str
    """Canonical WHATWG form: http or https, no userinfo, no fragment but a route, at most 2,048 characters."""
    typed_without_scheme: bool = False
    """The scheme was our choice, because none was typed."""

    @property
    def document_url(self) -> str:
        """Without the route: what a server is asked for."""
        return strip_fragment(self.url)


def _shown(typed: str) -> str:
    """The value for an error message: one line, escaped, short, without credentials."""
    shown = typed[:_SHOWN_CHARACTERS]
    if not shown.isprintable():
        shown = "".join(
            c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in shown
        )
    return shown + ("..." if len(typed) > _SHOWN_CHARACTERS else "")


def _read_scheme(typed: str) -> str | None:
    """The scheme as typed, lower case; ``None`` where the value starts with a host (and perhaps a port)."""
    match = _SCHEME.match(typed)
    if match is None:
        return None
    scheme, rest = match[1].lower(), typed[match.end() :]
    if scheme in _DEFAULT_PORTS or scheme in _SCHEMES_WITHOUT_SLASHES or rest.startswith("//"):
        return scheme
    # A dot never occurs in a real scheme, so `example.com:8_0` is a bad port and not a bad scheme.
    if "." in scheme or _PORT_ONLY.match(rest):
        return None
    return scheme


def parse_target_url(typed: str) -> Target:
    """Read a URL as a person typed it, once.

    A fragment is dropped unless it is a route, by which the page's own script chooses what to show.

    A value without a scheme gets ``https://``, or ``http://`` where it names this
    machine or an intranet address, as browsers do. Spaces at the ends are dropped,
    and one inside is percent-encoded. Any other blank or control character is an
    error, because readers disagree about it.

    Args:
        typed: As received.

    Returns:
        The canonical form. Whether its address may be contacted is not evaluated here.

    Raises:
        InvalidURL: ``reason`` is ``empty``, ``too_long``, ``control_character``, ``relative``, ``bad_host`` or
            ``unparsable``.
        URLNotAllowed: ``reason`` is ``scheme_not_allowed`` or ``userinfo_not_allowed``.

    Source: https://url.spec.whatwg.org/#url-parsing
    """
    typed = typed.strip(" ").replace(" ", "%20")
    if not typed:
        raise InvalidURL("The URL is empty. Give one like https://example.com/page.", reason="empty")
    if len(typed) > MAX_URL_CHARACTERS:
        raise InvalidURL(
            f"The URL {_shown(typed)} has {len(typed)} characters; at most {MAX_URL_CHARACTERS} are accepted.",
            reason="too_long",
        )
    if _BLANK_OR_CONTROL.search(typed):
        raise InvalidURL(
            f"The URL {_shown(typed)} contains a blank or a control character. Remove it or percent-encode it.",
            reason="control_character",
        )
    scheme = _read_scheme(typed)
    if scheme is not None and scheme not in _DEFAULT_PORTS:
        raise URLNotAllowed(
            f"The URL {_shown(typed)} has the scheme {_shown(scheme)}. Only http and https are contacted.",
            reason="scheme_not_allowed",
        )
    full = typed
    if scheme is None:
        if _BAD_SCHEME.match(typed) or _is_disguised(typed.partition(":")[0]):
            raise URLNotAllowed(
                "The scheme of the URL cannot be read. Begin with http:// or https:// in plain letters.",
                reason="scheme_not_allowed",
            )
        if typed.startswith("//"):
            full = f"https:{typed}"
        elif typed[0] in "/\\?#.:":
            raise InvalidURL(
                f"The URL {_shown(typed)} names no host. Give the whole address, like https://example.com/page.",
                reason="relative",
            )
        else:
            full = f"https://{typed}"
    if scheme is None:
        plain = _canonical(f"http://{typed.lstrip('/')}", typed)
        if is_nearby(host(plain)) and port(plain) not in _TLS_PORTS:
            return Target(plain, typed_without_scheme=True)
    return Target(_canonical(full, typed), typed_without_scheme=scheme is None)


def _is_disguised(beginning: str) -> bool:
    """Return whether text in front of a colon is only a look-alike of http or https, such as full-width letters."""
    return not beginning.isascii() and unicodedata.normalize("NFKC", beginning).lower() in _DEFAULT_PORTS


def is_nearby(name: str) -> bool:
    """Return whether a host is this machine or on an intranet, where plain HTTP is what one finds."""
    address = host_address(name)
    return "." not in name or name.endswith(".localhost") if address is None else address.is_private


def _canonical(full: str, typed: str) -> str:
    after_scheme = full.partition(":")[2].lstrip("/\\")
    if "@" in re.split(r"[/\\?#]", after_scheme, maxsplit=1)[0]:
        # The message must not repeat the value: it may hold a password.
        raise URLNotAllowed(
            "The URL holds a user name or password (user:password@). Remove it; credentials are never sent.",
            reason="userinfo_not_allowed",
        )
    parsed = _parse(full)
    if parsed is None:
        raise InvalidURL(
            f"The URL {_shown(typed)} cannot be read. Check the host and the port; give one like "
            "https://example.com/page.",
            reason="unparsable",
        )
    problem = host_problem(parsed["hostname"])
    if problem is not None:
        raise InvalidURL(
            f"The host of the URL {_shown(typed)} is not a name that can exist: {problem}.", reason="bad_host"
        )
    canonical = strip_fragment(parsed["href"]) + route(parsed["href"])
    if len(canonical) > MAX_URL_CHARACTERS:
        raise InvalidURL(
            f"The URL {_shown(typed)} has {len(canonical)} characters once it is percent-encoded; at most "
            f"{MAX_URL_CHARACTERS} are accepted.",
            reason="too_long",
        )
    return canonical


def _parse(url: str) -> dict[str, str] | None:
    """Parts of an absolute URL as ada names them; ``None`` when it is none."""
    try:
        parts = ada_url.parse_url(url, attributes=("href", "protocol", "hostname", "port"))
    except ValueError:
        return None
    return {name: str(value) for name, value in parts.items()}


def host_problem(name: str) -> str | None:
    """Explain why a canonical host cannot be the name of a web server; ``None`` if it can.

    WHATWG leaves the limits of DNS to the resolver; we do not ask a resolver
    for what cannot exist. IP literals have no problem here.

    Args:
        name: Lower-case ASCII host as the parser gave it, IPv6 in brackets.

    Source: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4, https://www.rfc-editor.org/rfc/rfc3492
    """
    if name.startswith("["):
        return None
    bare = name.removesuffix(".")
    if not bare:
        return "it is empty"
    if len(bare) > MAX_HOST_CHARACTERS:
        return f"it has more than {MAX_HOST_CHARACTERS} characters"
    if not _HOST_LABELS.match(bare):
        return "it has an empty label or a character that host names cannot have"
    for label in bare.split("."):
        if len(label) > MAX_LABEL_CHARACTERS:
            return f"a label has more than {MAX_LABEL_CHARACTERS} characters"
        if label.startswith("xn--") and not _is_punycode(label):
            return "its internationalized form is broken"
    return None


@lru_cache(maxsize=1_024)
def _is_punycode(label: str) -> bool:
    # Asked three times for an address: as it was typed, in its canonical form and by the guard.
    decoded = str(ada_url.idna_to_unicode(label))
    return decoded != label and bool(ada_url.idna_to_ascii(decoded) == label.encode("ascii"))


def join_url(base: str, href: str) -> str | None:
    """The absolute URL that ``href`` means on a page at ``base``, with its fragment.

    Args:
        base: An absolute URL.
        href: As written in the page; blanks around it and line breaks inside are ignored, as browsers do.

    Returns:
        The canonical form of any scheme; ``None`` when the two do not make a URL.

    Source: https://url.spec.whatwg.org/#concept-basic-url-parser
    """
    # Nine of ten addresses on a page need no parser: they are canonical already, or a plain path of the base's host.
    whole = href
    first = href[:1]
    if first == "/":
        root = _plain_root(base)
        if root:
            if href[:2] == "//":
                whole = root.partition("/")[0] + href
            elif _PLAIN_PATH.fullmatch(href) and "/." not in href:
                return root + href
    elif first == "#" and _plain_root(base) and _PLAIN_FRAGMENT.fullmatch(href):
        return strip_fragment(base) + href
    if whole.startswith("http") and "/." not in whole and "xn--" not in whole:
        plain = _PLAIN_URL.fullmatch(whole)
        if plain is not None:
            return whole if plain[1] else f"{whole}/"
    try:
        return str(ada_url.join_url(base, href))
    except ValueError:
        pass
    # Browsers hand the parser scalar values only: a lone surrogate has become U+FFFD before.
    clean = _scalar(href)
    if clean == href:
        return None
    try:
        return str(ada_url.join_url(base, clean))
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _plain_root(base: str) -> str:
    """``scheme://host[:port]`` of a canonical http or https base without userinfo; empty for every other."""
    root = origin(base)
    return root if root and base.startswith(f"{root}/") and ada_url.normalize_url(base) == base else ""


def _scalar(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def strip_fragment(url: str) -> str:
    """The URL without ``#`` and what follows."""
    return url.partition("#")[0]


def route(url: str) -> str:
    """The fragment with its ``#`` where a script shows a page by it: ``#/...``, or ``#!...``; "" for every other.

    ``#!`` alone is none: links that lead nowhere are written so.
    """
    _, mark, fragment = url.partition("#")
    return f"{mark}{fragment}" if fragment.startswith("/") or (fragment.startswith("!") and fragment != "!") else ""


def is_http(url: str) -> bool:
    """Return whether a canonical URL is http or https."""
    return url.startswith(("https://", "http://"))


def scheme(url: str) -> str:
    """The scheme of a canonical URL without the colon; empty when there is none."""
    head, colon, _ = url.partition(":")
    return head.lower() if colon else ""


@lru_cache(maxsize=4_096)
def _authority(url: str) -> tuple[str, str, int | None]:
    """(scheme, host, port) of an absolute URL; empty strings where it has none."""
    # Nearly every address of a page is canonical by now, and then its beginning is all there is to read.
    if url.isascii():
        head = url.split("/", 3)
        plain = _plain_authority(head[0], head[2]) if len(head) == 4 and not head[1] else None
        if plain is not None:
            return plain
    parts = _parse(url)
    if parts is None:
        return "", "", None
    name = parts["protocol"].removesuffix(":")
    return name, parts["hostname"], int(parts["port"]) if parts["port"] else _DEFAULT_PORTS.get(name)


@lru_cache(maxsize=512)
def _plain_authority(protocol: str, authority: str) -> tuple[str, str, int | None] | None:
    """Split an authority that no step of the URL parser changes; ``None`` for every other."""
    name = protocol.removesuffix(":")
    if name not in _DEFAULT_PORTS or name == protocol or not _PLAIN_HOST.fullmatch(authority) or "xn--" in authority:
        return None
    return name, authority, _DEFAULT_PORTS[name]


def host(url: str) -> str:
    """The host of an absolute URL: lower-case ASCII, IPv6 in brackets; empty when it has none."""
    return _authority(url)[1]


def port(url: str) -> int | None:
    """The port of an absolute URL, the scheme's own where none is written; ``None`` when there is none."""
    return _authority(url)[2]


def origin(url: str) -> str:
    """``scheme://host[:port]`` of an http or https URL; empty for every other.

    Source: https://url.spec.whatwg.org/#concept-url-origin
    """
    name, hostname, number = _authority(url)
    if name not in _DEFAULT_PORTS or not hostname:
        return ""
    return f"{name}://{hostname}" + ("" if number == _DEFAULT_PORTS[name] else f":{number}")


def root_path(base: str) -> str:
    """Path of a base URL without a slash at its end: empty where that is an origin, else such as ``/pagegrade``."""
    _, slash, path = base.partition("://")[2].partition("/")
    return slash + path


@lru_cache(maxsize=1_024)
def host_address(name: str) -> IPv4Address | IPv6Address | None:
    """The address that a canonical host is a literal of; ``None`` when it is a name.

    Args:
        name: Host as the parser gave it; every other spelling of an IPv4 address has become dotted decimal there.
    """
    try:
        if name.startswith("["):
            return IPv6Address(name.strip("[]"))
        return IPv4Address(name)
    except AddressValueError:
        return None


@cache
def _private_suffix() -> Callable[[str], str | None]:
    """The public suffix list, read at first use: it costs tens of milliseconds."""
    lookup: Callable[[str], str | None] = PublicSuffixList(accept_unknown=True).privatesuffix
    return lookup


@lru_cache(maxsize=4_096)
def registrable_domain(name: str) -> str:
    """Return the registrable domain of a host (eTLD+1).

    Args:
        name: Lower-case ASCII host.

    Returns:
        E.g. ``example.co.uk`` for ``www.example.co.uk``; the host itself when it is an IP literal or a public suffix.

    Source: https://publicsuffix.org/list/
    """
    bare = name.removesuffix(".")
    if not bare or host_address(bare) is not None:
        return bare
    return _private_suffix()(bare) or bare


def same_site(one: str, other: str) -> bool:
    """Return whether two absolute URLs have the same registrable domain; their schemes do not matter."""
    first, second = host(one), host(other)
    return bool(first) and registrable_domain(first) == registrable_domain(second)


def project_of(url: str) -> str:
    """The project a URL belongs to: its host without ``www.``, with the port where it is not the scheme's own.

    Args:
        url: A URL, or a bare host as typed.

    Returns:
        Lower-case ASCII; empty when no host can be read.
    """
    name, hostname, number = _authority(url if "://" in url else f"https://{url}")
    shown = hostname.removesuffix(".")
    rest = shown.removeprefix("www.")
    # `www.com` is a host of its own, not the bare suffix `com`.
    shown = rest if "." in rest else shown
    return shown if number in (None, _DEFAULT_PORTS.get(name)) else f"{shown}:{number}"


def has_userinfo(url: str) -> bool:
    """Return whether an absolute URL carries a user name or a password."""
    try:
        parts = ada_url.parse_url(url, attributes=("username", "password"))
    except ValueError:
        return False
    return bool(parts.get("username") or parts.get("password"))
