"""Group A: the URL as it was typed."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from tests.fault.pages import OK
from tests.lab.case import Case, Expect, Holds, Place, Scene, Seen, Service, Stage, done, refused, web
from tests.lab.names import records
from tests.lab.servers import page, response, sends

BAD, NOT_ALLOWED, EITHER = refused("InvalidURL"), refused("URLNotAllowed"), refused()
MAX_URL_BYTES = 2048
_FANCY_LOCALHOST = "".join(chr(0x24D0 + ord(letter) - ord("a")) for letter in "localhost")


def cases() -> Iterator[Case]:
    """Rows A01 to A34."""
    for row, title, expect, urls in _REFUSED:
        for letter, url in zip(_letters(), urls, strict=False):
            yield Case(id=row + letter, title=title, expect=expect, url=url)
    yield from _accepted()


def _letters() -> Iterator[str]:
    yield from ascii_lowercase
    for first in ascii_lowercase:
        for second in ascii_lowercase:
            yield first + second


def _accepted() -> Iterator[Case]:
    ok = web(page(OK))
    yield Case(
        id="A18z", title="a fragment that looks like a host", url="http://{host}#@127.0.0.1/", stage=ok, expect=done()
    )
    for letter, url in zip("abc", ("http:{host}", "http:/{host}", "http:///{host}"), strict=True):
        yield Case(
            id=f"A19{letter}",
            title="slashes missing or too many",
            url=url,
            stage=ok,
            expect=done(),
            holds=[_ends_at_host],
        )
    for letter, url in zip("ab", ("{host}", "{host}/"), strict=True):
        yield Case(
            id=f"A20{letter}", title="no scheme", url=url, stage=_both_ports(), expect=done(), holds=[_is_secure]
        )
    yield Case(
        id="A22",
        title="capital letters",
        url=lambda place: f"HTTP://{place.host.upper()}/",
        stage=ok,
        expect=done(),
        holds=[_ends_at_host],
    )
    for letter, url in zip("ab", ("http://{host}:00080/", "http://{host}:/"), strict=True):
        yield Case(
            id=f"A24{letter}", title="odd but legal port", url=url, stage=ok, expect=done(), holds=[_ends_at_host]
        )
    for letter, label, ascii_label in zip("abc", ("ß", "☃", "faß"), ("xn--zca", "xn--n3h", "xn--fa-hia"), strict=True):
        yield Case(
            id=f"A32{letter}",
            title="international name",
            url=f"http://{label}.{{host}}/",
            stage=_below(ascii_label),
            expect=done(),
            holds=[_ends_below(ascii_label)],
        )
    yield Case(
        id="A33a",
        title="longest URL",
        url=lambda place: _long(place, MAX_URL_BYTES),
        stage=web(sends(response(OK))),
        expect=done(),
    )
    yield Case(id="A33b", title="one byte too long", url=lambda place: _long(place, MAX_URL_BYTES + 1), expect=BAD)
    yield Case(id="A33c", title="a megabyte", url=lambda place: _long(place, 1_000_000), expect=BAD)


def _long(place: Place, size_bytes: int) -> str:
    start = f"http://{place.host}/"
    return start + "a" * (size_bytes - len(start))


def _both_ports() -> Stage:
    def stage(place: Place) -> Scene:
        return Scene(
            services=[
                Service(address=place.ip, port=80, script=page(OK)),
                Service(address=place.ip, port=443, script=page(OK), tls=place.context()),
            ],
            zone={place.host: records(a=[place.ip])},
        )

    return stage


def _below(label: str) -> Stage:
    def stage(place: Place) -> Scene:
        return Scene(
            services=[Service(address=place.ip, port=80, script=page(OK))],
            zone={f"{label}.{place.host}": records(a=[place.ip])},
        )

    return stage


def _ends_at_host(seen: Seen) -> str | None:
    wanted = f"http://{seen.place.host}/"
    return None if seen.outcome.final_url == wanted else f"the page's URL is {seen.outcome.final_url!r}, not {wanted!r}"


def _is_secure(seen: Seen) -> str | None:
    wanted = f"https://{seen.place.host}/"
    return None if seen.outcome.final_url == wanted else f"the page's URL is {seen.outcome.final_url!r}, not {wanted!r}"


def _ends_below(label: str) -> Holds:
    def holds(seen: Seen) -> str | None:
        wanted = f"http://{label}.{seen.place.host}/"
        return None if seen.outcome.final_url == wanted else f"the page's URL is {seen.outcome.final_url!r}"

    return holds


_REFUSED: tuple[tuple[str, str, Expect, tuple[str, ...]], ...] = (
    ("A01", "loopback", NOT_ALLOWED, ("http://127.0.0.1/",)),
    ("A02", "loopback as one number", NOT_ALLOWED, ("http://2130706433/",)),
    ("A03", "loopback in hexadecimal", NOT_ALLOWED, ("http://0x7f000001/", "http://0x7f.1/")),
    ("A04", "loopback in octal", NOT_ALLOWED, ("http://0177.0.0.1/", "http://017700000001/")),
    ("A05", "loopback in two and three parts", NOT_ALLOWED, ("http://127.1/", "http://127.0.1/")),
    ("A06", "leading zeros", NOT_ALLOWED, ("http://127.000.000.001/",)),
    ("A07", "this host", NOT_ALLOWED, ("http://0/", "http://0x/", "http://0.0.0.0/")),
    ("A08", "final dot on an address", NOT_ALLOWED, ("http://127.0.0.1./",)),
    (
        "A09",
        "names that mean loopback",
        NOT_ALLOWED,
        ("http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/"),
    ),
    (
        "A10",
        "IPv6 loopback and unspecified",
        NOT_ALLOWED,
        ("http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[0000::1]/", "http://[::]/"),
    ),
    (
        "A11",
        "mapped loopback",
        NOT_ALLOWED,
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::FFFF:7F00:1]/"),
    ),
    ("A12", "zone ids", BAD, ("http://[fe80::1%25eth0]/", "http://[fe80::1%lo]/")),
    ("A13", "fullwidth digits", NOT_ALLOWED, ("http://１２７.０.０.１/",)),
    ("A14", "circled letters", NOT_ALLOWED, (f"http://{_FANCY_LOCALHOST}/",)),
    ("A15", "user and password", NOT_ALLOWED, ("http://user:pw@example.com/",)),
    ("A16", "a user that looks like a host", NOT_ALLOWED, ("http://example.com@127.0.0.1/",)),
    ("A17", "two at signs", NOT_ALLOWED, ("http://a@b@127.0.0.1/",)),
    ("A18", "loopback before a fragment", NOT_ALLOWED, ("http://127.0.0.1#@example.com/",)),
    (
        "A21",
        "other schemes",
        EITHER,
        (
            "file:///etc/passwd",
            "gopher://example.com/",
            "ftp://example.com/",
            "dict://example.com:11211/",
            "ldap://example.com/",
            "jar:http://example.com!/",
            "data:text/html,x",
            "javascript:alert(1)",
            "blob:http://example.com/1",
            "about:blank",
            "view-source:http://example.com/",
            "chrome://version",
            "http+unix://%2Fvar%2Frun%2Fx.sock/",
        ),
    ),
    (
        "A23",
        "ports that are not allowed or not ports",
        EITHER,
        tuple(
            f"http://example.com:{port}/"
            for port in ("22", "25", "6379", "0", "65536", "-1", "+80", "8_0", " 80", "８０")
        ),
    ),
    (
        "A25",
        "control characters",
        BAD,
        ("http://exa\tmple.com/", "http://example.com\n/", "http://example.com\r\nX: y/", "http://example.com/\x01"),
    ),
    ("A26", "NUL in the host", BAD, ("http://127.0.0.1\x00.example.com/", "http://127.0.0.1%00.example.com/")),
    (
        "A27",
        "forbidden host characters",
        BAD,
        tuple(f"http://exa{character}mple.com/" for character in ' <>"`{}^|'),
    ),
    (
        "A28",
        "brackets",
        BAD,
        ("http://[::1]:80:90/", "http://[127.0.0.1]/", "http://[example.com]/", "http://[v1.a]/", "http://[/"),
    ),
    (
        "A29",
        "numbers that are no address",
        BAD,
        ("http://256.256.256.256/", "http://1.2.3.4.5/", "http://1.2.3.09/"),
    ),
    (
        "A30",
        "labels too long or empty",
        EITHER,
        (
            f"http://{'a' * 64}.com/",
            f"http://{'.'.join(['a' * 49] * 5)}.example.com/",
            "http://a..b.com/",
            "http://.example.com/",
            "http://example.com.../",
        ),
    ),
    ("A31", "bad punycode", BAD, ("http://xn--/", "http://xn--a/", f"http://xn--{'a' * 1900}.com/")),
    (
        "A34",
        "names of the inside",
        NOT_ALLOWED,
        (
            "http://intranet/",
            "http://db/",
            "http://api.internal/",
            "http://printer.local/",
            "http://nas.home.arpa/",
            "http://abcdefgh.onion/",
            "http://metadata.google.internal/",
            "http://kubernetes.default.svc/",
        ),
    ),
)
