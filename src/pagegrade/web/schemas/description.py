"""The description of the API."""

from __future__ import annotations

from typing import Any

from pagegrade.web.schemas.shape import Document, about


class Description(Document):
    """An OpenAPI 3.1 document."""

    openapi: str = about("Version of the OpenAPI Specification.", "3.1.0")
    info: dict[str, Any] = about("Title and version of the API.", {"title": "Pagegrade", "version": "1.0.0"})
    servers: list[dict[str, Any]] = about("URLs of the API.", [{"url": "https://reports.example.org"}])
    tags: list[dict[str, Any]] = about("Groups of operations.", [{"name": "Reports"}])
    paths: dict[str, Any] = about("Operations by path.", {})
    webhooks: dict[str, Any] = about("Requests sent to webhooks.", {})
    components: dict[str, Any] = about("Shared schemas, parameters and answers.", {})
