"""Networks that the operator opened: reached by what was asked of a host that lies there, and by no public page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.fault.pages import OK, with_body
from tests.fault.redirects import to
from tests.lab.case import Case, Expect, Place, Scene, Seen, Service, Stage, done, failed
from tests.lab.names import records
from tests.lab.servers import Script, page, paths, response, sends

NETWORKS: Final = ("10.78.0.0/16", "fd12:78::/32")
VICTIM: Final = "10.78.9.9"
"""In the operator's networks; nothing listens there, and a packet to it shows."""
HOME: Final = "10.78.0.{number}"
NEIGHBOR: Final = "10.78.1.{number}"
INSIDE: Final = ("http://10.78.9.9/", "http://10.78.9.9:8080/", "http://[fd12:78::9]/", "http://{other}:8080/")
"""``{other}`` is a name of the victim."""
NOT_ALLOWED: Final = failed("address_not_allowed")
TAGS: Final = (
    '<img src="{url}a.png" alt=""><img srcset="{url}b.png 2x" alt=""><picture><source srcset="{url}c.webp"></picture>'
    '<script src="{url}d.js"></script><script type=module src="{url}e.mjs"></script>'
    '<link rel=stylesheet href="{url}f.css"><style>@import "{url}g.css"; @font-face {{font-family: x; '
    "src: url({url}h.woff2)}} p {{background: url({url}i.png)}}</style>"
    '<link rel=icon href="{url}j.ico"><link rel=manifest href="{url}k.json">'
    '<link rel=preload as=font href="{url}l"><link rel=canonical href="{url}m">'
    '<link rel=alternate hreflang=de href="{url}n"><link rel=prefetch href="{url}o">'
    '<meta property="og:image" content="{url}p.png"><meta http-equiv=refresh content="0; url={url}q">'
    '<iframe src="{url}r"></iframe><object data="{url}s"></object><embed src="{url}t"><video src="{url}u.mp4"></video>'
    '<form action="{url}v" method=post><input type=password name=p><button>Log in</button></form>'
    '<a href="{url}w">w</a><a ping="{url}x" href="{url}y">y</a>'
    '<script>fetch("{url}z", {{method: "POST", mode: "no-cors"}})</script>'
)
"""Ways in which a page names an address."""


def cases() -> Iterator[Case]:
    """Cases N01 to N12."""
    yield _case("N01", "a public page names it in every way", _public(_names_it), done(), holds=[_own_only])
    for letter, url in zip("abcd", INSIDE, strict=True):
        yield _case(f"N02{letter}", "a public page redirects there", _public(_redirects(url)), NOT_ALLOWED)
    yield _case("N03", "a file of a public page redirects there", _public(_names_other, other=_to_victim), done())
    yield _case(
        "N04",
        "a public page redirects by two steps",
        _public(_redirects("http://{other}/"), other=_to_victim),
        NOT_ALLOWED,
    )
    yield _case("N05", "a public name has an address there as well", _mixed, NOT_ALLOWED)
    yield _case(
        "N06",
        "a page there and the files it names there",
        _home(6, lambda _: page(with_body('<script src="http://10.78.1.6:81/a.js"></script>'))),
        done(),
        url="http://10.78.0.6:8123/",
        holds=[_reached("http://10.78.1.6:81/a.js")],
    )
    yield _case(
        "N07", "a name that leads there", _home(7, lambda _: page(OK), name=True), done(), url="http://{host}:8123/"
    )
    yield _case(
        "N08",
        "a page there redirects to a public one that names it",
        _home(8, _redirects("http://{host}/"), public=_names_it),
        done(),
        url="http://10.78.0.8:8123/",
        holds=[_own_only],
    )
    yield _case(
        "N09",
        "a page there redirects to a public one that redirects back",
        _home(9, _redirects("http://{host}/"), public=_to_victim),
        NOT_ALLOWED,
        url="http://10.78.0.9:8123/",
    )
    yield _case(
        "N10",
        "a file of a page there is public and redirects back",
        _home(10, _names_host, public=_to_victim),
        done(),
        url="http://10.78.0.10:8123/",
    )
    yield _case("N11a", "a public receiver redirects there", _public(_to_victim), failed("redirect"), deliveries=1)
    yield _case("N11b", "a receiver with an address on either side", _mixed, NOT_ALLOWED, deliveries=1)
    yield _case(
        "N12", "a receiver there", _home(12, lambda _: page(OK)), done(), url="http://10.78.0.12:8123/", deliveries=1
    )


def _case(
    case_id: str,
    title: str,
    stage: Stage,
    expect: Expect,
    *,
    url: str = "http://{host}/",
    holds: list[Callable[[Seen], str | None]] | None = None,
    deliveries: int = 0,
) -> Case:
    return Case(
        id=case_id,
        title=title,
        url=url,
        stage=stage,
        expect=expect,
        networks=NETWORKS,
        holds=holds or (),
        deliveries=deliveries,
    )


Make = Callable[[Place], Script]


def _names_it(place: Place) -> Script:
    urls = [url.replace("{other}", place.other) for url in INSIDE]
    return page(with_body("".join(TAGS.format(url=url) for url in urls)))


def _names_other(place: Place) -> Script:
    return page(
        with_body(f'<img src="http://{place.other}/a.png" alt=""><script src="http://{place.other}/b.js"></script>')
    )


def _names_host(place: Place) -> Script:
    return page(
        with_body(f'<img src="http://{place.host}/a.png" alt=""><script src="http://{place.host}/b.js"></script>')
    )


def _redirects(url: str) -> Make:
    return lambda place: sends(to(url.replace("{other}", place.other).replace("{host}", place.host)))


def _to_victim(_place: Place) -> Script:
    return sends(to(f"http://{VICTIM}/_shutdown"))


def _public(make: Make, *, other: Make | None = None) -> Stage:
    """A public host; the other one is public as well, or a name of the victim."""

    def stage(place: Place) -> Scene:
        services = [Service(address=place.ip, port=80, script=make(place))]
        zone = {place.host: records(a=[place.ip]), place.other: records(a=[VICTIM])}
        if other is not None:
            services.append(Service(address=place.other_ip, port=80, script=other(place)))
            zone[place.other] = records(a=[place.other_ip])
        return Scene(services=services, zone=zone)

    return stage


def _mixed(place: Place) -> Scene:
    return Scene(
        services=[Service(address=place.ip, port=80, script=page(OK))], zone={place.host: records(a=[place.ip, VICTIM])}
    )


def _home(number: int, make: Make, *, public: Make | None = None, name: bool = False) -> Stage:
    """A host in the operator's networks on a port of its own, its neighbor, and a public host."""
    address, neighbor = HOME.format(number=number), NEIGHBOR.format(number=number)

    def stage(place: Place) -> Scene:
        services = [
            Service(address=address, port=8123, script=make(place)),
            Service(address=neighbor, port=81, script=paths({"/a.js": response("1", content_type="text/javascript")})),
        ]
        zone = {place.host: records(a=[address if name else place.ip]), place.other: records(a=[VICTIM])}
        if public is not None:
            services.append(Service(address=place.ip, port=80, script=public(place)))
        return Scene(services=services, zone=zone)

    return stage


def _own_only(seen: Seen) -> str | None:
    fetched = [url for url, code in seen.outcome.resources.items() if code.isdigit()]
    return f"fetched {fetched}" if fetched else None


def _reached(url: str) -> Callable[[Seen], str | None]:
    def holds(seen: Seen) -> str | None:
        found = seen.outcome.resources.get(url)
        return None if found == "200" else f"{url} is {found}"

    return holds
