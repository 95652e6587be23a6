"""Product name, version and User-Agent."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
"""The engine's version; ``pyproject.toml`` reads it from here."""
PROJECT_URL: Final = "https://github.com/pagegrade/pagegrade"
USER_AGENT: Final = f"Pagegrade/{VERSION} (+{PROJECT_URL})"
RELEASED_MS: Final = 1_793_491_200_000
"""2026-11-01T00:00Z: a correct clock never shows an earlier time to this version."""
