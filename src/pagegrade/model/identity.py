"""Who we are on the wire and in reports."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
"""The engine's version; ``pyproject.toml`` reads it from here."""
PROJECT_URL: Final = "https://github.com/pagegrade/pagegrade"
USER_AGENT: Final = f"Pagegrade/{VERSION} (+{PROJECT_URL})"
