from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest

from pagegrade.web.compression import MAX_CHARACTERS, SMALLEST, compress, negotiate_gzip
from pagegrade.web.http.response import Response
from tests.web.calling import Instance, with_instance

HTML = "text/html; charset=utf-8"


def an_answer(size: int = SMALLEST, media_type: str = HTML) -> Response:
    """Of so many bytes."""
    return Response(status_code=200, content=b"x" * size, media_type=media_type)


def compressed(response: Response, accept: str | None, site: str | None) -> Response:
    """The response, compressed if that was negotiated."""
    if negotiate_gzip(response, accept, site):
        compress(response)
    return response


@pytest.mark.parametrize("accept", ["gzip", "br, gzip;q=0.5", "GZIP", "*", "deflate,x-gzip", "gzip; q=0.001"])
def test_a_page_is_packed_for_who_can_unpack_it(accept: str) -> None:
    """However the header says it."""
    packed = compressed(an_answer(), accept, None)

    assert gzip.decompress(packed.body) == b"x" * SMALLEST
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert packed.headers["content-length"] == str(len(packed.body))


@pytest.mark.parametrize("accept", [None, "", "identity", "br", "gzip;q=0", "gzip; q=0.000", "zip"])
def test_others_get_it_as_it_is(accept: str | None) -> None:
    """And caches learn that there are two forms."""
    plain = compressed(an_answer(), accept, None)

    assert plain.body == b"x" * SMALLEST
    assert plain.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "answer", [an_answer(SMALLEST - 1), an_answer(5000, "application/pdf"), an_answer(5000, "image/svg+xml")]
)
def test_what_gains_nothing_is_left_alone(answer: Response) -> None:
    """Small answers, and those that are packed inside."""
    before = (bytes(answer.body), list(answer.raw_headers))

    assert (compressed(answer, "gzip", None).body, answer.raw_headers) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_learn_nothing_from_the_length(site: str) -> None:
    """Text that they put into an address must not shrink with text they do not know."""
    assert compressed(an_answer(), "gzip", site).body == b"x" * SMALLEST
    assert compressed(an_answer(), "gzip", "same-origin").body != b"x" * SMALLEST


def test_every_page_and_the_api_go_through_it(tmp_path: Path) -> None:
    """The length is that of what is sent."""

    async def script(instance: Instance) -> list[httpx.Response]:
        encoding = {"Accept-Encoding": "gzip", "Accept": "text/html"}
        pages = [await instance.call("GET", path, key=None, headers=encoding) for path in ("/", "/nothing")]
        sent = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "cross-site"}  # with a key, no other site can ask
        api = [await instance.call("GET", path, headers=sent) for path in ("/api/v1/checks", "/api/v1/openapi.json")]
        return [*pages, *api]

    pages = with_instance(tmp_path, script)

    encoded = [(page.headers["content-encoding"], "Accept-Encoding" in page.headers["vary"]) for page in pages]
    shorter = [int(page.headers["content-length"]) < len(page.content) for page in pages]

    assert encoded == [("gzip", True)] * 4
    assert shorter == [True] * 4


def test_the_length_of_the_header_is_bounded() -> None:
    """At the limit, and one past it."""
    blanks = " " * (MAX_CHARACTERS - len("gzip"))

    assert compressed(an_answer(), blanks + "gzip", None).body != an_answer().body
    assert compressed(an_answer(), blanks + " gzip", None).body == an_answer().body
