"""Agreement of the accessibility checks with axe-core in Chromium, element by element, on saved pages.

``python -m devtools.compare_axe`` reads the saved pages of ``make calibrate``. Their stylesheets were not saved, so
both sides see the HTML with its own ``<style>`` elements and attributes, without scripts and without a network. An
element is contested when at least one side reports it. What axe-core leaves to a person is left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, sync_playwright

from devtools.calibrate import ROOT
from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import run_check
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome
from pagegrade.service.runs.analysis import artifacts_of_document

RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "aria-allowed-attr": ("aria-allowed-attr", "aria-prohibited-attr"),
    "aria-attr-value": ("aria-valid-attr-value",),
    "aria-hidden-focus": ("aria-hidden-focus",),
    "aria-required-attr": ("aria-required-attr",),
    "aria-roles": ("aria-roles",),
    "aria-valid-attr": ("aria-valid-attr",),
    "area-alt": ("area-alt",),
    "autocomplete-valid": ("autocomplete-valid",),
    "button-name": ("button-name", "aria-command-name"),
    "empty-heading": ("empty-heading",),
    "form-label": ("label", "select-name", "aria-input-field-name"),
    "frame-title": ("frame-title",),
    "html-lang": ("html-has-lang", "html-lang-valid"),
    "image-alt": ("image-alt", "role-img-alt"),
    "input-button-name": ("input-button-name",),
    "input-image-alt": ("input-image-alt",),
    "lang-of-parts": ("valid-lang",),
    "link-name": ("link-name",),
    "list-structure": ("list", "listitem", "definition-list", "dlitem"),
    "nested-interactive": ("nested-interactive",),
    "object-alt": ("object-alt",),
    "summary-name": ("summary-name",),
    "svg-img-alt": ("svg-img-alt",),
    "tabindex": ("tabindex",),
    "viewport-zoom": ("meta-viewport",),
}
"""Check -> rules of axe-core about the same."""
STRICTER: Final = {"form-label": "placeholder"}
"""Check -> a state that axe-core has no rule for: it takes a placeholder for a label."""
SCREENS: Final = ({"width": 412, "height": 915}, {"width": 1280, "height": 720})
_WITHOUT: Final = re.compile(
    rb"<script\b.*?</script\s*>|<link\b[^>]*>|<meta http-equiv=.?refresh[^>]*>", re.IGNORECASE | re.DOTALL
)
_RUN: Final = """async rules => {
  const all = [...document.querySelectorAll('*')];
  const tested = await axe.run(document, {runOnly: {type: 'rule', values: rules}, iframes: false});
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
_PLACES: Final = """found => {
  const all = [...document.querySelectorAll('*')];
  return found.map(([check, selector]) => {
    const element = document.querySelector(selector);
    // axe-core names the list, the check what does not belong into it.
    const inList = check === 'list-structure' && element?.matches(':is(ul, ol, dl) > :not(li, dt, dd)');
    return all.indexOf(inList ? element.parentElement : element);
  });
}"""
_DESCRIBE: Final = "number => [...document.querySelectorAll('*')][number]?.outerHTML.slice(0, 160)"
_HEADERS: Final = (("Content-Type", "text/html; charset=utf-8"),)
Finding = tuple[str, int]
"""(check, number of the element in the document)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.compare_axe")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--chrome", default="/usr/bin/chromium", help="the browser")
    parser.add_argument("--show", action="store_true", help="print each element on which they differ")
    given = parser.parse_args(arguments)
    pages = sorted((given.shared / "corpus").glob("*.html"))
    if not pages:
        sys.stdout.write("1 skipped (there are no saved pages beside the checkout)\n")
        return 0
    agreed, ours_only, axe_only = Counter[str](), Counter[str](), Counter[str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.chrome, args=["--no-sandbox"])
        tabs = [browser.new_context(offline=True, viewport=screen).new_page() for screen in SCREENS]  # type: ignore[arg-type]
        for path in pages:
            html = _WITHOUT.sub(b"", path.read_bytes())
            expected, undecided = found_by_axe(tabs, html.decode("utf-8", "replace"))
            ours = {one for one in found_by_checks(tabs[-1], html) if one not in undecided and one[1] >= 0}
            agreed.update(check for check, _ in expected & ours)
            ours_only.update(check for check, _ in ours - expected)
            axe_only.update(check for check, _ in expected - ours)
            if given.show:
                for check, number in sorted(expected ^ ours):
                    side = "ours" if (check, number) in ours else "axe "
                    sys.stdout.write(f"{path.stem} {side} {check} {tabs[-1].evaluate(_DESCRIBE, number)!r}\n")
        browser.close()
    sys.stdout.write("".join(table(agreed, ours_only, axe_only)))
    return 0


def table(agreed: Counter[str], ours_only: Counter[str], axe_only: Counter[str]) -> Iterator[str]:
    """A table in Markdown: contested elements of each check, and their sum."""
    yield "| check | contested | both | only Pagegrade | only axe-core |\n| --- | ---: | ---: | ---: | ---: |\n"
    for check in (*RULES, "all"):
        counts = [sum(one.values()) if check == "all" else one[check] for one in (agreed, ours_only, axe_only)]
        if sum(counts):
            yield f"| {check} | {sum(counts)} | {' | '.join(map(str, counts))} |\n"


def found_by_axe(tabs: Sequence[Page], html: str) -> tuple[set[Finding], set[Finding]]:
    """(findings of axe-core on any screen, questions that it leaves to a person)."""
    checks = {rule: check for check, rules in RULES.items() for rule in rules}
    found, open_questions = set[Finding](), set[Finding]()
    for tab in tabs:
        tab.set_content(html, wait_until="domcontentloaded")
        tab.evaluate(AXE_SCRIPT)
        failed, undecided = tab.evaluate(_RUN, list(checks))
        found |= {(checks[rule], number) for rule, number in failed}
        open_questions |= {(checks[rule], number) for rule, number in undecided}
    return found, open_questions - found


def found_by_checks(tab: Page, html: bytes) -> set[Finding]:
    """The findings of the checks in the HTML alone."""
    facts = Facts(artifacts_of_document(html, url="https://example.com/", headers=_HEADERS))
    places: list[tuple[str, str]] = []
    for check in RULES:
        verdict: Any = run_check(all_checks()[check], facts)
        if isinstance(verdict, Outcome) and verdict.evidence and all_checks()[check].state(verdict.state).fix:
            if len(verdict.evidence) >= MAX_EVIDENCE:
                sys.stdout.write(f"{check}: only the first {MAX_EVIDENCE} elements of a page are compared\n")
            stricter = STRICTER.get(check)
            places += [
                (check, one.selector)
                for one in verdict.evidence
                if one.selector and (one.state or verdict.state) != stricter
            ]
    numbers: list[int] = tab.evaluate(_PLACES, [list(place) for place in places])
    return {(check, number) for (check, _), number in zip(places, numbers, strict=True)}


if __name__ == "__main__":
    sys.exit(main())
