"""Promises of every check, tested over every check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from pagegrade.checks._check import NEEDS_RENDERING, SECTIONS, Check, State
from pagegrade.checks._facts import PROVIDERS, Facts
from pagegrade.checks._registry import all_checks, all_site_checks
from pagegrade.checks._run import evaluate, run_check, run_checks
from pagegrade.checks._site_check import SiteCheck
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotRun, Outcome, Severity
from tests.builders import make_artifacts
from tests.examples import artifacts_of_example

ROOT = Path(__file__).resolve().parents[2]
CHECKS = list(all_checks().values())
ALWAYS_THERE = {
    *("artifacts", "navigation", "response", "seen_response", "document", "csp", "cookies", "load_samples_ms"),
    *("accessibility", "markup", "page_links", "parties", "exposed_secrets", "served_document", "concealed_text"),
    "is_faded",
}
MAX_TITLE_CHARS: Final = 80
MAX_TEXT_CHARS: Final = 420
MAX_SENTENCES: Final = 3
TERMS: Final = frozenset({"hreflang", "noindex", "nofollow", "robots.txt", "llms.txt", "security.txt", "www"})
"""Terms that are written in lower case wherever they stand."""
CODE: Final = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
DOCUMENTED: Final[list[Check | SiteCheck]] = [*CHECKS, *all_site_checks().values()]
"""Also those of whole sites, which are tested further in ``test_site_checks.py``."""
TEXT_ONLY: Final = (
    "<!doctype html><html lang=en><head><title>Harbour opens again in spring</title></head><body>"
    "<p>The harbour opens again in spring, and the first boats leave on Monday morning.</p></body></html>"
)
EMPTY_SHELL: Final = (
    "<!doctype html><html lang=en><head><title>Harbour</title>"
    '<script type=module src="/assets/index-4f1c2a.js"></script></head><body><div id=root></div></body></html>'
)
SEEN_ON_IT: Final = {
    "the answer": "http-status noindex nofollow-page http2 text-compression redirect-chain cookies https "
    "referrer-policy server-signature",
    "its address": "url-friendly url-length",
    "its elements": "title title-length html-lang aria-hidden-body charset doctype base-element dom-size domains-count "
    "http-requests page-size inline-css deprecated-html marquee-blink meta-refresh obsolete-plugins trackers",
    "its words": "directory-listing hacked-page leaked-secrets plaintext-email error-output empty-page invisible-text "
    "mojibake placeholder-text",
}
"""Parts of a page of nothing but a title and text, and the checks that pass because of them."""
every_check = pytest.mark.parametrize("check", CHECKS, ids=[check.id for check in CHECKS])
every_kind_of_check = pytest.mark.parametrize("check", DOCUMENTED, ids=[check.id for check in DOCUMENTED])


@every_kind_of_check
def test_has_its_sections_with_text(check: Check | SiteCheck) -> None:
    """The docstring is the documentation, whole and in order."""
    assert tuple(check.documentation) == SECTIONS
    assert all(check.documentation.values())
    assert check.summary.endswith((".", "?"))
    assert check.title


@every_kind_of_check
def test_names_its_source(check: Check | SiteCheck) -> None:
    """Every rule says where it comes from, with an address that opens over https."""
    assert check.sources
    assert all(source.startswith("https://") for source in check.sources)


@every_kind_of_check
def test_states_read_as_sentences_from_best_to_worst(check: Check | SiteCheck) -> None:
    """State messages speak of the page and the first one costs nothing."""
    assert check.states[0].loss == 0
    assert check.states[0].highest == 0
    assert len({state.name for state in check.states}) == len(check.states)
    assert all(state.message[0].isupper() or state.message[0] in "</" for state in check.states)
    assert not any("`" in state.message or "`" in state.title for state in check.states), "they are plain text"
    assert all(state.message.endswith(".") for state in check.states)
    if check.severity is not Severity.INFO:
        assert check.states[-1].highest > 0


def explained(check: Check | SiteCheck) -> Iterator[State]:
    """The states that a report shows with advice."""
    return (state for state in check.states if state.title or state.why or state.fix)


def prose_of(text: str) -> str:
    """``text`` without its code."""
    return " ".join(CODE.sub("code", text).split())


@every_kind_of_check
def test_every_finding_is_explained(check: Check | SiteCheck) -> None:
    """A state that costs something says what is wrong, why that matters and what to do; a state says all or nothing."""
    scored = check.severity is not Severity.INFO
    silent = [state.name for state in check.states if scored and state.highest > 0 and not state.title]

    assert silent == []
    assert [state.name for state in explained(check) if not (state.title and state.why and state.fix)] == []
    assert not check.states[0].title


@every_kind_of_check
def test_advice_belongs_to_its_state(check: Check | SiteCheck) -> None:
    """Two states share their title if and only if they share the advice: then they are degrees of one fault."""
    states = list(explained(check))

    assert len({state.title for state in states}) == len({state.fix for state in states})
    assert len({state.title for state in states}) == len({(state.title, state.why, state.fix) for state in states})
    assert not {state.title for state in states if not state.counted} & {check.title}
    assert [state.name for state in states if f"{state.title}.".lower() == state.message.lower()] == []


@every_check
def test_a_number_is_that_of_the_listed_offenders(check: Check) -> None:
    """A title with a number counts something, and not more than is listed."""
    verdict = run_check(check, Facts(artifacts_of_example(check.documentation["Fails on"])))

    assert isinstance(verdict, Outcome)
    total = len(verdict.evidence) if verdict.total is None else verdict.total
    number = (verdict.count or total) if check.state(verdict.state).counted else None

    assert number is None or 0 < number <= total
    assert verdict.saving is None or verdict.saving.amount > 0
    # The title states the saving; the same figure in another rounding would be a second one.
    assert verdict.saving is None or "about" not in verdict.message


@every_kind_of_check
def test_explanations_are_short_sentences(check: Check | SiteCheck) -> None:
    """A title is a phrase; the reason and the advice are one to three sentences, and code may follow the advice."""
    for state in explained(check):
        assert len(state.title) <= MAX_TITLE_CHARS, state.title
        assert not state.title.endswith((".", ":", "?")), state.title
        assert not state.title[0].islower() or state.title.split()[0] in TERMS, state.title
        for text in (state.why, state.fix):
            prose = prose_of(text)
            assert len(prose) <= MAX_TEXT_CHARS, text
            assert len(re.findall(r"[.?!:](?= [A-Z`<]|$)", prose)) <= MAX_SENTENCES + 1, text
            assert not text[0].islower(), text
            assert text.endswith((".", "```")), text
            assert text == text.strip()


@every_check
def test_documented_failing_example_is_true(check: Check) -> None:
    """The page under "Fails on" really costs something (or, for facts, is not the first state)."""
    verdict = run_check(check, Facts(artifacts_of_example(check.documentation["Fails on"])))

    assert isinstance(verdict, Outcome), verdict
    judged = evaluate(check, verdict)

    assert verdict.state != check.states[0].name
    if check.severity is not Severity.INFO:
        assert judged.loss is not None
        assert judged.loss > 0


@every_check
def test_documented_passing_example_is_true(check: Check) -> None:
    """The page under "Passes on" is in the check's best state."""
    verdict = run_check(check, Facts(artifacts_of_example(check.documentation["Passes on"])))

    assert isinstance(verdict, Outcome), verdict
    assert verdict.state == check.states[0].name


