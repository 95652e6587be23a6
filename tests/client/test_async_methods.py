"""Methods of the asynchronous client, on the real application."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from pagegrade.client import AsyncClient, NotFound, StillRunning
from tests.web.calling import BASE_URL, Instance, make_instance


def client_of(instance: Instance) -> AsyncClient:
    """A client of the application."""
    return AsyncClient(BASE_URL, instance.key, transport=httpx2.ASGITransport(app=instance.app))


def test_a_report_is_created_awaited_listed_compared_and_deleted(tmp_path: Path) -> None:
    """The whole life of a report, by methods only."""

    async def life() -> None:
        async with make_instance(tmp_path) as instance, client_of(instance) as client:
            report = await client.create_report("https://example.com/", privacy=1)
            with pytest.raises(StillRunning):
                await client.wait_for_report(report["id"], limit_s=0)
            await instance.finish()
            finished = await client.wait_for_report(report["id"])
            await client.update_report(report["id"], results=1)
            await instance.finish()
            listed = [one["id"] async for one in client.iterate_reports(sort="asc", per_page=10)]
            runs = [one["number"] async for one in client.iterate_runs(report["id"])]
            compared = await client.compare_runs(report["id"], from_=1, to=2)
            sarif = await client.show_report_file(report["id"], "sarif")
            gone = await client.delete_report(report["id"])
            with pytest.raises(NotFound) as caught:
                await client.show_report(report["id"])

            assert report["state"] == "queued"
            assert finished["state"] == "completed"
            assert listed == [report["id"]]
            assert runs == [2, 1]
            assert (compared["from"], compared["to"]) == (1, 2)
            assert sarif.startswith(b"{")
            assert gone["deleted"]
            assert caught.value.code == "not_found"
            assert caught.value.problem["type"] == f"{BASE_URL}/problems/not-found"

    asyncio.run(life())
