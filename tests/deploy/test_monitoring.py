"""The dashboard and the alerts ask for what the processes show, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.stored import Priority
from pagegrade.web.routes import ALL_OPERATIONS
from tests.deploy.files import DEPLOY, ROOT, load_yaml
from tests.deploy.promql import BY_PROMETHEUS, OUTSIDE, exposed, read_query

MONITORING = DEPLOY / "monitoring"
ALERTS = MONITORING / "alerts.yaml"
ALERTS_TEST = Path(__file__).parent / "alerts_test.yaml"
DASHBOARD: dict[str, Any] = json.loads((MONITORING / "grafana-dashboard.json").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = [rule for group in load_yaml(ALERTS)["groups"] for rule in group["rules"]]
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [
    *(rule["expr"] for rule in RULES),
    *(target["expr"] for panel in PANELS for target in panel["targets"]),
    *(note["expr"] for note in DASHBOARD["annotations"]["list"]),
]
VALUES = {
    "operation": {operation.name for operation in ALL_OPERATIONS} | {"none"},
    "status": {"1xx", "2xx", "3xx", "4xx", "5xx"},
    "state": {"completed", "failed", "discarded"},
    "code": set(FAILURE_CODES) | {"none", "other"},
    "kind": {priority.name.lower() for priority in Priority},
    "whose": {"all", "ours"},
    "job": {"pagegrade-api", "pagegrade-worker", "node", "pagegrade-.+", "$job"},
}
"""Label -> values that there are; what is not here is free."""
NEEDS_PROMTOOL = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed here")


def promtool(*arguments: str) -> None:
    """Run it, and fail with what it says."""
    result = subprocess.run(["promtool", *arguments], capture_output=True, check=False, text=True)  # noqa: S607

    assert result.returncode == 0, result.stdout + result.stderr


def test_only_metrics_that_exist_are_asked_for() -> None:
    """No panel stays empty and no alert silent because of a name that does not exist."""
    known = {**exposed(), **OUTSIDE}

    assert len(QUERIES) > 30
    for text in QUERIES:
        query = read_query(text)
        assert query.metrics, text
        assert query.metrics <= set(known), text


def test_only_labels_that_exist_are_asked_for() -> None:
    """A selector by a label that a metric does not have finds nothing; grouping by one makes a single group."""
    known = {**exposed(), **OUTSIDE}
    for text in QUERIES:
        query = read_query(text)
        all_labels = BY_PROMETHEUS.union(*(known[metric] for metric in query.metrics))

        assert query.grouped <= all_labels, text
        for metric, label, _ in query.matchers:
            assert label in known[metric] | BY_PROMETHEUS, text


def test_only_values_that_exist_are_asked_for() -> None:
    """Names of operations, codes and kinds are those of the product."""
    for text in QUERIES:
        for _, label, value in read_query(text).matchers:
            if label in VALUES:
                values = {value} if label == "job" else set(value.split("|"))
                assert values <= VALUES[label], text


def test_a_wrong_query_is_noticed() -> None:
    """The reader finds what it is asked to find."""
    query = read_query('sum by (le, place) (rate(some_bucket{colour="red"}[5m])) / other > 5 unless on (job) third')

    assert query.metrics == {"some_bucket", "other", "third"}
    assert query.matchers == {("some_bucket", "colour", "red")}
    assert query.grouped == {"le", "place", "job"}


def test_panels_explain_themselves() -> None:
    """A title, a description, a unit and a place of its own for each."""
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    ids = [panel["id"] for panel in DASHBOARD["panels"]]

    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) == 23
    assert len(ids) == len(set(ids))
    for panel in PANELS:
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}


def test_alerts_say_what_to_do() -> None:
    """Each has a summary, a runbook and a severity that is routed."""
    for rule in RULES:
        assert set(rule["annotations"]) == {"summary", "runbook"}, rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert len(rule["annotations"]["runbook"]) > 100


def test_pages_that_alerts_name_exist() -> None:
    """A runbook that leads nowhere is found out at night."""
    named = {page for rule in RULES for page in re.findall(r"docs/[\w/-]+\.md", rule["annotations"]["runbook"])}

    assert named
    for page in named:
        assert (ROOT / page).is_file()


def test_every_alert_is_tried() -> None:
    """The unit tests of the rules raise each of them at least once."""
    text = ALERTS_TEST.read_text(encoding="utf-8")
    raised = set(re.findall(r"labels: 'ALERTS\{alertname=\"(\w+)\"", text))

    assert raised == {rule["alert"] for rule in RULES}


def test_the_jobs_are_those_that_are_collected() -> None:
    """Rules and dashboard count processes by the jobs of the example."""
    jobs = {job["job_name"] for job in load_yaml(MONITORING / "prometheus.yaml")["scrape_configs"]}

    assert jobs == {"pagegrade-api", "pagegrade-worker", "node"}


def test_the_example_finds_the_containers() -> None:
    """Its targets are the services of compose.yaml, on the ports they listen on."""
    api, worker, _ = load_yaml(MONITORING / "prometheus.yaml")["scrape_configs"]
    services = load_yaml(DEPLOY / "compose.yaml")["services"]
    command = services["worker"]["command"]

    assert api["static_configs"] == [{"targets": ["api-a:8080", "api-b:8080"]}]
    assert {"api-a", "api-b"} <= set(services)
    assert worker["dns_sd_configs"][0]["names"] == ["worker"]
    assert str(worker["dns_sd_configs"][0]["port"]) == command[command.index("--port") + 1]


@NEEDS_PROMTOOL
def test_prometheus_understands_the_panels(tmp_path: Path) -> None:
    """The real program reads what each panel asks, once Grafana has put its variables in."""
    filled = {"$__rate_interval": "5m", "$job": ".+", "$instance": ".+"}
    rules = []
    for number, query in enumerate(QUERIES):
        text = re.sub("|".join(map(re.escape, filled)), lambda match: filled[match[0]], query)
        rules.append({"record": f"query:{number}", "expr": text})
    file = tmp_path / "queries.json"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")

    promtool("check", "rules", str(file))


@NEEDS_PROMTOOL
def test_prometheus_understands_the_files() -> None:
    """The real program reads rules and configuration, and raises the alerts when it should."""
    promtool("check", "rules", str(ALERTS))
    promtool("check", "config", "--syntax-only", str(MONITORING / "prometheus.yaml"))
    promtool("test", "rules", str(ALERTS_TEST))
