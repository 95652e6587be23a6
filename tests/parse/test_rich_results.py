from __future__ import annotations

from typing import Any

import pytest

from pagegrade.parse.rich_results import MAX_FAULTS, MAX_UNKNOWN_TYPES, faults_of_values, find_faults


def codes(**node: object) -> list[str]:
    """Codes of the faults of such an object."""
    return [code for code, _, _ in faults_of_values(node)]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("price", "1.299,00 \u20ac", "bad_price"),
        ("price", "49,90", "bad_price"),
        ("price", "1,299.00", "bad_price"),
        ("price", "\u00a5 4900", "bad_price"),
        ("price", "4900\u5186", "bad_price"),
        ("price", "\u0664\u0669\u066b\u0669\u0660", "bad_price"),
        ("price", "\u0967\u0968\u096f", "bad_price"),
        ("price", "\u0431\u0435\u0441\u043f\u043b\u0430\u0442\u043d\u043e", "bad_price"),
        ("price", "from 10", "bad_price"),
        ("price", "-5", "bad_price"),
        ("price", float("inf"), "bad_price"),
        ("lowPrice", "10-20", "bad_price"),
        ("priceCurrency", "\u20ac", "bad_currency"),
        ("priceCurrency", "Euro", "bad_currency"),
        ("priceCurrency", "eur", "bad_currency"),
        ("priceCurrency", "RMB", "bad_currency"),
        ("priceCurrency", "\u5186", "bad_currency"),
        ("priceCurrency", "\u0440\u0443\u0431", "bad_currency"),
        ("ratingValue", "4,5", "bad_rating"),
        ("ratingValue", "very good", "bad_rating"),
        ("ratingValue", "9.3", "out_of_scale"),
        ("ratingValue", 0, "out_of_scale"),
        ("ratingValue", "120%", "out_of_scale"),
        ("ratingValue", "11/10", "out_of_scale"),
        ("ratingCount", "12 reviews", "bad_count"),
        ("reviewCount", 0, "bad_count"),
        ("reviewCount", "1,204", "bad_count"),
        ("position", "first", "bad_count"),
        ("datePublished", "22.11.2026", "bad_date"),
        ("datePublished", "2026\u5e7411\u670822\u65e5", "bad_date"),
        ("datePublished", "\u0662\u0660\u0662\u0666-\u0661\u0661-\u0662\u0662", "bad_date"),
        ("priceValidUntil", "next year", "bad_date"),
        ("duration", "30 minutes", "bad_duration"),
        ("cookTime", "00:30", "bad_duration"),
        ("totalTime", "P", "bad_duration"),
        ("availability", "in stock", "bad_choice"),
        ("availability", "https://schema.org/Available", "bad_choice"),
        ("itemCondition", "new", "bad_choice"),
    ],
)
def test_values_that_search_engines_cannot_use(name: str, value: object, code: str) -> None:
    """Digits are those of ASCII, codes are those of their standard."""
    assert codes(**{name: value}) == [code]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("price", "1299.00"),
        ("price", 1299),
        ("price", 49.9),
        ("price", 0),
        ("price", ["10", 20]),
        ("price", ""),
        ("price", None),
        ("price", {"@type": "Thing"}),
        ("priceCurrency", "JPY"),
        ("ratingValue", "4.5"),
        ("ratingValue", 5),
        ("ratingValue", "60%"),
        ("ratingValue", "6/10"),
        ("ratingCount", "1204"),
        ("reviewCount", 12.0),
        ("datePublished", "2026-11-22T10:15:00+09:00"),
        ("duration", "PT1H30M"),
        ("duration", "P1DT2H"),
        ("totalTime", "PT0S"),
        ("availability", "https://schema.org/InStock"),
        ("availability", "http://schema.org/PreOrder/"),
        ("availability", "SoldOut"),
        ("availability", "schema:InStock"),
        ("itemCondition", "NewCondition"),
        ("name", "1.299,00"),
    ],
)
def test_values_that_can_be_used(name: str, value: object) -> None:
    """Numbers as text and as numbers, with and without the address of the vocabulary."""
    assert codes(**{name: value}) == []


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ({"bestRating": 10}, []),
        ({"bestRating": "10", "worstRating": "0"}, []),
        ({"bestRating": "9"}, ["out_of_scale"]),
        ({"worstRating": 9.5, "bestRating": 10}, ["out_of_scale"]),
        ({"bestRating": "ten"}, []),
    ],
)
def test_a_rating_is_within_its_own_scale(scale: dict[str, object], expected: list[str]) -> None:
    """One that cannot be read decides nothing."""
    assert codes(ratingValue="9.3", **scale) == expected


