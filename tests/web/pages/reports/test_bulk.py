"""Many reports in one go."""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.web.pages.reports.bulk import FAILURES, MAX_FORM_BYTES
from tests.gather.sites import Reply, Site, redirect, typed
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance

LOOPBACK = AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"]))


async def preview(instance: Instance, urls: str, sitemap: str = "") -> httpx.Response:
    """The preview of the reports of a list."""
    return await instance.page("POST", "/reports/bulk", data={"step": "preview", "urls": urls, "sitemap": sitemap})


async def create(instance: Instance, urls: str, **more: str) -> httpx.Response:
    """Make it."""
    return await instance.page("POST", "/reports/bulk", data={"step": "create", "urls": urls, **more})


async def listed_urls(instance: Instance) -> list[str]:
    """The URLs of Alice's reports, oldest first."""
    answer = await instance.call("GET", "/api/v1/reports?per_page=100&sort=asc")
    return [each["url"] for each in answer.json()["data"]]


def listed(answer: httpx.Response) -> list[str]:
    """The URLs in the form."""
    found = re.search(r'<textarea id="urls"[^>]*>(.*?)</textarea>', answer.text, re.DOTALL)
    return html.unescape(found[1]).splitlines() if found else []


def test_a_list_is_shown_before_anything_is_made(tmp_path: Path) -> None:
    """Usable lines, unusable ones with the reason, duplicates, and those that have a report already."""

    async def script(instance: Instance) -> None:
        await instance.create("https://known.example/")
        text = '# mine\nknown.example\n\nnew.example\nnew.example/#x\nftp://x.example\n"><script>alert(1)</script>'
        answer = await preview(instance, text)

        assert answer.status_code == 200
        assert "1 report would be created" in answer.text
        assert "2 URLs that can be used" in answer.text
        assert "1 of them has a report already" in answer.text
        assert "1 duplicate URL is left out" in answer.text
        assert "2 lines cannot be used" in answer.text
        assert "Line 6:" in answer.text
        assert "<script>alert" not in answer.text
        assert listed(answer) == ["https://known.example/", "https://new.example/"]
        assert await listed_urls(instance) == ["https://known.example/"]

    with_instance(tmp_path, script)


def test_what_was_shown_is_made(tmp_path: Path) -> None:
    """With the privacy that was chosen, once each, and those that have a report only where that is wanted."""

    async def script(instance: Instance) -> None:
        await instance.create("https://known.example/")
        woken: list[int] = []
        instance.services.wake = lambda: woken.append(1)
        done = await create(instance, "known.example\na.example\nb.example", privacy="1")
        first = await listed_urls(instance)
        await create(instance, "known.example", again="1")
        newest = (await instance.call("GET", "/api/v1/reports?search=b.example")).json()["data"][0]

        assert (done.status_code, done.headers["location"]) == (303, "/reports?said=made")
        assert first == ["https://known.example/", "https://a.example/", "https://b.example/"]
        assert (newest["privacy"], newest["state"]) == (1, "queued")
        assert (await listed_urls(instance)).count("https://known.example/") == 2
        assert woken

    with_instance(tmp_path, script)


def test_one_password_guards_all(tmp_path: Path) -> None:
    """It is asked for where it is missing, and never shown."""

    async def script(instance: Instance) -> None:
        missing = await create(instance, "a.example", privacy="2")
        done = await create(instance, "a.example\nb.example", privacy="2", password="open sesame")
        made = (await instance.call("GET", "/api/v1/reports")).json()["data"]

        assert missing.status_code == 422
        assert '<a href="#password">' in missing.text
        assert listed(missing) == ["https://a.example/"]
        assert done.status_code == 303
        assert [each["password"] for each in made] == [True, True]

    with_instance(tmp_path, script)


def test_all_are_analyzed_with_the_chosen_engine(tmp_path: Path) -> None:
    """A choice that does not exist is named, and the other one stays in the form."""

    async def script(instance: Instance) -> None:
        wrong = await create(instance, "a.example\nb.example", privacy="1", render="7", device="desktop")
        unset = await create(instance, "c.example", privacy="1", render="", device="mobile")
        done = await create(instance, "a.example\nb.example", privacy="1", render="1", device="desktop")
        made = (await instance.call("GET", "/api/v1/reports?sort=asc")).json()["data"]

        assert wrong.status_code == 422
        assert '<a href="#render">' in wrong.text
        assert '<option value="desktop" selected>' in wrong.text
        assert (unset.status_code, done.status_code) == (303, 303)
        assert [(each["url"], each["render"], each["device"]) for each in made] == [
            ("https://c.example/", None, "mobile"),
            ("https://a.example/", 1, "desktop"),
            ("https://b.example/", 1, "desktop"),
        ]

    with_instance(tmp_path, script)


