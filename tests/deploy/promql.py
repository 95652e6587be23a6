"""Parser of Prometheus queries: metrics, labels, values. As much of its language as our queries use."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pagegrade.observability.events import Observation
from tests.deploy.files import ROOT

KEYWORDS: Final = frozenset({"and", "or", "unless"})
OUTSIDE: Final = {
    "up": frozenset[str](),
    "node_filesystem_avail_bytes": frozenset({"fstype", "mountpoint"}),
    "node_filesystem_size_bytes": frozenset({"fstype", "mountpoint"}),
}
"""Metrics of Prometheus itself and of node_exporter, with their labels."""
BY_PROMETHEUS: Final = frozenset({"job", "instance"})
"""Labels that every series gets when it is collected."""
METRICS_MODULE: Final = ROOT / "src" / "pagegrade" / "web" / "ops.py"
SAMPLES: Final = {
    "counter": ("_total",),
    "histogram": ("_bucket", "_sum", "_count"),
    "gauge": ("",),
}
_MATCHERS: Final = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
_SELECTOR: Final = re.compile(r"([a-zA-Z_:][\w:]*)?\{((?:[^}\"]|\"(?:[^\"\\]|\\.)*\")*)\}")
_GROUPING: Final = re.compile(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_WORD: Final = re.compile(r"[a-zA-Z_:][\w:]*")


@dataclass(frozen=True, slots=True)
class Query:
    """The parts of one expression."""

    metrics: frozenset[str]
    matchers: frozenset[tuple[str, str, str]]
    """(metric, label, value); the value may be a pattern."""
    grouped: frozenset[str]
    """Labels that it groups or matches by."""


def read_query(text: str) -> Query:
    """The metrics and labels in an expression."""
    matchers: set[tuple[str, str, str]] = set()
    metrics: set[str] = set()

    def take(match: re.Match[str]) -> str:
        metrics.add(match[1])
        matchers.update((match[1], label, value) for label, _, value in _MATCHERS.findall(match[2]))
        return " "

    plain = _SELECTOR.sub(take, text)
    grouped = {label.strip() for group in _GROUPING.findall(plain) for label in group.split(",")}
    plain = re.sub(r"\[[^\]]*\]", " ", _GROUPING.sub(" ", plain))
    for word in _WORD.finditer(plain):
        is_call = plain[word.end() :].lstrip().startswith("(")
        # A unit behind a number, like 5m, begins with the number and is no word of its own.
        is_unit = word.start() > 0 and plain[word.start() - 1].isdigit()
        if not (is_call or is_unit or word[0] in KEYWORDS):
            metrics.add(word[0])
    return Query(frozenset(metrics), frozenset(matchers), frozenset(grouped))


def exposed() -> dict[str, frozenset[str]]:
    """Every series that a process may show, with its labels, as the code has it."""
    found: dict[str, frozenset[str]] = {}
    for collector in Observation().registry._collector_to_names:
        labels = frozenset(getattr(collector, "_labelnames", ()))
        for metric in collector.collect():
            for suffix in SAMPLES[metric.type]:
                found[metric.name + suffix] = labels | ({"le"} if suffix == "_bucket" else set())
    return {**found, **_looked_at(METRICS_MODULE)}


def _looked_at(module: Path) -> dict[str, frozenset[str]]:
    """Gauges that are made at a scrape: name -> labels, read from the calls that make them."""
    found = {}
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "GaugeMetricFamily":
            name = ast.literal_eval(node.args[0])
            labels = [ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg == "labels"]
            found[name] = frozenset(labels[0] if labels else ())
    return found
