"""Build the documentation site into ``build/site`` and check every link of it: ``make site``.

The generator lives in an environment of its own, ``.tools/site``, whose installation alone needs the network. The site
is built from ``docs`` and the generated reference by ``mkdocs.yml``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import turbohtml

from devtools import gen_docs
from devtools.locks import tools

ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
LOADED: Final = frozenset({"audio", "embed", "iframe", "img", "input", "object", "script", "source", "track", "video"})
"""Elements that load what their ``src``, ``data`` or ``href`` names."""
LOADING_RELATIONS: Final = frozenset({"icon", "manifest", "modulepreload", "preconnect", "prefetch", "preload"}) | {
    "dns-prefetch",
    "stylesheet",
}
STYLE_ADDRESS: Final = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
LEFT_FENCE: Final = re.compile(r"<p>[^<]*```")
SEARCH_INDEX: Final = "search/search_index.json"
ROOT: Final = Path(__file__).resolve().parent.parent
SITE: Final = ROOT / "build" / "site"


def problems(site: Path) -> list[str]:
    """One sentence for each broken link, request to another host and unread block of code."""
    pages = {path: _elements(path) for path in sorted(site.rglob("*.html"))}
    targets = {path: {name for _, attributes in found for name in _names(attributes)} for path, found in pages.items()}
    report = []
    for page, elements in pages.items():
        if LEFT_FENCE.search(page.read_text(encoding="utf-8")):
            report.append(f"{page.relative_to(site)}: a block of code was read as a paragraph")
        for tag, attributes in elements:
            for link, loaded in _links(tag, attributes):
                problem = _problem(site, page, link, targets, loaded=loaded)
                if problem:
                    report.append(f"{page.relative_to(site)}: {link}: {problem}")
    for style in sorted(site.rglob("*.css")):
        links = STYLE_ADDRESS.findall(style.read_text(encoding="utf-8"))
        report += [f"{style.relative_to(site)}: {link}: it is loaded from another host" for link in links]
    return report + _search_problems(site, targets)


def _search_problems(site: Path, targets: dict[Path, set[str]]) -> list[str]:
    """Entries of the search index that lead nowhere, one sentence each."""
    index = site / SEARCH_INDEX
    if not index.exists():
        return [f"{SEARCH_INDEX}: there is no search index"]
    entries = json.loads(index.read_text(encoding="utf-8"))["docs"]
    links = [str(entry["location"]) for entry in entries]
    found = [(link, _problem(site, site / "index.html", link or ".", targets, loaded=False)) for link in links]
    return [f"{SEARCH_INDEX}: {link}: {problem}" for link, problem in found if problem]


def _elements(path: Path) -> list[tuple[str, dict[str, str]]]:
    root = turbohtml.parse(path.read_bytes(), encoding="utf-8", scripting=True).root
    elements = [] if root is None else root.iter_elements()
    return [(element.tag, {name: _text(value) for name, value in element.attrs.items()}) for element in elements]


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")


def _names(attributes: dict[str, str]) -> Iterator[str]:
    yield from (attributes[key] for key in ("id", "name") if key in attributes)


def _links(tag: str, attributes: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """(address, whether a browser loads it with the page) of each link of an element."""
    relations = set(attributes.get("rel", "").lower().split())
    loaded = tag in LOADED or (tag == "link" and bool(relations & LOADING_RELATIONS))
    for name in ("href", "src", "data", "poster"):
        if name in attributes and not (name == "data" and tag != "object"):
            yield attributes[name].strip(), loaded
    for candidate in attributes.get("srcset", "").split(","):
        if candidate.strip():
            yield candidate.split()[0], True


def _problem(site: Path, page: Path, link: str, targets: dict[Path, set[str]], *, loaded: bool) -> str | None:
    if ADDRESS.match(link):
        return "it is loaded from another host" if loaded and not link.startswith("data:") else None
    path, _, fragment = link.partition("#")
    name = unquote(path.partition("?")[0])
    target = page if not name else site / name.lstrip("/") if name.startswith("/") else page.parent / name
    target = target.resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site.resolve()) or not target.is_file():
        return "there is no such file"
    known = targets.get(_as_listed(site, target))
    if fragment and known is not None and unquote(fragment) not in known:
        return "the page has no such element"
    return None


def _as_listed(site: Path, target: Path) -> Path:
    return site / target.relative_to(site.resolve())


def build(home: Path) -> int:
    """Generate the reference pages and build the site with the generator in ``home``; returns its status."""
    gen_docs.write(ROOT, gen_docs.pages(), committed=False)
    shutil.rmtree(SITE, ignore_errors=True)
    # With --quiet, --strict would not count warnings.
    command = [str(home / "bin" / "mkdocs"), "build", "--strict"]
    # Material for MkDocs prints a note about a version of MkDocs that the lock does not contain.
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
    return done.returncode


def main() -> int:
    """Build and check the site; returns the exit status."""
    status = build(tools("site"))
    if status:
        return status
    found = problems(SITE)
    for problem in found:
        print(problem, file=sys.stderr)
    if found:
        return 1
    print(f"{sum(1 for _ in SITE.rglob('*.html'))} pages in {SITE.relative_to(ROOT)}; all links lead somewhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
