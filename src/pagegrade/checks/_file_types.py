"""MIME types of stylesheets and scripts: which of them browsers refuse to use.

Source: https://fetch.spec.whatwg.org/#should-response-to-request-be-blocked-due-to-mime-type? and
https://html.spec.whatwg.org/multipage/links.html#link-type-stylesheet
"""

from __future__ import annotations

from typing import Final

from pagegrade.model.artifacts import Response
from pagegrade.parse.http.headers import parse_media_type, split_outside_quotes

CSS: Final = "text/css"
JAVASCRIPT: Final = frozenset(
    "application/ecmascript application/javascript application/x-ecmascript application/x-javascript text/ecmascript"
    " text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4"
    " text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript".split(),
)
"""Source: https://mimesniff.spec.whatwg.org/#javascript-mime-type"""
_NOT_SCRIPTS: Final = ("image/", "audio/", "video/")


def essence_of(response: Response) -> str:
    """Type without parameters, lower case; "" where there is none that browsers understand."""
    values = response.header_values("content-type")
    media_type = parse_media_type(", ".join(values) if values else None)
    return media_type.essence if media_type is not None else ""


def refuses_style(response: Response, *, quirks: bool) -> bool:
    """Return whether browsers refuse the answer as a stylesheet of a page in that mode; without a type they use it."""
    essence = essence_of(response)
    return essence != CSS and ((bool(essence) and not quirks) or is_nosniff(response))


def refuses_script(response: Response, *, module: bool) -> bool:
    """Return whether browsers refuse the answer as a classic script, or as a module."""
    essence = essence_of(response)
    if essence in JAVASCRIPT:
        return False
    return is_nosniff(response) or module or essence.startswith(_NOT_SCRIPTS) or essence == "text/csv"


def is_nosniff(response: Response) -> bool:
    """Return whether the answer tells browsers to trust its type."""
    value = response.header("x-content-type-options")
    return value is not None and split_outside_quotes(value, ",")[0].lower() == "nosniff"
