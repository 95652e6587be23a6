"""The keys and the records of people that stand in a page, and that the page does not merely write about keys.

Numbers by which states know people are known by their forms, and by the digits that check them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Final
from urllib.parse import unquote

from turbohtml import Comment, Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.emails import find_emails, find_mailto_emails
from pagegrade.parse.secrets import (
    MIN_NAMED,
    Group,
    Secret,
    find_named_secrets,
    find_secrets,
    is_placeholder,
    mask_secret,
)
from pagegrade.parse.url import host, registrable_domain

_SPANISH: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_MIN: Final = 9
_MAX: Final = 20
_FINNISH: Final = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def _sum(digits: str, weights: str) -> int:
    """The weighted sum; a weight of ten is written ``X``."""
    return sum(int(one) * (10 if weight == "X" else int(weight)) for one, weight in zip(digits, weights, strict=False))


def _is_luhn(digits: str) -> bool:
    odd = sum(map(int, digits[-1::-2]))
    return (odd + sum(sum(divmod(2 * int(one), 10)) for one in digits[-2::-2])) % 10 == 0


def _is_brazilian(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    first = 10 * _sum(digits[:9], "X98765432") % 11 % 10
    second = 10 * (11 * int(digits[0]) + _sum(digits[1:9], "X9876543") + 2 * first) % 11 % 10
    return digits[9:] == f"{first}{second}"


def _is_norwegian(digits: str) -> bool:
    return _sum(digits, "3761894521") % 11 == 0 and _sum(digits, "54327654321") % 11 == 0


_FORMS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]] = (
    ("sv", re.compile(r"(?:19|20)?(\d\d(?:0\d|1[0-2])[0-3]\d)[-+](\d{4})"), _is_luhn),
    ("fi", re.compile(r"([0-3]\d[01]\d{3})[-+A](\d{3}[\dA-Y])"), lambda one: _FINNISH[int(one[:9]) % 31] == one[9]),
    ("pl", re.compile(r"(\d\d(?:[02468]\d|[13579][0-2])[0-3]\d{6})"), lambda one: _sum(one, "13791379131") % 10 == 0),
    ("no", re.compile(r"([0-3]\d[01]\d{3}) ?(\d{5})"), _is_norwegian),
    ("pt", re.compile(r"(\d{3})\.(\d{3})\.(\d{3})-(\d\d)"), _is_brazilian),
    ("es", re.compile(r"(\d{8})-?([A-Z])"), lambda one: _SPANISH[int(one[:8]) % 23] == one[8]),
    (
        "ko",
        re.compile(r"(\d{6})-([1-8]\d{6})"),
        lambda one: (11 - _sum(one[:12], "234567892345") % 11) % 10 == int(one[12]),
    ),
    ("cs", re.compile(r"(\d{2}[0-35-8]\d[0-3]\d)/(\d{4})"), lambda one: int(one) % 11 == 0),
    (
        "ro",
        re.compile(r"([1-8]\d{2}[01]\d[0-3]\d{7})"),
        lambda one: _sum(one[:12], "279146358279") % 11 % 10 == int(one[12]),
    ),
    (
        "zh",
        re.compile(r"([1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dX])"),
        lambda one: "10X98765432"[sum(int(d) * (2 ** (17 - n) % 11) for n, d in enumerate(one[:17])) % 11] == one[17],
    ),
)
"""Language of a country that gives such numbers, their form, and whether the digits in it are right."""


def is_national_number(text: str) -> bool:
    """Return whether a text is the number of a person in one of ten countries, by its form and its check digits."""
    text = text.strip()
    for _, form, is_right in _FORMS if _MIN <= len(text) <= _MAX else ():
        match = form.fullmatch(text)
        if match is not None and is_right("".join(match.groups())):
            return True
    return False


_LINK: Final = "password in a link"
MAX_LINKED: Final = 20
_WITH_PASSWORD: Final = re.compile(
    r"(?:https?|ftps?|sftp|ssh|smb|webdavs?|davs?)://(?P<name>[^\s:/@?#]{1,64}):(?P<word>[^\s:/@?#]{4,128})@"
    r"(?P<host>(?!127\.|localhost)[\w.-]{4,120})",
    re.IGNORECASE,
)
_KNOWN_NAMES: Final = frozenset(
    "anonymous changeit changeme demo ftp guest pass passwd password passwort public secret test user username".split()
)
_HINT: Final = "placeholder"
"""Attribute that shows what a value looks like."""
MAX_NODES: Final = 200_000
_CODE: Final = frozenset({"pre", "code", "samp", "kbd", "blockquote", "textarea", "xmp", "listing", "plaintext"})
"""Elements that show a text as an example."""

MIN_RECORDS: Final = 15
"""Records in the visible text from which on it is no list of people to write to."""
MIN_HANDED_OUT: Final = 10
"""The same in scripts, where visitors do not look for them."""
MIN_HASHED: Final = 3
"""The same with hashes of passwords."""
_MIN_SITES: Final = 3
"""Sites of their addresses: colleagues have one, customers have many."""
_MAX_RECORD: Final = 400
"""Characters of a record behind its address."""
_MAX_TEXT: Final = 400_000
_SAMPLES: Final = frozenset({"example.com", "example.net", "example.org"})
_NUMBER: Final = re.compile(r"(?<![\w.+#/])\+?[(0-9][0-9 ()/.-]{7,20}(?![\w:])")
_APART: Final = r"(?<![\w.+#/-]"
PHONE: Final = re.compile(rf"(?:\({_APART}\()[+0]|[+0]{_APART}[+0]))\d[0-9 ()/.-]{{7,20}}(?<=\d)(?![\w:])")
"""A telephone number, and maybe what follows it; the numbers of accounts seldom begin so.

