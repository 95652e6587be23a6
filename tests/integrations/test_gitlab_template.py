"""The template for GitLab CI: its script is run as a runner would, without a container."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from pagegrade.model.identity import VERSION
from tests.cli.site import running_site

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATE: Final = yaml.safe_load((ROOT / "integrations/gitlab/pagegrade.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("condition", "status"), [("score<1", 0), ("score<100", 1)])
def test_the_script_analyzes_every_page(tmp_path: Path, condition: str, status: int) -> None:
    """The condition decides how the job ends; the files for the merge request are there either way."""
    job: dict[str, Any] = TEMPLATE[".pagegrade"]
    with running_site() as site:
        variables = job["variables"] | {
            "PAGE_URLS": f"{site.url} {site.url}other",
            "PAGE_FAIL_ON": condition,
            "PAGE_PACKAGE": "",
            "PAGEGRADE_ALLOW_NETWORKS": "127.0.0.0/8",
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])],  # noqa: S607 - as runners do
            cwd=tmp_path,
            env=os.environ | variables | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    suites = ET.parse(tmp_path / job["artifacts"]["reports"]["junit"]).getroot()  # noqa: S314 - our own output

    assert done.returncode == status, done.stderr
    cases = [(case.get("classname"), case.get("name")) for case in suites.iter("testcase")]

    assert len(suites.findall("testsuite")) == 2
    assert len(set(cases)) == len(cases) > 400
    assert sum(kind == "pagegrade.gate" for kind, _ in cases) == 2
    assert all((tmp_path / path).exists() for path in job["artifacts"]["paths"])


def test_the_template_installs_what_it_was_pinned_with() -> None:
    """A template of a tag is one of that release, and the documentation names tags, no branch that moves."""
    documented = (ROOT / "docs/howto/use-in-ci.md").read_text(encoding="utf-8")

    variables = TEMPLATE[".pagegrade"]["variables"]
    source, _, locked = variables["PAGE_REQUIREMENTS"].partition(f"/v{VERSION}/")

    assert variables["PAGE_PACKAGE"] == f"pagegrade=={VERSION}"
    assert source == "https://raw.githubusercontent.com/pagegrade/pagegrade"
    assert "--hash=sha256:" in (ROOT / locked).read_text(encoding="utf-8")
    assert any("--require-hashes" in line and "$PAGE_REQUIREMENTS" in line for line in TEMPLATE[".pagegrade"]["script"])
    assert f"pagegrade/pagegrade/v{VERSION}/integrations/gitlab/pagegrade.yml" in documented
    assert f"uses: pagegrade/pagegrade@v{VERSION}" in documented
