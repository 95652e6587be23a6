from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.rendering import LoadMetrics, Picture
from pagegrade.model.report import Preview, PreviewPicture
from pagegrade.model.stored import PackedPicture, PackedReport, Privacy, Step, StoredReport
from pagegrade.report.build import picture_names, rendered_page
from pagegrade.report.codec import pack_report
from pagegrade.service.reports import views
from pagegrade.store.queue.runs import set_step
from pagegrade.store.repositories.reports import save_settings
from pagegrade.web.http.response import INERT
from pagegrade.web.pages.html import HELPED, PLAIN
from pagegrade.web.pages.reports import report_page
from pagegrade.web.pages.reports.report_page import badge_path, badge_snippets
from tests.queue_builders import Queue
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report
from tests.share_builders import finish, run_again, seen
from tests.store_builders import BACKENDS, Backend, add_owner, on
from tests.web.calling import REPORTS, Instance, with_instance
from tests.web.sharing import OPENED, cookie_of, guess, locked, see, shared


def with_runs(instance: Instance, report: StoredReport) -> StoredReport:
    """The report with three runs more: a failed one, a good one, and one that waits."""
    database = instance.services.database
    for outcome in (make_failed_report("timeout"), seen()):
        report = finish(database, run_again(database, report, now_ms=now_ms()), outcome, now_ms=now_ms())
    return run_again(database, report, now_ms=now_ms())


def test_the_newest_two_are_compared_without_a_choice(tmp_path: Path) -> None:
    """The form shows which, and offers those that have results."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        answer = await instance.page("GET", f"/reports/{report.id}/compare")

        assert answer.status_code == 200
        assert OPENED in answer.text
        assert answer.text.count('<option value="1" selected>') == 1
        assert answer.text.count('<option value="3" selected>') == 1
        assert '<option value="2"' not in answer.text
        assert '<option value="4"' not in answer.text

    with_instance(tmp_path, script)


def test_the_older_run_comes_first_however_they_were_named(tmp_path: Path) -> None:
    """The order in the URL does not matter."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        straight = await instance.page("GET", f"/reports/{report.id}/compare?from=1&to=3")
        crossed = await instance.page("GET", f"/reports/{report.id}/compare?from=3&to=1")

        assert straight.status_code == 200
        assert straight.text == crossed.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=x&to=3", "Choose the older run."),
        ("from=1&to=-3", "Choose the newer run."),
        ("from=1&to=9", "There is no such newer run"),
        ("from=1&to=9999999999", "There is no such newer run"),
        ("from=2&to=3", "The older run has no results."),
        ("from=1&to=4", "The newer run has no results."),
        ("from=1&to=1", "These are one and the same run."),
        ("from=<script>&to=3", "Choose the older run."),
    ],
)
def test_a_choice_that_cannot_be_compared_is_reported_at_its_field(tmp_path: Path, query: str, sentence: str) -> None:
    """With the form once more, and nothing of the query in it."""

    async def script(instance: Instance) -> None:
        report = with_runs(instance, shared(instance))
        answer = await instance.page("GET", f"/reports/{report.id}/compare?{query}")

        assert answer.status_code == 422
        assert answer.text.count(sentence) == 2
        assert answer.text.count(" selected>") == 2
        assert 'aria-invalid="true"' in answer.text
        assert "<select" in answer.text
        assert "<script>" not in answer.text
        assert OPENED not in answer.text

    with_instance(tmp_path, script)


def test_a_report_with_one_run_has_nothing_to_compare_yet(tmp_path: Path) -> None:
    """That is no mistake."""

    async def script(instance: Instance) -> None:
        for report in (shared(instance), shared(instance, outcome=None)):
            answer = await instance.page("GET", f"/reports/{report.id}/compare")

            assert answer.status_code == 200
            assert "There is nothing to compare yet" in answer.text
            assert "<select" not in answer.text

    with_instance(tmp_path, script)


