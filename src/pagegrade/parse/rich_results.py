"""Requirements of search engines for common kinds of structured data, and where a page fails them.

An item of microdata or RDFa is read in the form of JSON-LD first (``parse.html.embedded_items``).

The table follows Google's pages per kind as of 2026-11 and is part of the ruleset: a change of it is a change of what
pages lose. Nodes that are only mentioned inside others (a publisher inside an article) are not evaluated, because the
requirements are for the things a page is about.

Values that they cannot use are found as well: prices, currencies, ratings, dates and the like.

Sources: https://developers.google.com/search/docs/appearance/structured-data/search-gallery,
https://schema.org/price, https://schema.org/priceCurrency, https://schema.org/ratingValue and
https://developers.google.com/search/docs/appearance/structured-data/review-snippet
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches  # lint: allow slow-parser - of names and of a number that are bounded
from itertools import islice
from math import isfinite
from typing import Final, Literal

import msgspec

from pagegrade.parse.data.schema_types import SCHEMA_TYPES
from pagegrade.parse.structured_data import is_schema_org_type, local_type, node_types, nodes_of, uses_schema_org_alone

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


MAX_NODES: Final = 5_000
"""Things evaluated on one page; a page about more is a feed."""
MAX_FAULTS: Final = 500

Node = Mapping[str, object]


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of rich result.

    ``a|b``: one of them; ``a.b``: a property of the value; ``a>b``: of every value; ``a~b``: of every value but one.
    """

    types: frozenset[str]
    required: tuple[str, ...] = ()
    recommended: tuple[str, ...] = ()


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One shortcoming of one thing."""

    code: Literal[
        "required",
        "recommended",
        "relative_url",
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
        "bad_type",
        "misspelled_type",
        "unknown_type",
        "conflict",
    ]
    block: int
    """Index of the block it stands in."""
    type: str
    property: str
    value: str = ""


_RATING: Final = ("aggregateRating>ratingValue", "aggregateRating>ratingCount|reviewCount")
"""Required properties of a rating."""
KINDS: Final[Mapping[str, Kind]] = {
    "Article": Kind(
        types=frozenset(
            "Article NewsArticle BlogPosting LiveBlogPosting ReportageNewsArticle OpinionNewsArticle "
            "AnalysisNewsArticle TechArticle ScholarlyArticle SocialMediaPosting DiscussionForumPosting".split()
        ),
        recommended=("headline", "image", "datePublished", "author"),
    ),
    "BreadcrumbList": Kind(
        types=frozenset({"BreadcrumbList"}),
        # The last crumb is the page itself and needs no address.
        required=(
            "itemListElement",
            "itemListElement>position",
            "itemListElement>name|item.name",
            "itemListElement~item",
        ),
    ),
    "Event": Kind(
        types=frozenset(
            "Event BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent EducationEvent ExhibitionEvent "
            "Festival FoodEvent LiteraryEvent MusicEvent SaleEvent ScreeningEvent SocialEvent SportsEvent "
            "TheaterEvent VisualArtsEvent".split()
        ),
        required=("name", "startDate", "location", "location>address|url"),
        recommended=("endDate", "description", "image"),
    ),
    "FAQPage": Kind(
        types=frozenset({"FAQPage"}),
        required=("mainEntity", "mainEntity>name", "mainEntity>acceptedAnswer.text"),
    ),
    "JobPosting": Kind(
        types=frozenset({"JobPosting"}),
        required=(
            "title",
            "description",
            "datePosted",
            "hiringOrganization",
            "jobLocation|applicantLocationRequirements",
        ),
        recommended=("validThrough", "employmentType"),
    ),
    "LocalBusiness": Kind(
        types=frozenset(
            "LocalBusiness AnimalShelter AutoDealer AutoRepair Bakery BarOrPub BeautySalon BedAndBreakfast BookStore "
            "CafeOrCoffeeShop ClothingStore Dentist ElectronicsStore EmergencyService EntertainmentBusiness "
            "FastFoodRestaurant FinancialService Florist FurnitureStore GroceryStore HairSalon HealthAndBeautyBusiness "
            "HomeAndConstructionBusiness Hotel InsuranceAgency JewelryStore LegalService Library LodgingBusiness "
            "MedicalBusiness MedicalClinic Optician Pharmacy Physician Plumber ProfessionalService RealEstateAgent "
            "Restaurant ShoeStore SportsActivityLocation Store TravelAgency VeterinaryCare".split()
        ),
        required=("name", "address", *_RATING),
        recommended=("telephone", "url", "openingHoursSpecification|openingHours"),
    ),
    "Organization": Kind(
        types=frozenset(
            "Organization Corporation EducationalOrganization NGO NewsMediaOrganization OnlineStore".split()
        ),
        recommended=("name", "url", "logo"),
    ),
    "Product": Kind(
        types=frozenset({"Product", "IndividualProduct"}),
        required=(
            "name",
            "offers|review|aggregateRating",
            "offers>price|lowPrice|priceSpecification|offers",
            *_RATING,
        ),
        recommended=("image", "description", "offers>priceCurrency|priceSpecification|offers"),
    ),
    "Recipe": Kind(
        types=frozenset({"Recipe"}),
        required=("name", "image", *_RATING),
        recommended=("recipeIngredient", "recipeInstructions", "author"),
    ),
    "Review": Kind(
        types=frozenset({"Review", "CriticReview", "EmployerReview"}),
        required=("author", "itemReviewed", "reviewRating", "reviewRating>ratingValue"),
        recommended=("datePublished",),
    ),
    "VideoObject": Kind(
        types=frozenset({"VideoObject"}),
        required=("name", "thumbnailUrl", "uploadDate"),
        recommended=("description", "contentUrl|embedUrl"),
    ),
}
_KIND_OF_TYPE: Final = {name: kind for kind in KINDS.values() for name in kind.types}
RICH_TYPES: Final = frozenset(_KIND_OF_TYPE)
"""Types that have requirements."""
_TYPE_OF_SMALL: Final = {name.lower(): name for name in SCHEMA_TYPES}
"""Names of types are compared with their capitals."""
MAX_UNKNOWN_TYPES: Final = 20
"""On one page; each is compared with all that there are."""
_OF_OTHERS: Final = frozenset(":/.#@")
"""Signs of names that other vocabularies have."""
_MIN_LIKENESS: Final = 0.8
_MAX_TYPE: Final = 60
"""Characters of a name; the longest of schema.org has 39."""
_MAY_BE_TEXT: Final = frozenset({"location"})
"""Things that a text may stand for; elsewhere it says nothing of what is asked for."""
_URL_PROPERTIES: Final = ("url", "image", "logo", "thumbnailUrl", "contentUrl", "embedUrl")
_SCHEME: Final = re.compile(r"\s{0,20}[A-Za-z][A-Za-z0-9+.\-]{0,40}:")


def find_faults(blocks: Sequence[object]) -> tuple[int, tuple[Fault, ...]]:
    """Evaluate the things that the JSON-LD blocks and other items of one page are about. Linear; never raises.

    Args:
        blocks: Parsed values, one for each block; ids are shared among them.

    Returns:
        (number of things of a known kind, what is wrong with them, at most ``MAX_FAULTS`` entries).
    """
    things: list[tuple[int, Node]] = []
    for index, block in enumerate(blocks):
        for node in _things(block):
            if len(things) >= MAX_NODES:
                break
            things.append((index, node))
    by_id, faults = _merge(things)
    evaluated: set[int] = set()
    count = unknown = 0
    for block_index, node in things:
        merged = by_id.get(_id(node), node)
        names = [local_type(name) for name in node_types(merged)]
        kind_name = next((name for name in names if name in _KIND_OF_TYPE), None)
        if id(merged) in evaluated:
            continue
        evaluated.add(id(merged))
        if kind_name is None:
            if unknown < MAX_UNKNOWN_TYPES and (fault := _fault_of_type(merged, block_index, blocks[block_index])):
                unknown += 1
                faults.append(fault)
            continue
        count += 1
        faults += _evaluate(merged, kind_name, block_index, by_id)
        if len(faults) >= MAX_FAULTS:
            break
    return count, tuple(faults[:MAX_FAULTS])


def _fault_of_type(node: Node, block_index: int, block: object) -> Fault | None:
    """Return what is wrong with the type of a thing none of whose types schema.org has."""
    names = node_types(node)
    plain = [local_type(name)[:_MAX_TYPE] for name in names if _OF_OTHERS.isdisjoint(name) or is_schema_org_type(name)]
    if not plain or len(plain) < len(names) or not SCHEMA_TYPES.isdisjoint(plain) or not uses_schema_org_alone(block):
        return None
    name = plain[0]
    meant = _TYPE_OF_SMALL.get(name.lower())
    if meant is not None:
        return Fault(code="bad_type", block=block_index, type=meant, property="@type", value=name)
    close = get_close_matches(name, SCHEMA_TYPES, 1, _MIN_LIKENESS)
    if close:
        return Fault(code="misspelled_type", block=block_index, type=close[0], property="@type", value=name)
    return Fault(code="unknown_type", block=block_index, type=name, property="@type")


def _things(block: object) -> Iterator[Node]:
    """The nodes a block is about: at its top, in ``@graph``, and as main entity of those."""
    stack: list[object] = [block]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            if len(value) > 1 or "@id" not in value:
                yield value
            stack.extend(value[key] for key in ("mainEntity", "@graph") if isinstance(value.get(key), (dict, list)))


def _merge(things: Sequence[tuple[int, Node]]) -> tuple[Mapping[str, Node], list[Fault]]:
    """Nodes with one ``@id`` are one thing whose properties add up, unless they contradict each other."""
    merged: dict[str, dict[str, object]] = {}
    faults: list[Fault] = []
    for block_index, node in things:
        identifier = _id(node)
        if not identifier:
            continue
        known = merged.get(identifier)
        if known is None:
            merged[identifier] = dict(node)
            continue
        contradiction = _contradiction(known, node)
        if contradiction:
            types = node_types(node)
            faults.append(
                Fault(
                    code="conflict",
                    block=block_index,
                    type=types[0][:100] if types else "",
                    property=contradiction,
                    value=identifier[:200],
                )
            )
        else:
            for name, value in node.items():
                known.setdefault(name, value)
    return merged, faults


def _contradiction(one: Node, other: Node) -> str:
    first, second = set(node_types(one)), set(node_types(other))
    if first and second and not first & second:
        return "@type"
    for name in ("name", "headline", "url"):
        values = one.get(name), other.get(name)
        if all(isinstance(value, str) and value for value in values) and values[0] != values[1]:
            return name
    return ""


def _evaluate(node: Node, type_name: str, block: int, by_id: Mapping[str, Node]) -> Iterator[Fault]:
    kind = _KIND_OF_TYPE[type_name]
    for requirement in kind.required:
        if not _is_met(node, requirement, by_id):
            yield Fault(code="required", block=block, type=type_name, property=requirement)
    for requirement in kind.recommended:
        if not _is_met(node, requirement, by_id):
            yield Fault(code="recommended", block=block, type=type_name, property=requirement)
    for name in _URL_PROPERTIES:
        for value in _values(node.get(name)):
            if isinstance(value, str) and not _SCHEME.match(value):
                yield Fault(code="relative_url", block=block, type=type_name, property=name, value=value[:200])
    for inner in islice(nodes_of(node), MAX_NODES):
        inner_type = next(map(local_type, node_types(inner)), type_name)
        for code, name, value in faults_of_values(inner):
            yield Fault(code=code, block=block, type=inner_type[:100], property=name, value=value)


def _is_met(node: Node, requirement: str, by_id: Mapping[str, Node]) -> bool:
    for sign, allowed in ((">", 0), ("~", 1)):
        parent, is_of_values, rest = requirement.partition(sign)
        if is_of_values:
            values = _values(node.get(parent))
            things = [value for value in values if isinstance(value, dict)]
            children = [_resolve(value, by_id) for value in things]
            unmet = sum(not _is_met(child, rest, by_id) for child in children if child is not None)
            texts = 0 if parent in _MAY_BE_TEXT else len(values) - len(things)
            return unmet + texts <= allowed
    return any(_has(node, path, by_id) for path in requirement.split("|"))


def _has(node: Node, path: str, by_id: Mapping[str, Node]) -> bool:
    name, dot, rest = path.partition(".")
    values = _values(node.get(name))
    if not dot:
        return bool(values)
    for value in values:
        child = _resolve(value, by_id)
        # A reference to a thing on another page cannot be looked into and counts as complete; a text does not.
        if (child is None and isinstance(value, dict)) or (child is not None and _has(child, rest, by_id)):
            return True
    return False


def _resolve(value: object, by_id: Mapping[str, Node]) -> Node | None:
    if not isinstance(value, dict):
        return None
    if len(value) == 1 and "@id" in value:
        return by_id.get(_id(value))
    return value


def _values(value: object) -> list[object]:
    """The value or values of a property without the empty ones."""
    values = value if isinstance(value, list) else [value]
    return [item for item in values if (item.strip() if isinstance(item, str) else item not in (None, [], {}))]


def _id(node: Node) -> str:
    value = node.get("@id")
    return value if isinstance(value, str) else ""