def test_a_form_that_is_sent_twice_makes_its_reports_once(tmp_path: Path) -> None:
    """The button was pressed again while the first answer was on its way."""

    async def script(instance: Instance) -> None:
        sent = {"urls": "a.example\nb.example", "privacy": "2", "password": "open sesame"}
        both = await asyncio.gather(create(instance, **sent), create(instance, **sent))

        assert [answer.status_code for answer in both] == [303, 303]
        assert await listed_urls(instance) == ["https://a.example/", "https://b.example/"]

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("urls", "words"),
    [
        ("", "Paste at least one URL"),
        ("# nothing\n\n", "Paste at least one URL"),
        ("known.example", "have a report already. Tick"),
        ("a.example\nftp://x.example", "Some lines are not valid."),
    ],
)
def test_what_makes_no_reports_is_reported(tmp_path: Path, urls: str, words: str) -> None:
    """Instead of an empty success."""

    async def script(instance: Instance) -> None:
        await instance.create("https://known.example/")
        answer = await create(instance, urls)

        assert answer.status_code == 422
        assert words in answer.text
        assert await listed_urls(instance) == ["https://known.example/"]

    with_instance(tmp_path, script)


def test_an_empty_form_comes_back(tmp_path: Path) -> None:
    """There is nothing to show."""

    async def script(instance: Instance) -> None:
        answer = await preview(instance, "\n# none\n")

        assert answer.status_code == 422
        assert '<a href="#urls">' in answer.text

    with_instance(tmp_path, script)


def test_as_many_are_made_as_there_is_room_for(tmp_path: Path) -> None:
    """The preview shows the limit; without free slots no report is created."""

    async def script(instance: Instance) -> None:
        instance.services.options = replace(instance.services.options, max_reports=2)
        shown = await preview(instance, "a.example\nb.example\nc.example")
        await create(instance, "a.example\nb.example\nc.example")
        made = await listed_urls(instance)
        full = await create(instance, "c.example")

        assert "2 reports can be created right now." in shown.text
        assert made == ["https://a.example/", "https://b.example/"]
        assert full.status_code == 422
        assert "No more reports can be created" in full.text

    with_instance(tmp_path, script)


def test_making_many_counts_as_an_analysis(tmp_path: Path) -> None:
    """A client that makes too many lists has to wait, with the list still there."""

    async def script(instance: Instance) -> None:
        await create(instance, "a.example")
        answer = await create(instance, "b.example/typed")

        assert answer.status_code == 429
        assert listed(answer) == ["b.example/typed"]

    with_instance(tmp_path, script, analyses_per_minute=1)


def test_a_sitemap_becomes_a_list(tmp_path: Path) -> None:
    """Joined with what was pasted; of the file itself nothing is shown."""

    async def script(instance: Instance) -> None:
        async with Site({}) as site:
            body = f"<urlset><!-- internal --><url><loc>{site.origin}/a</loc></url></urlset>"
            site.routes = {"/sitemap.xml": typed(body, "application/xml")}
            answer = await preview(instance, "b.example", sitemap=f" {site.origin}/sitemap.xml ")

            assert listed(answer) == ["https://b.example/", f"{site.origin}/a"]
            assert "internal" not in answer.text

    with_instance(tmp_path, script, analyze=LOOPBACK)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (typed("secret of an inner server", "text/plain", status=403), "HTTP 403"),
        (typed("secret of an inner server", "text/plain"), FAILURES["malformed"]),
        (redirect("http://10.0.0.1/"), FAILURES["address_not_allowed"]),
    ],
)
def test_a_sitemap_that_cannot_be_read_is_reported_in_words(tmp_path: Path, reply: Reply, words: str) -> None:
    """With everything that was typed, and nothing of what came."""

    async def script(instance: Instance) -> None:
        async with Site({"/sitemap.xml": reply}) as site:
            answer = await preview(instance, "b.example", sitemap=f"{site.origin}/sitemap.xml")

        assert answer.status_code == 422
        assert '<a href="#sitemap">' in answer.text
        assert words in html.unescape(answer.text)
        assert "secret of" not in answer.text
        assert listed(answer) == ["b.example"]

    with_instance(tmp_path, script, analyze=LOOPBACK)


@pytest.mark.parametrize("sitemap", ["http://10.0.0.1/", "file:///etc/passwd", "http://localhost/", '"><script>'])
def test_a_sitemap_is_not_asked_for_where_we_must_not_go(tmp_path: Path, sitemap: str) -> None:
    """The same guard as for pages."""

    async def script(instance: Instance) -> None:
        answer = await preview(instance, "", sitemap=sitemap)

        assert answer.status_code == 422
        assert '<a href="#sitemap">' in answer.text
        assert "<script>" not in answer.text

    with_instance(tmp_path, script)


