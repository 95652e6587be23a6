from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from pagegrade.parse.html.exposed_secrets import (
    MAX_LINKED,
    MIN_BORN,
    MIN_RECORDS,
    MIN_REGISTERED,
    ExposedSecret,
    find_exposed_secrets,
    find_people,
    find_registers,
    is_national_number,
    masked_text,
)
from tests.builders import make_document


@pytest.mark.parametrize(
    "number",
    [
        *("811218-9876", "19811218-9876", "131052-308T", "44051401359", "529.982.247-25", "12345678Z"),
        *("11010519491231002X", "736028/5163", "1800101221144", "010107 50160", "900101-1234568"),
    ],
)
def test_numbers_of_people(number: str) -> None:
    """As they are published in descriptions of their forms; with another check digit they are none."""
    last = "Y" if number[-1] == "X" else "X" if number[-1].isalpha() else str((int(number[-1]) + 1) % 10)

    assert is_national_number(number)
    assert is_national_number(f" {number} ")
    assert not is_national_number(number[:-1] + last)
    assert not is_national_number(number + "0")


@pytest.mark.parametrize("text", ["", "556036-0793", "111.111.111-11", "2026-11-29", "+49 30 123456", "9" * 40])
def test_other_numbers(text: str) -> None:
    """Of companies and telephones, and dates."""
    assert not is_national_number(text)


KEY = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
MASKED = "gsk_kW9q…Dj"


def exposed(page: str) -> tuple[ExposedSecret, ...]:
    """The keys of a page."""
    return find_exposed_secrets(make_document(page), page.encode())


@pytest.mark.parametrize(
    ("page", "tag"),
    [
        (f"<script>a('{KEY}')</script>", "script"),
        (f'<script type=application/json>{{"a":"{KEY}"}}</script>', "script"),
        (f"<div data-key={KEY}></div>", "div"),
        (f"<p>Our key is {KEY}.", "p"),
        (f"<div><!-- {KEY} --></div>", "div"),
        (f"<a href='/a?key={KEY}'>x</a>", "a"),
        (f"<b class='a {KEY}'>x</b>", "b"),
        (f"<code data-key={KEY}>x</code>", "code"),
    ],
)
def test_element_that_holds_it_is_known(page: str, tag: str) -> None:
    """In a text, an attribute or a comment."""
    (found,) = exposed(page)

    assert found.node is not None
    assert (found.kind, found.masked, found.node.tag) == ("Groq key", MASKED, tag)


@pytest.mark.parametrize("tag", ["pre", "code", "samp", "kbd", "textarea", "blockquote"])
def test_examples_of_a_page_about_keys_are_left_out(tag: str) -> None:
    """Also their copies in the data of scripts."""
    assert exposed(f"<{tag}>export KEY=<b>{KEY}</b></{tag}>") == exposed(f"<{tag}>{KEY}</{tag}>") == ()
    assert exposed(f"<script>data = '{KEY}'</script><{tag}>{KEY}</{tag}>") == ()


def test_line_is_known_without_an_element() -> None:
    """A comment outside of the root element."""
    (found,) = exposed(f"<!doctype html>\n\n<!-- {KEY} --><title>x</title>")

    assert (found.node, found.line) == (None, 3)


def test_page_without_keys_has_none() -> None:
    """Most pages."""
    assert exposed("<p>Oak.") == ()


def test_text_is_masked() -> None:
    """Each time it occurs, and the key is not part of a printed value."""
    secrets = exposed(f"<script>a('{KEY}')</script>")

    assert masked_text(f"a {KEY} b {KEY}", secrets) == f"a {MASKED} b {MASKED}"
    assert masked_text("a", secrets) == "a"
    assert KEY not in repr(secrets)


