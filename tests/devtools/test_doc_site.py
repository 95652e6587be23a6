"""The settings of the documentation site fit the pages there are; ``make site`` checks what is built of them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

import yaml  # type: ignore[import-untyped]  # it has no types of its own

from devtools.doc_site import ROOT, SITE
from devtools.gen_docs import COMMITTED, REFERENCE, pages

SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
DOCS = ROOT / "docs"


def listed(entry: Any) -> Iterator[str]:
    """The pages of one entry of the navigation, in order."""
    match entry:
        case str():
            yield entry
        case dict():
            for value in entry.values():
                yield from listed(value)
        case list():
            for value in entry:
                yield from listed(value)
        case _:
            raise AssertionError(f"unexpected entry {entry!r}")


def test_every_page_has_its_place_in_the_navigation() -> None:
    """A page that is in neither list ends the build; so does an entry without its page."""
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    generated = {f"{REFERENCE.relative_to('docs')}/{name}" for name in pages() if name.endswith(".md")}
    apart = SETTINGS["not_in_nav"].split()
    expected = {page for page in written | generated if not any(fnmatch(f"/{page}", pattern) for pattern in apart)}
    places = list(listed(SETTINGS["nav"]))

    assert len(places) == len(set(places))
    assert set(places) == expected | {f"reference/{kind}/README.md" for kind in ("checks", "site-checks")}


def test_the_order_is_that_of_the_four_kinds_of_documentation() -> None:
    """From learning to looking up."""
    names = [next(iter(entry)) for entry in SETTINGS["nav"]]

    assert names == ["Home", "Tutorial", "How-to", "Reference", "Explanation", "Decisions"]


def test_the_whole_reference_is_reached() -> None:
    """Checks, commands, settings, API and errors each have their page."""
    made = {name for name in pages() if name.endswith(".md") and not name.startswith(("checks/", "site-checks/"))}

    assert {f"reference/{name}" for name in made} | {
        "reference/checks/README.md",
        "reference/site-checks/README.md",
    } <= set(listed(SETTINGS["nav"]))
    assert {name for name in COMMITTED if name.endswith(".md")} <= made


def test_it_loads_nothing_from_others_and_is_not_committed() -> None:
    """No fonts of others, no counts of a repository host; the output folder is ignored."""
    assert SETTINGS["theme"]["font"] is False
    assert not {"repo_url", "extra_javascript"} & SETTINGS.keys()
    assert all((DOCS / path).is_file() for path in SETTINGS["extra_css"])
    assert ROOT / SETTINGS["site_dir"] == SITE
    assert f"{SITE.relative_to(ROOT).parts[0]}/" in (ROOT / ".gitignore").read_text().splitlines()
