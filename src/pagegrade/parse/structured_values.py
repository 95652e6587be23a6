"""Values of structured data that search engines cannot use: prices, currencies, ratings, dates and the like.

Source: https://schema.org/price, https://schema.org/priceCurrency, https://schema.org/ratingValue and
https://developers.google.com/search/docs/appearance/structured-data/review-snippet
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from math import isfinite
from typing import Final, Literal

Code = Literal[
    "bad_date",
    "bad_price",
    "bad_currency",
    "bad_rating",
    "out_of_scale",
    "bad_count",
    "bad_duration",
    "bad_choice",
    "same_position",
    "bad_order",
]
MAX_SHOWN: Final = 60
_ISO_8601: Final = re.compile(
    r"\d{4}(?:-?(?:0[1-9]|1[0-2])|-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])"
    r"(?:[T ](?:[01]\d|2[0-4])(?::?[0-5]\d(?::?[0-6]\d(?:[.,]\d{1,9})?)?)?\s?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)?",
    re.ASCII,
)
_DURATION: Final = re.compile(
    r"P(?=\d|T\d)(?:\d+(?:\.\d+)?Y)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?W)?(?:\d+(?:\.\d+)?D)?"
    r"(?:T(?=\d)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"\d{1,30}(?:\.\d{1,30})?", re.ASCII)
_COUNT: Final = re.compile(r"0*[1-9]\d{0,29}", re.ASCII)
_SHARE: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(?:%|/ ?(\d{1,9}(?:\.\d{1,9})?))", re.ASCII)
"""A rating as a share, which carries its scale: ``60%``, ``6/10``."""
_CURRENCIES: Final = frozenset(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
    CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD
    HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG
    QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD
    TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW
    ZWG ZWL BTC ETH LTC XRP
    """.split()
)
"""Codes of ISO 4217, those of the last years included, and the signs of coins that schema.org names beside them."""
_AVAILABILITIES: Final = frozenset(
    "BackOrder Discontinued InStock InStoreOnly LimitedAvailability MadeToOrder OnlineOnly OutOfStock PreOrder PreSale "
    "Reserved SoldOut".split()
)
_CONDITIONS: Final = frozenset("DamagedCondition NewCondition RefurbishedCondition UsedCondition".split())
_RANGES: Final = (
    ("startDate", "endDate"),
    ("validFrom", "validThrough"),
    ("datePosted", "validThrough"),
    ("availabilityStarts", "availabilityEnds"),
    ("lowPrice", "highPrice"),
    ("minPrice", "maxPrice"),
    ("minValue", "maxValue"),
)
"""Pairs of properties that say where a range begins and where it ends."""
_DEFAULT_BEST: Final = 5.0
_DEFAULT_WORST: Final = 1.0
_DAY: Final = len("2026-11-22")


def faults_of_values(node: Mapping[str, object]) -> Iterator[tuple[Code, str, str]]:
    """Find the values of one object that are of no use: (what is wrong, property, value as written). Never raises."""
    for name in node:
        rule = _RULES.get(name)
        if rule is None:
            continue
        code, is_fine = rule
        for value in _scalars(node[name]):
            if not is_fine(value):
                yield code, name, value[:MAX_SHOWN]
    yield from _faults_of_rating(node)
    yield from _same_positions(node.get("itemListElement"))
    yield from _faults_of_order(node)


def _same_positions(entries: object) -> Iterator[tuple[Code, str, str]]:
    """The first position that two entries of a list share: their order is unknown."""
    seen: set[str] = set()
    for entry in entries if isinstance(entries, list) else []:
        for position in _scalars(entry.get("position")) if isinstance(entry, dict) else ():
            if position in seen:
                yield "same_position", "position", position[:MAX_SHOWN]
                return
            seen.add(position)


def _faults_of_order(node: Mapping[str, object]) -> Iterator[tuple[Code, str, str]]:
    """Ranges that end before they begin, where both ends are one value that can be read."""
    for low, high in _RANGES:
        if low in node and high in node:
            first, last = list(_scalars(node[low])), list(_scalars(node[high]))
            if len(first) == len(last) == 1 and _is_before(last[0].strip()[:100], first[0].strip()[:100]):
                yield "bad_order", high, last[0][:MAX_SHOWN]


