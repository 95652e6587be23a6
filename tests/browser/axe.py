"""axe-core in a page: what it finds against WCAG 2.2 A and AA, and against good practice."""

from __future__ import annotations

from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")
FOREIGN: Final = {
    "landmark-main-is-top-level": "#operations",
    "landmark-no-duplicate-main": "#main",
    "landmark-unique": "#main",
    "heading-order": "#operations-tag-",
}
"""Rule -> element that breaks it on the page that Swagger UI draws, in a main part and with a heading of its own."""
_RUN: Final = """async ([tags, rules]) => {
  const only = rules.length ? {type: 'rule', values: rules} : {type: 'tag', values: tags};
  const options = {runOnly: only, resultTypes: ['violations'], selectors: true};
  if (!rules.length) options.rules = {'target-size': {enabled: true}};
  const found = await axe.run(document, options);
  return found.violations.flatMap(rule => rule.nodes.map(
    node => [rule.id, node.target.join(' '), node.failureSummary]));
}"""


def load_axe(page: Page) -> None:
    """Bring axe-core into the page, past its policy, which is not asked about what the debugger evaluates."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)


def violations(page: Page, *rules: str) -> list[str]:
    """Faults of the page as it is shown now, one line for each element.

    Args:
        page: An open page.
        rules: Only these of axe-core; none: all that belong to ``TAGS``.
    """
    load_axe(page)
    found: list[list[Any]] = page.evaluate(_RUN, [list(TAGS), list(rules)])
    drawn = page.locator("#api .swagger-ui").count() > 0
    found = [each for each in found if not (drawn and each[1].startswith(FOREIGN.get(each[0], "\n")))]
    return [f"{rule}: {target}: {' '.join(str(summary).split())}" for rule, target, summary in found]