@every_check
def test_failing_example_shows_evidence(check: Check) -> None:
    """A finding carries a value, evidence or details that a person can act on."""
    verdict = run_check(check, Facts(artifacts_of_example(check.documentation["Fails on"])))

    assert isinstance(verdict, Outcome)
    assert verdict.evidence or verdict.value is not None or verdict.details or verdict.message


@every_check
def test_evidence_values_say_what_they_are(check: Check) -> None:
    """A number alone beside an address is a riddle: "status 302", "5 bytes"."""
    for section in ("Fails on", "Passes on"):
        verdict = run_check(check, Facts(artifacts_of_example(check.documentation[section])))

        assert isinstance(verdict, Outcome)
        assert not [one.value for one in verdict.evidence if (one.value or "").replace(".", "").isdigit()]


def test_what_passes_was_seen() -> None:
    """A page without links, lists, buttons, fields and files has none that are right."""
    results = run_checks(all_checks(), Facts(make_artifacts(TEXT_ONLY)))
    passed = {name for name, one in results.items() if one.outcome == "passed"}

    assert passed == {name for names in SEEN_ON_IT.values() for name in names.split()}


def test_nothing_is_ruled_out_on_a_page_that_scripts_have_yet_to_fill() -> None:
    """It may have links, lists and fields as soon as they have run."""
    results = run_checks(all_checks(), Facts(make_artifacts(EMPTY_SHELL)))
    ruled_out = {name for name, one in results.items() if one.check.visible_only and one.outcome == "not_applicable"}

    assert not ruled_out
    assert results["link-name"].verdict == NEEDS_RENDERING


@every_check
def test_is_repeatable(check: Check) -> None:
    """The same artifacts give the same verdict."""
    artifacts = artifacts_of_example(check.documentation["Fails on"])

    assert run_check(check, Facts(artifacts)) == run_check(check, Facts(artifacts))


@every_check
def test_does_not_judge_what_was_not_gathered(check: Check) -> None:
    """Without an artifact it needs, the check is not run, whatever the page says."""
    needed = [name for name, optional in check.requirements.items() if not optional and name not in ALWAYS_THERE]
    verdict = run_check(check, Facts(make_artifacts()))

    assert not needed or isinstance(verdict, NotRun)


