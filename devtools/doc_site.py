"""Build the documentation site into ``build/site`` and check every link of it: ``make site``.

The generator lives in an environment of its own, ``.tools/site``, whose installation alone needs the network. The site
is built from ``docs`` and the generated reference by ``mkdocs.yml``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from devtools import gen_docs, site_links
from devtools.locks import tools

ROOT: Final = Path(__file__).resolve().parent.parent
SITE: Final = ROOT / "build" / "site"


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
    found = site_links.problems(SITE)
    for problem in found:
        print(problem, file=sys.stderr)
    if found:
        return 1
    print(f"{sum(1 for _ in SITE.rglob('*.html'))} pages in {SITE.relative_to(ROOT)}; all links lead somewhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
