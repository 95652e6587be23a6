from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks._run import Evaluated
from pagegrade.checks.technical.asset_errors import asset_errors
from pagegrade.model.artifacts import NotGathered, Resource
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import (
    URL,
    evaluated,
    make_artifacts,
    make_resource,
    make_resources,
    make_response,
    outcome,
    run,
)


def failed(code: str, reason: str = "", url: str = URL + "a.js") -> Resource:
    """A file that could not be fetched."""
    return Resource(url=url, kinds=("script",), initiator_url=URL, failure=NotGathered(code=code, reason=reason))


def evaluate_files(*items: Resource) -> Evaluated:
    """The verdict on a page with these files."""
    return evaluated(asset_errors, resources=make_resources(*items))


@pytest.mark.parametrize(
    ("status", "loss"),
    [
        (200, 0),
        (204, 0),
        (206, 0),
        (304, 0),
        (399, 0),
        (400, 0.5),
        (403, 0.5),
        (404, 0.5),
        (500, 0.5),
        (599, 0.5),
        (999, 0),
    ],
)
def test_statuses_from_400_to_599_are_errors(status: int, loss: float) -> None:
    """A beacon that answers 204 is none."""
    found = evaluate_files(make_resource(URL + "a.png", status=status))

    assert found.loss == loss


def test_a_host_that_does_not_exist_is_an_error() -> None:
    """No browser finds it either."""
    found = evaluate_files(failed("dns"))

    assert found.loss == 0.5
    assert isinstance(found.verdict, Outcome)
    assert found.verdict.evidence[0].value == "no such host"


@pytest.mark.parametrize(("reason", "loss"), [("dns_timeout", 0), ("dns_error", 0.5)])
def test_name_servers_that_do_not_answer_are_no_error_of_the_page(reason: str, loss: float) -> None:
    """Those that answer twice with an error, and know other names, leave every visitor without the file."""
    assert evaluate_files(failed("dns", reason), make_resource(URL + "b.js")).loss == loss


def test_machine_that_can_resolve_nothing_blames_no_page() -> None:
    """On a local page, no file of the internet was seen, so none is called broken."""
    local = "http://127.0.0.1:8000/"
    missing = failed("dns", "dns_nxdomain", "https://cdn.example.net/a.js")
    response = make_response("", url=local)
    alone = run(asset_errors, make_artifacts(response=response, resources=make_resources(missing)))
    own = make_resource(local + "a.png", status=404)
    beside = outcome(asset_errors, make_artifacts(response=response, resources=make_resources(missing, own)))
    named = make_resource("https://cdn.example.org/b.js")
    proven = outcome(asset_errors, make_artifacts(response=response, resources=make_resources(missing, named)))

    assert isinstance(alone, NotRun)
    assert beside.value == "1 of 1 file"
    assert proven.value == "1 of 2 files"


@pytest.mark.parametrize("code", ["timeout", "budget", "too_large", "address_not_allowed", "connect", "tls", "skipped"])
def test_what_may_be_our_own_doing_is_no_error(code: str) -> None:
    """Our time limits and our place are not the page's fault, and nothing is said to load that was not seen."""
    found = evaluate_files(failed(code), make_resource(URL + "b.js")).verdict

    assert isinstance(found, Outcome)
    assert (found.state, found.value) == ("whole", "1 file")
    assert found.message.endswith("1 file could not be fetched.")
    assert isinstance(evaluate_files(failed(code)).verdict, NotRun)


@pytest.mark.parametrize("reason", ["connect_refused", "connect_timeout", "conn_reset", "tls_error"])
def test_a_server_that_cannot_be_reached_is_an_error(reason: str) -> None:
    """Browsers do not get the file either."""
    found = evaluate_files(failed("connect", reason))

    assert found.loss == 0.5
    assert isinstance(found.verdict, Outcome)
    assert found.verdict.value == "1 of 1 file"


def test_silence_of_every_server_is_that_of_our_network() -> None:
    """On a page of this machine: a refusal is an answer, silence is none."""
    response = make_response("", url="http://127.0.0.1:8000/")
    silent, refused = (
        run(asset_errors, make_artifacts(response=response, resources=make_resources(failed("connect", reason))))
        for reason in ("connect_timeout", "connect_refused")
    )

    assert isinstance(silent, NotRun)
    assert isinstance(refused, Outcome)


