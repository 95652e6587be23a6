from itertools import islice

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document, StructuredItem
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity
from pagegrade.parse.structured_data import local_type


@check(
    id="structured-data",
    title="Structured data",
    severity=Severity.LOW,
    cause="structured-data",
    since="0.1.0",
    states=(
        State("ok", "The page has structured data that search engines can read."),
        State("scripted", "Only scripts add structured data."),
        State(
            "other_vocabulary",
            "The structured data of the page does not use schema.org.",
            loss=0.5,
            title="Structured data does not use schema.org",
            why="Search engines build rich results from schema.org only.",
            fix="Describe the main subject of the page with schema.org types in a JSON-LD block.",
        ),
        State(
            "social_only",
            "The page has social media tags, but no structured data.",
            loss=0.5,
            title="Only social media tags, no structured data",
            why=(
                "Open Graph and X tags control how a shared link looks. Rich results with ratings, dates or "
                "breadcrumbs need schema.org."
            ),
            fix=(
                "Add a JSON-LD block that describes the main subject of the page:\n\n"
                "```html\n"
                '<script type="application/ld+json">\n'
                '{"@context": "https://schema.org", "@type": "Article", "headline": "How to choose running '
                'shoes"}\n'
                "</script>\n"
                "```"
            ),
        ),
        State(
            "unreadable",
            "The structured data of the page cannot be parsed.",
            loss=1.0,
            title="Structured data cannot be parsed",
            why="Search engines ignore a block with a syntax error, so the page gets no rich results from it.",
            fix=(
                "Correct the JSON, often a missing comma or an unescaped quotation mark, and test it with the "
                "Rich Results Test."
            ),
        ),
        State(
            "missing",
            "The page has no structured data.",
            loss=1.0,
            title="Add structured data",
            why="Ratings, dates, prices and breadcrumbs beside a search result come from structured data.",
            fix=(
                "Add a JSON-LD block that describes the main subject of the page with schema.org:\n\n"
                "```html\n"
                '<script type="application/ld+json">\n'
                '{"@context": "https://schema.org", "@type": "Article", "headline": "How to choose running '
                'shoes"}\n'
                "</script>\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://schema.org/docs/gs.html",
        "https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents",
        "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data",
    ),
)
def structured_data(document: Document, drawn_document: Document | NotGathered) -> Verdict:
    """Structured data shows search engines what the page describes.

    ## What it checks

    JSON-LD blocks in head and body, microdata and RDFa. At least one schema.org item with a type has to be readable.
    Comments, CDATA marks and line breaks inside JSON-LD are tolerated, and so are all spellings of the schema.org URL.
    Only another vocabulary, or only Open Graph and Twitter tags, is a warning. Structured data
    that only scripts add in a browser is named and costs nothing, because Google reads it, too; without a browser, a
    page that scripts render is not evaluated if it is served without any.

    Many well-known pages have tags for social networks only. They say how a shared link looks, not what the page is
    about, so this costs half; no structured data at all costs everything.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",}</script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <script type="application/ld+json">{"@context": "https://schema.org/", "@type": "Product", "name": "Shoes"}</script>
    ```
    """
    items = document.structured_items
    good = _good(document)
    if good:
        return Outcome("ok", value=_types(good), details=_counts(good))
    broken = [item for item in items if item.error is not None]
    other = [item for item in items if item.error is None and item.data not in ([], {})]
    if broken:
        return Outcome(
            "unreadable",
            value=len(broken),
            evidence=(*_evidence(document, broken), *_evidence(document, other, state="other_vocabulary"))[
                :MAX_EVIDENCE
            ],
            total=len(broken) + len(other),
            message=f"The structured data of the page cannot be parsed. {broken[0].error}",
        )
    if other:
        return Outcome("other_vocabulary", value=len(other), evidence=_evidence(document, other), total=len(other))
    social = [
        meta for meta in document.metas if meta.property.startswith("og:") or meta.name.startswith(("og:", "twitter:"))
    ]
    if social:
        return Outcome("social_only", value=len(social), evidence=(document.evidence(social[0]),), total=len(social))
    if isinstance(drawn_document, Document):
        added = _good(drawn_document)
        if added:
            return Outcome("scripted", value=_types(added), details=_counts(added))
    elif document.client_rendered:
        return NEEDS_RENDERING
    return Outcome("missing", value=0)


def _good(document: Document) -> list[StructuredItem]:
    # Under the context of schema.org, a type may still be a URL of another vocabulary.
    return [
        item
        for item in document.structured_items
        if item.error is None and item.schema_org and any("://" not in local_type(name) for name in item.types)
    ]


def _types(items: list[StructuredItem]) -> str:
    names = dict.fromkeys(name for item in items for name in item.types)
    return ", ".join(name[:60] for name in islice(names, 20))


def _evidence(document: Document, items: list[StructuredItem], *, state: str = "") -> tuple[Evidence, ...]:
    return tuple(
        document.evidence_at(
            item.node, reason=item.error or f"Types: {', '.join(item.types)[:200] or 'none'}.", state=state
        )
        for item in islice(items, 100)
    )


def _counts(items: list[StructuredItem]) -> tuple[Detail, ...]:
    formats = [item.format for item in items]
    return tuple(Detail(code=name, actual=formats.count(name)) for name in dict.fromkeys(formats))
