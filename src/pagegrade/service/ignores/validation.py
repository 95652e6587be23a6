"""Validation of ignore rules, for the API, pages and the command line; needs no database."""

from __future__ import annotations

from pagegrade.checks import all_checks
from pagegrade.model.errors import Violation
from pagegrade.model.outcome import MAX_REASON, MAX_SELECTOR, MAX_URL_PATTERN, IgnoreRule
from pagegrade.parse.html.place_matching import split_selector


def find_violations(rule: IgnoreRule) -> list[Violation]:
    """Return everything that is wrong with a rule."""
    found: list[Violation] = []

    def refuse(field: str, code: str, message: str, limit: int | None = None) -> None:
        found.append(Violation(field=field, place="body", code=code, message=message, limit=limit))

    check = all_checks().get(rule.check)
    if check is None:
        refuse("check", "unknown", "There is no such check. `pagegrade checks` and /checks list them all.")
    elif rule.state is not None and all(state.name != rule.state for state in check.states):
        states = ", ".join(state.name for state in check.states if state.highest)
        refuse("state", "unknown", f"The check has no such state. Its findings have the states {states}.")
    if not rule.reason.strip():
        refuse("reason", "required", "Required.")
    for field, text, limit in (
        ("reason", rule.reason, MAX_REASON),
        ("selector", rule.selector, MAX_SELECTOR),
        ("url_pattern", rule.url_pattern, MAX_URL_PATTERN),
    ):
        if len(text) > limit:
            refuse(field, "too_long", f"At most {limit} characters.", limit)
    if rule.selector and len(rule.selector) <= MAX_SELECTOR and not _is_selector(rule.selector):
        refuse(
            "selector",
            "invalid",
            "Use a selector as the report shows it, or type, class, id and attribute selectors separated by blanks, "
            "such as .banner img.",
        )
    return found


def _is_selector(text: str) -> bool:
    """Return whether a text can match anything: by its own rules, or as a report writes the place of an element."""
    return split_selector(text) is not None or text.startswith(("html", "#", "body", "head"))
