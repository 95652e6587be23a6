"""A service below a path: every page, asked for with and without the path, names nothing outside of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import html5lib
import httpx
import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.contract.test_page_matrix import World, address, make_world
from tests.web.calling import Instance, with_instance

ROOT: Final = "/tools/pagegrade"
BASE_URL: Final = f"https://reports.example.org{ROOT}"
GETS: Final = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.method == "GET"]
FORMS: Final = [each for each in ALL_OPERATIONS if each.tag == PAGES and each.method != "GET"]
TEXT: Final = frozenset({"alt", "aria-label", "content", "data-hotkey", "data-label", "placeholder", "title", "value"})
"""Attributes that are shown or sent, not followed."""


def paths_in(page: str) -> Iterator[str]:
    """The paths of the host that attributes of a page name, and its URLs on this host as paths."""
    for element in html5lib.parse(page, namespaceHTMLElements=False).iter():
        for name, value in element.attrib.items():
            found = re.match(r"(?:https://reports\.example\.org)?(/(?!/).*)", value)
            if found is not None and str(name) not in TEXT:
                yield found[1]


def outside(answer: httpx.Response) -> list[str]:
    """Places that an answer leads to and that are not below the path."""
    places = [answer.headers["location"]] if "location" in answer.headers else []
    if answer.headers.get("content-type", "").startswith("text/html"):
        places += paths_in(answer.text)
    places += re.findall(r"(?<=Path=)[^;]*", answer.headers.get("set-cookie", ""))
    paths = [place.removeprefix("https://reports.example.org") for place in places]
    return [path for path in paths if not f"{path}/".startswith(f"{ROOT}/")]


async def browse(instance: Instance, world: World, operation: Operation, root: str) -> httpx.Response:
    """The answer to a browser that has signed in, whose proxy asks for the path below this root."""
    headers = {**world.alice, "Accept": "text/html"}
    headers["Cookie"] = headers["Cookie"].replace("__Host-", "__Secure-")
    return await instance.call(operation.method, f"{root}{address(operation, world)}", key=None, headers=headers)


@pytest.mark.parametrize("root", [ROOT, ""], ids=["kept", "stripped"])
def test_no_page_leads_out(tmp_path: Path, root: str, subtests: pytest.Subtests) -> None:
    """Links, forms, scripts, redirects and cookies, of every page and every form."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        world = await make_world(instance)
        return [(each, await browse(instance, world, each, root)) for each in (*GETS, *FORMS)]

    answers = with_instance(tmp_path, script, base_url=BASE_URL)

    assert sum(answer.status_code == 200 for _, answer in answers) > len(GETS) // 2
    assert sum(len(list(paths_in(answer.text))) for _, answer in answers if "html" in str(answer.headers)) > 300
    for operation, answer in answers:
        with subtests.test(operation=operation.name):
            assert outside(answer) == []


def test_addresses_of_the_api_are_below_the_path(tmp_path: Path) -> None:
    """Those that programs follow: Location, Link, share URLs, types and instances of problems, the server."""

    async def script(instance: Instance) -> list[str]:
        made = await instance.call("POST", f"{ROOT}/api/v1/reports", data={"url": "https://example.com/"})
        await instance.create("https://example.org/")
        listed = await instance.call("GET", "/api/v1/reports?per_page=1")
        missing = await instance.call("GET", f"{ROOT}/api/v1/reports/999")
        described = await instance.call("GET", f"{ROOT}/api/v1/openapi.json")
        return [
            made.headers["location"],
            made.json()["data"]["share_url"],
            *(link["url"] for link in listed.links.values()),
            missing.json()["type"],
            f"https://reports.example.org{missing.json()['instance']}",
            described.json()["servers"][0]["url"],
        ]

    places = with_instance(tmp_path, script, base_url=BASE_URL)

    assert len(places) == 5
    assert [place for place in places if not f"{place}/".startswith(f"{BASE_URL}/")] == []


def test_neighbours_are_no_pages_of_ours(tmp_path: Path) -> None:
    """A path that only begins with the same letters, or goes up again, is not ours."""

    async def script(instance: Instance) -> list[int]:
        paths = (ROOT, f"{ROOT}/", f"{ROOT}s/reports", f"{ROOT}{ROOT}/", f"{ROOT}/../reports", "/tools/")
        return [(await instance.call("GET", path, key=None)).status_code for path in paths]

    assert with_instance(tmp_path, script, base_url=BASE_URL) == [200, 200, 404, 404, 404, 404]


@pytest.mark.parametrize("path", ["/reports", "/api/pagegrade", "/r", "/static"])
def test_a_path_that_pages_have_is_refused(tmp_path: Path, path: str) -> None:
    """Of ``/reports/1`` nobody could say whether a proxy has taken the beginning away."""

    async def script(_: Instance) -> None:
        raise AssertionError("the application was made")

    with pytest.raises(InvalidInput, match=f"PAGEGRADE_BASE_URL.*{path}.*another path, such as /pagegrade"):
        with_instance(tmp_path, script, base_url=f"https://reports.example.org{path}")
