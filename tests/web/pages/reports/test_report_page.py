from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.stored import Privacy, Step
from pagegrade.service.reports import views
from pagegrade.store.queue.runs import set_step
from pagegrade.web.pages.html import HELPED, PLAIN
from tests.queue_builders import Queue
from tests.report_builders import make_failed_report
from tests.share_builders import finish, run_again, seen
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance
from tests.web.sharing import OPENED, shared

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