def test_too_many_requests_and_challenges_for_robots_are_no_errors() -> None:
    """A visitor's browser gets the file."""
    challenge = make_resource(URL + "a.js", status=403, headers=(("CF-Mitigated", "challenge"),))

    assert evaluate_files(make_resource(URL + "a.js", status=429), challenge).loss == 0


@pytest.mark.parametrize("status", [401, 403, 407, 451, 503])
def test_other_sites_may_turn_programs_away(status: int) -> None:
    """On the own site the same status is an error."""
    foreign = make_resource("https://cdn.example.net/a.js", status=status, first_party=False)

    assert evaluate_files(foreign).loss == 0
    assert evaluate_files(make_resource(URL + "a.js", status=status)).loss == 0.5


def test_a_missing_file_on_another_site_is_an_error() -> None:
    """The address in the page is wrong."""
    assert evaluate_files(make_resource("https://cdn.example.net/a.js", status=404, first_party=False)).loss == 0.5


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (2, 0.625), (4, 0.875), (5, 1), (9, 1)])
def test_each_further_file_costs_more_until_five(count: int, loss: float) -> None:
    """Repairing one of several helps; enough good files beside them change nothing."""
    broken = [make_resource(f"{URL}{n}.png", status=404) for n in range(count)]
    found = evaluate_files(*broken, *(make_resource(f"{URL}good-{n}.png") for n in range(12)))

    assert found.loss == pytest.approx(loss)
    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.total, found.verdict.value) == (count, f"{count} of {count + 12} files")


def test_the_list_says_what_is_broken_and_who_names_it() -> None:
    """So that the address can be found and corrected."""
    found = evaluate_files(make_resource(URL + "a.css", kind="stylesheet", status=404)).verdict

    assert isinstance(found, Outcome)
    assert (found.evidence[0].url, found.evidence[0].value) == (URL + "a.css", "status 404")
    assert found.evidence[0].reason == "stylesheet, named by the page"


def test_a_page_without_files_is_not_evaluated() -> None:
    """Nothing was asked for."""
    assert isinstance(run(asset_errors, resources=make_resources()), NotApplicable)


def test_without_the_files_nothing_is_said() -> None:
    """Not fetched is not broken."""
    assert isinstance(run(asset_errors), NotRun)


def test_icons_are_evaluated_elsewhere() -> None:
    """A missing icon costs where icons are evaluated and not here as well; a picture used as one is still a picture."""
    icon = make_resource(URL + "gone.ico", kind="icon", status=404)
    both = Resource(url=URL + "a.png", kinds=("icon", "image"), initiator_url=URL, response=make_response(status=404))

    assert isinstance(evaluate_files(icon).verdict, NotApplicable)
    assert evaluate_files(icon, make_resource(URL + "a.js")).loss == 0
    assert evaluate_files(both).loss == 0.5


def test_a_file_that_a_stylesheet_names_is_sought_there() -> None:
    """The page itself does not hold its address."""
    font = make_resource(URL + "a.woff2", kind="font", status=404)
    found = evaluate_files(replace(font, initiator_url=URL + "a.css")).verdict

    assert isinstance(found, Outcome)
    assert found.evidence[0].reason == f"font, named by {URL}a.css"


@pytest.mark.parametrize(
    ("broken", "whole", "foreign", "state"),
    [(5, 5, 0, "most"), (5, 6, 0, "many"), (4, 0, 0, "many"), (0, 1, 9, "broken"), (5, 0, 20, "most")],
)
def test_most_of_the_own_files(broken: int, whole: int, foreign: int, state: str) -> None:
    """Five and half of them; files of others are not the page."""
    files = [make_resource(f"https://example.com/b{n}.png", status=404) for n in range(broken)]
    files += [make_resource(f"https://example.com/w{n}.png") for n in range(whole)]
    files += [make_resource(f"https://other.test/f{n}.png", status=404, first_party=False) for n in range(foreign)]

    assert outcome(asset_errors, make_artifacts(resources=make_resources(*files))).state == state


@pytest.mark.parametrize(("broken", "state"), [(2, "broken"), (3, "many")])
def test_a_third_of_the_own_files_limits_the_score(broken: int, state: str) -> None:
    """From three on; fewer than a third are single gaps."""
    files = [make_resource(f"{URL}{n}.png", status=404 if n < broken else 200) for n in range(9)]

    found = evaluate_files(*files).verdict

    assert isinstance(found, Outcome)
    assert found.state == state
    more = evaluate_files(*files, make_resource(URL + "x.png")).verdict

    assert isinstance(more, Outcome)
    assert more.state == "broken"
