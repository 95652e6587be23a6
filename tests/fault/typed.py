"""A private address that was typed at a terminal: that host and port may be reached, nothing it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tests.fault.pages import OK, with_body
from tests.fault.redirects import to
from tests.lab.case import Case, Expect, Place, Scene, Seen, Service, Stage, done, done_or_failed, failed, refused
from tests.lab.names import records
from tests.lab.servers import Script, page, sends

HOME: Final = "10.77.0.{number}"
"""Private addresses of these cases alone; their neighbors are not in use."""
NEIGHBOUR: Final = "http://10.77.9.9/"
NOT_ALLOWED: Final = failed("address_not_allowed")


def cases() -> Iterator[Case]:
    """Cases T01 to T07."""
    yield _typed("T01", 1, "a development server", page(OK), done())
    yield _typed("T02a", 2, "redirects to its neighbour", sends(to(NEIGHBOUR)), NOT_ALLOWED)
    yield _typed("T02b", 3, "redirects to loopback", sends(to("http://127.0.0.1/")), NOT_ALLOWED)
    yield _typed("T02c", 4, "redirects to another of its ports", sends(to("http://10.77.0.4:8080/")), NOT_ALLOWED)
    yield _typed("T02d", 5, "redirects to metadata", sends(to("http://169.254.169.254/")), NOT_ALLOWED)
    named = "".join(
        f'<img src="{url}a.png" alt=""><script src="{url}b.js"></script><link rel=stylesheet href="{url}c.css">'
        for url in (NEIGHBOUR, "http://127.0.0.1/", "http://10.77.0.6:8080/", "http://169.254.169.254/")
    )
    yield _typed("T03", 6, "names its neighbours", page(with_body(named)), done())
    for letter, url in zip(
        "abc", ("http://169.254.169.254/", "http://100.100.100.200/", "http://[fd00:ec2::254]/"), strict=True
    ):
        yield Case(
            id=f"T04{letter}",
            title="metadata stays forbidden, typed or not",
            url=url,
            expect=Expect(
                states=frozenset({"refused", "failed"}), codes=frozenset({"URLNotAllowed", "address_not_allowed"})
            ),
            typed_private=True,
        )
    yield Case(id="T05", title="not typed, not reached", url="http://10.77.0.7/", expect=refused("URLNotAllowed"))
    yield Case(
        id="T06",
        title="a typed name that leads to a private address",
        stage=_home(8, page(OK), name=True),
        expect=done(),
        typed_private=True,
    )
    yield Case(
        id="T07",
        title="a typed public page that names and redirects inside",
        stage=_public_page,
        expect=done_or_failed("address_not_allowed"),
        holds=[_own_only],
        typed_private=True,
    )


def _typed(case_id: str, number: int, title: str, script: Script, expect: Expect) -> Case:
    return Case(
        id=case_id,
        title=title,
        url=f"http://{HOME.format(number=number)}/",
        stage=_home(number, script),
        expect=expect,
        typed_private=True,
    )


def _home(number: int, script: Script, *, name: bool = False) -> Stage:
    address = HOME.format(number=number)

    def stage(place: Place) -> Scene:
        zone = {place.host: records(a=[address])} if name else {}
        return Scene(services=[Service(address=address, port=80, script=script)], zone=zone)

    return stage


def _public_page(place: Place) -> Scene:
    body = with_body(f'<img src="{NEIGHBOUR}a.png" alt=""><img src="http://localhost/b.png" alt="">')
    return Scene(
        services=[Service(address=place.ip, port=80, script=page(body))], zone={place.host: records(a=[place.ip])}
    )


def _own_only(seen: Seen) -> str | None:
    fetched: Sequence[str] = [url for url, code in seen.outcome.resources.items() if code.isdigit()]
    return f"fetched {fetched}" if fetched else None