What stands before it is looked at behind its first character: so the search can skip to the next one that may be it.
"""
_LOCAL: Final = 8
"""Digits by which a telephone number is the same with and without the code of its country."""
_ACCOUNT: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_DATE: Final = re.compile(r"\d(?<!\w\d)(?:\d{3}([-./])\d\d?\1\d\d?|\d?([-./])\d\d?\2\d{4})\b")
_MIN_DIGITS: Final = 8
"""Those of a telephone or an account."""
_MIN_OWN_DIGITS: Final = 9
"""The same beside a date of birth, where no address says that it belongs to a person."""
_BORN: Final = range(1915, 2013)
"""Years in which those were born who are customers, patients or pupils."""
MIN_YEARS: Final = 20
"""Years between the first and the last of these: groups of people differ in age, versions and events do not as much."""
_CODES: Final = frozenset({8, 12, 13, 14})
"""Digits of the numbers of goods, which end in a check digit."""
_YEAR: Final = re.compile(r"\d{4}")
_YEAR_IN_TEXT: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DOTS_OF_ADDRESS: Final = 3
_HASH: Final = re.compile(r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$argon2i?d?\$v=|\$6\$[^$\s]{1,16}\$[./A-Za-z0-9]{86}")

MIN_REGISTERED: Final = 3
MIN_BORN: Final = 8
"""People with a number of their state from which on a table is a register."""
_BORN_ON: Final = re.compile(r"(?:(?:19|20)\d\d([-./])\d\d?\1\d\d?|\d\d?([-./]) ?\d\d?\2 ?(?:19|20)\d\d)\.?")
_CALLED: Final = re.compile(
    rf"(?:\({_APART}\()(?:[+0]\d|[1-9]\d{{1,3}}\) ?\d(?=\d\d))|[+0]{_APART}[+0])\d|\d{_APART}\d)\d{{1,3}} (?=\d))"
    r"[0-9 ()/.-]{7,14}(?<=\d)(?![\w:,]| ?[%$€£¥]| [A-Z]{3}\b)"
)
"""A telephone number, or digits in groups as one is written; an amount has its currency or its decimals behind it."""
_SINCE: Final = 3
"""Years between the last birth in a class and the newest year that its page names; those of events are the same."""
_KIN: Final = re.compile(
    r"[\W\d]*(?:mother|mom|mum|father|dad|grandmother|grandma|grandfather|grandpa|guardian|mutter|vater|mama|papa|oma|opa"
    r"|mère|père|madre|padre|mamá|papá|abuel[ao]|mãe|pai|av[óô]|mamma|nonn[ao]"
    r"|moeder|vader|mo(?:r|der)|fa(?:r|der)|äiti|isä"
    r"|matka|ojciec|tata|otec|máma|táta|мать|мама|отец|папа|бабушка|мати|батько|тато|μητέρα|πατέρασ|anne|baba|anya|apa"
    r"|母親?|父親?|母亲|父亲|妈妈|爸爸|媽媽|어머니|아버지|엄마|아빠|الأم|الأب|والدته|والدتها|אמא|אבא|माता|पिता|माँ|मां|แม่|พ่อ|mẹ|bố|ibu|ayah)[\W\d]*"
)
"""The parent whom a telephone number belongs to, beside that number alone and in small letters."""
_ALL_BORN: Final = range(1915, 2026)
_MIN_BIRTH_YEARS: Final = 4
"""Different years of the dates in a list of people; events and orders lie closer together, or share them."""
_BIRTH: Final = re.compile(
    r"\b(?:born|birth|dob\b|geb\.|geboren|geburt|naissance|née? le|nacid[oa]|nacimiento|nascid[oa]|nascimento"
    r"|nat[oa] il|nascita|geboorte|född|födel|født|fødsel|syntym|urodz|naroz|rođen|рожд|родил|роден|народж|doğum|γένν"
    r"|γεννη|szület|născut|naștere|lahir|ngày sinh|năm sinh|sünni|dzimš|gimimo|naroden|рођ|раѓ)"
    r"|生年月日|出生|生日|생년월일"
    r"|생일|ميلاد|לידה|जन्म|เกิด|დაბად",
    re.IGNORECASE,
)
"""Words for what these dates are; branches, clubs and permits have dates and telephone numbers, too."""
_BORN_SHORT: Final = re.compile(
    r"(?:d\. ?o\. ?b|b-day|geb(?:urts)?[.-]{0,2} ?dat|née?\b|né\(|date naiss|data n(?:asc|aix|așter)|nat[oa]/|data ur\b"
    r"|f(?:\.|echa) ?(?:de )?nac|szül\b|synt\b|d\. ?tarihi|д\. ?\u0440\b|rojen|gimė|dzim\b|sünd\b|sinh ngày|datëlind"
    r"|fæðing|jaiot|dáta breithe|tarehe ya kuzaliwa|kapanganakan)|تاریخ تولد|জন্ম|ծննդ"
    r"|(?:(?:(?:datum )?nar|ur)\.|ttl|\* ?(?:am|le|il)?)$",
    re.IGNORECASE,
)
"""The same at the beginning of a column's name, where it is short."""
_TITLES: Final = frozenset({"caption", "h1", "h2", "h3", "h4", "h5", "h6"})
_MAX_ROWS: Final = 2_000
_MAX_CELLS: Final = 30
_MAX_CELL: Final = 80
_STATE_NUMBER: Final = re.compile(r"\d(?<![\w.]\d)(?:\d{5}|\d{2}\.\d{3}\.\d{3}-)")
_BORN_NUMBER: Final = re.compile(r"(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}")
_WORD: Final = r"(?![a-zà-öø-ÿ])[^\W\d_][^\s\d_,;:()/@]{0,30}"
_NAME: Final = re.compile(rf"(?:{_WORD},? ){{1,4}}{_WORD}|[\u3400-\u9fff\uac00-\ud7af]{{2,4}}")
"""Two to five words with capitals, where letters have any."""

