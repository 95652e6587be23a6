"""Search for a browser on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

NAMES: Final = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Commands that start a Chromium, the cheapest first."""
_PACKAGED: Final = {
    "chromium-headless-shell": "/usr/lib/chromium/chromium-headless-shell",
    "chromium": "/usr/lib/chromium/chromium",
    "google-chrome": "/opt/google/chrome/chrome",
    "google-chrome-stable": "/opt/google/chrome/chrome",
}
"""Programs behind the shell scripts of distributions, which would stand between us and the browser."""
HOW_TO_GET_ONE: Final = (
    "Install a Chromium (Debian: `apt install chromium-headless-shell`, Ubuntu: Google's package "
    "`google-chrome-stable`, since a snap cannot be isolated, "
    "Fedora: `dnf install chromium-headless`), or set PAGEGRADE_BROWSER to the path of one."
)


def find_browser(path: str | None = None) -> Path | None:
    """Return the program of a Chromium.

    Args:
        path: What the operator chose, a path or the name of a command; ``None`` to look for one.

    Returns:
        An absolute path; ``None`` when there is none, or the chosen one cannot be run.
    """
    for name in NAMES if path is None else (path,):
        found = shutil.which(name)
        if found is not None:
            packaged = Path(_PACKAGED.get(Path(found).name, ""))
            is_script = _is_script(found)
            return packaged if is_script and packaged.is_file() and os.access(packaged, os.X_OK) else Path(found)
    return None


def _is_script(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False