def test_highlighted_code_and_hints_are_examples() -> None:
    """A key that is cut into coloured pieces, or stands in an empty field, is shown and not used."""
    pieces = f"<span>{KEY[:9]}</span><b>{KEY[9:]}</b>"

    assert exposed(f"<pre><code>key = {pieces}</code></pre><script>data = '{KEY}'</script>") == ()
    assert exposed(f'<input placeholder="{KEY}">') == ()
    assert len(exposed(f'<input value="{KEY}">')) == 1


BASES = [str(731453849020 + 17 * n) for n in range(20)]

ROWS = {
    "Tamil": "நோயாளி {n} 12.03.{year} எண் {number} தலைவலி",
    "Greek": "Ασθενής {n} {year}-05-17 ΑΜΚΑ {number} πυρετός",
    "Arabic": "مريض {n} 4/11/{year} رقم {number} صداع",
    "Korean": "환자 {n} {year}.07.09 전화 {number} 두통",
    "Polish": "Pacjent {n} 23-02-{year} PESEL {number} kaszel",
}


def births(language: str, count: int = MIN_RECORDS, *, step: int = 2, number: int = 440_119_307, zero: str = "") -> int:
    """Number of people found in a table with so many rows."""
    rows = (
        ROWS[language].format(n=n, year=1940 + step * n, number=f"{zero}{number + 7_919 * n}") for n in range(count)
    )
    return len(find_people(make_document("".join(f"<tr><td>{row}</td></tr>" for row in rows))))


@pytest.mark.parametrize("language", ROWS)
def test_dates_of_birth_with_numbers_are_records(language: str) -> None:
    """From fifteen on, if the people differ in age and the numbers are theirs."""
    assert births(language) == MIN_RECORDS
    assert births(language, MIN_RECORDS - 1) == 0
    assert births(language, step=1) == 0
    assert births(language, number=440_119) == 0
    assert births(language, zero="0") == MIN_RECORDS
    assert births(language, step=20) == 0


def test_numbers_of_goods_and_machines_are_no_records() -> None:
    """A list of records has barcodes beside dates, and a log has addresses."""
    codes = [f"{base}{-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(base)) % 10}" for base in BASES]
    goods = "".join(f"<li>12.03.{1950 + 2 * n} {code}" for n, code in enumerate(codes))
    machines = "".join(f"<li>12.03.{1950 + 2 * n} 192.168.100.{100 + n}" for n in range(20))

    assert find_people(make_document(goods)) == ()
    assert find_people(make_document(machines)) == ()


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("ftp://admin:Sommer2026!@files.praxis.example/plan.pdf", "Somm…6!"),
        ("https://praxis:Vk82-lqpz@intern.praxis.example/", "Vk82…pz"),
        ("ftp://anonymous:guest@files.praxis.example/", None),
        ("https://user:passwd@docs.example/basic", None),
        ("https://admin:Vk82-lqpz@localhost:3000/", None),
        ("https://praxis@intern.praxis.example/", None),
        ("mailto:praxis:Vk82-lqpz@intern.praxis.example", None),
    ],
)
def test_password_in_the_address_of_a_link(address: str, masked: str | None) -> None:
    """Names and words that everybody knows are none."""
    assert [one.masked for one in exposed(f"<a href='{address}'>x</a>")] == ([] if masked is None else [masked])


def test_passwords_in_links_have_a_limit() -> None:
    """Each counts once."""
    links = [f"<a href='ftp://admin:Vk82-lqp{n}@files.praxis.example/'>x</a>" for n in range(MAX_LINKED + 1)]

    assert len(exposed(links[0] * 3)) == 1
    assert len(exposed("".join(links))) == MAX_LINKED


PHONES = {
    "Thai": "<tr><td>สมชาย {n}</td><td>081 {a} {b}</td><td>{account}</td></tr>",
    "Georgian": "<li>ნინო {n}, +995 555 {a}{b}, {account}</li>",
    "Hindi": "<p>राम {n} 0{a}{b}{a} {account}</p>",
}


