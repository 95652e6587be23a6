"""The script makes every secret once, each in a file that containers can read and others cannot reach."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pagegrade.config import load_settings
from tests.deploy.files import COMPOSE, DEPLOY, load_yaml


def make(folder: Path, *arguments: str) -> Path:
    """Run it in a folder of its own; the folder with the secrets."""
    script = folder / "make-secrets"
    shutil.copy(DEPLOY / "make-secrets", script)
    subprocess.run([script, *arguments], check=True, capture_output=True)
    return folder / "secrets"


def contents(secrets: Path) -> dict[str, str]:
    """The contents of each file."""
    return {path.name: path.read_text(encoding="ascii") for path in secrets.iterdir()}


@pytest.mark.parametrize(("path", "arguments"), list(zip(COMPOSE, ((), ("--sqlite",)), strict=True)))
def test_it_makes_what_compose_wants(path: Path, arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Neither more nor less."""
    secrets = make(tmp_path, *arguments)

    assert set(contents(secrets)) == set(load_yaml(path)["secrets"])


def test_once_more_changes_nothing(tmp_path: Path) -> None:
    """A second run keeps the database password."""
    before = contents(make(tmp_path))

    assert contents(make(tmp_path)) == before


def test_each_secret_is_its_own(tmp_path: Path) -> None:
    """48 characters of chance, and no two alike."""
    made = contents(make(tmp_path))
    random = [text for name, text in made.items() if name != "database_url"]

    assert len(set(random)) == len(random) == 4
    assert all(len(text) == 48 and text.isalnum() for text in random)


def test_the_address_of_the_database_has_its_password(tmp_path: Path) -> None:
    """The two files that must agree do."""
    made = contents(make(tmp_path))

    assert f":{made['database_password']}@database/pagegrade" in made["database_url"]


def test_others_are_kept_out_by_the_folder(tmp_path: Path) -> None:
    """The process in a container is another user, who must read the file, and gets only that."""
    secrets = make(tmp_path)

    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o644}


def test_pagegrade_can_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is one that is accepted as the first key, and so are the others."""
    secrets = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("bootstrap_api_key", "database_url", "metrics_token"):
        monkeypatch.setenv(f"PAGEGRADE_{name.upper()}_FILE", str(secrets / name))
    settings = load_settings()

    assert settings.database_url is not None
    assert settings.database_url.get_secret_value().startswith("postgresql+psycopg://pagegrade:")
    assert settings.bootstrap_api_key is not None