_PASSWORD: Final = re.compile(r"(?<!\S)(?=\S{0,40}[a-z])(?=\S{0,40}[A-Z])(?=\S{0,40}\d)[^\s@/:.,;()<>\"']{8,40}(?!\S)")
"""A word of small letters, capitals and digits."""
_MAX_PASSWORD: Final = 60
"""Characters between an account and its password, and of it."""
MIN_PASSWORDS: Final = 5
"""Different such words, each beside the name of an account."""


@dataclass(frozen=True, slots=True)
class ExposedSecret:
    """A key in the page as served."""

    group: Group
    kind: str
    masked: str
    node: Node | None
    """The element that holds it; ``None`` for one in a comment, or written with escapes."""
    line: int
    """In the body as served, from 1."""
    value: str = field(repr=False)
    """The key itself; never leaves the process."""


def find_exposed_secrets(document: Document, body: bytes) -> tuple[ExposedSecret, ...]:
    """The keys in a page, those left out that it shows as code anywhere: a page about keys shows examples.

    Args:
        document: The page.
        body: The same as served.
    """
    linked = tuple(_in_links(document))
    known = find_secrets(body)
    named = find_named_secrets(body)
    secrets = (*known, *(one for one in named if all(one.value not in other.value for other in known)))
    if not secrets:
        return linked
    places: dict[str, Node] = {}
    examples: set[str] = set()
    if document.html is not None:
        for node, text, is_code in _texts(document.html.node):
            for secret in secrets:
                if secret.value in text:
                    places.setdefault(secret.value, node)
                    if is_code:
                        examples.add(secret.value)
    settings = {one.value for one in named if _is_data(places.get(one.value))} - examples
    found = (
        _exposed(secret, places, body)
        for secret in secrets
        if secret.value not in examples
        and (secret in known or (secret.value in settings and len(settings) >= MIN_NAMED))
    )
    return (*found, *linked)


