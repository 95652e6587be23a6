"""Flags of a subtree during the walk; they only ever add up on the way down."""

from __future__ import annotations

from typing import Final

INVISIBLE: Final = 1
"""Not rendered: ``hidden``, inline ``display:none``, a closed dialog, a popover that nobody has opened yet."""
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
"""Nobody can reach it, by sight, keyboard or program."""
HIDDEN: Final = INVISIBLE | ARIA_HIDDEN | INERT