def test_who_may_see_a_shared_report_may_compare_its_runs(tmp_path: Path) -> None:
    """Charlie the public one, without the values of its address; the locked one with its password; no private one."""

    async def script(instance: Instance) -> None:
        public = with_runs(instance, shared(instance))
        private = with_runs(instance, shared(instance, Privacy.PRIVATE))
        secret = with_runs(instance, await locked(instance))
        cookie = cookie_of(await guess(instance, secret))
        seen_by_charlie = await see(instance, public, below="/compare")
        gated = await see(instance, secret, below="/compare")
        opened = await see(instance, secret, below="/compare", headers=cookie)
        gone = await see(instance, private, below="/compare")

        assert seen_by_charlie.status_code == 200
        assert OPENED in seen_by_charlie.text
        assert "s3cr3t" not in seen_by_charlie.text
        assert "/reports/" not in seen_by_charlie.text
        assert (gated.status_code, gated.headers["location"]) == (303, f"/r/{secret.slug}")
        assert OPENED in opened.text
        assert gone.status_code == 404
        assert gone.content == (await see(instance, "A" * 22, below="/compare")).content

    with_instance(tmp_path, script)


PNG = b"\x89PNG\r\n\x1a\n card"
WEBP = b"RIFF\x04\0\0\0WEBP"
PICTURES = tuple(
    Picture(kind=kind, width_px=721, height_px=1440, data=WEBP + kind.encode()) for kind in ("viewport", "full_page")
)


def drawn() -> PackedReport:
    """The outcome of a run in a browser, with two pictures."""
    metrics = LoadMetrics(fcp_ms=1_000.0, lcp_ms=2_000.0, cls=0.1, tbt_ms=0.0)
    low = replace(metrics, fcp_ms=900.0)
    page = rendered_page(make_rendering(pictures=PICTURES), [low, metrics, metrics], metrics)
    packed = pack_report(make_report(rendered=page))
    stored = zip(picture_names(PICTURES), PICTURES, strict=True)
    return replace(packed, pictures=tuple(PackedPicture(name=name, body=one.data) for name, one in stored))


@pytest.mark.parametrize("backend", BACKENDS)
def test_its_owner_gets_a_picture_and_is_asked_about_it_each_time(tmp_path: Path, backend: Backend) -> None:
    """By key and in the browser: WebP, inert, with a tag that spares the second transfer."""

    async def script(instance: Instance) -> list[httpx.Response]:
        report = await instance.create()
        await instance.finish(drawn())
        by_key = await instance.call("GET", f"{REPORTS}/{report['id']}/pictures/viewport")
        page = await instance.page("GET", f"/reports/{report['id']}/pictures/full-page")
        tag = {"If-None-Match": by_key.headers["etag"]}
        again = await instance.call("GET", f"{REPORTS}/{report['id']}/pictures/viewport", headers=tag)
        head = await instance.call("HEAD", f"{REPORTS}/{report['id']}/pictures/viewport")
        return [by_key, page, again, head]

    with on(backend):
        by_key, page, again, head = with_instance(tmp_path, script)

    assert (by_key.status_code, by_key.content) == (200, WEBP + b"viewport")
    assert (page.status_code, page.content) == (200, WEBP + b"full_page")
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")
    for answer in (by_key, page):
        assert answer.headers["content-type"] == "image/webp"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == INERT[1]
        assert answer.headers["cache-control"] == "private, no-cache"
        assert "content-encoding" not in answer.headers


