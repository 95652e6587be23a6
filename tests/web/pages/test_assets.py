from __future__ import annotations

import gzip
import hashlib
import re
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

from pagegrade.web.pages.assets import ASSETS, MEDIA_TYPES, asset_url
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