@pytest.mark.parametrize(
    ("positions", "found"),
    [([1, 2, 3], []), ([1, 1], ["same_position"]), ([2, "2", 2], ["same_position"]), ([None, None], []), ([], [])],
)
def test_entries_of_a_list_have_different_positions(positions: list[object], found: list[str]) -> None:
    """Otherwise nobody knows their order; one entry says it."""
    assert codes(itemListElement=[{"@type": "ListItem", "position": position} for position in positions]) == found


@pytest.mark.parametrize("value", ["text", {"position": 1}, ["a", "a"], None])
def test_lists_of_other_things_have_no_positions(value: object) -> None:
    """A list by URLs has an order of its own."""
    assert codes(itemListElement=value) == []


@pytest.mark.parametrize(
    ("low", "first", "high", "last"),
    [
        ("startDate", "2026-11-22", "endDate", "2026-11-21"),
        ("startDate", "2026-11-22T10:00:00+09:00", "endDate", "2026-11-22T01:30:00+01:00"),
        ("startDate", "2026-11-22T10:00", "endDate", "2026-11-22T09:59"),
        ("validFrom", "2027-01-01", "validThrough", "2026-12-31T23:59:59Z"),
        ("datePosted", "2026-11-22", "validThrough", "2025-12-31"),
        ("lowPrice", "199.99", "highPrice", 119.99),
        ("minValue", 5, "maxValue", "4.5"),
    ],
)
def test_a_range_does_not_end_before_it_begins(low: str, first: object, high: str, last: object) -> None:
    """The same two values the other way round are a range, and so is one value twice."""
    assert codes(**{low: first, high: last}) == ["bad_order"]
    assert codes(**{low: last, high: first}) == codes(**{low: first, high: first}) == []


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2026-11-22T10:00", "2026-11-22"),
        ("2026-11-22T23:00+01:00", "2026-11-22T21:30"),
        ("2026-11", "2026-10-31"),
        (["2026-11-22", "2026-11-29"], "2026-11-23"),
        ("2026-11-22T24:00", "2026-11-21"),
        ("2026-11-22", None),
    ],
)
def test_what_cannot_be_compared_is_in_order(first: object, last: object) -> None:
    """A day without a time lasts to its end, a time without a zone may be in any, and several have no one order."""
    assert codes(startDate=first, endDate=last) == []


def test_other_properties_are_no_range() -> None:
    """Shops close after midnight, and drafts are older than their publication."""
    assert codes(opens="18:00", closes="02:00", datePublished="2026-11-22", dateModified="2026-11-20") == []


def faults(*blocks: object) -> list[tuple[str, str]]:
    """(code, property) of what is wrong."""
    return [(fault.code, fault.property) for fault in find_faults(blocks)[1]]


def required(node: dict[str, Any]) -> list[str]:
    """Required properties that the node lacks."""
    return [name for code, name in faults(node) if code == "required"]


OFFER = {"@type": "Offer", "price": 1}


JOB = {"@type": "JobPosting", "title": "x", "description": "y", "datePosted": "2026-01-01", "hiringOrganization": "z"}
REVIEW = {"@type": "Review", "author": "x", "itemReviewed": "y"}
EVENT = {"@type": "Event", "name": "x", "startDate": "2026-01-01"}
CURRENCY = "offers>priceCurrency|priceSpecification|offers"
QUESTION = {"@type": "Question", "name": "q"}
ANSWERED = {**QUESTION, "acceptedAnswer": {"text": "a"}}
ANSWER = "mainEntity>acceptedAnswer.text"
BAKERY = {"@type": "Bakery", "name": "x", "address": "y"}
RATED = "aggregateRating>ratingCount|reviewCount"


def crumbs(*entries: dict[str, Any]) -> dict[str, Any]:
    """A breadcrumb list of these entries."""
    return {"@type": "BreadcrumbList", "itemListElement": [{"position": 1, **entry} for entry in entries]}


