"""Inputs that a check's parameters can name, and how each is derived from the artifacts.

Everything is made at most once per run and only when a check asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, cast

from pagegrade.checks._links import links_to_pages
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import GATHERED, Artifacts, NotGathered, Resource, Resources, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.rendering import Rendering
from pagegrade.model.report import Category
from pagegrade.parse.assets import font_faces, lost_files, read_assets
from pagegrade.parse.files.robots import parse_robots_txt
from pagegrade.parse.html.concealed_text import find_concealed_text
from pagegrade.parse.html.exposed_secrets import ExposedSecret, find_exposed_secrets
from pagegrade.parse.html.parser import parse_document, parties_of_document
from pagegrade.parse.html.visible_content import stays_faded
from pagegrade.parse.http.cookies import parse_response_cookies
from pagegrade.parse.http.csp import parse_csp
from pagegrade.parse.likeness import likeness, may_be_alike, own_share
from pagegrade.parse.rendering.metrics import rendered_metrics

NOT_OPEN: Final = NotGathered(
    code="not_applicable", detail="Search engines do not get the page without the access, so they index nothing of it."
)
_DRAWN_CATEGORIES: Final[frozenset[Category]] = frozenset({"accessibility", "content"})


class Facts:
    """The artifacts of one run and what is derived from them, by parameter name."""

    def __init__(self, artifacts: Artifacts, *, document: Document | None = None, served: Facts | None = None) -> None:
        """Take the artifacts; ``document`` saves the parse where it was made already.

        ``served`` are the facts of the page as the server sent it, where these are of the page as a browser drew it.
        """
        self.artifacts = artifacts
        self.made: dict[str, object] = {} if document is None else {"document": document}
        """Artifacts that were asked for before, by name."""
        self.served = served
        self._failed: dict[str, Exception] = {}
        self.is_drawn = not isinstance(artifacts.rendering, NotGathered)
        """A browser drew the page: ``for_category`` may return other facts."""
        self._drawn: Facts | None = None

    def get(self, name: str) -> object:
        """The artifact of that name, or the ``NotGathered`` that says why it is missing.

        Raises:
            KeyError: No artifact has that name: a mistake in a check.
        """
        if name in self.made:
            return self.made[name]
        if name in self._failed:
            raise self._failed[name]
        try:
            found = self.made[name] = PROVIDERS[name](self)
        except Exception as error:
            # A page that is too large to be parsed is tried once, and not again for every check.
            self._failed[name] = error.with_traceback(None)
            raise
        return found

    @property
    def document(self) -> Document:
        """The parsed document."""
        return cast("Document", self.get("document"))

    @cached_property
    def secrets(self) -> Sequence[ExposedSecret]:
        """The keys in the page that no report may show."""
        found = cast("Sequence[ExposedSecret]", self.get("exposed_secrets"))
        return [secret for secret in found if secret.group != "public"]

    @property
    def drawn_document(self) -> Document | NotGathered:
        """The document as a browser drew it, or the reason why none did."""
        rendering = self.artifacts.rendering
        return rendering if isinstance(rendering, NotGathered) else self._of_drawn_page().document

    def for_category(self, category: Category) -> Facts:
        """Return the facts that a check of this category reads.

        Accessibility and content are those of the page as a browser drew it, where one did; other categories are about
        what the server sends.
        """
        return self._of_drawn_page() if self.is_drawn and category in _DRAWN_CATEGORIES else self

    def _of_drawn_page(self) -> Facts:
        if self.served is not None:
            return self
        if self._drawn is None:
            rendering = cast("Rendering", self.artifacts.rendering)
            document = parse_document(
                rendering.html.encode("utf-8", "replace"),
                url=rendering.final_url,
                content_type="text/html; charset=utf-8",
                drawn=True,
            )
            self._drawn = Facts(self.artifacts, document=document, served=self)
        return self._drawn


def _document(facts: Facts) -> object:
    response = facts.artifacts.navigation.response
    resources = facts.artifacts.resources
    sheets = list(_sheets(resources))
    return parse_document(
        response.body,
        url=response.url,
        content_type=response.header("content-type"),
        sheets={sheet.url: sheet.visibility_rules if is_used else () for sheet, is_used in sheets},
        image_space=[selector for sheet, is_used in sheets if is_used for selector in sheet.image_space],
        lost=frozenset() if isinstance(resources, NotGathered) else lost_files(resources, response.url),
    )


def _sheets(resources: Resources | NotGathered) -> Iterator[tuple[Resource, bool]]:
    """Yield each fetched stylesheet, and whether browsers use it; sheets that did not arrive are left out."""
    for resource in () if isinstance(resources, NotGathered) else resources.items:
        response = resource.response
        if "stylesheet" in resource.kinds and response is not None:
            kind = (response.header("content-type") or "text/css").partition(";")[0].strip().lower()
            # Browsers use no sheet that came with an error, or as something else.
            yield resource, 200 <= response.status < 300 and kind == "text/css"


def _ink(resources: Resources | NotGathered) -> dict[str, tuple[str, ...] | None]:
    """Map the URL of each fetched stylesheet to its rules that color something."""
    items = () if isinstance(resources, NotGathered) else resources.items
    return {one.url: one.ink_rules for one in items if "stylesheet" in one.kinds}


def _stays_faded(facts: Facts) -> bool:
    """Return whether the page's own rules leave all of it without opacity, where no browser has seen what follows."""
    resources = facts.artifacts.resources
    names = {} if isinstance(resources, NotGathered) else resources.names_in_scripts()
    return isinstance(facts.artifacts.rendering, NotGathered) and stays_faded(facts.document, names)


