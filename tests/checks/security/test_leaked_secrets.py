from __future__ import annotations

import pytest

from pagegrade.checks.security.leaked_secrets import leaked_secrets
from pagegrade.model.access import AccessNote
from pagegrade.model.artifacts import ScriptFacts
from tests.builders import URL, evaluated, make_artifacts, make_resource, make_resources, outcome

KEY = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
NAME = "AKIA" + "J5XQ7MZT2KWP4VLN"
SCRIPT = "<script>a('{}')</script>"


@pytest.mark.parametrize(
    ("text", "state", "loss"),
    [(KEY, "secret", 1), (NAME, "identifier", 0.25), ("AIza" + "Sy" + KEY[4:37], "none", 0), ("a", "none", 0)],
)
def test_only_what_gives_access_fails(text: str, state: str, loss: float) -> None:
    """An identifier alone is a warning, and a key for browsers belongs into pages."""
    found = evaluated(leaked_secrets, SCRIPT.format(text))

    assert (outcome(leaked_secrets, SCRIPT.format(text)).state, found.loss) == (state, loss)


def test_scripts_of_the_site_count_and_those_of_others_do_not() -> None:
    """Their owner is the one who has to act."""
    facts = ScriptFacts(secrets=(("secret", "Groq key", "gsk_kW9q…Dj"),))
    own = make_resource(URL + "a.js", kind="script", script=facts)
    foreign = make_resource("https://other.example/a.js", kind="script", script=facts, first_party=False)

    assert outcome(leaked_secrets, "<p>", resources=make_resources(own)).evidence[0].url == URL + "a.js"
    assert outcome(leaked_secrets, "<p>", resources=make_resources(foreign)).state == "none"


def test_secrets_come_before_identifiers() -> None:
    """Both are listed, and the number is that of the worse ones."""
    found = outcome(leaked_secrets, SCRIPT.format(f"{NAME} {KEY}"))

    assert (found.state, found.count, found.total) == ("secret", 1, 2)
    assert [one.reason for one in found.evidence] == ["Groq key", "AWS access key"]
    assert found.value == "Groq key, AWS access key"


def test_keys_are_shown_masked() -> None:
    """Neither the value nor the place shows one."""
    found = outcome(leaked_secrets, f"<div data-key={KEY}></div>")

    assert [one.value for one in found.evidence] == ["gsk_kW9q…Dj"]
    assert KEY not in str(found)


def test_page_about_keys_passes() -> None:
    """Its examples stand in code."""
    assert outcome(leaked_secrets, f"<pre>{KEY}</pre>").state == "none"


HASH = "$2y$10$" + "aZ3.kQ9mT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"[:53]
NAMES = {
    "nl": "Jan Bakker",
    "uk": "Олена Коваль",
    "ja": "山田花子",
    "ar": "ليلى حداد",
}


def _rows(count: int, row: str, name: str = "Jan", sites: int = 5) -> str:
    return "".join(
        row.format(name=name, mail=f"p{i}@post{i % sites}.com", phone=f"06-{10_000_000 + 77 * i}") for i in range(count)
    )


ROW = "<tr><td>{name}<td>{mail}<td>{phone}"


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_records_of_people_in_the_open(name: str) -> None:
    """In a table, whatever they are written in; one fewer may be a list of people to write to."""
    found = outcome(leaked_secrets, f"<table>{_rows(15, ROW, name)}</table>")

    assert (found.state, found.value, found.total) == ("records", 15, 15)
    assert found.evidence[0].value == "p***@post0.com"
    assert outcome(leaked_secrets, f"<table>{_rows(14, ROW, name)}</table>").state == "none"


def test_records_in_scripts() -> None:
    """Fewer are enough there, and very few with hashes of passwords."""
    row = '{{"n":"{name}","e":"{mail}","p":"{phone}"}},'

    assert outcome(leaked_secrets, f"<script>a=[{_rows(10, row)}]</script>").state == "records"
    assert outcome(leaked_secrets, f"<script>a=[{_rows(9, row)}]</script>").state == "none"
    row = '{{"e":"{mail}","h":"' + HASH + '"}},'

    assert outcome(leaked_secrets, f"<script>a=[{_rows(3, row, sites=1)}]</script>").state == "records"
    assert outcome(leaked_secrets, f"<script>a=[{_rows(2, row)}]</script>").state == "none"


@pytest.mark.parametrize(
    "page",
    [
        _rows(40, "<p>{name} <a href=mailto:{mail}>{mail}</a> {phone}"),
        _rows(40, "<p>{name} {mail}"),
        _rows(40, "<p>{name} {mail} 2026-10-01 17:30:12, (04.11.2026), 12/31/2026, #4711, 1234567"),
        _rows(40, ROW, sites=2),
        "".join(f"<p>Jan p{i}@{'example.com' if i % 2 else 'example.org'} 06-12345678" for i in range(40)),
        "".join(f"<p>Jan p{i}@example.net 06-12345678" for i in range(40)),
    ],
    ids=["linked", "addresses", "archive", "colleagues", "samples", "sample"],
)
def test_lists_that_are_meant_to_be_read(page: str) -> None:
    """Contacts, authors, messages, colleagues and examples."""
    assert outcome(leaked_secrets, page).state == "none"


