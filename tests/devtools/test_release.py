"""A release is prepared in a copy of the files that name versions."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest

from devtools.release import (
    CHECKS,
    IDENTITY,
    ROOT,
    completed,
    fragments,
    main,
    notes,
    prepare,
    problems,
    released,
    upcoming,
    version,
)

TODAY = dt.date(2027, 3, 1)
CHANGELOG = """# Changelog

## Unreleased

### Added

- By hand.

## 0.1.0 - 2026-11-01

### Added

- First release.
"""
CHECK = 'OTHER = "0.2.0"\n@check(\n    since="{}",\n    changed=("0.1.0: Old.", "{}: New."),\n)\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The real files around version 0.1.0, with two fragments and two checks."""
    for name in ("deploy", "docs/howto", "integrations"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / CHECKS / "seo").mkdir(parents=True)
    (tmp_path / CHECKS / "seo" / "old.py").write_text(CHECK.format("0.1.0", "0.2.0"))
    (tmp_path / CHECKS / "seo" / "new.py").write_text(CHECK.format("0.2.0", "0.2.0"))
    (tmp_path / IDENTITY).parent.mkdir(parents=True)
    text = (ROOT / IDENTITY).read_text()
    (tmp_path / IDENTITY).write_text(text.replace(f'"{version()}"', '"0.1.0"'))
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("Fragments.\n")
    (tmp_path / "changelog.d" / "lists.added.md").write_text("Lists\nare walked.\n")
    (tmp_path / "changelog.d" / "keys.security.md").write_text("Keys are hashed.\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path


def test_fragments_become_a_dated_section(tree: Path) -> None:
    """In the order of the changelog, after what was written by hand; nothing is left over."""
    prepare("0.2.0", TODAY, tree)

    assert (tree / "CHANGELOG.md").read_text() == CHANGELOG.replace(
        "## Unreleased\n\n### Added\n\n- By hand.\n",
        "## Unreleased\n\n## 0.2.0 - 2027-03-01\n\n### Security\n\n- Keys are hashed.\n\n"
        "### Added\n\n- By hand.\n- Lists\n  are walked.\n",
    )
    assert fragments(tree) == {}
    assert (tree / "changelog.d" / "README.md").exists()
    assert notes("0.2.0", tree).startswith("### Security\n")
    assert notes("0.1.0", tree) == "### Added\n\n- First release.\n"


@pytest.mark.parametrize(("tag", "following"), [("0.2.0", "0.3.0"), ("1.0.0", "1.1.0")])
def test_every_place_names_the_new_version(tree: Path, tag: str, following: str) -> None:
    """Also a check that was waiting for another number, and the version that an upgrade leads to."""
    prepare(tag, TODAY, tree)

    assert problems(tag, tree) == []
    assert (version(tree), released(tree), upcoming(tree)) == (tag, [tag, "0.1.0"], following)
    assert f"ARG VERSION={tag}\n" in (tree / "deploy/Dockerfile").read_text()
    assert f"pagegrade:{following}" in (tree / "docs/howto/upgrade-without-downtime.md").read_text()
    assert (tree / CHECKS / "seo" / "old.py").read_text() == CHECK.format("0.1.0", tag)
    assert (tree / CHECKS / "seo" / "new.py").read_text() == CHECK.format(tag, tag)
    assert 'RELEASED_MS: Final = 1_803_859_200_000\n"""2027-03-01T00:00Z' in (tree / IDENTITY).read_text()


@pytest.mark.parametrize("tag", ["", "v0.2.0", "0.2", "0.2.0rc1", "0.1.0", "0.0.9"])
def test_what_is_no_later_version_is_refused(tree: Path, tag: str) -> None:
    """Nothing is written."""
    with pytest.raises(ValueError, match=r"three numbers|come after 0\.1\.0"):
        prepare(tag, TODAY, tree)

    assert (tree / "CHANGELOG.md").read_text() == CHANGELOG
    assert len(fragments(tree)) == 2


def test_a_release_without_news_is_refused(tree: Path) -> None:
    """Its section would be empty."""
    prepare("0.2.0", TODAY, tree)

    with pytest.raises(ValueError, match="nothing to release"):
        prepare("0.3.0", TODAY, tree)


def test_each_disagreement_is_named(tree: Path) -> None:
    """A tag on such a tree builds nothing."""
    found = problems("0.2.0", tree)

    assert [problem.split()[0] for problem in found] == [
        IDENTITY,
        "changelog.d",
        f"{CHECKS}/seo/new.py",
        f"{CHECKS}/seo/new.py",
        f"{CHECKS}/seo/old.py",
    ]

    prepare("0.2.0", TODAY, tree)
    path = tree / "deploy" / "env.example"
    path.write_text(path.read_text().replace("pagegrade:0.2.0", "pagegrade:0.1.0"))

    assert problems("0.2.0", tree) == ["deploy/env.example names version 0.1.0; this is 0.2.0."]


def test_a_bill_of_materials_names_the_whole_and_its_parts() -> None:
    """The version of this release, and every package of the lock without its line."""
    part = {"bom-ref": "L3", "name": "ada-url", "version": "4.0.0", "description": "line 3"}
    bill = {
        "metadata": {"component": {"bom-ref": "root", "name": "pagegrade"}},
        "components": [part],
        "dependencies": [{"ref": "root"}, {"ref": "L3"}],
    }

    assert completed(bill, "0.2.0") == {
        "metadata": {"component": {"bom-ref": "root", "name": "pagegrade", "version": "0.2.0"}},
        "components": [{"bom-ref": "L3", "name": "ada-url", "version": "4.0.0"}],
        "dependencies": [{"ref": "root", "dependsOn": ["L3"]}, {"ref": "L3"}],
    }


@pytest.mark.parametrize("step", ["build", "image", "publish"])
def test_another_tag_builds_nothing(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason is printed, and nothing is run."""
    monkeypatch.setenv("VERSION", "v99.0.0")

    assert main([step]) == 1
    assert "not '99.0.0'" in capsys.readouterr().err