def _is_data(node: Node | None) -> bool:
    """Return whether it is an element whose text is no text to read."""
    return isinstance(node, Element) and node.tag == "script"


def _in_links(document: Document) -> Iterator[ExposedSecret]:
    """Yield the passwords in the addresses of links to other machines, each once, at most ``MAX_LINKED``.

    Names and words that everybody knows, such as ``guest``, are no secrets.
    """
    seen: set[str] = set()
    for anchor in document.anchors:
        match = _WITH_PASSWORD.match(anchor.href.strip()) if anchor.href and "@" in anchor.href else None
        if match is None or match["name"] == match["word"] or is_placeholder(match["word"].encode()):
            continue
        if {match["name"].lower(), match["word"].lower()}.isdisjoint(_KNOWN_NAMES) and "." in match["host"]:
            word = unquote(match["word"])
            if match["word"] not in seen and len(seen) < MAX_LINKED:
                seen.add(match["word"])
                line = anchor.node.source_line or 1
                yield ExposedSecret("secret", _LINK, mask_secret(word), anchor.node, line, value=match["word"])


def _exposed(secret: Secret, places: dict[str, Node], body: bytes) -> ExposedSecret:
    return ExposedSecret(
        group=secret.group,
        kind=secret.kind,
        masked=secret.masked,
        node=places.get(secret.value),
        line=body.count(b"\n", 0, secret.start) + 1,
        value=secret.value,
    )


def _texts(root: Node) -> Iterator[tuple[Node, str, bool]]:
    """(element, a text or an attribute's value in it, whether it is shown as code), in document order."""
    if not isinstance(root, Element):
        return
    stack: list[tuple[Element, bool]] = [(root, False)]
    left = MAX_NODES
    while stack and left:
        left -= 1
        element, is_code = stack.pop()
        if not is_code and element.tag in _CODE:
            is_code = True
            # Highlighted code is cut into many elements.
            yield element, element.text, True
        for name, value in element.attrs.items():
            text = value if isinstance(value, str) else " ".join(value) if value else ""
            if text:
                yield element, text, name == _HINT
        inner: list[tuple[Element, bool]] = []
        for child in element:
            if isinstance(child, Element):
                inner.append((child, is_code))
            elif isinstance(child, Text | Comment):
                yield element, child.data, is_code and isinstance(child, Text)
        stack.extend(reversed(inner))


def masked_text(text: str, secrets: Sequence[ExposedSecret]) -> str:
    """The text with every one of these keys masked."""
    for secret in secrets:
        if secret.value in text:
            text = text.replace(secret.value, secret.masked)
    return text


def find_people(document: Document) -> tuple[str, ...]:
    """The numbers of people that stand beside what else is only theirs, masked; empty for fewer than ``MIN_RECORDS``.

    A record begins with a date of birth or a telephone number that is no link, and has, before the next one, a number
    of nine digits or more that is no address of a machine and no number of goods, or the number of an account at a
    bank; two telephone numbers are no record. Linear.
    """
    text = document.text[:_MAX_TEXT]
    return _numbers_of(text, _births_in(text), is_phone=False) or _numbers_of(
        text, _phones_in(text, document), is_phone=True
    )