def test_pictures_are_under_the_privacy_of_their_report(tmp_path: Path) -> None:
    """Those who may not see the report get what there is for pictures that never were."""

    async def script(instance: Instance) -> None:
        public, private = shared(instance), shared(instance, Privacy.PRIVATE)
        secret = await locked(instance)
        for report in (public, private, secret):
            await instance.call("PUT", f"{REPORTS}/{report.id}", data={"results": "1"}, headers={"Prefer": "wait=0"})
        await instance.finish(drawn())
        bob = add_owner(instance.services.database, "Bob")[0]
        of_bob = await instance.page("GET", f"/reports/{public.id}/pictures/viewport", account=bob)
        by_bob = await instance.call(
            "GET", f"{REPORTS}/{public.id}/pictures/viewport", key=instance.add_key(account=bob)
        )
        below = "/pictures/viewport"
        seen = await see(instance, public, below=below)
        hidden, never = await see(instance, private, below=below), await see(instance, "x" * 22, below=below)
        gate = await see(instance, secret, below=below)
        cookie = cookie_of(await guess(instance, secret))
        unlocked = await see(instance, secret, below=below, headers=cookie)
        tag = {"If-None-Match": seen.headers["etag"]}
        again = await see(instance, public, below=below, headers=tag)
        closed = await see(instance, private, below=below, headers=tag)

        assert (of_bob.status_code, by_bob.status_code) == (404, 404)
        assert (seen.status_code, seen.content) == (200, WEBP + b"viewport")
        assert seen.headers["x-robots-tag"] == "noindex, nofollow, noarchive"
        assert (hidden.status_code, hidden.content) == (404, never.content)
        assert (gate.status_code, gate.headers["location"]) == (303, f"/r/{secret.slug}")
        assert (unlocked.status_code, unlocked.content) == (200, WEBP + b"viewport")
        assert (again.status_code, closed.status_code) == (304, 404)

    with_instance(tmp_path, script)


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    """Unknown names, reports without a browser, older runs, and reports that are gone."""

    async def script(instance: Instance) -> list[int]:
        report = await instance.create()
        one = f"{REPORTS}/{report['id']}/pictures"
        before = await instance.call("GET", f"{one}/viewport")
        await instance.finish(drawn())
        names = [await instance.call("GET", f"{one}/{name}") for name in ("nothing", "x" * 300, "%00", "view%C3%A9")]
        await instance.call("PUT", f"{REPORTS}/{report['id']}", data={"results": "1"}, headers={"Prefer": "wait=0"})
        await instance.finish()
        replaced = await instance.call("GET", f"{one}/viewport")
        await instance.call("DELETE", f"{REPORTS}/{report['id']}")
        deleted = await instance.call("GET", f"{one}/viewport")
        return [answer.status_code for answer in (before, *names, replaced, deleted)]

    assert with_instance(tmp_path, script) == [404] * 7


def test_a_failed_run_keeps_the_pictures_of_the_results_that_are_shown(tmp_path: Path) -> None:
    """As it keeps the results."""

    async def script(instance: Instance) -> httpx.Response:
        report = await instance.create()
        await instance.finish(drawn())
        await instance.call("PUT", f"{REPORTS}/{report['id']}", data={"results": "1"}, headers={"Prefer": "wait=0"})
        await instance.finish(pack_report(make_failed_report("dns")))
        return await instance.call("GET", f"{REPORTS}/{report['id']}/pictures/viewport")

    assert with_instance(tmp_path, script).status_code == 200


def test_pages_show_the_engine_the_metrics_and_the_first_screen(tmp_path: Path) -> None:
    """For the owner and behind the link; in lists nothing is loaded; a report without a browser says so."""

    async def script(instance: Instance) -> None:
        report = await instance.create()
        await instance.finish(drawn())
        own = (await instance.page("GET", f"/reports/{report['id']}?view=previews")).text
        slug = report["share_url"].rpartition("/")[2]
        others = (await see(instance, slug, below="?view=previews")).text
        listed = (await instance.page("GET", "/reports")).text
        static = (await see(instance, shared(instance))).text

        assert f'src="/reports/{report["id"]}/pictures/viewport"' in own
        assert f'src="/r/{slug}/pictures/viewport"' in others
        for page in (own, others):
            assert "Analyzed in a browser, mobile" in page
            assert "Largest Contentful Paint" in page
            assert '<span class="quiet">900 ms to ' in page
            assert 'alt="Screenshot of the first screen of the page on a phone"' in page
        assert "/pictures/" not in listed
        assert "Static analysis" in static
        assert "/pictures/" not in static

    with_instance(tmp_path, script)


def test_the_requests_of_the_browser_can_be_taken_away(tmp_path: Path) -> None:
    """As a HAR, by key and from the page, where there are any; the page names it only then."""

    async def script(instance: Instance) -> None:
        report, static = await instance.create(), await instance.create("https://example.org/")
        await instance.finish(drawn())
        one = f"{REPORTS}/{report['id']}"
        by_key = await instance.call("GET", one, headers={"Accept": "application/har+json"})
        page = (await instance.page("GET", f"/reports/{report['id']}")).text
        slug = report["share_url"].rpartition("/")[2]
        shared_har = await see(instance, slug, below="/export/har")
        await instance.call("PUT", f"{REPORTS}/{static['id']}", data={"results": "1"}, headers={"Prefer": "wait=0"})
        await instance.finish()
        without = await instance.call("GET", f"{REPORTS}/{static['id']}?format=har")
        plain = (await instance.page("GET", f"/reports/{static['id']}")).text

        assert by_key.headers["content-type"] == "application/har+json"
        assert by_key.json()["log"]["version"] == "1.2"
        assert shared_har.json() == by_key.json()
        assert f'href="/reports/{report["id"]}/export/har"' in page
        assert without.status_code == 404
        assert "/export/har" not in plain

    with_instance(tmp_path, script)