@pytest.mark.parametrize(
    ("node", "missing"),
    [
        ({"@type": "Article"}, []),
        ({"@type": "Product", "name": "x", "offers": OFFER}, []),
        ({"@type": "Product", "name": "x", "review": {"@type": "Review"}}, []),
        ({"@type": "Product", "name": "x"}, ["offers|review|aggregateRating"]),
        ({"@type": "Product", "name": "x", "offers": {"a": 1}}, ["offers>price|lowPrice|priceSpecification|offers"]),
        ({"@type": "Product", "name": "x", "offers": {"@type": "AggregateOffer", "lowPrice": 0}}, []),
        ({"@type": "Recipe", "name": "x"}, ["image"]),
        ({"@type": "FAQPage"}, ["mainEntity"]),
        ({"@type": "FAQPage", "mainEntity": [ANSWERED]}, []),
        (
            {"@type": "FAQPage", "mainEntity": [ANSWERED, {"name": "r"}]},
            [ANSWER],
        ),
        ({"@type": "FAQPage", "mainEntity": {**QUESTION, "suggestedAnswer": {"text": "a"}}}, [ANSWER]),
        ({"@type": "Recipe", "name": "x", "image": "https://a/b", "aggregateRating": {"ratingValue": 5}}, [RATED]),
        ({**BAKERY, "aggregateRating": {"ratingValue": 5, "ratingCount": 280}}, []),
        ({**BAKERY, "aggregateRating": {"reviewCount": 3}}, ["aggregateRating>ratingValue"]),
        (crumbs({"name": "a", "item": "https://a/"}, {"name": "b"}), []),
        (crumbs({"name": "a"}, {"name": "b"}), ["itemListElement~item"]),
        (crumbs({"name": "a"}, {"item": {"name": "b"}}), []),
        (crumbs({"item": "https://a/"}), ["itemListElement>name|item.name"]),
        ({"@type": "Organization"}, []),
        ({"@type": "Restaurant", "name": "x"}, ["address"]),
        ({**EVENT, "@type": "MusicEvent", "location": "Berlin"}, []),
        ({**EVENT, "location": {"name": "Hall"}}, ["location>address|url"]),
        ({"@type": "VideoObject", "name": "x", "uploadDate": "2026"}, ["thumbnailUrl"]),
        (JOB, ["jobLocation|applicantLocationRequirements"]),
        ({**JOB, "jobLocation": "Berlin"}, []),
        ({**REVIEW, "reviewRating": {}}, ["reviewRating"]),
        ({**REVIEW, "reviewRating": {"@type": "Rating"}}, ["reviewRating>ratingValue"]),
        ({"@type": "https://schema.org/Recipe", "name": "x", "image": "https://a/b"}, []),
        ({"@type": ["Thing", "Recipe"], "name": "x", "image": "https://a/b"}, []),
    ],
)
def test_required_properties(node: dict[str, Any], missing: list[str]) -> None:
    """Each kind has its own, alternatives count, and every entry of a list is looked at."""
    assert required(node) == missing


def test_nested_things_are_not_evaluated() -> None:
    """The publisher of an article is no local business of the page."""
    article = {
        "@type": "Article",
        "headline": "x",
        "image": "https://a/b",
        "datePublished": "2026-01-01",
        "author": "a",
        "publisher": {"@type": "Restaurant"},
    }

    assert find_faults([article]) == (1, ())


def test_references_are_followed_across_blocks() -> None:
    """A bare id stands for the thing it names, and one that names nothing here counts as complete."""
    offer = {"@type": "Offer", "@id": "#o"}
    product = {"@type": "Product", "name": "x", "image": "https://a/b", "description": "d", "offers": {"@id": "#o"}}

    assert faults({**offer, "price": 1, "priceCurrency": "EUR"}, product) == []
    assert faults({**offer, "price": 1}, product) == [("recommended", CURRENCY)]
    assert [code for code, _ in faults(offer, product)] == ["required", "recommended"]
    assert faults({**product, "offers": {"@id": "https://elsewhere.example/#o"}}) == []


def test_things_in_graph_and_main_entity_are_evaluated() -> None:
    """Lists, graphs and the main entity of a page are what the page is about."""
    assert required({"@graph": [{"@type": "WebPage", "mainEntity": {"@type": "Recipe", "name": "x"}}]}) == ["image"]
    assert find_faults([[{"@type": "Recipe"}, [{"@type": "Recipe"}]]])[0] == 2


def test_nodes_of_one_id_add_up() -> None:
    """Two halves are one thing, evaluated once."""
    halves = {"@id": "#r", "@type": "Recipe", "name": "x"}, {"@id": "#r", "image": "https://a/b"}

    assert find_faults(halves)[0] == 1
    assert [code for code, _ in faults(*halves)] == ["recommended"] * 3


@pytest.mark.parametrize(
    ("other", "property"),
    [({"@type": "WebSite"}, "@type"), ({"@type": "Recipe", "name": "y"}, "name")],
)
def test_contradictions_of_one_id(other: dict[str, Any], property: str) -> None:  # noqa: A002
    """Another kind or another name under one id is a conflict."""
    assert ("conflict", property) in faults({"@id": "#r", "@type": "Recipe", "name": "x"}, {"@id": "#r", **other})


@pytest.mark.parametrize(
    ("value", "is_bad"),
    [
        ("2026", False),
        ("2026-05", False),
        ("2026-05-03", False),
        ("20260503", False),
        ("2026-05-03T10:00", False),
        ("2026-05-03T10:00:00.123Z", False),
        ("2026-05-03 10:00:00 +02:00", False),
        ("2026-05-03T10:00:00+0200", False),
        ("03.05.2026", True),
        ("2026-13-01", True),
        ("May 3, 2026", True),
        ("2026-05-03T10:00:00" + "0" * 100_000, True),
    ],
)
def test_dates(value: str, *, is_bad: bool) -> None:
    """ISO 8601 in its usual forms, nothing else."""
    assert (("bad_date", "datePublished") in faults({"@type": "Article", "datePublished": value})) is is_bad