def find_registers(document: Document) -> tuple[str, ...]:
    """The numbers by which states know people, in rows of a table with their names, masked; empty for few.

    A number with right check digits counts from ``MIN_REGISTERED`` rows on, one that only begins with a date of birth
    from ``MIN_BORN`` on, if the rows hold telephone numbers, too. So does a telephone number that is no link beside a
    date of birth in a cell of its own. Linear.
    """
    body = document.body.node if document.body is not None else None
    rows = [*islice(body.select(f"table, tr, {', '.join(_TITLES)}"), _MAX_ROWS)] if isinstance(body, Element) else []
    text = document.text[:_MAX_TEXT] if len(rows) >= MIN_REGISTERED else ""
    may_be_called = len(rows) >= MIN_BORN and len(_CALLED.findall(text)) >= MIN_BORN
    if not may_be_called and len(_STATE_NUMBER.findall(text)) < MIN_REGISTERED:
        return ()
    certain: dict[str, None] = {}
    born: dict[str, None] = {}
    called: dict[str, str] = {}
    first: set[str] = set()
    of_parents = of_births = 0
    title = ""
    columns: dict[int, str] = {}
    for row in rows:
        if row.tag != "tr":
            columns = {} if row.tag == "table" else columns
            title = str(row.text)[:_MAX_RECORD] if row.tag in _TITLES else title
            continue
        cells = [str(one.text).strip()[:_MAX_CELL] for one in islice(row, _MAX_CELLS) if isinstance(one, Element)]
        if not any(_CALLED.search(one) or _BORN_ON.fullmatch(one) for one in cells):
            columns = columns or dict(enumerate(cells))
        name = next(filter(_NAME.fullmatch, cells), "")
        if not name:
            continue
        certain.update(dict.fromkeys(one for one in cells if is_national_number(one)))
        if any(PHONE.fullmatch(one) for one in cells):
            born.update(dict.fromkeys(one for one in cells if _BORN_NUMBER.fullmatch(one) is not None))
        if may_be_called and row.select_one("a[href]") is None and (calls := _called_in(cells)):
            called.update(calls)
            first.add(name.split()[0])
            of_parents += any(_CALLED.search(one) and _KIN.fullmatch(one.casefold()) for one in cells)
            of_births += _says_birth(cells, columns, title, name)
    dates = [*called.values()]
    years = {one[-4:] if one[-4:].isdecimal() else one[:4] for one in dates}
    # Branches of a firm have one name.
    are_people = len(set(dates)) >= MIN_BORN and 2 * len(first) >= len(dates)
    if are_people and (
        (len(years) >= _MIN_BIRTH_YEARS and 2 * of_births >= len(dates))
        # Children of a class were born in one or two years, long before the newest one that the page names.
        or (
            2 * of_parents >= len(dates)
            and max(map(int, _YEAR_IN_TEXT.findall(text)), default=0) - max(map(int, years)) >= _SINCE
        )
    ):
        return tuple(f"…{one[-3:]}" for one in called)
    found = certain if len(certain) >= MIN_REGISTERED else born if len(born) >= MIN_BORN else {}
    return tuple(f"…{one[-3:]}" for one in found)


def _says_birth(cells: Sequence[str], columns: dict[int, str], title: str, name: str) -> bool:
    """Return whether the name of a date's column says that it is a birth; where it has none, the title or the row."""
    column = next((columns.get(at, "") for at, one in enumerate(cells) if _BORN_ON.fullmatch(one)), "")
    said = [column] if column else [title, *(one for one in cells if one != name)]
    return any(_BIRTH.search(one) is not None for one in said) or _BORN_SHORT.match(column) is not None


def _called_in(cells: Sequence[str]) -> dict[str, str]:
    """Telephone number -> date of birth of a row; empty for one without either, or with another date."""
    dates = [one.rstrip(".").replace(" ", "") for one in cells if _BORN_ON.fullmatch(one) is not None]
    numbers = [
        digits for one in cells for match in _CALLED.finditer(one) if 9 <= len(digits := _digits(match[0])) <= 12
    ]
    is_born = len(dates) == 1 and int(_YEAR.findall(dates[0])[0]) in _ALL_BORN
    return {numbers[0]: dates[0]} if is_born and numbers and not numbers[0].endswith("000") else {}


def _births_in(text: str) -> list[tuple[int, int]]:
    """Begin and end of the dates of birth in a text; none where they lie close together."""
    dates = [one for one in _DATE.finditer(text) if int((_YEAR.search(one[0]) or one)[0]) in _BORN]
    years = [int((_YEAR.search(one[0]) or one)[0]) for one in dates]
    return [one.span() for one in dates] if years and max(years) - min(years) >= MIN_YEARS else []


def _phones_in(text: str, document: Document) -> list[tuple[int, int]]:
    """Begin and end of the different telephone numbers in a text which no link offers to call."""
    # Few pages have as many, and those of accounts are slow to look for. Each has one of the two at its beginning.
    if text.count("0") + text.count("+") < MIN_RECORDS or len(PHONE.findall(text)) < MIN_RECORDS:
        return []
    linked = {_digits(one.href or "")[-_LOCAL:] for one in document.anchors if (one.href or "")[:4].lower() == "tel:"}
    found: dict[str, tuple[int, int]] = {}
    # Groups of the number of an account may begin as one does.
    for one in PHONE.finditer(_ACCOUNT.sub(lambda account: "x" * len(account[0]), text)):
        digits, end = "", one.start()
        for part in one[0].split(" "):
            # The number behind it is another one.
            if len(digits) < _MIN_OWN_DIGITS:
                digits += _digits(part)
                end += len(part) + 1
        if len(digits) >= _MIN_OWN_DIGITS and digits[-_LOCAL:] not in linked:
            found.setdefault(digits[-_LOCAL:], (one.start(), min(end - 1, one.end())))
    return list(found.values())