def with_previews(body: bytes = PNG) -> PackedReport:
    """The outcome of a run with an image for shared links and an icon."""
    report = make_report()
    assert report.page is not None
    social, mark = (
        PreviewPicture(name=name, format="png", width_px=1200, height_px=630, bytes=len(body))
        for name in ("social", "icon")
    )
    preview = Preview(image_url="https://example.com/card.png", image=social, icon=mark)
    packed = pack_report(replace(report, page=replace(report.page, preview=preview)))
    return replace(packed, pictures=(PackedPicture(name="social", body=body), PackedPicture(name="icon", body=PNG)))


def test_previews_show_the_stored_image_and_never_that_of_the_site(tmp_path: Path) -> None:
    """On the report, behind its link, and in the bar; an older run shows its facts without them."""

    async def script(instance: Instance) -> None:
        report = await instance.create()
        await instance.finish(with_previews())
        base, slug = f"/reports/{report['id']}", report["share_url"].rpartition("/")[2]
        own = (await instance.page("GET", f"{base}?view=previews")).text
        others = (await see(instance, slug, below="?view=previews")).text
        served = await instance.page("GET", f"{base}/pictures/social")
        await instance.call("PUT", f"{REPORTS}/{report['id']}", data={"results": "1"}, headers={"Prefer": "wait=0"})
        await instance.finish()
        older = (await instance.page("GET", f"{base}/runs/1?view=previews")).text
        gone = await instance.page("GET", f"{base}/pictures/social")

        for page, start in ((own, base), (others, f"/r/{slug}")):
            assert f'src="{start}/pictures/social"' in page
            assert page.count(f'src="{start}/pictures/icon"') == 2
            assert "The picture has 1,200 × 630 pixels" in page
            assert 'src="https://example.com' not in page
        assert (served.status_code, served.content) == (200, PNG)
        assert served.headers["content-type"] == "image/png"
        assert served.headers["x-content-type-options"] == "nosniff"
        assert served.headers["content-security-policy"] == INERT[1]
        assert "/pictures/" not in older
        assert gone.status_code == 404

    with_instance(tmp_path, script)