@every_check
def test_survives_odd_pages(check: Check) -> None:
    """Empty, binary and broken bodies are judged or declined, never an exception."""
    odd = b"<!doctype html><body>" + b"<a href='http://[' ><img srcset=',,'>" * 20
    for body in (b"", b"\x00\xff\xfe<", b"<" * 500, odd):
        verdict = run_check(check, Facts(make_artifacts(body)))
        assert not (isinstance(verdict, NotRun) and verdict.code == "check_error"), verdict
        evaluate(check, verdict)


@every_kind_of_check
def test_has_its_own_test_file(check: Check | SiteCheck) -> None:
    """A check comes with tests of its own traps."""
    module = check.function.__module__.split(".")

    assert (ROOT / "tests" / "checks" / module[-2] / f"test_{module[-1]}.py").is_file()


@every_check
def test_asks_only_for_artifacts_that_exist(check: Check) -> None:
    """Every parameter is a known artifact name."""
    assert set(check.requirements) <= set(PROVIDERS)


def test_there_are_checks() -> None:
    """The registry is not empty, so the suite above is not either."""
    assert len(CHECKS) > 0


def hide_everything(artifacts: Artifacts) -> Artifacts:
    """The same page with a style sheet behind its title that hides the whole body."""
    response = artifacts.navigation.response
    title = re.search(rb"</title>|<!doctype[^>]*>|", response.body, re.IGNORECASE)
    assert title is not None
    at = max(response.body.find(b"</title>") + len(b"</title>"), title.end())
    body = response.body[:at] + b"<style>body *{display:none!important}</style>" + response.body[at:]
    return replace(artifacts, navigation=replace(artifacts.navigation, response=replace(response, body=body)))


@pytest.mark.parametrize(
    "check", [check for check in CHECKS if check.severity is not Severity.INFO], ids=lambda one: one.id
)
def test_says_whether_it_looks_at_what_is_rendered_only(check: Check) -> None:
    """With unknown visibility, findings that depend on it are at most warnings, and no others."""
    artifacts = artifacts_of_example(check.documentation["Fails on"])
    found = run_check(check, Facts(artifacts))
    hidden = run_check(check, Facts(hide_everything(artifacts)))

    assert isinstance(found, Outcome)
    has_places = any(one.selector for one in found.evidence)
    depends = not isinstance(hidden, Outcome) or hidden.state != found.state

    assert not (depends and has_places) or check.visible_only
    assert depends or not check.visible_only or not has_places


@pytest.mark.parametrize("check", [check for check in CHECKS if check.visible_only], ids=lambda one: one.id)
def test_finding_of_unknown_visibility_is_at_most_a_warning(check: Check) -> None:
    """A sheet that was not read may hide everything, so nothing loses all its points, and the message says so."""
    artifacts = artifacts_of_example(check.documentation["Fails on"])
    response = artifacts.navigation.response
    linked = b"<link rel=stylesheet href=/unread.css>" + response.body
    facts = Facts(replace(artifacts, navigation=replace(artifacts.navigation, response=replace(response, body=linked))))
    verdict = run_check(check, facts)

    assert isinstance(verdict, Outcome)
    judged = evaluate(check, verdict)

    assert not verdict.evidence or judged.outcome != "failed"
    assert not verdict.evidence or not check.state(verdict.state).highest or "not read" in verdict.message


FENCED: Final = re.compile(r"```[a-z]*\n(.*?)\n```", re.DOTALL)
HEADER: Final = re.compile(r"[A-Z][A-Za-z-]+: .+")


def followed(example: str) -> Artifacts | None:
    """A page that does what the example of an advice shows; ``None`` where that is no markup and no header."""
    page = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Garden</title>{}</head><body>{}</body></html>"
    plain = ("Content-Type", "text/html; charset=utf-8")
    if example.startswith("<"):
        in_head = example.startswith(("<meta", "<link", "<title", "<script"))
        return make_artifacts(page.format(example if in_head else "", "" if in_head else example))
    lines = [line for line in example.splitlines() if HEADER.fullmatch(line)]
    if not lines or len(lines) < len(example.splitlines()):
        return None
    headers = [tuple(line.split(": ", 1)) for line in lines]
    return make_artifacts(page.format("", ""), headers=[plain, *headers])  # type: ignore[list-item]


@every_check
def test_the_example_of_an_advice_does_not_bring_it_again(check: Check) -> None:
    """Markup and headers that an advice shows are in order for the check that gives it."""
    for state in explained(check):
        for example in FENCED.findall(state.fix):
            artifacts = followed(example)
            if artifacts is None or example.startswith("<html"):
                continue
            verdict = run_check(check, Facts(artifacts))
            assert not isinstance(verdict, Outcome) or check.state(verdict.state).fix != state.fix, example
