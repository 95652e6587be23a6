"""Links between our own pages lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools.doc_links import broken_links


def write(root: Path, **files: str) -> Path:
    """A folder with the given pages; ``a__b`` is the page ``a/b.md``."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    "link",
    ["b.md", "b.md#the-second-one", "#here", "folder/c.md", "folder", "/b.md", "https://example.org/x", "mailto:a@b.c"],
)
def test_good_links_pass(tmp_path: Path, link: str) -> None:
    """Files, folders, headings, and whatever is elsewhere."""
    root = write(tmp_path, a=f"# Here\n[x]({link})\n", b="# B\n## The *second* one!\n", folder__c="# C")

    assert broken_links(root) == []


@pytest.mark.parametrize("link", ["gone.md", "b.md#gone", "#gone", "folder/gone.md"])
def test_broken_links_are_found(tmp_path: Path, link: str) -> None:
    """A missing page, and a missing heading of a page that is there."""
    root = write(tmp_path, a=f"# Here\n[x]({link})\n", b="# B\n")

    assert [problem.split(": ")[:2] for problem in broken_links(root)] == [["a.md", link]]


def test_links_in_examples_are_not_links(tmp_path: Path) -> None:
    """Code shows what others would write."""
    root = write(tmp_path, a="# A\n```\n[x](gone.md)\n```\nand `[x](gone.md)`\n")

    assert broken_links(root) == []


@pytest.mark.parametrize("folder", [".tools", ".venv", "node_modules", "build"])
def test_pages_of_tools_are_not_ours(tmp_path: Path, folder: str) -> None:
    """Installed packages are not checked, however deep they lie."""
    root = write(tmp_path, **{f"{folder}__lib__a": "[x](gone.md)\n"})

    assert broken_links(root) == []


def test_pages_of_the_repository_host_are_ours(tmp_path: Path) -> None:
    """``.github`` is hidden and still part of the project."""
    root = write(tmp_path, **{".github__a": "[x](gone.md)\n"})

    assert [problem.split(": ")[1] for problem in broken_links(root)] == ["gone.md"]
