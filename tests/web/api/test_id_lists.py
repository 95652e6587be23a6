from __future__ import annotations

from pathlib import Path

import httpx

from tests.web.calling import Instance, with_instance

RULES = "/api/v1/ignores"


def test_a_cursor_keeps_the_filters_of_its_list(tmp_path: Path) -> None:
    """Its links lead on in the same list; leniently, a page number beside it is left out."""

    async def script(instance: Instance) -> list[httpx.Response]:
        for number in range(12):
            check = "title" if number % 12 else "image-alt"
            await instance.call("POST", RULES, json={"check": check, "reason": "Known."})
        first = await instance.call("GET", f"{RULES}?check=title&per_page=10&cursor=")
        path = first.json()["links"]["next"]
        lenient = {"Prefer": "handling=lenient"}
        return [
            first,
            await instance.call("GET", path[path.index(RULES) :]),
            await instance.call("GET", f"{RULES}?cursor=&page=2", headers=lenient),
        ]

    first, second, both = with_instance(tmp_path, script)

    assert [item["id"] for item in first.json()["data"]] == list(range(12, 2, -1))
    assert [item["id"] for item in second.json()["data"]] == [2]
    assert "check=title" in second.json()["links"]["prev"]
    assert (both.status_code, len(both.json()["data"])) == (200, 10)
