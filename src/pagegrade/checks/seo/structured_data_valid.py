from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document, StructuredItem
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.data.schema_types import SCHEMA_TYPES
from pagegrade.parse.rich_results import Fault, find_faults
from pagegrade.parse.structured_data import lacks_context, local_type

_STATES: Final = (
    ("conflict", "conflict"),
    ("required", "required_missing"),
    ("misspelled_type", "unknown_type"),
    ("unknown_type", "unknown_type"),
    ("relative_url", "bad_values"),
    ("bad_price", "bad_values"),
    ("bad_currency", "bad_values"),
    ("bad_rating", "bad_values"),
    ("out_of_scale", "bad_values"),
    ("bad_count", "bad_values"),
    ("bad_choice", "bad_values"),
    ("same_position", "bad_values"),
    ("bad_order", "bad_values"),
    ("bad_date", "bad_values"),
    ("bad_duration", "bad_values"),
    ("bad_type", "bad_values"),
    ("recommended", "recommended_missing"),
)
"""Code of a fault and the state it leads to, worst first."""
_REASONS: Final = {
    "conflict": "Two things with the same @id differ in {property}.",
    "required": "{type} lacks {property}.",
    "relative_url": "{property} of {type} is no absolute URL.",
    "bad_date": "{property} of {type} is no ISO 8601 date.",
    "bad_price": "{property} of {type} is no number such as 1299.00, with digits and a full stop only.",
    "bad_currency": "{property} of {type} is no currency of ISO 4217, such as EUR.",
    "bad_rating": "{property} of {type} is no number, such as 4.5.",
    "out_of_scale": "{property} of {type} is beyond its scale: 1 to 5 without worstRating and bestRating.",
    "bad_count": "{property} of {type} is no whole number from 1.",
    "bad_choice": "{property} of {type} is none of the values that schema.org lists.",
    "same_position": "Two entries of a list in {type} have the same {property}.",
    "bad_order": "{property} of {type} ends a range before it begins.",
    "bad_duration": "{property} of {type} is no ISO 8601 duration, such as PT30M.",
    "misspelled_type": "schema.org has no type of this name; {type} comes closest.",
    "unknown_type": "schema.org has no type {type}.",
    "bad_type": "A type is written {type}, with these capitals.",
    "recommended": "{type} lacks the recommended {property}.",
}