def _numbers_of(text: str, begins: Sequence[tuple[int, int]], *, is_phone: bool) -> tuple[str, ...]:
    """The numbers of the people whose records begin there, with a telephone number or without, masked."""
    if len(begins) < MIN_RECORDS:
        return ()
    ends = [*(begin for begin, _ in begins[1:]), len(text)]
    numbers: dict[str, None] = {}
    for (_, begin), end in zip(begins, ends, strict=True):
        record = text[begin : min(end, begin + _MAX_RECORD)]
        own = [one[0] for one in _ACCOUNT.finditer(record) if _is_account(one[0])]
        others = (one for one in _NUMBER.findall(record) if not is_phone or PHONE.match(one) is None)
        own += (digits for one in others if (digits := _digits_of_person(one)))
        numbers.update(dict.fromkeys(islice(own, 1)))
    return tuple(f"…{one[-3:]}" for one in numbers) if len(numbers) >= MIN_RECORDS else ()


def _is_account(text: str) -> bool:
    """Return whether a text is the number of an account (ISO 13616), by its check digits."""
    plain = text.replace(" ", "")
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1


def _digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def _digits_of_person(number: str) -> str:
    """The digits of a number that may be a person's; empty for others."""
    digits = _digits(number)
    if len(digits) < _MIN_OWN_DIGITS or number.strip(".").count(".") == _DOTS_OF_ADDRESS:
        return ""
    if len(digits) in _CODES and number.strip().isdecimal():
        odd = sum(map(int, digits[-2::-2]))
        return "" if (3 * odd + sum(map(int, digits[-3::-2])) + int(digits[-1])) % 10 == 0 else digits
    return digits


def find_records(document: Document) -> tuple[str, ...]:
    """The addresses of people of many sites, each with a number of its own or the hash of a password.

    Addresses that are links are there to be written to. Empty for fewer records than ``MIN_RECORDS`` in the text,
    ``MIN_HANDED_OUT`` in scripts, ``MIN_HASHED`` with hashes and ``MIN_PASSWORDS`` with passwords. Linear in the page.
    """
    own = registrable_domain(host(document.url))
    scripts = "\n".join(one.text for one in document.scripts if "@" in one.text)
    for text, least in ((document.text, MIN_RECORDS), (scripts, MIN_HANDED_OUT)):
        if text.count("@") >= MIN_HASHED:
            records, hashed, passwords = _records_in(text[:_MAX_TEXT], _linked_in(document), own)
            if len(set(passwords.values())) >= MIN_PASSWORDS:
                return tuple(passwords)
            for found, number in ((hashed, MIN_HASHED), (records, least)):
                if len(found) >= number and (found is hashed or len(set(found.values())) >= _MIN_SITES):
                    return tuple(found)
    return ()


def _linked_in(document: Document) -> set[str]:
    """The addresses that links offer to write to."""
    return {
        address.lower()
        for anchor in document.anchors
        if (anchor.href or "")[:7].lower() == "mailto:"
        for address in find_mailto_emails(anchor.href or "")
    }


def _records_in(text: str, linked: set[str], own: str) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Address -> its site, of each with a number and of each with a hash between it and the next one.

    And address -> the word like a password that follows it at once.
    """
    places: list[tuple[int, str]] = []
    at = 0
    for address in find_emails(text):
        at = text.find(address, at)
        places.append((at, address))
        at += len(address)
    records: dict[str, str] = {}
    hashed: dict[str, str] = {}
    passwords: dict[str, str] = {}
    for (start, address), (end, _) in pairwise((*places, (len(text), ""))):
        site = registrable_domain(address.rpartition("@")[2].lower())
        following = text[start + len(address) : min(end, start + len(address) + _MAX_PASSWORD)]
        if address.lower() not in linked and (word := _PASSWORD.search(following)) is not None:
            passwords[address.lower()] = word[0]
        if address.lower() in linked or site == own or site in _SAMPLES:
            continue
        record = text[start + len(address) : min(end, start + _MAX_RECORD)]
        if _HASH.search(record) is not None:
            hashed[address.lower()] = site
        numbers = _NUMBER.findall(_DATE.sub(" ", record))
        if any(sum(map(str.isdigit, one)) >= _MIN_DIGITS for one in numbers):
            records[address.lower()] = site
    return records, hashed, passwords