def people(row: str, *, count: int = MIN_RECORDS, account: str = "20-44-91 3192{n:04}") -> int:
    """Number of people found in a list with so many rows."""
    rows = (row.format(n=n, a=310 + 17 * n, b=2001 + 37 * n, account=account.format(n=n)) for n in range(count))
    return len(find_people(make_document(f"<table>{''.join(rows)}</table>")))


@pytest.mark.parametrize("language", PHONES)
def test_telephone_numbers_with_accounts_are_records(language: str) -> None:
    """From fifteen on; a number to call alone, a second one, or one that is a link is there to be called."""
    row = PHONES[language]

    assert people(row) == MIN_RECORDS
    assert people(row, count=MIN_RECORDS - 1) == 0
    assert people(row, account="") == 0
    assert people(row, account="082 555 {n:04}") == 0
    assert people(row, account="4410{n:04}") == 0
    assert people(row.replace("081 {a} {b}", "<a href='tel:081{a}{b}'>081 {a} {b}</a>")) == (
        0 if "081" in row else MIN_RECORDS
    )


def test_accounts_are_known_by_their_check_digits() -> None:
    """In groups of four, as people write them."""
    real = [
        f"DE{98 - int(f'{370400440532013000 + n}131400') % 97:02}{370400440532013000 + n}" for n in range(MIN_RECORDS)
    ]
    rows = [
        f"<li>ანა 081 {300 + n} {4000 + n}, {one[:4]} {one[4:8]} {one[8:12]} {one[12:]}" for n, one in enumerate(real)
    ]

    assert len(find_people(make_document("".join(rows)))) == MIN_RECORDS


NUMBERS = ("811218-9876", "131052-308T", "44051401359", "529.982.247-25", "12345678Z", "900101-1234568")
PEOPLE = ("Åsa Öberg", "Иван Петров", "山田太郎", "محمد علي", "สมชาย ใจดี", "Ana Núñez-Gil")


def register(numbers: Sequence[str], names: Sequence[str], more: str = "") -> tuple[str, ...]:
    """The numbers that are found in a table of both."""
    rows = "".join(
        f"<tr><th>{name}</th><td>{one}</td><td>{more}</td></tr>" for one, name in zip(numbers, names, strict=False)
    )
    return find_registers(make_document(f"<title>x</title><table>{rows}</table>"))


def test_registers_of_people() -> None:
    """As many as make one, and one fewer; numbers without names, and with wrong digits, are none."""
    wrong = [f"{one[:-1]}{'0' if one[-1] != '0' else '1'}" for one in NUMBERS]

    assert len(register(NUMBERS, PEOPLE)) == len(NUMBERS)
    assert all("811218" not in one for one in register(NUMBERS, PEOPLE))
    assert register(NUMBERS[:MIN_REGISTERED], PEOPLE)
    assert not register(NUMBERS[: MIN_REGISTERED - 1], PEOPLE)
    assert not register(NUMBERS, ["bolt, steel", "nut m8", "7", "washer", "a b", "9 x"])
    assert not register(wrong, PEOPLE)


def test_numbers_with_a_date_of_birth() -> None:
    """Without right digits they need telephone numbers beside them, and more of them."""
    numbers = [f"201503{day:02}-11{day:02}" for day in range(10, 10 + MIN_BORN)]
    names = [f"Åsa {chr(65 + day)}berg" for day in range(MIN_BORN)]

    assert len(register(numbers, names, "070-000 11 21")) == MIN_BORN
    assert not register(numbers[1:], names, "070-000 11 21")
    assert not register(numbers, names, "final")


BORN = [f"{day:02}.0{day % 9 + 1}.{2012 + day % 5}" for day in range(1, 1 + MIN_BORN)]


def called(births: Sequence[str], number: str, *, is_link: bool = False, name: str = "", more: str = "Born") -> int:
    """Count the people with a date of birth and a telephone number that are found in a table of pupils."""
    link = "<a href=tel:7>" if is_link else ""
    rows = "".join(
        f"<tr><th>{name or f'Ά{chr(945 + at)}να'} {chr(913 + at)}ώρου<td>{born}<td>{link}{number.format(at)}</tr>"
        for at, born in enumerate(births)
    )
    return len(find_registers(make_document(f"<title>x</title><h1>{more}</h1><table>{rows}</table>")))


