"""Routes: fragments by which the script of a page chooses what it shows, so that they are a part of the page's URL."""

from __future__ import annotations

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.url import route


def page_url(navigation: Navigation) -> str:
    """URL of the page after redirects, with the route under which a browser opens it.

    A redirect keeps the fragment of the URL before it, unless it names one of its own.

    Source: https://fetch.spec.whatwg.org/#concept-http-redirect-fetch
    """
    asked = (navigation.requested_url, *(hop.header("location") or "" for hop in navigation.hops))
    last = next((url for url in reversed(asked) if "#" in url), "")
    return navigation.main_document_url + route(last)