@pytest.mark.parametrize("body", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html><script>", b"", b"\0"])
def test_bytes_that_are_no_image_are_never_sent(tmp_path: Path, body: bytes) -> None:
    """Not even if they are in the table."""

    async def script(instance: Instance) -> int:
        report = await instance.create()
        await instance.finish(with_previews(body))
        return (await instance.page("GET", f"/reports/{report['id']}/pictures/social")).status_code

    assert with_instance(tmp_path, script) == 404


def test_a_public_report_has_a_badge_without_signing_in(tmp_path: Path) -> None:
    """It may stand on any page, is kept for minutes, does nothing, and shows the verdict and nothing else."""

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", badge_path(shared(instance).slug), key=None)
        ET.fromstring(answer.text)  # noqa: S314 - ours

        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert answer.headers["content-security-policy"] == INERT[1]
        assert "set-cookie" not in answer.headers
        assert "decent 79" in answer.text
        assert "shop" not in answer.text

    with_instance(tmp_path, script)


def test_whatever_has_no_badge_gets_one_and_the_same_picture(tmp_path: Path) -> None:
    """Private, locked, unknown or malformed, for every client, Alice included: byte for byte."""

    async def script(instance: Instance) -> None:
        private, secret = shared(instance, Privacy.PRIVATE), await locked(instance)
        names = (f"{private.slug}.svg", f"{secret.slug}.svg", f"{'A' * 22}.svg", shared(instance).slug, ".svg", "a.png")
        answers = [await instance.call("GET", f"/badge/{name}", key=None) for name in names]
        answers.append(await instance.page("GET", badge_path(private.slug)))
        headers = {
            tuple(sorted((name, value) for name, value in answer.headers.items() if name != "x-request-id"))
            for answer in answers
        }

        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1
        assert len(headers) == 1
        assert "unknown" in answers[0].text

    with_instance(tmp_path, script)


def test_a_badge_is_asked_about_cheaply_and_ends_with_the_publicity(tmp_path: Path) -> None:
    """M11: a kept tag opens nothing once the report is private."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        first = await instance.call("GET", badge_path(report.slug), key=None)
        known = {"If-None-Match": first.headers["etag"]}
        same = await instance.call("GET", badge_path(report.slug), key=None, headers=known)
        instance.services.database.write_here(
            lambda tx: save_settings(
                tx, report, privacy=Privacy.PRIVATE, password_hash=None, password_version=0, now_ms=now_ms()
            )
        )
        gone = await instance.call("GET", badge_path(report.slug), key=None, headers=known)

        assert (same.status_code, same.content) == (304, b"")
        assert gone.status_code == 404

    with_instance(tmp_path, script)


def test_a_badge_stays_while_the_page_is_analysed_again(tmp_path: Path) -> None:
    """Before there is any verdict, it says that one will come."""

    async def script(instance: Instance) -> None:
        again = run_again(instance.services.database, shared(instance), now_ms=now_ms())
        first = shared(instance, outcome=None)

        assert "decent 79" in (await instance.call("GET", badge_path(again.slug), key=None)).text
        assert "pending" in (await instance.call("GET", badge_path(first.slug), key=None)).text

    with_instance(tmp_path, script)


def test_who_fetches_badges_without_end_has_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the answer is not cached."""
    monkeypatch.setattr(report_page, "VIEWS_PER_MINUTE", 2)

    async def script(instance: Instance) -> None:
        answers = [await instance.call("GET", badge_path("A" * 22), key=None) for _ in range(3)]

        assert [answer.status_code for answer in answers] == [404, 404, 429]
        assert answers[2].headers["cache-control"] == "private, no-store"
        assert int(answers[2].headers["retry-after"]) > 0

    with_instance(tmp_path, script)


def test_the_snippets_lead_from_the_badge_to_the_report() -> None:
    """With whole addresses, because they stand elsewhere."""
    markdown, html = badge_snippets("https://reports.example.org", "slug")

    assert markdown == (
        "[![Pagegrade](https://reports.example.org/badge/slug.svg)](https://reports.example.org/r/slug)"
    )
    assert html == (
        '<a href="https://reports.example.org/r/slug">'
        '<img src="https://reports.example.org/badge/slug.svg" alt="Pagegrade"></a>'
    )


PAYLOADS = (
    "</title><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "{{7*191}}",
    "javascript:alert(1)",
    "\u202egnp.exe",
)
HTML = {"Accept": "text/html"}
BELOW = ("", "/runs/1", "/compare", "/export/json", "/export/pdf")


def test_alice_sees_her_report_with_everything_to_do_about_it(tmp_path: Path) -> None:
    """Its whole address, its link, its privacy, and every action; the page is not cached."""

    async def script(instance: Instance) -> None:
        report = shared(instance)
        answer = await instance.page("GET", f"/reports/{report.id}")

        assert answer.status_code == 200
        assert OPENED in answer.text
        assert "s3cr3t-R4nd0m" in answer.text
        assert f"/r/{report.slug}" in answer.text
        assert "Anyone with the link" in answer.text
        assert f'action="/reports/{report.id}/run"' in answer.text
        for place in ("monitor", "settings", "delete", "export/pdf", "export/csv"):
            assert f'href="/reports/{report.id}/{place}"' in answer.text
        assert f"/badge/{report.slug}.svg)](" in answer.text
        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["content-security-policy"] == HELPED
        assert "refresh" not in answer.headers

    with_instance(tmp_path, script)


@pytest.mark.parametrize("privacy", Privacy)
def test_no_other_account_sees_a_report_of_alice(tmp_path: Path, privacy: Privacy) -> None:
    """M01, M02: Bob gets what he gets for a report that never was, and Charlie the form to sign in, for every page."""

    async def script(instance: Instance) -> None:
        report = shared(instance, privacy, password_hash="x" if privacy is Privacy.PASSWORD else None)
        bob = add_owner(instance.services.database, "Bob")[0]
        for below in BELOW:
            theirs = await instance.page("GET", f"/reports/{report.id}{below}", account=bob, headers=HTML)
            none = await instance.page("GET", f"/reports/999{below}", account=bob, headers=HTML)
            charlie = await instance.call("GET", f"/reports/{report.id}{below}", key=None)
            with_key = await instance.call("GET", f"/reports/{report.id}{below}")

            assert (theirs.status_code, theirs.content) == (none.status_code, none.content)
            assert theirs.status_code == 404
            assert "shop" not in theirs.text
            for answer in (charlie, with_key):
                assert answer.status_code == 303
                assert answer.headers["location"].startswith("/sign-in?next=")

    with_instance(tmp_path, script)


def test_a_first_analysis_is_waited_for_without_scripts(tmp_path: Path) -> None:
    """The page comes again by itself, to an address that no longer says what was done before."""

    async def script(instance: Instance) -> None:
        report = shared(instance, outcome=None)
        answer = await instance.page("GET", f"/reports/{report.id}?said=created")

        assert answer.status_code == 200
        assert answer.headers["refresh"] == f"3;url=/reports/{report.id}"
        assert "The report was created" in answer.text
        assert "Waiting for a worker" in answer.text
        assert 'data-state="queued"' in answer.text
        assert OPENED not in answer.text
        assert "/run" not in answer.text
        assert "/export/" not in answer.text

    with_instance(tmp_path, script)


def test_who_waits_sees_the_place_and_the_usual_time(tmp_path: Path) -> None:
    """Among one's own analyses, of which others see nothing."""

    async def script(instance: Instance) -> None:
        first = shared(instance, outcome=None)
        next_one = (await instance.page("GET", f"/reports/{first.id}")).text
        shared(instance)
        waiting = [shared(instance, outcome=None, url=f"https://shop.example/{number}") for number in range(3)]
        second, last = [(await instance.page("GET", f"/reports/{each.id}")).text for each in waiting[::2]]
        others = (await instance.call("GET", f"/r/{waiting[2].slug}", key=None)).text

        assert "next of your analyses" in next_one
        assert "usually take" not in next_one
        assert "next of your analyses" in second
        assert "2 of your analyses are ahead" in last
        assert "Your analyses usually take about 1 second once they run." in last
        assert "your analyses" not in others.lower()

    with_instance(tmp_path, script)


def test_old_results_stand_while_a_new_analysis_is_under_way_and_when_it_failed(tmp_path: Path) -> None:
    """With a note about it; nothing loads the page again while it is read."""

    async def script(instance: Instance) -> None:
        report = run_again(instance.services.database, shared(instance), now_ms=now_ms())
        during = await instance.page("GET", f"/reports/{report.id}")
        finish(instance.services.database, report, make_failed_report("timeout"), now_ms=now_ms())
        after = await instance.page("GET", f"/reports/{report.id}")

        assert "A new analysis is under way" in during.text
        assert OPENED in during.text
        assert "refresh" not in during.headers
        assert f'action="/reports/{report.id}/run"' not in during.text
        assert "The last analysis failed" in after.text
        assert f'href="/reports/{report.id}/runs/2"' in after.text
        assert OPENED in after.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("saved", "The settings were saved."),
        ("running", ""),
        ("created", ""),
        ("<b>", ""),
        ("", ""),
        ("SAVED", ""),
    ],
)
def test_what_was_done_is_said_from_a_fixed_table(tmp_path: Path, said: str, sentence: str) -> None:
    """Nothing of the query is shown, and what has come to its end is not said again."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("GET", f"/reports/{shared(instance).id}", params={"said": said})

        assert answer.status_code == 200
        assert ('role="status"' in answer.text) == bool(sentence)
        assert sentence in answer.text

    with_instance(tmp_path, script)


def test_only_a_public_report_offers_its_badge(tmp_path: Path) -> None:
    """The others have none."""

    async def script(instance: Instance) -> None:
        pages = [
            (await instance.page("GET", f"/reports/{shared(instance, privacy, password_hash='x').id}")).text
            for privacy in Privacy
        ]

        assert ["/badge/" in page for page in pages] == [True, False, False]
        assert "Only the workspace" in pages[1]
        assert "the password" in pages[2]

    with_instance(tmp_path, script)


def test_an_older_run_is_shown_as_it_was(tmp_path: Path) -> None:
    """With a word that there is a newer one; a run that is not finished or not there is not found."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        report = finish(database, run_again(database, shared(instance), now_ms=now_ms()), seen(), now_ms=now_ms())
        report = run_again(database, report, now_ms=now_ms())
        older = await instance.page("GET", f"/reports/{report.id}/runs/1")
        statuses = [
            (await instance.page("GET", f"/reports/{report.id}/runs/{number}")).status_code
            for number in ("2", "3", "4", "0", "x", "01", str(2**70))
        ]

        assert older.status_code == 200
        assert OPENED in older.text
        assert "Run 1 of 3" in older.text
        assert "has been analyzed again since" in older.text
        assert f"/reports/{report.id}/export/pdf?run=1" in older.text
        assert older.headers["content-security-policy"] == PLAIN
        assert statuses == [200, 404, 404, 404, 404, 404, 404]

    with_instance(tmp_path, script)


