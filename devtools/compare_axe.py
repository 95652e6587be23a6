"""Agreement of the accessibility checks with axe-core in Chromium, element by element, on saved pages.

``python -m devtools.compare_axe`` reads the saved pages of ``make calibrate``. Their stylesheets were not saved, so
both sides see the HTML with its own ``<style>`` elements and attributes, without scripts and without a network. An
element is contested when at least one side reports it. What axe-core leaves to a person is left out.

``--served FOLDER PAGE ...`` compares pages that have their stylesheets beside them, such as the documentation and the
templates that packages bring: the folder is served on loopback, the browser gets it with a policy that runs no script,
and the static engine fetches what a page names.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, sync_playwright

from devtools.calibrate import ROOT
from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import run_check
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome
from pagegrade.parse.url import parse_target_url
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs.analysis import artifacts_of_document, gather_target
from pagegrade.service.runs.options import AnalyzeOptions

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
    parser.add_argument("--served", type=Path, help="a folder with pages and their stylesheets")
    parser.add_argument("pages", nargs="*", help="paths of pages inside of that folder")
    given = parser.parse_args(arguments)
    pages = [given.served / page for page in given.pages] if given.served else given.shared.glob("corpus/*.html")
    pages = sorted(page for page in pages if page.is_file())
    if not pages:
        sys.stdout.write("1 skipped (there are no saved pages beside the checkout, or none of those that were named)\n")
        return 0
    agreed, ours_only, axe_only = Counter[str](), Counter[str](), Counter[str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.chrome, args=["--no-sandbox"])
        tabs = [browser.new_context(offline=not given.served, viewport=screen).new_page() for screen in SCREENS]  # type: ignore[arg-type]
        for path in pages:
            if given.served:
                expected, undecided, ours = compare_served(tabs, given.served, path)
            else:
                html = _WITHOUT.sub(b"", path.read_bytes())
                for tab in tabs:
                    tab.set_content(html.decode("utf-8", "replace"), wait_until="domcontentloaded")
                expected, undecided = found_by_axe(tabs)
                ours = found_by_checks(
                    tabs[-1], artifacts_of_document(html, url="https://example.com/", headers=_HEADERS)
                )
            ours = {one for one in ours if one not in undecided and one[1] >= 0}
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


def compare_served(tabs: Sequence[Page], folder: Path, page: Path) -> tuple[set[Finding], set[Finding], set[Finding]]:
    """(findings of axe-core, questions that it leaves to a person, findings of the checks), with the page's sheets."""
    path = page.relative_to(folder).as_posix()
    # Playwright's loop runs in this thread.
    with served(folder, policy="") as origin, ThreadPoolExecutor(1) as other:
        artifacts = other.submit(asyncio.run, _gathered(f"{origin}/{path}")).result()
    with served(folder, policy="script-src 'none'") as origin:
        for tab in tabs:
            tab.route(lambda url: not url.startswith(origin), lambda route: route.abort())
            tab.goto(f"{origin}/{path}", wait_until="load")
        found = found_by_axe(tabs)
        ours = found_by_checks(tabs[-1], artifacts)
        for tab in tabs:
            tab.unroute_all()
    return *found, ours


@contextmanager
def served(folder: Path, *, policy: str) -> Iterator[str]:
    """Serve a folder on loopback with a Content Security Policy; yields the origin."""

    class Handler(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            if policy:
                self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing: the table is the output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def _gathered(url: str) -> Artifacts:
    options = AnalyzeOptions(allow_typed_private=True, load_samples=1)
    async with Children() as children:
        found = await gather_target(parse_target_url(url), options=options, children=children)
    if not isinstance(found, Artifacts):
        raise SystemExit(f"{url}: {found.error}")
    return found


def found_by_axe(tabs: Sequence[Page]) -> tuple[set[Finding], set[Finding]]:
    """(findings of axe-core on any screen, questions that it leaves to a person) in the page that the tabs show."""
    checks = {rule: check for check, rules in RULES.items() for rule in rules}
    found, open_questions = set[Finding](), set[Finding]()
    for tab in tabs:
        tab.evaluate(AXE_SCRIPT)
        failed, undecided = tab.evaluate(_RUN, list(checks))
        found |= {(checks[rule], number) for rule, number in failed}
        open_questions |= {(checks[rule], number) for rule, number in undecided}
    return found, open_questions - found


def found_by_checks(tab: Page, artifacts: Artifacts) -> set[Finding]:
    """The findings of the checks by the static engine, as elements of the page that the tab shows."""
    facts = Facts(artifacts)
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
