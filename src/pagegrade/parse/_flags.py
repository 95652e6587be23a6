"""Flags of a subtree during the walk; they only ever add up on the way down."""

from __future__ import annotations

from typing import Final

INVISIBLE: Final = 1
"""Not rendered: ``hidden``, inline ``display:none``, a closed dialog."""
ARIA_HIDDEN: Final = 2
BOILERPLATE: Final = 4
"""Inside nav, aside, or the page's own header and footer."""
NO_TEXT: Final = 8
"""Text here is no text of the page (script, style, noscript, title, option ...)."""
IN_HEAD: Final = 32
IN_BODY: Final = 64
NO_NAME: Final = 128
"""An ancestor brought its own label, so text here adds to no name."""
SVG_TITLE: Final = 256
"""Names its drawing but is not shown."""
IN_ARTICLE: Final = 512
SKIP: Final = 1024
"""Nothing below is looked at."""
HIDDEN: Final = INVISIBLE | ARIA_HIDDEN