def test_a_long_history_says_that_it_is_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part is not shown as the whole."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        report = finish(database, run_again(database, shared(instance), now_ms=now_ms()), seen(), now_ms=now_ms())
        whole = await instance.page("GET", f"/reports/{report.id}")
        monkeypatch.setattr(views, "MAX_RUNS", 1)
        part = await instance.page("GET", f"/reports/{report.id}")

        assert "The history shows" not in whole.text
        assert "The history shows the newest 1 of 2 runs." in part.text

    with_instance(tmp_path, script)


def test_ids_that_cannot_be_are_not_found(tmp_path: Path) -> None:
    """Whatever they look like."""

    async def script(instance: Instance) -> None:
        answers = [await instance.page("GET", f"/reports/{text}") for text in ("0", "-1", "1e3", "x", "9" * 30, "%00")]

        assert {answer.status_code for answer in answers} == {404}

    with_instance(tmp_path, script)


def test_every_page_has_one_main_heading(tmp_path: Path) -> None:
    """Also where there is nothing to show yet."""

    async def script(instance: Instance) -> None:
        done, waiting = shared(instance), shared(instance, outcome=None)
        places = [f"/reports/{done.id}{below}" for below in ("", "/runs/1", "/compare", "/compare?to=9")]
        for place in (*places, f"/reports/{waiting.id}", f"/r/{done.slug}", f"/r/{waiting.slug}"):
            answer = await instance.page("GET", place)

            assert len(re.findall("<h1[ >]", answer.text)) == 1, place

    with_instance(tmp_path, script)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_text_of_the_page_stays_text(tmp_path: Path, payload: str) -> None:
    """J01 to J07: in every field that a page can reach, on every page about its report."""
    plain = seen()
    hostile = replace(
        plain,
        final_url=payload,
        project=payload,
        results=tuple(replace(result, message=payload, value=payload, reason=payload) for result in plain.results),
        page=None if plain.page is None else replace(plain.page, title=payload, server=payload, language=payload),
    )

    async def script(instance: Instance) -> None:
        report = shared(instance, outcome=hostile)
        database = instance.services.database
        report = finish(database, run_again(database, report, now_ms=now_ms()), plain, now_ms=now_ms())
        places = [
            f"{base}{below}"
            for base in (f"/reports/{report.id}", f"/r/{report.slug}")
            for below in ("/runs/1", "/compare")
        ]
        for place in places:
            answer = await instance.page("GET", place)

            assert answer.status_code == 200, place
            for raw in ("<script>alert", "<svg onload", 'href="javascript:', "\u202e", "1337"):
                assert raw not in answer.text, place

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("step", "done", "now"),
    [
        (None, 2, "Fetching the page"),
        ("files", 3, "Fetching its files"),
        ("browser", 4, "Loading it in a browser"),
        ("checks", 4, "Evaluating the checks"),
    ],
)
def test_a_run_under_way_shows_its_step(tmp_path: Path, step: Step | None, done: int, now: str) -> None:
    """The steps behind it are ticked off, without scripts."""

    async def script(instance: Instance) -> None:
        report = shared(instance, outcome=None)
        (claimed,) = Queue(instance.services.database, instance.alice.id).claim(now_ms=now_ms())
        if step is not None:
            instance.services.database.write_here(lambda tx: set_step(tx, claimed, step))
        page = (await instance.page("GET", f"/reports/{report.id}")).text
        shown = page[page.index('class="steps"') :]
        steps = re.findall(r'<li( class="done")?( class="now" aria-current="step")?>([^<]+)', shown)

        assert sum(bool(ticked) for ticked, _, _ in steps) == done
        assert [name.strip() for _, current, name in steps if current] == [now]

    with_instance(tmp_path, script)