@pytest.mark.parametrize(
    ("value", "is_bad"),
    [("https://a/b", False), ("data:image/png;base64,", False), ("/b.png", True), ("//a/b.png", True), ("", False)],
)
def test_addresses(value: str, *, is_bad: bool) -> None:
    """Whole addresses only; an empty one is missing and not wrong."""
    assert (("relative_url", "image") in faults({"@type": "Article", "image": ["https://a/c", value]})) is is_bad


def test_numbers_nulls_and_other_shapes_do_not_raise() -> None:
    """Whatever JSON holds, there is an answer."""
    odd: list[object] = [None, 3, "x", [], {}, {"@type": 7}, {"@id": 7, "a": 1}, {"@graph": None}]
    shapes = [*odd, {"@type": "Recipe", "name": {"a": []}}]

    assert find_faults(shapes)[0] == 1


def test_endless_lists_are_bounded() -> None:
    """A hundred thousand things, one id given ten thousand times, and a chain of references come to an end."""
    assert len(find_faults([[{"@type": "Recipe"} for _ in range(100_000)]])[1]) == MAX_FAULTS
    assert find_faults([[{"@id": "#a", "@type": "Recipe", f"p{n}": n} for n in range(10_000)]])[0] == 1
    assert find_faults([{"@type": "FAQPage", "@id": "#a", "mainEntity": {"@id": "#a"}}])[0] == 1


def test_values_of_nested_things_are_evaluated() -> None:
    """An offer and a rating belong to their product, and are named by their own type."""
    offer = {"@type": "Offer", "price": "1,5", "priceCurrency": "EUR"}
    rating = {"@type": "AggregateRating", "ratingValue": 7, "ratingCount": 3}
    node = {"@type": "Product", "name": "a", "image": "https://a.test/i", "description": "b"}
    _, found = find_faults([{**node, "offers": [offer], "aggregateRating": rating}])

    assert [(fault.code, fault.type, fault.property) for fault in found] == [
        ("bad_price", "Offer", "price"),
        ("out_of_scale", "AggregateRating", "ratingValue"),
    ]


@pytest.mark.parametrize("name", ["product", "PRODUCT", "https://schema.org/product"])
def test_types_are_written_with_their_capitals(name: str) -> None:
    """Another spelling is another type, which no search engine knows."""
    _, found = find_faults([{"@type": name, "name": "a"}])

    assert [(fault.code, fault.type) for fault in found] == [("bad_type", "Product")]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Prodct", "misspelled_type", "Product"),
        ("Local Business", "misspelled_type", "LocalBusiness"),
        ("https://schema.org/Recipie", "misspelled_type", "Recipe"),
        ("webpage", "bad_type", "WebPage"),
        ("Firma", "unknown_type", "Firma"),
        ("製品", "unknown_type", "製品"),
    ],
)
def test_a_type_that_schema_org_does_not_have_is_found(name: str, code: str, said: str) -> None:
    """With the one that is meant, where one is close."""
    _, found = find_faults([{"@context": "https://schema.org", "@type": name, "name": "a"}])

    assert [(fault.code, fault.type) for fault in found] == [(code, said)]


@pytest.mark.parametrize(
    "node",
    [
        {"@type": "3DModel"},
        {"@type": "UserComments"},
        {"@type": ["Prodct", "Product"], "name": "a", "offers": {"price": "1", "priceCurrency": "EUR"}},
        {"@type": "foaf:Person"},
        {"@type": "https://w3id.org/traceability#Firma"},
        {"@context": ["https://schema.org", {"Firma": "https://firma.test/ns#Firma"}], "@type": "Firma"},
        {"@context": ["https://schema.org", "https://firma.test/context.jsonld"], "@type": "Firma"},
        {"@type": ""},
        {"name": "a"},
    ],
)
def test_a_type_of_another_vocabulary_is_not_judged(node: dict[str, object]) -> None:
    """Nor one that is retired or pending, and one that is known beside it is enough."""
    _, found = find_faults([{"@context": "https://schema.org", **node}])

    assert not {fault.code for fault in found} & {"bad_type", "misspelled_type", "unknown_type"}


@pytest.mark.parametrize("more", [0, 1])
def test_unknown_types_are_bounded(more: int) -> None:
    """Each is compared with all that there are."""
    nodes = [{"@type": f"Firma{number}"} for number in range(MAX_UNKNOWN_TYPES + more)]

    assert len(find_faults([nodes])[1]) == MAX_UNKNOWN_TYPES