def test_reading_sitemaps_is_counted(tmp_path: Path) -> None:
    """The service cannot be used to send as many requests to other sites as one likes."""

    async def script(instance: Instance) -> None:
        first = await preview(instance, "", sitemap="http://10.0.0.1/")
        second = await preview(instance, "", sitemap="http://10.0.0.1/")

        assert (first.status_code, second.status_code) == (422, 429)

    with_instance(tmp_path, script, analyses_per_minute=1)


def test_a_long_list_fits_and_a_longer_one_does_not(tmp_path: Path) -> None:
    """The limit is that of the form, at it and a byte past it."""

    async def script(instance: Instance) -> None:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        start = b"step=preview&urls="
        line = b"a.example/" + b"x" * 2_000 + b"%0A"
        fits = (start + line * (MAX_FORM_BYTES // len(line) + 1))[:MAX_FORM_BYTES].rstrip(b"%0A")
        fits += b"x" * (MAX_FORM_BYTES - len(fits))
        at = await instance.page("POST", "/reports/bulk", headers=headers, content=fits)
        past = await instance.page("POST", "/reports/bulk", headers=headers, content=fits + b"x")

        assert at.status_code == 200
        assert past.status_code == 413

    with_instance(tmp_path, script)


def test_each_account_creates_its_own(tmp_path: Path) -> None:
    """A host of Alice is new to Bob; Charlie gets no form and makes nothing."""

    async def script(instance: Instance) -> None:
        await instance.create("https://known.example/")
        bob = add_owner(instance.services.database, "Bob")[0]
        sent = {"step": "create", "urls": "known.example"}
        of_bob = await instance.page("POST", "/reports/bulk", account=bob, data=sent)
        form = await instance.call("GET", "/reports/bulk", key=None)
        charlie = await instance.call(
            "POST", "/reports/bulk", key=None, data=sent, headers={"Sec-Fetch-Site": "same-origin"}
        )

        assert of_bob.status_code == 303
        assert (form.status_code, charlie.status_code) == (303, 401)
        assert await listed_urls(instance) == ["https://known.example/"]

    with_instance(tmp_path, script)


def test_the_form_is_there(tmp_path: Path) -> None:
    """Empty, with how many fit."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("GET", "/reports/bulk")

        assert answer.status_code == 200
        assert "up to 500" in answer.text

    with_instance(tmp_path, script)


def test_the_own_machine_is_refused_with_the_setting_that_allows_it(tmp_path: Path) -> None:
    """In the form above the list, as a line of a list, and as a sitemap; what was typed is never markup."""
    command = "<code>PAGEGRADE_ALLOW_NETWORKS=127.0.0.0/8,::1/128 make serve</code>"
    single = "<code>PAGEGRADE_ALLOW_NETWORKS=10.0.0.5/32 make serve</code>"

    async def script(instance: Instance) -> None:
        one = await instance.page("POST", "/reports", data={"url": "localhost:8000/<b>"})
        lines = await preview(instance, "localhost:8000/<b>\n10.0.0.5")
        sitemap = await preview(instance, "", sitemap="http://localhost:8000/sitemap.xml")

        assert [one.status_code, lines.status_code, sitemap.status_code] == [422, 200, 422]
        assert all(command in answer.text for answer in (one, lines, sitemap))
        assert single in lines.text
        assert not any("<b>" in answer.text for answer in (one, lines, sitemap))

    with_instance(tmp_path, script)


def test_reports_with_an_access_profile_are_private(tmp_path: Path) -> None:
    """Those of its origin alone; a profile that is not for one of the URLs is refused with its reason."""

    async def script(instance: Instance) -> None:
        staging = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}
        await instance.call("POST", "/api/v1/access-profiles", json=staging)
        urls = "https://staging.example/a\nhttps://example.com/b"
        sent = {"step": "create", "urls": urls, "privacy": "0"}
        refused = await instance.page("POST", "/reports/bulk", data={**sent, "access": "1"})
        await instance.page("POST", "/reports/bulk", data={**sent, "access": "default"})
        listed = (await instance.call("GET", "/api/v1/reports")).json()["data"]

        assert refused.status_code == 422
        assert "This access profile is not for the page." in refused.text
        assert {each["url"]: each["privacy"] for each in listed} == {
            "https://staging.example/a": 1,
            "https://example.com/b": 0,
        }

    with_instance(tmp_path, script)
