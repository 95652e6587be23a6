"""The description of the API as a page with a form for every call, drawn by Swagger UI from files of our own."""

from __future__ import annotations

from typing import Final

from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import View

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Without ``require-trusted-types-for``: Swagger UI sets markup as text, after DOMPurify has cleaned it. What it is fed
is the description, which is made of our own code only."""


async def show_docs(view: View) -> Response:
    """Return the page."""
    return view.page("docs.html.jinja", policy=POLICY)


OPERATIONS: Final = (
    Operation(method="GET", path="/docs", name="show_docs", summary="The API to try", handler=show_docs, tag=PAGES),
)