@pytest.mark.parametrize(("number", "state"), [(5, "records"), (4, "none")])
def test_accounts_with_their_passwords(number: int, state: str) -> None:
    """Also those of one site; one word for all of them is no password, and neither is one in small letters."""
    rows = [(f"gv{one:02d}@truong.example", f"Lam{one}!x{one * 13}Qz") for one in range(10, 10 + number)]
    page = "<table>{}</table>"

    def listed(row: str) -> str:
        return page.format("".join(f"<tr><td>{mail}<td>{row.format(word)}" for mail, word in rows))

    linked = listed("{}").replace("<td>gv", "<td><a href=mailto:gv10@truong.example></a>gv")

    assert outcome(leaked_secrets, listed("{}")).state == state
    assert outcome(leaked_secrets, listed("Mk8!example")).state == "none"
    assert outcome(leaked_secrets, listed("phòng {}").lower()).state == "none"
    assert outcome(leaked_secrets, linked).state == ("none" if number == 5 else state)


ACCOUNT = "<!doctype html><title>x</title><a href=/wyloguj>Wyloguj</a><p>marta.z@poczta.pl, +48 600 000 000"
AREA = (
    "<!doctype html><title>x</title><a href=/>A</a><a href=/sklep>B</a><a href=/konto/1>C</a><a href=/konto/2>D</a>"
    "<a href=/konto/wyloguj>To nie Ty?</a><p>marta.z@poczta.pl, +48 600 000 000 14.10.2026, 02.08.2026"
)
NEWSLETTER = (
    "<!doctype html><title>x</title><a href=/>A</a><a href=/verein>B</a><a href=/konto/2026-09>C</a>"
    "<a href=/konto/2026-08>D</a><a href=/konto/abmelden>Newsletter abbestellen</a>"
    "<p>Am 14.10.2026 und 18.10.2026: ruderclub@gmx.de, 0651 9940 1177"
)
HIT = ("X-Cache", "HIT")
SESSION = ("Set-Cookie", "JSESSIONID=7A31F0C2B9D84E55; Path=/; Secure; HttpOnly")


@pytest.mark.parametrize(
    ("page", "headers", "state"),
    [
        (ACCOUNT, (HIT, SESSION), "account"),
        (ACCOUNT, (("Age", "11907"), ("Cache-Control", "public"), SESSION), "account"),
        (ACCOUNT, (("X-Cache", "MISS"), SESSION), "none"),
        (ACCOUNT, (HIT,), "none"),
        (AREA, (HIT,), "account"),
        (AREA, (("X-Cache", "MISS"),), "none"),
        (NEWSLETTER, (HIT,), "none"),
        (NEWSLETTER.replace("Newsletter abbestellen", "Ausloggen"), (HIT,), "account"),
        (NEWSLETTER.replace("abmelden>Newsletter abbestellen", "sign-off>Final sign-off"), (HIT,), "none"),
        (NEWSLETTER.replace("/abmelden", "/sign-out"), (HIT,), "account"),
        (ACCOUNT, (HIT, ("Set-Cookie", "_ga=GA1.2")), "none"),
        (ACCOUNT, (HIT, ("Set-Cookie", "JSESSIONID=; Max-Age=0")), "none"),
        ("<!doctype html><title>x</title><p>marta.z@poczta.pl, +48 600 000 000", (HIT, SESSION), "none"),
        (ACCOUNT + SCRIPT.format(KEY), (HIT, SESSION), "secret"),
    ],
)
def test_account_in_a_shared_cache(page: str, headers: tuple[tuple[str, str], ...], state: str) -> None:
    """A copy with somebody's session; a key on it is the graver fault."""
    sent = (("Content-Type", "text/html; charset=utf-8"), *headers)
    artifacts = make_artifacts(page, headers=sent, url="https://example.com/konto")
    found = outcome(leaked_secrets, artifacts)

    assert found.state == state
    assert "marta.z@" not in str(found)
    assert "7A31F0C2B9D84E55" not in str(found)


def test_run_that_signs_in_sees_its_own_account() -> None:
    """The page is meant for it."""
    artifacts = make_artifacts(
        ACCOUNT,
        headers=(("Content-Type", "text/html"), HIT, SESSION),
        access=AccessNote(name="Staging", origins=(), sent=()),
    )

    assert outcome(leaked_secrets, artifacts).state == "none"


def test_administration_without_sign_in() -> None:
    """Everybody may pay back there; a run that signs in sees what it is allowed to do."""
    rows = "".join(f"<tr><td>Åsa<td>+46 70 000 00 1{n}<td><a href=/orders/refund?id={n}>X</a></tr>" for n in range(3))
    page = f"<!doctype html><title>x</title><table>{rows}</table>"
    found = outcome(leaked_secrets, page)

    assert (found.state, [one.value for one in found.evidence]) == ("records", ["…10", "…11", "…12"])
    assert (
        outcome(leaked_secrets, make_artifacts(page, access=AccessNote(name="Staging", origins=(), sent=()))).state
        == "none"
    )
