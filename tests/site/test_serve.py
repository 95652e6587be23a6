"""The test site serves what its pages promise."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
from collections.abc import Iterator
from typing import NamedTuple

import brotli
import pytest
from ada_url import URL
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ResponseReceived

from pagegrade.parse.files.image import read_image
from tests.site import assets, pages
from tests.site.serve import Site, serve_site

pytestmark = pytest.mark.enable_socket


class Got(NamedTuple):
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The site on free ports."""
    with serve_site() as served:
        yield served


def get(url: str, **headers: str) -> Got:
    """One GET without following redirects."""
    parts = URL(url)
    connection = http.client.HTTPConnection(parts.hostname, int(parts.port or 80), timeout=60)
    try:
        connection.request("GET", parts.pathname, headers=headers)
        answer = connection.getresponse()
        return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def test_an_edited_page_keeps_its_headers(site: Site) -> None:
    """HTML that is put in place of a page is served from then on, until it is taken away."""
    before = get(site.http + "/poor")
    site.edited["/poor"] = "<p>Edited.</p>"
    edited = get(site.http + "/poor")
    site.edited.clear()

    assert edited.body == b"<p>Edited.</p>"
    assert edited.headers["x-powered-by"] == before.headers["x-powered-by"]
    assert get(site.http + "/poor").body == before.body


def test_good_page_links_only_to_what_exists(site: Site) -> None:
    """Every file and page that the good page names answers 200."""
    page = get(site.http + "/").body.decode()
    named = set(re.findall(r"""(?:href|src)="(/[^"]*)""", page))

    assert {path: get(site.http + path).status for path in named} == dict.fromkeys(named, 200)


def test_text_is_compressed_when_the_client_can(site: Site) -> None:
    """Brotli is used when offered, and decodes to the plain body."""
    packed = get(site.http + "/", **{"Accept-Encoding": "gzip, br"})
    plain = get(site.http + "/")

    assert packed.headers["content-encoding"] == "br"
    assert brotli.decompress(packed.body) == plain.body


def test_page_of_many_parts_makes_a_browser_fetch_thirty_files(site: Site) -> None:
    """The number that benches rely on is that of the files named, without candidates that a browser passes over."""
    texts = [pages.many_page(), *(pages.many_style(number) for number in range(3))]
    # Relative names are those of the stylesheets, which lie in /many/.
    named = {name for text in texts for name in re.findall(r"/many/([\w.-]+)|url\([\"']?([\w-]+\.\w+)", text)}
    files = {one or two for one, two in named} | set(re.findall(r'import url\("([\w.]+)', texts[1]))

    assert len(files - {"wide.webp", "narrow.webp", "set-2.webp"}) == pages.SUBRESOURCES
    assert {get(f"{site.http}/many/{name}").status for name in files} == {200}


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/redirect/3", 302, "/redirect/2"),
        ("/redirect/1", 302, "/"),
        ("/moved", 301, "/"),
        ("/loop", 302, "/loop/back"),
        ("/challenge", 403, None),
        ("/status/503", 503, None),
        ("/nowhere", 404, None),
        ("/document.pdf", 200, None),
    ],
)
def test_odd_paths_answer_as_promised(site: Site, path: str, status: int, location: str | None) -> None:
    """Redirects, errors and other types."""
    answer = get(site.http + path)

    assert (answer.status, answer.headers.get("location")) == (status, location)


@pytest.mark.parametrize("path", ["/", "/robots.txt", "/no-such-page"])
def test_relatives_answer_everything_with_200(site: Site, path: str) -> None:
    """The soft-404 site and the application never say 404."""
    assert [get(origin + path).status for origin in (site.soft_404, site.spa)] == [200, 200]


def test_secure_site_speaks_http_2(site: Site) -> None:
    """The TLS listener negotiates h2 with a certificate of its own authority and answers on it."""
    context = ssl.create_default_context(cafile=str(site.ca_file))
    context.set_alpn_protocols(["h2"])
    port = int(URL(site.https).port)
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as raw,
        context.wrap_socket(raw, server_hostname="localhost") as secure,
    ):
        chosen = secure.selected_alpn_protocol()
        client = H2Connection(H2Configuration(client_side=True))
        client.initiate_connection()
        client.send_headers(
            1,
            [(":method", "GET"), (":path", "/"), (":scheme", "https"), (":authority", f"localhost:{port}")],
            end_stream=True,
        )
        secure.sendall(client.data_to_send())
        answers: list[ResponseReceived] = []
        while not answers:
            answers = [each for each in client.receive_data(secure.recv(65536)) if isinstance(each, ResponseReceived)]

    assert (chosen, dict(answers[0].headers or [])[b":status"]) == ("h2", b"200")


def test_structured_data_is_json(site: Site) -> None:
    """The good page's JSON-LD can be read and speaks of this origin."""
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', get(site.http + "/").body.decode())

    assert found is not None
    assert json.loads(found[1])["mainEntityOfPage"] == site.http + "/"


@pytest.mark.parametrize(
    ("content", "form", "size"),
    [
        (assets.png(40, 30), "png", (40, 30)),
        (assets.webp(600, 315), "webp", (600, 315)),
        (assets.gif(10, 8), "gif", (10, 8)),
        (assets.jpeg(64, 48), "jpeg", (64, 48)),
    ],
)
def test_images_made_in_code_have_their_size(content: bytes, form: str, size: tuple[int, int]) -> None:
    """Our own reader of image heads agrees with the makers."""
    facts = read_image(content)

    assert facts is not None
    assert (facts.format, facts.width_px, facts.height_px) == (form, *size)
