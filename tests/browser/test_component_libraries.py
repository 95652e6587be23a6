"""Parts of component libraries that style sheets hide, against axe-core in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import run_check
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome
from pagegrade.parse.cascade.rules import reduce_stylesheet
from tests.browser.axe import load_axe
from tests.browser.component_libraries import LIBRARIES, Library, page_of
from tests.builders import URL, make_artifacts, make_resource, make_resources

RULES: Final = {
    "link-name": ("link-name",),
    "button-name": ("button-name", "aria-command-name"),
    "image-alt": ("image-alt",),
    "form-label": ("label", "select-name"),
    "empty-heading": ("empty-heading",),
    "aria-name": ("aria-progressbar-name", "aria-tooltip-name"),
    "aria-hidden-focus": ("aria-hidden-focus",),
    "summary-name": ("summary-name",),
    "nested-interactive": ("nested-interactive",),
}
"""Check -> rules of axe-core about the same."""
PHONE: Final[dict[str, Any]] = {"viewport": {"width": 412, "height": 915}, "has_touch": True, "is_mobile": True}
LAPTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 720}}
MIN_AGREEMENT: Final = 0.95
NPM: Final = shutil.which("npm")
_RUN: Final = """async rules => {
  const all = [...document.querySelectorAll('*')];
  const tested = await axe.run(document, {runOnly: {type: 'rule', values: rules}});
  const reached = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const listed = results => results.flatMap(rule => rule.nodes.flatMap(node => {
    const element = document.querySelector(node.target[0]);
    if (rule.id !== 'aria-hidden-focus') return [[rule.id, all.indexOf(element)]];
    return [element, ...element.querySelectorAll('*')]
      .filter(one => one.matches(reached) && one.tabIndex >= 0 && one.checkVisibility({visibilityProperty: true}))
      .map(one => [rule.id, all.indexOf(one)]);
  }));
  return [listed(tested.violations), listed(tested.incomplete)];
}"""
_PLACES: Final = """selectors => {
  const all = [...document.querySelectorAll('*')];
  return selectors.map(selector => all.indexOf(document.querySelector(selector)));
}"""
_DESCRIBE: Final = """numbers => {
  const all = [...document.querySelectorAll('*')];
  const start = element => element.outerHTML.slice(0, 70);
  return numbers.map(number => start(all[number].parentElement) + ' > ' + start(all[number]));
}"""

Finding = tuple[str, int]
"""(check, number of the element in the document)."""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed packages; nothing in them is run."""
    if NPM is None:
        pytest.skip("npm, which brings the component libraries, is not installed here")
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "package.json").write_text(json.dumps({"private": True}))
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", "--omit=optional")
    names = [library.package for library in LIBRARIES.values()]
    done = subprocess.run(
        [NPM, "install", *options, *names], cwd=folder, check=False, capture_output=True, text=True, timeout=600
    )
    if done.returncode:
        pytest.skip(f"npm could not bring the component libraries: {done.stderr[-300:]}")
    return folder / "node_modules"


@pytest.fixture(scope="module")
def screens(browser: Browser) -> Iterator[tuple[Page, ...]]:
    """A tab on a phone and one on a laptop, without a network."""
    contexts = [browser.new_context(offline=True, **screen) for screen in (PHONE, LAPTOP)]
    yield tuple(context.new_page() for context in contexts)
    for context in contexts:
        context.close()


def sheets_of(library: Library, packages: Path) -> dict[str, str]:
    """Address -> text."""
    folder = packages / library.package.rpartition("@")[0]
    return {f"{URL}{number}.css": (folder / path).read_text() for number, path in enumerate(library.sheets)}


def found_by_axe(screens: tuple[Page, ...], html: str) -> tuple[set[Finding], set[Finding]]:
    """(what axe-core finds on either screen, what it leaves to a person)."""
    checks = {rule: check for check, rules in RULES.items() for rule in rules}
    found: set[Finding] = set()
    open_questions: set[Finding] = set()
    for screen in screens:
        screen.set_content(html, wait_until="domcontentloaded")
        load_axe(screen)
        failed, undecided = screen.evaluate(_RUN, list(checks))
        found |= {(checks[rule], number) for rule, number in failed}
        open_questions |= {(checks[rule], number) for rule, number in undecided}
    return found, open_questions - found


def found_by_checks(blank: Page, html: str, rules: dict[str, tuple[str, ...] | None]) -> set[Finding]:
    """The findings of the checks with these sheets."""
    resources = make_resources(
        *(make_resource(url, kind="stylesheet", visibility_rules=kept) for url, kept in rules.items())
    )
    facts = Facts(make_artifacts(html, resources=resources))
    places: list[tuple[str, str]] = []
    for check in RULES:
        outcome: Any = run_check(all_checks()[check], facts)
        if isinstance(outcome, Outcome):
            if len(outcome.evidence) >= MAX_EVIDENCE:
                raise ValueError(f"{check} finds more than can be compared: use fewer parts")
            places += [(check, one.selector) for one in outcome.evidence if one.selector]
    numbers: list[int] = blank.evaluate(_PLACES, [selector for _, selector in places])
    return {(check, number) for (check, _), number in zip(places, numbers, strict=True)}


def described(page: Page, findings: set[Finding]) -> tuple[list[Finding], list[str]]:
    """The findings in order, and where each stands."""
    ordered = sorted(findings)
    return ordered, page.evaluate(_DESCRIBE, [number for _, number in ordered])


@pytest.mark.parametrize("name", LIBRARIES)
def test_parts_are_hidden_as_in_a_browser(name: str, packages: Path, screens: tuple[Page, ...]) -> None:
    """At least 95 % of the contested elements agree, and what a browser hides is never reported."""
    library = LIBRARIES[name]
    sheets = sheets_of(library, packages)
    reduced = {url: reduce_stylesheet(text, base_url=url) for url, text in sheets.items()}
    styled = page_of(library, "".join(f"<style>{text}</style>" for text in sheets.values()))
    linked = page_of(library, "".join(f"<link rel=stylesheet href={url}>" for url in sheets))
    # The parts stand in the body, after as many elements of the head, whichever way the sheets come.
    expected, undecided = found_by_axe(screens, styled)
    laptop = screens[-1]
    ours = found_by_checks(laptop, linked, dict(reduced)) - undecided
    without = found_by_checks(laptop, linked, dict.fromkeys(sheets, ())) - undecided
    contested = expected | ours | without
    disagreed = expected ^ ours
    wrong = [f"{check}: {tag}" for (check, _), tag in zip(*described(laptop, disagreed), strict=True)]

    assert not ours - expected, wrong
    assert len(disagreed) <= (1 - MIN_AGREEMENT) * len(contested), wrong
    assert not library.hides_parts or len(expected ^ without) > len(disagreed)