BIRTHS = ["Geb. am", "DATE OF BIRTH", "Né le", "Дата рождения", "Γέννηση", "生年月日", "تاريخ الميلاد", "วันเกิด"]
NO_BIRTHS = ["Aberta em", "Zertifiziert am", "Founded", "Принят", "開店日", "تاريخ الافتتاح", "National folk club"]


def test_dates_of_birth_with_telephone_numbers() -> None:
    """Pupils, patients or members; not those who may be called, nor events, orders and amounts."""
    assert called(BORN, "Μητέρα: 690 000 01{}") == MIN_BORN
    assert called(BORN, "+30 690 00001{}") == MIN_BORN
    assert [called(BORN, "690 000 01{}", more=one) for one in BIRTHS] == [MIN_BORN] * len(BIRTHS)
    assert [called(BORN, "690 000 01{}", more=one) for one in NO_BIRTHS] == [0] * len(NO_BIRTHS)
    assert called(BORN[1:], "690 000 01{}") == 0
    assert called(BORN, "690 000 01{}", is_link=True) == 0
    assert called([one.replace(one[-4:], "2019") for one in BORN], "690 000 01{}") == 0
    assert called([BORN[0], *BORN[1:-1], BORN[0]], "690 000 01{}") == 0
    assert called(BORN, "690 000 01{} €") == 0
    assert called(BORN, "69000001{}") == 0
    assert called(BORN, "690 01{} 000") == 0
    assert called([one.replace("201", "191").replace("1912", "1914") for one in BORN], "690 000 01{}") == 0


SHORT = (
    *("D.O.B.", "GebDat", "* am", "Né(e) le", "Née", "Date naiss.", "F. nac.", "Fecha nac.", "Data nasc.", "Nato/a il"),
    *(
        "Data ur.",
        "Nar.",
        "Datum nar.",
        "Д.р.",
        "Synt.",
        "Szül.",
        "D. tarihi",
        "Data nașterii",
        "Датум рођења",
        "Rojen",
    ),
    *(
        "Gimė",
        "Dzim. dat.",
        "Sünd.",
        "Dátum narodenia",
        "تاریخ تولد",
        "Sinh ngày",
        "TTL",
        "জন্ম",
        "Ծննդյան",
        "Datëlindja",
    ),
)
OTHERS = ("Since", "Seit", "Dal", "Nommé le", "Szülő", "Sündmus", "Narudžba", "Nations", "Üye tarihi", "Od", "入社日")


def staff(column: str, *, before: str = "", cell: str = "", year: int = 2010) -> int:
    """Count the people that are found in a table whose dates have this name."""
    rows = "".join(
        f"<tr><td>Ά{chr(945 + at)}να {chr(913 + at)}ώρου<td>{at + 10}.0{at + 1}.{year + at % 5}"
        f"<td>690 000 01{at}{cell}</tr>"
        for at in range(MIN_BORN)
    )
    head = f"<tr><th>Name<th>{column}<th>Phone</tr>" if column else ""
    html = f"<title>x</title>{before}<table>{head}{rows}</table><footer>Born in Leeds, 2026</footer>"
    return len(find_registers(make_document(html)))


@pytest.mark.parametrize("column", [*SHORT, *BIRTHS])
def test_short_names_of_dates_of_birth(column: str) -> None:
    """At the head of the column of the dates."""
    assert staff(column) == staff("", cell=f"<td>{BIRTHS[0]}") == MIN_BORN
    assert staff("Since", before=f"<p>{column}</p><table><tr><th>Name<th>{column}</tr></table>") == 0


