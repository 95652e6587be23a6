"""The containers are as confined, as separated and as patient as the pages say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pagegrade.config import Settings
from pagegrade.service.pdf_pool import CONCURRENT
from tests.deploy.files import COMPOSE, DEPLOY, dockerfile, env_example, filled, load_yaml, seconds, services

MANY, ONE = COMPOSE
ALL = [(path, name) for path in COMPOSE for name in services(path)]
GRACE_S = float(env_example()["PAGEGRADE_GRACE_SECONDS"])
LEASE_S = Settings.model_fields["lease_seconds"].default


def is_ours(service: dict[str, Any]) -> bool:
    """Return whether it runs our image."""
    return str(service["image"]).startswith("${IMAGE")


def networks(path: Path) -> dict[str, set[str]]:
    """The services of each network."""
    found: dict[str, set[str]] = {name: set() for name in load_yaml(path)["networks"]}
    for name, service in services(path).items():
        for network in service["networks"]:
            found[network].add(name)
    return found


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_containers_get_nothing_they_do_not_need(path: Path, name: str) -> None:
    """No way to write to the image, no rights of root, no way to more of them, and bounded resources."""
    service = services(path)[name]
    limits = service["deploy"]["resources"]["limits"]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else [])
    assert "privileged" not in service
    assert set(limits) == {"cpus", "memory", "pids"}
    assert service["logging"]["options"]["max-size"]
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_tables_fit_into_the_folder_for_temporary_files(path: Path, name: str) -> None:
    """Rows of 50 MB with a table as large, as many as are made at a time; half of the memory is left."""
    service = services(path)[name]
    if not is_ours(service):
        return
    [size] = re.findall(r"^/tmp:.*size=(\d+)m$", "\n".join(service["tmpfs"]), re.MULTILINE)
    memory = service["deploy"]["resources"]["limits"]["memory"]
    memory_mb = int(memory[:-1]) * {"m": 1, "g": 1_024}[memory[-1]]

    assert CONCURRENT * 100 <= int(size) <= memory_mb / 2


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_nothing_runs_as_root_but_caddy_without_its_rights(path: Path, name: str) -> None:
    """Our image names its user; others are given one, with a number that is not 0."""
    service = services(path)[name]
    [user] = [arguments for instruction, arguments in dockerfile() if instruction == "USER"]

    assert user.split(":")[0].isdigit()
    assert int(user.split(":")[0]) >= 10_000
    if not is_ours(service) and name != "caddy":
        assert int(service["user"].split(":")[0]) > 0


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_images_have_a_version(path: Path, name: str) -> None:
    """An image that is started tomorrow is the one that was tried today."""
    service = services(path)[name]
    image = env_example()["IMAGE"] if is_ours(service) else service["image"]
    tag = image.partition(":")[2]

    assert any(character.isdigit() for character in tag)
    assert "latest" not in tag


def test_only_caddy_can_be_reached_from_outside() -> None:
    """No other service publishes a port."""
    for path in COMPOSE:
        assert {name for name, service in services(path).items() if "ports" in service} == {"caddy"}


def test_the_database_is_out_of_reach() -> None:
    """Its network has no way out, and Caddy is not in it."""
    found = networks(MANY)

    assert load_yaml(MANY)["networks"]["database"]["internal"] is True
    assert found["database"] == {"database", "migrate", "api-a", "api-b", "worker"}
    assert "database" not in found["front"] | found["egress"]


def test_pages_are_fetched_on_unused_addresses() -> None:
    """A page that gets a worker to connect somewhere meets neither Caddy nor the API."""
    found = networks(MANY)

    assert found["egress"] == {"worker"}
    assert found["front"] == {"caddy", "api-a", "api-b"}


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_the_client_is_who_caddy_says(path: Path) -> None:
    """The API believes the network that Caddy is in, and nothing else."""
    [front] = load_yaml(path)["networks"]["front"]["ipam"]["config"]
    fronted = [
        service for name, service in services(path).items() if "front" in service["networks"] and name != "caddy"
    ]

    assert fronted
    assert {service["environment"]["PAGEGRADE_TRUSTED_PROXIES"] for service in fronted} == {front["subnet"]}


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_caddy_knows_every_api_process(path: Path) -> None:
    """It sends requests to all that serve, at the port they serve on."""
    serving = {name for name, service in services(path).items() if service.get("command", [""])[0] == "serve"}
    upstreams = services(path)["caddy"]["environment"]["UPSTREAMS"].split()

    assert set(upstreams) == {f"{name}:8080" for name in serving}
    assert set(services(path)["caddy"]["depends_on"]) == serving


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_stopping_is_waited_for(path: Path, name: str) -> None:
    """Nothing is killed that is still finishing its work; processes with runs also need time to give them back."""
    service = services(path)[name]
    works = name in {"worker", "pagegrade"}
    if name == "migrate":
        return

    assert seconds(service["stop_grace_period"]) > GRACE_S + (LEASE_S if works else 0)


@pytest.mark.parametrize(("path", "name"), ALL, ids=lambda value: getattr(value, "name", value))
def test_health_is_known(path: Path, name: str) -> None:
    """Every container that stays has a health check: its own, or that of our image."""
    service = services(path)[name]
    [check] = [arguments for instruction, arguments in dockerfile() if instruction == "HEALTHCHECK"]

    assert "probe.py" in check
    assert is_ours(service) or "healthcheck" in service
    if name == "worker":
        port = service["command"][service["command"].index("--port") + 1]
        assert service["healthcheck"]["test"][-1] == port


def test_everything_starts_in_order() -> None:
    """Tables are made when the database answers, and used when they are made."""
    found = services(MANY)

    assert found["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    for name in ("api-a", "api-b", "worker"):
        assert found[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_files_that_are_mounted_exist(path: Path) -> None:
    """Docker would make an empty folder in place of one that is missing."""
    mounted = [
        volume.partition(":")[0]
        for service in services(path).values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]

    assert mounted
    for name in mounted:
        assert (DEPLOY / name).is_file()


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_secrets_are_files(path: Path) -> None:
    """Each is used, each is declared, each lies where Git does not look; none is in the environment."""
    declared = load_yaml(path)["secrets"]
    used = {name for service in services(path).values() for name in service.get("secrets", [])}
    ignored = (DEPLOY / ".gitignore").read_text(encoding="utf-8").splitlines()

    assert used == set(declared)
    assert {secret["file"] for secret in declared.values()} == {f"./secrets/{name}" for name in declared}
    assert "/secrets/" in ignored
    assert "/.env" in ignored
    for service in services(path).values():
        for name, value in service.get("environment", {}).items():
            if name.endswith("_FILE"):
                assert value.removeprefix("/run/secrets/") in service["secrets"]
            else:
                assert not {"password", "token", "key", "secret"} & set(name.lower().split("_"))


@pytest.mark.skipif(
    shutil.which("docker") is None
    or subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode != 0,  # noqa: S607
    reason="docker compose is not installed here",
)
@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_compose_understands_the_file(path: Path, tmp_path: Path) -> None:
    """The real program reads it with the example's settings and finds nothing to complain of."""
    folder = shutil.copytree(DEPLOY, tmp_path / "deploy", ignore=shutil.ignore_patterns("secrets", ".env"))
    shutil.copy(folder / "env.example", folder / ".env")
    subprocess.run([folder / "make-secrets"], check=True, capture_output=True)
    result = subprocess.run(
        ["docker", "compose", "--file", path.name, "config", "--format", "json"],  # noqa: S607
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
        text=True,
    )

    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert set(json.loads(result.stdout)["services"]) == set(services(path))


def test_defaults_are_those_of_the_example() -> None:
    """A variable that is removed from the file means the same as before."""
    assert filled("${WORKER_CONCURRENCY:-4}") == env_example()["WORKER_CONCURRENCY"]
    assert f"${{WORKER_REPLICAS:-{env_example()['WORKER_REPLICAS']}}}" == services(MANY)["worker"]["deploy"]["replicas"]