def _is_before(one: str, other: str) -> bool:
    """Compare two numbers, or two points in time: by their days unless both say when, in zones that are known."""
    if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
        return float(one) < float(other)
    try:
        earlier, later = datetime.fromisoformat(one), datetime.fromisoformat(other)
    except ValueError:
        return False
    if min(len(one), len(other)) <= _DAY or (earlier.tzinfo is None) != (later.tzinfo is None):
        return earlier.date() < later.date()
    return earlier < later


def _faults_of_rating(node: Mapping[str, object]) -> Iterator[tuple[Code, str, str]]:
    best, worst = _number(node.get("bestRating"), _DEFAULT_BEST), _number(node.get("worstRating"), _DEFAULT_WORST)
    for value in _scalars(node.get("ratingValue")):
        text = value.strip()
        if share := _SHARE.fullmatch(text):
            top = 100.0 if share[2] is None else float(share[2])
            if float(share[1]) > top:
                yield "out_of_scale", "ratingValue", text[:MAX_SHOWN]
        elif not _NUMBER.fullmatch(text):
            yield "bad_rating", "ratingValue", text[:MAX_SHOWN]
        elif best is not None and worst is not None and not worst <= float(text) <= best:
            yield "out_of_scale", "ratingValue", text[:MAX_SHOWN]


def _number(value: object, default: float) -> float | None:
    """The number a property says; the default where it is not there, ``None`` where it cannot be read."""
    found = list(_scalars(value))
    if not found:
        return default
    text = found[0].strip()
    return float(text) if _NUMBER.fullmatch(text) else None


def _scalars(value: object) -> Iterator[str]:
    """Texts and numbers of a property, as texts; empty ones are left out."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and one.strip():
            yield one
        elif isinstance(one, (int, float)) and not isinstance(one, bool):
            yield f"{one:f}".rstrip("0").rstrip(".") if isinstance(one, float) and isfinite(one) else str(one)


def _is_choice_of(names: frozenset[str]) -> Callable[[str], bool]:
    return lambda value: value.strip().rstrip("/").rpartition("/")[2].rpartition(":")[2] in names


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda value: pattern.fullmatch(value.strip()[:100]) is not None


def _is_date(value: str) -> bool:
    found = _ISO_8601.fullmatch(value.strip()[:100])
    if found is None or found[1] is None:
        return found is not None
    try:
        date(int(found[0][:4]), int(found[1]), int(found[2]))
    except ValueError:
        return False
    return True


_DATE: Final[tuple[Code, Callable[[str], bool]]] = ("bad_date", _is_date)
_PRICE: Final[tuple[Code, Callable[[str], bool]]] = ("bad_price", _matches(_NUMBER))
_CURRENCY: Final[tuple[Code, Callable[[str], bool]]] = ("bad_currency", lambda value: value.strip() in _CURRENCIES)
_TIME: Final[tuple[Code, Callable[[str], bool]]] = ("bad_duration", _matches(_DURATION))
_TALLY: Final[tuple[Code, Callable[[str], bool]]] = ("bad_count", _matches(_COUNT))
_RULES: Final[Mapping[str, tuple[Code, Callable[[str], bool]]]] = {
    **dict.fromkeys(
        (
            *("datePublished", "dateModified", "dateCreated", "uploadDate", "datePosted", "validFrom"),
            *("validThrough", "startDate", "endDate", "priceValidUntil", "availabilityStarts", "availabilityEnds"),
        ),
        _DATE,
    ),
    **dict.fromkeys(("price", "lowPrice", "highPrice", "minPrice", "maxPrice"), _PRICE),
    **dict.fromkeys(("priceCurrency", "currency"), _CURRENCY),
    **dict.fromkeys(("totalTime", "prepTime", "cookTime", "duration"), _TIME),
    **dict.fromkeys(("ratingCount", "reviewCount", "position"), _TALLY),
    "availability": ("bad_choice", _is_choice_of(_AVAILABILITIES)),
    "itemCondition": ("bad_choice", _is_choice_of(_CONDITIONS)),
}
"""Property -> what is wrong with a value, and whether it is fine."""