@pytest.mark.parametrize("column", OTHERS)
@pytest.mark.parametrize(
    "before",
    [
        "<p>Our midwives have helped 3000 children to be born.",
        "<h1>Geburtshilfe seit 1990</h1>",
        "<h2>Register of birth and death</h2>",
        "<p>Acte de naissance",
        "<p>Il progetto è nato il giorno",
    ],
)
def test_staff_of_places_where_people_are_born(column: str, before: str) -> None:
    """Their dates have a name of their own."""
    assert staff(column, before=before, cell="<td>Birth partner") == 0


@pytest.mark.parametrize("cell", ["Father", "Guardian", "Anne", "Tata", "Far", "母", "Папа", "Oma"])
def test_words_like_those_for_parents_in_a_cell_of_their_own(cell: str) -> None:
    """Titles, offices and makers; a parent is named beside the number."""
    assert staff("Since", cell=f"<td>{cell}", year=2009) == 0
    assert staff("Since", cell=f" ({cell})", year=2009) == MIN_BORN


CLASS = [f"{day * 5 % 28 + 1:02}/{day * 5 % 12 + 1:02}/{2016 + day % 2}" for day in range(MIN_BORN)]


@pytest.mark.parametrize(
    "number", ["Mother, (312) 900-114{}", "МАМА: +7 901 900-11{}", "(0341) 90011{} (Vater)", "母：090 1900 11{}"]
)
def test_children_of_one_class(number: str) -> None:
    """Born years before the one that the page names, with the numbers of a mother or father."""
    as_parts = [one.split("/") for one in CLASS]
    iso = [f"{year}-{month}-{day}" for day, month, year in as_parts]
    rest = called(CLASS, number, more="Updated 2019"), called(CLASS, number)

    assert called(CLASS, number, more="Updated 2026") == called(iso, number, more="Updated 2026") == MIN_BORN
    assert called(CLASS, number, more="Updated 2020") == MIN_BORN
    assert rest == (0, 0)
    assert called(CLASS, number, name="Filiale", more="Updated 2026") == 0
    assert called(CLASS, re.sub(r"[^\W\d]", "", number), more="Updated 2026") == 0


@pytest.mark.parametrize(
    "contact", ["(31) 90000-11{}", "Tel. (312) 900-114{}", "Anna, (0341) 90011{}", "Father Brown, (312) 900-114{}"]
)
def test_lists_of_branches_animals_and_permits(contact: str) -> None:
    """With a date of one or two years each, long ago, and a number to call."""
    assert called(CLASS, contact, more="Updated 2026") == 0


def test_class_without_a_year_in_its_text() -> None:
    """Dates that nobody sees name no year."""
    rows = "".join(
        f"<tr><td>Ά{chr(945 + at)}να Ώρου<td hidden>{one}<td>Mother, (312) 900-114{at}</tr>"
        for at, one in enumerate(CLASS)
    )

    assert find_registers(make_document(f"<title>x</title><table>{rows}</table>")) == ()


SETTINGS = '{"env": {"SMTP_PASSWORD": "marmot-78-Lantern", "JWT_SECRET": "d2f8a41be0c94f76a3c1"}}'


@pytest.mark.parametrize(
    ("page", "count"),
    [
        (f"<script id=__NEXT_DATA__ type=application/json>{SETTINGS}</script>", 2),
        (f"<script>window.__NUXT__={SETTINGS}</script>", 2),
        (f"<script>x={SETTINGS.replace('JWT_SECRET', 'JWT_ISSUER')}</script>", 0),
        (f"<script>x={SETTINGS}</script><pre>{SETTINGS}</pre>", 0),
        (f"<script>x={SETTINGS}</script><pre>d2f8a41be0c94f76a3c1</pre>", 0),
        (f"<p>{SETTINGS}", 0),
        (f"<!-- {SETTINGS} -->", 0),
    ],
)
def test_settings_of_a_server_in_data(page: str, count: int) -> None:
    """Two and more, in scripts; what the page shows as code are examples."""
    found = exposed(f"<title>x</title>{page}")

    assert len(found) == count
    assert all(one.node is not None and one.node.tag == "script" for one in found)
