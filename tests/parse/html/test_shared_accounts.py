"""Pages of somebody who is signed in, in several scripts, and pages that look like them."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from pagegrade.parse.html.shared_accounts import MIN_AREA, find_account, is_in_account
from tests.builders import make_document

DATA = "<dl><dt>A<dd>eleni.p@mailbox.gr<dt>B<dd>690 000 4417</dl>"


def account(page: str) -> tuple[str, ...]:
    """The data of a person in a page."""
    return find_account(make_document(f"<!doctype html><title>x</title>{page}"))


@pytest.mark.parametrize(
    "control",
    [
        "<a href=/aposyndesi?token=9f>Αποσύνδεση</a>",
        "<a href=/wyloguj>Wyloguj się</a>",
        "<a href=/a><img src=a.png alt='Sign out'></a>",
        "<a href=/customer/account/logout/>X</a>",
        "<form method=post><button>ログアウト</button></form>",
        "<form method=post><input type=submit value='تسجيل الخروج'></form>",
        "<form method=post action=/b><button>ออกจากระบบ</button></form>",
        "<a href=/exit>Вийти</a>",
        "<a href=/hesabim/cikis>Siz değil misiniz? Çıkış yapın</a>",
        "<a href=/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4/>Это не вы?</a>",
        "<a href=/compte/deconnexion>Ce n’est pas vous ? Partez d’ici</a>",
        "<input autocomplete=given-name value=Eleni><input autocomplete='shipping tel' value='690 000 4417'>",
    ],
)
def test_accounts_of_people(control: str) -> None:
    """By a control to sign out or by fields that are filled in; the data are masked."""
    found = account(control + DATA)

    assert found[1] == "…417"
    assert "eleni.p" not in found[0]
    assert not account(control)


@pytest.mark.parametrize(
    "page",
    [
        DATA,
        f"<a href=/logout>Log out</a><a href=/login>Log in</a>{DATA}",
        f"<a href=/logout hidden>Log out</a>{DATA}",
        f"<p>Click on Log out</p><a href=/guide>How to log out of your account on every machine you use</a>{DATA}",
        f"<a href=/sair>Praia</a><a href=/cikislar>Otoyol</a>{DATA}",
        f"<input autocomplete=tel value='690 000 4417'>{DATA}",
        f"<input autocomplete=tel value=''><input autocomplete=email>{DATA}",
        f"<input autocomplete=country value=GR><input autocomplete=off value=9>{DATA}",
        "<a href=/logout>Log out</a><p>info@example.com, eleni@example.org 690 000 4417",
        "<a href=/logout>Log out</a><p><a href=mailto:a.b@mailbox.gr>a.b@mailbox.gr</a> 690 000 4417",
        "<a href=/logout>Log out</a><p>a.b@mailbox.gr <a href=tel:+30690004417>690 004 417</a>",
        "<a href=/logout>Log out</a><p>a.b@mailbox.gr, 28.11.2026, 2026-11-28 2026-11-29, 1 234",
    ],
)
def test_pages_for_everybody(page: str) -> None:
    """Contacts, guides, pages with both controls, forms to fill in, and data that is there to be used."""
    assert account(page) == ()


@pytest.mark.parametrize(
    ("page", "way_out", "inside", "outside", "is_account"),
    [
        ("hesabim", "/hesabim/cikis", MIN_AREA, MIN_AREA, True),
        ("حسابي/", "/حسابي/logout", MIN_AREA, MIN_AREA, True),
        ("de/konto/adressen", "/de/konto/ausloggen", MIN_AREA, MIN_AREA, True),
        ("de/konto/adressen", "/de/konto/abmelden", MIN_AREA, MIN_AREA, False),
        ("konto", "/konto/выход/", MIN_AREA, MIN_AREA, True),
        ("hesabim", "/hesabim/cikis", MIN_AREA - 1, MIN_AREA, False),
        ("hesabim", "/hesabim/cikis", MIN_AREA, MIN_AREA - 1, False),
        ("hesabim", "/cikis", MIN_AREA, MIN_AREA, False),
        ("hesabim", "https://elsewhere.example/hesabim/cikis", MIN_AREA, MIN_AREA, False),
        ("iletisim", "/hesabim/cikis", MIN_AREA, MIN_AREA, False),
        ("hesabimiz", "/hesabim/cikis", MIN_AREA, MIN_AREA, False),
        ("hesabim", "/hesabim/ayarlar", MIN_AREA, MIN_AREA, False),
    ],
)
def test_page_in_an_account(page: str, way_out: str, inside: int, outside: int, *, is_account: bool) -> None:
    """A folder with its way out and other pages, beside the rest of the site."""
    folder = way_out.rstrip("/").rpartition("/")[0].removeprefix("https://elsewhere.example")
    links = [way_out, *(f"{folder}/{n}" for n in range(inside)), *(f"/{n}" for n in range(outside))]
    text = "".join(f"<a href={link}>{n}</a>" for n, link in enumerate(links))
    shown = f"<!doctype html><title>x</title>{text}<p>14.10.2026 2026-08-02"
    document = make_document(shown, url=f"https://example.com/{quote(page)}")

    assert is_in_account(document) is is_account


LINKS = "<a href=/>a</a><a href=/b>b</a><a href=/docs/c>c</a><a href=/docs/d>d</a>"


@pytest.mark.parametrize(
    ("shown", "is_account"),
    [
        ("<a href=/docs/logout>x</a><p>14.10.2026, 2/8/2026", True),
        ("<a href=/docs/logout>x</a><p>14.10.2026 and 14.10.2026", False),
        ("<a href=/docs/logout>x</a><p>14.10.2026, 14.10.2026, 2/8/2026", True),
        ("<a href=/docs/logout>x</a><p>14.10.2026 and 2026-10-14, 02.08.2026 and 2/8/2026", True),
        ("<a href=/docs/logout>x</a><p>04.10.2026 and 2026-10-04, 4/10/2026", False),
        ("<a href=/docs/logout>x</a><p>Version 4.12.0, 4.13.1 of 2026", False),
        ("<a href=/docs/logout>x</a><pre>2026-10-14 2026-08-02</pre>", False),
        ("<a href=/docs/leaving>Log out</a><p>14.10.2026, 2/8/2026", False),
    ],
)
def test_a_manual_is_no_account(shown: str, *, is_account: bool) -> None:
    """It may have a page about signing out, in a folder with the others, but nothing happened on a day."""
    document = make_document(f"<!doctype html><title>x</title>{LINKS}{shown}", url="https://example.com/docs/a")

    assert is_in_account(document) is is_account


@pytest.mark.parametrize(("signs", "is_account"), [("-", True), ("--", False)])
def test_only_so_long_a_word_is_the_way_out(signs: str, *, is_account: bool) -> None:
    """At the limit of 60 characters as they are written, and one past it; signs are no part of the word."""
    page = f"<!doctype html><title>x</title>{LINKS}<a href=/docs/{'%20' * 18}{signs}cikis>x</a><p>14.10.2026, 2/8/2026"

    assert is_in_account(make_document(page, url="https://example.com/docs/a")) is is_account


@pytest.mark.parametrize(
    ("address", "text", "is_account"),
    [
        ("abmelden", "Newsletter abbestellen", False),
        ("abmelden", "Abmelden", False),
        ("abmelden", "Ausloggen", True),
        ("afmelden", "Afmelden voor de nieuwsbrief", False),
        ("afmelden", "Uitloggen", True),
        ("odhlasit", "Odhlásit odběr novinek", False),
        ("odhl%C3%A1si%C5%A5", "Odhlásiť sa", False),
        ("odjava", "Odjava s e-novosti", False),
        ("%D0%BE%D0%B4%D1%98%D0%B0%D0%B2%D0%B0", "Одјава", False),
        ("kijelentkezes", "Kijelentkezés 11 óráig", False),
        ("sign-off", "Final sign-off", False),
        ("signoff?list=4", "Sign off", False),
        ("sign-off", "Sign out", True),
        ("logoff", "Sign off", True),
        ("signout", "x", True),
        ("cerrarsesion", "x", True),
        ("%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88", "x", True),
    ],
)
def test_the_way_out_of_a_list_is_none_of_an_account(address: str, text: str, *, is_account: bool) -> None:
    """Newsletters, hotels and surveyors use words for it, too, unless the text can mean nothing else."""
    links = "<a href=/>a</a><a href=/b>b</a><a href=/news/2026-09>c</a><a href=/news/2026-08>d</a>"
    page = f"<!doctype html><title>x</title>{links}<a href='/news/{address}'>{text}</a><p>14.10.2026, 2/8/2026"

    assert is_in_account(make_document(page, url="https://example.com/news/2026-10")) is is_account


CHANGE = (
    "<form><input type=password autocomplete=current-password><input type=password autocomplete=new-password></form>"
)


@pytest.mark.parametrize(
    ("way_out", "beside", "inside", "outside", "is_account"),
    [
        ("/logout", CHANGE, MIN_AREA, MIN_AREA, True),
        ("/cikis", CHANGE, MIN_AREA, MIN_AREA, True),
        ("/выход", CHANGE, MIN_AREA, MIN_AREA, True),
        ("/logout", "", MIN_AREA, MIN_AREA, False),
        ("/cikis", "", MIN_AREA, MIN_AREA, False),
        ("/выход", "", MIN_AREA, MIN_AREA, False),
        ("/abmelden", CHANGE, MIN_AREA, MIN_AREA, True),
        ("/odhlásit", CHANGE, MIN_AREA, MIN_AREA, True),
        ("/abmelden", "", MIN_AREA, MIN_AREA, False),
        ("/abmelden", "<input type=password autocomplete=new-password>", MIN_AREA, MIN_AREA, False),
        ("/logout", CHANGE, MIN_AREA - 1, MIN_AREA, False),
        ("/logout", CHANGE, MIN_AREA, MIN_AREA - 1, False),
        ("/bye", CHANGE, MIN_AREA, MIN_AREA, False),
    ],
)
def test_account_whose_way_out_is_at_the_root(
    way_out: str, beside: str, inside: int, outside: int, *, is_account: bool
) -> None:
    """The page and what lies below it are the account, if they have fields to change a password: topics have none."""
    links = [way_out, *(f"/konto/{n}" for n in range(inside)), *(f"/{n}" for n in range(outside))]
    text = "".join(f"<a href={link}>{n}</a>" for n, link in enumerate(links))
    document = make_document(
        f"<!doctype html><title>x</title>{text}{beside}<p>14.10.2026 2026-08-02", url="https://example.com/konto"
    )

    assert is_in_account(document) is is_account


def test_front_page_is_no_account() -> None:
    """All of the site lies below it."""
    links = "<a href=/a>a</a><a href=/b>b</a><a href=/c/d>c</a><a href=/logout>x</a>"

    assert not is_in_account(
        make_document(f"<title>x</title>{links}<p>14.10.2026 2026-08-02", url="https://example.com/")
    )
