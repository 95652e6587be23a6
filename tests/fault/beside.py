"""Files beside the page: every other path a body is read on meets the same bombs, drips and endless answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Final

from tests.fault import bodies
from tests.fault.pages import OK, with_body, with_head
from tests.lab.case import Case, PerPlace, Place, Seen, done, web
from tests.lab.servers import Connection, Script, response

MEMORY_MB: Final = 96
MAX_IMPORTS: Final = 200
_PAGE: Final = with_head(
    '<link rel=stylesheet href="/style.css"><script src="/script.js"></script><link rel=icon href="/favicon.ico">'
).replace("</body>", '<img src="/image.png" alt=""></body>')


def cases() -> Iterator[Case]:
    """Cases S01 to S09."""
    packed = {"gzip": bodies.gzip_bomb, "br": bodies.brotli_bomb, "zstd": bodies.zstd_bomb}
    for letter, (coding, make) in zip("abc", packed.items(), strict=True):
        yield Case(
            id=f"S01{letter}",
            title=f"everything beside the page is a {coding} bomb",
            stage=web(PerPlace(_all_beside(make, coding))),
            expect=done(),
            memory_mb=MEMORY_MB,
            evaluation_s=4,
            budget_s=6,
        )
    yield _all("S02", "everything beside the page never answers", Connection.wait)
    yield _all("S03", "everything beside the page drips", _drip)
    yield _all("S04", "everything beside the page is endless", _endless, memory_mb=MEMORY_MB)
    yield _all("S05", "everything beside the page is reset", _reset)
    yield _all("S06", "everything beside the page leads inside", _inside)
    yield _all("S07", "everything beside the page loops", _loop)
    yield Case(
        id="S08",
        title="stylesheets that import each other for ever",
        stage=web(PerPlace(_importing)),
        expect=done(),
        holds=[_few_imports],
        budget_s=6,
    )
    yield Case(
        id="S09",
        title="two hundred files of a host that swallows connections",
        stage=web(PerPlace(_slow_images), other=lambda _: Connection.wait),
        expect=done(),
    )


def _all(case_id: str, title: str, script: Script, *, memory_mb: float | None = None) -> Case:
    return Case(
        id=case_id,
        title=title,
        stage=web(_page_and(script)),
        expect=done(),
        memory_mb=memory_mb,
        evaluation_s=2,
        holds=[_page_was_read],
    )


def _page_and(script: Script) -> Script:
    """The page at ``/``; ``script`` takes over, after the request was read, for everything else."""

    def choose(connection: Connection) -> None:
        request = connection.read_request()
        if request.split(b" ")[1:2] == [b"/"]:
            connection.send(response(_PAGE))
        elif request:
            script(connection)

    return choose


def _all_beside(make: Callable[[], bytes], coding: str) -> Callable[[Place], Script]:
    def make_script(_: Place) -> Script:
        bomb = make()

        def script(connection: Connection) -> None:
            request = bytes(connection.received).rsplit(b"GET ", 1)[-1]
            media_type = "text/css" if request.startswith(b"/style") else "text/plain"
            connection.send(response(bomb, f"Content-Encoding: {coding}", content_type=media_type))

        return _page_and(script)

    return make_script


def _drip(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 100000\r\n\r\n")
    connection.drip(b"a" * 1000, 0.25)


def _endless(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n")
    connection.repeat(b"p { color: red }\n" * 4096)


def _reset(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 100\r\n\r\np {")
    connection.reset()


def _inside(connection: Connection) -> None:
    connection.send(response(b"", "Location: http://127.0.0.1/", status="302 Found"))


def _loop(connection: Connection) -> None:
    connection.send(response(b"", "Location: /style.css", status="302 Found"))


def _importing(place: Place) -> Script:
    numbers = itertools.count()

    def script(connection: Connection) -> None:
        named = "".join(f'@import "http://{place.host}/{next(numbers)}.css";' for _ in range(3))
        connection.send(response(named, content_type="text/css"))

    return _page_and(script)


def _slow_images(place: Place) -> Script:
    images = "".join(f'<img src="http://{place.other}/{number}.png" alt="">' for number in range(200))

    def script(connection: Connection) -> None:
        request = connection.read_request()
        found = request.split(b" ")[1:2] == [b"/"]
        connection.send(response(with_body(images)) if found else response(OK, status="404 Not Found"))

    return script


def _page_was_read(seen: Seen) -> str | None:
    outcome = seen.outcome
    right = outcome.title == "A page in the lab" and not outcome.truncated
    return None if right else f"title {outcome.title!r}, truncated {outcome.truncated!r}"


def _few_imports(seen: Seen) -> str | None:
    count = sum(1 for record in seen.records if b".css " in record.received)
    return f"asked for {count} stylesheets" if count > MAX_IMPORTS else None
