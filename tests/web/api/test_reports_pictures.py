from __future__ import annotations

from pathlib import Path

import httpx
from msgspec.structs import replace

from pagegrade.model.stored import PackedPicture
from pagegrade.report.codec import pack_report
from tests.report_builders import make_report
from tests.web.calling import REPORTS, Instance, with_instance

DRAWN = replace(pack_report(make_report()), pictures=(PackedPicture(name="viewport", body=b"RIFF\x04\0\0\0WEBP"),))


def test_a_picture_needs_a_key_that_may_read_reports(tmp_path: Path) -> None:
    """Errors are problems in JSON, as everywhere in the API; pages of other origins may show what a key opens."""

    async def script(instance: Instance) -> list[httpx.Response]:
        report = await instance.create()
        await instance.finish(DRAWN)
        path = f"{REPORTS}/{report['id']}/pictures/viewport"
        weak = instance.add_key("account:read")
        return [
            await instance.call("GET", path),
            await instance.call("GET", path, key=None),
            await instance.call("GET", path, key=weak),
            await instance.call("GET", f"{REPORTS}/0/pictures/viewport"),
        ]

    shown, unknown, weak, none = with_instance(tmp_path, script)

    assert (shown.status_code, shown.content) == (200, b"RIFF\x04\0\0\0WEBP")
    assert shown.headers["access-control-allow-origin"] == "*"
    assert [answer.status_code for answer in (unknown, weak, none)] == [401, 403, 404]
    assert all("application/problem+json" in answer.headers["content-type"] for answer in (unknown, weak, none))
