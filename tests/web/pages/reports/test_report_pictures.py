"""Pictures of the page of a report: by its owner, by key, and behind its share link."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.model.rendering import LoadMetrics, Picture
from pagegrade.model.report import Preview, PreviewPicture
from pagegrade.model.stored import PackedPicture, PackedReport, Privacy
from pagegrade.report.codec import pack_report
from pagegrade.report.page_summary import picture_names, rendered_page
from pagegrade.web.http.headers import INERT
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import BACKENDS, Backend, add_owner, on
from tests.web.calling import REPORTS, Instance, with_instance
from tests.web.sharing import cookie_of, guess, locked, see, shared

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
