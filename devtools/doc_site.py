"""Build the documentation site into ``build/site`` and check every link of it: ``make site``.

The generator lives in an environment of its own, ``.tools/site``, made from ``requirements/site.txt`` on the first
call and whenever the lock changes; only that needs the network. The site is built from ``docs`` and the generated
reference by ``mkdocs.yml``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from devtools import gen_docs, site_links
from devtools.locks import UV

ROOT: Final = Path(__file__).resolve().parent.parent
TOOLS: Final = ROOT / ".tools" / "site"
LOCK: Final = ROOT / "requirements" / "site.txt"
SITE: Final = ROOT / "build" / "site"


def install() -> None:
    """Make ``.tools/site`` contain exactly what the lock names, unless it does already.

    Raises:
        subprocess.CalledProcessError: The installer failed; it has said why on stderr.
    """
    stamp = TOOLS / ".lock"
    if stamp.exists() and stamp.read_bytes() == LOCK.read_bytes():
        return
    print("Installing the site generator into .tools/site, once ...", file=sys.stderr, flush=True)
    shutil.rmtree(TOOLS, ignore_errors=True)
    environment = os.environ | {"UV_SYSTEM_CERTS": os.environ.get("UV_SYSTEM_CERTS", "true")}
    python = TOOLS / "bin" / "python"
    for arguments in (
        ("venv", "--quiet", "--python", sys.executable, TOOLS),
        ("pip", "sync", "--quiet", "--require-hashes", "--python", python, LOCK),
    ):
        subprocess.run([UV, *arguments], env=environment, check=True)
    stamp.write_bytes(LOCK.read_bytes())


def build() -> int:
    """Generate the reference pages and build the site anew; returns the status of the generator."""
    gen_docs.write(ROOT, gen_docs.pages(), committed=False)
    shutil.rmtree(SITE, ignore_errors=True)
    # With --quiet, --strict would not count warnings.
    command = [str(TOOLS / "bin" / "mkdocs"), "build", "--strict"]
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
    install()
    status = build()
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