@check(
    id="structured-data-valid",
    title="Structured data completeness",
    severity=Severity.LOW,
    cause="structured-data",
    since="0.1.0",
    states=(
        State("ok", "The structured data of the page is complete."),
        State(
            "recommended_missing",
            "The structured data lacks recommended properties.",
            loss=0.5,
            title="Recommended properties missing from structured data",
            why="Rich results are possible without these properties, but show less.",
            fix="Add the listed properties to the item where the page has the information.",
            counted=True,
        ),
        State(
            "bad_values",
            "The structured data contains values that cannot be used.",
            loss=0.5,
            title="Invalid values in structured data",
            why=(
                "Search engines ignore a value that is not in the form they ask for, and may show no rich result "
                "without it."
            ),
            fix=(
                "Write URLs with scheme and host, dates such as `2026-11-22`, prices such as `1299.00` and currencies "
                "such as `EUR`."
            ),
            counted=True,
        ),
        State(
            "unknown_type",
            "The structured data has a type that schema.org does not have.",
            loss=0.5,
            title="Unknown type in structured data",
            why="Search engines pass over an item whose type they do not know, with everything that it says.",
            fix="Write the type as <https://schema.org/docs/full.html> lists it.",
            counted=True,
        ),
        State(
            "required_missing",
            "The structured data lacks required properties.",
            loss=1.0,
            title="Required properties missing from structured data",
            why="Without a required property the page gets no rich result of this kind.",
            fix="Add the listed properties to the item.",
            counted=True,
        ),
        State(
            "conflict",
            "Two items of structured data with the same @id contradict each other.",
            loss=1.0,
            title="Contradicting structured data",
            why="Search engines cannot know which of the two statements is true and may ignore both.",
            fix=(
                "Merge the blocks, or give different things different `@id` values. Two plugins that both write "
                "structured data are a common cause."
            ),
        ),
        State(
            "no_context",
            "A block of structured data does not say which vocabulary it uses.",
            loss=1.0,
            title="Structured data without a vocabulary",
            why="Without `@context` the names in a block mean nothing to search engines, which ignore it.",
            fix='Add `"@context": "https://schema.org"` to each block.',
        ),
        State(
            "unreadable",
            "A block of structured data cannot be parsed.",
            loss=1.0,
            title="Correct the unreadable structured data",
            why="Search engines ignore the whole block.",
            fix="Correct the JSON, often a missing comma or an unescaped quotation mark.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/structured-data/search-gallery",),
)
def structured_data_valid(document: Document) -> Verdict:
    """Search engines show rich results only when the structured data is complete.

    ## What it checks

    The main items of the page's JSON-LD blocks, microdata and RDFa, for these types: article, breadcrumb list, event,
    FAQ page, job posting, local business, organization, product, recipe, review and video. Failures: a required
    property is missing, two items with one `@id` contradict each other, a block has no `@context`, or cannot be read.
    Warnings: an item of any kind has a type that schema.org does not have (in blocks whose contexts name only
    schema.org), a recommended property is missing, a URL is relative, or a value is not in the form that search engines
    ask for: prices are digits with a full stop, currencies codes of ISO 4217, ratings numbers within their scale,
    counts whole numbers, positions in a list differ, dates and durations of ISO 8601, ranges of dates and prices end
    where they begin or later, availability and condition words of schema.org, and types are written with their
    capitals. Items that are only mentioned inside others, such as the
    publisher of an article, are not evaluated; a reference by `@id` counts as the item it names. The table of
    properties follows Google's pages of November 2026.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Shoes"}</script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <script type="application/ld+json">
    {"@context": "https://schema.org", "@type": "Product", "name": "Shoes", "description": "Light and red.",
     "image": "https://example.com/shoes.jpg", "offers": {"@type": "Offer", "price": "59.00", "priceCurrency": "EUR"}}
    </script>
    ```
    """
    items = document.structured_items
    broken = [item for item in items if item.error is not None]
    aimless = [item for item in items if item.format == "json-ld" and not item.schema_org and lacks_context(item.data)]
    readable = [item for item in items if item.schema_org and item.error is None]
    count, faults = find_faults([_data_of(item) for item in readable])
    ignored = broken or aimless
    if not faults and not ignored:
        if count == 0:
            return NotApplicable(
                "The page has no structured data of a type for which search engines show rich results."
            )
        return Outcome("ok", value=count)
    codes = {fault.code for fault in faults}
    state = "unreadable" if broken else "no_context"
    if not ignored:
        state = next(state for code, state in _STATES if code in codes)
    order = [code for code, _ in _STATES]
    worst_first = sorted(faults, key=lambda fault: order.index(fault.code))

    def evidence(fault: Fault) -> Evidence:
        own = dict(_STATES)[fault.code]
        return document.evidence_at(
            readable[fault.block].node, reason=_reason(fault), state="" if own == state else own
        )

    listed = tuple(evidence(fault) for fault in islice(worst_first, MAX_EVIDENCE))
    if ignored:
        unread = (document.evidence_at(item.node, reason=item.error or "") for item in islice(ignored, MAX_EVIDENCE))
        return Outcome(
            state,
            value=len(ignored),
            evidence=(*unread, *listed)[:MAX_EVIDENCE],
            total=len(ignored) + len(faults),
            count=len(ignored),
        )
    return Outcome(
        state,
        value=len(faults),
        evidence=listed,
        total=len(faults),
        details=tuple(
            Detail(code=fault.code, actual=f"{fault.type}.{_property(fault)}"[:200])
            for fault in islice(worst_first, 20)
        ),
        message=f"{structured_data_valid.state(state).message} {_reason(worst_first[0])}",
        count=sum(dict(_STATES)[fault.code] == state for fault in faults),
    )


def _data_of(item: StructuredItem) -> object:
    """Return what an item says: one of microdata or RDFa without requirements only its types, unless one is known."""
    if item.data is not None or item.format == "json-ld":
        return item.data
    return None if any(local_type(name) in SCHEMA_TYPES for name in item.types) else {"@type": list(item.types)}


def _reason(fault: Fault) -> str:
    text = _REASONS[fault.code].format(type=fault.type or "A thing", property=_property(fault))
    return f"{text} It says {fault.value!r}." if fault.value else text


def _property(fault: Fault) -> str:
    return fault.property.replace("|", " or ").replace(">", ".").replace("~", ".")
