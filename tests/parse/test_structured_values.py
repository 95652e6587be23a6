"""Tests of the values of structured data."""

from __future__ import annotations

import pytest

from pagegrade.parse.structured_values import faults_of_values


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
