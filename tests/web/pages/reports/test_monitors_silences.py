"""Silences on pages."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.web.calling import Instance, with_instance

FORM = {"project": "example.com", "hours": "24", "reason": "The <b>shop</b> moves."}


def test_a_silence_is_begun_listed_and_ended_with_forms_alone(tmp_path: Path) -> None:
    """The log has who did it and why, on the page and as a file."""

    async def script(instance: Instance) -> None:
        empty = (await instance.page("GET", "/silences")).text
        made = await instance.page("POST", "/silences", data=FORM)
        listed = (await instance.page("GET", made.headers["location"])).text
        ended = await instance.page("POST", "/silences/1/end")
        after = (await instance.page("GET", ended.headers["location"])).text
        log = (await instance.page("GET", "/team/log")).text
        rows = list(csv.DictReader(io.StringIO((await instance.page("GET", "/team/log.csv")).text.lstrip("\ufeff"))))

        assert "There is no silence now." in empty
        assert (made.status_code, ended.status_code) == (303, 303)
        assert "The silence has begun." in listed
        assert "The &lt;b&gt;shop&lt;/b&gt; moves." in listed
        assert ">example.com</bdi>" in listed
        assert ">Alice</bdi>" in listed
        assert "The silence has ended." in after
        assert "There is no silence now." in after
        assert log.count("The &lt;b&gt;shop&lt;/b&gt; moves.") == 2
        assert [(row["operation"], row["who"], row["target"], row["reason"]) for row in rows] == [
            ("stop_silence", "Alice", "1", FORM["reason"]),
            ("begin_silence", "Alice", "1", FORM["reason"]),
        ]

    with_instance(tmp_path, script)


def test_a_monitor_is_offered_and_wrong_fields_are_named(tmp_path: Path) -> None:
    """Typed text stays; a monitor is chosen from its own page."""

    async def script(instance: Instance) -> None:
        await instance.create("https://example.com/a")
        await instance.page("POST", "/reports/1/monitor", data={"schedule": "daily", "remind": "weekly"})
        edit = (await instance.page("GET", "/monitors/1")).text
        form = (await instance.page("GET", "/silences?monitor=1")).text
        wrong = await instance.page("POST", "/silences", data={**FORM, "monitor": "1", "hours": "7"})
        none = await instance.page("POST", "/silences", data={"hours": "1", "reason": "x", "monitor": "9" * 30})
        made = await instance.page("POST", "/silences", data={"monitor": "1", "hours": "1", "reason": "x"})
        monitor = (await instance.call("GET", "/api/v1/monitors/1")).json()["data"]
        silence = (await instance.call("GET", "/api/v1/silences/1")).json()["data"]

        assert 'href="/silences?monitor=1"' in edit
        assert '<option value="weekly" selected>' in edit
        assert monitor["remind"] == "weekly"
        assert '<option value="1" selected>' in form
        assert (wrong.status_code, none.status_code, made.status_code) == (422, 422, 303)
        assert "The &lt;b&gt;shop" in wrong.text
        assert (silence["monitor_id"], silence["project"]) == (1, None)

    with_instance(tmp_path, script)
