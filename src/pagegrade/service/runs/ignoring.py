"""Find the findings of a page that ignore rules cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pagegrade.checks import Evaluated, Facts
from pagegrade.model.document import Node
from pagegrade.model.outcome import MAX_REASON, Evidence, IgnoreRule, Outcome
from pagegrade.model.report import Ignored
from pagegrade.parse.html.place_matching import lies_in, split_selector, url_matches
from pagegrade.parse.url import project_of
from pagegrade.report.serialize import format_timestamp


def find_ignored(
    rules: Sequence[IgnoreRule], evaluated: Mapping[str, Evaluated], facts: Facts, at: datetime
) -> dict[str, Ignored]:
    """Return the findings that the rules cover, by check; their points are 0.

    A rule without selector and URL pattern covers the whole finding. Others cover places, and a finding is ignored
    when each of its places is covered: one that lists only a part of its places is not.

    Args:
        rules: Those that apply to the page, the oldest first.
        evaluated: What the checks found.
        at: When the page was fetched; rules that expired before cover nothing.
    """
    project = project_of(facts.artifacts.navigation.requested_url)
    by_check: dict[str, list[IgnoreRule]] = {}
    for rule in rules:
        if (rule.expires_at is None or rule.expires_at > at) and rule.project in {"", project}:
            by_check.setdefault(rule.check, []).append(rule)
    found = {}
    for check, of_check in by_check.items():
        one = evaluated.get(check)
        if one is not None and (covering := _covering(of_check, one, facts)):
            expires_at = min((rule.expires_at for rule in covering if rule.expires_at is not None), default=None)
            found[check] = Ignored(
                outcome="failed" if one.outcome == "failed" else "warning",
                reason=" ".join(dict.fromkeys(rule.reason for rule in covering))[:MAX_REASON],
                rules=tuple(rule.id for rule in covering if rule.id is not None),
                author=covering[0].author,
                expires_at=None if expires_at is None else format_timestamp(expires_at),
            )
    return found


def _covering(rules: Sequence[IgnoreRule], one: Evaluated, facts: Facts) -> list[IgnoreRule]:
    """The rules that together cover a finding; none where something of it is not covered."""
    verdict = one.verdict
    if one.outcome not in {"warning", "failed"} or not isinstance(verdict, Outcome):
        return []
    total = len(verdict.evidence) if verdict.total is None else verdict.total
    holding = [rule for rule in rules if not _is_worse(rule, one, total)]
    whole = next((rule for rule in holding if not rule.selector and not rule.url_pattern), None)
    if whole is not None:
        return [whole]
    if not verdict.evidence or total > len(verdict.evidence):
        return []
    document = facts.for_category(one.check.category).document
    covering: dict[int, IgnoreRule] = {}
    for evidence in verdict.evidence:
        node = document.element_at(evidence)
        rule = next((rule for rule in holding if _covers(rule, evidence, node)), None)
        if rule is None:
            return []
        covering[id(rule)] = rule
    return list(covering.values())


def _is_worse(rule: IgnoreRule, one: Evaluated, total: int) -> bool:
    """Return whether a finding is worse than what the rule accepts."""
    if rule.places is not None and total > rule.places:
        return True
    if rule.state is None:
        return False
    # A state that the check no longer has accepts nothing.
    accepted = next((state.highest for state in one.check.states if state.name == rule.state), 0.0)
    return (one.loss or 0.0) > accepted


def _covers(rule: IgnoreRule, evidence: Evidence, node: Node | None) -> bool:
    if rule.url_pattern and not url_matches(evidence.url, rule.url_pattern):
        return False
    if not rule.selector or evidence.selector == rule.selector:
        return True
    compounds = split_selector(rule.selector)
    return node is not None and compounds is not None and lies_in(node, compounds)
