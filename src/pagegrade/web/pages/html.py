"""How a page is made: from a template that escapes everything, with a policy that lets it load nothing foreign."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from pagegrade.model.identity import PROJECT_URL
from pagegrade.web.operations import Answer
from pagegrade.web.pages.assets import asset_address

MEDIA_TYPE: Final = "text/html; charset=utf-8"
PLAIN: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""A page that runs nothing and sends nothing; the icon is a data: address."""


def page(
    template: str,
    *,
    status: int = 200,
    policy: str = PLAIN,
    headers: tuple[tuple[str, str], ...] = (),
    **values: Any,
) -> Answer:
    """The page as an answer.

    Args:
        template: Name of a file in ``templates``.
        status: HTTP status.
        policy: Content-Security-Policy.
        headers: Besides it.
        values: What the template shows.
    """
    body = _environment().get_template(template).render(**values).encode()
    return Answer(
        status=status,
        body=body,
        media_type=MEDIA_TYPE,
        headers=(("Content-Security-Policy", policy), ("X-Robots-Tag", "noindex"), *headers),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pagegrade.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(asset=asset_address, project_url=PROJECT_URL)
    return environment