def _canonical_page(facts: Facts) -> object:
    """Parse what answers at the canonical URL, where that is another URL."""
    probe = facts.artifacts.canonical_probe
    if not isinstance(probe, WellKnown):
        return probe
    answer = probe.response
    return parse_document(answer.body, url=answer.url, content_type=answer.header("content-type"))


def _missing_page(facts: Facts) -> object:
    """Parse what answers where nothing can be, as a document; not where its size shows that it is another page."""
    probe = facts.artifacts.not_found_probe
    served = facts.served or facts
    if not isinstance(probe, WellKnown):
        return probe
    if not may_be_alike(served.artifacts.navigation.response, probe.response):
        return NotGathered(code="not_applicable", detail="The site has another page for URLs that do not exist.")
    kind = probe.response.header("content-type")
    return parse_document(probe.response.body, url=probe.response.url, content_type=kind)


def _missing_page_likeness(facts: Facts) -> object:
    """Share of its words that the page as served has in common with what answers where nothing can be."""
    if not isinstance(facts.artifacts.not_found_probe, WellKnown):
        return facts.artifacts.not_found_probe
    served = facts.served or facts
    missing = served.get("missing_page")
    return likeness(served.document, missing) if isinstance(missing, Document) else 0.0


def _missing_page_share(facts: Facts) -> object:
    """Share of its words, header and footer included, that the page has not in common with that answer."""
    missing = (facts.served or facts).get("missing_page")
    return own_share(facts.document, missing) if isinstance(missing, Document) else missing


def _if_open(provide: Callable[[Facts], object]) -> Callable[[Facts], object]:
    """Only where crawlers get the page: what they may do with a page that only an access lets in matters to none."""

    def provide_if_open(facts: Facts) -> object:
        view = facts.artifacts.visitor_view
        return NOT_OPEN if isinstance(view, VisitorView) and view.is_closed else provide(facts)

    return provide_if_open


def _robots(facts: Facts) -> object:
    robots_txt = facts.artifacts.robots_txt
    if isinstance(robots_txt, NotGathered):
        return robots_txt
    return parse_robots_txt(robots_txt.response)


def _if_resources(make: Callable[[Document, Resources], object]) -> Callable[[Facts], object]:
    """Made of the page and its sub-resources, or the reason why those are missing."""

    def provide(facts: Facts) -> object:
        resources = facts.artifacts.resources
        return resources if isinstance(resources, NotGathered) else make(facts.document, resources)

    return provide


def _if_rendered(make: Callable[[Rendering], object]) -> Callable[[Facts], object]:
    """Made of what a browser saw, or the reason why none did."""

    def provide(facts: Facts) -> object:
        rendering = facts.artifacts.rendering
        return rendering if isinstance(rendering, NotGathered) else make(rendering)

    return provide


def _if_headers_seen(make: Callable[[Facts], object]) -> Callable[[Facts], object]:
    """Only where the headers of the page were seen: an unseen header is not a missing one."""

    def provide(facts: Facts) -> object:
        if facts.artifacts.navigation.response.headers_seen:
            return make(facts)
        return NotGathered(code="skipped", detail="The response headers of the page are not known.")

    return provide


def _artifact(name: str) -> Callable[[Facts], object]:
    return lambda facts: getattr(facts.artifacts, name)


PROVIDERS: Final[dict[str, Callable[[Facts], object]]] = {
    **{name: _artifact(name) for name in GATHERED},
    "artifacts": lambda facts: facts.artifacts,
    "navigation": lambda facts: facts.artifacts.navigation,
    "response": lambda facts: facts.artifacts.navigation.response,
    "seen_response": _if_headers_seen(lambda facts: facts.artifacts.navigation.response),
    "load_samples_ms": lambda facts: facts.artifacts.load_samples_ms,
    "document": _document,
    "served_document": lambda facts: (facts.served or facts).document,
    "drawn_document": lambda facts: facts.drawn_document,
    "parties": lambda facts: parties_of_document(facts.document),
    "is_faded": _stays_faded,
    "concealed_text": lambda facts: find_concealed_text(facts.document, _ink(facts.artifacts.resources)),
    "page_links": lambda facts: links_to_pages(facts.document),
    "accessibility": lambda facts: facts.document.accessibility,
    "markup": lambda facts: facts.document.markup,
    "exposed_secrets": lambda facts: find_exposed_secrets(facts.document, facts.artifacts.navigation.response.body),
    "robots": _if_open(_robots),
    "sitemaps": _if_open(_artifact("sitemaps")),
    "missing_page": _missing_page,
    "missing_page_likeness": _missing_page_likeness,
    "missing_page_share": _missing_page_share,
    "canonical_page": _canonical_page,
    "rendered_metrics": _if_rendered(rendered_metrics),
    "assets": _if_resources(read_assets),
    "font_faces": _if_resources(font_faces),
    "csp": _if_headers_seen(lambda facts: parse_csp(facts.artifacts.navigation.response, facts.document)),
    "cookies": _if_headers_seen(lambda facts: parse_response_cookies(facts.artifacts.navigation)),
}
"""Parameter name -> how it is made."""
