"""Flags of a subtree during the walk; they only ever add up on the way down."""

from __future__ import annotations

from typing import Final

INVISIBLE: Final = 1
"""Not rendered on any screen, as ``cascade.visibility`` finds."""
ARIA_HIDDEN: Final = 2
BOILERPLATE: Final = 4
"""Inside nav, aside, or the page's own header and footer."""
NO_TEXT: Final = 8
"""Text here is no text of the page (script, style, noscript, title, option ...)."""
IN_HEAD: Final = 32
IN_BODY: Final = 64
IN_ARTICLE: Final = 512
SKIP: Final = 1024
"""Nothing below is looked at."""
INERT: Final = 128
"""Unreachable by sight, keyboard or program."""
OFF_NARROW: Final = 2_048
"""``display: none`` on the narrow screen, here or around; nothing inside is rendered."""
OFF_WIDE: Final = 4_096
VEILED_NARROW: Final = 8_192
"""``visibility: hidden`` on the narrow screen; something inside may be visible."""
VEILED_WIDE: Final = 16_384
SHUT: Final = 32_768
"""The element is rendered and its content is not, but for the summary of a ``<details>``."""
CLOSED: Final = 65_536
"""Inside of such an element: there when people open it, and found by a search in the page."""
UNREACHABLE: Final = INVISIBLE | INERT | CLOSED
"""Unreachable for all users."""
HIDDEN: Final = UNREACHABLE | ARIA_HIDDEN
