from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from jinja2 import UndefinedError

from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import ASSETS, HELPED, MEDIA_TYPES, PLAIN, View, asset_url, go
from tests.web.calling import Instance, with_instance


def fetch(tmp_path: Path, address: str) -> httpx.Response:
    """The answer for an anonymous client."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", address, key=None)

    return with_instance(tmp_path, script)


@pytest.mark.parametrize("name", ASSETS)
def test_a_file_is_found_where_pages_say_it_is(name: str, tmp_path: Path) -> None:
    """With its type, to be kept for ever, because another content has another address."""
    answer = fetch(tmp_path, asset_url(name))

    assert answer.status_code == 200
    assert answer.headers["content-type"] in set(MEDIA_TYPES.values())
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert hashlib.sha256(answer.content).hexdigest()[:16] in asset_url(name)


def test_who_cannot_unpack_gets_it_plain(tmp_path: Path) -> None:
    """The same content, as the header Vary says."""
    address = asset_url("site.css")

    async def script(instance: Instance) -> list[httpx.Response]:
        encodings = ("gzip", "identity")
        return [await instance.call("GET", address, key=None, headers={"Accept-Encoding": each}) for each in encodings]

    packed, plain = with_instance(tmp_path, script)

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("address", ["/static/0000000000000000/site.css", "/static/x/none.css", "/static/x/..%2Fx"])
def test_nothing_else_is_there(address: str, tmp_path: Path) -> None:
    """An old address would be kept for ever with the new content."""
    assert fetch(tmp_path, address).status_code == 404


def test_swagger_ui_is_the_published_one() -> None:
    """The files are what their note says they are: version, licence and sums."""
    folder = files("pagegrade.web").joinpath("static/swagger-ui")
    note = folder.joinpath("README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w.-]+\.gz)` \| `[\w.-]+` \| `([0-9a-f]{64})` \|$", note, re.MULTILINE))
    found = {name: hashlib.sha256(gzip.decompress(folder.joinpath(name).read_bytes())).hexdigest() for name in listed}

    assert set(listed) == {path[-1] for (path, *_) in ASSETS.values() if "swagger-ui" in path}
    assert found == listed
    assert "Apache License" in folder.joinpath("LICENSE").read_text(encoding="utf-8")
    assert folder.joinpath("NOTICE").read_text(encoding="utf-8").startswith("swagger-ui")


def shown(tmp_path: Path, make: Callable[[View], Response], headers: dict[str, str] | None = None) -> httpx.Response:
    """The answer where a page is made in this way."""

    async def handler(view: View) -> Response:
        return make(view)

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/here", key=None, headers=headers)

    operation = Operation(method="GET", path="/here", name="show_here", summary="Here", handler=handler, tag=PAGES)
    return with_instance(tmp_path, script, operations=(operation,))


def failed(view: View, message: str) -> Response:
    """A page that shows text of a client."""
    return view.page(
        "failed.html.jinja", title="T", happened="Something went wrong.", message=message, number=500, slug="s"
    )


def test_a_page_escapes_what_it_shows(tmp_path: Path) -> None:
    """Every value of the template."""
    answer = shown(tmp_path, lambda view: failed(view, '"><script>alert(1)</script>'))

    assert "<script" not in answer.text
    assert "&lt;script&gt;" in answer.text


def test_a_page_lets_nothing_run(tmp_path: Path) -> None:
    """Unless our own script may help, and then nothing else."""
    plain = shown(tmp_path, lambda view: view.page("not_found.html.jinja"))
    helped = shown(tmp_path, lambda view: view.page("not_found.html.jinja", policy=HELPED))

    assert plain.headers["content-security-policy"] == PLAIN
    assert "script-src 'none'" in PLAIN
    assert "script-src 'self'; connect-src 'self'" in helped.headers["content-security-policy"]
    assert plain.headers["content-type"] == "text/html; charset=utf-8"
    assert ("<script" in plain.text, helped.text.count("<script ")) == (False, 1)


def test_a_form_says_where_it_comes_from(tmp_path: Path) -> None:
    """To us and no other site: without TLS its origin is all that distinguishes it from a form of another site."""
    answer = shown(tmp_path, lambda view: view.page("not_found.html.jinja"))

    assert '<meta name="referrer" content="same-origin">' in answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_a_page_is_for_one_reader(tmp_path: Path) -> None:
    """It is not cached, unless it says otherwise, and search engines stay out."""
    own = (("Cache-Control", "no-cache"), ("ETag", '"1"'))
    usual = shown(tmp_path, lambda view: view.page("not_found.html.jinja"))
    other = shown(tmp_path, lambda view: view.page("not_found.html.jinja", headers=own))

    assert usual.headers["cache-control"] == "private, no-store"
    assert usual.headers["x-robots-tag"] == "noindex, nofollow, noarchive"
    assert usual.headers["vary"] == "Cookie, Accept-Language, Accept-Encoding"
    assert (other.headers["cache-control"], other.headers["etag"]) == ("no-cache", '"1"')


@pytest.mark.parametrize(("asked", "tag"), [("de-AT,en;q=0.5", "de"), ("fr, en;q=0.1", "en"), ("", "en")])
def test_a_page_says_which_language_it_is_in(asked: str, tag: str, tmp_path: Path) -> None:
    """The one of ours that the browser likes best."""
    answer = shown(tmp_path, lambda view: view.page("not_found.html.jinja"), {"Accept-Language": asked})

    assert f'<html lang="{tag}" dir="ltr">' in answer.text


def test_a_page_that_misses_a_value_is_not_shown(tmp_path: Path) -> None:
    """A gap in a sentence is an internal error."""
    raised: list[str] = []

    def make(view: View) -> Response:
        with pytest.raises(UndefinedError) as caught:
            view.page("failed.html.jinja")
        raised.append(type(caught.value).__name__)
        return go("/there")

    shown(tmp_path, make)

    assert raised == ["UndefinedError"]


def test_a_form_is_answered_with_another_page(tmp_path: Path) -> None:
    """The browser gets it with GET, and may not keep it."""
    answer = shown(tmp_path, lambda _view: go("/there?said=done", ("Set-Cookie", "a=b")))

    assert (answer.status_code, answer.headers["location"]) == (303, "/there?said=done")
    assert answer.headers["set-cookie"] == "a=b"
    assert answer.headers["cache-control"] == "private, no-store"
